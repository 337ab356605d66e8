// Package compact says less to the model, cheapest means first.
//
// A [Stage] looks at the view of a conversation and proposes edits; a
// [Pipeline] is a table of stages, each with the share of the window above
// which it works, or kept for requests that a provider refused. Edits are
// facts: nothing is ever rewritten, and the view changes only when one is
// added.
//
//	pipeline := compact.Pipeline{Rules: []compact.Rule{{Above: 0, Stage: offload}}}
//	for e, err := range pipeline.Compact(ctx, view, event.Threshold) { ... }
//
// [Offload] moves large tool results to files: one result before it is
// recorded, the largest of a batch before the next request. [Clear] empties
// results that can be had again, and [Snip] takes out a run that nobody needs.
// [Collapse] and [Summarize] ask a model, through [Digest], to say the older
// part in fewer words. [Refuse] keeps back what cannot fit, and [Images] leaves
// pictures out of a request that a provider refused.
//
// Whole API rounds stay whole: a stage may change what a result says, never
// whether there is one without its call. What the person said last stays in
// the view, as the message it was.
//
// The package does not decide when a request is made, and asks no person. What
// came of a stage before, it knows from the log alone.
package compact
