package compact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// read is an answer with one call and its result, which take so many tokens,
// whatever texts are estimated at.
func (h *history) read(size int) {
	c := h.call("read_file")
	h.answer(c)
	size -= tokens(h.log.Messages()[len(h.log.Messages())-1], llm.NewText(llm.ToolRole, llm.Resulted, "")) + 8
	chars := 3 * size
	for range 4 {
		chars = chars * size / tokens(llm.NewText(llm.ToolRole, llm.Resulted, h.text(chars)))
	}
	h.result(c, h.text(chars), again)
}

func (h *history) prompted(text string) string { return h.say(llm.User, llm.Prompt, text) }

// talk is a conversation with a window of 40,000 tokens, 32,000 of them for
// the input: a prompt and so many steps of about 1,000 tokens.
func talk(steps int) *history {
	h := emptyHistory(40_000)
	h.model.Model.MaxOutput = 8000
	h.prompted("Fix the parser.")
	for range steps {
		h.read(1320)
	}
	return h
}

func (h *history) summarize(digests llm.Model) compact.Summarize {
	return compact.Summarize{Meter: h.meter, History: h.past, Digest: by(digests)}
}

// tokens is what messages take.
func tokens(messages ...llm.Message) int { return account.Estimate(llm.Request{Messages: messages}) }

// shape is the kinds of messages, in order.
func shape(messages []llm.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, string(m.Kind))
	}
	return strings.Join(out, " ")
}

const summaryText = `[Context Summary from earlier conversation]
The conversation up to here was replaced by this summary. The user's messages before it are the first one and the newest ones of that part, word for word but for the middle of very long ones; what was done about them is in the summary. What follows it is the conversation as it went on.

It was about a parser.`

func TestSummarize(t *testing.T) {
	h := talk(20)
	h.prompted("Now the tests.")
	h.read(1320)
	c := h.call("read_file")
	h.answer(c)
	h.result(c, "seen", func(r *llm.ToolResult) { r.Meta.Read = []llm.FileRead{{Path: "/work/a.go", SHA256: "1"}} })
	for range 8 {
		h.read(1320)
	}
	model := writer(t, 100_000, llmtest.Say("<summary>It was about a parser.</summary>"))
	s := h.summarize(model)
	s.Focus = "the tests"
	s.Keep = func(event.View) []llm.Message {
		return []llm.Message{{ID: "kept", Role: llm.User, Kind: llm.Note, Parts: llm.Parts{text("mode: plan")}}}
	}
	did := h.run(s, event.Threshold)
	if did.err != nil || did.mutated {
		t.Fatal(did.err, did.mutated)
	}
	if got, want := shape(did.after), "prompt prompt summary note"+strings.Repeat(" work result", 7); got != want {
		t.Fatalf("the view is %s", got)
	}
	if len(did.work.Edits) != 1 || did.work.Model != "script/writer" || did.work.Usage.Total() == 0 {
		t.Errorf("%d edits, %+v of %q", len(did.work.Edits), did.work.Usage, did.work.Model)
	}
	for i, want := range []string{"Fix the parser.", "Now the tests.", summaryText, "mode: plan"} {
		if got := did.after[i].Text(); got != want {
			t.Errorf("message %d is %q", i, got)
		}
	}
	if did.after[0].Time != did.before[0].Time || did.after[1].Time.Before(did.after[0].Time) || did.after[3].ID == "kept" {
		t.Error("a prompt lost its time, or a note brought an id")
	}
	if diff := cmp.Diff(did.before[len(did.before)-14:], did.after[4:], cmpopts.IgnoreFields(llm.Message{}, "Stale")); diff != "" {
		t.Error("the tail is not what it was:", diff)
	}
	// The log takes it for a boundary: what was read before it does not count.
	if len(h.log.Stamps()) != 0 {
		t.Error("a file that only the summary knows counts as read")
	}
	req := model.Requests()[0]
	for _, want := range []string{"1. Primary Request:", "2. Key Decisions:", "3. Files Modified:", "4. Errors Encountered:", "5. Current State:", "6. Pending Tasks:", "mind above all:\nthe tests"} {
		if !strings.Contains(req.System, want) {
			t.Errorf("%q is not asked for", want)
		}
	}
	in := inputOf(t, model, 0)
	if !strings.Contains(in, "[user]\nFix the parser.\n") || !strings.Contains(in, "[user]\nNow the tests.\n") || strings.Contains(in, string(did.after[4].Calls()[0].Args)) {
		t.Error("the input is not the part that is replaced")
	}
}

