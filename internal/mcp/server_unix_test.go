//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const patience = 20 * time.Second

// world is servers with what the person was told.
type world struct {
	*Servers
	t *testing.T

	mu   sync.Mutex
	told []string
}

func open(t *testing.T, set func(*Options), configs ...Config) *world {
	t.Helper()
	w := &world{t: t}
	o := Options{Root: t.TempDir(), Env: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere"} }, Tell: func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, text)
	}}
	if set != nil {
		set(&o)
	}
	w.Servers = New(configs, o)
	t.Cleanup(func() {
		begun := time.Now()
		w.Close()
		if took := time.Since(begun); took > patience {
			t.Errorf("closing took %v", took)
		}
		if left := process.EndMarked(w.prefix()); left > 0 {
			t.Errorf("%d processes are left", left)
		}
	})
	begun := time.Now()
	w.Start()
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("starting took %v", took)
	}
	return w
}

// stdio is a server of this test's own.
func stdio(kind string) Config {
	return Config{Name: kind, Command: os.Args[0], Env: map[string]string{"MCP_SERVER": kind}, Timeout: 3 * time.Second, StartTimeout: patience}
}

func (w *world) ready() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if late := w.Wait(ctx); len(late) > 0 {
		w.t.Fatalf("%v are late: %+v", late, w.States())
	}
}

func (w *world) find(name string) tool.Tool {
	w.t.Helper()
	for _, t := range w.Tools() {
		if t.Spec().Name == name {
			return t
		}
	}
	w.t.Fatalf("no tool %s in %v", name, w.names())
	return nil
}

func (w *world) names() (out []string) {
	for _, t := range w.Tools() {
		out = append(out, t.Spec().Name)
	}
	return out
}

// call calls a tool, and gives its text or its error.
func (w *world) call(name, args string) (llm.Parts, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	return w.callIn(ctx, name, args, nil)
}

func (w *world) callIn(ctx context.Context, name, args string, emit tool.Emit) (llm.Parts, error) {
	w.t.Helper()
	a, err := w.find(name).Prepare(ctx, json.RawMessage(args))
	if err != nil {
		return nil, err
	}
	r, err := a.Run(ctx, emit)
	if err == nil && r.Error {
		return nil, fmt.Errorf("failed: %s", r.Parts.Text())
	}
	return r.Parts, err
}

// eventually waits until a condition holds.
func (w *world) eventually(what string, done func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s does not come; %+v", what, w.States())
		}
	}
}

func (w *world) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.told, "\n")
}

func TestCalls(t *testing.T) {
	t.Parallel()
	c := stdio("plain")
	c.Timeout = patience
	w := open(t, nil, c)
	w.ready()
	if got, err := w.call("mcp__plain__echo", `{"text":"hi"}`); err != nil || got.Text() != "echo hi" {
		t.Errorf("%q, %v", got.Text(), err)
	}
	if _, err := w.call("mcp__plain__fail", `{}`); err == nil || err.Error() != "failed: that did not work" {
		t.Errorf("%v", err)
	}
	if got, err := w.call("mcp__plain__big", ``); err != nil || len(got.Text()) != 10_000_000 {
		t.Errorf("%d bytes, %v", len(got.Text()), err)
	}
	got, err := w.call("mcp__plain__image", `{}`)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d parts, %v", len(got), err)
	}
	if image, ok := got[1].(llm.Image); !ok || image.Media != "image/png" {
		t.Errorf("%+v", got[1])
	}
	if text := got.Text(); !strings.Contains(text, "too large") || strings.Count(text, "[image, image/png") != 2 || !strings.Contains(text, "audio/wav") {
		t.Errorf("%q", text)
	}
	a, err := w.find("mcp__plain__echo").Prepare(t.Context(), json.RawMessage(`{"text":"x"}`))
	if err != nil || len(a.Effects) != 1 || a.Effects[0] != (event.Effect{Kind: event.Tool, Target: "plain/echo"}) {
		t.Errorf("%+v, %v", a.Effects, err)
	}
	if _, err := w.find("mcp__plain__echo").Prepare(t.Context(), json.RawMessage(`[1]`)); err == nil {
		t.Error("a list is taken for arguments")
	}
}

