package provider

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	askLimit  = 2 * time.Second // for all questions together
	maxAnswer = 1 << 20         // bytes of one answer
	minWindow = 256             // a smaller one is a mistake, and so is
	maxWindow = 100_000_000     // a larger one

	// leastWindow is the smallest window that Ollama and LM Studio load a
	// model with where nobody says how large. It may be far below what the
	// model could have.
	leastWindow = 4096
)

// certainty is how much a reading is worth.
type certainty int

const (
	assumed  certainty = iota // the model is not loaded, and nothing says how large it will be: the least there is
	expected                  // it may become another when the model is loaded for our request
	settled                   // the model runs with it
)

// reading is what a server told of a model's window.
type reading struct {
	window    int // tokens; 0: nothing
	certainty certainty
}

// dialect asks a server for the window in the way of one program. A server of
// another kind, or a broken one, gives the empty reading.
type dialect func(context.Context, server) reading

// server is where a model is asked, besides its wire.
type server struct {
	client *http.Client
	header http.Header
	root   string // the address without version
	api    string // the address with version, as the wire has it
	model  string
	local  bool
}

// newServer is the server behind a provider's address; its root is "" if the
// address is none.
func newServer(client *http.Client, header http.Header, base, wire, model string) server {
	s := server{header: header, model: model, local: local(base)}
	// A question is answered where it is asked, or not at all: the key goes
	// nowhere else.
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &c
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return s
	}
	path := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/messages"} {
		path = strings.TrimRight(strings.TrimSuffix(path, end), "/")
	}
	if path == "" || wire == "anthropic" {
		path = strings.TrimSuffix(path, "/v1") + "/v1"
	}
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	u.Path = path
	s.api = u.String()
	u.Path = strings.TrimSuffix(path, "/v1")
	s.root = u.String()
	return s
}

