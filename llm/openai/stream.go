package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// answer puts one answer together from its chunks.
type answer struct {
	provider string
	yield    func(llm.Chunk, error) bool
	finished bool // a finish_reason came
	ended    bool // [DONE] came
	over     bool // the reader has had enough

	text, thinking, refusal strings.Builder
	details                 []map[string]any // reasoning_details, pieces joined
	calls                   []*call
	done                    llm.Done
}

// call is a tool call that is being filled.
type call struct {
	index     int
	id, name  string
	args      strings.Builder
	signature string
}

type chunk struct {
	Object  string          `json:"object"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Groq    *struct {
		Usage *usage `json:"usage"`
	} `json:"x_groq"`
}

type choice struct {
	Index   int    `json:"index"`
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"` // in an answer that was not streamed
	Finish  loose  `json:"finish_reason"`
	Native  loose  `json:"native_finish_reason"`
	Usage   *usage `json:"usage"` // Moonshot
}

type delta struct {
	Content   content          `json:"content"`
	Thinking  loose            `json:"reasoning_content"`
	Reasoning loose            `json:"reasoning"`
	Details   []map[string]any `json:"reasoning_details"`
	Refusal   loose            `json:"refusal"`
	Calls     []callDelta      `json:"tool_calls"`
	Function  *function        `json:"function_call"` // before there were tools
}

type callDelta struct {
	Index    *int     `json:"index"`
	ID       loose    `json:"id"`
	Function function `json:"function"`
	Extra    struct {
		Google struct {
			Signature loose `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"`
}

type function struct {
	Name loose `json:"name"`
	Args args  `json:"arguments"`
}

type usage struct {
	Input   int `json:"prompt_tokens"`
	Output  int `json:"completion_tokens"`
	Total   int `json:"total_tokens"`
	Cached  int `json:"cached_tokens"`           // Moonshot
	Hit     int `json:"prompt_cache_hit_tokens"` // DeepSeek
	Details struct {
		Cached int `json:"cached_tokens"`
		Write  int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// loose is a string where some servers send null or something else.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// args is arguments, which some servers send as an object.
type args string

func (a *args) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case json.Unmarshal(b, &s) == nil:
		*a = args(s)
	case string(b) != "null":
		*a = args(b)
	}
	return nil
}

// content is text, or a list of pieces with thinking among them (Mistral).
type content struct{ text, thinking string }

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, (*loose)(&c.text))
	}
	var pieces []struct {
		Type     string  `json:"type"`
		Text     loose   `json:"text"`
		Thinking content `json:"thinking"`
	}
	err := json.Unmarshal(b, &pieces)
	for _, p := range pieces {
		c.text += string(p.Text)
		c.thinking += p.Thinking.text
	}
	return err
}

func (a *answer) emit(c llm.Chunk) {
	if !a.over && !a.yield(c, nil) {
		a.over = true
	}
}

// any says whether something of an answer came.
func (a *answer) any() bool {
	return a.text.Len() > 0 || a.thinking.Len() > 0 || len(a.calls) > 0
}

// take reads one event.
func (a *answer) take(e wire.Event) error {
	data := bytes.TrimSpace(e.Data)
	if string(data) == "[DONE]" {
		a.ended = true
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); wire.Broken(err) {
		return wire.Cut(a.provider, "an event of the stream is not JSON: "+err.Error())
	}
	if len(c.Error) > 0 && string(c.Error) != "null" || c.Object == "error" || e.Name == "error" {
		fault := wire.Told(a.provider, data)
		if a.finished { // the answer is whole; what failed came after it
			a.done.Detail = fault.Message
			return nil
		}
		return fault
	}
	if c.Model != "" {
		a.done.Model = c.Model
	}
	a.count(c.Usage)
	if c.Groq != nil {
		a.count(c.Groq.Usage)
	}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		a.count(ch.Usage)
		if ch.Message != nil {
			a.add(*ch.Message)
		} else {
			a.add(ch.Delta)
		}
		if err := a.stopped(strings.ToLower(string(ch.Finish)), strings.ToLower(string(ch.Native))); err != nil {
			return err
		}
	}
	if e.Plain {
		if len(c.Choices) == 0 {
			return wire.Cut(a.provider, "the answer is neither a stream nor a completion")
		}
		a.ended = true
	}
	return nil
}

func (a *answer) add(d delta) {
	thought := string(d.Thinking)
	if thought == "" {
		thought = string(d.Reasoning)
	}
	thought += d.Content.thinking
	for _, piece := range d.Details {
		if s := a.detail(piece); thought == "" {
			thought = s
		}
	}
	if thought != "" {
		a.thinking.WriteString(thought)
		a.emit(llm.ThinkingDelta{Text: thought})
	}
	if d.Content.text != "" {
		a.text.WriteString(d.Content.text)
		a.emit(llm.TextDelta{Text: d.Content.text})
	}
	a.refusal.WriteString(string(d.Refusal))
	for _, c := range d.Calls {
		a.call(c)
	}
	if d.Function != nil {
		a.call(callDelta{Index: new(int), Function: *d.Function})
	}
}

