// Package diffview shows unified diffs in a terminal, and makes smaller ones
// of them.
//
//	for _, line := range diffview.Render(diff, 80, theme.Dark(), diffview.Options{LineNumbers: true}) {
//		fmt.Println(line)
//	}
//	kept := diffview.Without(diff, []int{1})                  // all but the second hunk
//	text, err := diffview.Apply(old, kept)                    // what the file then is
//	text, err = diffview.Choose(old, new, diff, []int{1})     // the same, with both texts at hand
//
// Invariants: no line that Render returns is wider than asked for, and each
// ends without a style; what a terminal would obey, and what cannot be seen,
// is spelled out, so that a diff is what it looks like. Reading never fails: a
// diff that was cut short, or that is none, is shown as far as it goes. Apply
// is strict instead: the old text must be the one that the diff was made from.
//
// The package does not look at files, highlights no syntax, and knows nothing
// of encodings: texts are what is between line feeds.
package diffview
