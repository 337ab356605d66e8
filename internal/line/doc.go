// Package line is the plain terminal: streamed text, one line for each state
// of a call, and approvals by typed choice. It needs no abilities of the
// terminal, leaves the editing of lines to it, and works over pipes too.
//
//	l := line.New(line.Options{In: os.Stdin, Out: os.Stdout, Terminal: true, Signals: signals})
//	conv, err := app.Open(ctx, app.Options{Asker: l, ...})
//	if err != nil {
//		return err
//	}
//	exit := l.Run(ctx, conv, firstPrompt) // closes conv
//
// One goroutine takes lines, questions and signals ([Line.Run]); a turn's
// events are shown from a second one, and a third writes, so that neither a
// turn nor a terminal that hangs can keep the person from leaving.
//
// What is typed while a turn runs is queued. It is an answer only when it was
// begun after the question was opened; on a pipe, the next line is the answer.
// Nothing that a model or a command prints reaches the terminal as a control
// sequence, and what is to be approved is shown with every character that
// cannot be seen written out.
//
// It draws nothing: no status line, no history, no completion. What a call did
// is told in one line, from the result that the model reads.
package line
