package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// parsed remembers what lines were parsed to, because files that differ in
// their ends have most of them in common.
type parsed map[string]*event.Record

func (p parsed) line(line []byte) *event.Record {
	r, known := p[string(line)]
	if !known {
		if read, err := event.Decode(line); err == nil {
			r = &read
		}
		p[string(line)] = r
	}
	return r
}

// chain is the ids of the chain that the whole lines of a file make.
func (p parsed) chain(data []byte) (ids []string) {
	parents := map[string]string{}
	tip := ""
	for line := range bytes.Lines(data) {
		if r := p.line(bytes.TrimSuffix(line, []byte("\n"))); r != nil {
			parents[r.ID], tip = r.Parent, r.ID
		}
	}
	for id := tip; id != ""; id = parents[id] {
		ids = append([]string{id}, ids...)
	}
	return ids
}

// TestCutAnywhere: whatever prefix a crash leaves, the session opens, keeps
// all that was recorded as a whole, and has a history to go on from.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l := create(t, s, Options{Opened: event.Opened{Model: "test/m"}})
	prompt := llm.NewText(llm.User, llm.Prompt, "look: 日本 \"}")
	prompt.Parts = append(prompt.Parts, llm.NewImage("image/png", []byte("png")))
	back := add(t, l, event.Message{Message: prompt})
	end := add(t, l, event.Ended{Reason: event.Done})
	say(t, l, llm.User, llm.Prompt, "left behind")
	add(t, l, event.Edited{Stage: "summarize", Edits: []event.Edit{{From: back.ID, To: back.ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, "s")}}}})
	add(t, l, event.Ended{Reason: event.Done})
	if err := l.Rewind(end.ID); err != nil {
		t.Fatal(err)
	}
	add(t, l, event.Changed{Title: "a title"})
	say(t, l, llm.User, llm.Prompt, "with two calls")
	add(t, l, answer("a1", "a2"))
	add(t, l, event.Decided{Call: "a1", Allow: true})
	add(t, l, result("a1", "one", llm.Meta{}))
	add(t, l, event.Decided{Call: "a2", Allow: true})
	l.Close()
	data := readFile(t, l.Path())
	first := bytes.IndexByte(data, '\n')
	path := filepath.Join(s.Root, "x", "cut.jsonl")
	lines := parsed{}
	step := 1
	if testing.Short() {
		step = 17
	}
	opened, inALine, closed := 0, 0, 0
	for n := 0; n <= len(data); n += step {
		writeFile(t, path, data[:n])
		log, report, err := s.Open(path, "/work/project")
		if n < first {
			if err == nil {
				t.Fatalf("cut at %d: opened without a record", n)
			}
			same(t, "file", data[:n], readFile(t, path))
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if err := check(log.Messages()); err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		var got []string
		for r := range log.Records() {
			got = append(got, r.ID)
		}
		want := lines.chain(data[:n])
		if len(got) < len(want) {
			t.Fatalf("cut at %d: %d records of %d", n, len(got), len(want))
		}
		if !slices.Equal(want, got[:len(want)]) {
			t.Fatalf("cut at %d: the chain is %v, want %v", n, got, want)
		}
		torn := n > 0 && data[n-1] != '\n' && (n == len(data) || data[n] != '\n')
		if torn != (report.Skipped == 1) {
			t.Fatalf("cut at %d: %+v", n, report)
		}
		opened++
		inALine += report.Skipped
		if report.ClosedCalls > 0 {
			closed++
		}
		say(t, log, llm.User, llm.Prompt, "go on")
		view := log.Messages()
		log.Close()
		lines.strict(t, n, readFile(t, path), torn)
		if n%5 != 0 {
			continue
		}
		log, _, err = s.Open(path, "/work/project")
		if err != nil {
			t.Fatal(err)
		}
		if now := log.Messages(); len(now) != len(view) {
			t.Fatalf("cut at %d: %d messages, reopened %d", n, len(view), len(now))
		}
		log.Close()
		if t.Failed() {
			t.Fatalf("cut at %d", n)
		}
	}
	t.Logf("%d bytes: %d cuts opened, %d within a line, %d with open calls", len(data), opened, inALine, closed)
}

// strict wants every line but the torn one to be a record.
func (p parsed) strict(t *testing.T, n int, data []byte, torn bool) {
	t.Helper()
	if data[len(data)-1] != '\n' {
		t.Fatalf("cut at %d: the file does not end in a newline", n)
	}
	bad := 0
	for line := range bytes.Lines(data) {
		if p.line(bytes.TrimSuffix(line, []byte("\n"))) == nil {
			bad++
		}
	}
	if torn && bad != 1 || !torn && bad != 0 {
		t.Fatalf("cut at %d: %d lines do not parse", n, bad)
	}
}

func TestRepairTexts(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Prompt, "go")
	add(t, l, answer("a", "b", "c"))
	add(t, l, event.Decided{Call: "a", Allow: true})
	add(t, l, result("a", "done", llm.Meta{}))
	add(t, l, event.Decided{Call: "b", Allow: true})
	add(t, l, event.Decided{Call: "c", Allow: false})
	l.Close()
	again, report := reopen(t, s, l.Path())
	if n := len(report.Stated); n != 3 || report.Stated[2].Event.(event.Ended).Reason != event.Crashed {
		t.Errorf("the report tells of %d facts that were stated", n)
	}
	report.Stated = nil
	same(t, "report", Report{ClosedCalls: 2, Crashed: true}, report)
	same(t, "line", "Session repaired: the last turn had been cut off, 2 calls had no result.", report.String())
	view := again.Messages()
	var texts []string
	for _, m := range view[2:] {
		r, _ := m.Result()
		texts = append(texts, fmt.Sprintf("%s %v %s", r.Call, r.Error, r.Parts.Text()))
	}
	same(t, "results", []string{
		"a false done", "b true Interrupted while it ran: it may be done in part. Look before you repeat it.",
		"c true Interrupted before it ran: nothing was done.",
	}, texts)
	all := records(t, again)
	same(t, "end", event.Ended{Reason: event.Crashed, Usage: llm.Usage{Input: 100, Output: 10}}, all[len(all)-1].Event.(event.Ended))
	again.Close()
	_, report = reopen(t, s, l.Path())
	same(t, "second time", "", report.String())
}

