package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// agentLog is agent.Log, which this package must not import.
type agentLog interface {
	Append(event.Fact) (event.Record, error)
	Messages() []llm.Message
	UsedCallIDs() func(id string) bool
}

var _ agentLog = (*Log)(nil)

// facets is everything that is folded.
type facets struct {
	View               []llm.Message
	Records            []event.Record
	Grants             []event.Grant
	Usage              llm.Usage
	Title, Mode, Model string
	Todos              string
	Stamps             map[string]llm.FileRead
	Turn               int
	Past               map[string]Past
	Edits              []EditInfo
}

func facetsOf(t testing.TB, l *Log) facets {
	f := facets{
		l.Messages(), records(t, l), l.Grants(), l.Usage(), l.Title(), l.Mode(), l.Model(), string(l.Todos()), l.Stamps(), l.Turn(),
		map[string]Past{},
		l.Edits(),
	}
	for _, stage := range []string{"clear", "snip", "summarize", "never"} {
		f.Past[stage] = l.Past(stage)
	}
	return f
}

// replaced is what each edit took out of the view.
func replaced(t testing.TB, l *Log) map[string][]llm.Message {
	t.Helper()
	out := map[string][]llm.Message{}
	for _, e := range l.Edits() {
		messages, err := l.Replaced(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) != e.Messages {
			t.Errorf("edit %s replaced %d messages, not %d", e.ID, len(messages), e.Messages)
		}
		if len(messages) > 0 {
			out[e.ID] = messages
		}
	}
	return out
}

// TestReopen: what is folded as facts come in is what is folded when the
// file is read, and both are what the specification says.
func TestReopen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newStore(t)
			l := conversation(t, s, seed, 1+int(seed)%7, seed%5 == 0)
			live := facetsOf(t, l)
			view, gone := naiveView(live.Records)
			same(t, "view", view, live.View)
			same(t, "replaced", gone, replaced(t, l))
			for stage, past := range live.Past {
				same(t, "past of "+stage, naivePast(live.Records, stage), past)
			}
			if err := check(live.View); err != nil {
				t.Error(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			before := readFile(t, l.Path())
			again, report := reopen(t, s, l.Path())
			if report.String() != "" {
				t.Errorf("report: %s", report)
			}
			same(t, "reopened", live, facetsOf(t, again))
			same(t, "replaced, reopened", gone, replaced(t, again))
			same(t, "ids", l.x.calls, again.x.calls)
			if !bytes.Equal(before, readFile(t, l.Path())) {
				t.Error("opening a whole file changed it")
			}
		})
	}
}