// ask asks in all dialects at once. Servers speak those of others besides
// their own, so the order tells which answer counts: those first that say what
// the model runs with.
func (s server) ask(ctx context.Context) (reading, dialect) {
	if s.root == "" {
		return reading{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	dialects := []dialect{llamaCpp, vllm, lmStudio, ollama}
	answers := make([]chan reading, len(dialects))
	for i, d := range dialects {
		answers[i] = make(chan reading, 1)
		go func() { answers[i] <- d(ctx, s) }()
	}
	var found reading
	var by dialect
	for i, answer := range answers {
		// the others are waited for, so that no goroutine stays
		if r := <-answer; r.window > 0 && by == nil {
			found, by = r, dialects[i]
			cancel()
		}
	}
	return found, by
}

// fetch is the body of an answer that is one, else nil.
func (s server) fetch(ctx context.Context, method, address, body string) []byte {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil
	}
	if s.header != nil {
		req.Header = s.header.Clone()
	}
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(answer) > maxAnswer {
		return nil
	}
	return answer
}

// llamaCpp asks llama-server. One that serves several models is told which,
// and that a question is no reason to load it.
func llamaCpp(ctx context.Context, s server) reading {
	query := url.Values{"model": {s.model}, "autoload": {"false"}}
	return readLlamaCpp(s.fetch(ctx, http.MethodGet, s.root+"/props?"+query.Encode(), ""))
}

// readLlamaCpp takes the window of one slot, which is what a request has.
func readLlamaCpp(props []byte) reading {
	var p struct {
		Settings struct {
			Window tokens `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(props, &p) != nil {
		return reading{}
	}
	return reading{int(p.Settings.Window), settled}
}

// vllm asks vLLM, and whoever tells the same in the list of models.
func vllm(ctx context.Context, s server) reading {
	return readVLLM(s.fetch(ctx, http.MethodGet, s.api+"/models", ""), s.model)
}

func readVLLM(list []byte, model string) reading {
	var l struct {
		Data []struct {
			ID     string `json:"id"`
			Window tokens `json:"max_model_len"`
		} `json:"data"`
	}
	if json.Unmarshal(list, &l) != nil {
		return reading{}
	}
	for _, m := range l.Data {
		if m.ID == model {
			return reading{int(m.Window), settled}
		}
	}
	return reading{}
}

func lmStudio(ctx context.Context, s server) reading {
	return readLMStudio(s.fetch(ctx, http.MethodGet, s.root+"/api/v0/models", ""), s.model)
}

// readLMStudio takes the window of the loaded model. One that is not loaded is
// loaded at its first request, as large as the person chose in the program,
// which it does not tell before.
func readLMStudio(list []byte, model string) reading {
	var l struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded tokens `json:"loaded_context_length"`
			Most   tokens `json:"max_context_length"`
		} `json:"data"`
	}
	if json.Unmarshal(list, &l) != nil {
		return reading{}
	}
	for _, m := range l.Data {
		switch {
		case m.ID != model:
		case m.Loaded > 0:
			return reading{int(m.Loaded), settled}
		case m.Most > 0:
			return reading{min(leastWindow, int(m.Most)), assumed}
		}
	}
	return reading{}
}

func ollama(ctx context.Context, s server) reading {
	question, err := json.Marshal(map[string]string{"model": s.model})
	if err != nil {
		return reading{}
	}
	show := s.fetch(ctx, http.MethodPost, s.root+"/api/show", string(question))
	if show == nil {
		return reading{}
	}
	return readOllama(show, s.fetch(ctx, http.MethodGet, s.root+"/api/ps", ""), s.model, s.local)
}

// readOllama takes the smallest of the window that is loaded, the num_ctx of
// the model and the model's own limit, which Ollama gives only to those who
// ask for it. Without the first two it is the server's default, which it tells
// nobody before the model is loaded: the least is assumed. A loaded window may
// be one that another program has asked for, so it is looked at again. A model
// that runs elsewhere has all of its window.
func readOllama(show, running []byte, model string, local bool) reading {
	var s struct {
		Parameters string                     `json:"parameters"`
		Model      map[string]json.RawMessage `json:"model_info"`
		RemoteHost string                     `json:"remote_host"`
	}
	if json.Unmarshal(show, &s) != nil {
		return reading{}
	}
	var family string
	var most, chosen tokens
	if json.Unmarshal(s.Model["general.architecture"], &family) == nil {
		most.read(string(s.Model[family+".context_length"]))
	}
	for line := range strings.Lines(s.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			chosen.read(f[1])
		}
	}
	loaded := loadedOllama(running, model)
	switch {
	case loaded > 0 || chosen > 0:
		return reading{least(loaded, chosen, most), expected}
	case most == 0:
		return reading{}
	case s.RemoteHost != "":
		return reading{int(most), settled}
	case !local:
		return reading{int(most), expected}
	}
	return reading{least(most, leastWindow), assumed}
}

// loadedOllama is the window of the model in the list of the running ones.
func loadedOllama(running []byte, model string) tokens {
	var l struct {
		Models []struct {
			Name   string `json:"name"`
			Window tokens `json:"context_length"`
		} `json:"models"`
	}
	if json.Unmarshal(running, &l) != nil {
		return 0
	}
	for _, m := range l.Models {
		if strings.EqualFold(m.Name, model) || strings.EqualFold(m.Name, model+":latest") {
			return m.Window
		}
	}
	return 0
}

// least is the smallest of those that are known.
func least(windows ...tokens) int {
	found := 0
	for _, w := range windows {
		if w > 0 && (found == 0 || int(w) < found) {
			found = int(w)
		}
	}
	return found
}

// tokens is a window as a server tells it: 0 for anything that cannot be one.
type tokens int

// UnmarshalJSON never fails: one odd member does not spoil the others.
func (t *tokens) UnmarshalJSON(b []byte) error {
	t.read(string(b))
	return nil
}

func (t *tokens) read(s string) {
	*t = 0
	n, err := strconv.ParseFloat(s, 64)
	if err == nil && n >= minWindow && n <= maxWindow && n == math.Trunc(n) {
		*t = tokens(n)
	}
}