func TestSummarizeTail(t *testing.T) {
	for _, c := range []struct {
		name    string
		setting int
		sizes   []int // tokens of one round each, newest last
		batch   int   // calls of the newest answer besides
		want    int   // messages of the tail
	}{
		{"three tenths of the window", 0, []int{2200, 2200, 2200, 2200, 2200, 2200, 2200, 2200}, 0, 8},
		{"the setting", 5000, []int{950, 950, 950, 950, 950, 950, 950, 950, 950, 950}, 0, 10},
		{"a larger setting counts for nothing", 40_000, []int{2200, 2200, 2200, 2200, 2200, 2200, 2200, 2200}, 0, 8},
		{"at least 6 messages", 1000, []int{2800, 2800, 2800, 2800, 2800}, 0, 6},
		{"at least the newest round", 1000, []int{2800, 2800, 2800, 2800}, 9, 10},
		{"nothing is skipped to take something smaller", 0, []int{125, 125, 12_500, 2200, 2200, 2200, 2200}, 0, 8},
	} {
		h := talk(0)
		for _, n := range c.sizes {
			h.read(n)
		}
		if c.batch > 0 {
			var calls []llm.ToolCall
			for range c.batch {
				calls = append(calls, h.call("read_file"))
			}
			h.answer(calls...)
			for _, call := range calls {
				h.result(call, h.text(3000), nil)
			}
		}
		s := h.summarize(writer(t, 100_000, llmtest.Say("short")))
		s.TailTokens = c.setting
		did := h.run(s, event.Manual)
		if did.err != nil {
			t.Errorf("%s: %v", c.name, did.err)
		} else if got := len(did.after) - 2; got != c.want {
			t.Errorf("%s: %d messages are left alone, want %d", c.name, got, c.want)
		}
	}
}

// A prompt and notes at the end do not push out the answer that they follow.
func TestSummarizeTailHoldsTheNewestAnswer(t *testing.T) {
	h := talk(12)
	for range 7 {
		h.say(llm.User, llm.Note, h.text(8000))
	}
	did := h.run(h.summarize(writer(t, 100_000, llmtest.Say("short"))), event.Manual)
	if got := shape(did.after); got != "prompt summary work result"+strings.Repeat(" note", 7) {
		t.Errorf("the view is %s (%v)", got, did.err)
	}
}

