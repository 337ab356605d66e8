// Package agent is the loop: compact, ask, execute, clean up; again.
//
// An [Agent] is a configured loop, like an http.Server: set its fields, then
// use it. [Agent.Turn] carries one message of the person's to the end of its
// turn and yields every event on the way; facts are in the log before they
// are yielded. The loop's wishes are interfaces here ([Log], [Gate],
// [Compactor], [Cleaner], [Hooks]), satisfied by mechanisms that have never
// heard of it.
//
// Three verbs, one file each: execute.go, cleanup.go, compact.go. ask.go asks
// the model, retry.go asks again, next.go is the table that says what an
// answer means.
//
// The loop does no I/O of its own and holds no state between turns.
package agent
