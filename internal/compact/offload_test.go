package compact_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

func offload(dir string, result, batch int) compact.Offload {
	return compact.Offload{
		Dir:         func() string { return dir },
		ResultLimit: func() int { return result },
		BatchLimit:  func() int { return batch },
	}
}

func clean(o compact.Offload, id, text string, meta llm.Meta) tool.Result {
	out := tool.Outcome{Call: llm.ToolCall{ID: id, Name: "x"}, Result: tool.TextResult(text)}
	out.Result.Meta = meta
	return o.Clean(context.Background(), out).Result
}

func TestCleanAtTheLimit(t *testing.T) {
	o := offload(filepath.Join(t.TempDir(), "results"), 5000, 10_000)
	exact := strings.Repeat("é", 5000)
	if r := clean(o, "a", exact, llm.Meta{}); r.Parts.Text() != exact {
		t.Error("a result of exactly the limit was changed")
	}
	over := strings.Repeat(strings.Repeat("x", 99)+"\n", 60)
	r := clean(o, "toolu/../1", over, llm.Meta{})
	if base := filepath.Base(r.Meta.Saved); base != "toolu_.._1.txt" {
		t.Errorf("saved as %s", base)
	}
	saved, err := os.ReadFile(r.Meta.Saved)
	if err != nil || string(saved) != over {
		t.Errorf("the saved file differs (%v)", err)
	}
	if info, _ := os.Stat(r.Meta.Saved); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	want := "<persisted-output>\nOutput too large (6K chars). Full output saved to: " + r.Meta.Saved + "\n\nPreview (first 2K chars):\n" +
		strings.TrimSuffix(over[:1900+99], "\n") + "\n...\n</persisted-output>"
	if got := r.Parts.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := clean(o, "toolu/../1", over, llm.Meta{}); again.Parts.Text() != r.Parts.Text() {
		t.Error("the same result was replaced by other bytes")
	}
	if third := clean(o, "toolu/../1", r.Parts.Text(), llm.Meta{}); third.Parts.Text() != r.Parts.Text() {
		t.Error("a preview was persisted again")
	}
}

func TestCleanKeepsTheEndOfCommands(t *testing.T) {
	o := offload(t.TempDir(), 5000, 10_000)
	exit := 1
	r := clean(o, "a", strings.Repeat("a\n", 5000)+"the error\n", llm.Meta{Exit: &exit})
	if !strings.Contains(r.Parts.Text(), "the error") {
		t.Error("the end of a command's output is gone")
	}
}

func TestCleanAdoptsASpillFile(t *testing.T) {
	dir := t.TempDir()
	spill := filepath.Join(dir, "spill-1")
	if err := os.WriteFile(spill, []byte("all of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := clean(offload(dir, 5000, 10_000), "call_7", "EXIT: 0\nhead\n...\ntail", llm.Meta{Saved: spill, Size: 70_000_000})
	if r.Meta.Saved != filepath.Join(dir, "call_7.txt") || !strings.Contains(r.Parts.Text(), r.Meta.Saved) || !strings.Contains(r.Parts.Text(), "tail") {
		t.Errorf("saved %s:\n%s", r.Meta.Saved, r.Parts.Text())
	}
	if _, err := os.Stat(r.Meta.Saved); err != nil {
		t.Error(err)
	}
}

func TestCleanWithoutAPlace(t *testing.T) {
	long := strings.Repeat("x", 6000)
	for _, dir := range []string{"", "/proc/nowhere"} {
		r := clean(offload(dir, 5000, 10_000), "a", long, llm.Meta{})
		if text := r.Parts.Text(); len(text) > 2500 || !strings.Contains(text, "not kept") || r.Meta.Saved != "" {
			t.Errorf("in %q: saved %q, %s", dir, r.Meta.Saved, text)
		}
	}
}

// results is a view that ends in an answer with results of those sizes.
func results(sizes ...int) event.View {
	v := event.View{Request: llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "go"), {Role: llm.Assistant, Kind: llm.Work}}}}
	for i, n := range sizes {
		id := string(rune('a' + i))
		v.Request.Messages = append(v.Request.Messages, llm.Message{ID: "m" + id, Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
			llm.ToolResult{Call: id, Name: "x", Parts: llm.Parts{llm.Text{Text: strings.Repeat("x", n)}}},
		}})
	}
	return v
}

func TestBatch(t *testing.T) {
	o := offload(t.TempDir(), 50_000, 20_000)
	for _, c := range []struct {
		sizes []int
		want  string // messages replaced, in order
	}{
		{[]int{5000, 5000, 10_000}, ""},
		{[]int{5000, 5000, 10_001}, "mc"},
		{[]int{8000, 8000, 8000}, "ma"},
		{[]int{8000, 15_000, 8000, 5000}, "mbma"},
		{[]int{100_000}, "ma"},
	} {
		work, err := o.Edits(context.Background(), results(c.sizes...), nil)
		edits := work.Edits
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range edits {
			got += e.From
			if e.From != e.To || len(e.With) != 1 || e.With[0].Kind != llm.Resulted {
				t.Errorf("the edit %+v does not put one result in the place of one", e)
			}
		}
		if got != c.want {
			t.Errorf("%v: replaced %s, want %s", c.sizes, got, c.want)
		}
	}
}

