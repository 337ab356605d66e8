package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/llm"
)

// local is a server on this machine that answers chats, and other questions
// with what it is set up with.
type local struct {
	*httptest.Server
	mu      sync.Mutex
	asked   map[string]int // requests by method and path
	limits  []int          // max_tokens of the chats
	headers []http.Header  // of the questions
	answers map[string]http.HandlerFunc
}

// serve starts a server with those answers, by method and path.
func serve(t *testing.T, answers map[string]http.HandlerFunc) *local {
	t.Helper()
	l := &local{asked: map[string]int{}, answers: answers}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *local) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.Method + " " + r.URL.Path
	l.mu.Lock()
	l.asked[at]++
	answer := l.answers[at]
	l.mu.Unlock()
	if strings.HasSuffix(at, "/chat/completions") {
		var chat struct {
			Most int `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&chat); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		l.mu.Lock()
		l.limits = append(l.limits, chat.Most)
		l.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"yes\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		return
	}
	l.mu.Lock()
	l.headers = append(l.headers, r.Header.Clone())
	l.mu.Unlock()
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// counts are the requests so far.
func (l *local) counts() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]int{}
	for at, n := range l.asked {
		all[at] = n
	}
	return all
}

// model is the model of that name behind the server, of the provider "lab".
func (l *local) model(t *testing.T, name string) llm.Model {
	t.Helper()
	m, err := directory(t, nil, `{"providers": {"lab": {"baseUrl": "`+l.URL+`/v1"}}}`).Model("lab/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// says answers with those words.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

// saysFirst answers with the first words once, then with the second.
func saysFirst(first, then string) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 1 {
			fmt.Fprint(w, first)
			return
		}
		fmt.Fprint(w, then)
	}
}

// chat asks the model and fails unless it answers.
func chat(t *testing.T, m llm.Model) {
	t.Helper()
	if err := answerOf(t.Context(), m); err != nil {
		t.Error(err)
	}
}

func answerOf(ctx context.Context, m llm.Model) error {
	for _, err := range m.Stream(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "well?"}}}}}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// size is the part of Info that a server can tell.
type size struct {
	Window, MaxOutput int
	Known             bool
}

func sizeOf(m llm.Model) size {
	i := m.Info()
	return size{i.Window, i.MaxOutput, i.Known}
}

func unknown() size { return size{llm.FallbackWindow, llm.FallbackMaxOutput, false} }

const (
	ollamaShow = `{"parameters": "stop  \"x\"\ntemperature 1", "details": {"family": "qwen3"},
		"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960, "qwen3.rope.scaling.original_context_length": 8192, "tokenizer.ggml.tokens": null}}`
	ollamaChosen = `{"parameters": "num_ctx                        32768\nstop \"num_ctx 5\"",
		"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960}}`
	ollamaCloud = `{"remote_host": "https://ollama.com:443", "remote_model": "m", "model_info": {"general.architecture": "gptoss", "gptoss.context_length": 131072}}`
	lmStudio    = `{"object": "list", "data": [
		{"id": "n", "object": "model", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 1024},
		{"id": "m", "object": "model", "type": "llm", "state": %s, "max_context_length": 131072}]}`
)

func loadedAs(name string, window int) string {
	return fmt.Sprintf(`{"models": [{"name": "other:latest", "context_length": 512}, {"name": %q, "model": %q, "size_vram": 1, "context_length": %d}]}`, name, name, window)
}

// TestServersTellTheirWindow has one server of each kind, as it is before the
// first request and while it answers.
func TestServersTellTheirWindow(t *testing.T) {
	t.Parallel()
	none := `{"models": []}`
	for _, c := range []struct {
		name    string
		answers map[string]http.HandlerFunc
		limit   int // max_tokens of the first request
		want    size
	}{
		{"llama.cpp", map[string]http.HandlerFunc{
			"GET /props": func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("model") != "m" || r.URL.Query().Get("autoload") != "false" {
					http.Error(w, "which?", http.StatusBadRequest)
					return
				}
				fmt.Fprint(w, `{"default_generation_settings": {"id": 0, "n_ctx": 65536, "params": {"n_predict": -1}}, "total_slots": 4}`)
			},
			"GET /v1/models": says(`{"data": [{"id": "m", "meta": {"n_ctx_train": 262144}}]}`),
			"POST /api/show": says(`{"model_info": {"general.architecture": "llama", "llama.context_length": 2048}}`),
		}, 8000, size{65536, 8000, true}},
		{"vLLM", map[string]http.HandlerFunc{
			"GET /v1/models": says(`{"object": "list", "data": [{"id": "n", "max_model_len": 1000}, {"id": "m", "owned_by": "vllm", "max_model_len": 8096, "permission": []}]}`),
		}, 4048, size{8096, 4048, true}},
		{"LM Studio, loaded", map[string]http.HandlerFunc{
			"GET /api/v0/models": says(fmt.Sprintf(lmStudio, `"loaded", "loaded_context_length": 16384`)),
			"GET /v1/models":     says(`{"data": [{"id": "m"}]}`),
			"GET /props":         says(`{"error": "Unexpected endpoint or method. (GET /props)"}`),
			"POST /api/show":     says(`{"error": "Unexpected endpoint or method. (POST /api/show)"}`),
		}, 8000, size{16384, 8000, true}},
		{"LM Studio, loads it for the request", map[string]http.HandlerFunc{
			"GET /api/v0/models": saysFirst(fmt.Sprintf(lmStudio, `"not-loaded"`), fmt.Sprintf(lmStudio, `"loaded", "loaded_context_length": 12000`)),
		}, 8000, size{12000, 6000, true}},
		{"Ollama, loads it for the request", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaShow), "GET /api/ps": saysFirst(none, loadedAs("m:latest", 32768)),
		}, 8000, size{32768, 8000, true}},
		{"Ollama, with num_ctx", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaChosen), "GET /api/ps": says(none),
		}, 8000, size{32768, 8000, true}},
		{"Ollama, loaded smaller than num_ctx", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaChosen), "GET /api/ps": says(loadedAs("m:latest", 8192)),
		}, 4096, size{8192, 4096, true}},
		{"Ollama, loaded by another program and again for us", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaShow), "GET /api/ps": saysFirst(loadedAs("M:latest", 40960), loadedAs("m:latest", 4096)),
		}, 8000, size{4096, 2048, true}},
		{"Ollama, an old one that tells nothing of what is loaded", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaShow), "GET /api/ps": says(loadedAs("m:latest", 0)),
		}, 8000, size{4096, 2048, false}},
		{"Ollama, for a model that runs elsewhere", map[string]http.HandlerFunc{
			"POST /api/show": says(ollamaCloud), "GET /api/ps": says(none),
		}, 8000, size{131072, 8000, true}},
		{"nobody", nil, 8000, unknown()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := serve(t, c.answers)
			m := l.model(t, "m")
			if got := l.counts(); len(got) > 0 || sizeOf(m) != unknown() {
				t.Errorf("before the first request there were %v, and the size is %v", got, sizeOf(m))
			}
			chat(t, m)
			if got := sizeOf(m); got != c.want {
				t.Errorf("the size is %v, want %v", got, c.want)
			}
			if len(l.limits) != 1 || l.limits[0] != c.limit {
				t.Errorf("the answer was limited to %v tokens, want %d", l.limits, c.limit)
			}
			if timed := (&provider.Timed{Model: m}); sizeOf(timed) != c.want {
				t.Errorf("Timed says %v", sizeOf(timed))
			}
		})
	}
}

