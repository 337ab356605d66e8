package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm"
)

// ask takes the whole answer.
func ask(ctx context.Context, m llm.Model, req llm.Request) (chunks []llm.Chunk, done llm.Done, err error) {
	for c, e := range m.Stream(ctx, req) {
		if e != nil {
			return chunks, done, e
		}
		if d, ok := c.(llm.Done); ok {
			done = d
			continue
		}
		chunks = append(chunks, c)
	}
	return chunks, done, nil
}

func prompt(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, text)}}
}

func TestScriptAnswer(t *testing.T) {
	s := New(t, Join(Think("hm, yes", "sig"), Say("Fine é"), Call("read_file", `{"path":"a"}`), Call("list_files", ""),
		CallID("", "odd", "{}"), Malformed("broken", `{"a`), Usage(llm.Usage{Input: 7, Output: 3}), Pieces(4)))
	chunks, done, err := ask(t.Context(), s, prompt("hi"))
	if err != nil {
		t.Fatal(err)
	}
	wantDone := llm.Done{
		Parts: llm.Parts{
			llm.Thinking{Text: "hm, yes", Signature: "sig"},
			llm.Text{Text: "Fine é"},
			llm.ToolCall{ID: "toolu_01", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
			llm.ToolCall{ID: "toolu_02", Name: "list_files", Args: json.RawMessage(`{}`)},
			llm.ToolCall{Name: "odd", Args: json.RawMessage(`{}`)},
			llm.ToolCall{ID: "toolu_03", Name: "broken", Malformed: `{"a`},
		},
		Usage: llm.Usage{Input: 7, Output: 3}, Stop: llm.StopTools, Model: "scripted",
	}
	if d := cmp.Diff(wantDone, done); d != "" {
		t.Errorf("done (-want +got)\n%s", d)
	}
	wantChunks := []llm.Chunk{
		llm.ThinkingDelta{Text: "hm, "},
		llm.ThinkingDelta{Text: "yes"},
		llm.TextDelta{Text: "Fine"},
		llm.TextDelta{Text: " é"},
		llm.CallDelta{ID: "toolu_01", Name: "read_file"},
		llm.CallDelta{Args: `{"pa`},
		llm.CallDelta{Args: `th":`},
		llm.CallDelta{Args: `"a"}`},
		llm.CallDelta{Index: 1, ID: "toolu_02", Name: "list_files"},
		llm.CallDelta{Index: 2, Name: "odd"},
		llm.CallDelta{Index: 2, Args: "{}"},
		llm.CallDelta{Index: 3, ID: "toolu_03", Name: "broken"},
		llm.CallDelta{Index: 3, Args: `{"a`},
	}
	if d := cmp.Diff(wantChunks, chunks); d != "" {
		t.Errorf("chunks (-want +got)\n%s", d)
	}
	if got := s.Requests(); len(got) != 1 || got[0].Messages[0].Text() != "hi" {
		t.Errorf("requests: %v", got)
	}
}

func TestScriptFaults(t *testing.T) {
	own := &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: 3}
	s := New(t, Fail(own), Join(Say("a"), Cut()), Reset(), Status(429, map[string][]string{"Retry-After": {"2"}}, "slow"),
		Join(Say("a"), CutAt(3)), TooLong(), Refuse("no"), StopWith("odd"))
	_, _, err := ask(t.Context(), s, prompt("hi"))
	if e := (*llm.Error)(nil); !errors.As(err, &e) || e != own {
		t.Errorf("Fail gave %v", err)
	}
	for _, want := range []struct {
		kind error
		wait time.Duration
	}{{llm.ErrStream, -1}, {llm.ErrUnreachable, -1}, {llm.ErrRateLimited, 2 * time.Second}, {llm.ErrStream, -1}, {llm.ErrContextTooLong, -1}} {
		_, _, err := ask(t.Context(), s, prompt("hi"))
		var e *llm.Error
		if !errors.As(err, &e) || !errors.Is(err, want.kind) || e.RetryAfter != want.wait {
			t.Errorf("got %v, want %v after %v", err, want.kind, want.wait)
		}
	}
	for _, want := range []llm.Done{{Stop: llm.StopRefusal, Detail: "no"}, {Stop: "odd"}} {
		_, done, err := ask(t.Context(), s, prompt("hi"))
		if err != nil || done.Stop != want.Stop || done.Detail != want.Detail {
			t.Errorf("got %v, %v; want %v", done, err, want)
		}
	}
}

func TestScriptWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, Join(Stall(time.Second), Delay(time.Minute), Pieces(1), Say("abc")), Join(Say("x"), Hang()))
		begin := time.Now()
		if _, _, err := ask(t.Context(), s, prompt("hi")); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 3*time.Minute+time.Second {
			t.Errorf("took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		chunks, _, err := ask(ctx, s, prompt("hi"))
		if !errors.Is(err, context.DeadlineExceeded) || len(chunks) != 1 {
			t.Errorf("got %v, %v", chunks, err)
		}
	})
}

