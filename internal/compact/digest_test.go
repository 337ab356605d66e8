package compact_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// writer is a model that writes digests, with a window of so many tokens, of
// which an eighth is for the answer.
func writer(t testing.TB, window int, answers ...llmtest.Answer) *llmtest.Script {
	model := llmtest.New(t, answers...)
	model.Model.Name, model.Model.Window, model.Model.MaxOutput = "writer", window, window/8
	return model
}

func by(model llm.Model) compact.Digest {
	return compact.Digest{Model: func() llm.Model { return model }}
}

// ask asks for a digest of the messages.
func ask(t *testing.T, d compact.Digest, messages ...llm.Message) (string, compact.Work, error) {
	t.Helper()
	o := compact.Order{Stage: "summarize", Prompt: "Summarize it.", Messages: messages}
	return d.Ask(t.Context(), event.View{Request: llm.Request{Messages: messages}}, o, nil)
}

// inputOf is the text that was to be digested, of the request of that number.
func inputOf(t *testing.T, model *llmtest.Script, n int) string {
	t.Helper()
	all := model.Requests()
	if n >= len(all) {
		t.Fatalf("there were %d requests", len(all))
	}
	if len(all[n].Messages) != 1 || all[n].Messages[0].Role != llm.User {
		t.Fatalf("the request is not one message of the user: %+v", all[n].Messages)
	}
	return all[n].Messages[0].Text()
}

func said(text string) llm.Message { return llm.NewText(llm.User, llm.Prompt, text) }

func answered(parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: parts}
}

func resulted(name string, parts ...llm.Part) llm.Message {
	return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: "c", Name: name, Parts: parts}}}
}

func text(s string) llm.Text { return llm.Text{Text: s} }

func TestDigestRequest(t *testing.T) {
	model := writer(t, 200_000, llmtest.Say("<summary>one</summary>"), llmtest.Say("<summary>two</summary>"))
	d := by(model)
	d.Instructions = "Always name the tests."
	picture := llm.NewImage("image/png", []byte("x"))
	failed := resulted("run_command", text("exit 1"))
	failed.Parts = llm.Parts{llm.ToolResult{Name: "run_command", Error: true, Parts: llm.Parts{text("exit 1")}}}
	messages := []llm.Message{
		said("Fix the <bug> in a.go.\n\tKeep tabs."),
		llm.NewText(llm.User, llm.Note, "branch: main"),
		answered(llm.Thinking{Text: "secret thought", Signature: "sig"}, text("I look."), llm.ToolCall{ID: "1", Name: "read_file", Args: []byte(`{"path":"a.go"}`)}),
		resulted("read_file", text("[Output cleared for context space]")),
		answered(llm.ToolCall{ID: "2", Name: "run_command", Malformed: `{"command":`}),
		failed,
		resulted("read_file", text("<persisted-output>\nOutput too large (60K chars). Full output saved to: /s/1.txt\n</persisted-output>"), picture),
		llm.NewText(llm.User, llm.Summary, "[Context Summary from earlier conversation]\nthe older part"),
		{Role: llm.User, Kind: llm.Prompt, Parts: llm.Parts{text("And this:"), picture}},
		answered(llm.Thinking{Text: "only a thought"}),
	}
	o := compact.Order{Stage: "summarize", Prompt: "Summarize it.", Focus: "the parser", Messages: messages}
	var told []string
	got, work, err := d.Ask(t.Context(), event.View{}, o, func(s event.Signal) { told = append(told, event.TypeOf(s)) })
	if got != "one" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if work.Model != "script/writer" || work.Usage.Total() == 0 || len(work.Edits) != 0 {
		t.Errorf("work %+v", work)
	}
	if !cmp.Equal(told, []string{"compacting"}) {
		t.Errorf("told %v", told)
	}
	req := model.Requests()[0]
	if req.Tools != nil || req.Effort != "" || req.MaxOutput != 4096 {
		t.Errorf("tools %v, effort %q, at most %d tokens", req.Tools, req.Effort, req.MaxOutput)
	}
	want := `<conversation>
[user]
Fix the <bug> in a.go.
	Keep tabs.

[note by the program]
branch: main

[assistant]
I look.

[assistant calls read_file]
{"path":"a.go"}

[result of read_file]
[Output cleared for context space]

[assistant calls run_command]
{"command":

[result of run_command, an error]
exit 1

[result of read_file]
<persisted-output>
Output too large (60K chars). Full output saved to: /s/1.txt
</persisted-output>(image)

[summary of an earlier part]
[Context Summary from earlier conversation]
the older part

[user]
And this:(image)

</conversation>

Write the summary of this conversation now.`
	if diff := cmp.Diff(want, inputOf(t, model, 0)); diff != "" {
		t.Error(diff)
	}
	wantSystem := "Summarize it.\n\nThe summary must have fewer than 2048 words.\n\nWhat the user wants every summary to mind:\nAlways name the tests." +
		"\n\nWhat the user wants this summary to mind above all:\nthe parser"
	if diff := cmp.Diff(wantSystem, req.System); diff != "" {
		t.Error(diff)
	}
	if _, _, err := d.Ask(t.Context(), event.View{}, o, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(req, model.Requests()[1]); diff != "" {
		t.Error("the same messages were asked for in other words", diff)
	}
}

func TestDigestOutputCap(t *testing.T) {
	for _, c := range []struct{ window, most, want int }{
		{200_000, 64_000, 4096},
		{20_000, 4000, 1600},
		{200_000, 1000, 1000},
		{0, 0, 4096}, // nothing is known of the model
	} {
		model := llmtest.New(t, llmtest.Say("s"))
		model.Model.Window, model.Model.MaxOutput = c.window, c.most
		if _, _, err := ask(t, by(model), said("hi")); err != nil {
			t.Error(err)
		} else if got := model.Requests()[0].MaxOutput; got != c.want {
			t.Errorf("window %d, output %d: at most %d tokens, want %d", c.window, c.most, got, c.want)
		}
	}
}

// lines is so many numbered lines, each unlike any other.
func lines(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", name, i)
	}
	return b.String()
}

