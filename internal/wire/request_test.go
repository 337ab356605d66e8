package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve is a server and a client that leaves no connection behind.
func serve(t *testing.T, h http.HandlerFunc) (*httptest.Server, *http.Client) {
	t.Helper()
	s := httptest.NewServer(h)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.CloseClientConnections()
		s.Close()
	})
	return s, client
}

func collect(ctx context.Context, r wire.Request) (got []string, err error) {
	for e, err := range r.Events(ctx) {
		if err != nil {
			return got, err
		}
		got = append(got, string(e.Data))
	}
	return got, nil
}

func TestEvents(t *testing.T) {
	var seen string
	s, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = r.Method + " " + r.Header.Get("X-Api-Key") + " " + string(body)
		io.WriteString(w, "data: a\n\n: ping\n\ndata: b\n\n")
	})
	got, err := collect(t.Context(), wire.Request{URL: s.URL, HTTP: client, Body: []byte("{}"), Header: http.Header{"X-Api-Key": {"k"}}})
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if seen != "POST k {}" {
		t.Error(seen)
	}
}

func TestTheConnectionIsUsedAgain(t *testing.T) {
	conns := map[string]bool{}
	s, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conns[r.RemoteAddr] = true
		io.WriteString(w, "data: a\n\ndata: rest\n\n")
	})
	for range 3 {
		for range (wire.Request{URL: s.URL, HTTP: client}).Events(t.Context()) {
			break
		}
	}
	if len(conns) != 1 {
		t.Errorf("%d connections for 3 requests", len(conns))
	}
}

// reply is a whole answer of a server.
type reply struct {
	status int
	header map[string]string
	body   string
}