// TestWindowIsAskedForOnce has many requests of several models of one
// directory.
func TestWindowIsAskedForOnce(t *testing.T) {
	t.Parallel()
	l := serve(t, map[string]http.HandlerFunc{"POST /api/show": says(ollamaShow), "GET /api/ps": saysFirst(`{"models": []}`, loadedAs("m:latest", 32768))})
	d := directory(t, nil, `{"providers": {"lab": {"baseUrl": "`+l.URL+`/v1"}}}`)
	const each = 8
	var all sync.WaitGroup
	for range 3 {
		m, err := d.Model("lab/m")
		if err != nil {
			t.Fatal(err)
		}
		for range each {
			all.Go(func() {
				if err := answerOf(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if i := m.Info(); i.Window != llm.FallbackWindow && i.Window != 32768 {
					t.Errorf("a window that nobody said: %+v", i)
				}
			})
		}
	}
	all.Wait()
	want := map[string]int{
		"GET /props": 1, "GET /v1/models": 1, "GET /api/v0/models": 1, "POST /v1/chat/completions": 3 * each,
		"POST /api/show": 2, "GET /api/ps": 2, // once more when it is loaded
	}
	if diff := cmp.Diff(want, l.counts()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	later, err := d.Model("lab/m")
	if err != nil || sizeOf(later) != (size{32768, 8000, true}) {
		t.Errorf("a model that is opened later: %v, %v", sizeOf(later), err)
	}
}

// TestSettingsSayTheWindow checks that what a person has set is neither asked
// for nor changed.
func TestSettingsSayTheWindow(t *testing.T) {
	t.Parallel()
	props := map[string]http.HandlerFunc{"GET /props": says(`{"default_generation_settings": {"n_ctx": 4096}}`)}
	for _, c := range []struct {
		settings string
		want     size
		asked    int
	}{
		{`{"context": 50000}`, size{50000, 8000, true}, 0},
		{`{"maxOutput": 3000}`, size{4096, 3000, true}, 1},
	} {
		for _, name := range []string{"lab", "llamacpp"} {
			l := serve(t, props)
			m, err := directory(t, nil, fmt.Sprintf(`{"providers": {%q: {"baseUrl": "%s/v1"}}, "models": {"%s/m": %s}}`, name, l.URL, name, c.settings)).Model(name + "/m")
			if err != nil {
				t.Fatal(err)
			}
			chat(t, m)
			if got := sizeOf(m); got != c.want || l.counts()["GET /props"] != c.asked {
				t.Errorf("%s, %s: %v after %v", name, c.settings, got, l.counts())
			}
		}
	}
}

// TestWhoIsAsked has one server behind all addresses, as a proxy.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, address string
		asked          bool
	}{
		{"lab/m", "http://10.1.2.3:8000/v1", true},
		{"lab/m", "http://192.168.0.9/v1", true},
		{"lab/m", "http://172.31.0.1:1/v1", true},
		{"lab/m", "http://[fd00::1]:1/v1", true},
		{"lab/m", "http://box.local:8000/v1", true},
		{"lab/m", "http://gpu:8000/v1", true},
		{"lab/m", "http://host.docker.internal:8000", true},
		{"ollama/m", "http://models.example.com/v1", true},
		{"openai/gpt-5", "http://10.1.2.3:4000/v1", false}, // the catalogue knows it
		{"openai/gpt-new", "http://10.1.2.3:4000/v1", true},
		{"lab/m", "http://models.example.com/v1", false},
		{"lab/m", "http://172.32.0.1/v1", false},
		{"lab/m", "http://8.8.8.8/v1", false},
		{"lab/m", "http://[2001:4860::1]/v1", false},
		{"lab/m", "http://local.example.com/v1", false},
		{"lab/m", "http://localhost.example.com/v1", false},
		{"openrouter/some/m", "http://openrouter.example.com/v1", false},
	} {
		l := serve(t, map[string]http.HandlerFunc{"GET /props": says(`{"default_generation_settings": {"n_ctx": 5000}}`)})
		name, _, _ := strings.Cut(c.model, "/")
		m, err := directory(t, nil, fmt.Sprintf(`{"network": {"proxy": %q}, "providers": {%q: {"baseUrl": %q, "apiKey": "secret"}}}`, l.URL, name, c.address)).Model(c.model)
		if err != nil {
			t.Fatal(err)
		}
		chat(t, m)
		counts := l.counts()
		if got := counts["GET /props"] == 1; got != c.asked || got != (m.Info().Window == 5000) || !got && len(counts) != 1 {
			t.Errorf("%s at %s: requests %v, window %d", c.model, c.address, counts, m.Info().Window)
		}
	}
}

