package anthropic_test

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

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is what comes of a server that sends these events.
func answer(t *testing.T, events ...string) (llm.Done, error) {
	t.Helper()
	return ask(t, strings.Join(events, ""))
}

func ask(t *testing.T, body string) (llm.Done, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }))
	defer s.Close()
	m := anthropic.New(anthropic.Options{Info: info("claude-sonnet-4-5"), BaseURL: s.URL, HTTP: client(t)})
	for chunk, err := range m.Stream(t.Context(), llm.Request{}) {
		if err != nil {
			return llm.Done{}, err
		}
		if d, ok := chunk.(llm.Done); ok {
			return d, nil
		}
	}
	t.Fatal("no end")
	return llm.Done{}, nil
}

func event(data string) string { return "data: " + data + "\n\n" }

func start() string {
	return event(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}`)
}

func block(index int, head string, deltas ...string) string {
	s := event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, head))
	for _, d := range deltas {
		s += event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
	}
	return s + event(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func stop(reason string) string {
	return event(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":7}}`, reason)) + event(`{"type":"message_stop"}`)
}

func TestStopReasons(t *testing.T) {
	for _, c := range []struct{ reason, stop, detail string }{
		{"end_turn", "end_turn", ""},
		{"max_tokens", "max_tokens", ""},
		{"pause_turn", "pause_turn", ""},
		{"refusal", "refusal", ""},
		{"stop_sequence", "stop_sequence", ""},
		{"tool_use", "tool_use", ""},
		{"model_context_window_exceeded", "model_context_window_exceeded", ""},
		{"bored", "bored", "stop reason bored"},
		{"", "end_turn", ""},
	} {
		d, err := answer(t, start(), block(0, `{"type":"text","text":""}`, `{"type":"text_delta","text":"a"}`), stop(c.reason))
		if err != nil || string(d.Stop) != c.stop || d.Detail != c.detail {
			t.Errorf("%q: %+v %v", c.reason, d, err)
		}
	}
}

func TestRefusalSaysWhy(t *testing.T) {
	d, err := answer(t, start(), event(`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"no"}}}`), event(`{"type":"message_stop"}`))
	if err != nil || d.Stop != llm.StopRefusal || d.Detail != "cyber: no" || len(d.Parts) != 0 {
		t.Errorf("%+v %v", d, err)
	}
}

func TestBlocks(t *testing.T) {
	d, err := answer(
		t, start(),
		block(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"a"}`, `{"type":"thinking_delta","thinking":"b"}`, `{"type":"signature_delta","signature":"s1"}`, `{"type":"signature_delta","signature":"s2"}`),
		block(1, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"signature_delta","signature":"omitted"}`),
		block(2, `{"type":"redacted_thinking", "data":"x<y"}`),
		block(3, `{"type":"text","text":"he"}`, `{"type":"text_delta","text":"llo"}`),
		block(4, `{"type":"text","text":""}`, `{"type":"text_delta","text":" \n"}`),
		block(5, `{"type":"new_thing","v":[1, 2]}`, `{"type":"new_delta","v":1}`),
		block(6, `{"type":"server_tool_use","id":"srv","name":"web_search","input":{},"caller":{"type":"direct"}}`, `{"type":"input_json_delta","partial_json":"{\"query\":"}`, `{"type":"input_json_delta","partial_json":" 1}"}`),
		block(7, `{"type":"tool_use","id":"t1","name":"x","input":{}}`),
		block(8, `{"type":"tool_use","id":"t2","name":"y","input":{"a":1}}`),
		block(9, `{"type":"tool_use","id":"t3","name":"z","input":{}}`, `{"type":"input_json_delta","partial_json":"[1]"}`),
		stop("tool_use"),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Parts{
		llm.Thinking{Text: "ab", Signature: "s1s2"},
		llm.Thinking{Signature: "omitted"},
		llm.Thinking{Raw: llm.Verbatim(`{"type":"redacted_thinking", "data":"x<y"}`)},
		llm.Text{Text: "hello"},
		llm.Thinking{Raw: llm.Verbatim(`{"type":"new_thing","v":[1, 2]}`)},
		llm.Thinking{Raw: llm.Verbatim(`{"type":"server_tool_use","id":"srv","name":"web_search","input":{"query": 1},"caller":{"type":"direct"}}`)},
		llm.ToolCall{ID: "t1", Name: "x", Args: json.RawMessage(`{}`)},
		llm.ToolCall{ID: "t2", Name: "y", Args: json.RawMessage(`{"a":1}`)},
		llm.ToolCall{ID: "t3", Name: "z", Malformed: "[1]"},
	}
	if diff := cmp.Diff(want, d.Parts); diff != "" {
		t.Error(diff)
	}
	if want := (llm.Usage{Input: 5, Output: 7}); d.Usage != want || d.Model != "m" {
		t.Errorf("%+v", d)
	}
}

func TestFaultsInTheStream(t *testing.T) {
	text := block(0, `{"type":"text","text":"a"}`)
	for _, c := range []struct {
		name string
		body string
		want error
	}{
		{"overloaded", start() + text + "event: error\n" + event(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.ErrOverloaded},
		{"rate", event(`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`), llm.ErrRateLimited},
		{"server", event(`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`), llm.ErrServer},
		{"timeout", event(`{"type":"error","error":{"type":"timeout_error","message":"Request timed out"}}`), llm.ErrServer},
		{"auth", event(`{"type":"error","error":{"type":"authentication_error","message":"revoked"}}`), llm.ErrAuth},
		{"request", event(`{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}`), llm.ErrRequest},
		{"too long", event(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1 > 0"}}`), llm.ErrContextTooLong},
		{"a gateway's", start() + event(`{"error":{"message":"upstream gone","code":502}}`), llm.ErrServer},
		{"no end", start() + text, llm.ErrStream},
		{"a stop reason but no end", start() + text + event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`), llm.ErrStream},
		{"half an event", start() + `data: {"type":"mess`, llm.ErrStream},
		{"JSON of something else", `{"hello":1}`, llm.ErrStream},
		{"plain words", "Service temporarily gone", llm.ErrStream},
	} {
		if _, err := ask(t, c.body); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWithoutAKeyNothingIsSent(t *testing.T) {
	m := anthropic.New(anthropic.Options{Info: info("claude-sonnet-4-5"), KeyFrom: "ANTHROPIC_API_KEY"})
	for _, err := range m.Stream(t.Context(), llm.Request{}) {
		if !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
			t.Error(err)
		}
	}
}

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, start()+block(0, `{"type":"text","text":"Hello."}`)+stop("end_turn"))
	}))
	defer server.Close()

	model := anthropic.New(anthropic.Options{
		Info:    llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 64_000},
		BaseURL: server.URL,
		Key:     "sk-ant-1",
		KeyFrom: "ANTHROPIC_API_KEY",
		HTTP:    server.Client(),
	})
	req := llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "Say hello.")}}
	for chunk, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if d, ok := chunk.(llm.Done); ok {
			fmt.Println(d.Parts.Text(), d.Stop, d.Usage.Total())
		}
	}
	// Output: Hello. end_turn 12
}
