//go:build unix

package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// authority is a server that wants a login, and who gives it.
type authority struct {
	*httptest.Server

	mu        sync.Mutex
	challenge string
	valid     map[string]bool // access tokens
	refreshed int
	refuse    bool // no more refreshing
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{valid: map[string]bool{}}
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer("plain") }, nil)
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		ok := a.valid[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		a.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "c1"
		w.WriteHeader(http.StatusCreated)
		reply(w, in)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) { a.token(w, r, reply) })
	a.Server = httptest.NewServer(mux)
	t.Cleanup(func() { a.CloseClientConnections(); a.Close() })
	return a
}

func (a *authority) token(w http.ResponseWriter, r *http.Request, reply func(http.ResponseWriter, any)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = r.ParseForm()
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != a.challenge || r.Form.Get("code") != "code1" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	case "refresh_token":
		if a.refuse || r.Form.Get("refresh_token") != "again" {
			w.WriteHeader(http.StatusBadRequest)
			reply(w, map[string]any{"error": "invalid_grant"})
			return
		}
		a.refreshed++
	}
	access := fmt.Sprintf("token%d", len(a.valid))
	a.valid[access] = true
	reply(w, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "again"})
}

// browse does what a browser and its user would.
func (a *authority) browse(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	q := u.Query()
	a.mu.Lock()
	a.challenge = q.Get("code_challenge")
	a.mu.Unlock()
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {"code1"}, "state": {q.Get("state")}}.Encode()
	res, err := http.Get(back)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func TestLogin(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	tokens := &Tokens{Path: filepath.Join(t.TempDir(), "mcp-tokens.json")}
	c := Config{Name: "guarded", URL: a.URL + "/mcp", StartTimeout: patience}
	keep := func(o *Options) { o.Tokens = tokens }

	w := open(t, keep, c)
	w.ready()
	if s := w.States()[0]; s.Status != NeedsLogin || !strings.Contains(s.Fault, "minicode mcp login guarded") {
		t.Fatalf("%+v", s)
	}
	refused := errors.New("no browser")
	if err := Login(t.Context(), c, Options{Tokens: tokens}, func(string) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	if err := Login(t.Context(), c, Options{Tokens: tokens}, a.browse); err != nil {
		t.Fatal(err)
	}
	if err := w.Reconnect(t.Context(), "guarded"); err != nil {
		t.Fatal(err)
	}
	if got, err := w.call("mcp__guarded__echo", `{"text":"in"}`); err != nil || got.Text() != "echo in" {
		t.Errorf("%q, %v", got.Text(), err)
	}

	// A login that has run out is renewed, and what it became is kept.
	g, _ := tokens.get(c.URL)
	g.Token.Expiry = time.Now().Add(-time.Hour)
	if err := tokens.put(c.URL, &g); err != nil {
		t.Fatal(err)
	}
	later := open(t, keep, c)
	later.ready()
	if got, err := later.call("mcp__guarded__echo", `{"text":"still"}`); err != nil || got.Text() != "echo still" || a.refreshed != 1 {
		t.Errorf("%q, %v, renewed %d times", got.Text(), err, a.refreshed)
	}
	if now, ok := tokens.get(c.URL); !ok || now.Token.AccessToken == g.Token.AccessToken {
		t.Error("what it became is not kept")
	}

	// One that cannot be renewed asks for the person.
	g.Token.Expiry = time.Now().Add(-time.Hour)
	if err := tokens.put(c.URL, &g); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.refuse = true
	a.mu.Unlock()
	over := open(t, keep, c)
	over.ready()
	if s := over.States()[0]; s.Status != NeedsLogin {
		t.Errorf("%+v", s)
	}
	if had, err := tokens.Logout(c.URL); !had || err != nil || tokens.Has(c.URL) {
		t.Errorf("%v, %v", had, err)
	}
}
