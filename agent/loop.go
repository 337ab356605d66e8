package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// turn is one run of the loop. All of it is used from the goroutine that
// ranges over the turn.
type turn struct {
	*Agent
	tools  tool.Set
	meter  *account.Meter
	yield  func(event.Record, error) bool
	cancel context.CancelCauseFunc
	gone   bool       // the reader broke off
	head   event.Head // of the last fact
	usage  llm.Usage  // of the turn so far
	tally  tally      // what next counts
	ranAny bool       // a tool ran in this turn
	failed int        // tools that failed in this turn
	detail string     // goes with the reason in Ended
}

func newTurn(a *Agent, cancel context.CancelCauseFunc, yield func(event.Record, error) bool) *turn {
	t := &turn{Agent: a, cancel: cancel, yield: yield, meter: a.Meter}
	if t.meter == nil {
		t.meter = new(account.Meter)
	}
	if a.Tools != nil {
		t.tools = a.Tools()
	}
	return t
}

// run is the loop, whole.
func (t *turn) run(ctx context.Context, prompt []llm.Message) (event.Reason, error) {
	if err := t.say(prompt...); err != nil {
		return "", err
	}
	for range t.steps() {
		if reason := t.overBudget(); reason != "" {
			return reason, nil
		}
		if err := t.compact(ctx, event.Threshold); err != nil {
			return "", err
		}
		if reason := t.overBudget(); reason != "" { // a summary costs, too
			return reason, nil
		}
		answer, err := t.ask(ctx)
		if err != nil {
			return "", err
		}
		if err := t.execute(ctx, answer); err != nil {
			return "", err
		}
		reason, err := t.next(ctx, answer)
		if reason != "" || err != nil {
			return reason, err
		}
	}
	t.notice(event.WarnLevel, "Stopped after %d steps, the limit for one turn. Send a message to go on, or raise --max-turns.", t.steps())
	return event.StepLimit, nil
}

// drive runs the turn and states how it ended.
func (t *turn) drive(ctx context.Context, prompt []llm.Message) {
	reason, err := t.run(ctx, prompt)
	var broken *logError
	if errors.As(err, &broken) {
		if !t.gone {
			t.yield(event.Record{}, broken.err)
		}
		return
	}
	ended := event.Ended{Reason: reason, Error: t.detail, Usage: t.usage}
	if err != nil {
		ended.Reason, ended.Error, ended.Fault = reasonOf(ctx, err), err.Error(), faultOf(err)
	}
	if ended.Reason == event.Interrupted {
		ended.Error = ""
	}
	if err := t.record(ended); err != nil && !t.gone {
		t.yield(event.Record{}, err)
	}
}

// reasonOf says how an error ends the turn.
func reasonOf(ctx context.Context, err error) event.Reason {
	switch {
	case ctx.Err() != nil:
		return event.Interrupted
	case errors.Is(err, ErrDeadline):
		return event.Budget
	case errors.Is(err, llm.ErrContextTooLong):
		return event.Context
	}
	return event.Failed
}

func faultOf(err error) string {
	switch {
	case errors.Is(err, llm.ErrAuth):
		return "auth"
	case errors.Is(err, llm.ErrRateLimited):
		return "rate_limited"
	case errors.Is(err, llm.ErrOverloaded):
		return "overloaded"
	case errors.Is(err, llm.ErrUnreachable):
		return "unreachable"
	}
	return ""
}

func (t *turn) steps() int { return orElse(max(t.MaxSteps, 0), DefaultSteps) }

// overBudget is looked at before each request, never inside a batch.
func (t *turn) overBudget() event.Reason {
	if !t.Deadline.IsZero() && !t.now().Before(t.Deadline) {
		t.detail = ErrDeadline.Error()
		return event.Budget
	}
	if t.Budget != nil {
		t.detail = t.Budget(t.usage)
		if t.detail != "" {
			return event.Budget
		}
	}
	return ""
}

// logError says that the log can take nothing any more.
type logError struct{ err error }

func (e *logError) Error() string { return e.err.Error() }
func (e *logError) Unwrap() error { return e.err }

// record writes the fact, then shows it.
func (t *turn) record(f event.Fact) error {
	_, err := t.written(f)
	return err
}

// written is the fact that was recorded, with what the log added to it.
func (t *turn) written(f event.Fact) (event.Record, error) {
	r, err := t.Log.Append(f)
	if err != nil {
		return r, &logError{fmt.Errorf("cannot record what happened: %w", err)}
	}
	t.head = r.Head
	t.show(r)
	return r, nil
}

// emit shows a signal, under the head of the last fact.
func (t *turn) emit(s event.Signal) {
	head := t.head
	head.ID, head.Parent = "", ""
	t.show(event.Record{Head: head, Event: s})
}

// show yields while the reader is there; one that breaks off interrupts the
// turn.
func (t *turn) show(r event.Record) {
	if !t.gone && !t.yield(r, nil) {
		t.gone = true
		t.cancel(ErrByPerson)
	}
}

func (t *turn) notice(level event.Level, format string, args ...any) {
	t.emit(event.Notice{Level: level, Text: fmt.Sprintf(format, args...)})
}

// say records messages of the user's side.
func (t *turn) say(messages ...llm.Message) error {
	for _, m := range messages {
		if err := t.record(event.Message{Message: m}); err != nil {
			return err
		}
	}
	return nil
}