// A server sees the variables that it is given, and no others of ours.
func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "secret-key")
	c := stdio("plain")
	c.Env["MINE"] = "yes"
	w := open(t, nil, c)
	w.ready()
	got, err := w.call("mcp__plain__environment", `{}`)
	if err != nil || !strings.Contains(got.Text(), "MINE=yes") || strings.Contains(got.Text(), "secret-key") {
		t.Errorf("%s, %v", got.Text(), err)
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("plain"))
	w.ready()
	if _, err := w.call("mcp__plain__hang", `{}`); err == nil || !strings.Contains(err.Error(), "no answer to the tool hang within 3s") || !strings.Contains(err.Error(), "timeoutMs") {
		t.Errorf("%v", err)
	}
	w.eventually("the server's word of it", func() bool { return strings.Contains(strings.Join(w.States()[0].Said, " "), "was cancelled") })
	var out strings.Builder
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := w.callIn(ctx, "mcp__plain__progress", `{}`, func(s event.Signal) {
		if o, ok := s.(event.Output); ok {
			out.WriteString(o.Text)
		}
	})
	if err != nil || got.Text() != "done" || !strings.Contains(out.String(), "12 of 12 working") {
		t.Errorf("%q, %v, %q", got.Text(), err, out.String())
	}
}

// An interrupt ends a call at once, and is told to the server.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := stdio("plain")
	c.Timeout = time.Hour
	w := open(t, nil, c)
	w.ready()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := w.callIn(ctx, "mcp__plain__hang", `{}`, nil); err == nil {
		t.Error("no error")
	}
	w.eventually("the server's word of it", func() bool { return strings.Contains(strings.Join(w.States()[0].Said, " "), "was cancelled") })
	if got, err := w.call("mcp__plain__echo", `{"text":"on"}`); err != nil || got.Text() != "echo on" {
		t.Errorf("afterwards: %q, %v", got.Text(), err)
	}
}

// A server that dies fails the call with its last words, and is there again at
// the next one.
func TestDeath(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("plain"))
	w.ready()
	for range 2 {
		begun := time.Now()
		_, err := w.call("mcp__plain__die", `{}`)
		if err == nil || !strings.Contains(err.Error(), "code 9") || !strings.Contains(err.Error(), "out of paper") {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took > patience/2 {
			t.Errorf("it took %v", took)
		}
		w.eventually("its return", func() bool {
			got, err := w.call("mcp__plain__echo", `{"text":"again"}`)
			return err == nil && got.Text() == "echo again"
		})
	}
}

// Bad servers cost a notice each, and hold up nothing.
func TestBadServers(t *testing.T) {
	t.Parallel()
	missing := Config{Name: "missing", Command: "no-such-program"}
	nowhere := stdio("plain")
	nowhere.Name, nowhere.Cwd = "nowhere", "/no/such/directory"
	mute := stdio("mute")
	mute.StartTimeout = 300 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // takes connections and says nothing
	silent := Config{Name: "silent", URL: "http://" + l.Addr().String(), StartTimeout: 300 * time.Millisecond}
	off := stdio("plain")
	off.Name, off.Disabled = "off", true
	w := open(t, nil, missing, nowhere, mute, stdio("dead"), silent, off, stdio("junk"), stdio("plain"))
	w.ready()
	for _, want := range []struct {
		name   string
		status Status
		fault  string
	}{
		{"missing", Failed, `no program "no-such-program"`},
		{"nowhere", Failed, "is not there"},
		{"mute", Failed, "not ready after 300ms; startTimeoutMs"},
		{"dead", Failed, "ended with code 7; its last words: cannot open the database"},
		{"silent", Failed, "not ready after 300ms"},
		{"off", Disabled, ""},
		{"junk", Connected, ""},
		{"plain", Connected, ""},
	} {
		i := slices.IndexFunc(w.States(), func(s State) bool { return s.Name == want.name })
		if s := w.States()[i]; s.Status != want.status || !strings.Contains(s.Fault, want.fault) {
			t.Errorf("%s: %s %q", s.Name, s.Status, s.Fault)
		}
		if want.status == Failed {
			w.eventually("word of "+want.name, func() bool { return strings.Count(w.said(), "The MCP server "+want.name+" does not work: ") == 1 })
		}
	}
	if got, err := w.call("mcp__junk__echo", `{"text":"clear"}`); err != nil || got.Text() != "echo clear" {
		t.Errorf("%q, %v", got.Text(), err)
	}
}

