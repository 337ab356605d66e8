// Package tool is the protocol by which an agent acts on the world.
//
// A call is prepared, then permitted, then run. [Tool.Prepare] checks the
// arguments and says what would be touched, and touches nothing itself; the
// loop asks the gate; only then [Action].Run does it. A tool cannot ask for
// permission, it can only declare effects, and it must do exactly what it
// declared.
//
// A tool of one's own is a function of typed arguments, given to [New]; see
// the example. The package knows nothing of permissions, sessions or screens.
package tool
