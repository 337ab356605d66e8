// Package summary says in one line what a tool call brought, from the result
// that the model reads.
//
//	summary.Of(result) // "exit 1, 12 lines", "+12 −3", "lines 1-80 of 200"
//
// It is a function of the result alone, so that a call is told the same way
// live and on replay, by every front end. It styles nothing, and what it gives
// may hold control characters: see internal/visible.
package summary