// TestAppendGivesWhatIsWritten: the record that Append returns is the record
// that the line holds, byte for byte.
func TestAppendGivesWhatIsWritten(t *testing.T) {
	s := newStore(t)
	l := conversation(t, s, 7, 6, false)
	lines := bytes.Split(bytes.TrimSuffix(readFile(t, l.Path()), []byte("\n")), []byte("\n"))
	for i, n := range l.x.nodes {
		if got := readFile(t, l.Path())[n.off : n.off+int64(n.size)]; !bytes.Equal(got, lines[i]) {
			t.Fatalf("line %d is %q, its node points to %q", i, lines[i], got)
		}
		var b bytes.Buffer
		r, err := event.Decode(lines[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := event.Encode(&b, r); err != nil {
			t.Fatal(err)
		}
		if got := bytes.TrimSuffix(b.Bytes(), []byte("\n")); !bytes.Equal(got, lines[i]) {
			t.Errorf("written %s\nencoded %s", lines[i], got)
		}
	}
	r := add(t, l, answer("c1"))
	all := readFile(t, l.Path())
	line := all[bytes.LastIndexByte(all[:len(all)-1], '\n')+1 : len(all)-1]
	read, err := event.Decode(line)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "record", r, read)
}

func TestViewsGivenOutDoNotChange(t *testing.T) {
	l := create(t, newStore(t), Options{})
	turn(t, l, "one", "c1")
	view := l.Messages()
	kept := append([]llm.Message(nil), view...)
	turn(t, l, "two", "c2")
	_ = append(view, llm.NewText(llm.User, llm.Prompt, "a stranger"))
	add(t, l, event.Edited{Stage: "clear", Edits: []event.Edit{{From: view[0].ID, To: view[1].ID}}})
	same(t, "first view", kept, view)
	if got := l.Messages()[1].Text(); got != "done with one" {
		t.Errorf("the second message is now %q", got)
	}
}

func TestNothingSaidLeavesNothing(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{Opened: event.Opened{Model: "a/b"}})
	add(t, l, event.Changed{Mode: "plan"})
	if !l.Saved() {
		t.Error("a session in which nothing was said counts as not saved")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(s.Root); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}

	l = create(t, s, Options{Opened: event.Opened{Model: "a/b"}})
	add(t, l, event.Changed{Mode: "plan", Title: "early"})
	say(t, l, llm.User, llm.Prompt, "hello")
	if n := bytes.Count(readFile(t, l.Path()), []byte("\n")); n != 3 {
		t.Errorf("%d lines after the first message, want 3", n)
	}
	l.Close()
	entries, _ := os.ReadDir(filepath.Dir(l.Path()))
	if len(entries) != 1 {
		t.Errorf("beside the session: %v", entries)
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("file mode %v", info.Mode())
	}
	if info, _ := os.Stat(filepath.Dir(l.Path())); info.Mode().Perm() != 0o700 {
		t.Errorf("directory mode %v", info.Mode())
	}
	if info, _ := s.named(l.Path()), 0; info.Title != "early" {
		t.Errorf("listed as %q", info.Title)
	}
}

func TestTurns(t *testing.T) {
	l := create(t, newStore(t), Options{})
	note := say(t, l, llm.User, llm.Note, "it is Monday")
	first := say(t, l, llm.User, llm.Prompt, "one")
	steer := say(t, l, llm.User, llm.Prompt, "and this")
	end := add(t, l, event.Ended{Reason: event.Done})
	between := add(t, l, event.Changed{Mode: "plan"})
	second := say(t, l, llm.User, llm.Prompt, "two")
	var got []int
	for _, r := range []event.Record{note, first, steer, end, between, second} {
		got = append(got, r.Turn)
	}
	same(t, "turns", []int{0, 1, 1, 1, 1, 2}, got)
	if first.Parent != note.ID || first.ID == "" || first.Type != "message" {
		t.Errorf("record %+v", first)
	}
	if m, _ := first.MessageOf(); m.ID != first.ID || !m.Time.Equal(first.Time) {
		t.Errorf("message %s at %v in record %s at %v", m.ID, m.Time, first.ID, first.Time)
	}
	if h := l.Head(); h.ID != second.ID || h.Turn != 2 || h.Session != l.ID() {
		t.Errorf("head %+v", h)
	}
}

func TestGrants(t *testing.T) {
	l := create(t, newStore(t), Options{})
	grant := func(scope event.Scope, allow bool, rule string) {
		add(t, l, event.Decided{Call: rule, Allow: allow, Grant: &event.Grant{Scope: scope, Rules: []string{rule}}})
	}
	say(t, l, llm.User, llm.Prompt, "one")
	grant(event.ForTurn, true, "a")
	grant(event.ForSession, true, "b")
	grant(event.ForSession, false, "c")
	same(t, "while the turn runs", []event.Grant{{Scope: "turn", Rules: []string{"a"}}, {Scope: "session", Rules: []string{"b"}}}, l.Grants())
	end := add(t, l, event.Ended{Reason: event.Interrupted})
	same(t, "after it", []event.Grant{{Scope: "session", Rules: []string{"b"}}}, l.Grants())
	say(t, l, llm.User, llm.Prompt, "two")
	grant(event.ForSession, true, "d")
	add(t, l, event.Ended{Reason: event.Done})
	if err := l.Rewind(end.ID); err != nil {
		t.Fatal(err)
	}
	same(t, "after going back", []event.Grant{{Scope: "session", Rules: []string{"b"}}}, l.Grants())
}

