package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// scratch is a directory in memory where there is one: these tests open
// thousands of files.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "session")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newStore(t testing.TB) *Store { return storeAt(scratch(t)) }

// storeAt is a store with a clock and ids that only count.
func storeAt(root string) *Store {
	n := 0
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Store{
		Root: root,
		Now:  func() time.Time { clock = clock.Add(1234567 * time.Nanosecond); return clock },
		NewID: func() string {
			n++
			return fmt.Sprintf("019b7000-%04x-7000-8000-%012x", n%7919, n)
		},
	}
}

func create(t testing.TB, s *Store, o Options) *Log {
	t.Helper()
	if o.Cwd == "" {
		o.Cwd = "/work/project"
	}
	l, err := s.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t testing.TB, s *Store, path string) (*Log, Report) {
	t.Helper()
	l, report, err := s.Open(path, "/work/project")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, report
}

func add(t testing.TB, l *Log, f event.Fact) event.Record {
	t.Helper()
	r, err := l.Append(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func say(t testing.TB, l *Log, role llm.Role, kind llm.Kind, text string) event.Record {
	t.Helper()
	return add(t, l, event.Message{Message: llm.NewText(role, kind, text)})
}

// work is an answer with calls, named by their ids.
func answer(calls ...string) event.Message {
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: "test/model", Stop: llm.StopTools, Usage: &llm.Usage{Input: 100, Output: 10}}
	m.Parts = append(m.Parts, llm.Thinking{Text: "hm", Signature: "sig"})
	for _, c := range calls {
		m.Parts = append(m.Parts, llm.ToolCall{ID: c, Name: "read_file", Args: json.RawMessage(`{"path":"` + c + `"}`)})
	}
	return event.Message{Message: m}
}

func result(call, text string, meta llm.Meta) event.Message {
	return event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
		llm.ToolResult{Call: call, Name: "read_file", Parts: llm.Parts{llm.Text{Text: text}}, Meta: meta},
	}}}
}

