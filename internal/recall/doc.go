// Package recall words what a model does not know, or no longer: what is not
// said in any prompt, and must not be left to a summary.
//
//	r := recall.Reminder{Guide: guide, Place: place}
//	known := recall.Known{Messages: log.Messages(), Waiting: inbox.Notes(), Todos: log.Todos}
//	for _, text := range r.Due(known, mode) {
//		inbox.Note(text)
//	}
//
// The texts follow from the messages and are the same each time, so what the
// model was told already is not told again. The package does not decide when
// they are told, and records nothing.
package recall
