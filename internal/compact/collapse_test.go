package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

func (h *history) collapse(digests llm.Model) compact.Collapse {
	return compact.Collapse{Meter: h.meter, History: h.past, Digest: by(digests)}
}

const digestText = `[Context Summary from earlier conversation]
An older part of the conversation was replaced by this digest of it. What the user said in that part stands before it.

The parser was read.`

func TestCollapse(t *testing.T) {
	h := talk(5)
	h.prompted("Now the tests.")
	h.say(llm.User, llm.Note, "the branch changed")
	for range 5 {
		h.read(1320)
	}
	h.prompted("And the docs.")
	for range 10 {
		h.read(1320)
	}
	model := writer(t, 100_000, llmtest.Say("<summary>The parser was read.</summary>"))
	before := h.view("").Used
	if before.Share() < 0.7 || before.Share() > 0.85 {
		t.Fatalf("%d of %d tokens", before.Tokens, before.Window)
	}
	did := h.run(h.collapse(model), event.Threshold)
	if did.err != nil || did.mutated {
		t.Fatal(did.err, did.mutated)
	}
	if got := shape(did.after); !strings.HasPrefix(got, "prompt summary") && !strings.HasPrefix(got, "prompt prompt summary") {
		t.Errorf("the view is %s", got)
	}
	after := h.view("").Used
	if after.Share() > 0.66 || after.Share() < 0.55 {
		t.Errorf("%d of %d tokens are left", after.Tokens, after.Window)
	}
	if req := model.Requests()[0]; !strings.Contains(req.System, "Preserve:") || req.Tools != nil || req.MaxOutput != 4096 {
		t.Errorf("asked with %+v", req)
	}
	if did.work.Model != "script/writer" || did.work.Usage.Total() == 0 {
		t.Errorf("what was spent: %+v", did.work)
	}
}

func TestCollapseKeepsPromptsInTheSpan(t *testing.T) {
	h := talk(3)
	h.prompted("Now the tests.")
	h.read(1320)
	h.prompted(long("long", 3000))
	h.read(1320)
	for range 8 {
		h.say(llm.Assistant, llm.Final, h.text(3000))
	}
	h.prompted("And the docs.")
	for range 8 {
		h.read(1320)
	}
	model := writer(t, 100_000, llmtest.Say("The parser was read."))
	did := h.run(h.collapse(model), event.Threshold)
	if did.err != nil {
		t.Fatal(did.err)
	}
	if got := shape(did.after); !strings.HasPrefix(got, "prompt prompt prompt summary ") || strings.Count(got, "summary") != 1 {
		t.Fatalf("the view is %s", got)
	}
	short := did.after[2].Text()
	if did.after[0].Text() != "Fix the parser." || did.after[1].Text() != "Now the tests." || did.after[3].Text() != digestText ||
		!strings.HasPrefix(short, "long word ") || !strings.HasSuffix(short, " word end") || tokens(did.after[2]) > 2100 {
		t.Errorf("the view begins with %.300q", digests(did.after[:4]))
	}
	if in := inputOf(t, model, 0); !strings.Contains(in, "[user]\nNow the tests.\n") || !strings.Contains(in, "[user]\n"+long("long", 3000)) {
		t.Error("a prompt of the span is not in the input word for word")
	}
}

// A span ends where enough is saved; the oldest that is enough comes first,
// else the largest; never more than two.
func TestCollapsePlan(t *testing.T) {
	summary := func(h *history) { h.say(llm.User, llm.Summary, "[Context Summary from earlier conversation]") }
	snip := func(h *history) { h.say(llm.User, llm.Snipped, "[snipped]") }
	open := func(h *history) { h.answer(h.call("read_file")) }
	each := func(tokens int) func(n int) func(h *history) {
		return func(n int) func(h *history) {
			return func(h *history) {
				for range n {
					h.read(tokens)
				}
			}
		}
	}
	reads, larger := each(1320), each(2300)
	for _, c := range []struct {
		name  string
		acts  []func(h *history)
		why   event.Why
		asked int
		want  string // the shape of the view before the newest 12 messages
	}{
		{"as far as needed", []func(*history){reads(26)}, event.Threshold, 1, "prompt summary" + strings.Repeat(" work result", 8)},
		{"by hand, where there is room", []func(*history){reads(10)}, event.Manual, 1, "prompt summary work result work result"},
		{"as much when forced", []func(*history){reads(10)}, event.Forced, 1, "prompt summary work result work result"},
		{"oldest first", []func(*history){reads(4), snip, reads(4), snip, reads(6)}, event.Manual, 1, "prompt summary work result work result snip" + strings.Repeat(" work result", 4) + " snip"},
		{"the one that is enough", []func(*history){reads(1), snip, reads(4), snip, reads(6)}, event.Manual, 1, "prompt work result snip summary work result work result snip"},
		{"the two largest", []func(*history){reads(4), summary, reads(1), open, reads(7), snip, larger(6)}, event.Threshold, 2, "prompt summary" + strings.Repeat(" work result", 3) + " summary work result work summary snip"},
		{"not the newest prompt", []func(*history){reads(1), func(h *history) { h.prompted("new") }, reads(13), reads(6)}, event.Manual, 1, "prompt work result prompt summary" + strings.Repeat(" work result", 8)},
	} {
		h := talk(0)
		for _, act := range c.acts {
			act(h)
		}
		model := writer(t, 100_000, llmtest.Join(llmtest.Say("digest"), llmtest.Repeat(c.asked)))
		did := h.run(h.collapse(model), c.why)
		if did.err != nil {
			t.Errorf("%s: %v", c.name, did.err)
			continue
		}
		at, last := places(did.before), -1
		for _, e := range did.work.Edits {
			if at[e.From] <= last {
				t.Errorf("%s: the edits do not stand in order", c.name)
			}
			last = at[e.To]
		}
		if diff := cmp.Diff(digests(did.before[len(did.before)-12:]), digests(did.after[len(did.after)-12:])); diff != "" {
			t.Errorf("%s: the newest messages changed: %s", c.name, diff)
		}
		if got := shape(did.after[:len(did.after)-12]); got != c.want || model.Asked() != c.asked {
			t.Errorf("%s: asked %d times, the view is %s (%v of the window)", c.name, model.Asked(), got, h.view("").Used.Share())
		}
	}
}

func TestCollapseNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		acts func(h *history)
		want string
	}{
		{"no messages", func(h *history) { h.log = h.fresh() }, "nothing that can be digested lies before the newest 12 messages"},
		{"few messages", func(h *history) {
			for range 6 {
				h.read(2800)
			}
		}, "nothing that can be digested lies before the newest 12 messages"},
		{"prompts alone", func(h *history) {
			for range 30 {
				h.prompted(h.text(3000))
			}
		}, "nothing that can be digested lies before the newest 12 messages"},
		{"an open round alone", func(h *history) {
			h.answer(h.call("read_file"), h.call("read_file"))
			for range 12 {
				h.say(llm.User, llm.Note, h.text(3000))
			}
		}, "nothing that can be digested lies before the newest 12 messages"},
		{"too little", func(h *history) {
			h.read(1320)
			h.read(625)
			for range 6 {
				h.read(2800)
			}
		}, "a digest would free fewer than 2,000 tokens"},
	} {
		h := talk(0)
		c.acts(h)
		_, err := h.collapse(writer(t, 100_000)).Edits(t.Context(), h.view(event.Manual), nil)
		var nothing compact.Nothing
		if !errors.As(err, &nothing) || string(nothing) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// nearly is a text that takes 95 % of what the input of a request takes.
func nearly(req llm.Request) llmtest.Answer {
	return llmtest.Say(sized(tokens(req.Messages...) * 19 / 20))
}

func TestCollapseAllOrNothing(t *testing.T) {
	build := func() *history {
		h := talk(6)
		h.say(llm.User, llm.Snipped, "[snipped]")
		for range 12 {
			h.read(1320)
		}
		for range 6 {
			h.read(2200)
		}
		return h
	}
	whole := writer(t, 100_000, llmtest.Say("digest"), llmtest.Say("digest"))
	if did := build(); did.run(did.collapse(whole), event.Threshold).err != nil {
		t.Fatal("it is not two spans")
	}
	fine := llmtest.Say("digest")
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		strike  string // or a fault
	}{
		{"empty", []llmtest.Answer{llmtest.Say("<summary></summary>")}, "the summary is empty"},
		{"the second is empty", []llmtest.Answer{fine, llmtest.Say("<analysis>hm</analysis>")}, "the summary is empty"},
		{"the second calls", []llmtest.Answer{fine, llmtest.Call("read_file", "{}")}, "the model called a tool instead of writing a summary"},
		{"the first is too long", []llmtest.Answer{llmtest.Say(long("digest", 30_000))}, "the digest is not shorter than what it stands for"},
		{"the second is too long", []llmtest.Answer{fine, llmtest.Say(long("digest", 30_000))}, "the digest is not shorter than what it stands for"},
		{"both save too little", []llmtest.Answer{nearly(whole.Requests()[0]), nearly(whole.Requests()[1])}, "the digests free fewer than 2,000 tokens"},
		{"the second meets a fault", []llmtest.Answer{fine, llmtest.Fail(&llm.Error{Kind: llm.ErrOverloaded})}, ""},
	} {
		h := build()
		did := h.run(h.collapse(writer(t, 100_000, c.answers...)), event.Threshold)
		var strike compact.Strike
		if isStrike := errors.As(did.err, &strike); string(strike) != c.strike || isStrike != (c.strike != "") || did.err == nil {
			t.Errorf("%s: %v", c.name, did.err)
		}
		if len(did.work.Edits) != 0 || did.work.Usage.Total() == 0 || did.work.Model != "script/writer" {
			t.Errorf("%s: %d edits, %+v of %q", c.name, len(did.work.Edits), did.work.Usage, did.work.Model)
		}
		if diff := cmp.Diff(digests(did.before), digests(did.after)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
