package compact_test

import (
	"context"
	"slices"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// pass runs the rules over the history once, and records what they did.
func (h *history) pass(t *testing.T, rules []compact.Rule, why event.Why) (facts []event.Edited) {
	t.Helper()
	p := compact.Pipeline{Rules: rules, Meter: h.meter}
	for e, err := range p.Compact(t.Context(), func() event.View { return h.view("") }, why) {
		if err != nil {
			t.Fatal(err)
		}
		if fact, ok := e.(event.Edited); ok {
			h.add(fact)
			facts = append(facts, fact)
		}
	}
	return facts
}

// TestPassesDigestTwoSpans has parts of a conversation that only notes on
// earlier cuts keep apart, each too small to be enough.
func TestPassesDigestTwoSpans(t *testing.T) {
	h := talk(0)
	for range 6 {
		for range 2 {
			h.read(1320)
		}
		h.say(llm.User, llm.Snipped, "[snipped]")
	}
	for range 6 {
		h.read(2200)
	}
	model := always(t, llmtest.Say("digest"))
	rules := []compact.Rule{{Above: 0.75, Stage: h.collapse(model)}}
	before := h.view("").Used.Share()
	if before < 0.85 {
		t.Fatalf("%.2f of the window is in use, which two digests make small enough", before)
	}
	for pass, want := range []struct{ asked, edits int }{{2, 1}, {2, 0}} {
		facts := h.pass(t, rules, event.Threshold)
		digests := 0
		for _, m := range h.log.Messages() {
			if m.Kind == llm.Summary {
				digests++
			}
		}
		if len(facts) != want.edits || model.Asked() != want.asked || digests != want.asked {
			t.Errorf("pass %d: %d edits, a model asked %d times, %d digests; %.2f of the window is in use", pass+1, len(facts), model.Asked(), digests, h.view("").Used.Share())
		}
	}
}

// TestPassesRecordStrikes switches a stage off after three of them, which only
// the log can tell.
func TestPassesRecordStrikes(t *testing.T) {
	h := talk(26)
	model := always(t, llmtest.Say("<summary></summary>"))
	rules := []compact.Rule{{Above: 0.75, Stage: h.collapse(model)}}
	for pass := range 5 {
		facts := h.pass(t, rules, event.Threshold)
		strikes := min(3, pass+1)
		if got := h.past("collapse").Strikes; got != strikes || model.Asked() != strikes || len(facts) != strikes-min(3, pass) {
			t.Errorf("after pass %d there are %d strikes, %d facts of the pass, and a model was asked %d times", pass+1, got, len(facts), model.Asked())
		}
		for _, f := range facts {
			if f.Error != "the summary is empty" || len(f.Edits) != 0 || f.After != f.Before || f.Usage == nil {
				t.Errorf("pass %d: recorded is %+v", pass+1, f)
			}
		}
	}
}

// watched is a stage of which is known with how much in use it was run.
type watched struct {
	compact.Stage
	used *[]int
}

func (w watched) Edits(ctx context.Context, v event.View, tell func(event.Signal)) (compact.Work, error) {
	*w.used = append(*w.used, v.Used.Tokens)
	return w.Stage.Edits(ctx, v, tell)
}

// TestForcedPassesStopAtHalf runs the stages, however little is in use, until
// no more than half of what was refused is left, and then none.
func TestForcedPassesStopAtHalf(t *testing.T) {
	early, late, made := 0, 0, 0
	for _, seed := range seeds(t, 40) {
		if enough(t) {
			return
		}
		h := randomHistory(seed, allActs, nil, func(*history) {})
		var used []int
		var rules []compact.Rule
		for _, s := range h.stages() {
			rules = append(rules, compact.Rule{Above: 9, Stage: watched{s, &used}})
		}
		refused := h.view("").Used.Tokens
		for _, f := range h.pass(t, rules, event.Forced) {
			if len(f.Edits) > 0 {
				made++
			}
		}
		left := h.view("").Used.Tokens
		switch most := slices.Min(append(used, refused)); {
		case most <= refused/2:
			t.Errorf("seed %d: a stage ran with %d tokens in use, of %d that were refused", seed, most, refused)
		case left > refused/2 && len(used) < len(rules):
			t.Errorf("seed %d: %d stages ran, and %d tokens of %d are left", seed, len(used), left, refused)
		case len(used) < len(rules):
			early++
		default:
			late++
		}
	}
	t.Logf("%d passes stopped before the last stage, %d ran all, with %d edits", early, late, made)
	if early < 5 || late < 5 {
		t.Error("too few stopped early, or ran to the end")
	}
}
