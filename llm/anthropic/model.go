package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// DefaultBaseURL is where Anthropic itself answers.
const DefaultBaseURL = "https://api.anthropic.com"

// version is the API's version, which has stayed the same since 2023.
const version = "2023-06-01"

// Options say which model to ask, where, and with what key.
type Options struct {
	Info      llm.Info
	BaseURL   string            // DefaultBaseURL if empty; with or without /v1
	Key       string            // sent as x-api-key
	AuthToken string            // sent as a bearer token; goes before Key
	KeyFrom   string            // where the key comes from, for messages: "ANTHROPIC_API_KEY"
	Headers   map[string]string // sent besides; they go before our own
	HTTP      *http.Client      // nil is http.DefaultClient
	FirstByte time.Duration     // limit for the answer to begin; 0 is wire's default, below 0 none
	Idle      time.Duration     // limit between two bytes; the same
}

// Model is one model behind the Messages API. It is safe for concurrent use.
type Model struct {
	o       Options
	mu      sync.Mutex
	written encoder // the history of the last request, to go on from
}

// New is the model that the options describe. Nothing is sent before Stream.
func New(o Options) *Model { return &Model{o: o} }

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
			if err == nil {
				err = a.take(e)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if a.over {
				return
			}
		}
		yield(nil, wire.Cut(m.o.Info.Provider, "the stream ended without message_stop"))
	}
}

// keyless saves a round trip that can only be refused.
func (m *Model) keyless() error {
	if m.o.Key != "" || m.o.AuthToken != "" || m.o.BaseURL != "" || len(m.o.Headers) > 0 {
		return nil
	}
	from := m.o.KeyFrom
	if from == "" {
		from = "ANTHROPIC_API_KEY"
	}
	return &llm.Error{Kind: llm.ErrAuth, Provider: m.o.Info.Provider, Message: "no key; set " + from}
}

func (m *Model) request(req llm.Request) wire.Request {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	h.Set("Anthropic-Version", version)
	switch {
	case m.o.AuthToken != "":
		h.Set("Authorization", "Bearer "+m.o.AuthToken)
	case m.o.Key != "":
		h.Set("X-Api-Key", m.o.Key)
	}
	for k, v := range m.o.Headers {
		h.Set(k, v)
	}
	key := m.o.KeyFrom
	if m.o.Key == "" && m.o.AuthToken == "" {
		key = ""
	}
	return wire.Request{
		Provider: m.o.Info.Provider, Key: key, URL: m.url(), Header: h, Body: m.body(req),
		HTTP: m.o.HTTP, FirstByte: m.o.FirstByte, Idle: m.o.Idle,
	}
}

func (m *Model) url() string {
	base := strings.TrimRight(m.o.BaseURL, "/")
	switch {
	case base == "":
		base = DefaultBaseURL
	case strings.HasSuffix(base, "/messages"):
		return base
	}
	return strings.TrimSuffix(base, "/v1") + "/v1/messages"
}
