package compact

import (
	"context"
	"errors"
	"iter"
	"slices"

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

// Told is what a pipeline keeps in mind between its runs: the notices that were
// given, so that none is given before every request, and which stages failed by
// a fault of a provider, so that a dead one is not waited for before every
// request.
type Told struct {
	texts map[string]string // by stage
	rests map[string]int    // by stage: how many runs it is still left out of
}

// rest is for how many requests a stage is left out after a fault.
const rest = 10

func (t *Told) news(stage, text string) bool {
	if t == nil {
		return true
	}
	if t.texts == nil {
		t.texts = map[string]string{}
	}
	news := t.texts[stage] != text
	t.texts[stage] = text
	return news
}

func (t *Told) failed(stage string) {
	if t == nil {
		return
	}
	if t.rests == nil {
		t.rests = map[string]int{}
	}
	t.rests[stage] = rest
}

func (t *Told) resting(stage string) bool {
	if t == nil || t.rests[stage] == 0 {
		return false
	}
	t.rests[stage]--
	return true
}

// Compact runs the stages whose line the view is over, taking the view again
// after each that changed it. Forced by the provider, lines do not count: the
// stages run until no more than half of what was refused is left. So they do
// before a request is refused here. By hand, lines do not count, and that there
// is nothing to do is an error of type [Nothing].
func (p Pipeline) Compact(ctx context.Context, view func() event.View, why event.Why) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		r := run{Pipeline: p, yield: yield, why: why, more: true}
		if p.Off && why == event.Forced {
			yield(nil, p.TooLong(view()))
			return
		}
		if why == event.Forced {
			if text := misjudged(view()); text != "" && p.Told.news("window", text) {
				r.say(event.Notice{Level: event.WarnLevel, Text: text})
			}
		}
		err := r.all(ctx, view)
		if errors.Is(err, llm.ErrContextTooLong) && why == event.Threshold && r.more {
			hard := run{Pipeline: p, yield: yield, why: event.Forced, more: true, failed: r.failed}
			err = hard.all(ctx, view)
			r.more = hard.more
			if err == nil && r.more {
				err = r.last(ctx, view)
			}
		}
		if err != nil && r.more && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// all runs the stages in order.
func (r *run) all(ctx context.Context, view func() event.View) error {
	var v event.View
	r.changed = true
	for _, rule := range r.Rules {
		if rule.Refused != (r.why == event.Limit) {
			continue
		}
		if r.changed {
			v, r.changed = view(), false
		}
		v.Why = r.why
		if r.refused == 0 {
			r.refused = v.Used.Tokens
		}
		if r.why == event.Forced { // the window is smaller than what was refused, whatever is known of it
			v.Used.Window = min(v.Used.Window, r.refused)
		}
		if ctx.Err() != nil || r.why == event.Forced && v.Used.Tokens <= r.refused/2 {
			return nil
		}
		if r.failed[rule.Stage.Name()] {
			continue
		}
		if r.why == event.Threshold && (v.Used.Share() < rule.Above || r.Told.resting(rule.Stage.Name())) {
			continue
		}
		if err := r.stage(ctx, rule.Stage, v); err != nil || !r.more {
			return err
		}
	}
	return nil
}

// last runs the last rule for requests that are not refused yet once more.
func (r *run) last(ctx context.Context, view func() event.View) error {
	for _, rule := range slices.Backward(r.Rules) {
		if v := view(); !rule.Refused {
			v.Why = r.why
			if v.Used.Share() < rule.Above {
				return nil
			}
			return r.stage(ctx, rule.Stage, v)
		}
	}
	return nil
}

// run is one run of a pipeline.
type run struct {
	Pipeline
	yield   func(event.Event, error) bool
	why     event.Why
	refused int             // tokens in use when it began
	changed bool            // the view was, since it was taken
	failed  map[string]bool // stages that met a strike or a fault, and are not tried again
	more    bool
}

// stage runs one stage and states what came of it. Its error ends the run.
func (r *run) stage(ctx context.Context, s Stage, v event.View) error {
	work, err := s.Edits(ctx, v, func(sig event.Signal) { r.say(sig) })
	var nothing Nothing
	var strike Strike
	if err != nil && !errors.As(err, &nothing) {
		if r.failed == nil {
			r.failed = map[string]bool{}
		}
		r.failed[s.Name()] = true
	}
	if len(work.Edits) == 0 || err != nil {
		work.Edits = nil
		if work.Usage != (llm.Usage{}) && !errors.As(err, &strike) { // of an answer before a fault
			r.say(spent(r.record(s, v), work))
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, llm.ErrContextTooLong), r.why == event.Manual && err != nil && !errors.As(err, &strike):
		return err
	case errors.As(err, &nothing):
		return nil
	case errors.As(err, &strike):
		r.say(event.Notice{Level: event.WarnLevel, Text: "The conversation was not made smaller by " + s.Name() + ": " + string(strike) + ". It goes on as it is."})
		e := r.record(s, v)
		e.Error = string(strike)
		r.say(spent(e, work))
		return nil
	case err != nil:
		text := err.Error()
		if !errors.As(err, new(Warning)) {
			text = "The conversation was not made smaller by " + s.Name() + ": " + text
			r.Told.failed(s.Name())
		}
		if r.Told.news(s.Name(), text) {
			r.say(event.Notice{Level: event.WarnLevel, Text: text})
		}
		return nil
	case len(work.Edits) == 0:
		return nil
	}
	if work.Model == "" { // else it was told before the model was asked
		r.say(event.Compacting{Stage: s.Name()})
	}
	r.changed = true
	e := r.record(s, v)
	e.Edits, e.After = work.Edits, max(0, e.Before-saving(sizesOf(r.Meter, v), v, work.Edits))
	r.say(spent(e, work))
	return nil
}

// record is the fact that a stage ran and changed nothing.
func (r *run) record(s Stage, v event.View) event.Edited {
	return event.Edited{Stage: s.Name(), Why: r.why, Before: v.Used.Tokens, After: v.Used.Tokens}
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
