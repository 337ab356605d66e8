package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/demo"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/catalog"
	"github.com/minicode-go/minicode/llm/openai"
)

// ErrNoModel says that no model is named and none can be guessed.
var ErrNoModel = errors.New("no model is set up: set a key such as ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY, " +
	"or name a model with --model provider/model (a local one: ollama/NAME); `minicode demo` needs neither")

// Directory knows the models that can be reached. Its fields are set before
// the first call.
type Directory struct {
	Settings config.Loaded
	Env      map[string]string // of the process
	Provider string            // of a name that does not tell its provider; may be ""

	once   sync.Once
	client *http.Client
	err    error

	mu      sync.Mutex
	windows map[string]*window // what servers told, by "provider/model"
}

// Model is the model of that name: "provider/model", a bare name or an alias
// that the catalogue knows, or "" for the first provider with a key.
func (d *Directory) Model(name string) (llm.Model, error) {
	if name == "demo" || name == "demo/script" {
		return demo.Model{}, nil
	}
	provider, model, err := d.split(name)
	if err != nil {
		return nil, err
	}
	if model == "" {
		return nil, fmt.Errorf("%q names a provider and no model; give both, as in --model %s/NAME", name, provider)
	}
	p, ok := d.Settings.Config.Provider(provider)
	if !ok {
		return nil, fmt.Errorf("the provider %q is not known; the settings can name it under providers, with its wire and baseUrl", provider)
	}
	if e, found := catalog.Find(provider + "/" + model); found && e.Responses && p.Wire == "openai-chat" {
		return nil, fmt.Errorf("%s/%s answers only on the Responses API, which is not built yet; choose another model", provider, model)
	}
	if _, err := quirksOf(p.Quirks); err != nil {
		return nil, fmt.Errorf("the settings of the provider %s: %w", provider, err)
	}
	info := d.infoOf(provider, model)
	d.once.Do(func() { d.client, d.err = newHTTPClient(d.Settings.Config.Network, os.ReadFile) })
	if d.err != nil {
		return nil, d.err
	}
	l := &lateKey{info: info, window: d.windowOf(p, info), limited: d.Settings.Config.Models[info.ID()].MaxOutput > 0}
	l.open = func(ctx context.Context) (llm.Model, server, error) { return d.connect(ctx, p, info, d.client) }
	switch p.Wire {
	case "anthropic", "openai-chat":
		return l, nil
	}
	return nil, fmt.Errorf("%s speaks the %s protocol, which is not built yet; use a provider with the anthropic or openai-chat protocol", provider, p.Wire)
}

// split finds the provider of a model's name.
func (d *Directory) split(name string) (provider, model string, err error) {
	if name == "" {
		return d.firstWithKey()
	}
	if d.Provider != "" {
		return d.Provider, strings.TrimPrefix(name, d.Provider+"/"), nil
	}
	for id, m := range d.Settings.Config.Models {
		for _, alias := range m.Aliases {
			if alias == name {
				name = id
			}
		}
	}
	if before, after, ok := strings.Cut(name, "/"); ok {
		if _, known := d.Settings.Config.Provider(before); known {
			if e, found := catalog.Find(name); found && e.Provider == before {
				after = e.Name
			}
			return before, after, nil
		}
	}
	if e, ok := catalog.Find(name); ok {
		return e.Provider, e.Name, nil
	}
	if before, _, ok := strings.Cut(name, "/"); ok {
		return "", "", fmt.Errorf("the provider %q of the model %q is not known; the settings can name it under providers, with its wire and baseUrl", before, name)
	}
	return "", "", fmt.Errorf("the model %q is not known; name it with its provider, such as anthropic/%s", name, name)
}

// firstWithKey is the usual model of the first provider that a key is there
// for.
func (d *Directory) firstWithKey() (provider, model string, err error) {
	env := d.Settings.Env(d.Env)
	names := config.BuiltinProviders()
	if d.Provider != "" {
		names = []string{d.Provider}
	}
	for _, name := range names {
		if usual := usualModel(name); usual != "" && d.hasKey(name, env) {
			return name, usual, nil
		}
	}
	return "", "", ErrNoModel
}

// hasKey says whether there is a key for a provider, as far as that can be
// said without asking anybody for it.
func (d *Directory) hasKey(name string, env map[string]string) bool {
	p, _ := d.Settings.Config.Provider(name)
	return p.APIKey.Value != "" || len(p.APIKey.Command) > 0 || env[p.APIKey.Variable] != "" || env[p.AuthToken.Variable] != ""
}

func usualModel(provider string) string {
	switch provider {
	case "anthropic":
		return "claude-sonnet-4-5"
	case "openai":
		return "gpt-5"
	case "openrouter":
		return "anthropic/claude-sonnet-4.5"
	case "deepseek":
		return "deepseek-chat"
	case "xai":
		return "grok-4"
	}
	return ""
}

// infoOf is what the catalogue and the settings know of a model.
func (d *Directory) infoOf(provider, model string) llm.Info {
	info := llm.Info{Provider: provider, Name: model, Window: llm.FallbackWindow, MaxOutput: llm.FallbackMaxOutput}
	if e, ok := catalog.Find(provider + "/" + model); ok {
		info = e.Info()
		info.Provider, info.Name = provider, model
	}
	s := d.Settings.Config.Models[provider+"/"+model]
	if s.Context > 0 {
		info.Window, info.Known = s.Context, true
	}
	if s.MaxOutput > 0 {
		info.MaxOutput = s.MaxOutput
	}
	if s.Price != nil {
		info.Price = llm.Price{Known: true, Input: s.Price.Input, Output: s.Price.Output, CacheRead: s.Price.CacheRead, CacheWrite: s.Price.CacheWrite}
	}
	if s.Images != nil {
		info.Images = *s.Images
	}
	if s.Thinking != nil {
		info.Thinking = *s.Thinking
	}
	return info
}

