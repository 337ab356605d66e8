// Package session keeps conversations on disk: one file of JSON lines for
// each, which only ever grows.
//
// A [Store] finds, lists, opens, forks and deletes sessions. A [Log] is one
// open session: facts go in, and everything else that one may want to know of
// the conversation is folded from them. The conversation is the chain of
// parents from the newest record; going back is a record like any other, so
// nothing that was said is ever lost.
//
//	store := &session.Store{Root: state + "/projects", Now: time.Now, NewID: newID}
//	log, report, err := store.Open(info.Path, cwd)
//	if err != nil {
//		return err // wraps ErrLocked when another process has it open
//	}
//	defer log.Close()
//	if text := report.String(); text != "" {
//		fmt.Fprintln(os.Stderr, text)
//	}
//	log.Append(event.Message{Message: llm.NewText(llm.User, llm.Prompt, "hello")})
//
// What compaction did to the view can be looked up ([Log.Past], [Log.Edits],
// [Log.Replaced]), and the whole conversation, with all that was ever taken
// out of the view, can be written for people and for programs ([Log.Export]).
//
// Invariants: a fact is on disk before Append returns, or [Log.Saved] is
// false; what was written is never changed; whatever prefix of a file is left
// after a crash, opening it gives a history that a provider takes. The view
// that a reopened session has is the view that it had.
//
// The package decides nothing: it does not compact, ask or run, and it does
// not repair what the rules for sending ([llm.Mend]) repair anyway, such as a
// call in the middle of a history whose result was lost with a damaged line.
// The format is described, independent of Go, in docs/design/session-format.md.
package session