// TestQuestionsGoTheWayOfTheModel checks addresses and headers for the forms
// that a base URL may have.
func TestQuestionsGoTheWayOfTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, list, props string }{
		{"", "/v1/models", "/props"},
		{"/", "/v1/models", "/props"},
		{"/v1/", "/v1/models", "/props"},
		{"/v1/chat/completions", "/v1/models", "/props"},
		{"/lab/v1", "/lab/v1/models", "/lab/props"},
		{"/openai", "/openai/models", "/openai/props"},
	} {
		l := serve(t, nil)
		m, err := directory(t, nil, `{"providers": {"lab": {"baseUrl": "`+l.URL+c.base+`", "apiKey": "secret", "headers": {"X-Lab": "7"}}}}`).Model("lab/m")
		if err != nil {
			t.Fatal(err)
		}
		chat(t, m)
		if got := l.counts(); got["GET "+c.list] != 1 || got["GET "+c.props] != 1 {
			t.Errorf("%q: %v", c.base, got)
		}
		for _, h := range l.headers {
			if h.Get("Authorization") != "Bearer secret" || h.Get("X-Lab") != "7" {
				t.Errorf("%q: a question came with %v", c.base, h)
			}
		}
	}
}

// TestAnthropicWire checks the key and the addresses of the other wire.
func TestAnthropicWire(t *testing.T) {
	t.Parallel()
	l := serve(t, map[string]http.HandlerFunc{
		"GET /v1/models":    says(`{"data": [{"id": "m", "max_model_len": 20000}]}`),
		"POST /v1/messages": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) },
	})
	m, err := directory(t, nil, `{"providers": {"lab": {"wire": "anthropic", "baseUrl": "`+l.URL+`", "apiKey": "secret"}}}`).Model("lab/m")
	if err != nil {
		t.Fatal(err)
	}
	if err := answerOf(t.Context(), m); err == nil {
		t.Error("the server refused, and no error came")
	}
	l.mu.Lock() // a question that was given up may still arrive
	first := l.headers[0]
	l.mu.Unlock()
	if got := sizeOf(m); got != (size{20000, 8000, true}) || first.Get("X-Api-Key") != "secret" {
		t.Errorf("%v, %v", got, first)
	}
}

