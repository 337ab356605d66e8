package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/tool"
)

func judge(t *testing.T, mode permission.Mode, a tool.Action, rules ...string) permission.Decision {
	t.Helper()
	p := permission.Policy{Mode: mode, Root: t.TempDir(), Home: t.TempDir()}
	for _, text := range rules {
		decision := permission.Allow
		if rest, ok := strings.CutPrefix(text, "deny "); ok {
			text, decision = rest, permission.Deny
		}
		r, err := permission.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Decision, r.Own = decision, true
		p.Rules = append(p.Rules, r)
	}
	return permission.Decide(p, "web_fetch", a.Effects, nil, tool.Advice{}).Decision
}

// TestField_W01 is of addresses inside.
func TestField_W01(t *testing.T) {
	server, port := serve(t, page("text/plain", "the secret page"))
	k := newKit(t, func(o *Options) { o.Reach = nil })
	for _, at := range []string{
		"http://127.0.0.1:" + port, "http://[::1]:" + port, "http://localhost.:" + port, "http://2130706433:" + port, "http://0.0.0.0:" + port, "http://0x7f.1:" + port,
		"http://a.localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://10.0.0.1", "http://100.64.0.1", "http://192.168.0.1", "http://[fd12::1]", "http://[64:ff9b::a00:1]",
	} {
		action, err := k.prepare("web_fetch", map[string]any{"url": at})
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		e := action.Effects[0]
		if e.Kind != event.Net || e.Class != event.Critical || !strings.Contains(e.Reason, e.Target) {
			t.Errorf("%s: effect %+v", at, e)
		}
		// It is asked whatever says otherwise: no mode and no rule lets it pass.
		for _, mode := range []permission.Mode{permission.Default, permission.FullAccess, permission.Plan} {
			if got := judge(t, mode, action, "web_fetch", "web_fetch(domain:127.0.0.1)", "web_fetch(domain:localhost)"); got != permission.Ask {
				t.Errorf("%s in %s: %s", at, mode, got)
			}
		}
		if got := judge(t, permission.DontAsk, action, "web_fetch"); got != permission.Deny {
			t.Errorf("%s in dont-ask: %s", at, got)
		}
	}
	for _, at := range []string{
		"http://169.254.169.254/latest/", "http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://metadata.google.internal/",
		"http://[fe80::1%25eth0]/", "http://[64:ff9b::a9fe:a9fe]/",
	} {
		if _, err := k.prepare("web_fetch", map[string]any{"url": at}); err == nil || !strings.Contains(err.Error(), "never fetched") {
			t.Errorf("%s: %v", at, err)
		}
	}
	// What a person said yes to is fetched.
	for _, at := range []string{"http://127.0.0.1:" + port, "http://2130706433:" + port, "http://0.0.0.0:" + port} {
		wantIn(t, k.fetch(at), "the secret page")
	}
	server.Close()
	k.fails("http://127.0.0.1:"+port, "nothing listens at 127.0.0.1:"+port)
}

// TestField_W02 is of names and redirects that lead inside.
func TestField_W02(t *testing.T) {
	var inside atomic.Int32
	_, secret := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		inside.Add(1)
		fmt.Fprint(w, "the secret page")
	})
	n := &names{answers: map[string][][]string{
		"evil.test": {{"127.0.0.1"}}, "mapped.test": {{"::ffff:127.0.0.1"}}, "lan.test": {{"10.1.2.3"}}, "meta.test": {{"169.254.169.254"}}, "both.test": {{"127.0.0.1", "10.0.0.1"}},
	}}
	k := newKit(t, func(o *Options) { o.Reach, o.Resolver = nil, n.resolver(t) })
	k.fails("http://evil.test:"+secret, "evil.test is at 127.0.0.1, this machine", `"localhost"`, "web.fetch.allow")
	k.fails("http://mapped.test:"+secret, "127.0.0.1")
	k.fails("http://both.test:"+secret, "both.test is at ")
	k.fails("http://lan.test", `"10.1.2.3"`, "a private network", "web.fetch.allow")
	k.fails("http://meta.test", "never fetched")
	if inside.Load() != 0 {
		t.Errorf("the page inside was fetched %d times", inside.Load())
	}

	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+secret+"/x", http.StatusFound)
	})
	k = newKit(t, nil)
	wantIn(t, k.fetch("http://site.test:"+port+"/a"), "REDIRECT: 302 Found to http://127.0.0.1:"+secret+"/x", "not fetched", "call web_fetch with the url http://127.0.0.1:"+secret+"/x")
	if inside.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// TestRebinding is of a name that means another address when it is asked for
// again. A second address of this machine stands for a public one.
func TestRebinding(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	inside, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Skip("the port is taken on the other address")
	}
	defer inside.Close()
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/two", http.StatusFound)
			return
		}
		fmt.Fprint(w, "public")
	})}}
	server.Start()
	defer server.Close()
	n := &names{answers: map[string][][]string{"rebind.test": {{"127.0.0.2"}, {"127.0.0.1"}}, "both.test": {{"127.0.0.1", "127.0.0.2"}}}}
	k := newKit(t, func(o *Options) { o.Reach, o.Resolver = []string{"127.0.0.2"}, n.resolver(t) })
	k.fails("http://rebind.test:"+port+"/", "rebind.test is at 127.0.0.1")
	// Of several addresses, those that may be are used.
	wantIn(t, k.fetch("http://both.test:"+port+"/two"), "public")
}

