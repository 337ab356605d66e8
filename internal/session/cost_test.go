package session

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// counted is a file that counts what is done to it.
type counted struct {
	file
	n *counts
}

type counts struct{ writes, bytes, reads, syncs int }

func (c counted) Write(b []byte) (int, error) {
	c.n.writes++
	c.n.bytes += len(b)
	return c.file.Write(b)
}

func (c counted) ReadAt(b []byte, at int64) (int, error) {
	c.n.reads++
	return c.file.ReadAt(b, at)
}

func (c counted) Sync() error {
	c.n.syncs++
	return c.file.Sync()
}

// TestOneWritePerFact: each fact is one write of its line, nothing is read,
// and only the end of a turn waits for the disk.
func TestOneWritePerFact(t *testing.T) {
	s := newStore(t)
	var n counts
	s.faulty = func(f file) file { return counted{f, &n} }
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Prompt, "begin") // opened and the prompt
	l.Messages()                             // what is there is read once
	for i := range 200 {
		before, size := n, len(readFile(t, l.Path()))
		var f event.Fact
		switch i % 4 {
		case 0:
			f = answer("c")
		case 1:
			f = event.Decided{Call: "c", Tool: "read_file", Allow: true, By: "mode"}
		case 2:
			f = result("c", strings.Repeat("text\n", i), llm.Meta{Read: []llm.FileRead{{Path: "/x", SHA256: "00"}}})
		case 3:
			f = event.Ended{Reason: event.Done}
		}
		add(t, l, f)
		l.Messages()
		grown := len(readFile(t, l.Path())) - size
		if n.writes != before.writes+1 || n.bytes-before.bytes != grown || n.reads != before.reads {
			t.Fatalf("fact %d: %d writes of %d bytes for a line of %d, and %d reads", i, n.writes-before.writes, n.bytes-before.bytes, grown, n.reads-before.reads)
		}
		if want := i % 4 / 3; n.syncs-before.syncs != want {
			t.Fatalf("fact %d: %d syncs, want %d", i, n.syncs-before.syncs, want)
		}
	}
}

// TestFactsCostTheSame counts objects and bytes: a fact costs as much after
// 10,000 others as after 100.
func TestFactsCostTheSame(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Prompt, "go")
	step := func() {
		add(t, l, answer("c"))
		add(t, l, event.Decided{Call: "c", Tool: "read_file", Allow: true, By: "mode"})
		add(t, l, result("c", "text", llm.Meta{Read: []llm.FileRead{{Path: "/x", SHA256: "00"}}}))
		l.Messages()
		l.Grants()
		l.UsedCallIDs()("d")
	}
	cost := func(facts int) (objects float64, size int) {
		for len(l.x.nodes) < facts {
			step()
		}
		objects = testing.AllocsPerRun(30, step)
		before := len(readFile(t, l.Path()))
		step()
		return objects, len(readFile(t, l.Path())) - before
	}
	early, small := cost(500)
	late, large := cost(10_000)
	t.Logf("a step of three facts: %.0f objects and %d bytes after 500 facts, %.0f and %d after 10,000", early, small, late, large)
	// The history grew twentyfold: a tenth more is the collector's doing, not the history's.
	if late > early*1.1 || large > small {
		t.Errorf("a step of three facts: %.0f objects and %d bytes after 500 facts, %.0f and %d after 10,000", early, small, late, large)
	}
}

// BenchmarkFold opens a session of 10,000 facts and folds it, all in view.
func BenchmarkFold(b *testing.B) {
	s := newStore(b)
	l := create(b, s, Options{})
	say(b, l, llm.User, llm.Prompt, "go")
	text := strings.Repeat("some text\n", 100)
	for len(l.x.nodes) < 10_000 {
		add(b, l, answer("c"))
		add(b, l, event.Decided{Call: "c", Tool: "read_file", Allow: true, By: "mode"})
		add(b, l, result("c", text, llm.Meta{}))
	}
	l.Close()
	for b.Loop() {
		l, _, err := s.Open(l.Path(), "/work/project")
		if err != nil {
			b.Fatal(err)
		}
		if n := len(l.Messages()); n < 6000 {
			b.Fatal(n)
		}
		l.Close()
	}
}
