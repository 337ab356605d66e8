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
// counts as the one that never ended. The package counts no real tokens, asks
// no provider, and makes nothing smaller.
package account