// detail joins a piece of reasoning_details to what came of it before, and
// gives the text in it.
func (a *answer) detail(piece map[string]any) string {
	said, _ := piece["text"].(string)
	if said == "" {
		said, _ = piece["summary"].(string)
	}
	if n := len(a.details) - 1; n >= 0 {
		last := a.details[n]
		kind, _ := piece["type"].(string)
		lastKind, _ := last["type"].(string)
		index, _ := piece["index"].(float64)
		lastIndex, _ := last["index"].(float64)
		if kind == lastKind && index == lastIndex && kind != "reasoning.encrypted" {
			for _, k := range []string{"text", "summary"} {
				before, _ := last[k].(string)
				more, _ := piece[k].(string)
				if before != "" || more != "" {
					last[k] = before + more
				}
			}
			for k, v := range piece {
				if k != "text" && k != "summary" && v != nil {
					last[k] = v
				}
			}
			return said
		}
	}
	a.details = append(a.details, maps.Clone(piece))
	return said
}

// before says whether the piece begins another call although its index is
// that of c: it has an id of its own, or neither has one and c is whole.
func (c *call) before(id, name, args string) bool {
	if id != "" || c.id != "" {
		return name != "" && id != "" && c.id != "" && c.id != id
	}
	return name != "" && args != "" && c.name != "" && json.Valid([]byte(c.args.String()))
}

// call adds a piece of a call. Servers leave out the index, or the id, or
// give every call the index 0.
func (a *answer) call(d callDelta) {
	index, id, name, args := d.Index, string(d.ID), string(d.Function.Name), string(d.Function.Args)
	var c *call
	at := len(a.calls) - 1
	switch {
	case index != nil:
		for at >= 0 && a.calls[at].index != *index {
			at--
		}
	case at >= 0 && id != "" && a.calls[at].id != id:
		at = -1
	}
	if at >= 0 && !a.calls[at].before(id, name, args) {
		c = a.calls[at]
	}
	if c == nil {
		if id == "" && name == "" && args == "" {
			return
		}
		c = &call{index: len(a.calls)}
		if index != nil {
			c.index = *index
		}
		at = len(a.calls)
		a.calls = append(a.calls, c)
	}
	first := llm.CallDelta{Index: at, Args: args}
	if c.id == "" {
		c.id, first.ID = id, id
	}
	if c.name == "" {
		c.name, first.Name = name, name
	}
	c.args.WriteString(args)
	c.signature += string(d.Extra.Google.Signature)
	if first.ID != "" || first.Name != "" || args != "" {
		a.emit(first)
	}
}

// stopped takes a finish_reason. Some of them say that the server failed.
func (a *answer) stopped(reason, native string) error {
	switch reason {
	case "":
		return nil
	case "error", "network_error", "abort", "insufficient_system_resource":
		e := &llm.Error{Kind: llm.ErrServer, Provider: a.provider, Code: reason, Message: "the server gave up in the middle of the answer"}
		if reason == "insufficient_system_resource" {
			e.Kind = llm.ErrOverloaded
		}
		return e
	}
	a.finished = true
	a.done.Stop = stopOf(reason)
	switch {
	case native == "refusal":
		a.done.Stop = llm.StopRefusal
	case a.done.Stop == llm.Stop(reason) && reason != string(llm.StopFilter):
		a.done.Detail = "finish reason " + reason
	}
	return nil
}

func stopOf(reason string) llm.Stop {
	switch reason {
	case "stop", "end_turn", "eos", "eos_token", "complete":
		return llm.StopEnd
	case "stop_sequence":
		return llm.StopSequence
	case "tool_calls", "function_call", "tool_use":
		return llm.StopTools
	case "length", "max_tokens", "model_length":
		return llm.StopLength
	case "content_filter", "sensitive", "safety":
		return llm.StopFilter
	case "refusal":
		return llm.StopRefusal
	}
	return llm.Stop(reason)
}

// count takes over the newest usage. prompt_tokens has the cached ones in it;
// completion_tokens has the reasoning in it but for xAI, whose total tells.
func (a *answer) count(u *usage) {
	if u == nil || u.Input == 0 && u.Output == 0 {
		return
	}
	read, wrote := max(0, u.Details.Cached, u.Cached, u.Hit), max(0, u.Details.Write)
	reasoning := u.OutputDetails.Reasoning
	if reasoning > 0 && u.Total == u.Input+u.Output+reasoning {
		u.Output += reasoning
	}
	a.done.Usage = llm.Usage{
		Input: max(0, u.Input-read-wrote), Output: max(0, u.Output), CacheRead: read, CacheWrite: wrote,
		Reasoning: max(0, min(reasoning, u.Output)),
	}
}

func (a *answer) finish() {
	d := &a.done
	if a.thinking.Len() > 0 || len(a.details) > 0 {
		t := llm.Thinking{Text: a.thinking.String()}
		if len(a.details) > 0 {
			t.Raw, _ = json.Marshal(a.details) // decoded from JSON before
		}
		d.Parts = append(d.Parts, t)
	}
	if s := a.text.String(); strings.TrimSpace(s) != "" {
		d.Parts = append(d.Parts, llm.Text{Text: s})
	}
	for _, c := range a.calls {
		p := wire.Call(c.id, c.name, c.args.String())
		p.Signature = c.signature
		d.Parts = append(d.Parts, p)
	}
	if s := a.refusal.String(); s != "" {
		d.Stop, d.Detail = llm.StopRefusal, s
		d.Parts = append(d.Parts, llm.Text{Text: s})
	}
	switch {
	case len(a.calls) > 0 && (d.Stop == llm.StopEnd || d.Stop == ""):
		d.Stop = llm.StopTools
	case len(a.calls) == 0 && (d.Stop == llm.StopTools || d.Stop == ""):
		d.Stop = llm.StopEnd
	}
	a.emit(*d)
	a.over = true
}
