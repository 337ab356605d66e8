package llmtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/minicode-go/minicode/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	plainMessages = `{"model":"claude-x","max_tokens":10,"stream":true,"messages":[{"role":"user","content":"hi"}]}`
	plainChat     = `{"model":"gpt-x","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`
)

func plainBody(w Wire) string {
	if w == OpenAI {
		return plainChat
	}
	return plainMessages
}

// post sends the body as an adapter would.
func post(ctx context.Context, t testing.TB, s *Server, w Wire, body string, header ...string) (*http.Response, error) {
	t.Helper()
	path := "/v1/messages"
	if w == OpenAI {
		path = "/v1/chat/completions"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return client.Do(r)
}

// get is the status, the body and how reading it ended.
func get(t testing.TB, s *Server, w Wire, body string, header ...string) (int, string, error) {
	t.Helper()
	resp, err := post(t.Context(), t, s, w, body, header...)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

func bothWires(t *testing.T, f func(*testing.T, Wire)) {
	for _, w := range []Wire{Anthropic, OpenAI} {
		t.Run(string(w), func(t *testing.T) { f(t, w) })
	}
}

// TestGolden holds the bytes of a rich answer on each wire.
func TestGolden(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		s := NewServer(New(t, Join(Think("hm \"so\"", "c2ln"), Redacted("AAAA"), Say("Well <é>\n"), Call("read_file", `{"path":"a"}`), Call("list_files", ""),
			Usage(llm.Usage{Input: 9, Output: 20, CacheRead: 30, CacheWrite: 4, Reasoning: 5}))))
		_, got, err := get(t, s, w, plainBody(w))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, string(w)+".sse", got)
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it was (-update rewrites it):\n%s", file, got)
	}
}

// TestBytes checks that tearing and line ends change nothing but themselves.
func TestBytes(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		a := Join(Say("some text"), CallID("c1", "x", `{}`))
		s := NewServer(New(t, a, Join(a, Bytes(1)), Join(a, CRLF(), Bytes(7)), Join(Say("x"), Raw(": hello\n\n"), After("tail"))))
		_, whole, _ := get(t, s, w, plainBody(w))
		_, torn, _ := get(t, s, w, plainBody(w))
		_, crlf, _ := get(t, s, w, plainBody(w))
		if same := strings.NewReplacer("0002", "0001").Replace(torn); same != whole {
			t.Errorf("torn:\n%s", same)
		}
		if same := strings.NewReplacer("0003", "0001", "\r\n", "\n").Replace(crlf); same != whole || !strings.Contains(crlf, "\r\n\r\n") {
			t.Errorf("CRLF:\n%q", crlf)
		}
		_, extra, _ := get(t, s, w, plainBody(w))
		if !strings.Contains(extra, "\n\n: hello\n\n") || !strings.HasSuffix(extra, "\n\ntail") {
			t.Errorf("extra:\n%s", extra)
		}
	})
}

func TestStreamFaults(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		s := NewServer(New(t, Join(Say("some"), Cut()), CutAt(50), Join(Say("some"), Reset()), Reset(), Join(Say("x"), Fail(&llm.Error{Kind: llm.ErrOverloaded})),
			Fail(&llm.Error{Kind: llm.ErrStream}), Fail(&llm.Error{Kind: llm.ErrUnreachable})))
		end := map[Wire]string{Anthropic: "message_stop", OpenAI: "[DONE]"}[w]
		_, body, err := get(t, s, w, plainBody(w))
		if err != nil || !strings.Contains(body, "some") || strings.Contains(body, end) {
			t.Errorf("Cut: %v\n%s", err, body)
		}
		_, body, err = get(t, s, w, plainBody(w))
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != 50 {
			t.Errorf("CutAt: %v\n%s", err, body)
		}
		if _, body, err = get(t, s, w, plainBody(w)); err == nil || strings.Contains(body, end) {
			t.Errorf("Reset after text: %v\n%s", err, body)
		}
		if status, _, err := get(t, s, w, plainBody(w)); err == nil || status != 0 {
			t.Errorf("Reset at once: %v, %d", err, status)
		}
		want := map[Wire]string{
			Anthropic: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			OpenAI:    "data: {\"error\":{\"message\":\"The server is currently overloaded with other requests. Please try again later.\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n",
		}[w]
		if status, body, err := get(t, s, w, plainBody(w)); err != nil || status != 200 || !strings.HasSuffix(body, want) {
			t.Errorf("Fail after text: %v, %d\n%s", err, status, body)
		}
		if _, body, err := get(t, s, w, plainBody(w)); err != nil || body == "" || strings.Contains(body, end) {
			t.Errorf("ErrStream: %v\n%s", err, body)
		}
		if _, _, err := get(t, s, w, plainBody(w)); err == nil {
			t.Errorf("ErrUnreachable gave an answer")
		}
	})
}

