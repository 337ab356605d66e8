//go:build unix

package process

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 20 * time.Second

// text collects what is written to it.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func run(t *testing.T, script string, set func(*Command)) (*Process, *text) {
	t.Helper()
	argv, err := Shell(os.Environ())
	if err != nil {
		t.Skip(err)
	}
	c := Command{Argv: append(argv, script), Dir: t.TempDir(), Env: os.Environ(), Marker: Owner() + t.Name()}
	if set != nil {
		set(&c)
	}
	out := &text{}
	p, err := Start(c, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.End(StopGrace, nil)
		p.Close()
	})
	return p, out
}

func wait(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
	}
}

func TestStreams(t *testing.T) {
	var faults text
	p, out := run(t, "cat; echo bad >&2; exit 3", func(c *Command) { c.In, c.Err = strings.NewReader("given"), &faults })
	wait(t, "the end", p.Exited())
	wait(t, "the end of the output", p.EOF())
	if p.Code() != 3 || out.String() != "given" || faults.String() != "bad\n" {
		t.Errorf("code %d, output %q, error output %q", p.Code(), out, faults.String())
	}
	p, out = run(t, "echo one; echo two >&2; echo three", nil)
	wait(t, "the end of the output", p.EOF())
	if out.String() != "one\ntwo\nthree\n" {
		t.Errorf("both as one: %q", out)
	}
}

// Who does not read its input, or leaves somebody behind who holds the streams,
// does not keep us waiting.
func TestNobodyWaits(t *testing.T) {
	var faults text
	p, _ := run(t, "sleep 300 & exit 0", func(c *Command) {
		c.In, c.Err = strings.NewReader(strings.Repeat("x", 1<<20)), &faults
	})
	wait(t, "the end", p.Exited())
	if !p.Alive() {
		t.Error("what it left is not seen")
	}
	if left := p.End(StopGrace, nil); left != 0 {
		t.Errorf("%d processes are left", left)
	}
	p.Close()
	wait(t, "the end of the output", p.EOF())
}
