package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/minicode-go/minicode/llm"
)

// hard is a text that breaks what takes bytes for characters.
const hard = "Grüße, \"世界\" <b>&amp;</b> \\u0041 👩‍👩‍👧 \u2028 data: [DONE]\n\nevent: x\ttail"

func (c *conformity) text() {
	c.ready(Say(hard))
	h := c.answer()
	if h.text != hard || h.done.Parts.Text() != hard {
		c.t.Errorf("deltas: %q\nparts: %q\nwant: %q", h.text, h.done.Parts.Text(), hard)
	}
	if len(h.done.Parts) != 1 || h.done.Stop != llm.StopEnd {
		c.t.Errorf("got %d parts, stop %q", len(h.done.Parts), h.done.Stop)
	}
	if h.done.Model != c.model.Info().Name {
		c.t.Errorf("the answer is of model %q", h.done.Model)
	}
}

func (c *conformity) thinking() {
	c.ready(Join(Think(hard, "c2lnbmF0dXJl"), Redacted("AAAA"), Say("so")))
	h := c.answer()
	if h.thinking != hard {
		c.t.Errorf("deltas: %q", h.thinking)
	}
	thought := only[llm.Thinking](h.done.Parts)
	if c.wire == OpenAI {
		if len(thought) != 1 || thought[0].Text != hard {
			c.t.Errorf("thinking parts: %+v", thought)
		}
		return
	}
	if len(thought) != 2 || thought[0].Text != hard || thought[0].Signature != "c2lnbmF0dXJl" {
		c.t.Fatalf("thinking parts: %+v", thought)
	}
	var raw struct{ Type, Data string }
	if json.Unmarshal(thought[1].Raw, &raw) != nil || raw.Type != "redacted_thinking" || raw.Data != "AAAA" {
		c.t.Errorf("redacted thinking: %s", thought[1].Raw)
	}
	if _, ok := h.done.Parts[2].(llm.Text); !ok {
		c.t.Errorf("the parts are not in the order they came: %+v", h.done.Parts)
	}
}

// only is the parts of one type.
func only[P llm.Part](parts llm.Parts) []P {
	var all []P
	for _, p := range parts {
		if p, ok := p.(P); ok {
			all = append(all, p)
		}
	}
	return all
}

// sameCall compares a call with what was scripted.
func (c *conformity) sameCall(got llm.ToolCall, delta llm.CallDelta, id, name, args string) {
	c.t.Helper()
	if got.Name != name || string(got.Args) != args || got.Malformed != "" || id != "?" && got.ID != id {
		c.t.Errorf("got call %+v, want %s %s %s", got, id, name, args)
	}
	if delta.Name != name || delta.ID != got.ID || delta.Args != args && (args != "{}" || delta.Args != "") {
		c.t.Errorf("got deltas %+v of call %s %s %s", delta, got.ID, name, args)
	}
}

func (c *conformity) call() {
	args := string(encode(map[string]string{"text": hard}))
	c.ready(CallID("call-1", "read_file", args))
	h := c.answer()
	calls := h.done.Parts.Calls()
	if len(calls) != 1 || len(h.calls) != 1 || h.done.Stop != llm.StopTools {
		c.t.Fatalf("got %+v, %+v, stop %q", calls, h.calls, h.done.Stop)
	}
	c.sameCall(calls[0], h.calls[0], "call-1", "read_file", args)
}

func (c *conformity) parallel() {
	c.ready(Join(Say("both"), CallID("a", "read_file", `{"path":"a"}`), CallID("b", "list_files", ""), CallID("", "odd", `{}`), CallID("a", "again", `{"n":1.50}`)))
	h := c.answer()
	calls := h.done.Parts.Calls()
	if len(calls) != 4 || len(h.calls) != 4 || h.text != "both" {
		c.t.Fatalf("got %+v, %+v, %q", calls, h.calls, h.text)
	}
	c.sameCall(calls[0], h.calls[0], "a", "read_file", `{"path":"a"}`)
	c.sameCall(calls[1], h.calls[1], "b", "list_files", `{}`)
	c.sameCall(calls[2], h.calls[2], "", "odd", `{}`)
	c.sameCall(calls[3], h.calls[3], "a", "again", `{"n":1.50}`)
}

func (c *conformity) malformed() {
	bad := []string{`{"path": "a`, `["a"]`, `"text"`, `{} {}`, `nonsense`}
	answers := make([]Answer, 0, len(bad)+1)
	for _, text := range bad {
		answers = append(answers, Join(Malformed("read_file", text), CallID("b", "list_files", `{"ok":true}`)))
	}
	c.ready(append(answers, Join(Malformed("read_file", `{"path": "a`), StopWith(llm.StopLength)))...)
	for _, text := range bad {
		calls := c.answer().done.Parts.Calls()
		if len(calls) != 2 {
			c.t.Fatalf("got %+v", calls)
		}
		if calls[0].Args != nil || calls[0].Malformed != text {
			c.t.Errorf("%s gave %+v", text, calls[0])
		}
		if string(calls[1].Args) != `{"ok":true}` || calls[1].Malformed != "" {
			c.t.Errorf("the call beside %s is %+v", text, calls[1])
		}
	}
	h := c.answer()
	if calls := h.done.Parts.Calls(); h.done.Stop != llm.StopLength || len(calls) != 1 || calls[0].Malformed == "" {
		c.t.Errorf("a call that was cut: %+v, stop %q", calls, h.done.Stop)
	}
}

