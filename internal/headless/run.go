package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/visible"
	"github.com/minicode-go/minicode/llm"
)

// The output formats.
const (
	Text   = "text"   // the final answer, nothing else
	JSON   = "json"   // one result object
	Events = "events" // every event as one line, then the result object
)

// Options says how a run is told.
type Options struct {
	Format  string
	Partial bool // with Events: deltas and tool output too
	Verbose bool // with Text: more on Err
	Out     io.Writer
	Err     io.Writer
}

// Run sends the prompt, tells what happens, and returns the exit code. A
// prompt that begins with a slash is a command, and what that has to say to the
// model is sent.
func Run(ctx context.Context, conv *app.Conversation, prompt string, o Options) int {
	r := newReport(conv)
	o.Out, o.Err = redacting{o.Out, conv.Redact}, redacting{o.Err, func(line []byte) []byte { return []byte(visible.Safe(string(conv.Redact(line)))) }}
	for _, text := range conv.Queued() {
		fmt.Fprintf(o.Err, "queued in the last run, and sent now: %s\n", text)
	}
	if strings.HasPrefix(prompt, "/") {
		then, handled, exit := runCommand(ctx, conv, prompt, r, o)
		if handled {
			return exit
		}
		prompt = then
	}
	var lost error
	for rec, err := range conv.Prompt(ctx, prompt) {
		if err != nil {
			r.fail(err)
			break
		}
		r.add(rec)
		if lost = tell(rec, r, o); lost != nil {
			break
		}
	}
	r.finish(ctx, conv)
	return deliver(r, o, lost)
}

// redacting keeps keys out of what is written, and for people what a terminal
// would act on. Each write is a whole line.
type redacting struct {
	io.Writer
	redact func([]byte) []byte
}

func (w redacting) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(w.redact(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// runCommand runs a slash command, whose output is the result. What begins with
// a path is an ordinary prompt; a command that is not there is a mistake. If it
// is not handled by that, then is what is to be sent.
func runCommand(ctx context.Context, conv *app.Conversation, line string, r *report, o Options) (then string, handled bool, exit int) {
	var lost error
	show := func(rec event.Record) {
		r.add(rec)
		if lost == nil {
			lost = tell(rec, r, o)
		}
	}
	// What is decided is told before what comes of it.
	stated := func() {
		for _, rec := range conv.Stated() {
			show(rec)
		}
	}
	out, err := command.Run(ctx, conv, line, func(s event.Signal) {
		stated()
		show(event.Record{Head: conv.Head(), Event: s})
	})
	word, _, _ := strings.Cut(line, " ")
	switch {
	case errors.Is(err, command.ErrNoCommand) && strings.ContainsAny(word[1:], "/."):
		return line, false, 0
	case errors.Is(err, command.ErrNoCommand):
		r.ended = event.Ended{Reason: event.Failed, Error: err.Error(), Fault: "usage"}
	case err != nil && !errors.Is(err, command.ErrExit):
		r.fail(err)
	case out.Prompt != "":
		if out.Text != "" {
			fmt.Fprintln(o.Err, out.Text)
		}
		return out.Prompt, false, 0
	default:
		text := out.Text
		if out.Draft != "" {
			text += "\n\n" + out.Draft
		}
		r.result.Result, r.ended.Reason = &text, event.Done
		if word == "/context" {
			overview := conv.Context()
			r.result.Context = &overview
		}
	}
	stated()
	if err != nil && r.asked { // it was refused for want of an approval
		r.ended.Reason = event.Done
	}
	r.finish(ctx, conv)
	return "", true, deliver(r, o, lost)
}

// tell shows one event in the format. Its error says that the output is gone.
func tell(rec event.Record, r *report, o Options) error {
	if o.Format == Events {
		switch rec.Event.(type) {
		case event.TextDelta, event.ThinkingDelta, event.CallDelta, event.Output:
			if !o.Partial {
				return nil
			}
		}
		return event.Encode(o.Out, rec)
	}
	switch e := rec.Event.(type) {
	case event.Notice:
		fmt.Fprintf(o.Err, "%s: %s\n", e.Level, e.Text)
	case event.Retrying:
		fmt.Fprintf(o.Err, "retry: attempt %d of %d failed (%s); next in %s\n", e.Attempt, e.Of, e.Error, e.After.Round(1e6))
	case event.Message:
		progress(e.Message, r, o)
	case event.Compacting:
		if o.Format == Text && (e.Stage == "collapse" || e.Stage == "summarize") {
			fmt.Fprintln(o.Err, "context: asking the model for a summary…")
		}
	case event.Edited:
		if o.Format == Text && e.Why != event.Manual && e.After < e.Before { // what was asked for is the result
			fmt.Fprintf(o.Err, "context: %s, from %d to %d tokens\n", e.Stage, e.Before, e.After)
		}
	}
	return nil
}

// progress tells on stderr what is being done.
func progress(m llm.Message, r *report, o Options) {
	if o.Format != Text {
		return
	}
	if res, ok := m.Result(); ok {
		state := "ok"
		if res.Error {
			state = "error"
		}
		fmt.Fprintf(o.Err, "%s: %s\n", state, r.title(res))
		return
	}
	if text := strings.TrimSpace(m.Text()); o.Verbose && text != "" && (m.Kind == llm.Progress || m.Kind == llm.Work) {
		fmt.Fprintln(o.Err, text)
	}
}

// deliver writes the result and gives the exit code.
func deliver(r *report, o Options, lost error) int {
	res := r.result
	if o.Format != Text {
		line, err := json.Marshal(res)
		if err == nil && lost == nil {
			_, lost = o.Out.Write(append(line, '\n'))
		}
	} else if res.Result != nil && *res.Result != "" && lost == nil {
		_, lost = fmt.Fprintln(o.Out, strings.TrimRight(*res.Result, "\n"))
	}
	if lost != nil {
		fmt.Fprintf(o.Err, "minicode: the output could not be written: %v\n", lost)
	}
	for _, e := range res.Errors {
		fmt.Fprintf(o.Err, "minicode: %s\n", e)
	}
	for _, d := range res.PermissionDenials {
		fmt.Fprintf(o.Err, "refused: %s: %s\n", d.ToolName, d.Reason)
	}
	for _, t := range res.TasksEnded {
		fmt.Fprintf(o.Err, "ended with the run: background task %s (%s)\n", t.ID, t.Command)
	}
	if lost != nil && res.ExitCode == 0 {
		return 1
	}
	return res.ExitCode
}
