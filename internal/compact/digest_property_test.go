package compact_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// TestDigestProperties lets models of all sizes answer well and badly.
func TestDigestProperties(t *testing.T) {
	seen, asked := map[string]int{}, map[string]int{}
	for _, seed := range seeds(t, 50) {
		if enough(t) {
			return
		}
		random := rand.New(rand.NewPCG(seed, 3))
		h := randomHistory(seed, allActs, nil, func(*history) {})
		model := writer(nil, []int{4000, 8000, 32_000, 200_000}[random.IntN(4)])
		model.Model.Provider = h.model.Model.Provider
		answers := map[string]llmtest.Answer{
			"good": llmtest.Say("<summary>" + h.text(1+random.IntN(600)) + "</summary>"), "empty": llmtest.Say("<summary></summary>"),
			"call": llmtest.Join(llmtest.Say("<summary>I look first.</summary>"), llmtest.Call("read_file", "{}")), "huge": llmtest.Say(strings.Repeat("word ", 300_000)), "too long": llmtest.TooLong(),
			"fault": llmtest.Fail(&llm.Error{Kind: llm.ErrServer}),
		}
		kind := []string{"good", "good", "good", "empty", "call", "huge", "too long", "fault"}[random.IntN(8)]
		model.Add(llmtest.Join(answers[kind], llmtest.Repeat(llmtest.Forever)))
		o := offload(t.TempDir(), 50_000, 200_000)
		stages := []compact.Stage{
			compact.Collapse{Meter: h.meter, Digest: by(model)},
			compact.Summarize{Meter: h.meter, Digest: by(model), Offload: &o},
		}
		for _, stage := range stages {
			before := model.Asked()
			did := h.run(stage, []event.Why{event.Threshold, event.Forced, event.Manual}[random.IntN(3)])
			outcome, err := judged(did, kind, model.Asked() > before)
			if err == nil && model.Asked() > before {
				err = goodInput(did, model, before)
			}
			if err == nil && stage.Name() == "summarize" && len(putIn(did)) > 0 {
				err = goodSummary(did)
			}
			if err == nil && outcome == "done" && len(putIn(did)) == 0 { // no model was needed
				outcome = "done without a digest"
			}
			for _, holds := range []func(change) (bool, error){newestPrompt, firstPrompt, answersWhole} {
				if err == nil {
					_, err = holds(did)
				}
			}
			if err != nil {
				t.Errorf("seed %d, %s of %d messages, %s answer: %v", seed, stage.Name(), len(did.before), kind, err)
			}
			seen[stage.Name()+" "+kind+": "+outcome]++
			seen[stage.Name()+" "+outcome]++
			if outcome != "nothing" && outcome != "done without a digest" {
				asked[stage.Name()+", "+kind+" answer"]++
			}
		}
	}
	for _, stage := range []string{"collapse", "summarize"} {
		for _, kind := range []string{"good", "empty", "call", "huge", "too long", "fault"} {
			of := stage + ", " + kind + " answer"
			if t.Logf("%s: %d cases in which it could have failed", of, asked[of]); asked[of] == 0 {
				t.Errorf("the histories do not come to: %s", of)
			}
		}
	}
	t.Logf("%d summaries were not needed, as smaller messages were enough", seen["summarize done without a digest"])
	for _, want := range []string{"collapse done", "collapse strike", "collapse fault", "summarize done", "summarize strike", "summarize fault", "summarize huge: strike", "summarize call: strike"} {
		if seen[want] == 0 {
			t.Errorf("the histories do not come to: %s (%v)", want, seen)
		}
	}
}

// judged says what came of it, and what was wrong with that.
func judged(did change, kind string, asked bool) (string, error) {
	var nothing compact.Nothing
	var strike compact.Strike
	same := slices.Equal(did.was, did.now)
	spent := did.work.Usage.Total() > 0
	switch {
	case did.mutated:
		return "", errors.New("the view that was looked at was changed")
	case did.err == nil && len(did.work.Edits) > 0:
		if before, after := did.tokens(did.before...), did.tokens(did.after...); after >= before || asked && kind != "good" || asked != (len(putIn(did)) > 0) {
			return "", fmt.Errorf("%d tokens became %d", before, after)
		}
		return "done", nil
	case !same || len(did.work.Edits) > 0:
		return "", errors.New("something was edited all the same")
	case errors.As(did.err, &nothing):
		if asked {
			return "", errors.New("a model was asked for nothing")
		}
		return "nothing", nil
	case errors.As(did.err, &strike):
		if kind == "fault" || spent == (kind == "too long") {
			return "", fmt.Errorf("%w with %+v spent", did.err, did.work.Usage)
		}
		return "strike", nil
	case did.err == nil:
		return "", errors.New("neither done nor a reason")
	case kind != "fault" && !strings.Contains(did.err.Error(), "is too small"):
		return "", did.err
	}
	return "fault", nil
}

// goodInput wants requests that fit, and prompts in them word for word where
// they can be.
func goodInput(did change, model *llmtest.Script, from int) error {
	info := model.Info()
	ratio := account.Ratio(did.before, info.ID())
	for _, req := range model.Requests()[from:] {
		limit := info.EffectiveInput() - req.MaxOutput
		if got := float64(account.Estimate(req)) * ratio; got > float64(limit)*0.91 {
			return fmt.Errorf("a request of %.0f tokens, where %d fit", got, limit)
		}
	}
	in := model.Requests()[from].Messages[0].Text()
	_, after := prompts(did.after)
	order, before := prompts(did.before)
	for _, mark := range order {
		_, left := after[mark]
		if !left && !strings.Contains(in, before[mark].Text()) && info.Window > did.view.Used.Window {
			return fmt.Errorf("%s was replaced and is not in the input word for word", mark)
		}
	}
	return nil
}

// goodSummary wants prompts, the summary, and a tail of whole rounds that is
// what it was, but for results in files.
func goodSummary(did change) error {
	at := slices.IndexFunc(did.after, func(m llm.Message) bool { return m.Kind == llm.Summary })
	if at < 0 {
		return errors.New("there is no summary")
	}
	for _, m := range did.after[:at] {
		if m.Kind != llm.Prompt {
			return fmt.Errorf("a %s stands before the summary", m.Kind)
		}
	}
	tail := did.after[at+1:]
	from := len(did.before) - len(tail)
	if len(tail) < 6 {
		return fmt.Errorf("%d messages are left", len(tail))
	}
	for i, m := range tail {
		r, _ := m.Result()
		abridged := m.Kind == llm.Prompt && strings.Contains(m.Text(), " characters left out ...]")
		pictures := strings.Contains(r.Parts.Text(), "(an image was left out here to make room")
		if m.ID != did.before[from+i].ID && r.Meta.Saved == "" && !abridged && !pictures {
			return fmt.Errorf("message %d of the tail is another", i)
		}
	}
	for _, s := range segments(did.before) {
		if s.from < from && s.to > from {
			return errors.New("the tail begins within a round")
		}
	}
	order, _ := prompts(did.before)
	if left, _ := prompts(did.after); len(order) > 0 && (left[0] != order[0] || len(slices.Compact(slices.Clone(left))) != len(left)) {
		return fmt.Errorf("the prompts are %v", left)
	}
	return nil
}
