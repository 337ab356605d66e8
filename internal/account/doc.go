// Package account knows how full the model's window is, and how that is known.
//
// A [Meter] gives one number for a request, with its source: what the provider
// counted at the newest answer whose count still holds, and an estimate of
// what came after it. Estimates are calibrated by what the provider reported
// for the answers that are still in view. Levels, badge and every trigger of
// compaction follow that one number.
//
//	var meter account.Meter
//	used := meter.Measure(req, model.Info())
//	fmt.Println(account.Badge(used)) // [ctx] 62% ▓▓▓▓▓▓░░░░ usage+est
//
// All of it follows from the messages, so that a session that is resumed
// counts as the one that never ended. An [Overview] divides the number among
// the parts of the request; they always add up to it:
//
//	o := meter.Overview(req, model.Info(), []account.Section{{Name: "instruction files", Text: instructions}})
//	fmt.Println(o.Parts[0].Name, o.Parts[0].Tokens) // system prompt 2400
//
// The package counts no real tokens, asks no provider, and makes nothing
// smaller.
package account
