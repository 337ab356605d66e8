//go:build !unix

package tui

// suspendable says whether there is a shell that can go on with the program.
func suspendable() bool { return false }
