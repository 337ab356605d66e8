package compact_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// snips wants a view after a snip.
func snips(t *testing.T, window int, why event.Why, words, want string) (drawn, change) {
	t.Helper()
	d := draw(window, words)
	c := d.run(compact.Snip{Meter: d.meter, History: d.past}, why)
	if got := d.shape(c.after); got != want {
		t.Errorf("%s becomes\n%s, want\n%s\n(%v)", words, got, want, c.err)
	}
	return d, c
}

const (
	full  = 4000    // a window in which all that can go must go
	roomy = 200_000 // one in which 2,000 tokens are enough
	// The newest messages, which stay: twelve.
	newest = " ra rb rc rd re rf"
)

func TestReferenceSnip(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"01_system_kept", "k1 p1 b1 b2 b3 k2" + newest, "p1 #" + newest},
		{"02_summary_kept", "s1 b1 b2 b3 s2" + newest, "s1 # s2" + newest},
		{"03_newest_12_kept", "b1 b2 b3 b4 b5 b6 b7 b8 b9", "# b4 b5 b6 b7 b8 b9"},
		{"03_newest_12_as_whole_rounds", "b1 b2 b3 b4 b5 b6 b7 b8 x1 a1", "# b5 b6 b7 b8 x1 a1"},
		{"04_newest_prompt_kept", "b1 b2 p1 b3 b4 b5" + newest, "p1 #" + newest},
		{"04_newest_prompt_kept_if_long", "b1 b2 l1 b3 b4 b5" + newest, "l1 #" + newest},
		{"05_pair_not_split", "k1 b1 b2 k2 b3 k3" + newest, "#" + newest},
		{"05_parallel_calls_not_split", "x1 x2 x3 x4" + newest, "#" + newest},
		{"06_open_call_kept", "b1 b2 b3 o1 b4 b5 b6" + newest, "# o1 b4 b5 b6" + newest},
		{"06_stray_result_kept", "b1 b2 b3 k1 d1 b4 b5 b6" + newest, "# d1 b4 b5 b6" + newest},
		{"07_write_and_neighbours_kept", "b1 b2 b3 b4 w1 b5 r1 r2 r3" + newest, "# b4 w1 b5 r1 r2 r3" + newest},
		{"07_write_among_the_newest", "b1 b2 b3 b4 w1 rb rc rd re rf", "# b4 w1 rb rc rd re rf"},
		{"08_error_and_neighbours_kept", "r1 r2 r3 r4 f1 b4 b5 b6 b7" + newest, "r1 r2 r3 r4 f1 b4 #" + newest},
		{"10_one_run_and_one_note", "b1 b2 b3 f1 b4 b5 b6 b7 b8 k1" + newest, "b1 b2 b3 f1 b4 #" + newest},
		{"12_too_few_messages", "b1 b2" + newest, "b1 b2" + newest},
		{"12_too_few_tokens", "k1 k2 k3 k4 k5 k6 k7" + newest, "k1 k2 k3 k4 k5 k6 k7" + newest},
		{"13_only_writes", "w1 w2 w3 w4 w5 w6" + newest, "w1 w2 w3 w4 w5 w6" + newest},
		{"13_no_run_of_six", "b1 b2 f1 b3 b4 b5 w1 b6 b7" + newest, "b1 b2 f1 b3 b4 b5 w1 b6 b7" + newest},
		{"14_earlier_note_kept", "b1 b2 b3 n1 r1 r2 r3 r4" + newest, "# n1 r1 r2 r3 r4" + newest},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, got := snips(t, full, event.Threshold, c.words, c.want)
			before, after := d.meter.Estimate(llm.Request{Messages: got.before}), d.meter.Estimate(llm.Request{Messages: got.after})
			if c.words != c.want && after > before-2000 {
				t.Errorf("11_tokens_fall: %d became %d", before, after)
			}
			if c.words == c.want && !errors.As(got.err, new(compact.Nothing)) {
				t.Errorf("the reason is %v", got.err)
			}
		})
	}
	t.Run("09_words_protect_nothing", func(t *testing.T) {
		d := draw(full, "")
		for range 4 {
			c := d.call("run_command")
			d.answer(c)
			d.result(c, "error: traceback, permission denied; failed\n"+d.text(3000), again)
		}
		d.more("ra rb rc rd re rf")
		if c := d.run(compact.Snip{}, event.Threshold); !changed(c) || len(c.after) != 13 {
			t.Errorf("%d messages are left: %v", len(c.after), c.err)
		}
	})
	t.Run("15_clearing_leaves_the_note", func(t *testing.T) {
		d, c := snips(t, full, event.Threshold, "p1 b1 b2 b3"+newest+" rg rh", "p1 # rc rd re rf rg rh")
		note := c.now[1]
		if c := d.run(compact.Clear{}, event.Forced); !changed(c) || c.now[1] != note {
			t.Errorf("the note was changed (%v)", c.err)
		}
	})
	t.Run("16_no_summary_after_it", func(t *testing.T) {
		d := draw(32_000, "p1 b1 b2 b3 b4 b5"+newest)
		silent := llmtest.New(t) // fails the test when it is asked
		digest := compact.Digest{Model: func() llm.Model { return silent }}
		p := compact.Pipeline{Rules: []compact.Rule{
			{Above: 0.70, Stage: compact.Snip{History: d.past}},
			{Above: 0.75, Stage: compact.Collapse{History: d.past, Digest: digest}},
			{Above: 0.85, Stage: compact.Summarize{History: d.past, Digest: digest}},
		}}
		if share := d.view("").Used.Share(); share < 0.85 {
			t.Fatalf("only %.2f in use", share)
		}
		var stages []string
		for e, err := range p.Compact(t.Context(), func() event.View { return d.view("") }, event.Threshold) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := e.(event.Edited); ok {
				stages = append(stages, e.Stage)
				d.add(e)
			}
		}
		if fmt.Sprint(stages) != "[snip]" || d.view("").Used.Share() >= 0.75 {
			t.Errorf("%v worked, and %.2f is in use", stages, d.view("").Used.Share())
		}
	})
}

