package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/webpage"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	defaultChars = 12_000
	minChars     = 500
	maxHops      = 10
)

type fetchInput struct {
	URL      string `json:"url" jsonschema:"http or https; a #fragment begins the text there"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"default 12000"`
}

func (c *client) fetchTool() tool.Tool {
	return tool.New(spec("web_fetch", fetchText, fetchSchema), func(_ context.Context, in fetchInput) (tool.Action, error) {
		t, err := newTarget(in.URL)
		if err != nil {
			return tool.Action{}, fmt.Errorf("url: %q %w", shorten(in.URL), err)
		}
		effect := event.Effect{Kind: event.Net, Target: t.host}
		switch z, what := t.zone(); {
		case z == never:
			return tool.Action{}, fmt.Errorf("url: %s is %s; pages there are never fetched", t.host, what)
		case z != public && !c.reaches(t):
			effect.Class = event.Critical
			effect.Reason = fmt.Sprintf("%s is %s, and what is served there may be for nobody else", t.host, what)
		}
		chars := in.MaxChars
		if chars == 0 {
			chars = defaultChars
		}
		return tool.Action{
			Title:   "Fetch " + shorten(t.url.String()),
			Effects: []event.Effect{effect},
			Preview: event.Preview{Kind: event.PreviewText, Text: "GET " + t.url.String()},
			Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
				return c.do(ctx, func(ctx context.Context) (tool.Result, error) { return c.fetch(ctx, t, max(chars, minChars)) })
			},
		}, nil
	})
}

// reaches is whether the settings name the address of t.
func (c *client) reaches(t target) bool {
	return t.addr.IsValid() && c.reach.has(t.addr) || isLocalName(t.host) && c.reach.machine
}

