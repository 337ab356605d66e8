package openai

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

// TestBodyGoesOn: a model that goes on from what it wrote before writes what
// one writes that never saw the conversation, whatever became of it meanwhile.
func TestBodyGoesOn(t *testing.T) {
	wentOn := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := append(conversation("openrouter/moonshotai/kimi-k2"),
			llm.Message{Role: llm.Assistant, Parts: llm.Parts{invoke("call_1", "list_files", `{}`)}}, // of an id that was used
			text(llm.Assistant, llm.Final, "All done."),
			llm.Message{Role: llm.Assistant, Stop: llm.StopRefusal, Parts: llm.Parts{llm.Text{Text: "no"}}})
		m := model("openrouter", "moonshotai/kimi-k2")
		var history []llm.Message
		for range 12 {
			switch r.IntN(8) {
			case 0: // an edit
				if len(history) > 0 {
					history = append([]llm.Message(nil), history...)
					history[r.IntN(len(history))] = all[r.IntN(len(all))]
				}
			case 1: // back to an earlier place
				history = history[:r.IntN(len(history)+1)]
			default:
				for range 1 + r.IntN(4) {
					history = append(history, all[r.IntN(len(all))])
				}
			}
			req := llm.Request{System: "Be brief.", Tools: specs(), Messages: history, Effort: "low"}
			if _, ok := m.written.seen.Rest(history); ok {
				wentOn++
			}
			if got, want := m.body(req), model("openrouter", "moonshotai/kimi-k2").body(req); !bytes.Equal(got, want) {
				t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
			}
		}
	}
	if wentOn < 500 {
		t.Errorf("it went on %d times of 4800; the test tells little", wentOn)
	}
}

// TestStepsCostTheSame counts objects: a request costs as many with a long
// history as with a short one.
func TestStepsCostTheSame(t *testing.T) {
	m := model("openrouter", "moonshotai/kimi-k2")
	history := steps(1000)
	cost := func(at int) float64 {
		body := func(n int) { m.body(llm.Request{System: "s", Tools: specs(), Messages: history[:n]}) }
		body(at)
		return testing.AllocsPerRun(50, func() { at += 2; body(at) })
	}
	if early, late := cost(21), cost(1801); late > early*1.5+5 {
		t.Errorf("a step makes %.0f objects after 10 steps and %.0f after 900", early, late)
	} else {
		t.Logf("%.0f and %.0f objects", early, late)
	}
}