func TestSnipChoice(t *testing.T) {
	for _, c := range []struct {
		name        string
		window      int
		words, want string
	}{
		{"most tokens, not the first", full, "x1 x2 r1 f1 r2 b1 b2 b3" + newest, "x1 x2 r1 f1 r2 #" + newest},
		{"few messages do not count, however large", full, "b1 b2 f1 r0 r1 r2 r3 r4 r5" + newest, "b1 b2 f1 r0 #" + newest},
		{"the first of two as good", roomy, "r1 r2 r3 r4 r5 s1 r6 r7 r8 r9 r0" + newest, "# s1 r6 r7 r8 r9 r0" + newest},
		{"no more than needed", roomy, "p1 b1 b2 b3 b4 b5" + newest, "p1 # b4 b5" + newest},
		{"at least 2,000 tokens after the note", roomy, "p1 r1 r2 r3 r4 r5 r6 r7 r8" + newest, "p1 # r6 r7 r8" + newest},
		{"down to 0.60", 29_000, "p1 b1 b2 b3 b4 b5 b6" + newest, "p1 # b5 b6" + newest},
		{"prompts inside stay, before the note", full, "p1 b1 p2 b2 u1 p3 p4 b3 p5" + newest, "p1 p2 p3 p4 # p5" + newest},
		{"long ones as head and tail", full, "l1 b1 l2 b2 b3 l3" + newest, "l1 ~ # l3" + newest},
		{"what they free counts", full, "p1 r1 l2 r2 r3 p3" + newest, "p1 ~ # p3" + newest},
		{"a cut does not end at a prompt", roomy, "k1 r1 r2 r3 l1 r4 r5 p3" + newest, "~ # r5 p3" + newest},
		{"a prompt and a note do not shield", full, "b1 b2 b3 b4 p1 k1 w1 p2 k2 b5 r1 r2 r3" + newest, "# b4 p1 k1 w1 p2 k2 b5 r1 r2 r3" + newest},
		{"the newest 12 as whole rounds, with what is open", full, "b1 b2 b3 ra rb rc rd re a1 p2 o1", "# ra rb rc rd re a1 p2 o1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snips(t, c.window, event.Manual, c.words, c.want)
		})
	}
}