func TestStamps(t *testing.T) {
	l := create(t, newStore(t), Options{})
	n := 0
	did := func(meta llm.Meta) event.Record {
		n++
		id := fmt.Sprint("c", n)
		add(t, l, answer(id))
		return add(t, l, result(id, "x", meta))
	}
	read := func(path, hash string, whole bool) llm.Meta {
		return llm.Meta{Read: []llm.FileRead{{Path: path, SHA256: hash, Whole: whole}}}
	}
	wrote := func(path, hash string) llm.Meta {
		return llm.Meta{Wrote: []llm.FileWrite{{Path: path, SHA256: hash}}}
	}
	first := say(t, l, llm.User, llm.Prompt, "go")
	did(read("/a", "1", true))
	did(read("/a", "1", false)) // still whole
	did(read("/b", "1", true))
	did(read("/b", "2", false)) // another content
	did(wrote("/c", "3"))
	did(read("/d", "4", true))
	last := did(wrote("/d", ""))
	did(read("/e", "5", true))
	did(read("/a", "1", false))
	same(t, "stamps", map[string]llm.FileRead{
		"/a": {Path: "/a", SHA256: "1", Whole: true}, "/b": {Path: "/b", SHA256: "2"}, "/c": {Path: "/c", SHA256: "3", Whole: true}, "/e": {Path: "/e", SHA256: "5", Whole: true},
	}, l.Stamps())
	before := add(t, l, event.Ended{Reason: event.Done})
	add(t, l, event.Edited{Stage: "summarize", Edits: []event.Edit{{From: first.ID, To: last.ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, "s")}}}})
	same(t, "after a boundary", map[string]llm.FileRead{"/a": {Path: "/a", SHA256: "1"}, "/e": {Path: "/e", SHA256: "5", Whole: true}}, l.Stamps())
	if err := l.Rewind(before.ID); err != nil {
		t.Fatal(err)
	}
	if len(l.Stamps()) != 4 {
		t.Errorf("going back behind the boundary gives %v", l.Stamps())
	}
}

func TestRewind(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	back := l.Head()
	turn(t, l, "two", "c2")
	view := l.Messages()
	add(t, l, event.Edited{Stage: "summarize", Edits: []event.Edit{{From: view[0].ID, To: view[len(view)-1].ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, "all of it")}}}})
	usage := l.Usage()
	size := len(readFile(t, l.Path()))
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	if len(readFile(t, l.Path())) == size {
		t.Error("going back was not recorded at once")
	}
	same(t, "view", view[:4], l.Messages())
	if l.Turn() != 1 || l.Usage() != usage {
		t.Errorf("turn %d, usage %v", l.Turn(), l.Usage())
	}
	turn(t, l, "other", "c3")
	if !l.UsedCallIDs()("c2") || !l.UsedCallIDs()("c3") || l.UsedCallIDs()("c4") {
		t.Error("used ids must count all branches, and those only")
	}
	live := facetsOf(t, l)
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, facetsOf(t, again))
	var prompts []string
	for r, err := range again.Prompts() {
		if err != nil {
			t.Fatal(err)
		}
		m, _ := r.MessageOf()
		prompts = append(prompts, m.Text())
	}
	same(t, "prompts", []string{"one", "other"}, prompts)
	if err := again.Rewind("unknown"); err == nil {
		t.Error("went back to nowhere")
	}
}

