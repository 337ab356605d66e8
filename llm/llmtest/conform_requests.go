package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// picture is the smallest PNG there is.
func picture() llm.Image {
	data, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
	return llm.NewImage("image/png", data)
}

func toolSpecs() []llm.ToolSpec {
	return []llm.ToolSpec{
		{Name: "list_files", Description: "Lists files.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		{
			Name: "read_file", Description: "Reads a <file> & gives it.", Aliases: []string{"open_file"},
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"the path"},"lines":{"type":"array","items":{"type":"integer"}}},"required":["path"],"additionalProperties":false}`),
		},
	}
}

// talk is a conversation as the loop keeps it.
type talk struct {
	c     *conformity
	req   llm.Request
	calls int
}

// turn asks and records the answer; each call gets a result.
func (k *talk) turn() heard {
	k.c.t.Helper()
	h := k.c.hear(k.c.t.Context(), k.req)
	if h.err != nil {
		k.c.t.Fatalf("request %d: %v", len(k.req.Messages), h.err)
	}
	said := llm.Message{Role: llm.Assistant, Kind: llm.Final, Model: k.c.model.Info().ID(), Stop: h.done.Stop, Usage: &h.done.Usage}
	var results []llm.Message
	for _, p := range h.done.Parts {
		if call, ok := p.(llm.ToolCall); ok {
			said.Kind = llm.Work
			if k.used(call.ID) {
				k.calls++
				call.Wire, call.ID = call.ID, fmt.Sprintf("call_%d", k.calls)
			}
			p = call
			r := llm.ToolResult{Call: call.ID, Name: call.Name, Parts: llm.Parts{llm.Text{Text: "result of " + call.ID}}}
			if k.c.model.Info().Images {
				r.Parts = append(r.Parts, picture())
			}
			results = append(results, llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{r}})
		}
		said.Parts = append(said.Parts, p)
	}
	k.req.Messages = append(append(k.req.Messages, said), results...)
	return h
}

func (k *talk) used(id string) bool {
	return id == "" || usedIDs(k.req.Messages)(id)
}

func (k *talk) say(kind llm.Kind, parts ...llm.Part) {
	k.req.Messages = append(k.req.Messages, llm.Message{Role: llm.User, Kind: kind, Parts: parts})
}

// roundTrip has a conversation with everything in it; the server refuses what
// the provider would.
func (c *conformity) roundTrip() {
	c.ready(
		Join(Expect("Be brief."), Expect("Reads a <file> & gives it."), ExpectNot("open_file"), ExpectNew("What is this?"),
			Think("look at both", ""), Redacted("AAAA"), Say("Looking. "), CallID("toolu-1", "read_file", `{"path":"a<b>.txt"}`), Think("and then", ""), CallID("toolu-2", "list_files", "")),
		Join(ExpectNew("result of toolu-1"), ExpectNew("result of toolu-2"), ExpectNew("a note"), Think("", "b21pdHRlZA=="), CallID("toolu-1", "read_file", `{"path":"b"}`), CallID(strings.Repeat("x", 60), "read_file", `{"path":"c"}`),
			CallID("odd.id:1", "read_file", `{}`), CallID("", "read_file", `{}`)),
		Join(ExpectNew("result of call_1"), ExpectNew("result of odd.id:1"), ExpectNew("result of call_2"), ExpectNew("Continue."), Think("enough", ""), Say("It is a file.")),
		Join(ExpectNew("Thanks."), Expect("It is a file."), Malformed("read_file", `{"path`)),
		Join(ExpectNew("result of"), Say("Bye.")),
	)
	k := &talk{c: c, req: llm.Request{System: "Be brief.", Tools: toolSpecs(), Effort: "high", MaxOutput: 20_000}}
	k.say(llm.Note, llm.Text{Text: "the directory is /tmp"})
	opening := llm.Parts{llm.Text{Text: "What is this?"}}
	if c.model.Info().Images {
		opening = append(opening, picture())
	}
	k.say(llm.Prompt, opening...)
	k.turn()
	k.say(llm.Note, llm.Text{Text: "a note"})
	k.turn()
	k.say(llm.Nudge, llm.Text{Text: "Continue."})
	if h := k.turn(); h.text != "It is a file." {
		c.t.Errorf("got %q", h.text)
	}
	k.say(llm.Prompt, llm.Text{Text: "Thanks."})
	k.turn()
	k.turn()
	if got := c.server.Requests(); len(got) == 5 {
		c.grows(got)
	}
}

// grows checks that no request of a conversation changes what an earlier one
// said: its messages are those of the one before, and more. Marks for caching
// may move.
func (c *conformity) grows(requests []Received) {
	var before []any
	for i, r := range requests {
		v, err := decodeBody(r.Body)
		if err != nil {
			c.t.Fatal(err)
		}
		top, _ := v.(map[string]any)
		messages, _ := unmarked(top["messages"]).([]any)
		for j, m := range before {
			if j >= len(messages) || !continues(m, messages[j], j == len(before)-1) {
				c.t.Errorf("request %d does not begin as the one before; its message %d is\n%s\nand was\n%s", i+1, j, encode(at(messages, j)), encode(m))
				break
			}
		}
		before = messages
	}
}