func TestFaults(t *testing.T) {
	const date = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, c := range []struct {
		name string
		reply
		want error
		code string
		say  string // in the message
		wait time.Duration
		no   bool // not to be tried again
	}{
		{"anthropic 401", reply{401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}`}, llm.ErrAuth, "authentication_error", "(the key is from MY_KEY)", -1, true},
		{"openai 401", reply{401, nil, `{"error":{"message":"Incorrect API key provided: sk-x","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`}, llm.ErrAuth, "invalid_api_key", "Incorrect API key", -1, true},
		{"numeric code", reply{401, nil, `{"error":{"message":"No cookie auth credentials found","code":401}}`}, llm.ErrAuth, "401", "No cookie", -1, true},
		{"google's key", reply{400, nil, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`}, llm.ErrAuth, "INVALID_ARGUMENT", "API key not valid", -1, true},
		{"forbidden by a firewall", reply{403, nil, "<html><head><title>Attention Required!</title></head></html>"}, llm.ErrRequest, "", `"Attention Required!"`, -1, true},
		{"404", reply{404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`}, llm.ErrRequest, "not_found_error", "model: claude-x", -1, true},
		{"404 page", reply{404, nil, "<!DOCTYPE html><title>Not &amp; found</title>"}, llm.ErrRequest, "", "check the base URL", -1, true},
		{"402", reply{402, nil, `{"error":{"message":"Insufficient credits","code":402}}`}, llm.ErrRequest, "402", "Insufficient credits", -1, true},
		{"fastapi", reply{422, nil, `{"detail":[{"loc":["body"],"msg":"Field required","type":"missing"}]}`}, llm.ErrRequest, "", "Field required", -1, true},
		{"text", reply{400, nil, "bad\n  request"}, llm.ErrRequest, "", "bad request", -1, true},
		{"nothing", reply{400, nil, ""}, llm.ErrRequest, "", "", -1, true},
		{"seconds", reply{429, map[string]string{"Retry-After": "7"}, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute"}}`}, llm.ErrRateLimited, "rate_limit_error", "rate limit", 7 * time.Second, false},
		{"milliseconds win", reply{429, map[string]string{"Retry-After": "7", "Retry-After-Ms": "1500"}, ``}, llm.ErrRateLimited, "", "", 1500 * time.Millisecond, false},
		{"date", reply{503, map[string]string{"Date": date, "Retry-After": "Mon, 02 Jan 2006 15:05:35 GMT"}, ``}, llm.ErrOverloaded, "", "", 90 * time.Second, false},
		{"date gone by", reply{503, map[string]string{"Date": date, "Retry-After": "Mon, 02 Jan 2006 15:00:00 GMT"}, ``}, llm.ErrOverloaded, "", "", 0, false},
		{"date gone by, and no clock", reply{503, map[string]string{"Date": "-", "Retry-After": date}, ``}, llm.ErrOverloaded, "", "", 0, false},
		{"retryDelay", reply{429, nil, `{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`}, llm.ErrRateLimited, "RESOURCE_EXHAUSTED", "exhausted", 34 * time.Second, false},
		{"behind a gateway", reply{429, nil, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"m is temporarily rate-limited upstream","provider_name":"X"}}}`}, llm.ErrRateLimited, "429", "rate-limited upstream", -1, false},
		{"no credit left", reply{429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`}, llm.ErrRateLimited, "insufficient_quota", "quota", -1, true},
		{"told not to try", reply{500, map[string]string{"X-Should-Retry": "false"}, ``}, llm.ErrServer, "", "", -1, true},
		{"told to try", reply{400, map[string]string{"X-Should-Retry": "true"}, ``}, llm.ErrServer, "", "", -1, false},
		{"529", reply{529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, llm.ErrOverloaded, "overloaded_error", "Overloaded", -1, false},
		{"500 that is overload", reply{500, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, llm.ErrOverloaded, "overloaded_error", "", -1, false},
		{"502 page", reply{502, nil, "<html>\n<head><title>502 Bad Gateway</title></head></html>"}, llm.ErrServer, "", `"502 Bad Gateway"`, -1, false},
		{"500", reply{500, nil, `{"error":{"message":"oops","type":"server_error","code":null}}`}, llm.ErrServer, "server_error", "oops", -1, false},
		{"408", reply{408, nil, ``}, llm.ErrServer, "", "", -1, false},
		{"409", reply{409, nil, ``}, llm.ErrServer, "", "", -1, false},
		{"425", reply{425, nil, ``}, llm.ErrServer, "", "", -1, false},
		{"ollama", reply{500, nil, `{"error":"model runner has unexpectedly stopped"}`}, llm.ErrServer, "", "unexpectedly stopped", -1, false},
		{"page with status 200", reply{200, nil, "\n<html><title>Login</title></html>"}, llm.ErrRequest, "", `"Login"`, -1, true},
		{"error with status 200", reply{200, nil, `{"error":{"message":"Overloaded","code":529}}`}, llm.ErrOverloaded, "529", "Overloaded", -1, false},
		{"empty answer", reply{200, nil, ""}, llm.ErrStream, "", "empty", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			_, err := collect(t.Context(), wire.Request{Provider: "p", Key: "MY_KEY", URL: s.URL, HTTP: client})
			var e *llm.Error
			if !errors.As(err, &e) || !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if e.Code != c.code || !strings.Contains(e.Message, c.say) || e.RetryAfter != c.wait || e.Retryable() == c.no {
				t.Errorf("%+v", e)
			}
			if strings.ContainsAny(e.Message, "\n\r") {
				t.Errorf("more than one line: %q", e.Message)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	type say struct {
		status int
		body   string
	}
	for _, c := range []say{
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212931 tokens > 200000 maximum"}}`},
		{400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000\"}}"},
		{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		{400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","code":"context_length_exceeded"}}`},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`},
		{400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens","code":400}}`},
		{400, `{"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`},
		{400, `{"object":"error","message":"This model's maximum context length is 32768 tokens.","type":"BadRequestError","code":400}`},
		{500, `{"error":"the input length exceeds the context length"}`},
		{400, `{"error":"Trying to keep the first 4100 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`},
		{400, `{"error":{"message":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}}`},
		{400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144"}}`},
		{400, `{"error":{"message":"prompt token count of 140000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`},
		{400, `{"message":"input is too long for requested model"}`},
		{400, `{"error":{"message":"Prompt exceeds max length","code":"1261"}}`},
		{400, `{"error":{"message":"Range of input length should be [1, 129024]"}}`},
		{400, `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 350123 tokens. Please shorten them.","type":"invalid_request_error"}}`},
		{413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":""}}`},
		{400, `{"error":{"code":"tokens_limit_reached","message":"Too much."}}`},
		{400, "Request body too large for gpt-4o model. Max size: 8000 tokens."},
		{400, `{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}`},
		{422, "{\"error\":\"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000\",\"error_type\":\"validation\"}"},
		{422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 `max_new_tokens`\",\"error_type\":\"validation\"}"},
		{400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 6354. Try using a shorter prompt, or one of the longer models."}`},
		{400, `{"message":"too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value."}`},
		{400, `{"error":{"code":"1261","message":"Prompt 超长"}}`},
		{400, `{"error":{"message":"输入长度超过模型限制"}}`},
		{400, `{"error":{"code":"InvalidParameter","message":"Total tokens of image and text exceed max message tokens.","param":"","type":"BadRequest"}}`},
		{400, `{"error":{"code":"InvalidParameter","message":"Input length 203743 exceeds the maximum length 202752"}}`},
		{400, `{"error":{"code":400,"message":"Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}`},
		{400, `{"error":{"message":"Requested tokens (140000) exceed the maximum context of the model","type":"invalid_message","code":400}}`},
		{400, `{"detail":"Requested input length 140000 exceeds maximum input length 131072"}`},
		{400, `{"code":400,"reason":"INVALID_REQUEST_BODY","message":"prompt length 140000 exceeds model max input length 131072","metadata":{}}`},
		{400, `{"error":{"message":"Invalid request: Input token length too long","type":"invalid_request_error"}}`},
		{400, `{"errors":[{"code":"invalid_input_argument","message":"Invalid input argument for Model 'x': the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model"}],"status_code":400}`},
		{200, `{"error_code":336007,"error_msg":"prompt tokens too long","id":"x"}`},
		{400, `{"error":{"code":"tokens_too_long","message":"the input is over 131072","type":"invalid_request_error"}}`},
		{400, `{"object":"error","message":"The input (160062 tokens) is longer than the model's context length (59862 tokens)."}`},
		{400, `{"error":"Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."}`},
		{400, `{"error":{"message":"Request input tokens exceed model token limit. Reduce the input size."}}`},
		{400, `{"error":{"message":"Prompt tokens (9000) exceeds context size (8192)","type":"context_exceeded"}}`},
		{400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum","type":"invalid_request_error"}`},
		{200, `{"type":"error","error":{"message":"The input token count exceeds what this model supports"}}`}, // in a stream
	} {
		if e := wire.Fault("p", c.status, nil, []byte(c.body)); !errors.Is(e, llm.ErrContextTooLong) {
			t.Errorf("%s: %v", c.body, e)
		}
	}
	for _, c := range []say{
		{429, `{"error":{"message":"Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`},
		{413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size","type":"tokens","code":"rate_limit_exceeded"}}`},
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests: prompt is too long for the window of your plan."}}`},
		{400, `{"message":"Too many tokens, please wait before trying again. Maximum context length is fine."}`},
		{400, `{"error":{"message":"Input tokens exceed the limit of 30000 tokens per minute"}}`},
		{413, `{"error":{"message":"Request too large for gpt-4o on input tokens per min: Limit 30000, Requested 40000"}}`},
		{400, `{"error":{"message":"The number of prompt tokens exceeds 1000000 tokens per day"}}`},
		{429, `{"error":{"code":"1302","message":"prompt 过长"}}`},
	} {
		if e := wire.Fault("p", c.status, nil, []byte(c.body)); !errors.Is(e, llm.ErrRateLimited) {
			t.Errorf("%s: %v", c.body, e)
		}
	}
	for _, c := range []say{
		{500, `{"error":"context deadline exceeded"}`},
		{400, `{"error":{"message":"max_tokens is too large: 900000. This model supports at most 16384 completion tokens"}}`},
		{400, `{"error":{"message":"messages.3: tool_use ids must be unique"}}`},
		// limits of an answer
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x"}}`},
		{400, "{\"error\":{\"message\":\"max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000\",\"type\":\"invalid_request_error\"}}"},
		{400, `{"error":{"code":"InvalidParameter","message":"The parameter max_tokens specified in the request is not valid: it must not exceed 12288, whatever the prompt length"}}`},
		{400, `{"message":"The maximum tokens you requested exceeds the model limit of 32768"}`},
		{400, `{"message":"max_completion_tokens exceeds the limit; input tokens are counted apart"}`},
		{400, `{"error":{"message":"Range of max_tokens should be [1, 8192]"}}`},
		{422, "{\"error\":\"Input validation error: `max_new_tokens` must be <= 192. Given: 1000\"}"},
		{400, `{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).","status":"INVALID_ARGUMENT"}}`},
		{400, `{"error":{"message":"thinking.budget_tokens: Input should be greater than or equal to 1024; input tokens exceed it"}}`},
		// what an account may use
		{400, `{"error":{"message":"The prompt tokens of this month exceed your monthly quota"}}`},
		{400, `{"error":{"message":"Input tokens exceed the balance of your account"}}`},
		{402, `{"error":{"message":"Prompt tokens limit exceeded: 12345 > 8000. To increase it, buy more","code":402}}`},
		{403, `{"error":{"message":"input tokens exceed what is free"}}`},
		// pictures, names and descriptions that are too large
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"}}`},
		{400, `{"error":{"message":"Input image is too large: its size exceeds 20 MB","code":"invalid_input_argument"}}`},
		{400, `{"error":{"message":"Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.","code":"string_above_max_length"}}`},
		{400, `{"error":{"message":"Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.","code":"string_above_max_length"}}`},
		{400, `{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.","code":"array_above_max_length"}}`},
		{400, `{"error":{"message":"tools.0.custom.description: exceeds the maximum length of 1024 characters"}}`},
		// what else speaks of tokens
		{400, `{"error":{"message":"The prompt has the special token <|endoftext|>, which is not allowed"}}`},
		{400, `{"error":{"message":"Unexpected token < in JSON at position 4 of the input"}}`},
		{400, `{"error":{"message":"Invalid token: the session's token is too long ago","code":"invalid_input_argument"}}`},
		{500, `{"error":{"message":"input token counter exceeded its deadline"}}`},
	} {
		if e := wire.Fault("p", c.status, nil, []byte(c.body)); errors.Is(e, llm.ErrContextTooLong) {
			t.Errorf("%s: %v", c.body, e)
		}
	}
}

func TestRedirects(t *testing.T) {
	var leaked string
	other, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		leaked = r.Header.Get("X-Api-Key") + r.Header.Get("Authorization") + " asked"
	})
	var s *httptest.Server
	s, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/moved":
			http.Redirect(w, r, "/here", http.StatusMovedPermanently)
		case "/same":
			http.Redirect(w, r, "/here", http.StatusPermanentRedirect)
		default:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "data: %s %s %s\n\n", r.Method, r.Header.Get("X-Api-Key"), body)
		}
	})
	ask := func(path string) ([]string, error) {
		return collect(t.Context(), wire.Request{URL: s.URL + path, HTTP: client, Body: []byte("{}"), Header: http.Header{"X-Api-Key": {"key"}, "Authorization": {"Bearer key"}}})
	}
	for _, path := range []string{"/away", "/moved"} {
		if _, err := ask(path); !errors.Is(err, llm.ErrRequest) || !strings.Contains(err.Error(), "base URL") {
			t.Error(path, err)
		}
	}
	if leaked != "" {
		t.Error("the other host was", leaked)
	}
	if got, err := ask("/same"); err != nil || len(got) != 1 || got[0] != "POST key {}" {
		t.Error(got, err)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + l.Addr().String()
	l.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer secure.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		url   string
		final bool
	}{{refusing, false}, {"http://no.such.host.invalid", false}, {secure.URL, true}} {
		_, err := collect(t.Context(), wire.Request{Provider: "p", URL: c.url, HTTP: client})
		var e *llm.Error
		if !errors.As(err, &e) || !errors.Is(err, llm.ErrUnreachable) || e.Final != c.final {
			t.Errorf("%s: %+v", c.url, err)
		}
	}
}

func TestWhatCannotBeSentIsNotTriedAgain(t *testing.T) {
	const good = "http://127.0.0.1:1"
	for _, c := range []struct {
		url, header, value string
		want               error
	}{
		{"localhost:1/v1", "", "", llm.ErrRequest},
		{"http:/v1", "", "", llm.ErrRequest},
		{"http://:80", "", "", llm.ErrRequest},
		{"ftp://host/", "", "", llm.ErrRequest},
		{"", "", "", llm.ErrRequest},
		{"http://127.0.0.1:99999", "", "", llm.ErrRequest},
		{good, "X A", "b", llm.ErrRequest},
		{good, "X-A", "b\nc", llm.ErrRequest},
		{good, "X-Api-Key", "sk-\nx", llm.ErrAuth},
		{good, "Authorization", "Bearer \x7f", llm.ErrAuth},
	} {
		h := http.Header{"X-Fine_1~": {"ä\tb"}}
		if c.header != "" {
			h[c.header] = []string{c.value}
		}
		_, err := collect(t.Context(), wire.Request{Provider: "p", Key: "MY_KEY", URL: c.url, Header: h})
		var e *llm.Error
		if !errors.As(err, &e) || !errors.Is(err, c.want) || e.Retryable() {
			t.Errorf("%q, %q: %+v", c.url, c.header, err)
		}
		if errors.Is(err, llm.ErrAuth) && !strings.Contains(err.Error(), "MY_KEY") {
			t.Errorf("not said where the key is from: %v", err)
		}
	}
}

func TestABrokenStream(t *testing.T) {
	s, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "data: a\n\ndata: half")
	})
	got, err := collect(t.Context(), wire.Request{URL: s.URL, HTTP: client})
	if len(got) != 1 || !errors.Is(err, llm.ErrStream) {
		t.Error(got, err)
	}
}

func TestCancelling(t *testing.T) {
	stop := errors.New("by the person")
	release := make(chan struct{})
	s, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			io.WriteString(w, "data: a\n\n")
			w.(http.Flusher).Flush()
		}
		<-release
	})
	for _, path := range []string{"/", "/stream"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			if path == "/" {
				cancel(stop)
			}
		}()
		began := time.Now()
		var err error
		for _, e := range (wire.Request{URL: s.URL + path, HTTP: client}).Events(ctx) {
			cancel(stop)
			err = e
		}
		if !errors.Is(err, stop) || time.Since(began) > 5*time.Second {
			t.Error(path, err, time.Since(began))
		}
	}
	close(release)
}

// pipe is a server over in-memory connections, so that synctest's clock rules.
func pipe(t *testing.T, h http.HandlerFunc) *http.Client {
	conns := make(chan net.Conn)
	s := &http.Server{Handler: h}
	go s.Serve(listener(conns))
	tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		conns <- b
		return a, nil
	}}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		s.Close()
	})
	return &http.Client{Transport: tr}
}

