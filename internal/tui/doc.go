// Package tui is the full terminal program: streamed answers, cards for tool
// calls, approval dialogs, a prompt editor and a status line.
//
//	t := tui.New(tui.Options{In: os.Stdin, Out: os.Stdout, Environ: os.Environ(), Signals: signals})
//	conv, err := app.Open(ctx, app.Options{Asker: t, ...})
//	if err != nil {
//		return err
//	}
//	exit := t.Run(ctx, conv, firstPrompt) // closes conv
//
// It works inline. Finished lines are printed once into the terminal's own
// scrollback and belong to it from then on; below them a small live region is
// drawn anew where it changes. Nothing else is ever cleared.
//
// What is finished is a function of the facts: the [transcript] folds records
// into lines, for a turn that runs and for a replay alike. Signals change the
// live region only.
//
// One goroutine, the event loop of Bubble Tea, owns all state. It receives
// keys, and what a turn yields, and never waits: turns and commands run in
// goroutines of their own, and one more writes to the terminal, so that
// neither a tool nor a terminal that hangs can keep the person from leaving.
// Bubble Tea decodes keys and runs the loop; drawing is our own, since its
// renderer prints finished lines and redraws the rest in two steps, which
// shows lines twice for a moment, and wakes up when nothing happens.
//
// The package decides nothing about permissions and starts no tool: what the
// person runs goes the way of a call, and rules are changed where they are
// kept. It keeps nothing on disk but the history of prompts.
package tui