// Info is what is known of "provider/model" by now, with what its server told.
func (d *Directory) Info(id string) llm.Info {
	provider, model, _ := strings.Cut(id, "/")
	if provider == "demo" {
		return demo.Model{}.Info()
	}
	info := d.infoOf(provider, model)
	d.mu.Lock()
	w := d.windows[id]
	d.mu.Unlock()
	if w == nil {
		return info
	}
	return w.over(info, d.Settings.Config.Models[id].MaxOutput > 0)
}

// Price is what is known of the price of "provider/model".
func (d *Directory) Price(id string) llm.Price { return d.Info(id).Price }

// connect makes the adapter once its key is known, and what it takes to ask
// its server for more.
func (d *Directory) connect(ctx context.Context, p config.Provider, info llm.Info, client *http.Client) (llm.Model, server, error) {
	env := d.Settings.Env(d.Env)
	token := ""
	if v := p.AuthToken.Variable; v != "" {
		token = env[v]
	}
	key, err := "", error(nil)
	if token == "" {
		key, err = config.ResolveKey(ctx, p.APIKey, env)
	}
	if err != nil {
		return nil, server{}, &llm.Error{Kind: llm.ErrAuth, Provider: info.Provider, Message: err.Error(), Err: err}
	}
	p.BaseURL = strings.TrimSpace(p.BaseURL)
	s := newServer(client, credentials(p, key, token), p.BaseURL, p.Wire, info.Name)
	first, idle := time.Duration(p.FirstByteTimeoutMs)*time.Millisecond, time.Duration(p.IdleTimeoutMs)*time.Millisecond
	if p.Wire == "anthropic" {
		return anthropic.New(anthropic.Options{
			Info: info, BaseURL: p.BaseURL, Key: key, KeyFrom: p.APIKey.String(), AuthToken: token, Headers: p.Headers,
			HTTP: client, FirstByte: first, Idle: idle,
		}), s, nil
	}
	quirks, err := quirksOf(p.Quirks)
	if err != nil {
		return nil, s, err
	}
	return openai.New(openai.Options{
		Info: info, Quirks: quirks, BaseURL: p.BaseURL, Key: key, KeyFrom: p.APIKey.String(), Headers: p.Headers, HTTP: client, FirstByte: first, Idle: idle,
	}), s, nil
}

// credentials are the headers that the adapters send for the key, and those
// of the settings.
func credentials(p config.Provider, key, token string) http.Header {
	h := http.Header{}
	switch {
	case token != "":
		h.Set("Authorization", "Bearer "+token)
	case key != "" && p.Wire == "anthropic":
		h.Set("X-Api-Key", key)
	case key != "":
		h.Set("Authorization", "Bearer "+key)
	}
	for name, value := range p.Headers {
		h.Set(name, value)
	}
	return h
}

// lateKey is a model whose key is looked up at its first request: a key
// command may be slow, and a missing key is told where it matters. Its window
// is asked for then, too, where its server may know it.
type lateKey struct {
	info    llm.Info
	window  *window // nil: not to be asked for
	limited bool    // whether the settings say info.MaxOutput
	open    func(context.Context) (llm.Model, server, error)

	mu     sync.Mutex
	model  llm.Model
	server server
}

// Info is what is known by now.
func (l *lateKey) Info() llm.Info {
	if l.window == nil {
		return l.info
	}
	return l.window.over(l.info, l.limited)
}

func (l *lateKey) ready(ctx context.Context) (llm.Model, server, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model == nil {
		m, s, err := l.open(ctx)
		if err != nil {
			return nil, server{}, err
		}
		l.model, l.server = m, s
	}
	if l.window != nil {
		l.window.ask(ctx, l.server)
	}
	return l.model, l.server, nil
}

func (l *lateKey) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m, s, err := l.ready(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		if l.window == nil {
			m.Stream(ctx, req)(yield)
			return
		}
		if limit := l.Info().MaxOutput; req.MaxOutput <= 0 || limit < req.MaxOutput {
			req.MaxOutput = limit
		}
		begun := false
		for chunk, err := range m.Stream(ctx, req) {
			if !begun && err == nil {
				begun = true
				l.window.answered(ctx, s)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// newHTTPClient follows the proxy and the certificate authorities of the
// settings; without them, those of the environment and the system.
func newHTTPClient(n config.Network, readFile func(string) ([]byte, error)) (*http.Client, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 20 * time.Second,
	}
	if n.Proxy != "" {
		proxy, err := url.Parse(n.Proxy)
		if err != nil || proxy.Host == "" {
			return nil, fmt.Errorf("network.proxy %q is not an address such as http://host:port", n.Proxy)
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	if n.CAFile != "" {
		pem, err := readFile(n.CAFile)
		if err != nil {
			return nil, fmt.Errorf("network.caFile cannot be read: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("network.caFile %s holds no certificate in PEM form", n.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

// Timed is a model that tells how long it was waited for.
type Timed struct {
	llm.Model
	Add func(time.Duration)
}

// Stream passes the answer through.
func (t *Timed) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		start := time.Now()
		defer func() { t.Add(time.Since(start)) }()
		for chunk, err := range t.Model.Stream(ctx, req) {
			if !yield(chunk, err) {
				return
			}
		}
	}
}
