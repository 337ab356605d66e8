package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/webpage"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	defaultResults = 5
	mostResults    = 20 // as many as are asked for, to have enough after the filters
	maxAnswer      = 2 << 20
	excerptChars   = 400
)

// Search is who answers web_search.
type Search struct {
	Provider string // duckduckgo, brave, tavily or searxng; empty is duckduckgo
	URL      string // where it is, if not at its usual place; SearXNG has none
	// Key gives the key, where the provider wants one. It is called in a
	// call's Run and may run a program.
	Key func(context.Context) (string, error)
}

// engine is one search provider, ready to ask.
type engine struct {
	name     string // as people write it
	endpoint target
	key      func(context.Context) (string, error) // nil wants none
	request  func(ctx context.Context, e *engine, q question, key string) (*http.Request, error)
	hits     func(body []byte) ([]hit, error)
}

// question is what is searched for.
type question struct {
	text             string
	allowed, blocked []string
}

// hit is one result.
type hit struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Content     string `json:"content"`     // of Tavily and SearXNG
	Description string `json:"description"` // of Brave
}

func (s Search) engine() (*engine, error) {
	e := &engine{}
	at := s.URL
	switch s.Provider {
	case "", "duckduckgo":
		e.name, e.request, e.hits = "DuckDuckGo", askDuckDuckGo, duckDuckGoHits
		at = firstOf(at, "https://html.duckduckgo.com/html/")
	case "brave":
		e.name, e.request, e.hits, e.key = "Brave", askBrave, braveHits, s.Key
		at = firstOf(at, "https://api.search.brave.com/res/v1/web/search")
	case "tavily":
		e.name, e.request, e.hits, e.key = "Tavily", askTavily, plainHits, s.Key
		at = firstOf(at, "https://api.tavily.com/search")
	case "searxng":
		e.name, e.request, e.hits = "SearXNG", askSearXNG, plainHits
		if at == "" {
			return nil, errors.New("searxng needs the address of a server in web.search.url")
		}
	default:
		return nil, fmt.Errorf("there is no provider %q; there are duckduckgo, brave, tavily and searxng", s.Provider)
	}
	if e.name == "Brave" || e.name == "Tavily" {
		if e.key == nil {
			e.key = func(context.Context) (string, error) { return "", nil }
		}
	}
	t, err := newTarget(at)
	if err != nil {
		return nil, fmt.Errorf("url %q %w", at, err)
	}
	if e.name == "SearXNG" && !strings.HasSuffix(t.url.Path, "/search") {
		t.url = t.url.JoinPath("search")
	}
	e.endpoint = t
	return e, nil
}

type searchInput struct {
	Query          string   `json:"query"`
	MaxResults     int      `json:"max_results,omitempty" jsonschema:"default 5"`
	AllowedDomains []string `json:"allowed_domains,omitempty" jsonschema:"only from these and their subdomains"`
	BlockedDomains []string `json:"blocked_domains,omitempty"`
}

func (c *client) searchTool(e *engine) tool.Tool {
	return tool.New(spec("web_search", searchText, searchSchema), func(_ context.Context, in searchInput) (tool.Action, error) {
		q := question{text: strings.Join(strings.Fields(in.Query), " ")}
		if q.text == "" {
			return tool.Action{}, errors.New("query: must not be empty")
		}
		var err error
		if q.allowed, err = domains("allowed_domains", in.AllowedDomains); err != nil {
			return tool.Action{}, err
		}
		if q.blocked, err = domains("blocked_domains", in.BlockedDomains); err != nil {
			return tool.Action{}, err
		}
		most := in.MaxResults
		if most == 0 {
			most = defaultResults
		}
		return tool.Action{
			Title:   "Search " + shorten(q.text),
			Effects: []event.Effect{{Kind: event.Net, Target: e.endpoint.host}},
			Preview: event.Preview{Kind: event.PreviewText, Text: e.name + ": " + q.text},
			Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
				return c.do(ctx, func(ctx context.Context) (tool.Result, error) { return c.search(ctx, e, q, most) })
			},
		}, nil
	})
}

// domains reads names of domains as people and models write them.
func domains(field string, names []string) ([]string, error) {
	var out []string
	for i, name := range names {
		plain := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "*"), ".")
		if !strings.Contains(plain, "://") {
			plain = "https://" + plain
		}
		t, err := newTarget(plain)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %q is no domain; write example.com", field, i, shorten(name))
		}
		out = append(out, t.host)
	}
	return out, nil
}

// operators are the words that narrow a search to domains. Not every engine
// keeps to them, so that the results are filtered as well.
func (q question) operators() string {
	text := q.text
	const most = 5
	if n := len(q.allowed); n > 0 && n <= most {
		text += " site:" + strings.Join(q.allowed, " OR site:")
	}
	for _, d := range q.blocked[:min(len(q.blocked), most)] {
		text += " -site:" + d
	}
	return text
}

// takes is whether a result's host passes the filters.
func (q question) takes(host string) bool {
	under := func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) }
	return (len(q.allowed) == 0 || slices.ContainsFunc(q.allowed, under)) && !slices.ContainsFunc(q.blocked, under)
}

