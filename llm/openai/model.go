package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// DefaultBaseURL is where OpenAI itself answers.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options say which model to ask, where, and with what key.
type Options struct {
	Info      llm.Info
	BaseURL   string            // DefaultBaseURL if empty; /v1 is added where there is no path
	Key       string            // sent as a bearer token; local servers need none
	KeyFrom   string            // where the key comes from, for messages: "OPENAI_API_KEY"
	Headers   map[string]string // sent besides; they go before our own
	HTTP      *http.Client      // nil is http.DefaultClient
	FirstByte time.Duration     // limit for the answer to begin; 0 is wire's default, below 0 none
	Idle      time.Duration     // limit between two bytes; the same
	Quirks    Quirks            // what is set here goes before the table
}

// Model is one model behind the Chat Completions API. It is safe for
// concurrent use.
type Model struct {
	o       Options
	mu      sync.Mutex
	written encoder // the history of the last request, to go on from
}

// New is the model that the options describe. Nothing is sent before Stream.
func New(o Options) *Model {
	o.Quirks = o.Quirks.over(QuirksFor(o.Info))
	return &Model{o: o}
}

// Info is what the options said of the model.
func (m *Model) Info() llm.Info { return m.o.Info }

// Stream asks the model. See [llm.Model] for what it yields.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := m.keyless(); err != nil {
			yield(nil, err)
			return
		}
		a := answer{provider: m.o.Info.Provider, yield: yield}
		for e, err := range m.request(req).Events(ctx) {
			if err != nil && a.finished && (errors.Is(err, llm.ErrStream) || errors.Is(err, llm.ErrStalled)) {
				break // all of the answer is there
			}
			if err == nil {
				err = a.take(e)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if a.ended && !a.over {
				a.finish()
			}
			if a.over {
				return
			}
		}
		if !a.finished && (!m.o.Quirks.NoEnd || !a.any()) {
			yield(nil, wire.Cut(m.o.Info.Provider, "the stream ended without a finish_reason and without [DONE]"))
			return
		}
		a.finish()
	}
}

// keyless saves a round trip that can only be refused.
func (m *Model) keyless() error {
	if m.o.Key != "" || m.o.BaseURL != "" || len(m.o.Headers) > 0 {
		return nil
	}
	from := m.o.KeyFrom
	if from == "" {
		from = "OPENAI_API_KEY"
	}
	return &llm.Error{Kind: llm.ErrAuth, Provider: m.o.Info.Provider, Message: "no key; set " + from}
}

func (m *Model) request(req llm.Request) wire.Request {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	key := ""
	if m.o.Key != "" {
		h.Set("Authorization", "Bearer "+m.o.Key)
		key = m.o.KeyFrom
	}
	for k, v := range m.o.Headers {
		h.Set(k, v)
	}
	return wire.Request{
		Provider: m.o.Info.Provider, Key: key, URL: m.url(), Header: h, Body: m.body(req),
		HTTP: m.o.HTTP, FirstByte: m.o.FirstByte, Idle: m.o.Idle,
	}
}

func (m *Model) url() string {
	base := strings.TrimRight(m.o.BaseURL, "/")
	if base == "" {
		base = DefaultBaseURL
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/v1"
	}
	if strings.HasSuffix(base, "/chat/completions") {
		return base
	}
	return base + "/chat/completions"
}