// TestHostileAnswers checks that nothing which a server says makes a request
// fail or a window out of nothing.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	everywhere := func(answer http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{"GET /props": answer, "GET /v1/models": answer, "GET /api/v0/models": answer, "POST /api/show": answer, "GET /api/ps": answer}
	}
	all := func(window string) http.HandlerFunc {
		return says(strings.ReplaceAll(`{"default_generation_settings": {"n_ctx": W}, "data": [{"id": "m", "max_model_len": W, "loaded_context_length": W, "max_context_length": W}],
			"parameters": "num_ctx W", "model_info": {"general.architecture": "a", "a.context_length": W}, "models": [{"name": "m", "context_length": W}]}`, "W", window))
	}
	elsewhere := serve(t, everywhere(all("9000")))
	for name, answer := range map[string]http.HandlerFunc{
		"HTML":        says("<!doctype html><title>Sign in</title>"),
		"nothing":     says(""),
		"null":        says("null"),
		"a list":      says(`[1, 2]`),
		"cut":         says(`{"default_generation_settings": {"n_ctx": 4096`),
		"other types": says(`{"default_generation_settings": 7, "data": {"m": 1}, "model_info": [], "parameters": {}, "models": "m"}`),
		"text":        all(`"8192"`),
		"too small":   all("255"),
		"too large":   all("100000001"),
		"negative":    all("-4096"),
		"beyond":      all("1e400"),
		"a fraction":  all("4096.5"),
		"an object":   all("{}"),
		"deep":        says(strings.Repeat("[", 100_000)),
		"an error": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			all("4096")(w, r)
		},
		"cut off": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100000")
			all("4096")(w, r)
		},
		"huge": func(w http.ResponseWriter, r *http.Request) {
			all("4096")(w, r)
			fmt.Fprint(w, strings.Repeat(" ", 1<<20))
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for chunk := strings.Repeat(" ", 1<<16); ; {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, everywhere(answer))
			m := l.model(t, "m")
			chat(t, m)
			if got := sizeOf(m); got != unknown() {
				t.Errorf("the size is %v", got)
			}
		})
	}
	if got := elsewhere.counts(); len(got) > 0 {
		t.Errorf("questions, and the key with them, were sent on: %v", got)
	}
	l := serve(t, everywhere(all("4096.0")))
	m := l.model(t, "m")
	if chat(t, m); sizeOf(m) != (size{4096, 2048, true}) {
		t.Errorf("the answer in which only the number was wrong gives %v", sizeOf(m))
	}
}