func TestDigestTrimsResultsFirst(t *testing.T) {
	model := writer(t, 16_000, llmtest.Say("s"))
	prompt := lines("prompt", 500)
	older := "[Context Summary from earlier conversation]\n" + lines("older", 300)
	if _, _, err := ask(t, by(model), said(prompt), llm.NewText(llm.User, llm.Summary, older),
		answered(text(lines("talk", 50))), resulted("x", text(lines("small", 40))),
		answered(text("more")), resulted("x", text(lines("large", 3000))),
		answered(text("more")), resulted("x", text(lines("larger", 6000))), said("and now?")); err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, model, 0)
	for _, whole := range []string{prompt, older, lines("talk", 50), lines("small", 40), "and now?"} {
		if !strings.Contains(in, whole) {
			t.Errorf("%.20q... is not whole", whole)
		}
	}
	var kept [2]int
	for i, name := range []string{"large", "larger"} {
		kept[i] = strings.Count(in, "\n"+name+" line")
		if !strings.Contains(in, name+" line 0\n") || !strings.Contains(in, fmt.Sprintf("%s line %d\n", name, []int{2999, 5999}[i])) {
			t.Errorf("head or tail of %s is gone", name)
		}
	}
	if strings.Count(in, " characters left out ...]") != 2 || kept[0] < 50 || kept[0] > kept[1]*3/2 || kept[1] > kept[0]*3/2 {
		t.Errorf("%d and %d lines of the largest results are left", kept[0], kept[1])
	}
	assertFits(t, model, 0)
}

// assertFits looks whether a request leaves room for its answer and the
// estimate's error, and uses what is left of the room.
func assertFits(t *testing.T, model *llmtest.Script, n int) {
	t.Helper()
	req := model.Requests()[n]
	limit := (model.Info().EffectiveInput() - req.MaxOutput) * 9 / 10
	if got := account.Estimate(req); got > limit || got < limit*9/10 {
		t.Errorf("the request takes about %d of %d tokens", got, limit)
	}
}