func (c *conformity) usage() {
	want := llm.Usage{Input: 100, Output: 50, CacheRead: 2000, CacheWrite: 30, Reasoning: 20}
	if c.wire == OpenAI {
		want.CacheWrite = 0
	}
	c.ready(Join(Say("x"), Usage(want)), Join(Say("x"), Usage(llm.Usage{Input: 1, Output: 1})))
	for _, want := range []llm.Usage{want, {Input: 1, Output: 1}} {
		if got := c.answer().done.Usage; got != want {
			c.t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func (c *conformity) stops() {
	stops := []llm.Stop{llm.StopEnd, llm.StopTools, llm.StopLength, llm.StopSequence, llm.StopPause, llm.StopContextWindow, "brand_new_reason"}
	if c.wire == OpenAI {
		stops = []llm.Stop{llm.StopEnd, llm.StopTools, llm.StopLength, llm.StopFilter, "brand_new_reason"}
	}
	answers := make([]Answer, 0, len(stops))
	for _, s := range stops {
		a := Join(Say("x"), StopWith(s))
		if s == llm.StopTools {
			a = Join(Call("read_file", ""), a)
		}
		answers = append(answers, a)
	}
	c.ready(answers...)
	for _, want := range stops {
		h := c.answer()
		if h.done.Stop != want {
			c.t.Errorf("got stop %q, want %q", h.done.Stop, want)
		}
		if h.done.Parts.Text() != "x" {
			c.t.Errorf("stop %q lost the text: %+v", want, h.done.Parts)
		}
	}
}

func (c *conformity) refusal() {
	c.ready(Join(Say("I"), Refuse("It is against the rules.")))
	h := c.answer()
	if h.done.Stop != llm.StopRefusal || !strings.Contains(h.done.Detail, "It is against the rules.") {
		c.t.Errorf("got stop %q, detail %q", h.done.Stop, h.done.Detail)
	}
}

func (c *conformity) empty() {
	c.ready(StopWith(llm.StopEnd), Join(Say(""), StopWith(llm.StopPause)), Join(Think("hm", ""), StopWith(llm.StopLength)))
	if h := c.answer(); len(h.done.Parts) != 0 || h.done.Stop != llm.StopEnd {
		c.t.Errorf("got %+v, stop %q", h.done.Parts, h.done.Stop)
	}
	if h := c.answer(); h.done.Parts.Text() != "" || h.done.Stop != llm.StopPause {
		c.t.Errorf("got %+v, stop %q", h.done.Parts, h.done.Stop)
	}
	if h := c.answer(); len(only[llm.Thinking](h.done.Parts)) != 1 || h.done.Stop != llm.StopLength {
		c.t.Errorf("got %+v, stop %q", h.done.Parts, h.done.Stop)
	}
}

// rich is an answer with everything in it.
func rich() Answer {
	return Join(Think("世界 hm", "c2ln"), Say("Grüße 👋"), CallID("a", "read_file", `{"path":"世"}`), Usage(llm.Usage{Input: 5, Output: 6}))
}

func (c *conformity) torn() {
	c.ready(rich(), Join(rich(), Bytes(1)), Join(rich(), Bytes(1), CRLF()), Join(rich(), Bytes(3), Pieces(1)))
	whole := c.answer()
	for range 3 {
		h := c.answer()
		if h.text != whole.text || h.thinking != whole.thinking || !slices.Equal(h.calls, whole.calls) || string(encode(h.done)) != string(encode(whole.done)) {
			c.t.Errorf("torn: %+v\nwhole: %+v", h, whole)
		}
	}
}

func (c *conformity) big() {
	long := strings.Repeat("0123456789abcdef", 100_000) // beyond any buffer for a line
	c.ready(Join(Pieces(len(long)), Say(long), Call("write_file", `{"text":"`+long+`"}`)))
	h := c.answer()
	if h.text != long || h.done.Parts.Text() != long {
		c.t.Errorf("of %d bytes of text %d came", len(long), len(h.text))
	}
	if calls := h.done.Parts.Calls(); len(calls) != 1 || len(calls[0].Args) != len(long)+11 {
		c.t.Errorf("the call is not as it was sent")
	}
}

func (c *conformity) comments() {
	noise := Raw(": PROCESSING\n\n:\n\nid: 7\nretry: 10\n\n")
	c.ready(Join(CRLF(), noise, Say("a"), noise, Say("b"), noise))
	if h := c.answer(); h.text != "ab" || h.done.Parts.Text() != "ab" {
		c.t.Errorf("got %q, %+v", h.text, h.done.Parts)
	}
}

func (c *conformity) after() {
	for _, garbage := range []string{
		`{"error":{"message":"could not record usage","type":"server_error","code":null}}` + "\n\n",
		`data: {"error":{"message":"too late"}}` + "\n\n",
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"too late\"}}\n\n",
		"garbage",
	} {
		c.ready(Join(Say("done"), After(garbage)), Join(Say("more"), After(garbage), Bytes(1)))
		for _, want := range []string{"done", "more"} {
			if h := c.answer(); h.done.Parts.Text() != want || h.done.Stop != llm.StopEnd {
				c.t.Errorf("with %q after it the answer is %+v", garbage, h.done)
			}
		}
	}
}

func (c *conformity) sideBySide() {
	const n = 8
	answers := make([]Answer, 0, n)
	for i := range n {
		answers = append(answers, Join(When(fmt.Sprintf("number <%d>", i)), Pieces(1), Say(fmt.Sprintf("this is %d", i))))
	}
	c.ready(answers...)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			h := c.hear(c.t.Context(), ask1(fmt.Sprintf("number <%d>", i)))
			if want := fmt.Sprintf("this is %d", i); h.err != nil || h.text != want || h.done.Parts.Text() != want {
				c.t.Errorf("request %d got %q, %v", i, h.text, h.err)
			}
		})
	}
	all.Wait()
}
