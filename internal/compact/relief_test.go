package compact_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// TestGiantPromptBecomesSmallOnceItIsNotTheNewest keeps a session alive in which
// a prompt larger than the window was said.
func TestGiantPromptBecomesSmallOnceItIsNotTheNewest(t *testing.T) {
	for _, answers := range []int{0, 1} {
		h := emptyHistory(20_000)
		h.prompted("GIANT " + h.text(120_000))
		for range answers {
			h.read(100)
		}
		silent := writer(t, 100_000)
		if did := h.run(h.summarize(silent), event.Forced); !errors.As(did.err, new(compact.Nothing)) {
			t.Fatalf("the newest prompt was changed, or a model asked: %v", did.err)
		}
		h.prompted("and now?")
		did := h.run(h.summarize(silent), event.Forced)
		if did.err != nil || tokens(did.after...) > 4000 || !strings.Contains(did.after[0].Text(), "GIANT") || did.after[len(did.after)-1].Text() != "and now?" {
			t.Errorf("%d answers: %v, %d tokens are left", answers, did.err, tokens(did.after...))
		}
		if silent.Asked() != 0 {
			t.Errorf("a model was asked %d times", silent.Asked())
		}
	}
}

// TestOnlyPromptsAndResultsBecomeSmaller leaves answers whole, and summaries: a
// shorter one would be taken for a new one, which all before it goes with.
func TestOnlyPromptsAndResultsBecomeSmaller(t *testing.T) {
	h := emptyHistory(20_000)
	h.prompted("the first")
	h.say(llm.User, llm.Summary, h.text(20_000))
	h.say(llm.User, llm.Note, h.text(12_000))
	h.say(llm.Assistant, llm.Final, h.text(12_000))
	h.prompted("LONG " + h.text(12_000))
	h.prompted("and now?")
	did := h.run(h.summarize(writer(t, 100_000)), event.Forced)
	if len(did.work.Edits) != 1 || did.err != nil || shape(did.after) != shape(did.before) {
		t.Fatalf("%d edits (%v), and the view is %s", len(did.work.Edits), did.err, shape(did.after))
	}
	for i := range did.before {
		if changed := did.was[i] != did.now[i]; changed != strings.HasPrefix(did.before[i].Text(), "LONG ") {
			t.Errorf("the %s message %d is another: %v", did.before[i].Kind, i, changed)
		}
	}
}

// TestPicturesOfTheNewestAnswerGo finds a way out of an answer whose pictures are
// more than the window.
func TestPicturesOfTheNewestAnswerGo(t *testing.T) {
	h := emptyHistory(20_000)
	h.prompted("look")
	var calls []llm.ToolCall
	for range 30 {
		calls = append(calls, h.call("read_file"))
	}
	h.answer(calls...)
	for i, c := range calls {
		h.add(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
			llm.ToolResult{Call: c.ID, Name: c.Name, Parts: llm.Parts{llm.NewImage("image/png", []byte{byte(i)})}},
		}}})
	}
	did := h.run(h.summarize(writer(t, 100_000)), event.Forced)
	if n := tokens(did.after...); did.err != nil || n > 20_000*4/10 || !strings.Contains(did.after[3].Text()+resultText(did.after[3]), "read it again") {
		t.Errorf("%d tokens are left (%v): %q", n, did.err, resultText(did.after[3]))
	}
}

func resultText(m llm.Message) string {
	r, _ := m.Result()
	return r.Parts.Text()
}

// failing is a stage that meets a fault.
type failing struct{ ran *int }

func (failing) Name() string { return "failing" }

func (f failing) Edits(context.Context, event.View, func(event.Signal)) (compact.Work, error) {
	*f.ran++
	return compact.Work{Usage: llm.Usage{Input: 7}, Model: "a/b"}, &llm.Error{Kind: llm.ErrOverloaded}
}

func drain(events iter.Seq2[event.Event, error]) (facts []event.Edited, notices int, err error) {
	for e, failed := range events {
		switch e := e.(type) {
		case event.Edited:
			facts = append(facts, e)
		case event.Notice:
			notices++
		}
		err = errors.Join(err, failed)
	}
	return facts, notices, err
}

// TestFaultsRest does not wait for a dead provider before every request, tells of
// it once, and keeps what was spent.
func TestFaultsRest(t *testing.T) {
	ran, notices, spent := 0, 0, 0
	p := compact.Pipeline{Rules: []compact.Rule{{Stage: failing{&ran}}}, Told: new(compact.Told)}
	v := func() event.View { return event.View{Used: llm.Count{Tokens: 9, Window: 10}} }
	for range 23 {
		facts, told, err := drain(p.Compact(t.Context(), v, event.Threshold))
		if err != nil {
			t.Fatal(err)
		}
		notices += told
		for _, f := range facts {
			spent += f.Usage.Input
		}
	}
	if ran != 3 || notices != 1 || spent != 21 {
		t.Errorf("it ran %d times, was told %d times, and %d tokens were spent", ran, notices, spent)
	}
	if _, _, err := drain(p.Compact(t.Context(), v, event.Forced)); err != nil || ran != 4 {
		t.Errorf("forced, it ran %d times (%v)", ran-3, err)
	}
}

// only is a stage that works when it is forced.
type only struct{ h *history }

func (only) Name() string { return "only" }

func (o only) Edits(_ context.Context, v event.View, _ func(event.Signal)) (compact.Work, error) {
	if v.Why != event.Forced {
		return compact.Work{}, compact.Nothing("not now")
	}
	first := v.Request.Messages[0]
	return compact.Work{Edits: []event.Edit{{From: first.ID, To: first.ID, With: []llm.Message{llm.NewText(llm.User, llm.Prompt, "short")}}}}, nil
}

// TestNothingIsRefusedThatForceCouldMakeFit tries everything before it refuses.
func TestNothingIsRefusedThatForceCouldMakeFit(t *testing.T) {
	for _, helps := range []bool{true, false} {
		h := emptyHistory(4000)
		h.prompted(h.text(12_000))
		view := func() event.View {
			v := event.View{Request: llm.Request{Messages: h.log.Messages()}, Model: llmtest.New(t)}
			v.Used = llm.Count{Tokens: tokens(v.Request.Messages...), Window: 2500, Known: true}
			v.Used.Counted = v.Used.Tokens
			return v
		}
		p := compact.Pipeline{Rules: []compact.Rule{{Above: 0.9, Stage: compact.Refuse{Above: 0.9}}}, Told: new(compact.Told)}
		if helps {
			p.Rules = append([]compact.Rule{{Above: 0.8, Stage: only{h}}}, p.Rules...)
		}
		edits := 0
		var failed error
		for e, err := range p.Compact(t.Context(), view, event.Threshold) {
			if fact, ok := e.(event.Edited); ok {
				edits++
				h.add(fact)
			}
			failed = errors.Join(failed, err)
		}
		if errors.Is(failed, llm.ErrContextTooLong) == helps || helps != (edits == 1) {
			t.Errorf("help %v: %d edits, %v", helps, edits, failed)
		}
	}
}