// shorten is text for a title.
func shorten(s string) string {
	const most = 120
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// document is what a server gave for an address.
type document struct {
	target  target
	status  string // "200 OK"
	media   string // as the server said, or as it looks
	charset string // that it was decoded from, where not UTF-8
	body    []byte // UTF-8
	html    bool
	cut     bool // there is more than was read
}

// elsewhere is a redirect that is not followed.
type elsewhere struct {
	from target
	how  string
	to   string
}

func (e *elsewhere) Error() string { return e.how + " to " + e.to }

func (c *client) fetch(ctx context.Context, t target, chars int) (tool.Result, error) {
	d, ok := c.cache.get(t.shown())
	if !ok {
		var err error
		if d, err = c.load(ctx, t); err != nil {
			var away *elsewhere
			if errors.As(err, &away) {
				return handedBack(away), nil
			}
			return tool.Result{}, c.explain(t, err)
		}
	}
	// What is asked for now may be another part of the same page.
	d.target.url = withFragment(d.target.url, t.url)
	return d.result(chars), nil
}

func handedBack(e *elsewhere) tool.Result {
	text := fmt.Sprintf("URL: %s\nREDIRECT: %s to %s\n\nThat is another host, or another port, and was not fetched. ", e.from.shown(), e.how, e.to)
	if next, err := newTarget(e.to); err != nil {
		text += "It cannot be: it " + err.Error() + "."
	} else {
		text += "To read it, call web_fetch with the url " + next.url.String()
	}
	return tool.TextResult(text)
}

// load gets the document that t leads to, over redirects on its own host.
func (c *client) load(ctx context.Context, t target) (document, error) {
	base, err := c.base()
	if err != nil {
		return document{}, err
	}
	at := t
	for range maxHops {
		d, next, how, err := c.get(ctx, base, at)
		if err != nil {
			return document{}, err
		}
		if next == "" {
			if d.keep {
				c.cache.put(t.shown(), d.document)
			}
			return d.document, nil
		}
		to, err := at.url.Parse(next)
		if err != nil {
			return document{}, fmt.Errorf("the server redirects to %q, which is not an address", shorten(next))
		}
		to.Fragment = firstOf(to.Fragment, at.url.Fragment)
		following, err := newTarget(to.String())
		if err != nil || !at.follows(following) {
			return document{}, &elsewhere{from: at, how: how, to: to.String()}
		}
		if following.url.String() == at.url.String() {
			return document{}, errors.New("the server redirects to the same address; it may want a cookie or a login")
		}
		at = following
	}
	return document{}, fmt.Errorf("the server redirects on and on, %d times; it may want a cookie or a login", maxHops)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// response is a document, and whether it may be kept.
type response struct {
	document
	keep bool
}

// get makes one request. Next is where the server or the page sends on to.
func (c *client) get(ctx context.Context, base *http.Transport, t target) (r response, next, how string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.shown(), nil)
	if err != nil {
		return r, "", "", err
	}
	req.Header.Set("User-Agent", c.Agent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5")
	tr, err := c.way(base, req, t)
	if err != nil {
		return r, "", "", err
	}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return r, "", "", err
	}
	defer resp.Body.Close()
	if location := resp.Header.Get("Location"); resp.StatusCode/100 == 3 && location != "" {
		return r, location, status(resp), nil
	}
	if resp.StatusCode/100 != 2 {
		return r, "", "", statusError(resp, t)
	}
	d, refresh, err := c.read(resp, t)
	if refresh != "" {
		return r, refresh, "the page itself sends on", err
	}
	z, _ := t.zone()
	return response{d, z == public && mayKeep(resp.Header)}, "", "", err
}

// way is the transport for one request: through the proxy that is set for
// it, or straight.
func (c *client) way(base *http.Transport, req *http.Request, t target) (*http.Transport, error) {
	if base.Proxy != nil {
		proxy, err := base.Proxy(req)
		if err != nil {
			return nil, fmt.Errorf("the setting of the proxy cannot be used: %w", err)
		}
		if proxy != nil {
			return proxied(base, proxy), nil
		}
	}
	return guarded(base, c.Resolver, t, c.reach), nil
}

// mayKeep is whether a server lets its answer be used again.
func mayKeep(h http.Header) bool {
	control := strings.ToLower(strings.Join(h.Values("Cache-Control"), ","))
	for part := range strings.SplitSeq(control, ",") {
		switch strings.TrimSpace(part) {
		case "no-store", "no-cache", "max-age=0", "private":
			return false
		}
	}
	return true
}

// result is the document for the model.
func (d document) result(chars int) tool.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "URL: %s\nSTATUS: %s\nCONTENT_TYPE: %s", d.target.shown(), d.status, d.media)
	if d.charset != "" {
		b.WriteString(", decoded from " + d.charset)
	}
	b.WriteByte('\n')
	text, start, note := string(d.body), 0, ""
	if d.html {
		page := webpage.Read(d.body, webpage.Options{URL: d.target.url})
		text, d.cut = page.Markdown, d.cut || page.Cut
		if page.Title != "" {
			b.WriteString("TITLE: " + page.Title + "\n")
		}
		if page.Scripted {
			note = "The page has hardly any text of its own: scripts make it, and they are not run here. What it shows may be had from an API or a raw file."
		}
		if start = max(0, page.Start); start > 0 {
			fmt.Fprintf(&b, "BEGINS_AT: #%s\n", d.target.url.Fragment)
		}
	}
	text, start = strings.TrimRight(text, "\n"), min(start, len(strings.TrimRight(text, "\n")))
	part := excerpt(text[start:], chars)
	if part != text[start:] {
		total := utf8.RuneCountInString(text)
		from := utf8.RuneCountInString(text[:start])
		fmt.Fprintf(&b, "TRUNCATED: yes - characters %d to %d of %d; for more, call web_fetch again with max_chars %d\n",
			from+1, from+utf8.RuneCountInString(part), total, total-from)
	}
	if d.cut {
		b.WriteString("CUT: the page is larger than is read; its end is missing\n")
	}
	b.WriteByte('\n')
	switch {
	case part == "" && note == "":
		b.WriteString("The page is empty.")
	case note != "":
		b.WriteString(strings.TrimLeft(part+"\n\n("+note+")", "\n"))
	default:
		b.WriteString(strings.TrimLeft(part, "\n"))
	}
	result := tool.TextResult(b.String())
	result.Meta = llm.Meta{Again: true}
	return result
}

// excerpt is the beginning of a text, cut at the end of a line where there is
// one not too far before.
func excerpt(text string, chars int) string {
	n := 0
	for i := range text {
		if n++; n <= chars {
			continue
		}
		if line := strings.LastIndexByte(text[:i], '\n'); line > i/2 {
			return text[:line]
		}
		return text[:i]
	}
	return text
}