func TestStatuses(t *testing.T) {
	anthropic := func(code, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_0001"}`, code, message)
	}
	for _, c := range []struct {
		wire   Wire
		answer Answer
		status int
		body   string
		header string // "Name: value"
	}{
		{Anthropic, Status(529, nil, ""), 529, anthropic("overloaded_error", "Overloaded"), ""},
		{Anthropic, Status(429, http.Header{"Retry-After": {"7"}}, "wait"), 429, anthropic("rate_limit_error", "wait"), "Retry-After: 7"},
		{Anthropic, Status(400, nil, `{"x":1}`), 400, `{"x":1}`, "Content-Type: application/json"},
		{Anthropic, Status(502, nil, "<html>bad</html>"), 502, "<html>bad</html>", "Content-Type: text/html; charset=utf-8"},
		{Anthropic, Fail(&llm.Error{Kind: llm.ErrAuth, RetryAfter: -1}), 401, anthropic("authentication_error", "invalid x-api-key"), ""},
		{Anthropic, Fail(&llm.Error{Kind: llm.ErrRateLimited, RetryAfter: 1500 * time.Millisecond}), 429, anthropic("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"), "Retry-After-Ms: 1500"},
		{Anthropic, Fail(&llm.Error{Kind: llm.ErrOverloaded, RetryAfter: 0}), 529, anthropic("overloaded_error", "Overloaded"), "Retry-After: 0"},
		{Anthropic, Fail(&llm.Error{Kind: llm.ErrServer, RetryAfter: -1, Message: "oh"}), 500, anthropic("api_error", "oh"), ""},
		{Anthropic, TooLong(), 400, anthropic("invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum"), ""},
		{OpenAI, Fail(&llm.Error{Kind: llm.ErrOverloaded, RetryAfter: -1}), 503, `{"error":{"message":"The server is currently overloaded with other requests. Please try again later.","type":"server_error","param":null,"code":null}}`, ""},
		{OpenAI, Fail(&llm.Error{Kind: llm.ErrRateLimited, RetryAfter: -1, Code: "insufficient_quota"}), 429, `{"error":{"message":"Rate limit reached. Please try again later.","type":"requests","param":null,"code":"insufficient_quota"}}`, ""},
		{OpenAI, TooLong(), 400, `{"error":{"message":"This model's maximum context length is 200000 tokens. However, your messages resulted in 200001 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, ""},
	} {
		s := NewServer(New(t, c.answer))
		resp, err := post(t.Context(), t, s, c.wire, plainBody(c.wire))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || string(body) != c.body {
			t.Errorf("%s on %s: got %d\n%s\nwant %d\n%s", c.answer, c.wire, resp.StatusCode, body, c.status, c.body)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok && resp.Header.Get(name) != value {
			t.Errorf("%s on %s: headers %v", c.answer, c.wire, resp.Header)
		}
	}
}

// TestWaits checks that a stalled answer ends when the client leaves and when
// the server closes.
func TestWaits(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		s := NewServer(New(t, Hang(), Join(Say("some"), Hang()), Join(Say("more"), Hang()), Join(Stall(time.Millisecond), Delay(time.Millisecond), Say("a text of some pieces"))))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			asked(s, 1)
			cancel()
		}()
		if _, err := post(ctx, t, s, w, plainBody(w)); !errors.Is(err, context.Canceled) {
			t.Errorf("Hang: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		resp, err := post(ctx, t, s, w, plainBody(w))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "some") {
		}
		cancel()
		if rest, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("Hang after text: %v\n%s", err, rest)
		}
		_ = resp.Body.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = get(t, s, w, plainBody(w))
		}()
		if !asked(s, 3) {
			t.Fatal("the third request did not come")
		}
		if status, body, err := get(t, s, w, plainBody(w)); err != nil || status != 200 || !strings.Contains(body, "a text of so") {
			t.Errorf("Stall: %v, %d\n%s", err, status, body)
		}
		s.Close()
		<-done
	})
}

// asked waits until n requests came for an answer.
func asked(s *Server, n int) bool {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if s.Script.Asked() >= n {
			return true
		}
	}
	return false
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		wire   Wire
		header []string
		status int
		body   string
	}{
		{Anthropic, []string{"X-Api-Key", "good"}, 200, ""},
		{Anthropic, []string{"Authorization", "Bearer good"}, 200, ""},
		{Anthropic, []string{"X-Api-Key", "bad"}, 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_0001"}`},
		{Anthropic, nil, 401, `{"type":"error","error":{"type":"authentication_error","message":"x-api-key header is required"},"request_id":"req_0001"}`},
		{OpenAI, []string{"Authorization", "Bearer good"}, 200, ""},
		{OpenAI, []string{"X-Api-Key", "good"}, 401, "Incorrect API key"},
		{OpenAI, []string{"Authorization", "Bearer bad"}, 401, `"code":"invalid_api_key"`},
		{OpenAI, nil, 401, "You didn't provide an API key"},
	} {
		s := NewServer(New(nil, Join(Say("x"), Repeat(Forever))))
		s.Key = "good"
		status, body, err := get(t, s, c.wire, plainBody(c.wire), c.header...)
		if err != nil || status != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s %v: %d %v\n%s", c.wire, c.header, status, err, body)
		}
		s.Close()
		if err := s.Verify(); err != nil {
			t.Errorf("a wrong key is no fault of a test: %v", err)
		}
	}
}

