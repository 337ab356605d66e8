package web

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Limits of a call, unless Options say otherwise.
const (
	DefaultTimeout  = 20 * time.Second
	DefaultMaxBytes = 5 << 20
)

// Options are what the tools work with. The zero value searches with
// DuckDuckGo, and reaches public addresses only.
type Options struct {
	// Transport gives what connects: its proxy and certificate authorities
	// are used, its connections are not. It is called in a call's Run, for
	// making it may read files. nil is that of net/http.
	Transport func() (*http.Transport, error)
	Resolver  *net.Resolver // of names; nil is the system's
	Agent     string        // what the program says that it is, such as "MiniCode/1.0"
	Reach     []string      // "localhost", addresses and networks that may be fetched from as if they were public
	Search    Search
	Now       func() time.Time // by which pages are forgotten; nil keeps none

	Timeout  time.Duration // of a call, waiting and reading; 0 is DefaultTimeout
	MaxBytes int           // of a page, decompressed; 0 is DefaultMaxBytes
}

// client is what both tools share.
type client struct {
	Options
	reach reach
	cache cache
}

// Tools is web_fetch and web_search. The error is of a setting that cannot
// be. What was fetched is kept with the tools, so they are to be made once.
func Tools(o Options) ([]tool.Tool, error) {
	r, err := newReach(o.Reach)
	if err != nil {
		return nil, fmt.Errorf("web.fetch.allow: %w", err)
	}
	engine, err := o.Search.engine()
	if err != nil {
		return nil, fmt.Errorf("web.search: %w", err)
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Agent = strings.TrimSpace("Mozilla/5.0 (compatible) " + o.Agent)
	c := &client{Options: o, reach: r, cache: cache{now: o.Now}}
	return []tool.Tool{c.fetchTool(), c.searchTool(engine)}, nil
}

func (c *client) base() (*http.Transport, error) {
	if c.Transport != nil {
		return c.Transport()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second}, nil
}

// do makes one call's requests: it gives run a context with the time limit
// and returns its error in words for the model. The end of the context that
// was given is returned as it is.
func (c *client) do(ctx context.Context, run func(context.Context) (tool.Result, error)) (tool.Result, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	result, err := run(limited)
	if ctx.Err() != nil {
		return tool.Result{}, context.Cause(ctx)
	}
	return result, err
}

//go:embed web_fetch.md
var fetchText string

//go:embed web_fetch.json
var fetchSchema []byte

//go:embed web_search.md
var searchText string

//go:embed web_search.json
var searchSchema []byte

func spec(name, description string, schema []byte) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: strings.TrimSpace(description), Schema: []byte(strings.TrimSpace(string(schema)))}
}