func (c *client) search(ctx context.Context, e *engine, q question, most int) (tool.Result, error) {
	key := ""
	if e.key != nil {
		var err error
		if key, err = e.key(ctx); err != nil {
			return tool.Result{}, fmt.Errorf("the key for %s, web.search.apiKey: %w", e.name, err)
		}
		if key == "" {
			return tool.Result{}, fmt.Errorf("%s wants a key, and there is none: the person can set web.search.apiKey, or web.search.provider to duckduckgo", e.name)
		}
	}
	body, err := c.ask(ctx, e, q, key)
	if err != nil {
		text := err.Error()
		if key != "" {
			text = strings.ReplaceAll(text, key, "…")
		}
		return tool.Result{}, errors.New(text)
	}
	hits, err := e.hits(body)
	if err != nil {
		return tool.Result{}, err
	}
	return q.result(hits, most), nil
}

// ask sends the question and gives the answer's body.
func (c *client) ask(ctx context.Context, e *engine, q question, key string) ([]byte, error) {
	base, err := c.base()
	if err != nil {
		return nil, err
	}
	req, err := e.request(ctx, e, q, key)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.Agent)
	tr := own(base) // where the settings lead is not judged by its address
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return nil, c.explain(e.endpoint, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.explain(e.endpoint, err)
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusAccepted { // the latter is a page that asks for a person
		return body, nil
	}
	return nil, e.fault(resp, body)
}

// fault says why a provider did not answer the question.
func (e *engine) fault(resp *http.Response, body []byte) error {
	text := fmt.Sprintf("%s answered HTTP %d %s", e.name, resp.StatusCode, http.StatusText(resp.StatusCode))
	if said := told(body); said != "" {
		text += ": " + said
	}
	switch code := resp.StatusCode; {
	case e.name == "SearXNG" && code == http.StatusForbidden:
		text += ". Its settings.yml must list json under search.formats"
	case e.key != nil && (code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusUnprocessableEntity):
		text += ". The key in web.search.apiKey is not taken"
	case code == http.StatusTooManyRequests || code == 432 || code == 433:
		text += ". No more searches for now"
	case code/100 == 3:
		text += ". It redirects to " + shorten(resp.Header.Get("Location")) + "; if that is right, it is to be web.search.url"
	}
	return errors.New(text)
}

// told is the message in an error of an API.
func told(body []byte) string {
	var v struct {
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{v.Detail, v.Error} {
		var inner struct {
			Error   string `json:"error"`
			Detail  string `json:"detail"`
			Message string `json:"message"`
		}
		var plain string
		switch {
		case json.Unmarshal(raw, &plain) == nil && plain != "":
			return shorten(plain)
		case json.Unmarshal(raw, &inner) == nil && inner.Error+inner.Detail+inner.Message != "":
			return shorten(firstOf(inner.Detail, firstOf(inner.Message, inner.Error)))
		}
	}
	return shorten(v.Message)
}

// result is the results for the model, those that the filters leave.
func (q question) result(hits []hit, most int) tool.Result {
	var b strings.Builder
	b.WriteString("QUERY: " + q.text + "\n")
	seen := map[string]bool{}
	shown, left := 0, 0
	for _, h := range hits {
		t, err := newTarget(h.URL)
		if err != nil || seen[t.url.String()] {
			continue
		}
		seen[t.url.String()] = true
		if !q.takes(t.host) {
			left++
			continue
		}
		if shown == most {
			break
		}
		shown++
		fmt.Fprintf(&b, "\n[%d] %s\n    URL: %s\n", shown, firstOf(flat(h.Title), t.host), t.url)
		if text := flat(firstOf(h.Content, h.Description)); text != "" {
			b.WriteString("    " + text + "\n")
		}
	}
	switch {
	case shown == 0 && left > 0:
		fmt.Fprintf(&b, "\nNo results on these domains; %d on others were left out. Fewer or other words, or no domains, may find more.", left)
	case shown == 0:
		b.WriteString("\nNo results found. Fewer or other words may find more.")
	}
	result := tool.TextResult(strings.TrimRight(b.String(), "\n"))
	result.Meta = llm.Meta{Again: true}
	return result
}

// flat is a title or an excerpt, which may be HTML, as a line.
func flat(s string) string {
	s = webpage.Line(s)
	if cut := excerpt(s, excerptChars); cut != s {
		return cut + "…"
	}
	return s
}

func newRequest(ctx context.Context, method string, t target, query url.Values, body string) (*http.Request, error) {
	u := *t.url
	if query != nil {
		all := u.Query()
		for k, v := range query {
			all[k] = v
		}
		u.RawQuery = all.Encode()
	}
	return http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
}

func cutTo(s string, chars int) string {
	for utf8.RuneCountInString(s) > chars {
		i := strings.LastIndexByte(s, ' ')
		if i < 0 {
			return excerpt(s, chars)
		}
		s = s[:i]
	}
	return s
}