// TestRefusals checks that a bad request uses no answer up and is told.
func TestRefusals(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		dir := t.TempDir()
		s := NewServer(New(nil, Say("x")))
		defer s.Close()
		s.Record = filepath.Join(dir, "requests")
		bad := strings.Replace(plainBody(w), `"content":"hi"`, `"content":""`, 1)
		status, body, err := get(t, s, w, bad)
		if err != nil || status != 400 || !strings.Contains(body, "invalid_request_error") || !strings.Contains(body, "empty") {
			t.Errorf("%d %v\n%s", status, err, body)
		}
		if status, body, _ := get(t, s, w, strings.Replace(plainBody(w), `"stream":true`, `"stream":false`, 1)); status != 400 || !strings.Contains(body, "stream") {
			t.Errorf("not streamed: %d\n%s", status, body)
		}
		if status, body, _ := get(t, s, w, plainBody(w), "Content-Type", "text/plain"); status != 400 || !strings.Contains(body, "content-type") {
			t.Errorf("content type: %d\n%s", status, body)
		}
		if status, _, _ := get(t, s, w, plainBody(w)); status != 200 {
			t.Errorf("the good request got %d", status)
		}
		if status, body, _ := get(t, s, w, plainBody(w)); status != 400 || !strings.Contains(body, "no answer is left") {
			t.Errorf("the extra request got %d\n%s", status, body)
		}
		got := fmt.Sprint(s.Verify())
		for _, want := range []string{"request 1, POST /v1/", "was refused", "request 2, POST", "request 3, POST", "no answer is left for request 2"} {
			if !strings.Contains(got, want) {
				t.Errorf("Verify does not say %q:\n%s", want, got)
			}
		}
		log, err := os.ReadFile(filepath.Join(s.Record, "refused.log"))
		if err != nil || bytes.Count(log, []byte("\n")) != 4 || !bytes.HasPrefix(log, []byte("001 POST /v1/")) {
			t.Errorf("refused.log: %v\n%s", err, log)
		}
	})
}

func TestUnknownPaths(t *testing.T) {
	s := NewServer(New(nil))
	defer s.Close()
	for path, want := range map[string]int{"/v1/models": 404, "/v1/messages": 405, "/v1/chat/completions": 405} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s gave %d", path, resp.StatusCode)
		}
	}
}

