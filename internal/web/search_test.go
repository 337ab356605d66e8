package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// asked is a provider on this machine: it keeps the last question.
type asked struct {
	method, path, body string
	query              url.Values
	header             http.Header
	status             int
	answer             string
}

func provider(t *testing.T, s Search, a *asked) kit {
	t.Helper()
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.method, a.path, a.query, a.header, a.body = r.Method, r.URL.Path, r.URL.Query(), r.Header, string(body)
		if a.status/100 == 3 {
			w.Header().Set("Location", "https://else.example/")
		}
		w.WriteHeader(max(a.status, 200))
		fmt.Fprint(w, a.answer)
	})
	s.URL = server.URL + s.URL
	return newKit(t, func(o *Options) { o.Reach, o.Search = nil, s })
}

func saved(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}

func (k kit) search(args map[string]any) string {
	k.Helper()
	text, err := k.call("web_search", args)
	if err != nil {
		k.Fatal(err)
	}
	return text
}

// refusedSearch is the error of a search that must fail.
func (k kit) refusedSearch(args map[string]any) string {
	k.Helper()
	text, err := k.call("web_search", args)
	if err == nil {
		k.Fatalf("the search succeeded:\n%s", text)
	}
	return text
}

const two = `QUERY: go context

[1] context package
    URL: https://pkg.example/context
    Package context defines the Context type.

[2] Go Concurrency Patterns: Context
    URL: https://blog.example/context
    In Go servers, each incoming request is handled in its own goroutine.`

func TestDuckDuckGo(t *testing.T) {
	a := &asked{answer: saved(t, "duckduckgo.html")}
	k := provider(t, Search{URL: "/html/"}, a)
	action, err := k.prepare("web_search", map[string]any{"query": " go\n context "})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]event.Effect{{Kind: event.Net, Target: "127.0.0.1"}}, action.Effects); diff != "" || action.Title != "Search go context" || action.Preview.Text != "DuckDuckGo: go context" {
		t.Errorf("%+v\n%s", action, diff)
	}
	want := `QUERY: go context

[1] context package - context - Go Packages
    URL: https://pkg.example/context
    Package context defines the Context type, which carries deadlines & cancellation.

[2] Go Concurrency Patterns: Context
    URL: https://blog.example/context?a=1&b=2

[3] How do I cancel?
    URL: https://forum.go.example/t/context
    Ask and be answered.`
	if diff := cmp.Diff(want, k.search(map[string]any{"query": "go context"})); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	form, _ := url.ParseQuery(a.body)
	if a.method != "POST" || a.path != "/html/" || form.Get("q") != "go context" || a.header.Get("Content-Type") != "application/x-www-form-urlencoded" || !strings.Contains(a.header.Get("User-Agent"), "MiniCode/test") {
		t.Errorf("%+v", a)
	}

	text := k.search(map[string]any{"query": "x", "max_results": 1})
	if !strings.Contains(text, "[1]") || strings.Contains(text, "[2]") {
		t.Errorf("one result was asked for:\n%s", text)
	}
	text = k.search(map[string]any{"query": "x", "allowed_domains": []string{"*.go.example", "https://Blog.example/path"}, "blocked_domains": []string{".blog.example"}})
	if !strings.Contains(text, "[1] How do I cancel?") || strings.Contains(text, "[2]") {
		t.Errorf("filtered:\n%s", text)
	}
	form, _ = url.ParseQuery(a.body)
	if got := form.Get("q"); got != "x site:go.example OR site:blog.example -site:blog.example" {
		t.Errorf("asked for %q", got)
	}
	wantIn(t, k.search(map[string]any{"query": "x", "allowed_domains": []string{"example", "evil-pkg.example"}}), "[1]")
	wantIn(t, k.search(map[string]any{"query": "x", "allowed_domains": []string{"kg.example"}}), "No results on these domains; 3 on others")

	a.answer = saved(t, "duckduckgo-none.html")
	wantIn(t, k.search(map[string]any{"query": "qqzzxx"}), "No results found.")
	a.answer, a.status = saved(t, "duckduckgo-challenge.html"), 202
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "asks for a person", "web.search.provider")
	a.answer, a.status = "<html><body>Something new", 200
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "neither results", "web.search.provider")
	a.status = 503
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "DuckDuckGo answered HTTP 503 Service Unavailable")
	a.status = 302
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "redirects to https://else.example/", "web.search.url")
}

