package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Status is how a server stands.
type Status string

// The states of a server.
const (
	Waiting    Status = "waiting"    // not begun
	Connecting Status = "connecting" //
	Connected  Status = "connected"  //
	Failed     Status = "failed"     // State.Fault says why
	NeedsLogin Status = "login"      // it wants a login first
	Disabled   Status = "disabled"   // by the settings or the person
)

const (
	restarts    = 5                // in a row, by themselves
	firstPause  = time.Second      // before the second of them; it doubles
	settledTime = 2 * time.Minute  // after which a server counts as healthy again
	closeTime   = time.Second      // for the end of a session to be said
	changePause = time.Second      // between two looks at a list that changes
	listTime    = 20 * time.Second // for one list to come
)

var (
	errClosed = errors.New("it was closed")
	errOff    = errors.New("it is disabled")
)

// server is one server, through all its restarts.
type server struct {
	Config
	o      Options
	marker func() string // of its next program
	order  func() int    // counts servers as they come

	mu      sync.Mutex
	status  Status
	fault   string
	session *sdk.ClientSession
	program *program
	life    context.CancelFunc // ends what belongs to the session
	offered offered
	place   int // among the servers, by when it came; 0 before
	fails   int // in a row
	since   time.Time
	ready   chan struct{} // closed when the attempt that runs is over
	told    map[string]bool
	closed  bool
	log     []string           // what it said through the protocol, the newest last
	calls   int                // progress tokens given out
	due     *sdk.ClientSession // whose lists are about to be looked at again

	asking atomic.Int32 // questions that the person has not answered yet

	waits sync.Map // progress token → chan<- *sdk.ProgressNotificationParams
}

// State is a server as a person is shown it.
type State struct {
	Name      string
	Status    Status
	Fault     string // why it does not work, in words
	Endpoint  string // its command or address
	Version   string // what it calls itself
	Protocol  string
	Tools     []ToolState
	LeftOut   []string // tools that are not offered, with the reason
	Prompts   int
	Resources int
	Said      []string // its last words on its error output and in its log
}

// ToolState is a tool of a server.
type ToolState struct {
	Name, Own, Description string // Own is what the server calls it
	ReadOnly               bool   // as the server says; shown, never trusted
}

// begin connects the server if it is not connected, and gives a channel that
// is closed when that is over, whatever came of it.
func (s *server) begin() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil {
		return s.ready
	}
	done := make(chan struct{})
	if s.closed || s.status == Disabled || s.status == Connected {
		close(done)
		return done
	}
	s.status, s.ready = Connecting, done
	go func() {
		err := s.connect()
		s.mu.Lock()
		s.settle(err)
		s.ready = nil
		s.mu.Unlock()
		close(done)
	}()
	return done
}

// settle notes what came of an attempt. s.mu is held.
func (s *server) settle(err error) {
	switch {
	case s.status == Disabled || s.closed:
	case err == nil:
		s.status, s.fault, s.since = Connected, "", s.o.now()
		if s.place == 0 {
			s.place = s.order()
		}
		return
	case errors.Is(err, ErrLogin):
		s.status, s.fault = NeedsLogin, fmt.Sprintf("it needs a login: minicode mcp login %s", s.Name)
	default:
		s.status, s.fault = Failed, err.Error()
		s.fails++
		s.since = s.o.now()
	}
	if s.fault != "" {
		s.once("The MCP server " + s.Name + " does not work: " + s.fault)
	}
}

// once tells the person something that is the same as before the first time
// only. s.mu is held.
func (s *server) once(text string) {
	if s.told == nil {
		s.told = map[string]bool{}
	}
	if !s.told[text] {
		s.told[text] = true
		go s.o.tell(text)
	}
}