// TestRewindIntoATurn: a record in the middle of a turn leaves nothing open.
func TestRewindIntoATurn(t *testing.T) {
	for at := range 6 {
		l := create(t, newStore(t), Options{})
		turn(t, l, "one", "c1")
		all := records(t, l)
		if err := l.Rewind(all[1+at].ID); err != nil {
			t.Fatal(err)
		}
		if err := check(l.Messages()); err != nil {
			t.Errorf("back to %s: %v", all[1+at].Type, err)
		}
		if r := say(t, l, llm.User, llm.Prompt, "next"); r.Turn != 2 {
			t.Errorf("back to %s: the next turn is %d", all[1+at].Type, r.Turn)
		}
	}
}

// TestUnsay: a prompt goes with the notes that were told with it, and with what
// came after; what is stated is what a reader of the file finds.
func TestUnsay(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Note, "where it is")
	turn(t, l, "one", "c1")
	first := l.Messages()
	add(t, l, event.Changed{Mode: "plan"})
	say(t, l, llm.User, llm.Note, "the mode")
	say(t, l, llm.User, llm.Note, "the date")
	turn(t, l, "two", "c2")
	turn(t, l, "three", "c3")
	said := l.Said()
	var got []string
	for _, p := range said {
		got = append(got, fmt.Sprint(p.Turn, " ", p.Text))
	}
	same(t, "said", []string{"1 one", "2 two", "3 three"}, got)
	for _, id := range []string{first[0].ID, first[2].ID, l.Head().ID, "unknown", ""} {
		if _, err := l.Unsay(id); err == nil {
			t.Errorf("%q was unsaid, which is no prompt", id)
		}
	}
	before := len(strings.Split(string(readFile(t, l.Path())), "\n"))
	stated, err := l.Unsay(said[1].Record)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(readFile(t, l.Path())), "\n")
	if len(lines) != before+1 || len(stated) != 1 || stated[0].ID != l.Head().ID {
		t.Errorf("%d lines more, stated %v", len(lines)-before, stated)
	}
	same(t, "view", first, l.Messages())
	if l.Mode() != "plan" {
		t.Error("the mode was changed before the prompt, and is taken back")
	}
	if _, err := l.Unsay(said[2].Record); err == nil {
		t.Error("unsaid what was unsaid already")
	}
	if stated, err = l.Unsay(said[0].Record); err != nil || len(stated) != 1 {
		t.Fatal(stated, err)
	}
	if m := l.Messages(); len(m) != 0 || len(l.Said()) != 0 {
		t.Errorf("%d messages are left", len(m))
	}
	l.Close()
	again, _ := reopen(t, s, l.Path())
	if m := again.Messages(); len(m) != 0 || again.Mode() == "plan" {
		t.Errorf("reopened: %d messages, mode %q", len(m), again.Mode())
	}
}

// TestUnsayInsideOfATurn: going back to before a prompt that went in while a
// turn ran closes that turn.
func TestUnsayInsideOfATurn(t *testing.T) {
	l := create(t, newStore(t), Options{})
	say(t, l, llm.User, llm.Prompt, "one")
	add(t, l, answer("c1"))
	add(t, l, result("c1", "", llm.Meta{}))
	say(t, l, llm.User, llm.Prompt, "and")
	say(t, l, llm.Assistant, llm.Final, "done")
	if _, err := l.Unsay(l.Said()[1].Record); err == nil {
		t.Error("unsaid while the turn runs")
	}
	add(t, l, event.Ended{Reason: event.Done})
	stated, err := l.Unsay(l.Said()[1].Record)
	if err != nil || len(stated) != 2 {
		t.Fatal(stated, err)
	}
	if e, ok := stated[1].Event.(event.Ended); !ok || e.Reason != event.Interrupted {
		t.Errorf("%+v", stated[1])
	}
	if got := l.Said(); len(got) != 1 || len(l.Messages()) != 3 {
		t.Errorf("%v, %d messages", got, len(l.Messages()))
	}
}

