package compact_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// A reference case is one test of MiniCode (TypeScript), by its number there.
type referenceCase struct {
	name    string
	differs string // what is otherwise here, on purpose, and why
	run     func(t *testing.T)
}

func runReference(t *testing.T, count int, cases []referenceCase) {
	for i, c := range cases {
		if !strings.HasPrefix(c.name, fmt.Sprintf("%02d_", i+1)) {
			t.Errorf("case %d is %s", i+1, c.name)
		}
		t.Run(c.name, func(t *testing.T) {
			if c.differs != "" {
				t.Log("differs: " + c.differs)
			}
			c.run(t)
		})
	}
	if len(cases) != count {
		t.Errorf("%d cases, want %d", len(cases), count)
	}
}

// auto runs a stage as the program does before a request: from a share of the
// window on, recording what comes of it.
func (h *history) auto(t *testing.T, above float64, stage compact.Stage) {
	t.Helper()
	p := compact.Pipeline{Rules: []compact.Rule{{Above: above, Stage: stage}}, Meter: h.meter}
	for e, err := range p.Compact(t.Context(), func() event.View { return h.view("") }, event.Threshold) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := e.(event.Fact); ok {
			h.add(f)
		}
	}
}

// full is a conversation that is over every line.
func crowded() *history { return talk(24) }

const forever = llmtest.Forever

func always(t *testing.T, answer llmtest.Answer) *llmtest.Script {
	return writer(t, 100_000, llmtest.Join(answer, llmtest.Repeat(forever)))
}

// used is a conversation of a model with the effective input of so many
// tokens, whose newest answer the provider counted at so many.
func used(effective, counted, charsAfter int) *history {
	h := emptyHistory(effective + 8192)
	h.prompted("Fix the parser.")
	for range 20 {
		h.read(950)
	}
	m := llm.NewText(llm.Assistant, llm.Final, "done")
	m.Model, m.Usage, m.Estimate = h.model.Info().ID(), &llm.Usage{Input: counted - 9, Output: 9}, counted
	h.add(event.Message{Message: m})
	if charsAfter > 0 {
		h.prompted(strings.Repeat("a b ", charsAfter/4))
	}
	return h
}

func TestReferenceAutoCompact(t *testing.T) {
	empty, good := llmtest.StopWith(llm.StopEnd), llmtest.Say("short")
	strikes := func(t *testing.T, h *history, s compact.Stage, n int) {
		t.Helper()
		for range n {
			h.auto(t, 0.85, s)
		}
	}
	runReference(t, 8, []referenceCase{
		{"01_below_the_threshold_nothing", "", func(t *testing.T) {
			h := talk(18)
			model := always(t, good)
			h.auto(t, 0.85, h.summarize(model))
			if model.Asked() != 0 {
				t.Error("a model was asked")
			}
		}},
		{"02_above_it_compresses", "", func(t *testing.T) {
			h := crowded()
			before := len(h.log.Messages())
			h.auto(t, 0.85, h.summarize(always(t, good)))
			if got := h.log.Messages(); len(got) >= before || !strings.HasPrefix(shape(got), "prompt summary ") {
				t.Errorf("the view is %s", shape(got))
			}
		}},
		{"03_three_failures_turn_it_off", "a failure is a summary that is empty, calls or does not shrink, not a fault of the provider", func(t *testing.T) {
			h := crowded()
			model := always(t, empty)
			strikes(t, h, h.summarize(model), 5)
			if model.Asked() != 3 {
				t.Errorf("asked %d times", model.Asked())
			}
		}},
		{"04_a_success_resets_the_count", "", func(t *testing.T) {
			h := crowded()
			model := writer(t, 100_000, empty, empty, good)
			strikes(t, h, h.summarize(model), 3)
			if got := h.past("summarize").Strikes; got != 0 {
				t.Errorf("%d strikes", got)
			}
		}},
		{"05_a_small_window", "windows under 20,000 tokens are not passed over: limits are shares of the window, so that small local models can be used", func(t *testing.T) {
			h := emptyHistory(8000)
			h.prompted("Fix the parser.")
			for range 12 {
				h.read(500)
			}
			h.auto(t, 0.85, h.summarize(always(t, good)))
			if got := shape(h.log.Messages()); !strings.HasPrefix(got, "prompt summary ") {
				t.Errorf("the view is %s", got)
			}
		}},
		{"06_reset_clears_count_and_flag", "it is reset by a run by hand or another model", func(t *testing.T) {
			for _, reset := range []func(h *history, s compact.Stage){
				func(h *history, s compact.Stage) { h.run(s, event.Manual) },
				func(h *history, _ compact.Stage) { h.add(event.Changed{Model: "script/other"}) },
			} {
				h := crowded()
				model := always(t, empty)
				s := h.summarize(model)
				strikes(t, h, s, 3)
				reset(h, s)
				asked := model.Asked()
				strikes(t, h, s, 1)
				if model.Asked() != asked+1 {
					t.Error("it is still off")
				}
			}
		}},
		{"07_the_providers_count_decides", "", func(t *testing.T) {
			for counted, want := range map[int]int{111_000: 1, 100_000: 0} {
				h := used(124_000, counted, 0)
				model := always(t, good)
				s := h.summarize(model)
				s.TailTokens = 3000
				h.auto(t, 0.85, s)
				if model.Asked() != want {
					t.Errorf("at %d tokens asked %d times", counted, model.Asked())
				}
			}
		}},
		{"08_and_the_estimate_of_what_came_after_it", "", func(t *testing.T) {
			for chars, want := range map[int]int{60_000: 1, 4000: 0} {
				h := used(124_000, 101_000, chars)
				model := always(t, good)
				s := h.summarize(model)
				s.TailTokens = 3000
				h.auto(t, 0.85, s)
				if model.Asked() != want {
					t.Errorf("with %d characters after it asked %d times", chars, model.Asked())
				}
			}
		}},
	})
}