// connect makes a session. What it starts lives on when it has returned.
func (s *server) connect() error {
	s.hangUp()
	life, end := context.WithCancel(context.Background())
	limit := time.NewTimer(s.startTimeout())
	defer limit.Stop()
	type result struct {
		session *sdk.ClientSession
		offered offered
		err     error
	}
	made := make(chan result, 1)
	broken := make(chan error, 1)
	t, g, err := s.transport(func(err error) {
		select {
		case broken <- err:
		default:
		}
	})
	if err != nil {
		end()
		return err
	}
	go func() {
		session, err := s.dial(life, t)
		var found offered
		if err == nil {
			found, err = s.list(life, session)
		}
		made <- result{session, found, err}
	}()
	var r result
	select {
	case r = <-made:
	case r.err = <-broken:
	case <-limit.C:
		r.err = fmt.Errorf("it was not ready after %v; startTimeoutMs in its settings gives it more", s.startTimeout())
	}
	if r.err != nil {
		end()
		if g != nil {
			words := g.lastWords()
			g.end()
			if words != "" && !errors.Is(r.err, ErrLogin) {
				r.err = fmt.Errorf("%w (%s)", plain(r.err), words)
			}
		}
		return plain(r.err)
	}
	return s.take(r.session, r.offered, g, end)
}

// take makes the session the server's.
func (s *server) take(session *sdk.ClientSession, found offered, g *program, end context.CancelFunc) error {
	s.mu.Lock()
	if s.closed || s.status == Disabled {
		s.mu.Unlock()
		end()
		hangUp(session, g)
		return errClosed
	}
	s.session, s.program, s.life = session, g, end
	s.offer(found)
	s.mu.Unlock()
	go func() {
		_ = session.Wait() // what it gives is found out below
		s.lost(session)
	}()
	return nil
}

// lost notes that a session is over that we did not end.
func (s *server) lost(session *sdk.ClientSession) {
	s.mu.Lock()
	if s.session != session {
		s.mu.Unlock()
		return
	}
	g, end := s.program, s.life
	s.session, s.program, s.life = nil, nil, nil
	s.status, s.fault = Failed, "" // it follows
	if s.o.now().Sub(s.since) > settledTime {
		s.fails = 0
	}
	s.fails++
	s.since = s.o.now()
	s.mu.Unlock()
	words := "the connection was closed"
	if g != nil {
		words = orText(g.lastWords(), words)
	}
	s.mu.Lock()
	if s.status == Failed && s.fault == "" {
		s.fault = words
	}
	s.mu.Unlock()
	end()
	hangUp(session, g)
}

// hangUp ends the session, if there is one.
func (s *server) hangUp() {
	s.mu.Lock()
	session, g, end := s.session, s.program, s.life
	s.session, s.program, s.life = nil, nil, nil
	s.mu.Unlock()
	if end != nil {
		defer end()
	}
	hangUp(session, g)
}

// hangUp ends a session, politely as far as that takes no time.
func hangUp(session *sdk.ClientSession, g *program) {
	if session != nil {
		said := make(chan struct{})
		go func() {
			defer close(said)
			_ = session.Close() // there is nobody to tell
		}()
		if g == nil {
			select {
			case <-said:
			case <-time.After(closeTime):
			}
		}
	}
	if g != nil {
		g.end()
	}
}

// transport is the way to the server, and the program that was started for it.
func (s *server) transport(fault func(error)) (sdk.Transport, *program, error) {
	if s.URL == "" {
		g, err := start(s.Config, s.o, s.marker(), fault)
		if err != nil {
			return nil, nil, err
		}
		return g, g, nil
	}
	client := s.web()
	if s.SSE {
		return &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: mostLine}, nil, nil
	}
	return &sdk.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: client, MaxEventSize: mostLine, OAuthHandler: s.authorizer(nil),
	}, nil, nil
}

// dial makes a session over a transport. A server at an address that does not
// know the newer transport is tried with the older one.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
func (s *server) dial(life context.Context, t sdk.Transport) (*sdk.ClientSession, error) {
	session, err := s.client().Connect(life, t, nil)
	if err == nil || s.URL == "" || s.SSE || !unknownThere(err) {
		return session, err
	}
	older, err2 := s.client().Connect(life, &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: s.web(), MaxEventSize: mostLine}, nil)
	if err2 != nil {
		return nil, err
	}
	return older, nil
}

// unknownThere says whether an error is one of those by which a server shows
// that it does not know the newer transport.
func unknownThere(err error) bool {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		if strings.Contains(err.Error(), http.StatusText(status)) {
			return true
		}
	}
	return false
}

// web is the HTTP client with the server's headers.
func (s *server) web() *http.Client {
	client := *s.o.client()
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = withHeaders{s.Headers, next}
	return &client
}

type withHeaders struct {
	headers map[string]string
	next    http.RoundTripper
}