// A launcher that hides the real server does not keep it from being ended.
func TestLauncher(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("launcher"))
	w.ready()
	if got, err := w.call("mcp__launcher__echo", `{"text":"x"}`); err != nil || got.Text() != "echo x" {
		t.Errorf("%q, %v", got.Text(), err)
	}
}

func TestManyTools(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("crowd"), stdio("odd"))
	w.ready()
	all := w.names()
	if len(all) < 310 {
		t.Errorf("%d tools", len(all))
	}
	seen := map[string]bool{}
	for _, name := range all {
		if seen[name] || len(name) > mostName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("name %q", name)
		}
		seen[name] = true
	}
	if !seen["mcp__odd__a_b_c"] || !seen["mcp__odd__read_file"] {
		t.Errorf("%v", all)
	}
}

// A list that changes all the time is looked at again no more than once a
// second, and what is new can be called.
func TestChanges(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("restless"), stdio("plain"))
	w.ready()
	if _, err := w.call("mcp__plain__grow", `{}`); err != nil {
		t.Fatal(err)
	}
	w.eventually("the new tool", func() bool { return slices.Contains(w.names(), "mcp__plain__grown") })
	if got, err := w.call("mcp__plain__grown", `{}`); err != nil || got.Text() != "tall" {
		t.Errorf("%q, %v", got.Text(), err)
	}
	if got, err := w.call("mcp__restless__echo", `{}`); err != nil || got.Text() != "echo " {
		t.Errorf("%q, %v", got.Text(), err)
	}
}

func TestElicitation(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"plain", "handshake"} { // both ways of the protocol
		t.Run(kind, func(t *testing.T) {
			var asked Elicitation
			reply := Reply{Accept: true, Values: map[string]string{"name": "Ada", "tea": "yes"}}
			w := open(t, func(o *Options) {
				o.Ask = func(_ context.Context, e Elicitation) (Reply, error) {
					asked = e
					if reply.Accept {
						time.Sleep(4 * time.Second) // longer than a call may take: a person thinks
					}
					return reply, nil
				}
			}, stdio(kind))
			w.ready()
			got, err := w.call("mcp__"+kind+"__ask", `{}`)
			for _, part := range []string{`"age":3`, `"name":"Ada"`, `"tea":true`, `accept`} {
				if err != nil || !strings.Contains(got.Text(), part) {
					t.Errorf("%q, %v", got.Text(), err)
				}
			}
			if asked.Server != kind || asked.Message != "Who are you?" || len(asked.Fields) != 4 || asked.Fields[0].Name != "name" || !asked.Fields[0].Required {
				t.Errorf("%+v", asked)
			}
			reply = Reply{}
			if got, err := w.call("mcp__"+kind+"__ask", `{}`); err != nil || !strings.Contains(got.Text(), "decline") {
				t.Errorf("%q, %v", got.Text(), err)
			}
			nobody := open(t, nil, stdio(kind))
			nobody.ready()
			if got, err := nobody.call("mcp__"+kind+"__ask", `{}`); err == nil && !strings.Contains(got.Text(), "error") {
				t.Errorf("nobody there: %q", got.Text())
			}
		})
	}
}