// TestNothingSaidYet: what the person does before anything is said makes no
// file.
func TestNothingSaidYet(t *testing.T) {
	l := create(t, newStore(t), Options{})
	add(t, l, event.Decided{Call: "x", Tool: "list_files", Allow: true, By: "user"})
	if _, err := os.Stat(l.Path()); err == nil {
		t.Fatal("there is a file")
	}
	say(t, l, llm.User, llm.Prompt, "one")
	if text := string(readFile(t, l.Path())); strings.Count(text, "\n") != 3 || !strings.Contains(text, `"tool":"list_files"`) {
		t.Errorf("%s", text)
	}
}

func TestUsage(t *testing.T) {
	l := create(t, newStore(t), Options{})
	turn(t, l, "one", "c1") // 100/10 said by both
	say(t, l, llm.User, llm.Prompt, "two")
	add(t, l, answer("c2")) // 100/10
	add(t, l, result("c2", "", llm.Meta{}))
	add(t, l, event.Edited{Stage: "collapse", Usage: &llm.Usage{Input: 7, Output: 1}})
	same(t, "in a turn", llm.Usage{Input: 207, Output: 21}, l.Usage())
	add(t, l, event.Ended{Reason: event.Done, Usage: llm.Usage{Input: 300, Output: 5}}) // with a sub-agent's
	same(t, "after it", llm.Usage{Input: 400, Output: 21}, l.Usage())
	add(t, l, event.Edited{Stage: "summarize", Usage: &llm.Usage{Input: 1000}})
	same(t, "by hand", llm.Usage{Input: 1400, Output: 21}, l.Usage())
}

func TestTodos(t *testing.T) {
	l := create(t, newStore(t), Options{})
	if l.Todos() != nil {
		t.Error("todos of nothing")
	}
	m := answer("c1")
	m.Parts = append(m.Parts, llm.ToolCall{ID: "c2", Name: "todo_write", Args: json.RawMessage(`{"items":[1]}`)})
	add(t, l, m)
	add(t, l, answer("c3"))
	same(t, "todos", `{"items":[1]}`, string(l.Todos()))
}

func TestTail(t *testing.T) {
	l := create(t, newStore(t), Options{})
	turn(t, l, "one", "c1")
	before := l.decoded
	var types []string
	for r, err := range l.Tail(3) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, r.Type)
	}
	same(t, "tail", []string{"message", "message", "ended"}, types)
	if l.decoded-before != 3 {
		t.Errorf("%d records read for a tail of 3", l.decoded-before)
	}
}

func TestMemory(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{Memory: true})
	img := llm.NewImage("image/png", []byte("png"))
	add(t, l, event.Message{Message: llm.Message{Role: llm.User, Kind: llm.Prompt, Parts: llm.Parts{img}}})
	add(t, l, event.Ended{Reason: event.Done})
	back := l.Head()
	turn(t, l, "one", "c1")
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	turn(t, l, "two", "c2")
	same(t, "view", naive(records(t, l)), l.Messages())
	if got := l.Messages()[0].Parts[0].(llm.Image).Data; string(got) != "png" {
		t.Errorf("image is %q", got)
	}
	if err := l.SetQueue([]string{"a"}); err != nil || len(l.Queue()) != 1 {
		t.Errorf("queue: %v %v", err, l.Queue())
	}
	if l.Path() != "" || l.Dir() != "" || !l.Saved() {
		t.Errorf("path %q, dir %q, saved %v", l.Path(), l.Dir(), l.Saved())
	}
	if entries, _ := os.ReadDir(s.Root); len(entries) > 0 {
		t.Errorf("on disk: %v", entries)
	}
}

func TestQueue(t *testing.T) {
	s := newStore(t)
	s.Redact = redactor("sk-secret")
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	want := []string{"first\nline", "second \"quoted\""}
	if err := l.SetQueue(append(want, "my key is sk-secret")); err != nil {
		t.Fatal(err)
	}
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "queue", append(want, "my key is [redacted]"), again.Queue())
	if err := again.SetQueue(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(again.Dir()); err == nil {
		t.Error("an empty queue leaves its directory")
	}
}