func TestDigestTrimsTheRestThen(t *testing.T) {
	model := writer(t, 8000, llmtest.Say("s"), llmtest.Say("s"), llmtest.Say("s"))
	call := llm.ToolCall{ID: "c", Name: "write_file", Args: []byte(`{"text":"` + strings.Repeat("write ", 9000) + `"}`)}
	if _, _, err := ask(t, by(model), said(lines("prompt", 300)), answered(call), resulted("write_file", text("done"))); err != nil {
		t.Fatal(err)
	}
	if in := inputOf(t, model, 0); !strings.Contains(in, lines("prompt", 300)) || !strings.Contains(in, "[assistant calls write_file]\n{\"text\"") {
		t.Error("a long argument is not what was made shorter")
	}
	assertFits(t, model, 0)

	many := []llm.Message{said(lines("prompt", 300))}
	for i := range 900 {
		many = append(many, answered(text(lines(fmt.Sprint("talk ", i), 20))))
	}
	if _, _, err := ask(t, by(model), many...); err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, model, 1)
	if !strings.Contains(in, lines("prompt", 300)) || strings.Contains(in, "talk 0 line") || !strings.Contains(in, "talk 899 line 0\n") || !strings.Contains(in, "is left out here") {
		t.Error("the oldest messages are not those that went")
	}
	assertFits(t, model, 1)

	if _, _, err := ask(t, by(model), said(lines("first", 3000)), answered(text("ok")), said(lines("second", 300))); err != nil {
		t.Fatal(err)
	}
	in = inputOf(t, model, 2)
	if !strings.Contains(in, "[user]\nfirst line 0\n") || !strings.Contains(in, "first line 2999\n") || !strings.Contains(in, lines("second", 300)) {
		t.Error("of the largest prompt, head and tail should be left")
	}
	assertFits(t, model, 2)
}

// A summary of an earlier part gives way before what the person said.
func TestDigestTrimsSummariesBeforePrompts(t *testing.T) {
	model := writer(t, 8000, llmtest.Say("s"))
	older := llm.NewText(llm.User, llm.Summary, lines("older", 1000))
	if _, _, err := ask(t, by(model), older, said(lines("prompt", 500)), answered(text("ok"))); err != nil {
		t.Fatal(err)
	}
	if in := inputOf(t, model, 0); !strings.Contains(in, lines("prompt", 500)) || strings.Contains(in, lines("older", 1000)) || !strings.Contains(in, "older line 999\n") {
		t.Error("the summary is not what was made shorter")
	}
}

// What the asked model has counted before is a measure of what fits.
func TestDigestCountsInTheAskedModelsTokens(t *testing.T) {
	var sizes []int
	for _, counted := range []int{1000, 2000} {
		model := writer(t, 16_000, llmtest.Say("s"))
		by := answered(text("done"))
		by.Model, by.Estimate, by.Usage = "script/writer", 1000, &llm.Usage{Input: counted, Output: 1}
		if _, _, err := ask(t, compact.Digest{Model: func() llm.Model { return model }}, by, resulted("x", text(lines("result", 9000)))); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(inputOf(t, model, 0)))
	}
	if sizes[1] > sizes[0]*11/20 || sizes[1] < sizes[0]*9/20 {
		t.Errorf("%d bytes, and %d where each token counts as two", sizes[0], sizes[1])
	}
}

func TestDigestWindowTooSmall(t *testing.T) {
	var prompts []llm.Message
	for i := range 300 {
		prompts = append(prompts, said(fmt.Sprintf("prompt %d", i)))
	}
	for _, window := range []int{1, 40, 700, 2000} {
		model := writer(t, window)
		text, work, err := ask(t, by(model), prompts...)
		var strike compact.Strike
		if text != "" || err == nil || !strings.Contains(err.Error(), "window of script/writer is too small") || errors.As(err, &strike) || work.Usage.Total() != 0 {
			t.Errorf("window %d: %q, %v", window, text, err)
		}
	}
}

