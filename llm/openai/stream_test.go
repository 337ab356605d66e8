package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask is what comes of a server that sends this.
func ask(t *testing.T, body string, q openai.Quirks) (llm.Done, []llm.CallDelta, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }))
	defer s.Close()
	m := openai.New(openai.Options{Info: info("x", "m"), BaseURL: s.URL, HTTP: client(t), Quirks: q})
	var deltas []llm.CallDelta
	for chunk, err := range m.Stream(t.Context(), llm.Request{}) {
		if err != nil {
			return llm.Done{}, deltas, err
		}
		switch c := chunk.(type) {
		case llm.CallDelta:
			deltas = append(deltas, c)
		case llm.Done:
			return c, deltas, nil
		}
	}
	t.Fatal("no end")
	return llm.Done{}, nil, nil
}

func chunks(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	return b.String()
}

func finish(reason string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reason)
}

const done = "data: [DONE]\n\n"

func TestFinishReasons(t *testing.T) {
	calls := chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`)
	for _, c := range []struct{ body, stop, detail string }{
		{finish("stop"), "end_turn", ""},
		{finish("length"), "max_tokens", ""},
		{finish("content_filter"), "content_filter", ""},
		{finish("STOP"), "end_turn", ""},
		{finish("bored"), "bored", "finish reason bored"},
		{finish("tool_calls"), "end_turn", ""},
		{calls + finish("tool_calls"), "tool_use", ""},
		{calls + finish("function_call"), "tool_use", ""},
		{calls + finish("stop"), "tool_use", ""},
		{calls + finish("length"), "max_tokens", ""},
		{calls, "tool_use", ""},
		{"", "end_turn", ""},
		{`data: {"choices":[{"index":0,"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}` + "\n\n", "refusal", "I will not."},
		{`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop","native_finish_reason":"refusal"}]}` + "\n\n", "refusal", ""},
	} {
		d, _, err := ask(t, c.body+done, openai.Quirks{})
		if err != nil || string(d.Stop) != c.stop || d.Detail != c.detail {
			t.Errorf("%s: %+v %v", c.body, d, err)
		}
	}
}

func TestCalls(t *testing.T) {
	call := func(id, name, args string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
	}
	two := llm.Parts{call("a", "x", `{"p":1}`), call("b", "y", `{"q":2}`)}
	for _, c := range []struct {
		name   string
		deltas []string
		want   llm.Parts
	}{
		{"interleaved", []string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":""}},{"index":1,"id":"b","function":{"name":"y","arguments":"{\"q"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":"\":2}"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`,
		}, two},
		{"every index is 0", []string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{\"q\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"2}"}}]}`,
		}, two},
		{"every index is 0 and there are no ids", []string{
			`{"tool_calls":[{"index":0,"id":"","function":{"name":"x","arguments":"{\"p\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"","function":{"name":"x","arguments":"{\"q\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"2}"}}]}`,
		}, llm.Parts{call("", "x", `{"p":1}`), call("", "x", `{"q":2}`)}},
		{"no index", []string{
			`{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"p\""}}]}`, `{"tool_calls":[{"function":{"arguments":":1}"}}]}`,
			`{"tool_calls":[{"id":"b","function":{"name":"y","arguments":{"q":2}}}]}`,
		}, two},
		{"id and name again in every piece", []string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\""}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}]}`,
		}, two[:1]},
		{
			"no ids",
			[]string{`{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"{}"}},{"index":1,"id":null,"function":{"name":"x","arguments":null}}]}`},
			llm.Parts{call("", "x", `{}`), call("", "x", `{}`)},
		},
		{"before there were tools", []string{`{"function_call":{"name":"x","arguments":"{\"p\""}}`, `{"function_call":{"arguments":":1}"}}`}, llm.Parts{call("", "x", `{"p":1}`)}},
		{"malformed", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p"}}]}`}, llm.Parts{llm.ToolCall{ID: "a", Name: "x", Malformed: `{"p`}}},
		{
			"signed",
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig"}}}]}`},
			llm.Parts{llm.ToolCall{ID: "a", Name: "x", Args: json.RawMessage(`{}`), Signature: "sig"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, deltas, err := ask(t, chunks(c.deltas...)+finish("tool_calls")+done, openai.Quirks{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, d.Parts); diff != "" {
				t.Error(diff)
			}
			joined := make([]llm.CallDelta, len(c.want))
			for _, d := range deltas {
				joined[d.Index].ID += d.ID
				joined[d.Index].Name += d.Name
				joined[d.Index].Args += d.Args
			}
			for i, p := range d.Parts.Calls() {
				if got := joined[i]; got.ID != p.ID || got.Name != p.Name || got.Args != "" && got.Args != string(p.Args)+p.Malformed {
					t.Errorf("the deltas of call %d are %+v", i, got)
				}
			}
		})
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		name   string
		deltas []string
		want   llm.Parts
	}{
		{
			"reasoning_content",
			[]string{`{"reasoning_content":"a"}`, `{"reasoning_content":"b"}`, `{"content":"c","reasoning_content":null}`},
			llm.Parts{llm.Thinking{Text: "ab"}, llm.Text{Text: "c"}},
		},
		{"reasoning", []string{`{"reasoning":"a"}`, `{"content":"c"}`}, llm.Parts{llm.Thinking{Text: "a"}, llm.Text{Text: "c"}}},
		{"twice the same", []string{`{"reasoning":"a","reasoning_content":"a"}`}, llm.Parts{llm.Thinking{Text: "a"}}},
		{"details", []string{
			`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]}`,
			`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","text":"","signature":"s","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.encrypted","data":"d1","index":1},{"type":"reasoning.encrypted","data":"d2","index":1}]}`,
		}, llm.Parts{llm.Thinking{Text: "ab", Raw: llm.Verbatim(`[{"format":"f","index":0,"signature":"s","text":"ab","type":"reasoning.text"},{"data":"d1","index":1,"type":"reasoning.encrypted"},{"data":"d2","index":1,"type":"reasoning.encrypted"}]`)}}},
		{"only in details", []string{`{"reasoning_details":[{"type":"reasoning.summary","summary":"s"}]}`}, llm.Parts{llm.Thinking{Text: "s", Raw: llm.Verbatim(`[{"summary":"s","type":"reasoning.summary"}]`)}}},
		{
			"pieces of content",
			[]string{`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}`, `{"content":[{"type":"text","text":"b"}]}`},
			llm.Parts{llm.Thinking{Text: "a"}, llm.Text{Text: "b"}},
		},
	} {
		d, _, err := ask(t, chunks(c.deltas...)+finish("stop")+done, openai.Quirks{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(c.want, d.Parts); diff != "" {
			t.Error(c.name, diff)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		usage string
		want  llm.Usage
	}{
		{`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":5}}`, llm.Usage{Input: 30, Output: 20, CacheRead: 60, CacheWrite: 10, Reasoning: 5}},
		{`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":170,"completion_tokens_details":{"reasoning_tokens":50}}`, llm.Usage{Input: 100, Output: 70, Reasoning: 50}},
		{`{"prompt_tokens":100,"completion_tokens":20,"prompt_cache_hit_tokens":90}`, llm.Usage{Input: 10, Output: 20, CacheRead: 90}},
		{`{"prompt_tokens":100,"completion_tokens":20,"cached_tokens":40}`, llm.Usage{Input: 60, Output: 20, CacheRead: 40}},
		{`{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":null}`, llm.Usage{Input: 100, Output: 20}},
		{`null`, llm.Usage{}},
	} {
		for _, body := range []string{
			finish("stop") + `data: {"choices":[],"usage":` + c.usage + "}\n\n" + done,
			`data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop","usage":` + c.usage + "}]}\n\n",
			finish("stop") + `data: {"choices":null,"x_groq":{"usage":` + c.usage + "}}\n\n" + done,
		} {
			if d, _, err := ask(t, body, openai.Quirks{}); err != nil || d.Usage != c.want {
				t.Errorf("%s: %+v %v", body, d.Usage, err)
			}
		}
	}
}

func TestFaultsInTheStream(t *testing.T) {
	text := chunks(`{"content":"a"}`)
	for _, c := range []struct {
		name string
		body string
		want error
	}{
		{"overloaded", text + `data: {"error":{"code":503,"message":"Provider overloaded"}}` + "\n\n", llm.ErrOverloaded},
		{"rate", text + `data: {"error":{"code":429,"message":"slow down"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}` + "\n\n", llm.ErrRateLimited},
		{"server", text + `data: {"error":{"message":"oops","type":"server_error","code":null}}` + "\n\n", llm.ErrServer},
		{"text", text + `data: {"error":"oops"}` + "\n\n", llm.ErrServer},
		{"too long", `data: {"error":{"message":"This model's maximum context length is 8 tokens","code":"context_length_exceeded"}}` + "\n\n", llm.ErrContextTooLong},
		{"vllm", `data: {"object":"error","message":"This model's maximum context length is 8 tokens","code":400}` + "\n\n", llm.ErrContextTooLong},
		{"error event", "event: error\ndata: {\"message\":\"oops\"}\n\n", llm.ErrServer},
		{"finish error", text + finish("error"), llm.ErrServer},
		{"no resources", text + finish("insufficient_system_resource"), llm.ErrOverloaded},
		{"no end", text, llm.ErrStream},
		{"half a chunk", text + `data: {"choi`, llm.ErrStream},
		{"JSON of something else", `{"hello":1}`, llm.ErrStream},
	} {
		if _, _, err := ask(t, c.body, openai.Quirks{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEnds(t *testing.T) {
	text := chunks(`{"content":"a"}`)
	for _, c := range []struct {
		name, body string
		q          openai.Quirks
		detail     string
	}{
		{"done without a reason", text + done, openai.Quirks{}, ""},
		{"a reason without done", text + finish("stop"), openai.Quirks{}, ""},
		{"what comes after done", text + finish("stop") + done + `{"error":{"message":"late"}}`, openai.Quirks{}, ""},
		{"an error after the reason", text + finish("stop") + `data: {"error":{"message":"could not bill"}}` + "\n\n", openai.Quirks{}, "could not bill"},
		{"neither, by quirk", text, openai.Quirks{NoEnd: true}, ""},
		{"not a stream", `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, openai.Quirks{}, ""},
		{"another choice", text + `data: {"choices":[{"index":1,"delta":{"content":"b"}}]}` + "\n\n" + done, openai.Quirks{}, ""},
		{"odd types", text + `data: {"model":7,"choices":[{"index":0,"delta":{"content":7}}]}` + "\n\n" + done, openai.Quirks{}, ""},
	} {
		d, _, err := ask(t, c.body, c.q)
		if err != nil || d.Parts.Text() != "a" || d.Stop != llm.StopEnd || d.Detail != c.detail {
			t.Errorf("%s: %+v %v", c.name, d, err)
		}
	}
}

// A server that says nothing more after the finish_reason has said all.
func TestAFinishedAnswerDoesNotStall(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, chunks(`{"content":"a"}`)+finish("stop"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	m := openai.New(openai.Options{Info: info("x", "m"), BaseURL: s.URL, HTTP: client(t), Idle: 50 * time.Millisecond})
	for chunk, err := range m.Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := chunk.(llm.Done); ok && d.Parts.Text() == "a" {
			return
		}
	}
	t.Error("no answer")
}

func TestWithoutAKeyNothingIsSent(t *testing.T) {
	m := openai.New(openai.Options{Info: info("openai", "gpt-5"), KeyFrom: "OPENAI_API_KEY"})
	for _, err := range m.Stream(t.Context(), llm.Request{}) {
		if !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
			t.Error(err)
		}
	}
}

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, chunks(`{"content":"Hel"}`, `{"content":"lo."}`)+finish("stop")+done)
	}))
	defer server.Close()

	model := openai.New(openai.Options{
		Info:    llm.Info{Provider: "ollama", Name: "qwen3:8b", Window: 32_768, MaxOutput: 8_192},
		BaseURL: server.URL,
		HTTP:    server.Client(),
	})
	req := llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "Say hello.")}}
	for chunk, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			fmt.Printf("%q\n", c.Text)
		case llm.Done:
			fmt.Println(c.Parts.Text(), c.Stop)
		}
	}
	// Output:
	// "Hel"
	// "lo."
	// Hello. end_turn
}