// TestField_W04 is of rules for domains: deny before allow, and a wildcard is
// subdomains only.
func TestField_W04(t *testing.T) {
	k := newKit(t, nil)
	for _, c := range []struct {
		url, rules string
		want       permission.Decision
	}{
		{"https://denied.example.test/", "web_fetch(domain:denied.example.test) deny.web_fetch(domain:*.example.test)", permission.Deny},
		{"https://example.test/", "web_fetch(domain:*.example.test)", permission.Ask},
		{"https://a.b.example.test/", "web_fetch(domain:*.example.test)", permission.Allow},
		{"https://EXAMPLE.test.:444/", "web_fetch(domain:example.test)", permission.Allow},
		{"https://example.test.evil.test/", "web_fetch(domain:example.test)", permission.Ask},
		{"https://evilexample.test/", "web_fetch(domain:*.example.test)", permission.Ask},
		{"https://ｄｅｎｉｅｄ.test/", "deny.web_fetch(domain:denied.test)", permission.Deny},
		{"https://2130706433/", "deny.web_fetch(domain:127.0.0.1)", permission.Deny},
	} {
		action, err := k.prepare("web_fetch", map[string]any{"url": c.url})
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, r := range strings.Fields(c.rules) {
			rules = append(rules, strings.Replace(r, "deny.", "deny ", 1))
		}
		if got := judge(t, permission.Default, action, rules...); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.url, rules, got, c.want)
		}
	}
}

// proxy is a proxy on this machine, which passes everything on to to.
type proxy struct {
	*httptest.Server
	to   string
	seen atomic.Pointer[[]string]
}

func newProxy(t *testing.T, to string) *proxy {
	p := &proxy{to: to}
	p.seen.Store(&[]string{})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := append(slices.Clone(*p.seen.Load()), r.Method+" "+r.Host)
		p.seen.Store(&all)
		if r.Method != http.MethodConnect {
			fmt.Fprintf(w, "through the proxy: %s", r.URL)
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer out.Close()
		w.WriteHeader(http.StatusOK)
		in, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer in.Close()
		go func() { _, _ = io.Copy(out, buffered); out.Close() }()
		_, _ = io.Copy(in, out)
	}))
	t.Cleanup(p.Close)
	return p
}

// TestProxies is of proxies and certificate authorities.
func TestProxies(t *testing.T) {
	secure := httptest.NewUnstartedServer(page("text/plain", "over TLS"))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	_, port, _ := net.SplitHostPort(secure.Listener.Addr().String())
	p := newProxy(t, secure.Listener.Addr().String())
	through, _ := url.Parse(p.URL)
	pool := x509.NewCertPool()
	pool.AddCert(secure.Certificate())
	transport := func(pool *x509.CertPool) func() (*http.Transport, error) {
		return func() (*http.Transport, error) {
			return &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
				Proxy: func(r *http.Request) (*url.URL, error) {
					if strings.HasSuffix(r.URL.Hostname(), "site.test") { // NO_PROXY
						return nil, nil
					}
					return through, nil
				},
			}, nil
		}
	}
	// example.com is what the certificate is for; there is no network here.
	k := newKit(t, func(o *Options) { o.Reach, o.Transport = nil, transport(pool) })
	wantIn(t, k.fetch("https://example.com/"), "over TLS")
	wantIn(t, k.fetch("http://plain.example/x"), "through the proxy: http://plain.example/x")
	if got := *p.seen.Load(); len(got) != 2 || got[0] != "CONNECT example.com:443" || got[1] != "GET plain.example" {
		t.Errorf("the proxy saw %q", got)
	}
	// What goes past the proxy is judged by its address.
	k.fails("https://site.test:"+port, "site.test is at 127.0.0.1")
	k.fails("https://elsewhere.example/", "for another host", "example.com")

	k = newKit(t, func(o *Options) { o.Transport = transport(x509.NewCertPool()) })
	k.fails("https://example.com/", "network.caFile", "not trusted")
	before := len(*p.seen.Load())
	k.fails("https://example.com/", "network.caFile")
	if n := len(*p.seen.Load()) - before; n != 1 {
		t.Errorf("a certificate that is not trusted was tried %d times", n)
	}
	k.fails("http://site.test:"+port, "HTTP 400")
	_, plain := serve(t, page("text/plain", "x"))
	k.fails("https://site.test:"+plain, "speaks no TLS", "http://")

	p.Close()
	k.fails("https://example.com/", "the proxy could not be used", "network.proxy")

	k = newKit(t, func(o *Options) {
		o.Transport = func() (*http.Transport, error) { return nil, fmt.Errorf("network.caFile cannot be read") }
	})
	k.fails("https://example.com/", "network.caFile cannot be read")
	k = newKit(t, func(o *Options) {
		o.Transport = func() (*http.Transport, error) {
			return &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, fmt.Errorf("bad address") }}, nil
		}
	})
	k.fails("https://example.com/", "setting of the proxy", "bad address")
}

// TestNothingBeforeRun is of the rule that a call touches nothing before it
// may: not even a name is looked up.
func TestNothingBeforeRun(t *testing.T) {
	n := &names{answers: map[string][][]string{"site.test": {{"127.0.0.1"}}}}
	r := n.resolver(t)
	dial := r.Dial
	var dialled atomic.Int32
	r.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled.Add(1)
		return dial(ctx, network, address)
	}
	k := newKit(t, func(o *Options) {
		o.Resolver = r
		o.Transport = func() (*http.Transport, error) { t.Error("the transport was made"); return nil, nil }
		o.Search = Search{Provider: "brave", Key: func(context.Context) (string, error) { t.Error("the key was asked for"); return "", nil }}
	})
	for _, c := range []struct {
		name string
		args map[string]any
	}{{"web_fetch", map[string]any{"url": "http://site.test/"}}, {"web_search", map[string]any{"query": "x", "allowed_domains": []string{"site.test"}}}} {
		if _, err := k.prepare(c.name, c.args); err != nil {
			t.Error(err)
		}
	}
	if dialled.Load() != 0 {
		t.Error("a name was looked up")
	}
}