func TestReferenceCompact(t *testing.T) {
	done := func(t *testing.T) change {
		t.Helper()
		did := crowded().summarized(t, llmtest.Say("Sure.\n<summary>The tagged text.</summary>"))
		if did.err != nil {
			t.Fatal(did.err)
		}
		return did
	}
	unchanged := func(t *testing.T, did change) {
		t.Helper()
		if did.err == nil || !slices.Equal(did.was, did.now) {
			t.Errorf("%v, %s", did.err, shape(did.after))
		}
	}
	says := func(answer, want string) func(t *testing.T) {
		return func(t *testing.T) {
			did := crowded().summarized(t, llmtest.Say(answer))
			if did.err != nil || !strings.HasSuffix(did.after[1].Text(), "went on.\n\n"+want) {
				t.Errorf("%v, %q", did.err, did.after[1].Text())
			}
		}
	}
	runReference(t, 19, []referenceCase{
		{"01_two_messages_nothing", "", func(t *testing.T) {
			h := talk(0)
			h.say(llm.Assistant, llm.Final, "Done.")
			unchanged(t, h.summarized(t, llmtest.Say("short")))
		}},
		{"02_41_messages_become_fewer", "", func(t *testing.T) {
			did := talk(20).summarized(t, llmtest.Say("short"))
			if len(did.before) != 41 || len(did.after) >= 41 || did.tokens(did.after...) >= did.tokens(did.before...) || strings.Count(shape(did.after), "summary") != 1 {
				t.Errorf("%d messages: %s", len(did.before), shape(did.after))
			}
		}},
		{"03_the_system_prompt_is_kept", "it is no message here, so no edit can reach it; the first prompt is kept instead", func(t *testing.T) {
			did := done(t)
			if did.view.Request.System == "" || did.after[0].Text() != "Fix the parser." {
				t.Error("the beginning is lost")
			}
		}},
		{"04_the_last_two_messages_are_kept", "", func(t *testing.T) {
			did := done(t)
			if !slices.Equal(did.was[len(did.was)-2:], did.now[len(did.now)-2:]) {
				t.Error("they were changed")
			}
		}},
		{"05_exactly_one_summary_with_the_tagged_text", "", func(t *testing.T) {
			did := done(t)
			if strings.Count(shape(did.after), "summary") != 1 || !strings.HasSuffix(did.after[1].Text(), "\n\nThe tagged text.") || strings.Contains(did.after[1].Text(), "Sure") {
				t.Errorf("%s: %q", shape(did.after), did.after[1].Text())
			}
		}},
		{"06_an_empty_answer_nothing", "", func(t *testing.T) { unchanged(t, crowded().summarized(t, llmtest.StopWith(llm.StopEnd))) }},
		{"07_a_fault_nothing", "a fault of the provider is no strike", func(t *testing.T) {
			did := crowded().summarized(t, llmtest.Fail(&llm.Error{Kind: llm.ErrServer}))
			unchanged(t, did)
			if !errors.Is(did.err, llm.ErrServer) || did.past("summarize").Strikes != 0 {
				t.Error(did.err)
			}
		}},
		{"08_kept_results_have_their_calls", "", func(t *testing.T) {
			if bad := broken(done(t).after); len(bad) > 0 {
				t.Error(bad)
			}
		}},
		{"09_kept_usage_is_stale", "", func(t *testing.T) {
			h := crowded()
			m := llm.NewText(llm.Assistant, llm.Final, "done")
			m.Model, m.Usage = h.model.Info().ID(), &llm.Usage{Input: 30_000, Output: 9}
			h.add(event.Message{Message: m})
			before := h.view("").Used
			h.summarized(t, llmtest.Say("short"))
			if after := h.view("").Used; before.Source != "usage" || after.Source != "est" || after.Stale != "compacted" {
				t.Errorf("%+v, then %+v", before, after)
			}
		}},
		{"10_a_call_and_its_result_stay_together", "", func(t *testing.T) {
			h := talk(1)
			for range 20 {
				h.read(150)
			}
			for tail := 300; tail < 2400; tail += 77 {
				s := h.summarize(always(t, llmtest.Say("short")))
				s.TailTokens = tail
				work, err := s.Edits(t.Context(), h.view(event.Manual), nil)
				if err != nil {
					t.Fatal(err)
				}
				if bad := broken(event.Apply(h.log.Messages(), work.Edits)); len(bad) > 0 {
					t.Errorf("with a tail of %d tokens %v are parted", tail, bad)
				}
			}
		}},
		{"11_thinking_two_calls_and_two_results_stay_together", "", func(t *testing.T) {
			h := talk(12)
			a, b := h.call("read_file"), h.call("read_file")
			h.answer(a, b)
			h.result(a, h.text(9000), nil)
			h.result(b, h.text(9000), nil)
			for range 2 {
				h.read(100)
			}
			did := h.summarized(t, llmtest.Say("short"))
			if got := shape(did.after); !strings.HasSuffix(got, " work result result work result work result") {
				t.Errorf("the view is %s", got)
			}
		}},
		{"12_at_least_6_messages_are_kept", "", func(t *testing.T) {
			h := talk(8)
			for range 3 {
				h.read(5000)
			}
			if did := h.summarized(t, llmtest.Say("short")); len(did.after) != 1+1+6 {
				t.Errorf("the view is %s", shape(did.after))
			}
		}},
		{"13_and_at_most_40000_tokens", "or three tenths of the window, where that is less", func(t *testing.T) {
			h := emptyHistory(400_000)
			h.prompted("Fix the parser.")
			for range 40 {
				h.read(5000)
			}
			did := h.summarized(t, llmtest.Say("short"))
			if n := did.tokens(did.after[2:]...); n > 40_000 || n < 34_000 {
				t.Errorf("%d tokens are kept", n)
			}
		}},
		{"14_tags_are_parsed", "", says("<summary>one</summary>", "one")},
		{"15_over_many_lines", "", says("<summary>\none\n\ntwo\n</summary>", "one\n\ntwo")},
		{"16_no_tags_all_of_it", "", says(" one \n", "one")},
		{"17_analysis_alone_nothing", "", func(t *testing.T) { unchanged(t, crowded().summarized(t, llmtest.Say("<analysis>hm</analysis>"))) }},
		{"18_nothing_nothing", "", func(t *testing.T) { unchanged(t, crowded().summarized(t, llmtest.Say(" "))) }},
		{"19_the_request_holds_conversation_and_tags", "analysis is not asked for, as it would use up the answer's limit", func(t *testing.T) {
			h := crowded()
			model := always(t, llmtest.Say("short"))
			h.run(h.summarize(model), event.Manual)
			req := model.Requests()[0]
			if !strings.Contains(req.System, "<summary>") || !strings.Contains(inputOf(t, model, 0), "[user]\nFix the parser.") {
				t.Error("it does not")
			}
		}},
	})
}

