package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/minicode-go/minicode/internal/wholefile"
)

// ErrLogin is given where a server wants a login that only a person can do.
var ErrLogin = errors.New("it needs a login")

// Tokens keeps what servers gave for a login, by address, in a file that only
// the person can read.
type Tokens struct {
	Path string

	mu sync.Mutex
}

// grant is a login.
type grant struct {
	ClientID     string        `json:"clientId"`
	ClientSecret string        `json:"clientSecret,omitempty"`
	TokenURL     string        `json:"tokenUrl"`
	AuthStyle    int           `json:"authStyle,omitempty"`
	Scopes       []string      `json:"scopes,omitempty"`
	Token        *oauth2.Token `json:"token"`
	When         time.Time     `json:"when"`
}

func (t *Tokens) read() map[string]grant {
	all := map[string]grant{}
	data, err := os.ReadFile(t.Path)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[string]grant{}
	}
	return all
}

func (t *Tokens) get(address string) (grant, bool) {
	if t == nil {
		return grant{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.read()[address]
	return g, ok && g.Token != nil
}

// put keeps a login; nil forgets it.
func (t *Tokens) put(address string, g *grant) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.read()
	if g == nil {
		delete(all, address)
	} else {
		all[address] = *g
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(t.Path, append(data, '\n'))
}

// Logout forgets the login at an address, and says whether there was one.
func (t *Tokens) Logout(address string) (bool, error) {
	_, had := t.get(address)
	if !had {
		return false, nil
	}
	return true, t.put(address, nil)
}

// Has says whether there is a login at an address.
func (t *Tokens) Has(address string) bool {
	_, ok := t.get(address)
	return ok
}

// keeping is a token source that keeps what it gets.
type keeping struct {
	source  oauth2.TokenSource
	tokens  *Tokens
	address string

	mu   sync.Mutex
	last grant
}

// Token is the present token, renewed where it must be.
func (k *keeping) Token() (*oauth2.Token, error) {
	token, err := k.source.Token()
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) {
			return nil, fmt.Errorf("%w again (%s)", ErrLogin, orText(refused.ErrorCode, "it was refused"))
		}
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last.Token == nil || k.last.Token.AccessToken != token.AccessToken {
		k.last.Token = token
		_ = k.tokens.put(k.address, &k.last) // it serves this run all the same
	}
	return token, nil
}

// stored logs in with what is kept, and asks nobody.
type stored struct {
	s *server
}

// TokenSource is what was kept.
func (a stored) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	g, ok := a.s.o.Tokens.get(a.s.URL)
	if !ok {
		return nil, nil
	}
	config := oauth2.Config{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: oauth2.AuthStyle(g.AuthStyle)},
	}
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, a.s.o.client())
	return &keeping{source: config.TokenSource(ctx, g.Token), tokens: a.s.o.Tokens, address: a.s.URL, last: g}, nil
}

// Authorize says that a person is needed.
func (a stored) Authorize(_ context.Context, _ *http.Request, res *http.Response) error {
	_ = res.Body.Close()
	return ErrLogin
}

// authorizer is who answers when a server wants a login. fetch, where there is
// one, has the person do it.
func (s *server) authorizer(fetch *loopback) auth.OAuthHandler {
	for name := range s.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return nil
		}
	}
	if fetch == nil {
		return stored{s}
	}
	h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{fetch.address}, ClientName: "MiniCode", GrantTypes: []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		RedirectURL: fetch.address, AuthorizationCodeFetcher: fetch.fetch, RequestRefreshToken: true, Client: s.o.client(),
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			g := grant{
				ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, AuthStyle: int(c.Endpoint.AuthStyle),
				Scopes: c.Scopes, Token: token, When: s.o.now(),
			}
			if err := s.o.Tokens.put(s.URL, &g); err != nil {
				return nil, fmt.Errorf("the login could not be kept: %w", err)
			}
			return &keeping{source: c.TokenSource(ctx, token), tokens: s.o.Tokens, address: s.URL, last: g}, nil
		},
	})
	if err != nil {
		return stored{s}
	}
	return h
}

// loopback receives the answer of a browser.
type loopback struct {
	address string
	open    func(url string) error
	results chan *auth.AuthorizationResult
	server  *http.Server
}

// newLoopback listens on this machine only.
func newLoopback(ctx context.Context, open func(url string) error) (*loopback, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &loopback{address: fmt.Sprintf("http://%s/callback", l.Addr()), open: open, results: make(chan *auth.AuthorizationResult, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		result := &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}
		if result.Code == "" {
			fmt.Fprintln(w, "The login was refused. You can close this page.")
		} else {
			fmt.Fprintln(w, "You are logged in. You can close this page and go back to MiniCode.")
		}
		select {
		case b.results <- result:
		default:
		}
	})
	b.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(l) }() // ends with close
	return b, nil
}

func (b *loopback) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	if err := b.open(args.URL); err != nil {
		return nil, err
	}
	select {
	case r := <-b.results:
		if r.Code == "" {
			return nil, errors.New("the login was refused")
		}
		return r, nil
	case <-ctx.Done():
		return nil, errors.New("the login was not finished in time")
	}
}

func (b *loopback) close() { _ = b.server.Close() }

// Login has the person log in at a server: open is given the address that a
// browser must visit. It returns when that is done, or ctx ends.
func Login(ctx context.Context, c Config, o Options, open func(url string) error) error {
	if c.URL == "" {
		return fmt.Errorf("the MCP server %s is a program of this machine: it needs no login", c.Name)
	}
	if o.Tokens == nil {
		return errors.New("there is no place to keep a login in")
	}
	b, err := newLoopback(ctx, open)
	if err != nil {
		return err
	}
	defer b.close()
	s := &server{Config: c, o: o}
	session, err := s.loggingIn(ctx, b)
	if err != nil {
		return plain(err)
	}
	hangUp(session, nil)
	return nil
}
