package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/internal/process"
)

const (
	mostLine  = 32 << 20               // bytes of one message
	mostTail  = 8 << 10                // bytes of a server's last words
	quietTime = 300 * time.Millisecond // for a server to end when its input does
)

var errTooLong = errors.New("it sent a message of more than 32 MB")

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-mostTail):]...)
	if len(t.b) > mostTail {
		t.b = slices.Clone(t.b[len(t.b)-mostTail:])
	}
	return len(p), nil
}

// lines is the last n lines that are not blank.
func (t *tail) lines(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.b), "\ufffd")) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-n):]
}

// sieve passes on the lines that are JSON objects or arrays. All else that a
// program prints between them goes to the tail.
type sieve struct {
	to    io.Writer
	rest  io.Writer
	fault func(error) // a line that cannot be taken
	line  []byte
	over  bool // the line was given up
}

func (s *sieve) Write(p []byte) (int, error) {
	for n := len(p); ; {
		at := bytes.IndexByte(p, '\n')
		if at < 0 {
			s.keep(p)
			return n, nil
		}
		s.keep(p[:at])
		err := s.flush()
		p = p[at+1:]
		if err != nil {
			return n, err
		}
	}
}

func (s *sieve) keep(p []byte) {
	if len(s.line)+len(p) > mostLine {
		if !s.over {
			s.fault(errTooLong)
		}
		s.over, s.line = true, nil
	}
	if !s.over {
		s.line = append(s.line, p...)
	}
}

func (s *sieve) flush() error {
	line, over := bytes.TrimSpace(s.line), s.over
	s.line, s.over = s.line[:0], false
	if cap(s.line) > 1<<20 {
		s.line = nil
	}
	if over || len(line) == 0 {
		return nil
	}
	if line[0] != '{' && line[0] != '[' || !json.Valid(line) {
		_, _ = s.rest.Write(append(slices.Clip(line), '\n')) // a tail never fails
		return nil
	}
	_, err := s.to.Write(append(slices.Clip(line), '\n'))
	return err
}

// program is a server that we started.
type program struct {
	p     *process.Process
	in    *os.File
	words tail // what it said on its error output, and on its output beside the protocol
	out   *io.PipeReader
	once  sync.Once
}

// start starts the program of c.
func start(c Config, o Options, marker string, fault func(error)) (*program, error) {
	dir := orText(c.Cwd, orText(o.Root, string(filepath.Separator)))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Root, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("its directory %s is not there", dir)
	}
	var env []string
	if o.Env != nil {
		env = slices.Clone(o.Env())
	}
	for name, value := range c.Env {
		env = append(env, name+"="+value)
	}
	path := process.Look(c.Command, env, dir)
	if path == "" {
		return nil, fmt.Errorf("there is no program %q; install it, or mend the command in the settings", c.Command)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	g := &program{in: ours, out: r}
	g.p, err = process.Start(process.Command{
		Argv: append([]string{path}, c.Args...), Dir: dir, Env: env, Marker: marker, In: theirs, Err: &g.words,
	}, &sieve{to: w, rest: &g.words, fault: func(err error) { fault(err); _ = w.CloseWithError(err) }})
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	go func() {
		<-g.p.EOF()
		_ = w.Close()
	}()
	return g, nil
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Connect makes g the transport of a session.
func (g *program) Connect(ctx context.Context) (sdk.Connection, error) {
	return (&sdk.IOTransport{Reader: g.out, Writer: g.in, MaxLineLength: mostLine}).Connect(ctx)
}

// end ends the program with all that it started: by the end of its input, by
// request, by force.
func (g *program) end() {
	g.once.Do(func() {
		_ = g.in.Close()
		_ = g.out.Close()
		process.WaitFor(quietTime, nil, func() bool { return process.Closed(g.p.Exited()) && !g.p.Alive() })
		g.p.End(process.StopGrace, nil)
		g.p.Close()
	})
}

// lastWords is how the program ended, as far as that is known, and what it
// said last.
func (g *program) lastWords() string {
	text := ""
	if process.WaitFor(quietTime, nil, func() bool { return process.Closed(g.p.Exited()) }) {
		text = fmt.Sprintf("it ended with code %d", g.p.Code())
	}
	if said := g.words.lines(3); len(said) > 0 {
		text = strings.TrimPrefix(text+"; its last words: "+strings.Join(said, " | "), "; ")
	}
	return text
}
