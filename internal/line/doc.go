// Package line is the plain terminal: streamed text, one line for each state
// of a tool, and approvals by typed choice. It needs no abilities of the
// terminal and works over pipes too.
//
//	l := line.New(line.Options{In: os.Stdin, Out: os.Stdout, Terminal: true, Signals: signals})
//	conv, err := app.Open(ctx, app.Options{Asker: l, ...})
//	exit := l.Run(ctx, conv, firstPrompt)
//
// What is typed while a turn runs is queued; it is an answer only when it was
// typed after the question was shown. Nothing that a model or a command
// prints reaches the terminal as a control sequence.
package line