func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("rich"))
	w.ready()
	for name, c := range map[string]struct{ args, want string }{
		"list_mcp_resources": {`{}`, "rich: memo://one (one) - The first"},
		"read_mcp_resource":  {`{"server":"rich","uri":"memo://one"}`, "Remember the milk"},
		"list_mcp_prompts":   {`{"server":"rich"}`, "rich: greet [who*] Greets"},
		"get_mcp_prompt":     {`{"server":"rich","name":"greet","arguments":{"who":"Ada"}}`, "Greet Ada"},
	} {
		if got, err := w.call(name, c.args); err != nil || got.Text() != c.want {
			t.Errorf("%s: %q, %v", name, got.Text(), err)
		}
	}
	if _, err := w.call("read_mcp_resource", `{"server":"poor","uri":"x"}`); err == nil || !strings.Contains(err.Error(), "there are rich") {
		t.Errorf("%v", err)
	}
	if p := w.Prompts(); len(p) != 1 || p[0].Command != "mcp__rich__greet" || !p[0].Arguments[0].Required {
		t.Errorf("%+v", p)
	}
	poor := open(t, nil, stdio("plain"))
	poor.ready()
	if slices.Contains(poor.names(), "list_mcp_resources") {
		t.Error("the helpers are there for nothing")
	}
}

// Servers at an address, by the newer transport and by the older one, which is
// found by itself.
func TestAddresses(t *testing.T) {
	t.Parallel()
	keyed := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "k" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	server := func(*http.Request) *sdk.Server { return newServer("rich") }
	newer := httptest.NewServer(keyed(sdk.NewStreamableHTTPHandler(server, nil)))
	older := httptest.NewServer(keyed(sdk.NewSSEHandler(server, nil)))
	t.Cleanup(newer.CloseClientConnections)
	t.Cleanup(older.CloseClientConnections)
	key := map[string]string{"X-Key": "k"}
	w := open(t, nil,
		Config{Name: "newer", URL: newer.URL, Headers: key, StartTimeout: patience}, Config{Name: "older", URL: older.URL, Headers: key, SSE: true, StartTimeout: patience},
		Config{Name: "guessed", URL: older.URL, Headers: key, StartTimeout: patience})
	w.ready()
	for _, name := range []string{"newer", "older", "guessed"} {
		if got, err := w.call("mcp__"+name+"__echo", `{"text":"hi"}`); err != nil || got.Text() != "echo hi" {
			t.Errorf("%s: %q, %v", name, got.Text(), err)
		}
	}
}

func TestDisableAndReconnect(t *testing.T) {
	t.Parallel()
	w := open(t, nil, stdio("plain"))
	w.ready()
	if err := w.Disable("plain"); err != nil {
		t.Fatal(err)
	}
	if s := w.States()[0]; s.Status != Disabled || len(w.Tools()) != 0 {
		t.Errorf("%+v, %v", s, w.names())
	}
	if err := w.Reconnect(t.Context(), "plain"); err != nil {
		t.Fatal(err)
	}
	if got, err := w.call("mcp__plain__echo", `{"text":"hi"}`); err != nil || got.Text() != "echo hi" {
		t.Errorf("%q, %v", got.Text(), err)
	}
	if err := w.Reconnect(t.Context(), "plan"); err == nil || !strings.Contains(err.Error(), "there are plain") {
		t.Errorf("%v", err)
	}
}

// A server at an address that takes the end of a session and never answers
// does not hold up the end.
func TestSlowEnd(t *testing.T) {
	t.Parallel()
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer("plain") }, nil)
	held := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			<-held
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(held); s.CloseClientConnections() })
	w := open(t, nil, Config{Name: "slow", URL: s.URL, StartTimeout: patience})
	w.ready()
	begun := time.Now()
	w.Close()
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("it took %v", took)
	}
}

func TestTokensFile(t *testing.T) {
	t.Parallel()
	tokens := &Tokens{Path: filepath.Join(t.TempDir(), "state", "mcp-tokens.json")}
	if tokens.Has("https://a") {
		t.Error("a login out of nothing")
	}
	if err := tokens.put("https://a", &grant{ClientID: "c"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(tokens.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if had, err := tokens.Logout("https://b"); had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
}
