package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/minicode-go/minicode/internal/htmltree"
)

// askDuckDuckGo sends the form of the page for browsers without scripts.
func askDuckDuckGo(ctx context.Context, e *engine, q question, _ string) (*http.Request, error) {
	form := url.Values{"q": {q.operators()}, "kl": {""}}
	req, err := newRequest(ctx, http.MethodPost, e.endpoint, nil, form.Encode())
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "text/html")
	return req, nil
}

// duckDuckGoHits reads the page of results.
func duckDuckGoHits(body []byte) ([]hit, error) {
	page := htmltree.Parse(body).Root
	var hits []hit
	none := false
	for n := range page.All() {
		switch {
		case n.Attr("id") == "challenge-form" || n.HasClass("anomaly-modal__title"):
			return nil, errors.New("DuckDuckGo asks for a person and does not answer programs now. " + otherwise)
		case n.HasClass("no-results", "result--no-result"):
			none = true
		case n.HasClass("result__a") && !sponsored(n):
			hits = append(hits, hit{Title: n.TextContent(), URL: behind(n.Attr("href"))})
		case n.HasClass("result__snippet") && len(hits) > 0 && !sponsored(n) && hits[len(hits)-1].Content == "":
			hits[len(hits)-1].Content = n.TextContent()
		}
	}
	if len(hits) == 0 && !none {
		return nil, errors.New("DuckDuckGo's page holds neither results nor says that there are none. " + otherwise)
	}
	return hits, nil
}

const otherwise = "A later try may succeed; the person can set web.search.provider to brave, tavily or searxng, which are made for programs"

// sponsored is whether a result is an advertisement.
func sponsored(n *htmltree.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.HasClass("result--ad") {
			return true
		}
	}
	return false
}

// behind is the address that a link of the page of results leads to.
func behind(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		return to
	}
	if u.Scheme == "" && u.Host != "" {
		u.Scheme = "https"
	}
	return u.String()
}

func askBrave(ctx context.Context, e *engine, q question, key string) (*http.Request, error) {
	const longest = 400 // characters that Brave takes
	req, err := newRequest(ctx, http.MethodGet, e.endpoint,
		url.Values{"q": {cutTo(q.operators(), longest)}, "count": {strconv.Itoa(mostResults)}}, "")
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("X-Subscription-Token", key)
	return req, nil
}

func braveHits(body []byte) ([]hit, error) {
	var answer struct {
		Web struct {
			Results []hit `json:"results"`
		} `json:"web"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, errNoAnswer
	}
	return answer.Web.Results, nil
}

var errNoAnswer = errors.New("the search provider's answer is not in its form; check web.search.provider and web.search.url")

func askTavily(ctx context.Context, e *engine, q question, key string) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{
		"query": q.text, "max_results": mostResults,
		"include_domains": append([]string{}, q.allowed...), "exclude_domains": append([]string{}, q.blocked...),
	})
	if err != nil {
		return nil, err
	}
	req, err := newRequest(ctx, http.MethodPost, e.endpoint, nil, string(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	return req, nil
}

func askSearXNG(ctx context.Context, e *engine, q question, _ string) (*http.Request, error) {
	req, err := newRequest(ctx, http.MethodGet, e.endpoint, url.Values{"q": {q.operators()}, "format": {"json"}}, "")
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// plainHits reads the answer of Tavily or SearXNG.
func plainHits(body []byte) ([]hit, error) {
	var answer struct {
		Results *[]hit `json:"results"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Results == nil {
		return nil, errNoAnswer
	}
	return *answer.Results, nil
}
