package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// ErrDeadline is the cause of a wait for the model that the turn's deadline
// ended.
var ErrDeadline = errors.New("the time limit was reached")

// answer is one answer of the model, recorded, with the row of the answer
// table that it falls under.
type answer struct {
	llm.Message
	row      row
	spent    bool   // the row's tries are used up: the turn ends as the row ends it
	question string // what its calls asked the person
	stopped  bool   // the person said no and stop
}

// streamed is what came of one answer.
type streamed struct {
	text string // all the text so far, markers taken off
	done llm.Done
}

func (t *turn) now() time.Time {
	if t.Retry.Now != nil {
		return t.Retry.Now()
	}
	return time.Now()
}

// bounded is ctx, until the turn's deadline.
func (t *turn) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.Deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, t.Deadline, ErrDeadline)
}

// ask streams one answer and records it.
func (t *turn) ask(ctx context.Context) (*answer, error) {
	waiting, cancel := t.bounded(ctx)
	defer cancel()
	forced, limited := false, false
	for {
		req := t.request()
		s, err := t.persist(waiting, req)
		t.usage = t.usage.Add(s.done.Usage)
		if errors.Is(err, llm.ErrContextTooLong) || (err == nil && s.done.Stop == llm.StopContextWindow) {
			if forced {
				return nil, t.tooLong()
			}
			forced = true
			t.notice(event.WarnLevel, "The prompt is too long for the model.")
			if err := t.compact(ctx, event.Forced); err != nil {
				return nil, err
			}
			continue
		}
		if errors.Is(err, llm.ErrRequest) && !limited {
			limited = true
			before := t.head.ID
			if err := t.compact(ctx, event.Limit); err != nil {
				return nil, err
			}
			if t.head.ID != before { // something went that may be what it did not take
				continue
			}
		}
		if err != nil {
			if cause := context.Cause(waiting); cause != nil && ctx.Err() == nil {
				err = cause
			}
			return nil, errors.Join(err, t.keepPartial(s.text))
		}
		return t.admitAnswer(req, s.done)
	}
}

// keepPartial records the text of an answer that never became whole.
func (t *turn) keepPartial(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	m := llm.NewText(llm.Assistant, llm.Progress, text)
	m.Model, m.Stop = t.Model.Info().ID(), llm.StopInterrupted
	return t.record(event.Message{Message: m})
}

// admitAnswer gives a whole answer its ids, its kind and its place in the log.
func (t *turn) admitAnswer(req llm.Request, done llm.Done) (*answer, error) {
	parts, mark := stripMarkers(done.Parts)
	usage := done.Usage
	a := &answer{Message: llm.Message{
		Role: llm.Assistant, Parts: t.identify(parts), Model: t.Model.Info().ID(), Stop: done.Stop, Usage: &usage, Estimate: t.meter.Estimate(req),
	}}
	a.row = rowOf(a.Message, mark)
	a.spent = t.tally.count(a.row, a.Message)
	a.Kind = a.row.kind(a.spent)
	if a.Kind == llm.Progress && strings.TrimSpace(a.Text()) == "" {
		a.Parts = withoutText(a.Parts)
	}
	if !known(done.Stop) {
		t.notice(event.WarnLevel, "The model stopped for a reason that is not known here: %s", done.Stop)
	}
	r, err := t.written(event.Message{Message: a.Message})
	if err != nil {
		return nil, err
	}
	if m, ok := r.MessageOf(); ok {
		a.Message = m
	}
	if a.row == refused {
		t.notice(event.WarnLevel, "The model refused to answer%s. The answer is left out of later requests.", because(done.Detail))
		t.detail = "the model refused to answer" + because(done.Detail)
		return a, t.record(event.Edited{Stage: "refusal", Why: event.Limit, Edits: []event.Edit{{From: a.ID, To: a.ID}}})
	}
	return a, nil
}

func because(detail string) string {
	if detail != "" {
		detail = " (" + detail + ")"
	}
	return detail
}

func known(s llm.Stop) bool {
	switch s {
	case llm.StopEnd, llm.StopSequence, llm.StopTools, llm.StopLength, llm.StopPause, llm.StopRefusal, llm.StopFilter, llm.StopContextWindow:
		return true
	}
	return false
}

func withoutText(parts llm.Parts) llm.Parts {
	var out llm.Parts
	for _, p := range parts {
		if _, ok := p.(llm.Text); !ok {
			out = append(out, p)
		}
	}
	return out
}

// identify gives each call an id that its session has not used, and its
// arguments the form of a JSON object, or marks them as malformed.
func (t *turn) identify(parts llm.Parts) llm.Parts {
	used := t.Log.UsedCallIDs()
	here := map[string]bool{}
	out := make(llm.Parts, len(parts))
	for i, p := range parts {
		out[i] = p
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		if id := c.ID; id == "" || used(id) || here[id] {
			c.Wire = id
			for n := 1; c.ID == "" || used(c.ID) || here[c.ID]; n++ {
				c.ID = fmt.Sprintf("call_%d", n)
			}
		}
		here[c.ID] = true
		if c.Malformed == "" && len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		if c.Malformed == "" && argsFault(string(c.Args)) != nil {
			c.Malformed, c.Args = string(c.Args), nil
		}
		out[i] = c
	}
	return out
}

// argsFault is why the text is not a JSON object.
func argsFault(text string) error {
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	if value[0] != '{' {
		return errors.New("they are " + orElse(map[byte]string{'[': "an array", '"': "a string"}[value[0]], "a single value"))
	}
	const around = 16 // levels of the record that they stand in, and some
	if !json.Valid([]byte(strings.Repeat("[", around) + text + strings.Repeat("]", around))) {
		return errors.New("it is nested too deep")
	}
	return nil
}

// stream asks once and shows the answer as it comes.
func (t *turn) stream(ctx context.Context, req llm.Request) (streamed, error) {
	var (
		s     streamed
		text  strings.Builder
		live  markerFilter
		whole bool
	)
	show := func(more string) {
		if more != "" {
			text.WriteString(more)
			t.emit(event.TextDelta{Text: more})
		}
	}
	for chunk, err := range t.Model.Stream(ctx, req) {
		if err != nil {
			show(live.rest())
			s.text = text.String()
			return s, err
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			show(live.take(c.Text))
		case llm.ThinkingDelta:
			t.emit(event.ThinkingDelta{Text: c.Text})
		case llm.CallDelta:
			t.emit(event.CallDelta{Index: c.Index, Name: c.Name, Args: c.Args})
		case llm.Done:
			s.done, whole = c, true
		}
	}
	show(live.rest())
	s.text = text.String()
	if !whole {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		return s, &llm.Error{Kind: llm.ErrStream, Provider: t.Model.Info().Provider}
	}
	return s, nil
}