// garble opens a damaged file and looks at everything.
func garble(t *testing.T, s *Store, path string, data []byte) {
	writeFile(t, path, data)
	l, _, err := s.Open(path, "/work/project")
	if err != nil {
		if now := readFile(t, path); !bytes.Equal(now, data) {
			t.Errorf("a file that cannot be opened was changed to %q", now)
		}
		return
	}
	defer l.Close()
	facetsOf(t, l)
	if !bytes.HasPrefix(readFile(t, path), data) {
		t.Error("what was in the file was changed")
	}
	say(t, l, llm.User, llm.Prompt, "go on")
	add(t, l, event.Ended{Reason: event.Done})
	live := facetsOf(t, l)
	l.Close()
	again, report, err := s.Open(path, "/work/project")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if report.ClosedCalls > 0 || report.Crashed {
		t.Errorf("repaired a second time: %s", report)
	}
	same(t, "reopened", live, facetsOf(t, again))
}

// TestGarbled damages files in every place, in many ways.
func TestGarbled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	path := filepath.Join(s.Root, "x", "garbled.jsonl")
	var sources [][]byte
	for seed := range uint64(6) {
		l := conversation(t, s, seed, 2, seed == 3)
		l.Close()
		sources = append(sources, readFile(t, l.Path()))
	}
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 90 {
		data := bytes.Clone(sources[round%len(sources)])
		lines := bytes.SplitAfter(data, []byte("\n"))
		i := r.IntN(len(lines))
		switch r.IntN(7) {
		case 0: // lost line
			lines[i] = nil
		case 1: // lost piece of a line
			if n := len(lines[i]); n > 2 {
				a := r.IntN(n - 1)
				lines[i] = append(bytes.Clone(lines[i][:a]), lines[i][a+r.IntN(n-a):]...)
			}
		case 2: // torn and closed
			lines[i] = append(bytes.Clone(lines[i][:r.IntN(len(lines[i])+1)]), '\n')
		case 3: // lines changed places
			j := r.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
		case 4: // a line twice
			lines[i] = append(bytes.Clone(lines[i]), lines[i]...)
		case 5: // single bytes
			lines[i] = bytes.Clone(lines[i])
			for range 1 + r.IntN(3) {
				if n := len(lines[i]); n > 0 {
					lines[i][r.IntN(n)] = byte(r.IntN(256))
				}
			}
		case 6: // zeros, as after a power cut
			lines[i] = append(make([]byte, 100), lines[i]...)
		}
		garble(t, s, path, bytes.Join(lines, nil))
		os.Remove(path)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// TestLostParent: what hangs on a lost record hangs on the one before it.
func TestLostParent(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	turn(t, l, "two", "c2")
	l.Close()
	lines := bytes.SplitAfter(readFile(t, l.Path()), []byte("\n"))
	for i := range len(lines) - 1 {
		for _, damage := range [][]byte{nil, []byte("{\"type\":\"mess\n"), lines[i][:len(lines[i])-5]} {
			damaged := append([][]byte{}, lines...)
			damaged[i] = damage
			if n := len(damage); n > 0 && damage[n-1] != '\n' {
				damaged[i] = append(bytes.Clone(damage), '\n')
			}
			path := filepath.Join(s.Root, "x", "lost.jsonl")
			writeFile(t, path, bytes.Join(damaged, nil))
			again, _ := reopen(t, s, path)
			if got := len(records(t, again)); got < len(lines)-2 {
				t.Errorf("line %d lost, %d of %d records left", i, got, len(lines)-1)
			}
			again.Close()
		}
	}
}

// TestUnknownType: a record of a type from a newer program is kept, passed
// over and may be a parent.
func TestUnknownType(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	head := l.Head()
	l.Close()
	line := fmt.Sprintf(`{"type":"starred","id":"star","parent":%q,"turn":1,"time":"2026-01-02T03:04:06.000Z","session":%q,"cwd":"/x","new":[1]}`+"\n", head.ID, l.ID())
	writeFile(t, l.Path(), append(readFile(t, l.Path()), line...))
	again, report := reopen(t, s, l.Path())
	same(t, "report", "", report.String())
	r := say(t, again, llm.User, llm.Prompt, "two")
	if r.Parent != "star" {
		t.Errorf("parent %q", r.Parent)
	}
	same(t, "messages", 5, len(again.Messages()))
	same(t, "records", 9, len(records(t, again)))
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(`{"type":"opened","id":"a","parent":null,"turn":0,"time":"2026-01-02T03:04:05.006Z","session":"s","cwd":"/w","format":1}`))
	f.Add([]byte(`{"id":"a","type":"message","role":"assistant","kind":"work","parts":[{"type":"tool_call","id":"c"}]}` + "\n" + `{"parent":"a","id":"b","type":"ended"}`))
	golden, err := os.ReadFile("testdata/v1/session.jsonl")
	if err == nil {
		f.Add(golden)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStore(t)
		garble(t, s, filepath.Join(s.Root, "x", "fuzz.jsonl"), data)
	})
}
