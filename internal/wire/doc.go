// Package wire is the way to a provider: an HTTP POST that is answered with
// server-sent events, watched for stalls, with every fault told as an
// [llm.Error]. The adapters in llm/anthropic and llm/openai stand on it and
// add their words.
//
//	request := wire.Request{Provider: "anthropic", URL: url, Header: header, Body: body}
//	for event, err := range request.Events(ctx) {
//		if err != nil {
//			return err // an *llm.Error, or the cause of ctx's end
//		}
//		if done := read(event.Data); done {
//			break // the connection is given back
//		}
//	}
//
// Invariant: when the range over [Request.Events] is left, whatever way,
// nothing of the request runs any more. Bytes count as life, events do not:
// a comment line or half an event keeps the watchdog quiet.
//
// Besides it has what both adapters need to write requests whose bytes never
// change: [Object], [AppendString] and [AppendArgs] write JSON, [IDs] and
// [Name] bring call ids and names into a form that the provider takes, and
// [Seen] finds what of a history was written before.
//
// The package does not retry and knows no provider's events.
package wire
