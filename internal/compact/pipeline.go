package compact

import (
	"context"
	"errors"
	"iter"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Rule says from which share of the effective input on a stage works. A stage
// that is for a request that the provider refused works then only.
type Rule struct {
	Above   float64
	Refused bool
	Stage   Stage
}

// Pipeline is the stages in order, cheapest first.
type Pipeline struct {
	Rules []Rule
	Meter *account.Meter // nil: one of its own
	Off   bool           // the person wants no compaction: nothing is done about a prompt that is too long
	Told  *Told          // what was told already; nil tells everything
}

// Told is the notices of a pipeline that were given, so that none is given
// before every request.
type Told struct{ last string }

func (t *Told) news(text string) bool {
	if t == nil {
		return true
	}
	news := t.last != text
	t.last = text
	return news
}

// Compact runs the stages whose line the view is over, taking the view again
// after each that changed it. Forced by the provider, lines do not count: the stages run until
// no more than half of what was refused is left. By hand, lines do not count,
// and that there is nothing to do is an error of type [Nothing].
func (p Pipeline) Compact(ctx context.Context, view func() event.View, why event.Why) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		r := run{Pipeline: p, yield: yield, why: why, more: true}
		if p.Off && why == event.Forced {
			yield(nil, p.TooLong(view()))
			return
		}
		var v event.View
		r.changed = true
		for _, rule := range p.Rules {
			if rule.Refused != (why == event.Limit) {
				continue
			}
			if r.changed {
				v, r.changed = view(), false
			}
			v.Why = why
			if r.refused == 0 {
				r.refused = v.Used.Tokens
			}
			if why == event.Forced { // the window is smaller than what was refused, whatever is known of it
				v.Used.Window = min(v.Used.Window, r.refused)
			}
			if ctx.Err() != nil || why == event.Forced && v.Used.Tokens <= r.refused/2 {
				return
			}
			if why == event.Threshold && v.Used.Share() < rule.Above {
				continue
			}
			if !r.stage(ctx, rule.Stage, v) {
				return
			}
		}
	}
}

// run is one run of a pipeline.
type run struct {
	Pipeline
	yield   func(event.Event, error) bool
	why     event.Why
	refused int  // tokens in use when it began
	changed bool // the view was, since it was taken
	more    bool
}

// stage runs one stage and states what came of it. It is false when no other
// stage should run.
func (r *run) stage(ctx context.Context, s Stage, v event.View) bool {
	work, err := s.Edits(ctx, v, func(sig event.Signal) { r.say(sig) })
	var nothing Nothing
	var strike Strike
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(err, llm.ErrContextTooLong):
		if r.more {
			r.yield(nil, err)
		}
		return false
	case errors.As(err, &nothing):
		if r.why == event.Manual && r.more {
			r.yield(nil, nothing)
			return false
		}
		return r.more
	case errors.As(err, &strike):
		r.say(event.Notice{Level: event.WarnLevel, Text: "The conversation was not made smaller by " + s.Name() + ": " + string(strike) + ". It goes on as it is."})
		e := event.Edited{Stage: s.Name(), Why: r.why, Before: v.Used.Tokens, After: v.Used.Tokens, Error: string(strike)}
		return r.say(spent(e, work))
	case err != nil:
		if work.Usage != (llm.Usage{}) { // of an answer before the fault
			r.say(spent(event.Edited{Stage: s.Name(), Why: r.why, Before: v.Used.Tokens, After: v.Used.Tokens}, work))
		}
		if r.why == event.Manual && r.more {
			r.yield(nil, err)
			return false
		}
		text := "The conversation was not made smaller by " + s.Name() + ": " + err.Error()
		if errors.As(err, new(Warning)) {
			text = err.Error()
		}
		if r.Told.news(text) {
			r.say(event.Notice{Level: event.WarnLevel, Text: text})
		}
		return r.more
	case len(work.Edits) == 0:
		return r.more
	}
	if work.Model == "" { // else it was told before the model was asked
		r.say(event.Compacting{Stage: s.Name()})
	}
	r.changed = true
	return r.say(spent(r.edited(v, s.Name(), work.Edits), work))
}

// say yields while the reader is there.
func (r *run) say(e event.Event) bool {
	r.more = r.more && r.yield(e, nil)
	return r.more
}

func spent(e event.Edited, w Work) event.Edited {
	if w.Usage != (llm.Usage{}) {
		e.Usage, e.Model = &w.Usage, w.Model
	}
	return e
}

func (r *run) edited(v event.View, stage string, edits []event.Edit) event.Edited {
	e := event.Edited{Stage: stage, Why: r.why, Edits: edits, Before: v.Used.Tokens}
	e.After = max(0, e.Before-saving(sizesOf(r.Meter, v), v, edits))
	return e
}

// saving is how many tokens the edits, which do not overlap, take off the view.
// It is quickest where they stand in its order, as nearly all do.
func saving(size sizes, v event.View, edits []event.Edit) int {
	messages := v.Request.Messages
	var gone, put []llm.Message
	at := 0
	for _, e := range edits {
		from := place(messages, e.From, at)
		to := place(messages, e.To, from)
		if from < 0 || to < from {
			continue
		}
		gone, put = append(gone, messages[from:to+1]...), append(put, e.With...)
		at = to + 1
	}
	return size.of(gone...) - size.of(put...)
}

// place is where the message of that id is, looked for from one place on and
// then from the beginning; -1 when there is none.
func place(messages []llm.Message, id string, from int) int {
	for n := range messages {
		if i := (max(from, 0) + n) % len(messages); messages[i].ID == id {
			return i
		}
	}
	return -1
}
