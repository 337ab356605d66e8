package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/openai"
)

// recording is one interaction with a real provider. They are read from
// outside the tree.
type recording struct {
	Provider string
	API      string
	Response struct {
		Status  int
		Headers map[string]string
		Body    string
	}
}

func recorded(t *testing.T, name string) recording {
	t.Helper()
	dir := os.Getenv("MINICODE_RECORDED")
	if dir == "" {
		t.Skip("MINICODE_RECORDED names no directory of recorded interactions")
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// model asks a server that gives the recorded answer, torn at random places.
func (r recording) model(t *testing.T, seed uint64) llm.Model {
	s, client := serve(t, func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		for k, v := range r.Response.Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(r.Response.Status)
		rnd := rand.New(rand.NewPCG(seed, 1))
		for body := r.Response.Body; body != ""; {
			n := min(len(body), 1+rnd.IntN(400))
			send(w, body[:n])
			body = body[n:]
		}
	})
	info := llm.Info{Provider: r.Provider, Name: "m", MaxOutput: 1000}
	if strings.HasPrefix(r.API, "anthropic") {
		return anthropic.New(anthropic.Options{Info: info, BaseURL: s.URL, Key: "k", KeyFrom: "MY_KEY", HTTP: client})
	}
	return openai.New(openai.Options{Info: info, BaseURL: s.URL, Key: "k", KeyFrom: "MY_KEY", HTTP: client})
}

// told is the answer in the form of testdata/recorded.txt.
func told(t *testing.T, m llm.Model) string {
	t.Helper()
	var text, thinking strings.Builder
	args := map[int]string{}
	for chunk, err := range m.Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			text.WriteString(c.Text)
		case llm.ThinkingDelta:
			thinking.WriteString(c.Text)
		case llm.CallDelta:
			args[c.Index] += c.Args
		case llm.Done:
			checkDeltas(t, c, text.String(), thinking.String(), args)
			return show(c)
		}
	}
	t.Fatal("the answer has no end")
	return ""
}

func checkDeltas(t *testing.T, d llm.Done, text, thinking string, args map[int]string) {
	t.Helper()
	var thought string
	for _, p := range d.Parts {
		if p, ok := p.(llm.Thinking); ok {
			thought += p.Text
		}
	}
	if d.Parts.Text() != text && strings.TrimSpace(text) != "" || thought != thinking {
		t.Error("the deltas are not the answer")
	}
	for i, c := range d.Parts.Calls() {
		if args[i] != "" && args[i] != string(c.Args)+c.Malformed {
			t.Errorf("call %d: the deltas are %s", i, args[i])
		}
	}
}

func show(d llm.Done) string {
	short := func(s string) string {
		r := []rune(s)
		return fmt.Sprintf("%d %s", len(s), strconvQuote(string(r[:min(16, len(r))])))
	}
	var b strings.Builder
	u := d.Usage
	fmt.Fprintf(&b, "%s %s in=%d out=%d read=%d write=%d reasoning=%d\n", d.Model, d.Stop, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning)
	for _, p := range d.Parts {
		switch p := p.(type) {
		case llm.Text:
			fmt.Fprintf(&b, "text(%s)\n", short(p.Text))
		case llm.Thinking:
			var head struct {
				Type string `json:"type"`
			}
			switch {
			case p.Signature != "":
				fmt.Fprintf(&b, "thinking(%s signature %d)\n", short(p.Text), len(p.Signature))
			case p.Raw == nil:
				fmt.Fprintf(&b, "thinking(%s details no)\n", short(p.Text))
			case json.Unmarshal(p.Raw, &head) == nil:
				fmt.Fprintf(&b, "raw(%s)\n", head.Type)
			default:
				fmt.Fprintf(&b, "thinking(%s details yes)\n", short(p.Text))
			}
		case llm.ToolCall:
			args := string(p.Args)
			switch {
			case p.Malformed != "":
				args = fmt.Sprintf("malformed %d", len(p.Malformed))
			case len(args) >= 90:
				args = short(args)
			}
			fmt.Fprintf(&b, "%s[%s %s]\n", p.Name, p.ID, args)
		}
	}
	return b.String()
}

func strconvQuote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func TestRecordedAnswers(t *testing.T) {
	data, err := os.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	for entry := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		name, want, _ := strings.Cut(entry, "\n")
		t.Run(name, func(t *testing.T) {
			r := recorded(t, name)
			for seed := range uint64(3) {
				if diff := cmp.Diff(want+"\n", told(t, r.model(t, seed))); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

// Every stream that is cut before its end is a fault, wherever it is cut.
func TestRecordedAnswersCut(t *testing.T) {
	for _, name := range []string{"anthropic-parallel-tools-1", "openai-chat-parallel-tool-calls-1"} {
		r := recorded(t, name)
		end := strings.LastIndex(r.Response.Body, "event: message_stop")
		if end < 0 {
			end = strings.Index(r.Response.Body, `"finish_reason":"tool_calls"`)
		}
		for at := 0; at < end; at += 1 + end/25 {
			cut := r
			cut.Response.Body = r.Response.Body[:at]
			var err error
			for _, e := range cut.model(t, 0).Stream(t.Context(), llm.Request{}) {
				err = e
			}
			if !errors.Is(err, llm.ErrStream) {
				t.Errorf("%s cut at %d of %d: %v", name, at, end, err)
			}
		}
	}
}

func TestRecordedFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		kind error
		code string
		say  string
	}{
		{"anthropic-error-4xx-1", llm.ErrRequest, "not_found_error", "model: claude-3-5-haiku-20241022"},
		{"openai-compatible-error-401-1", llm.ErrAuth, "invalid_request_error", "(the key is from MY_KEY)"},
		{"openai-compatible-error-401-2", llm.ErrAuth, "401", "No cookie auth credentials found"},
		{"openrouter-error-429-1", llm.ErrRateLimited, "429", "qwen/qwen3-next-80b-a3b-instruct is temporarily rate-limited upstream"},
		{"openrouter-error-429-2", llm.ErrRateLimited, "429", "moonshotai/kimi-k2-0905 is temporarily rate-limited upstream"},
		{"gateway-error-5xx-1", llm.ErrServer, "server_error", "We encountered an error processing your request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := recorded(t, c.name)
			var err error
			for _, e := range r.model(t, 0).Stream(t.Context(), llm.Request{}) {
				err = e
			}
			var e *llm.Error
			if !errors.As(err, &e) || !errors.Is(e, c.kind) || e.Code != c.code || e.Status != r.Response.Status || !strings.Contains(e.Message, c.say) {
				t.Errorf("%+v", e)
			}
		})
	}
}
