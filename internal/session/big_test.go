package session

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// big writes a session of about so many bytes: short records, and now and
// then a result of some 100 kB. Every so many turns there is a summary; 0 is
// never.
func big(t testing.TB, s *Store, size int, summaries int) (path string, n int) {
	t.Helper()
	path = filepath.Join(s.ProjectDir("/work/project"), "big.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	r := rand.New(rand.NewPCG(1, 1))
	filler := strings.Repeat("if err != nil {\n\treturn fmt.Errorf(\"reading %s: %w\", path, err)\n}\n", 8000)
	written, parent, number := 0, "", 0
	counter := writerFunc(func(b []byte) (int, error) { written += len(b); return out.Write(b) })
	put := func(f event.Fact) string {
		n++
		id := s.NewID()
		if err := event.Encode(counter, event.Record{Head: event.Head{ID: id, Parent: parent, Turn: number, Time: s.Now(), Session: "big", Cwd: "/work/project"}, Event: f}); err != nil {
			t.Fatal(err)
		}
		parent = id
		return id
	}
	put(event.Opened{Format: 1, Model: "a/b"})
	first := ""
	for written < size {
		number++
		id := put(event.Message{Message: llm.NewText(llm.User, llm.Prompt, fmt.Sprint("prompt ", number))})
		if first == "" {
			first = id
		}
		for range 10 {
			c := fmt.Sprint("call_", n)
			put(answer(c))
			put(event.Decided{Call: c, Tool: "read_file", Allow: true, By: "mode", Effects: []event.Effect{{Kind: event.Read, Target: "/work/project/x.go"}}})
			length := 500 + r.IntN(4000)
			if r.IntN(60) == 0 {
				length = 100_000
			}
			put(result(c, filler[:length], llm.Meta{Read: []llm.FileRead{{Path: "/work/project/x.go", SHA256: "00", Whole: true}}, Again: true}))
		}
		last := put(event.Message{Message: llm.NewText(llm.Assistant, llm.Final, "done")})
		put(event.Ended{Reason: event.Done})
		if summaries > 0 && number%summaries == 0 {
			put(event.Edited{Stage: "summarize", Edits: []event.Edit{{From: first, To: last, With: []llm.Message{{ID: s.NewID(), Role: llm.User, Kind: llm.Summary, Parts: llm.Parts{llm.Text{Text: "summary"}}}}}}})
			first = ""
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return path, n
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestBigSession counts: opening parses one body, the view those that are in
// it, the rest of the file is passed over.
func TestBigSession(t *testing.T) {
	s := newStore(t)
	path, n := big(t, s, 6<<20, 10)
	l, report := reopen(t, s, path)
	if report.String() != "" || len(l.x.nodes) != n {
		t.Errorf("%s; %d records of %d", report, len(l.x.nodes), n)
	}
	if l.decoded > 3 {
		t.Errorf("%d bodies were parsed to open it", l.decoded)
	}
	opened := l.decoded
	view := l.Messages()
	if err := check(view); err != nil {
		t.Error(err)
	}
	if len(view) > 300 || l.decoded-opened > len(view)+20 {
		t.Errorf("%d bodies were parsed for %d messages in view, of %d records", l.decoded-opened, len(view), n)
	}
	seen := l.decoded
	turn(t, l, "next", "c1")
	l.Messages()
	if l.decoded != seen {
		t.Errorf("%d bodies were parsed for a turn", l.decoded-seen)
	}
	// What memory is held does not grow with the bodies.
	var before, after runtime.MemStats
	l.Close()
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, _ = reopen(t, s, path)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 3<<20 {
		t.Errorf("%d bytes are held for a session of 6 MB", held)
	}
	runtime.KeepAlive(l)
}

// TestAppendGrowsLinearly: a turn writes what is new in it and nothing else.
func TestAppendGrowsLinearly(t *testing.T) {
	s := newStore(t)
	path, _ := big(t, s, 2<<20, 0)
	l, _ := reopen(t, s, path)
	before := len(readFile(t, path))
	turn(t, l, "next", "c1")
	if grown := len(readFile(t, path)) - before; grown > 2500 {
		t.Errorf("a short turn took %d bytes", grown)
	}
}

func benchmarkOpen(b *testing.B, summaries int) {
	s := newStore(b)
	path, n := big(b, s, 50<<20, summaries)
	for _, view := range []bool{false, true} {
		b.Run(map[bool]string{false: "open", true: "view"}[view], func(b *testing.B) {
			for b.Loop() {
				l, _, err := s.Open(path, "/work/project")
				if err != nil {
					b.Fatal(err)
				}
				if view {
					l.Messages()
				}
				l.Close()
			}
			b.ReportMetric(float64(n), "records")
		})
	}
}

// BenchmarkOpen opens a session of 50 MB, and makes its view as well.
func BenchmarkOpen(b *testing.B) { benchmarkOpen(b, 50) }

// BenchmarkOpenUncompacted is the worst case: all 50 MB are in view.
func BenchmarkOpenUncompacted(b *testing.B) { benchmarkOpen(b, 0) }

func BenchmarkAppend(b *testing.B) {
	s := newStore(b)
	l := create(b, s, Options{})
	say(b, l, llm.User, llm.Prompt, "go")
	text := strings.Repeat("some text\n", 400)
	for b.Loop() {
		add(b, l, result("c", text, llm.Meta{}))
		l.Messages()
	}
}

func BenchmarkList(b *testing.B) {
	s := newStore(b)
	path, _ := big(b, s, 1<<20, 0)
	data := readFile(b, path)
	for i := range 499 {
		writeFile(b, filepath.Join(filepath.Dir(path), fmt.Sprintf("copy-%d.jsonl", i)), data)
	}
	for b.Loop() {
		if all, err := s.List("/work/project"); err != nil || len(all) != 500 {
			b.Fatal(len(all), err)
		}
	}
}