func TestSummarizePersistsTheLargestOfTheTail(t *testing.T) {
	build := func() (*history, [5]string) {
		h := talk(12)
		var calls []llm.ToolCall
		for range 5 {
			calls = append(calls, h.call("read_file"))
		}
		h.answer(calls...)
		var texts [5]string
		for i, n := range []int{9000, 30_000, 8000, 22_000, 6000} {
			texts[i] = strings.TrimSpace(h.text(n))
			h.result(calls[i], texts[i], again)
		}
		return h, texts
	}
	dir := filepath.Join(t.TempDir(), "results")
	for _, c := range []struct {
		name    string
		offload *compact.Offload
		want    [5]bool // which are persisted
	}{
		{"files", ptr(offload(dir, 50_000, 200_000)), [5]bool{false, true, false, true, false}},
		{"no place for files", ptr(offload("", 50_000, 200_000)), [5]bool{}},
		{"no offload", nil, [5]bool{}},
	} {
		h, texts := build()
		s := h.summarize(writer(t, 100_000, llmtest.Say("short")))
		s.Offload = c.offload
		did := h.run(s, event.Forced)
		if did.err != nil {
			t.Fatal(c.name, did.err)
		}
		if got := shape(did.after); got != "prompt summary work result result result result result" {
			t.Fatalf("%s: the view is %s", c.name, got)
		}
		for i, m := range did.after[3:] {
			r, _ := m.Result()
			persisted := strings.HasPrefix(r.Parts.Text(), "<persisted-output>")
			if persisted != c.want[i] || !persisted && r.Parts.Text() != texts[i] || !r.Meta.Again {
				t.Errorf("%s: result %d is now %.40q", c.name, i, r.Parts.Text())
			}
			if persisted {
				saved, err := os.ReadFile(r.Meta.Saved)
				if string(saved) != texts[i] || filepath.Base(r.Meta.Saved) != r.Call+".txt" {
					t.Errorf("%s: %s does not hold the result (%v)", c.name, r.Meta.Saved, err)
				}
			}
		}
		if n := tokens(did.after[2:]...); c.name == "files" && n > 32_000*3/10 {
			t.Errorf("the tail takes %d tokens", n)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// long is a text of so many words, which are about as many tokens.
func long(name string, n int) string { return name + strings.Repeat(" word", n-2) + " end" }

// sized is a text that is estimated at so many tokens.
func sized(n int) string {
	const sample = 1000
	return long("text", n*sample/tokens(llm.NewText(llm.User, llm.Summary, long("text", sample))))
}

func (h *history) summarized(t *testing.T, answer llmtest.Answer) change {
	return h.run(h.summarize(always(t, answer)), event.Manual)
}

func TestSummarizeKeepsPrompts(t *testing.T) {
	picture := llm.NewImage("image/png", []byte("x"))
	type said struct {
		text    string
		picture bool
	}
	for _, c := range []struct {
		name    string
		prompts []said
		tail    string // a prompt in the tail
		want    []string
	}{
		{"one", []said{{text: "only"}}, "", []string{"only"}},
		{"one that is in the tail as well", []said{{text: "first"}}, "newest", []string{"first"}},
		{"all", []said{{text: "a"}, {text: "b"}, {text: "c"}}, "", []string{"a", "b", "c"}},
		{
			"a tenth",
			[]said{{text: "first"}, {text: "second"}, {text: long("third", 1300)}, {text: long("fourth", 1300)}, {text: "fifth"}},
			"",
			[]string{"first", "second", long("third", 1300), long("fourth", 1300), "fifth"},
		},
		{
			"more than a tenth",
			[]said{{text: "first"}, {text: "second"}, {text: long("third", 1800)}, {text: long("fourth", 1800)}, {text: "fifth"}},
			"",
			[]string{"first", long("fourth", 1800), "fifth"},
		},
		{
			"long ones",
			[]said{{text: long("first", 4000)}, {text: long("second", 4000)}, {text: long("third", 4000)}},
			"",
			[]string{"head and tail of first", "head and tail of third"},
		},
		{"a long one in the tail", []said{{text: "first"}}, long("newest", 4000), []string{"first"}},
		{"pictures", []said{{"first", true}, {"second", true}, {"third", true}}, "", []string{"first(an image was here)", "second(an image was here)", "third (image)"}},
		{"pictures alone", []said{{"", true}, {"", true}}, "", []string{"(an image was here)", " (image)"}},
		{"pictures, and the newest is in the tail", []said{{"first", true}}, "newest", []string{"first(an image was here)"}},
	} {
		h := talk(0)
		h.log = h.fresh()
		for _, p := range c.prompts {
			m := llm.Message{Role: llm.User, Kind: llm.Prompt}
			if p.text != "" {
				m.Parts = append(m.Parts, text(p.text))
			}
			if p.picture {
				m.Parts = append(m.Parts, picture)
			}
			h.add(event.Message{Message: m})
			h.read(2800)
			h.say(llm.User, llm.Nudge, "go on")
		}
		h.read(2800)
		h.read(9400)
		h.read(2500)
		if c.tail != "" {
			h.prompted(c.tail)
		}
		h.read(2500)
		h.read(2500)
		model := writer(t, 100_000, llmtest.Say("short"))
		did := h.run(h.summarize(model), event.Manual)
		if did.err != nil {
			t.Errorf("%s: %v", c.name, did.err)
			continue
		}
		at := strings.Index(shape(did.after), " summary")
		at = strings.Count(shape(did.after)[:at], " ") + 1
		var got []string
		for _, m := range did.after[:at] {
			s := m.Text()
			if strings.Contains(s, " characters left out ...]\n") && strings.HasSuffix(s, " word end") && tokens(m) <= 2100 {
				s = "head and tail of " + strings.Fields(s)[0]
			}
			for _, p := range m.Parts {
				if _, ok := p.(llm.Image); ok {
					s += " (image)"
				}
			}
			if m.Kind != llm.Prompt || m.Role != llm.User {
				t.Errorf("%s: a %s stands before the summary", c.name, m.Kind)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for _, p := range c.prompts {
			if in := inputOf(t, model, 0); !strings.Contains(in, "[user]\n"+p.text) {
				t.Errorf("%s: %.20q is not in the input word for word", c.name, p.text)
			}
		}
		if c.tail != "" && strings.Count(shape(did.after[at:]), "prompt") != 1 {
			t.Errorf("%s: the newest prompt is not in the tail once", c.name)
		}
	}
}

func TestSummarizeTwice(t *testing.T) {
	h := talk(20)
	h.prompted("Now the tests.")
	for range 12 {
		h.read(1320)
	}
	model := writer(t, 100_000, llmtest.Say("<summary>SUMMARY ONE\n"+h.text(400)+"</summary>"), llmtest.Say("SUMMARY TWO"))
	s := h.summarize(model)
	s.Keep = func(event.View) []llm.Message { return []llm.Message{llm.NewText(llm.User, llm.Note, "mode: plan")} }
	first := h.run(s, event.Threshold)
	h.prompted("And the docs.")
	for range 20 {
		h.read(1320)
	}
	second := h.run(s, event.Threshold)
	if first.err != nil || second.err != nil {
		t.Fatal(first.err, second.err)
	}
	if got := shape(second.after); !strings.HasPrefix(got, "prompt prompt prompt summary note work result ") || strings.Count(got, "summary") != 1 || strings.Count(got, "note") != 1 {
		t.Errorf("the view is %s", got)
	}
	for i, want := range []string{"Fix the parser.", "Now the tests.", "And the docs."} {
		if got := second.after[i].Text(); got != want {
			t.Errorf("prompt %d is %q", i, got)
		}
	}
	if !strings.HasSuffix(second.after[3].Text(), "\n\nSUMMARY TWO") {
		t.Errorf("the summary is %q", second.after[3].Text())
	}
	if in := inputOf(t, model, 1); !strings.Contains(in, "[summary of an earlier part]\n"+first.after[2].Text()+"\n\n") {
		t.Error("the first summary is not in the input of the second, whole")
	}
}

func TestSummarizeStopsInARow(t *testing.T) {
	h := talk(30)
	model := writer(t, 100_000, llmtest.Join(llmtest.Say("short"), llmtest.Repeat(3)))
	s := h.summarize(model)
	row := 0
	s.History = func(string) compact.Past { return compact.Past{Steps: 1, Row: row} }
	for _, c := range []struct {
		row  int
		why  event.Why
		asks bool
	}{{1, event.Threshold, true}, {2, event.Threshold, false}, {2, event.Forced, false}, {2, event.Manual, true}, {1, event.Forced, true}} {
		row = c.row
		asked := model.Asked()
		_, err := s.Edits(t.Context(), h.view(c.why), nil)
		var nothing compact.Nothing
		if (model.Asked() > asked) != c.asks || !c.asks && !errors.As(err, &nothing) {
			t.Errorf("%d in a row, %s: asked %v, %v", c.row, c.why, model.Asked() > asked, err)
		}
	}
}

func TestSummarizeStrikes(t *testing.T) {
	big := strings.Repeat("word ", 30_000)
	for _, c := range []struct {
		name   string
		answer llmtest.Answer
		strike string
	}{
		{"empty", llmtest.StopWith(llm.StopEnd), "the summary is empty"},
		{"analysis", llmtest.Say("<analysis>hm</analysis>"), "the summary is empty"},
		{"call", llmtest.Call("read_file", "{}"), "the model called a tool instead of writing a summary"},
		{"not smaller", llmtest.Say(big), "the summary is not enough shorter than what it stands for"},
	} {
		h := talk(24)
		did := h.run(h.summarize(writer(t, 100_000, c.answer)), event.Threshold)
		var strike compact.Strike
		if !errors.As(did.err, &strike) || string(strike) != c.strike {
			t.Errorf("%s: %v", c.name, did.err)
		}
		if diff := cmp.Diff(did.before, did.after); diff != "" || len(did.work.Edits) != 0 {
			t.Errorf("%s: the view is another: %s", c.name, diff)
		}
		if did.work.Usage.Total() == 0 || did.work.Model != "script/writer" {
			t.Errorf("%s: what was spent is not told: %+v", c.name, did.work)
		}
		if h.past("summarize").Strikes != 1 {
			t.Errorf("%s: it does not count", c.name)
		}
	}
}

// A summary that frees a little is enough for who asked for it, or must have
// it, and not else.
func TestSummarizeMustBeWorthIt(t *testing.T) {
	short := talk(18).summarized(t, llmtest.Say("short"))
	most := short.tokens(short.before...) - short.tokens(short.after...)
	for _, why := range []event.Why{event.Threshold, event.Forced, event.Manual} {
		h := talk(18)
		before := tokens(h.log.Messages()...)
		s := h.summarize(writer(t, 100_000, llmtest.Say(sized(most-700))))
		did := h.run(s, why)
		var strike compact.Strike
		if why == event.Threshold && !errors.As(did.err, &strike) || why != event.Threshold && did.err != nil {
			t.Errorf("%s: %v", why, did.err)
		}
		if saved := before - tokens(did.after...); did.err == nil && (saved <= 0 || saved > 1600) {
			t.Errorf("%s: %d tokens were saved, so the test shows nothing", why, saved)
		}
	}
}

func TestSummarizeNothing(t *testing.T) {
	small := func(messages func(h *history)) func() *history {
		return func() *history {
			h := talk(0)
			messages(h)
			return h
		}
	}
	for _, c := range []struct {
		name  string
		build func() *history
		why   event.Why
		want  string
	}{
		{"no messages", func() *history { return emptyHistory(40_000) }, event.Manual, "not enough conversation to summarize"},
		{"a prompt", small(func(*history) {}), event.Manual, "not enough conversation to summarize"},
		{"prompts alone", small(func(h *history) {
			for range 20 {
				h.prompted(h.text(900))
			}
		}), event.Manual, "not enough conversation to summarize"},
		{"one answer before the tail", small(func(h *history) {
			for range 4 {
				h.read(6250)
			}
		}), event.Manual, "not enough conversation to summarize"},
		{"less than a twentieth before the tail", small(func(h *history) {
			for range 3 {
				h.read(150)
			}
			for range 3 {
				h.read(2800)
			}
		}), event.Threshold, "a summary would free too little"},
		{"nothing at all before the tail", small(func(h *history) {
			for range 3 {
				h.say(llm.Assistant, llm.Final, "ok")
			}
			for range 3 {
				h.read(2800)
			}
		}), event.Manual, "a summary would free too little"},
	} {
		h := c.build()
		s := h.summarize(writer(t, 100_000)) // who asks gets no answer
		s.TailTokens = 6500
		_, err := s.Edits(t.Context(), h.view(c.why), nil)
		var nothing compact.Nothing
		if !errors.As(err, &nothing) || string(nothing) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestStrikesTurnOff(t *testing.T) {
	for _, name := range []string{"summarize", "collapse"} {
		for _, c := range []struct {
			strikes int
			why     event.Why
			off     bool
		}{{2, event.Threshold, false}, {3, event.Threshold, true}, {4, event.Threshold, true}, {3, event.Forced, false}, {9, event.Manual, false}} {
			h := talk(30)
			model := writer(t, 100_000, llmtest.Join(llmtest.Say("short"), llmtest.Repeat(llmtest.Forever)))
			past := func(stage string) compact.Past {
				if stage != name {
					t.Errorf("%s looks at what %s did", name, stage)
				}
				return compact.Past{Steps: -1, Strikes: c.strikes}
			}
			stage := map[string]compact.Stage{
				"summarize": compact.Summarize{History: past, Digest: by(model)},
				"collapse":  compact.Collapse{History: past, Digest: by(model)},
			}[name]
			work, err := stage.Edits(t.Context(), h.view(c.why), nil)
			var nothing compact.Nothing
			if c.off && (!errors.As(err, &nothing) || !strings.HasPrefix(err.Error(), "switched off after 3 failures in a row") || model.Asked() != 0) {
				t.Errorf("%s after %d, %s: %v, asked %d times", name, c.strikes, c.why, err, model.Asked())
			}
			if !c.off && (err != nil || len(work.Edits) == 0) {
				t.Errorf("%s after %d, %s: %v", name, c.strikes, c.why, err)
			}
		}
	}
}

// Three strikes in a row count in the log as well, and a success clears them.
func TestStrikesInTheLog(t *testing.T) {
	h := talk(30)
	model := writer(t, 100_000)
	s := h.summarize(model)
	for i, c := range []struct {
		answer llmtest.Answer
		why    event.Why
		want   int
	}{
		{llmtest.Say(""), event.Threshold, 1},
		{llmtest.Say(""), event.Forced, 2},
		{llmtest.Fail(&llm.Error{Kind: llm.ErrRateLimited}), event.Threshold, 2},
		{llmtest.Say(""), event.Threshold, 3},
		{nil, event.Threshold, 3},
		{llmtest.Say(""), event.Manual, 0},
		{llmtest.Say(""), event.Threshold, 1},
		{llmtest.Say("short"), event.Threshold, 0},
	} {
		if c.answer != nil {
			model.Add(llmtest.Join(c.answer, llmtest.StopWith(llm.StopEnd)))
		}
		h.run(s, c.why)
		if got := h.past("summarize").Strikes; got != c.want {
			t.Errorf("after run %d there are %d strikes, want %d", i+1, got, c.want)
		}
	}
}

// The model that writes summaries may have a far smaller window.
func TestSummarizeByASmallerModel(t *testing.T) {
	h := emptyHistory(200_000)
	h.prompted("Fix the parser. " + long("prompt", 800))
	for range 40 {
		h.read(5000)
	}
	model := writer(t, 8000, llmtest.Say("short"))
	did := h.run(h.summarize(model), event.Threshold)
	if did.err != nil {
		t.Fatal(did.err)
	}
	assertFits(t, model, 0)
	if req := model.Requests()[0]; req.MaxOutput != 700 || !strings.Contains(inputOf(t, model, 0), did.before[0].Text()) {
		t.Errorf("at most %d tokens, or the prompt is not whole", req.MaxOutput)
	}
	model = writer(t, 500)
	_, err := h.summarize(model).Edits(t.Context(), h.view(event.Threshold), nil)
	if err == nil || model.Asked() != 0 {
		t.Errorf("asked %d times: %v", model.Asked(), err)
	}
}

// Each answer tells how far the estimate is off; sizes and limits follow it.
func TestSummarizeCountsInTheProvidersTokens(t *testing.T) {
	var kept []int
	for _, ratio := range []float64{1, 2} {
		h := talk(30)
		req := h.view("").Request
		m := llm.NewText(llm.Assistant, llm.Progress, "so far")
		m.Model, m.Estimate = h.model.Info().ID(), account.Estimate(req)
		m.Usage = &llm.Usage{Input: int(ratio * float64(m.Estimate)), Output: 5}
		h.add(event.Message{Message: m})
		did := h.run(h.summarize(writer(t, 100_000, llmtest.Say("short"))), event.Manual)
		if did.err != nil {
			t.Fatal(did.err)
		}
		kept = append(kept, len(did.after))
	}
	if kept[1] > kept[0]*2/3 {
		t.Errorf("%d messages are kept where tokens are twice as many, else %d", kept[1], kept[0])
	}
}

func TestSummarizeIsTheSameForTheSameView(t *testing.T) {
	seen := ""
	for range 3 {
		h := talk(25)
		h.prompted("Now the tests.")
		h.read(2800)
		s := h.summarize(writer(t, 100_000, llmtest.Say("short")))
		s.Offload = ptr(offload("/nowhere/at/all", 9, 9))
		work, err := s.Edits(t.Context(), h.view(event.Manual), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(work.Edits)
		if seen != "" && got != seen {
			t.Errorf("%s\nwas\n%s", got, seen)
		}
		seen = got
	}
}
