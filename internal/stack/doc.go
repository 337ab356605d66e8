// Package stack finds out what a repository is made of, from the files that
// stand in it, and writes a first page of instructions for those who work
// there.
//
// The invariant: nothing of the repository is run, and nothing that is there
// is written over.
//
//	report, err := stack.Init(root)
//
// It asks no model: what cannot be seen in the files is for a person to add.
package stack