func TestImages(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	img := llm.NewImage("image/png", []byte("\x89PNG bytes"))
	prompt := llm.NewText(llm.User, llm.Prompt, "look")
	prompt.Parts = append(prompt.Parts, img)
	add(t, l, event.Message{Message: prompt})
	path := filepath.Join(l.Dir(), "images", img.SHA256+".png")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	if bytes.Contains(readFile(t, l.Path()), []byte("PNG")) {
		t.Error("the record holds the bytes")
	}
	add(t, l, event.Ended{Reason: event.Done})
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "image", img, again.Messages()[0].Parts[1].(llm.Image))
	again.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again, _ = reopen(t, s, l.Path())
	if text := again.Messages()[0].Text(); !strings.Contains(text, "gone") {
		t.Errorf("a lost image reads %q", text)
	}
}

func redactor(keys ...string) func([]byte) []byte {
	return func(b []byte) []byte {
		for _, k := range keys {
			b = bytes.ReplaceAll(b, []byte(k), []byte("[redacted]"))
		}
		return b
	}
}

func TestRedaction(t *testing.T) {
	s := newStore(t)
	keys := []string{"sk-ant-123", `we"ird\key<`, "type", "nline", "message"}
	s.Redact = redactor(keys...)
	l := create(t, s, Options{})
	img := llm.NewImage("image/png", []byte("x"))
	m := llm.NewText(llm.User, llm.Prompt, "key sk-ant-123, and we\"ird\\key< too\nline")
	m.Parts = append(m.Parts, img, llm.ToolResult{Call: "c", Parts: llm.Parts{img}})
	add(t, l, event.Message{Message: m})
	m = llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{llm.ToolCall{ID: "c1", Name: "x", Args: json.RawMessage(`{"type":"sk-ant-123","a":["sk-ant-123"]}`)}}}
	r := add(t, l, event.Message{Message: m})
	add(t, l, event.Decided{Call: "c1", Reason: "said sk-ant-123"})
	text := string(readFile(t, l.Path()))
	for _, k := range keys[:2] {
		if strings.Contains(text, k) {
			t.Errorf("%s is in the file:\n%s", k, text)
		}
	}
	got, _ := r.MessageOf()
	same(t, "arguments", `{"type":"[redacted]","a":["[redacted]"]}`, string(got.Calls()[0].Args))
	view := l.Messages()
	same(t, "text", "key [redacted], and [redacted] too\nline", view[0].Text())
	if view[0].Parts[1].(llm.Image).Data == nil || view[0].Parts[2].(llm.ToolResult).Parts[0].(llm.Image).Data == nil {
		t.Error("images lost their bytes")
	}
	add(t, l, result("c1", "", llm.Meta{}))
	add(t, l, event.Ended{Reason: event.Done})
	live := l.Messages()
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, again.Messages())
}

func TestOddFacts(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	add(t, l, event.Message{Message: llm.Message{Role: llm.User, Kind: llm.Prompt}})
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{nil, llm.ToolCall{ID: "a", Args: json.RawMessage(`{bad`)}, llm.ToolCall{ID: "b", Args: json.RawMessage(` { "x" : "<" } `)}}}
	add(t, l, event.Message{Message: m})
	add(t, l, result("a", "", llm.Meta{}))
	add(t, l, result("b", "", llm.Meta{}))
	add(t, l, event.Ended{Reason: event.Done})
	calls := l.Messages()[1].Calls()
	if calls[0].Args != nil || calls[0].Malformed != "{bad" || string(calls[1].Args) != `{"x":"\u003c"}` {
		t.Errorf("calls %+v", calls)
	}
	again := l.Messages()[0]
	if r := add(t, l, event.Message{Message: again}); r.ID == again.ID {
		t.Error("two records of one id")
	}
	add(t, l, event.Ended{Reason: event.Done})
	live := l.Messages()
	l.Close()
	if _, err := l.Append(event.Changed{}); err == nil {
		t.Error("a closed log takes facts")
	}
	back, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, back.Messages())
}