// turn is a whole turn with one call.
func turn(t testing.TB, l *Log, prompt, call string) {
	t.Helper()
	say(t, l, llm.User, llm.Prompt, prompt)
	add(t, l, answer(call))
	add(t, l, event.Decided{Call: call, Tool: "read_file", Allow: true, By: "mode"})
	add(t, l, result(call, "text of "+call, llm.Meta{}))
	say(t, l, llm.Assistant, llm.Final, "done with "+prompt[:min(len(prompt), 20)])
	add(t, l, event.Ended{Reason: event.Done, Usage: llm.Usage{Input: 100, Output: 10}})
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func records(t testing.TB, l *Log) (out []event.Record) {
	t.Helper()
	for r, err := range l.Records() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// naive folds the view from records one by one, by the words of the
// specification.
func naive(records []event.Record) (view []llm.Message) {
	view, _ = naiveView(records)
	return view
}

// naiveView is the view, and what each edited record took out of it.
func naiveView(records []event.Record) (out []llm.Message, gone map[string][]llm.Message) {
	var view []*llm.Message
	gone = map[string][]llm.Message{}
	find := func(id string) int {
		return slices.IndexFunc(view, func(m *llm.Message) bool { return m.ID == id })
	}
	for _, r := range records {
		switch f := r.Event.(type) {
		case event.Message:
			view = append(view, &f.Message)
		case event.Edited:
			before := view
			var values []llm.Message
			for _, m := range view {
				values = append(values, *m)
			}
			for _, e := range f.Edits {
				from, to := find(e.From), find(e.To)
				if f.Stage == "summarize" && len(e.With) > 0 && e.With[0].Kind == llm.Summary {
					from = 0
				}
				if from < 0 || to < from {
					continue
				}
				next := slices.Clone(view[:from])
				for _, m := range e.With {
					next = append(next, &m)
				}
				view = append(next, view[to+1:]...)
				for _, m := range view[from:] {
					m.Stale = map[string]string{"snip": "snipped", "clear": "cleared", "summarize": "compacted"}[f.Stage]
				}
			}
			for i, m := range before {
				if !slices.Contains(view, m) {
					gone[r.ID] = append(gone[r.ID], values[i])
				}
			}
		}
	}
	for _, m := range view {
		out = append(out, *m)
	}
	return out, gone
}

// naivePast is the past of a stage, by the words of the specification.
func naivePast(records []event.Record, stage string) Past {
	p := Past{Steps: -1}
	for _, r := range records {
		switch f := r.Event.(type) {
		case event.Message:
			if f.Role == llm.Assistant {
				p.Row = 0
				if p.Steps >= 0 {
					p.Steps++
				}
			}
		case event.Changed:
			if f.Model != "" {
				p.Strikes = 0
			}
		case event.Edited:
			if f.Stage != stage {
				continue
			}
			if len(f.Edits) > 0 {
				p.Steps = 0
			}
			if f.Error != "" {
				p.Strikes++
			} else if len(f.Edits) > 0 {
				p.Strikes = 0
				if f.Why != event.Manual {
					p.Row++
				}
			}
			if f.Why == event.Manual {
				p.Strikes = 0
			}
		}
	}
	return p
}

// check fails unless each call has exactly one result, which follows its
// answer with nothing but other results between.
func check(view []llm.Message) error {
	open := map[string]bool{}
	for _, m := range view {
		if r, ok := m.Result(); ok {
			if !open[r.Call] {
				return fmt.Errorf("message %s is a result for %q, which is not open", m.ID, r.Call)
			}
			delete(open, r.Call)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %s comes before the results of %v", m.ID, open)
		}
		for _, c := range m.Calls() {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no results of %v at the end", open)
	}
	return nil
}

// talker makes up conversations.
type talker struct {
	*rand.Rand
	t      testing.TB
	l      *Log
	calls  int
	folds  bool // look at the view now and then, so that it is kept up
	images bool
}

func (k *talker) chance(n int) bool { return k.IntN(n) == 0 }

func (k *talker) text() string {
	pieces := []string{"hello", "日本語", "a \"quoted\" word", `back\slash`, "<tag> & more", "line\nbreak\ttab", "\u2028", `,"usage":{"input":1}}`, `{"type":"tool_call","id":"x"}`, "\x00\x1b[0m", "\xff\xfe"}
	var b strings.Builder
	for range k.IntN(4) {
		b.WriteString(pieces[k.IntN(len(pieces))])
	}
	return b.String()
}

func (k *talker) turn() {
	if k.chance(3) {
		say(k.t, k.l, llm.User, llm.Note, k.text())
	}
	prompt := llm.NewText(llm.User, llm.Prompt, k.text())
	if k.images && k.chance(2) {
		prompt.Parts = append(prompt.Parts, llm.NewImage("image/png", []byte(k.text()+"png")))
	}
	add(k.t, k.l, event.Message{Message: prompt})
	for range k.IntN(4) {
		k.edit()
		k.round()
		if k.chance(5) {
			say(k.t, k.l, llm.User, llm.Prompt, "steer "+k.text())
		}
	}
	if k.folds && k.chance(2) {
		k.l.Messages()
	}
	final := llm.NewText(llm.Assistant, llm.Final, k.text())
	final.Usage = &llm.Usage{Input: k.IntN(50), Output: k.IntN(9), CacheRead: k.IntN(3)}
	add(k.t, k.l, event.Message{Message: final})
	add(k.t, k.l, event.Ended{Reason: event.Done, Usage: llm.Usage{Input: k.IntN(100), Output: k.IntN(100)}})
	switch k.IntN(6) {
	case 0:
		add(k.t, k.l, event.Changed{Title: "title " + k.text()})
	case 1:
		add(k.t, k.l, event.Changed{Mode: "plan", Model: "p/" + k.text()})
	case 2:
		k.edit()
	case 3:
		k.rewind()
	}
}

func (k *talker) round() {
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Model: "test/m", Estimate: k.IntN(3) * 40, Usage: &llm.Usage{Input: k.IntN(100), Output: k.IntN(10)}}
	if k.chance(2) {
		m.Parts = append(m.Parts, llm.Thinking{Text: k.text(), Signature: "s", Raw: llm.Verbatim(`{ "a" : "<b>" }`)})
	}
	if k.chance(2) {
		m.Parts = append(m.Parts, llm.Text{Text: k.text()})
	}
	var ids []string
	for range 1 + k.IntN(3) {
		k.calls++
		id := fmt.Sprintf("call_%d", k.calls)
		c := llm.ToolCall{ID: id, Name: []string{"read_file", "todo_write", "edit_file"}[k.IntN(3)]}
		args, _ := json.Marshal(map[string]any{"text": k.text(), "n": k.IntN(9)})
		if c.Args = args; k.chance(6) {
			c.Args, c.Malformed = nil, "{broken"
		}
		m.Parts = append(m.Parts, c)
		ids = append(ids, id)
	}
	add(k.t, k.l, event.Message{Message: m})
	for _, id := range ids {
		d := event.Decided{Call: id, Tool: "read_file", Allow: !k.chance(4), By: "mode", Preview: event.Preview{Text: k.text()}}
		if k.chance(4) {
			d.Grant = &event.Grant{Scope: []event.Scope{event.ForTurn, event.ForSession}[k.IntN(2)], Rules: []string{"Edit(" + id + ")"}}
		}
		add(k.t, k.l, d)
		var meta llm.Meta
		path := fmt.Sprintf("/f%d", k.IntN(4))
		switch k.IntN(4) {
		case 0:
			meta.Read = []llm.FileRead{{Path: path, SHA256: fmt.Sprint("h", k.IntN(2)), Whole: k.chance(2)}}
		case 1:
			meta.Wrote = []llm.FileWrite{{Path: path, SHA256: []string{"", "w"}[k.IntN(2)], Added: 1}}
		case 2:
			meta.Again, meta.Size = true, 5
		}
		r := result(id, k.text(), meta)
		if k.images && k.chance(5) {
			tr := r.Parts[0].(llm.ToolResult)
			tr.Parts = append(tr.Parts, llm.NewImage("image/jpeg", []byte("jpg"+k.text())))
			r.Parts[0] = tr
		}
		add(k.t, k.l, r)
	}
}

// edit makes the view smaller in one of the ways there are.
func (k *talker) edit() {
	view := k.l.Messages()
	if len(view) == 0 || k.chance(3) {
		return
	}
	f := event.Edited{Why: []event.Why{event.Threshold, event.Threshold, event.Forced, event.Manual}[k.IntN(4)], Before: 9, After: 5}
	if k.chance(3) {
		f.Usage = &llm.Usage{Input: k.IntN(30), Output: 3}
	}
	switch k.IntN(6) {
	case 5: // a strike
		f.Stage, f.Error = []string{"clear", "snip", "summarize"}[k.IntN(3)], "empty"
	case 0, 1: // single messages, sometimes with the same id, sometimes out of order
		f.Stage = "clear"
		for i, m := range view {
			if r, ok := m.Result(); ok && k.chance(3) {
				r.Parts = llm.Parts{llm.Text{Text: "[cleared]"}}
				m.Parts = llm.Parts{r}
				if k.chance(2) {
					m.ID = ""
				}
				f.Edits = append(f.Edits, event.Edit{From: view[i].ID, To: view[i].ID, With: []llm.Message{m}})
			}
		}
		if k.chance(4) {
			k.Shuffle(len(f.Edits), func(i, j int) { f.Edits[i], f.Edits[j] = f.Edits[j], f.Edits[i] })
		}
	case 2: // a run of whole rounds
		from := k.IntN(len(view))
		to := from + k.IntN(len(view)-from)
		if check(view[from:to+1]) != nil || check(view[:from]) != nil {
			return
		}
		f.Stage = "snip"
		f.Edits = []event.Edit{{From: view[from].ID, To: view[to].ID, With: []llm.Message{llm.NewText(llm.User, llm.Snipped, "[cut]")}}}
	case 3: // what was never there
		f.Stage = "clear"
		f.Edits = []event.Edit{{From: "nowhere", To: view[0].ID}, {From: view[len(view)-1].ID, To: view[0].ID, With: view[:1]}}
		if len(view) == 1 {
			return
		}
	case 4:
		to := k.IntN(len(view))
		if check(view[:to+1]) != nil {
			return
		}
		f.Stage = "summarize"
		f.Edits = []event.Edit{{From: view[0].ID, To: view[to].ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, "so far: "+k.text())}}}
	}
	add(k.t, k.l, f)
}

func (k *talker) rewind() {
	all := records(k.t, k.l)
	if err := k.l.Rewind(all[k.IntN(len(all))].ID); err != nil {
		k.t.Fatal(err)
	}
}

// conversation makes up one of so many turns.
func conversation(t testing.TB, s *Store, seed uint64, turns int, images bool) *Log {
	l := create(t, s, Options{Opened: event.Opened{Model: "test/m", Mode: "default"}})
	k := &talker{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, l: l, folds: seed%2 == 0, images: images}
	for range turns {
		k.turn()
	}
	return l
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