func TestDigestTooLong(t *testing.T) {
	full := llmtest.Join(llmtest.StopWith(llm.StopContextWindow), llmtest.Usage(llm.Usage{Input: 7000, Output: 2}))
	fine := llmtest.Join(llmtest.Say("s"), llmtest.Usage(llm.Usage{Input: 3000, Output: 5}))
	messages := []llm.Message{said("the prompt"), answered(text("x")), resulted("x", text(lines("result", 3000)))}
	for _, c := range []struct {
		name    string
		answers []llmtest.Answer
		ok      bool
		usage   int
	}{
		{"an error, then not", []llmtest.Answer{llmtest.TooLong(), fine}, true, 3005},
		{"a stop, then not", []llmtest.Answer{full, fine}, true, 10_007},
		{"both", []llmtest.Answer{full, llmtest.TooLong()}, false, 7002},
		{"twice", []llmtest.Answer{llmtest.TooLong(), llmtest.TooLong()}, false, 0},
	} {
		model := writer(t, 12_000, c.answers...)
		text, work, err := ask(t, by(model), messages...)
		var strike compact.Strike
		if c.ok && (text != "s" || err != nil) {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
		if !c.ok && (!errors.As(err, &strike) || string(strike) != "the summary request is too long for script/writer" || errors.Is(err, llm.ErrContextTooLong)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if work.Usage.Total() != c.usage || work.Model != "script/writer" {
			t.Errorf("%s: %+v of %s", c.name, work.Usage, work.Model)
		}
		first, second := inputOf(t, model, 0), inputOf(t, model, 1)
		if len(second) > len(first)*11/20 || len(second) < len(first)*2/5 || !strings.Contains(second, "the prompt") {
			t.Errorf("%s: %d bytes, then %d", c.name, len(first), len(second))
		}
		for _, in := range []string{first, second} {
			_, result, _ := strings.Cut(in, "[result of x]\n")
			head, rest, _ := strings.Cut(result, "\n[... ")
			var gone int
			fmt.Sscanf(rest, "%d characters left out ...]\n", &gone)
			_, tail, _ := strings.Cut(rest, "left out ...]\n")
			tail, _, _ = strings.Cut(tail, "\n\n</conversation>")
			if got, want := len(head)+gone+len(tail), len(lines("result", 3000)); got != want {
				t.Errorf("%s: %d characters are kept or said to be left out, of %d", c.name, got, want)
			}
		}
	}
}

func TestDigestTooLongAndNothingToTakeOff(t *testing.T) {
	model := writer(t, 12_000, llmtest.TooLong())
	var strike compact.Strike
	if _, _, err := ask(t, by(model), said("a"), said("b"), said("c")); !errors.As(err, &strike) {
		t.Errorf("got %v", err)
	}
}

func TestDigestAnswers(t *testing.T) {
	cut := llmtest.StopWith(llm.StopLength)
	for _, c := range []struct {
		name   string
		answer llmtest.Answer
		want   string // the digest, or
		strike string
	}{
		{"tags", llmtest.Say("Here it is:\n<summary>\n1. Primary Request: x\n2. more\n</summary>\nDone."), "1. Primary Request: x\n2. more", ""},
		{"no tags", llmtest.Say("  All of it.\n"), "All of it.", ""},
		{"analysis and tags", llmtest.Say("<analysis>so I write <summary> tags</analysis><summary>s</summary>"), "s", ""},
		{"analysis and no tags", llmtest.Say("<analysis>hm</analysis>The text."), "The text.", ""},
		{"analysis that is not closed, and tags", llmtest.Say("<analysis>hm <summary>s</summary>"), "s", ""},
		{"tags in it", llmtest.Say("<summary>Add <details><summary>More</summary> to it, in <summary> tags.</summary>"), "Add <details><summary>More</summary> to it, in <summary> tags.", ""},
		{"an analysis in it", llmtest.Say("<summary>It parses <analysis> blocks.</summary>"), "It parses <analysis> blocks.", ""},
		{"two in tags", llmtest.Say("<summary>draft</summary> better: <summary>final</summary>"), "draft</summary> better: <summary>final", ""},
		{"a marker alone", llmtest.Say("<final>"), "", "the summary is empty"},
		{"a marker", llmtest.Say("<final>The text."), "The text.", ""},
		{"a pause", llmtest.Join(llmtest.Say("<summary>half of it"), llmtest.StopWith(llm.StopPause)), "", "the model stopped before the summary was whole"},
		{"thinking besides", llmtest.Join(llmtest.Think("hm", "sig"), llmtest.Say("<summary>s</summary>")), "s", ""},
		{"cut off in the summary", llmtest.Join(llmtest.Say("<summary>as far as it goes"), cut), "as far as it goes", ""},
		{"cut off in the analysis", llmtest.Join(llmtest.Say("<analysis>as far"), cut), "", "the model came to its output limit before it wrote a summary"},
		{"cut off while thinking", llmtest.Join(llmtest.Think("hm", "sig"), cut), "", "the model came to its output limit before it wrote a summary"},
		{"only analysis", llmtest.Say("<analysis>hm</analysis>\n"), "", "the summary is empty"},
		{"empty tags", llmtest.Say("<summary> </summary>"), "", "the summary is empty"},
		{"empty", llmtest.StopWith(llm.StopEnd), "", "the summary is empty"},
		{"a call", llmtest.Join(llmtest.Say("<summary>s</summary>"), llmtest.Call("read_file", `{}`)), "", "the model called a tool instead of writing a summary"},
		{"refused", llmtest.Join(llmtest.Say("I cannot do that."), llmtest.Refuse("policy")), "", "the model refused to write a summary"},
	} {
		answer := llmtest.Join(c.answer, llmtest.Usage(llm.Usage{Input: 10, Output: 3}))
		got, work, err := ask(t, by(writer(t, 100_000, answer)), said("hi"))
		var strike compact.Strike
		if c.strike == "" && err != nil || c.strike != "" && (!errors.As(err, &strike) || string(strike) != c.strike) || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if work.Usage.Total() != 13 {
			t.Errorf("%s: %+v was spent", c.name, work.Usage)
		}
	}
}

func TestDigestRetries(t *testing.T) {
	model := writer(t, 100_000, llmtest.Fail(&llm.Error{Kind: llm.ErrRateLimited, RetryAfter: time.Nanosecond}), llmtest.Join(llmtest.Say("half"), llmtest.Cut()), llmtest.Say("s"))
	d := by(model)
	d.Again = agent.Retry{Base: time.Nanosecond, Cap: time.Nanosecond}.After
	var told []string
	messages := []llm.Message{said("hi")}
	text, _, err := d.Ask(t.Context(), event.View{}, compact.Order{Stage: "collapse", Messages: messages}, func(s event.Signal) {
		if r, ok := s.(event.Retrying); ok {
			told = append(told, fmt.Sprint(r.Attempt, " of ", r.Of))
		}
	})
	if text != "s" || err != nil || !cmp.Equal(told, []string{"1 of 10", "2 of 10"}) {
		t.Errorf("%q, %v, told %q", text, err, told)
	}
}

func TestDigestFaultsAreNoStrikes(t *testing.T) {
	for _, again := range []func(int, error) (event.Retrying, bool){nil, agent.Retry{Tries: 2, Base: 1, Cap: 1}.After} {
		for _, kind := range []error{llm.ErrAuth, llm.ErrRateLimited, llm.ErrServer, llm.ErrRequest} {
			model := writer(t, 100_000, llmtest.Join(llmtest.Fail(&llm.Error{Kind: kind}), llmtest.Repeat(llmtest.Forever)))
			d := by(model)
			d.Again = again
			_, _, err := ask(t, d, said("hi"))
			var strike compact.Strike
			if !errors.Is(err, kind) || errors.As(err, &strike) {
				t.Errorf("got %v for %v", err, kind)
			}
			fault := &llm.Error{Kind: kind}
			if want := map[bool]int{true: 2, false: 1}[again != nil && fault.Retryable()]; model.Asked() != want {
				t.Errorf("%v: asked %d times, want %d", kind, model.Asked(), want)
			}
		}
	}
}

func TestDigestStops(t *testing.T) {
	stopped := errors.New("the person pressed escape")
	for _, c := range []struct {
		name, on string
		answer   llmtest.Answer
	}{
		{"while the model works", "compacting", llmtest.Hang()},
		{"while it waits", "retrying", llmtest.Fail(&llm.Error{Kind: llm.ErrOverloaded, RetryAfter: time.Hour})},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		d := by(writer(t, 100_000, c.answer))
		d.Again = agent.Retry{}.After
		_, _, err := d.Ask(ctx, event.View{}, compact.Order{Messages: []llm.Message{said("hi")}}, func(s event.Signal) {
			if event.TypeOf(s) == c.on {
				cancel(stopped)
			}
		})
		if !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestDigestAsksTheModelOfTheView(t *testing.T) {
	model := writer(t, 100_000, llmtest.Join(llmtest.Say("s"), llmtest.Repeat(2)))
	for _, d := range []compact.Digest{{}, {Model: func() llm.Model { return nil }}} {
		_, work, err := d.Ask(t.Context(), event.View{Model: model}, compact.Order{Messages: []llm.Message{said("hi")}}, nil)
		if err != nil || work.Model != "script/writer" {
			t.Errorf("%q, %v", work.Model, err)
		}
	}
	if _, _, err := (compact.Digest{}).Ask(t.Context(), event.View{}, compact.Order{}, nil); err == nil {
		t.Error("nobody was asked")
	}
}