func (h withHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(h.headers) > 0 {
		req = req.Clone(req.Context())
		for name, value := range h.headers {
			req.Header.Set(name, value)
		}
	}
	return h.next.RoundTrip(req)
}

// client is the SDK's client with what this server may ask of us.
func (s *server) client() *sdk.Client {
	caps := &sdk.ClientCapabilities{}
	if s.o.Root != "" {
		caps.RootsV2 = &sdk.RootCapabilities{} //nolint:staticcheck // servers of before 2026-07-28 have it
	}
	if s.o.Ask != nil {
		caps.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	}
	o := &sdk.ClientOptions{
		Capabilities:                caps,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.changed() },         //nolint:contextcheck // it goes on when the notice is over
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { s.changed() },       //nolint:contextcheck // it goes on when the notice is over
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { s.changed() },     //nolint:contextcheck // it goes on when the notice is over
		LoggingMessageHandler:       func(_ context.Context, r *sdk.LoggingMessageRequest) { s.note(r.Params) }, //nolint:staticcheck // servers of before 2026-07-28 have it
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.progress(r.Params) },
	}
	if s.o.Ask != nil {
		o.ElicitationHandler = s.elicit
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "minicode", Title: "MiniCode", Version: orText(s.o.Version, "dev")}, o)
	if s.o.Root != "" {
		c.AddRoots(&sdk.Root{URI: fileURI(s.o.Root), Name: "workspace"}) //nolint:staticcheck // servers of before 2026-07-28 have it
	}
	return c
}

// note keeps what the server says through the protocol, for who asks.
func (s *server) note(p *sdk.LoggingMessageParams) { //nolint:staticcheck // as above
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%s: %.500v", p.Level, p.Data)
	s.log = append(s.log, text)
	s.log = slices.Clone(s.log[max(0, len(s.log)-20):])
}

// active is the session, made anew if it was lost: at once the first time,
// after growing pauses while it fails.
func (s *server) active(ctx context.Context) (*sdk.ClientSession, error) {
	s.mu.Lock()
	session, status, fault := s.session, s.status, s.fault
	pause := time.Duration(0)
	if s.fails > 1 {
		pause = firstPause << min(s.fails-2, 8)
	}
	wait, spent := s.since.Add(pause).Sub(s.o.now()), s.fails > restarts
	s.mu.Unlock()
	switch {
	case session != nil:
		return session, nil
	case status == Disabled:
		return nil, errOff
	case status == NeedsLogin:
		return nil, errors.New(fault)
	case spent && status == Failed:
		return nil, fmt.Errorf("it failed %d times in a row and is not started again by itself: %s", restarts+1, fault)
	case wait > 0 && status == Failed:
		return nil, fmt.Errorf("it does not work (%s); it is tried again in %v", fault, wait.Round(time.Second))
	}
	select {
	case <-s.begin(): //nolint:contextcheck // a server outlives the call that needs it
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil, errors.New(orText(s.fault, "it is not connected"))
	}
	return s.session, nil
}

// close ends the server for good.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.hangUp()
}

// state is the server as a person is shown it.
func (s *server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Name: s.Name, Status: s.status, Fault: s.fault, Endpoint: s.endpoint(), Said: slices.Clone(s.log)}
	if s.session != nil {
		if r := s.session.InitializeResult(); r != nil {
			st.Protocol = r.ProtocolVersion
			if r.ServerInfo != nil {
				st.Version = strings.TrimSpace(r.ServerInfo.Name + " " + r.ServerInfo.Version)
			}
		}
		st.Tools, st.LeftOut = s.offered.states, s.offered.leftOut
		st.Prompts, st.Resources = len(s.offered.prompts), len(s.offered.resources)+len(s.offered.templates)
	}
	if s.program != nil {
		st.Said = append(s.program.words.lines(5), st.Said...)
	}
	return st
}

func (s *server) endpoint() string {
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// loggingIn makes a session with a login of the person's, if the server wants
// one.
func (s *server) loggingIn(ctx context.Context, b *loopback) (*sdk.ClientSession, error) {
	t := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: s.web(), MaxEventSize: mostLine, OAuthHandler: s.authorizer(b)}
	return s.client().Connect(ctx, t, nil)
}