func TestSnipIsRare(t *testing.T) {
	const words = "p1 b1 b2 b3 b4 b5 b6 b7 b8 b9" + newest
	steps := func(n int) string { return strings.Repeat(" a", n) }
	for _, c := range []struct {
		name  string
		first event.Why
		steps int
		why   event.Why
		want  bool
	}{
		{"at once", event.Threshold, 0, event.Threshold, false},
		{"19 steps later", event.Threshold, 19, event.Threshold, false},
		{"20 steps later", event.Threshold, 20, event.Threshold, true},
		{"after one by hand", event.Manual, 19, event.Threshold, false},
		{"by hand", event.Threshold, 1, event.Manual, true},
		{"forced", event.Threshold, 1, event.Forced, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := draw(roomy, words)
			s := compact.Snip{Meter: d.meter, History: d.past}
			first := d.run(s, c.first)
			if !changed(first) {
				t.Fatal(first.err)
			}
			d.more(steps(c.steps))
			second := d.run(s, c.why)
			if changed(second) != c.want {
				t.Errorf("cut a second time: %v (%v)", changed(second), second.err)
			}
			var notes []string
			for _, m := range second.after {
				if m.Kind == llm.Snipped {
					notes = append(notes, m.Text())
				}
			}
			if len(notes) > 1 && notes[0] != notes[1] {
				t.Errorf("the notes differ: %q", notes)
			}
		})
	}
}

func TestSnipSaysWhyNot(t *testing.T) {
	for words, want := range map[string]string{
		"":                              "fewer than 6 messages lie before the newest 12",
		"b1 b2" + newest:                "fewer than 6 messages lie before the newest 12",
		"w1 w2 w3 w4" + newest:          "no 6 messages in a row that can go free 2,000 tokens",
		"s1 k1 k2 k3 k4 k5 k6" + newest: "no 6 messages in a row that can go free 2,000 tokens",
		"p1 p2 p3 l4 l5 l6 l7" + newest: "no 6 messages in a row that can go free 2,000 tokens",
		"b1 w1 b2 b3 f1 b4 n1" + newest: "no 6 messages in a row that can go free 2,000 tokens",
		"p1 r1 r2 r3 p2 p3 p4" + newest: "no 6 messages in a row that can go free 2,000 tokens",
		"n1 b1 k1 k2 k3 s1 b2" + newest: "no 6 messages in a row that can go free 2,000 tokens",
	} {
		if c := draw(full, words).run(compact.Snip{}, event.Manual); c.err == nil || c.err.Error() != want {
			t.Errorf("%q: %v", words, c.err)
		}
	}
}

// TestLongPromptsInACut: whatever they are made of, 2,000 tokens stay, and
// the pictures.
func TestLongPromptsInACut(t *testing.T) {
	wide := strings.Repeat("请帮我修改这个文件中的错误", 100)
	for name, text := range map[string]string{
		"prose":           "begin " + strings.Repeat("some words of it ", 3000) + " end",
		"dense ends":      wide + strings.Repeat("                ", 9000) + wide,
		"dense in middle": "begin" + strings.Repeat(" ", 1500) + strings.Repeat(wide, 4) + strings.Repeat(" ", 1500) + "end",
		"one line":        strings.Repeat("x0=1;", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			d := draw(full, "p1 b1")
			m := llm.NewText(llm.User, llm.Prompt, text)
			m.Parts = append(m.Parts, llm.NewImage("image/png", []byte{1}))
			d.add(event.Message{Message: m})
			d.more("b2 b3 p2" + newest)
			c := d.run(compact.Snip{}, event.Manual)
			if !changed(c) {
				t.Fatal(c.err)
			}
			short := c.after[1]
			n := account.Estimate(llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, short.Text())}})
			head, rest, found := strings.Cut(short.Text(), "\n[... ")
			count, tail, _ := strings.Cut(rest, " characters left out ...]\n")
			left := len([]rune(text)) - len([]rune(head)) - len([]rune(tail))
			switch {
			case short.Kind != llm.Prompt || short.Time.IsZero() || len(short.Parts) != 2:
				t.Errorf("it is %s of %v with %d parts", short.Kind, short.Time, len(short.Parts))
			case n > 2000 || n < 500:
				t.Errorf("%d tokens are left", n)
			case !found || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || count != fmt.Sprint(left):
				t.Errorf("%d characters and %d are left of %d, and %q are said to be gone", len(head), len(tail), len(text), count)
			}
		})
	}
}
