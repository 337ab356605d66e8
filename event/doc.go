// Package event holds what happens in a conversation.
//
// An event is a [Fact] or a [Signal]. Facts are history: only the loop states
// them, each is on disk before anyone sees it, and the session file is nothing
// but facts. Signals tell what is going on; whoever misses every one of them
// ends with the same transcript. The session file, the headless "events"
// format and what a front end ranges over are the same stream of [Record]
// values, written by the same [Encode]:
//
//	for record, err := range conversation.Prompt(ctx, message) {
//		if err != nil {
//			return err
//		}
//		if err := event.Encode(os.Stdout, record); err != nil {
//			return err
//		}
//	}
//
// The format is described, independent of Go, in docs/design/session-format.md.
package event
