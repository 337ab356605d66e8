package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names is a server of names on this machine.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string // by name: what the first question gets, the second, and so on; the last stays
	asked   map[string]int
}

// resolver starts the server and gives a resolver that asks it only.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	n.asked = map[string]int{}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer, err := n.answer(buf[:size]); err == nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) answer(packet []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, err
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	n.mu.Lock()
	defer n.mu.Unlock()
	sets := n.answers[name]
	if len(sets) == 0 {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	turn := n.asked[name]
	if q.Type == dnsmessage.TypeA { // each look-up asks for both kinds
		n.asked[name]++
	}
	for _, text := range sets[min(turn, len(sets)-1)] {
		a := netip.MustParseAddr(text)
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			r.Body = &dnsmessage.AResource{A: a.As4()}
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			r.Body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		default:
			continue
		}
		m.Answers = append(m.Answers, r)
	}
	return m.Pack()
}

// kit is the tools with servers on this machine, which every name under
// .test leads to, as if they were public.
type kit struct {
	*testing.T
	tools tool.Set
}

func newKit(t *testing.T, change func(*Options)) kit {
	t.Helper()
	n := &names{answers: map[string][][]string{}}
	for _, name := range []string{"site.test", "other.test", "sub.site.test"} {
		n.answers[name] = [][]string{{"127.0.0.1"}}
	}
	o := Options{
		Transport: func() (*http.Transport, error) { return &http.Transport{}, nil },
		Resolver:  n.resolver(t), Agent: "MiniCode/test", Reach: []string{"localhost"}, Timeout: 20 * time.Second,
	}
	if change != nil {
		change(&o)
	}
	tools, err := Tools(o)
	if err != nil {
		t.Fatal(err)
	}
	return kit{t, tools}
}

// prepare prepares a call.
func (k kit) prepare(name string, args map[string]any) (tool.Action, error) {
	k.Helper()
	called, ok := k.tools.Find(name)
	if !ok {
		k.Fatalf("there is no %s", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		k.Fatal(err)
	}
	return called.Prepare(k.Context(), raw)
}

// call makes a call and gives its text, of an error as well.
func (k kit) call(name string, args map[string]any) (text string, err error) {
	k.Helper()
	action, err := k.prepare(name, args)
	if err != nil {
		return err.Error(), err
	}
	result, err := action.Run(k.Context(), func(event.Signal) {})
	if err != nil {
		return err.Error(), err
	}
	return result.Parts.Text(), nil
}

func (k kit) fetch(url string) string {
	k.Helper()
	text, err := k.call("web_fetch", map[string]any{"url": url})
	if err != nil {
		k.Fatalf("%s: %v", url, err)
	}
	return text
}

// fails makes a call that must fail, and say all of this.
func (k kit) fails(url string, want ...string) {
	k.Helper()
	text, err := k.call("web_fetch", map[string]any{"url": url})
	if err == nil {
		k.Errorf("%s was fetched:\n%.300s", url, text)
		return
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			k.Errorf("%s: %q is not in the error: %s", url, w, text)
		}
	}
}

func wantIn(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%.1500s", w, text)
		}
	}
}

// serve is a server on this machine and its port.
func serve(t *testing.T, h http.HandlerFunc) (server *httptest.Server, port string) {
	t.Helper()
	server = httptest.NewServer(h)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return server, port
}

// page is a handler that answers with one page.
func page(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}
}
