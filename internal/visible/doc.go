// Package visible makes text harmless for a terminal, and shows what it hides.
//
// [Safe] is for what is only read: what a terminal would act on, and what
// cannot be seen, is taken out. [Mark] is for what is approved: everything
// that cannot be seen is written out, so that nothing is other than it looks.
//
//	visible.Safe("a\x1b[2Jb")                          // "a[2Jb"
//	visible.Mark("rm\u202e x", visible.All, plain)      // "rm<U+202E> x"
//
// The package knows nothing of widths, and does not break lines.
package visible