func TestBrave(t *testing.T) {
	a := &asked{answer: saved(t, "brave.json")}
	k := provider(t, Search{Provider: "brave", URL: "/res/v1/web/search", Key: key("brave-secret")}, a)
	text := k.search(map[string]any{"query": "go context"})
	if diff := cmp.Diff(strings.Replace(two, "Context type.", "Context type & more.", 1), text); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if a.method != "GET" || a.header.Get("X-Subscription-Token") != "brave-secret" || a.query.Get("q") != "go context" || a.query.Get("count") != "20" {
		t.Errorf("%+v", a)
	}
	k.search(map[string]any{"query": strings.Repeat("word ", 200)})
	if n := len(a.query.Get("q")); n > 400 || n < 390 {
		t.Errorf("a question of %d characters was sent", n)
	}
	a.status, a.answer = 422, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The token brave-secret is invalid.","status":422}}`
	text = k.refusedSearch(map[string]any{"query": "x"})
	wantIn(t, text, "HTTP 422", "The token … is invalid.", "web.search.apiKey is not taken")
	if strings.Contains(text, "brave-secret") {
		t.Error("the key is in the error")
	}
	a.status, a.answer = 429, `{"message":"rate limited"}`
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "HTTP 429 Too Many Requests: rate limited. No more searches for now")
	a.status, a.answer = 200, `<html>`
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "not in its form")
	a.status, a.answer = 200, `{}`
	wantIn(t, k.search(map[string]any{"query": "x"}), "No results found.")
}

func TestTavily(t *testing.T) {
	a := &asked{answer: saved(t, "tavily.json")}
	k := provider(t, Search{Provider: "tavily", URL: "/search", Key: key("tvly-secret")}, a)
	if diff := cmp.Diff(two, k.search(map[string]any{"query": "go context", "allowed_domains": []string{"pkg.example", "blog.example"}, "blocked_domains": []string{"x.example"}})); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"query": "go context", "max_results": 20.0, "include_domains": []any{"pkg.example", "blog.example"}, "exclude_domains": []any{"x.example"}}
	if diff := cmp.Diff(want, body); diff != "" || a.method != "POST" || a.header.Get("Authorization") != "Bearer tvly-secret" {
		t.Errorf("%+v\n%s", a, diff)
	}
	a.status, a.answer = 401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "invalid API key", "web.search.apiKey is not taken")
	a.status, a.answer = 432, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "usage limit", "No more searches")
}

func TestSearXNG(t *testing.T) {
	a := &asked{answer: saved(t, "searxng.json")}
	for _, path := range []string{"", "/", "/search"} {
		k := provider(t, Search{Provider: "searxng", URL: path}, a)
		if diff := cmp.Diff(two, k.search(map[string]any{"query": "go context"})); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if a.path != "/search" || a.query.Get("format") != "json" || a.query.Get("q") != "go context" {
			t.Errorf("%+v", a)
		}
	}
	k := provider(t, Search{Provider: "searxng", URL: "/sub/?language=de"}, a)
	_ = k.search(map[string]any{"query": "x"})
	if a.path != "/sub/search" || a.query.Get("language") != "de" || a.query.Get("q") != "x" {
		t.Errorf("%+v", a)
	}
	a.status = 403
	k = provider(t, Search{Provider: "searxng"}, a)
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "search.formats")
	a.status, a.answer = 200, "<html>"
	wantIn(t, k.refusedSearch(map[string]any{"query": "x"}), "not in its form")
}