func TestReferenceCollapse(t *testing.T) {
	good, empty := llmtest.Say("digest"), llmtest.StopWith(llm.StopEnd)
	reads := func(h *history, n int) {
		for range n {
			h.read(1320)
		}
	}
	done := func(t *testing.T, h *history) change {
		t.Helper()
		did := h.run(h.collapse(always(t, good)), event.Threshold)
		if did.err != nil {
			t.Fatal(did.err)
		}
		return did
	}
	// halves has two spans, since neither is enough.
	halves := func() *history {
		h := talk(7)
		h.say(llm.User, llm.Summary, "[Context Summary from earlier conversation]\nolder")
		reads(h, 7)
		for range 6 {
			h.read(2200)
		}
		return h
	}
	runReference(t, 19, []referenceCase{
		{"01_below_the_threshold_nothing", "", func(t *testing.T) {
			h := talk(17)
			model := always(t, good)
			before := digests(h.log.Messages())
			h.auto(t, 0.75, h.collapse(model))
			if model.Asked() != 0 || !slices.Equal(before, digests(h.log.Messages())) {
				t.Error("a model was asked, or the view changed")
			}
		}},
		{"02_at_the_threshold_a_span_for_each_call", "", func(t *testing.T) {
			h := halves()
			model := always(t, good)
			h.auto(t, 0.75, h.collapse(model))
			if n := strings.Count(shape(h.log.Messages()), "summary"); model.Asked() != n-1 || !strings.Contains(model.Requests()[0].System, "Preserve:") {
				t.Errorf("asked %d times for %d", model.Asked(), n-1)
			}
		}},
		{"03_no_safe_span_nothing", "", func(t *testing.T) {
			h := talk(0)
			h.answer(h.call("read_file"))
			for range 6 {
				h.read(5600)
			}
			model := always(t, good)
			h.auto(t, 0.75, h.collapse(model))
			if model.Asked() != 0 || strings.Contains(shape(h.log.Messages()), "summary") {
				t.Error("a model was asked")
			}
		}},
		{"04_the_view_is_shorter_and_the_originals_stay", "", func(t *testing.T) {
			h := talk(22)
			did := done(t, h)
			said := 0
			for r, err := range h.log.Records() {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := r.Event.(event.Message); ok {
					said++
				}
			}
			if len(did.after) >= len(did.before) || said != len(did.before) || did.mutated {
				t.Errorf("%d of %d messages in view, %d in the log", len(did.after), len(did.before), said)
			}
		}},
		{"05_call_and_result_together_or_not_at_all", "", func(t *testing.T) {
			if bad := broken(done(t, talk(22)).after); len(bad) > 0 {
				t.Error(bad)
			}
		}},
		{"06_last_12_never_chosen", "", func(t *testing.T) {
			did := done(t, talk(30))
			if diff := cmp.Diff(did.was[len(did.was)-12:], did.now[len(did.now)-12:]); diff != "" {
				t.Error(diff)
			}
		}},
		{"07_the_newest_prompt_never_chosen", "what follows it may be, before the last 12: in a long turn there is nothing else", func(t *testing.T) {
			h := talk(1)
			h.prompted("Now the tests.")
			reads(h, 22)
			if did := done(t, h); !strings.HasPrefix(shape(did.after), "prompt work result prompt summary ") || did.after[3].ID != did.before[3].ID {
				t.Errorf("the view is %s", shape(did.after))
			}
		}},
		{"08_summaries_and_snips_never_chosen", "the system prompt is no message here", func(t *testing.T) {
			h := talk(5)
			h.say(llm.User, llm.Summary, "older")
			reads(h, 5)
			h.say(llm.User, llm.Snipped, "cut")
			reads(h, 12)
			did := done(t, h)
			for _, want := range []string{did.was[11], did.was[22]} {
				if !slices.Contains(did.now, want) {
					t.Errorf("%s is gone", want)
				}
			}
		}},
		{"09_the_summary_stands_in_the_place_of_the_span", "with a heading of our own; ids mean nothing to the model", func(t *testing.T) {
			did := done(t, talk(22))
			if did.after[1].Kind != llm.Summary || did.after[1].Role != llm.User || !strings.HasPrefix(did.after[1].Text(), "[Context Summary from earlier conversation]\nAn older part of the conversation was replaced by this digest of it.") {
				t.Errorf("%q", did.after[1].Text())
			}
		}},
		{"10_overlapping_spans_the_first_wins", "spans are edits, made on the view that the earlier ones left, so none can overlap", func(t *testing.T) {
			h := talk(26)
			first := done(t, h)
			reads(h, 8)
			second := done(t, h)
			if !slices.Contains(second.now, first.now[1]) || strings.Count(shape(second.after), "summary") != 2 {
				t.Errorf("the view is %s", shape(second.after))
			}
		}},
		{"11_invalid_spans_are_passed_over", "an edit whose ends are not in the view changes nothing", func(t *testing.T) {
			h := talk(22)
			did := done(t, h)
			if got := event.Apply(did.after, did.work.Edits); !slices.Equal(digests(got), did.now) || did.mutated {
				t.Error("the edits were carried out twice")
			}
		}},
		{"12_what_is_covered_is_not_chosen_again", "", func(t *testing.T) {
			h := talk(26)
			done(t, h)
			reads(h, 8)
			model := always(t, good)
			did := h.run(h.collapse(model), event.Threshold)
			if did.err != nil || strings.Contains(inputOf(t, model, 0), "digest") || strings.Contains(inputOf(t, model, 0), "file2.go") {
				t.Error("it was", did.err)
			}
		}},
		{"13_a_failing_summary_changes_nothing", "a fault of the provider does not count as a failure; an empty answer does", func(t *testing.T) {
			for answer, want := range map[string]int{"fault": 0, "empty": 1} {
				h := talk(22)
				did := h.run(h.collapse(always(t, map[string]llmtest.Answer{"fault": llmtest.Fail(&llm.Error{Kind: llm.ErrServer}), "empty": empty}[answer])), event.Threshold)
				if did.err == nil || !slices.Equal(did.was, did.now) || h.past("collapse").Strikes != want {
					t.Errorf("%s: %v, %d strikes", answer, did.err, h.past("collapse").Strikes)
				}
			}
		}},
		{"14_a_success_resets_the_failures", "", func(t *testing.T) {
			h := talk(22)
			c := h.collapse(writer(t, 100_000, empty, empty, good))
			for range 3 {
				h.run(c, event.Threshold)
			}
			if got := h.past("collapse").Strikes; got != 0 {
				t.Errorf("%d strikes", got)
			}
		}},
		{"15_a_failure_counts", "", func(t *testing.T) {
			h := talk(22)
			c := h.collapse(always(t, empty))
			h.run(c, event.Threshold)
			h.run(c, event.Threshold)
			if got := h.past("collapse").Strikes; got != 2 {
				t.Errorf("%d strikes", got)
			}
		}},
		{"16_two_spans_in_a_pass", "", func(t *testing.T) {
			if did := done(t, halves()); strings.Count(shape(did.after), "summary") != 3 || len(did.work.Edits) != 2 {
				t.Errorf("the view is %s", shape(did.after))
			}
		}},
		{"17_the_second_fails_nothing", "", func(t *testing.T) {
			h := halves()
			did := h.run(h.collapse(writer(t, 100_000, good, empty)), event.Threshold)
			if !slices.Equal(did.was, did.now) || h.past("collapse").Strikes != 1 {
				t.Errorf("%v, the view is %s", did.err, shape(did.after))
			}
		}},
		{"18_failures_turn_it_off", "after 3, and spans that were made before stay", func(t *testing.T) {
			h := talk(26)
			done(t, h)
			reads(h, 8)
			model := always(t, empty)
			for range 5 {
				h.auto(t, 0.75, h.collapse(model))
			}
			if model.Asked() != 3 || strings.Count(shape(h.log.Messages()), "summary") != 1 {
				t.Errorf("asked %d times, the view is %s", model.Asked(), shape(h.log.Messages()))
			}
		}},
		{"19_summarize_still_runs_above_its_line", "", func(t *testing.T) {
			h := talk(20)
			for range 6 {
				h.read(5000)
			}
			model := always(t, good)
			p := compact.Pipeline{Rules: []compact.Rule{{Above: 0.75, Stage: h.collapse(model)}, {Above: 0.85, Stage: h.summarize(model)}}, Meter: h.meter}
			var stages []string
			for e := range p.Compact(t.Context(), func() event.View { return h.view("") }, event.Threshold) {
				if f, ok := e.(event.Edited); ok {
					stages = append(stages, f.Stage)
					h.add(f)
				}
			}
			if !slices.Equal(stages, []string{"collapse", "summarize"}) {
				t.Errorf("worked: %v", stages)
			}
		}},
	})
}
