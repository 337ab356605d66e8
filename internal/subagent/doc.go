// Package subagent lets a model hand work to another one that has a context of
// its own: the tool spawn_agent.
//
// The invariants: a sub-agent can do no more than its parent and asks nobody;
// what it was denied is the first thing that its parent reads; what it found
// out until something broke is not lost.
//
//	spawn := subagent.Tool(subagent.Options{Kinds: kinds, Make: make, Background: background})
//
// It does not make sub-agents itself: whoever has the model, the log and the
// gate does, by Options.Make.
package subagent