func TestRecords(t *testing.T) {
	s := NewServer(New(t, Join(Say("x"), Repeat(2))))
	s.Record = t.TempDir()
	s.Now = func() time.Time { return time.Unix(1700000000, 0).UTC() }
	for range 2 {
		if _, _, err := get(t, s, Anthropic, plainMessages, "X-Api-Key", "k<y"); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(s.Record, "002.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.Number != 2 || r.Wire != Anthropic || r.Path != "/v1/messages" || r.Header["X-Api-Key"][0] != "k<y" || !r.Time.Equal(s.Now()) || !bytes.Contains(data, []byte(plainMessages)) {
		t.Errorf("got %s", data)
	}
	if got := s.Requests(); len(got) != 2 || string(got[1].Body) != plainMessages {
		t.Errorf("got %v", got)
	}
}

func TestMaxInput(t *testing.T) {
	bothWires(t, func(t *testing.T, w Wire) {
		s := NewServer(New(t, Say("x")))
		s.MaxInput = 100
		long := strings.Replace(plainBody(w), `"hi"`, `"`+strings.Repeat("x", 1000)+`"`, 1)
		want := map[Wire]string{Anthropic: "prompt is too long: ", OpenAI: "maximum context length is 100 tokens"}[w]
		if status, body, _ := get(t, s, w, long); status != 400 || !strings.Contains(body, want) {
			t.Errorf("got %d\n%s", status, body)
		}
		if status, _, _ := get(t, s, w, plainBody(w)); status != 200 {
			t.Errorf("the short prompt got %d", status)
		}
	})
}

func TestServe(t *testing.T) {
	answers, err := ParseScript("say one\n\nsay two\nexpect nowhere\n\nsay three\n")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	dir := t.TempDir()
	go func() { ended <- Serve(ctx, l, New(nil, answers...), dir) }()
	s := &Server{URL: "http://" + l.Addr().String()}
	for _, want := range []int{200, 400} {
		if status, body, err := get(t, s, OpenAI, plainChat); err != nil || status != want {
			t.Errorf("got %d %v\n%s", status, err, body)
		}
	}
	cancel()
	got := fmt.Sprint(<-ended)
	for _, want := range []string{`the request does not hold "nowhere"`, "answer 3 was given 0 of 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("Serve does not say %q:\n%s", want, got)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(files) != 2 {
		t.Errorf("recorded %v", files)
	}
}

// TestThinkingMemory checks what comes back against what was sent.
func TestThinkingMemory(t *testing.T) {
	sent := withSignatures(Join(Think("hm", ""), Redacted("AAAA"), CallID("c1", "x", ""), Think("so", "sig"), CallID("c2", "x", "")))
	m := &memory{}
	m.remember(sent)
	hm := fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":%q},`, sign("hm"))
	body := func(kind, blocks, more string) []byte {
		return []byte(`{"thinking":{"type":"` + kind + `"},"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[` + blocks +
			`]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c2"}]}` + more + `]}`)
	}
	const redacted, c1, so, c2 = `{"type":"redacted_thinking","data":"AAAA"},`, `{"type":"tool_use","id":"c1"},`, `{"type":"thinking","thinking":"so","signature":"sig"},`, `{"type":"tool_use","id":"c2"}`
	const later = `,{"role":"assistant","content":"ok"},{"role":"user","content":"next"}`
	for name, c := range map[string]struct {
		body []byte
		want string // "" passes
	}{
		"all back":                   {body("enabled", hm+redacted+c1+so+c2, ""), ""},
		"none, thinking off":         {body("disabled", c1+c2, ""), ""},
		"none, thinking on":          {body("enabled", c1+c2, ""), "Expected `thinking`"},
		"none, in an older turn":     {body("enabled", c1+c2, later), ""},
		"one left out":               {body("enabled", hm+c1+so+c2, later), "cannot be modified"},
		"out of order":               {body("disabled", redacted+hm+c1+so+c2, ""), "cannot be modified"},
		"moved":                      {body("enabled", hm+redacted+so+c1+c2, ""), "cannot be modified"},
		"text changed":               {body("enabled", strings.Replace(hm, `"hm"`, `"hmm"`, 1)+redacted+c1+so+c2, ""), "Invalid `signature`"},
		"signature changed":          {body("enabled", hm+redacted+c1+strings.Replace(so, `"sig"`, `"gis"`, 1)+c2, later), "Invalid `signature`"},
		"data changed":               {body("enabled", hm+strings.Replace(redacted, "AAAA", "AAAB", 1)+c1+so+c2, ""), "Invalid `data`"},
		"another server's, signed":   {[]byte(`{"messages":[{"role":"assistant","content":[` + hm + `{"type":"tool_use","id":"other"}]}]}`), ""},
		"another server's, unsigned": {[]byte(`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"q","signature":"s"},{"type":"tool_use","id":"other"}]}]}`), "Invalid `signature`"},
	} {
		got := joinFaults(m.check(c.body))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