// continues says whether the message is the same as before, or, where it was
// the last, the same with more content.
func continues(before, now any, last bool) bool {
	old, _ := before.(map[string]any)
	m, _ := now.(map[string]any)
	blocks, isList := old["content"].([]any)
	more, _ := m["content"].([]any)
	if !last || !isList || len(more) < len(blocks) {
		return string(encode(before)) == string(encode(now))
	}
	return m["role"] == old["role"] && string(encode(more[:len(blocks)])) == string(encode(blocks))
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// unmarked is the value without cache_control.
func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = unmarked(v[i])
		}
	case map[string]any:
		delete(v, "cache_control")
		for k := range v {
			v[k] = unmarked(v[k])
		}
	}
	return v
}

// brokenHistory sends what no provider takes as it is.
func (c *conformity) brokenHistory() {
	text := func(role llm.Role, kind llm.Kind, s string) llm.Message { return llm.NewText(role, kind, s) }
	call := func(id string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}
	}
	result := func(id string, failed bool, parts ...llm.Part) llm.Message {
		return llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: id, Name: "read_file", Parts: parts, Error: failed}}}
	}
	said := func(model string, parts ...llm.Part) llm.Message {
		return llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: model, Parts: parts}
	}
	end := text(llm.User, llm.Prompt, "go on")
	histories := map[string][]llm.Message{
		"begins with an answer":        {text(llm.Assistant, llm.Final, "hi"), end},
		"empty texts":                  {text(llm.User, llm.Prompt, ""), text(llm.User, llm.Prompt, " \n"), text(llm.Assistant, llm.Final, " "), end},
		"trailing blanks":              {end, text(llm.Assistant, llm.Final, "hi \n"), end},
		"a call without result":        {end, said("", call("a")), end},
		"one of two without result":    {end, said("", call("a"), call("b")), result("b", false, llm.Text{Text: "x"}), end},
		"a result without call":        {end, result("zz", false, llm.Text{Text: "x"}), end},
		"results out of order":         {end, said("", call("a"), call("b")), result("b", false, llm.Text{Text: "x"}), result("a", true, llm.Text{Text: "y"}), end},
		"a result twice":               {end, said("", call("a")), result("a", false, llm.Text{Text: "x"}), result("a", false, llm.Text{Text: "y"}), end},
		"a result late":                {end, said("", call("a")), text(llm.User, llm.Note, "note"), result("a", false, llm.Text{Text: "x"}), end},
		"an id twice":                  {end, said("", call("a")), result("a", false, llm.Text{Text: "x"}), said("", call("a")), result("a", false, llm.Text{Text: "y"}), end},
		"an empty result":              {end, said("", call("a")), result("a", false), end},
		"a blank result":               {end, said("", call("a")), result("a", false, llm.Text{Text: "\n"}), end},
		"a failed result with picture": {end, said("", call("a")), result("a", true, llm.Text{Text: "x"}, picture()), end},
		"a result of a picture only":   {end, said("", call("a")), result("a", false, picture()), end},
		"foreign thinking":             {end, said("other/model", llm.Thinking{Text: "hm", Signature: "foreign"}, call("a")), result("a", false, llm.Text{Text: "x"}), end},
		"unsigned thinking":            {end, said("other/model", llm.Thinking{Text: "hm"}, llm.Text{Text: "hi"}), end},
		"thinking only":                {end, said("other/model", llm.Thinking{Text: "hm", Signature: "s"}), end},
		"malformed arguments":          {end, said("", llm.ToolCall{ID: "a", Name: "read_file", Malformed: `{"pa`}), result("a", true, llm.Text{Text: "x"}), end},
		"a name made up":               {end, said("", llm.ToolCall{ID: "a", Name: "read file!", Args: json.RawMessage(`{}`)}), result("a", true, llm.Text{Text: "x"}), end},
		"bad ids":                      {end, said("", call("ä/1"), call(strings.Repeat("y", 300))), result("ä/1", false, llm.Text{Text: "x"}), result(strings.Repeat("y", 300), false, llm.Text{Text: "x"}), end},
		"bytes that are no text":       {end, said("", call("a")), result("a", false, llm.Text{Text: "x\xff\x00\xed\xa0\x80y"}), text(llm.User, llm.Prompt, "\xfe")},
		"a lost picture":               {{Role: llm.User, Kind: llm.Prompt, Parts: llm.Parts{llm.Text{Text: "x"}, llm.Image{Media: "image/png", SHA256: "00"}}}},
		"only progress and summary":    {text(llm.User, llm.Summary, "[Context Summary from earlier conversation]\nx"), text(llm.Assistant, llm.Progress, "working"), text(llm.User, llm.Nudge, "Continue.")},
	}
	c.ready(Join(Say("fine"), Repeat(len(histories))))
	for _, name := range sortedKeys(histories) {
		h := c.hear(c.t.Context(), llm.Request{Tools: toolSpecs(), Messages: histories[name]})
		if h.err != nil {
			c.t.Errorf("%s: %v", name, h.err)
		}
	}
}

// sameBytes checks that the same request is the same bytes.
func (c *conformity) sameBytes() {
	c.ready(Join(Say("fine"), Repeat(3)))
	req := llm.Request{System: "Be brief.", Tools: toolSpecs(), Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "hello")}}
	for range 3 {
		if h := c.hear(c.t.Context(), req); h.err != nil {
			c.t.Fatal(h.err)
		}
	}
	got := c.server.Requests()
	for _, r := range got[1:] {
		if string(r.Body) != string(got[0].Body) {
			c.t.Errorf("the same request was sent as\n%s\nand as\n%s", got[0].Body, r.Body)
		}
	}
}