// hanging are answers that do not come before the question is given up; done
// gets one value for each.
func hanging(done chan<- struct{}, begun func()) map[string]http.HandlerFunc {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the other side left
		begun()
		<-r.Context().Done()
		done <- struct{}{}
	}
	return map[string]http.HandlerFunc{"GET /props": hang, "GET /v1/models": hang, "GET /api/v0/models": hang, "POST /api/show": hang}
}

// TestSlowServerIsNotWaitedFor checks that questions end by themselves and the
// request goes out then.
func TestSlowServerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	done := make(chan struct{}, 8)
	l := serve(t, hanging(done, func() {}))
	m := l.model(t, "m")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 2 { // the second asks nothing
		if err := answerOf(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		select {
		case <-done:
		case <-ctx.Done():
			t.Fatal("a question is still open")
		}
	}
	want := map[string]int{"GET /props": 1, "GET /v1/models": 1, "GET /api/v0/models": 1, "POST /api/show": 1, "POST /v1/chat/completions": 2}
	if diff := cmp.Diff(want, l.counts()); diff != "" || sizeOf(m) != unknown() {
		t.Errorf("the size is %v; requests (-want +got):\n%s", sizeOf(m), diff)
	}
}

// TestStoppedWhileAsking checks that a person need not wait for the questions,
// and that they are asked again then.
func TestStoppedWhileAsking(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{}, 8)
	l := serve(t, hanging(done, cancel))
	m := l.model(t, "m")
	if err := answerOf(ctx, m); err == nil {
		t.Error("a request that was stopped had an answer")
	}
	l.mu.Lock()
	l.answers = map[string]http.HandlerFunc{"GET /props": says(`{"default_generation_settings": {"n_ctx": 5000}}`)}
	l.mu.Unlock()
	if chat(t, m); m.Info().Window != 5000 {
		t.Errorf("after a stop the window is %d", m.Info().Window)
	}
}

func TestWindowNote(t *testing.T) {
	t.Parallel()
	const lab = `{"providers": {"lab": {"baseUrl": "http://127.0.0.1:1/v1"}}, "models": {"lab/foo": %s}}`
	note := func(settings string) string {
		d := directory(t, nil, settings)
		m, err := d.Model("lab/foo")
		if err != nil {
			t.Fatal(err)
		}
		return d.WindowNote(m.Info())
	}
	got := note(fmt.Sprintf(lab, `{}`))
	for _, words := range []string{"lab/foo is not known", "128,000 tokens", "8,000 of them", `models."lab/foo".context`, "settings.json"} {
		if !strings.Contains(got, words) {
			t.Errorf("%q does not say %q", got, words)
		}
	}
	if got := note(fmt.Sprintf(lab, `{"maxOutput": 500}`)); !strings.Contains(got, "128,000 tokens are assumed, 500 of them") {
		t.Errorf("with a limit for the answer: %q", got)
	}
	// what the note says to do is what the settings understand
	if got := note(fmt.Sprintf(lab, `{"context": 9000, "maxOutput": 1000}`)); got != "" {
		t.Errorf("after it was set: %q", got)
	}
	keys := []string{}
	loaded, err := config.Load(config.Input{Home: t.TempDir(), Cwd: t.TempDir(), GOOS: "linux", SettingsFiles: []string{fmt.Sprintf(lab, `{"context": 1}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range loaded.Effective() {
		keys = append(keys, s.Key)
	}
	if !strings.Contains(strings.Join(keys, "\n"), `models."lab/foo".context`) {
		t.Errorf("the settings do not call it so: %v", keys)
	}
}