func TestImagesGoWhenTheRequestWasRefused(t *testing.T) {
	v := event.View{Request: llm.Request{Messages: []llm.Message{
		{ID: "1", Role: llm.User, Kind: llm.Prompt, Parts: llm.Parts{llm.Text{Text: "look"}, llm.NewImage("image/png", []byte("x"))}},
		{ID: "2", Role: llm.Assistant, Kind: llm.Work},
		{ID: "3", Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: "c", Parts: llm.Parts{llm.NewImage("image/png", []byte("y"))}}}},
	}}}
	p := compact.Pipeline{Rules: []compact.Rule{{Stage: offload(t.TempDir(), 50_000, 20_000)}, {Refused: true, Stage: compact.Images{}}}}
	for _, c := range []struct {
		why  event.Why
		want int
	}{{event.Threshold, 0}, {event.Forced, 0}, {event.Limit, 2}} {
		edits := 0
		for e := range p.Compact(t.Context(), func() event.View { return v }, c.why) {
			if e, ok := e.(event.Edited); ok && e.Stage == "images" {
				edits = len(e.Edits)
				view := event.Apply(v.Request.Messages, e.Edits)
				r, _ := view[2].Result()
				if len(view) != 3 || r.Call != "c" || len(view[0].Parts) != 2 || view[0].Kind != llm.Prompt {
					t.Errorf("the view is now %+v", view)
				}
				for _, m := range view {
					for _, p := range m.Parts {
						if _, ok := p.(llm.Image); ok {
							t.Error("an image is left")
						}
					}
				}
			}
		}
		if edits != c.want {
			t.Errorf("%s: %d edits, want %d", c.why, edits, c.want)
		}
	}
}

func TestPipelineTakesTheViewAnew(t *testing.T) {
	o := offload(t.TempDir(), 50_000, 20_000)
	v := results(15_000, 15_000)
	p := compact.Pipeline{Rules: []compact.Rule{{Stage: o}, {Stage: o}}}
	var got []string
	for e, err := range p.Compact(t.Context(), func() event.View { return v }, event.Threshold) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, event.TypeOf(e))
		if e, ok := e.(event.Edited); ok {
			if e.After >= e.Before && e.Before > 0 {
				t.Errorf("%d tokens became %d", e.Before, e.After)
			}
			v.Request.Messages = event.Apply(v.Request.Messages, e.Edits)
		}
	}
	if strings.Join(got, " ") != "compacting edited" {
		t.Errorf("got %v", got)
	}
}

// What is recorded as left is right in whatever order the edits are.
func TestPipelineRecordsWhatIsLeft(t *testing.T) {
	v := results(8000, 15_000, 8000, 5000)
	tokens := func(messages []llm.Message) int { return account.Estimate(llm.Request{Messages: messages}) }
	v.Used.Tokens = tokens(v.Request.Messages)
	p := compact.Pipeline{Rules: []compact.Rule{{Stage: offload(t.TempDir(), 50_000, 20_000)}}}
	for e := range p.Compact(t.Context(), func() event.View { return v }, event.Threshold) {
		if e, ok := e.(event.Edited); ok {
			left := tokens(event.Apply(v.Request.Messages, e.Edits))
			if len(e.Edits) != 2 || e.After < left-1 || e.After > left+1 {
				t.Errorf("%d edits, %d tokens are recorded as left, and %d are", len(e.Edits), e.After, left)
			}
		}
	}
}

// Where nothing is done the view is the same for all stages, and what it takes
// to measure it is spent once.
func TestPipelineTakesTheViewOnce(t *testing.T) {
	o := offload(t.TempDir(), 50_000, 20_000)
	for _, c := range []struct {
		chars, want int
	}{{9000, 1}, {15_000, 2}} {
		v, taken := results(c.chars, c.chars), 0
		v.Used = llm.Count{Tokens: 99, Window: 100}
		p := compact.Pipeline{Rules: []compact.Rule{
			{Stage: o}, {Above: 0.5, Stage: compact.Clear{}}, {Above: 0.7, Stage: compact.Snip{}}, {Above: 0.75, Stage: compact.Collapse{}},
		}}
		for e := range p.Compact(t.Context(), func() event.View { taken++; return v }, event.Threshold) {
			if e, ok := e.(event.Edited); ok {
				v.Request.Messages = event.Apply(v.Request.Messages, e.Edits)
			}
		}
		if taken != c.want {
			t.Errorf("with results of %d characters it was taken %d times, want %d", c.chars, taken, c.want)
		}
	}
}