func TestSearchSettings(t *testing.T) {
	for want, s := range map[string]Search{
		"there is no provider": {Provider: "google"},
		"searxng needs":        {Provider: "searxng"},
		"has no scheme":        {URL: "localhost:8080"},
		"only http and https":  {Provider: "searxng", URL: "ftp://x/"},
	} {
		if _, err := Tools(Options{Search: s}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "web.search") {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	for _, name := range []string{"brave", "tavily"} {
		for _, k := range []func(context.Context) (string, error){nil, key("")} {
			wantIn(t, newKit(t, func(o *Options) { o.Search = Search{Provider: name, Key: k} }).refusedSearch(map[string]any{"query": "x"}), "wants a key", "web.search.apiKey", "duckduckgo")
		}
	}
	failing := func(context.Context) (string, error) { return "", errors.New("pass: not found") }
	wantIn(t, newKit(t, func(o *Options) { o.Search = Search{Provider: "brave", Key: failing} }).refusedSearch(map[string]any{"query": "x"}), "pass: not found", "web.search.apiKey")
}

func TestSearchArguments(t *testing.T) {
	k := newKit(t, nil)
	for want, args := range map[string]map[string]any{
		"query: must not be empty": {"query": " "},
		"allowed_domains[1]":       {"query": "x", "allowed_domains": []string{"a.example", "no domain"}},
		"blocked_domains[0]":       {"query": "x", "blocked_domains": []string{""}},
		"max_results":              {"query": "x", "max_results": 21},
		"nope":                     {"query": "x", "nope": 1},
	} {
		if _, err := k.prepare("web_search", args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestSpecs compares the schemas with the types that the arguments are read
// into.
func TestSpecs(t *testing.T) {
	tools, err := Tools(Options{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for i, in := range []json.RawMessage{tool.SchemaOf[fetchInput](), tool.SchemaOf[searchInput]()} {
		s := tools[i].Spec()
		bytes += len(s.Name) + len(s.Description) + len(s.Schema)
		if diff := cmp.Diff(outline(t, in), outline(t, s.Schema)); diff != "" {
			t.Errorf("%s (-type +schema):\n%s", s.Name, diff)
		}
	}
	if tools[0].Spec().Name != "web_fetch" || tools[1].Spec().Name != "web_search" {
		t.Error("the tools are not sorted by name")
	}
	if bytes > 1100 {
		t.Errorf("the tools cost %d bytes in each request", bytes)
	}
}

func outline(t *testing.T, schema json.RawMessage) []string {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Description string }
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	_ = json.Unmarshal(schema, &s)
	var out []string
	for name, p := range s.Properties {
		out = append(out, fmt.Sprintf("%s: %s, required %v", name, p.Description, slices.Contains(s.Required, name)))
	}
	slices.Sort(out)
	return out
}

// TestAtOnce makes calls side by side, for the race detector.
func TestAtOnce(t *testing.T) {
	_, port := serve(t, page("text/html", "<p>x"))
	n := newKit(t, nil)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			text, err := n.call("web_fetch", map[string]any{"url": fmt.Sprintf("http://site.test:%s/%d", port, i%3)})
			if err != nil || !strings.HasSuffix(text, "x") {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	wait.Wait()
}

func FuzzHits(f *testing.F) {
	for _, name := range []string{"duckduckgo.html", "duckduckgo-none.html", "duckduckgo-challenge.html", "brave.json", "tavily.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, read := range []func([]byte) ([]hit, error){duckDuckGoHits, braveHits, plainHits} {
			hits, err := read(body)
			if err != nil {
				continue
			}
			text := question{text: "q"}.result(hits, 5).Parts.Text()
			if len(text) > 5*(4*excerptChars*2+maxURL*3+100)+500 {
				t.Fatalf("%d bytes", len(text))
			}
		}
	})
}