func TestScriptBreak(t *testing.T) {
	s := New(t, Say("a long text that has several pieces"))
	for range s.Stream(t.Context(), prompt("hi")) {
		break
	}
}

func TestScriptVerify(t *testing.T) {
	s := New(nil, Join(Expect("there"), Say("a")), Join(Say("b"), Repeat(2)), Join(Say("never"), When("magic")), Join(Say("c"), Repeat(Forever), When("c!")))
	for _, text := range []string{"not", "x"} {
		_, _, _ = ask(t.Context(), s, prompt(text))
	}
	got := s.Verify()
	if got == nil {
		t.Fatal("Verify says nothing")
	}
	for _, want := range []string{`the request does not hold "there"`, "answer 2 was given 1 of 2 times:\n\tsay b", "answer 3 was given 0 of 1"} {
		if !strings.Contains(got.Error(), want) {
			t.Errorf("Verify does not say %q:\n%v", want, got)
		}
	}
	_, _, _ = ask(t.Context(), s, prompt("y"))
	_, _, err := ask(t.Context(), s, prompt("one too many"))
	if !errors.Is(err, llm.ErrRequest) || !strings.Contains(fmt.Sprint(s.Verify()), "no answer is left for request 4, whose newest messages are:\none too many") {
		t.Errorf("extra request: %v; %v", err, s.Verify())
	}
}

func TestExpectations(t *testing.T) {
	history := llm.Request{System: "be <good>", Messages: []llm.Message{
		llm.NewText(llm.User, llm.Prompt, "old\nquestion"), llm.NewText(llm.Assistant, llm.Final, "said"), llm.NewText(llm.User, llm.Prompt, `new "question"`),
	}}
	bad := errors.New("checked")
	for _, c := range []struct {
		answer Answer
		want   string // "" passes
	}{
		{Expect("be <good>"), ""},
		{Expect("old\nquestion"), ""},
		{Expect(`new \"question\"`), ""},
		{Expect("other"), `does not hold "other"`},
		{ExpectNew(`new "question"`), ""},
		{ExpectNew("old"), `newest messages do not hold "old"`},
		{ExpectNew("said"), "newest messages do not hold"},
		{ExpectRegexp("o.d\nq"), ""},
		{ExpectRegexp("^x$"), "does not match"},
		{ExpectRegexp("("), "missing closing"},
		{ExpectNot("other"), ""},
		{ExpectNot("said"), `holds "said"`},
		{Check(func(r llm.Request) error {
			if r.System == "be <good>" {
				return bad
			}
			return nil
		}), "checked"},
	} {
		s := New(nil, Join(Repeat(Forever), c.answer))
		_, _, err := ask(t.Context(), s, history)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.answer, err, c.want)
		}
		if err := s.Verify(); (err == nil) != (c.want == "") {
			t.Errorf("%s: Verify says %v", c.answer, err)
		}
	}
}

func TestScriptSideBySide(t *testing.T) {
	s := New(t)
	for i := range 20 {
		s.Add(Join(When(fmt.Sprintf("[%d]", i)), Say(fmt.Sprint(i))))
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, done, err := ask(t.Context(), s, prompt(fmt.Sprintf("[%d]", i)))
			if err != nil || done.Parts.Text() != fmt.Sprint(i) {
				t.Errorf("%d got %v, %v", i, done, err)
			}
		})
	}
	all.Wait()
	if s.Asked() != 20 {
		t.Errorf("%d requests were counted", s.Asked())
	}
}

// TestScriptIDs checks that no made-up id is one that the conversation has.
func TestScriptIDs(t *testing.T) {
	req := prompt("hi")
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{
		llm.ToolCall{ID: "toolu_01", Name: "x"}, llm.ToolCall{ID: "call_1", Wire: "toolu_02", Name: "x"},
	}})
	_, done, err := ask(t.Context(), New(t, Call("x", "")), req)
	if err != nil || done.Parts.Calls()[0].ID != "toolu_03" {
		t.Errorf("got %v, %v", done, err)
	}
}

func TestScriptMaxInput(t *testing.T) {
	s := New(t, Join(Say("short"), MaxInput(200)))
	if _, _, err := ask(t.Context(), s, prompt(strings.Repeat("x", 900))); !errors.Is(err, llm.ErrContextTooLong) {
		t.Errorf("got %v", err)
	}
	if _, _, err := ask(t.Context(), s, prompt("x")); err != nil {
		t.Error(err)
	}
}

func TestCallPanics(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "not a JSON object") {
			t.Errorf("got %s", got)
		}
	}()
	Call("x", "[]")
}
