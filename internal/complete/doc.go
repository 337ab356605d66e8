// Package complete finds what was meant by a few letters: a file of the
// workspace, a command, an entry of a list.
//
//	for _, m := range complete.Match("cmpb", names) {
//		fmt.Println(m.Text, m.Score, complete.Positions("cmpb", m.Text))
//	}
//
// [Match] takes candidates that have the letters of the query in that order,
// and puts first where they are together, at the starts of words and path
// elements, and in the last element of a path. [Files] has the workspace's
// files for it: they are walked in the background, and it answers at once
// from what is known so far.
//
//	files := complete.NewFiles(root, builtin.Walk)
//	files.Refresh(ctx)
//	defer files.Close()
//	found := files.Find("int/cmp", 20)
//
// Invariants: the score of a match is that of the best way to place the
// query's letters; the order of results depends on the query and the
// candidates only.
//
// The package shows nothing: names of files may have control characters in
// them. It knows no rules about which files are ignored; its [Walk] does.
package complete