type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l listener) Close() error   { close(l); return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

func TestWatchdog(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, gone <-chan struct{})
		took  time.Duration // 0: no stall
		read  time.Duration // how long the reader takes for an event
	}{
		{"no answer", func(_ http.ResponseWriter, gone <-chan struct{}) { <-gone }, 60 * time.Second, 0},
		{"headers only", func(w http.ResponseWriter, gone <-chan struct{}) { w.(http.Flusher).Flush(); <-gone }, 60 * time.Second, 0},
		{"silence after an event", func(w http.ResponseWriter, gone <-chan struct{}) { send(w, "data: a\n\n"); <-gone }, 10 * time.Second, 0},
		{"comments are life", func(w http.ResponseWriter, _ <-chan struct{}) {
			for range 20 {
				send(w, ": still here\n")
				time.Sleep(9 * time.Second)
			}
			send(w, "data: a\n\n")
		}, 0, 0},
		{"a slow reader is not a stall", func(w http.ResponseWriter, _ <-chan struct{}) {
			for range 3 {
				send(w, "data: a\n\n")
			}
		}, 0, time.Minute},
		{"a late first byte", func(w http.ResponseWriter, _ <-chan struct{}) { time.Sleep(59 * time.Second); send(w, "data: a\n\n") }, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := pipe(t, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r.Context().Done()) })
				r := wire.Request{URL: "http://in.memory", HTTP: client, FirstByte: 60 * time.Second, Idle: 10 * time.Second}
				began := time.Now()
				var err error
				for _, e := range r.Events(t.Context()) {
					time.Sleep(c.read)
					err = e
				}
				took := time.Since(began)
				synctest.Wait()
				if c.took == 0 && err != nil {
					t.Error(err)
				}
				if c.took != 0 && (!errors.Is(err, llm.ErrStalled) || took != c.took) {
					t.Error(err, took)
				}
			})
		})
	}
}

func send(w http.ResponseWriter, s string) {
	io.WriteString(w, s)
	w.(http.Flusher).Flush()
}
