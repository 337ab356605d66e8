// Package theme holds the colours of everything that is shown in a terminal.
//
// A Theme gives each purpose a Style: what a person said, what was added, what
// went wrong. Nothing else in the program names a colour. A style is the
// parameters of the escape sequence that selects it (SGR), so that painting is
// joining strings, and a test can read what was meant:
//
//	t := theme.Dark()
//	fmt.Println(t.Error.Paint("refused") + " by " + t.Strong.Paint("a rule"))
//
// Four themes are built in: Dark and Light use the 256-colour palette, every
// style of theirs that carries words is readable on its background (tested);
// Sixteen leaves the shades to the terminal; Plain has no styles, and then
// Paint returns what it was given. A person's own theme changes single styles
// of one of these and is read by Read.
//
// Invariant: what Paint returns ends as it began, without any style, so painted
// pieces can be joined in any order.
//
// The package does not look at the environment, does not ask the terminal what
// it can do, and does not measure or wrap text.
package theme
