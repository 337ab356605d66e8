package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Wire is a protocol that a [Server] speaks.
type Wire string

// The wires.
const (
	Anthropic Wire = "anthropic" // the Messages API, at /v1/messages
	OpenAI    Wire = "openai"    // the Chat Completions API, at /v1/chat/completions
	LookAlike Wire = "lookalike" // the same as others than OpenAI speak it; for [Conform]
)

// Server gives a script's answers over HTTP, on both wires, to requests that
// the real providers would take. Any other request is refused as they refuse
// it, uses no answer up, and is told by [Server.Verify].
//
// Its fields are set before the first request; see [NewServer].
type Server struct {
	Script    *Script
	URL       string // where [NewServer] listens, without a path
	Key       string // the API key that is asked for; "" asks for none
	Record    string // a directory for the requests, one file each; "" keeps them in memory only
	MaxInput  int    // tokens above which a prompt is too long; 0 takes the script's [MaxInput]
	LookAlike bool   // Chat Completions as servers other than OpenAI's speak it: foreign fields, longer ids

	Now func() time.Time // for the records; nil leaves the times out

	memory   memory
	mu       sync.Mutex
	received []*Received
	faults   []error
	active   atomic.Int32 // requests that are being answered
	running  sync.WaitGroup
	server   *http.Server
	closed   chan struct{}
	once     sync.Once
}

// Received is one request as it came.
type Received struct {
	Number  int // from 1
	Time    time.Time
	Wire    Wire // "" for a path that no wire has
	Method  string
	Path    string
	Header  http.Header
	Body    []byte
	Refused string // why it got no answer of the script, "" if it got one
}

// NewServer listens on a free port of this machine until [Server.Close]. If
// the script was made with a test, the server is closed at the test's end and
// fails it over requests that it refused. It panics if it cannot listen.
//
// Fields are set by the functions given, before it listens; for clients in the
// same process they may be set afterwards as well.
func NewServer(s *Script, set ...func(*Server)) *Server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err))
	}
	srv := newServer(s, l)
	for _, f := range set {
		f(srv)
	}
	srv.running.Go(func() { _ = srv.server.Serve(l) }) // ends with ErrServerClosed, which Close asked for
	if s.t != nil {
		s.t.Cleanup(func() {
			srv.Close()
			if err := srv.refusals(); err != nil {
				s.t.Error(err)
			}
		})
	}
	return srv
}

func newServer(s *Script, l net.Listener) *Server {
	srv := &Server{Script: s, URL: "http://" + l.Addr().String(), closed: make(chan struct{})}
	srv.server = &http.Server{Handler: srv, ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			srv.running.Add(1)
		case http.StateClosed, http.StateHijacked:
			srv.running.Done()
		}
	}}
	return srv
}

// BaseURL is what an adapter for the wire is given as its base.
func (s *Server) BaseURL(w Wire) string {
	if w == Anthropic {
		return s.URL
	}
	return s.URL + "/v1"
}

// Close ends every answer that is being given and waits for it. Closing twice
// is fine.
func (s *Server) Close() {
	s.once.Do(func() {
		if s.closed != nil {
			close(s.closed)
		}
		if s.server != nil {
			_ = s.server.Close() // the listener is gone either way
		}
	})
	s.running.Wait()
}

// Requests is what came, oldest first, refused ones included.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Received, 0, len(s.received))
	for _, r := range s.received {
		all = append(all, *r)
	}
	return all
}

// Verify says which requests were refused and what the script has to say.
func (s *Server) Verify() error { return errors.Join(s.refusals(), s.Script.Verify()) }

func (s *Server) refusals() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.faults...)
}

// Serve answers from the script on the listener until ctx ends, with the
// requests recorded in the directory if one is named. The error is what
// [Server.Verify] says then.
func Serve(ctx context.Context, l net.Listener, s *Script, record string) error {
	srv := newServer(s, l)
	srv.Record, srv.Now = record, time.Now
	stop := context.AfterFunc(ctx, srv.Close)
	defer stop()
	var err error
	srv.running.Go(func() { err = srv.server.Serve(l) })
	srv.running.Wait()
	srv.Close()
	if !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, srv.Verify())
	}
	return srv.Verify()
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path { // a client may ask servers of other kinds for their window: not known here, and no fault
	case "/v1/models", "/props", "/api/v0/models", "/api/show", "/api/ps":
		http.NotFound(w, r)
		return
	}
	s.active.Add(1)
	defer s.active.Add(-1)
	rec, err := s.receive(r)
	if err != nil {
		return // the client left before its request was whole
	}
	x := &exchange{s: s, w: w, r: r, rec: rec, id: fmt.Sprintf("req_%04d", rec.Number)}
	w.Header().Set("Request-Id", x.id)
	answer, ok := x.admit()
	s.save(rec)
	if ok {
		x.give(answer)
	}
}

// receive reads the request and gives it its number.
func (s *Server) receive(r *http.Request) (*Received, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	rec := &Received{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	switch r.URL.Path {
	case "/v1/messages":
		rec.Wire = Anthropic
	case "/v1/chat/completions":
		rec.Wire = OpenAI
	}
	if s.Now != nil {
		rec.Time = s.Now()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, rec)
	rec.Number = len(s.received)
	return rec, nil
}

// refuse notes why the request got no answer; a wrong one is a fault of the
// client that Verify tells.
func (s *Server) refuse(rec *Received, wrong bool, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Refused = why
	if wrong {
		s.faults = append(s.faults, fmt.Errorf("llmtest: request %d, %s %s, was refused: %s", rec.Number, rec.Method, rec.Path, why))
	}
}

// save writes the request's record to the directory, if there is one.
func (s *Server) save(rec *Received) {
	if s.Record == "" {
		return
	}
	err := os.MkdirAll(s.Record, 0o700)
	if err == nil {
		err = writeRecord(s.Record, rec)
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = append(s.faults, fmt.Errorf("llmtest: request %d is not recorded: %w", rec.Number, err))
	}
}
