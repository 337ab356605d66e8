package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

const cleared = "[Output cleared for context space]"

func TestReferenceMicrocompact(t *testing.T) {
	const six = "p1 r1 r2 r3 r4 r5 r6"
	t.Run("1_below_its_line_nothing", func(t *testing.T) {
		d := draw(200_000, six)
		p := compact.Pipeline{Rules: []compact.Rule{{Above: 0.5, Stage: compact.Clear{}}}}
		for e, err := range p.Compact(t.Context(), func() event.View { return d.view("") }, event.Threshold) {
			t.Errorf("it did something: %v, %v", e, err)
		}
	})
	t.Run("2_above_it_all_but_three", func(t *testing.T) {
		d := draw(5000, six)
		var e event.Edited
		p := compact.Pipeline{Rules: []compact.Rule{{Above: 0.5, Stage: compact.Clear{}}}}
		for f, err := range p.Compact(t.Context(), func() event.View { return d.view("") }, event.Threshold) {
			if edited, ok := f.(event.Edited); ok && err == nil {
				e = edited
				d.add(e)
			}
		}
		if got := d.shape(d.log.Messages()); got != "p1 r1! - r2! - r3! - r4 r5 r6" || len(d.log.Messages()) != 13 {
			t.Errorf("the view is %s", got)
		}
		used := d.view("").Used.Tokens
		if off := used - e.After; off < -3 || off > 3 || used >= e.Before-1000 {
			t.Errorf("it counts %d tokens; the record says %d after %d", used, e.After, e.Before)
		}
	})
	t.Run("3_writes_untouched", func(t *testing.T) {
		clears(t, event.Forced, "p1 w1 f1 w2 r1 w3 w4 r2 r3 r4", "p1 w1 f1 w2 r1! - w3 w4 r2 r3 r4")
	})
	t.Run("4_input_not_changed", func(t *testing.T) {
		d := draw(5000, six)
		if c := d.run(compact.Clear{}, event.Forced); !changed(c) || c.mutated {
			t.Errorf("changed: %v, the messages given: %v", changed(c), c.mutated)
		}
	})
	t.Run("5_all_cleared_already", func(t *testing.T) {
		d := draw(5000, six)
		d.run(compact.Clear{}, event.Forced)
		if c := d.run(compact.Clear{}, event.Forced); changed(c) || !errors.As(c.err, new(compact.Nothing)) {
			t.Errorf("the second time it does %v, %v", c.work.Edits, c.err)
		}
	})
}

// clears wants a view after clearing, in a small window.
func clears(t *testing.T, why event.Why, words, want string) change {
	t.Helper()
	d := draw(5000, words)
	c := d.run(compact.Clear{}, why)
	if got := d.shape(c.after); got != want {
		t.Errorf("%s becomes\n%s, want\n%s\n(%v)", words, got, want, c.err)
	}
	return c
}

func TestClear(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"the two newest rounds", "p1 x1 x2 x3", "p1 x1! - x2 x3"},
		{"and three results", "p1 r1 r2 r3 w1 w2", "p1 r1 r2 r3 w1 w2"},
		{"three of several rounds", "p1 r1 r2 x1 w1 w2", "p1 r1! - r2! - x1 w1 w2"},
		{"cleared ones are not among the three", "p1 r1 r2 r3 c1 c2 r4 r5", "p1 r1! - r2! - r3 c1 c2 r4 r5"},
		{"no answer has followed", "p1 r1 x1", "p1 r1 x1"},
		{"answers without calls are no rounds with results", "p1 x1 x2 x3 a1 p2 a2 p3 a3", "p1 x1! - x2 x3 a1 p2 a2 p3 a3"},
		{"a note is no result", "s1 n1 p1 r1 r2 k1 r3 u1 r4 r5", "s1 n1 p1 r1! - r2! - k1 r3 u1 r4 r5"},
		{"a call without result", "p1 r1 r2 r3 o1 r4 p2 o2", "p1 r1! - r2 r3 o1 r4 p2 o2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clears(t, event.Manual, c.words, strings.Replace(c.want, "x1! -", "x1! - - -", 1)) // three results of one answer
		})
	}
}

func TestClearLeavesTheRestOfAResult(t *testing.T) {
	d := draw(8000, "p1")
	call := d.call("read_file")
	d.answer(call)
	exit := 3
	meta := llm.Meta{Again: true, Read: []llm.FileRead{{Path: "/a", SHA256: "00", Whole: true}}, Exit: &exit, Saved: "/s/1.txt", Size: 90_000}
	d.result(call, d.text(3000), func(r *llm.ToolResult) {
		r.Error, r.Meta = true, meta
		r.Parts = append(r.Parts, llm.NewImage("image/png", []byte{1}))
	})
	d.more("r1 r2 r3")
	c := d.run(compact.Clear{}, event.Threshold)
	if !changed(c) {
		t.Fatal(c.err)
	}
	want := llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Time: c.before[2].Time, Parts: llm.Parts{
		llm.ToolResult{Call: call.ID, Name: "read_file", Parts: llm.Parts{llm.Text{Text: cleared}}, Error: true, Meta: meta},
	}}
	got := c.after[2]
	got.ID, got.Stale = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the cleared result (-want +got):\n%s", diff)
	}
}

func TestClearInBatches(t *testing.T) {
	const words = "p1 r1 r2 r3 r4" // one result of some 400 tokens can go
	for _, c := range []struct {
		name   string
		window int // of which three quarters are input
		why    event.Why
		want   bool
	}{
		{"five in a hundred", 9000, event.Threshold, true},
		{"less", 14_000, event.Threshold, false},
		{"less, and the provider says it is too long", 14_000, event.Forced, true},
		{"less, by hand", 14_000, event.Manual, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := draw(c.window, words).run(compact.Clear{}, c.why)
			if changed(got) != c.want {
				t.Errorf("cleared: %v (%v)", changed(got), got.err)
			}
		})
	}
}

func TestClearPassesOverSmallResults(t *testing.T) {
	d := draw(5000, "p1")
	for _, text := range []string{"ok", cleared, strings.Repeat("a ", 4), d.text(200)} {
		c := d.call("list_files")
		d.answer(c)
		d.result(c, text, again)
	}
	d.more("r1 r2 r3")
	c := d.run(compact.Clear{}, event.Forced)
	if len(c.work.Edits) != 1 || c.work.Edits[0].From != c.before[8].ID {
		t.Errorf("%d results were cleared, want the one of 200 characters", len(c.work.Edits))
	}
}

func TestClearSaysWhyNot(t *testing.T) {
	for words, want := range map[string]string{
		"":               "no older result is left that could be had again",
		"p1 w1 w2 w3 a1": "no older result is left that could be had again",
		"p1 r1 r2 r3 r4": "the older results that could be had again take too little room",
	} {
		if c := draw(200_000, words).run(compact.Clear{}, event.Threshold); c.err == nil || c.err.Error() != want {
			t.Errorf("%q: %v", words, c.err)
		}
	}
}
