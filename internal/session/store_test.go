package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func TestProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "My Project!")
	writeFile(t, filepath.Join(root, ".git", "HEAD"), nil)
	deep := filepath.Join(root, "a", "b")
	writeFile(t, filepath.Join(deep, "f"), nil)
	writeFile(t, filepath.Join(root, "linked", ".git"), []byte("gitdir: x"))
	writeFile(t, filepath.Join(root, "stray", ".git", "x"), nil)
	if runtime.GOOS != "windows" {
		if err := os.Symlink(deep, filepath.Join(base, "link")); err != nil {
			t.Fatal(err)
		}
		same(t, "through a link", root, ProjectOf(filepath.Join(base, "link")))
	}
	same(t, "below", root, ProjectOf(deep))
	same(t, "linked work tree", filepath.Join(root, "linked"), ProjectOf(filepath.Join(root, "linked")))
	same(t, "no repository", root, ProjectOf(filepath.Join(root, "stray")))
	same(t, "none at all", base, ProjectOf(base))
	sum := sha256.Sum256([]byte(root))
	want := filepath.Join("/state", "-y--roject--"+hex.EncodeToString(sum[:])[:12])
	same(t, "directory", want, (&Store{Root: "/state"}).ProjectDir(deep))
	long := filepath.Join(base, strings.Repeat("x", 60))
	if name := filepath.Base((&Store{}).ProjectDir(long)); len(name) != 40+1+12 {
		t.Errorf("name %s", name)
	}
}

func TestCreateWithID(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{ID: "chosen"})
	say(t, l, llm.User, llm.Prompt, "x")
	same(t, "path", filepath.Join(s.ProjectDir("/work/project"), "chosen.jsonl"), l.Path())
	if _, err := s.Create(Options{ID: "chosen", Cwd: "/work/project"}); err == nil || !strings.Contains(err.Error(), "--resume chosen") {
		t.Errorf("a second session of that id: %v", err)
	}
	for _, id := range []string{"../x", "a/b", "..", "a b", strings.Repeat("a", 200)} {
		if _, err := s.Create(Options{ID: id, Cwd: "/work/project"}); err == nil {
			t.Errorf("id %q was taken", id)
		}
	}
	// Two that were begun with the same id before either said anything.
	a, b := create(t, s, Options{ID: "both"}), create(t, s, Options{ID: "both"})
	say(t, a, llm.User, llm.Prompt, "first")
	if _, err := b.Append(event.Message{Message: llm.NewText(llm.User, llm.Prompt, "second")}); !errors.Is(err, ErrLocked) {
		t.Errorf("second: %v", err)
	}
}

// TestNotASession: what is no session is refused in words, and not touched.
func TestNotASession(t *testing.T) {
	s := newStore(t)
	dir := filepath.Join(s.Root, "p")
	files := map[string]string{
		"empty":   "",
		"binary":  strings.Repeat("\x00\xff\x7fELF", 1000),
		"text":    "hello\nworld\n",
		"other":   `{"type":"user","uuid":"1","message":{}}` + "\n",
		"newer":   `{"type":"opened","id":"a","parent":null,"turn":0,"time":"2026-01-02T03:04:05.006Z","session":"s","cwd":"/w","format":2}` + "\n",
		"older":   `{"type":"opened","id":"a","parent":null,"turn":0,"time":"2026-01-02T03:04:05.006Z","session":"s","cwd":"/w"}` + "\n",
		"torn":    `{"type":"opened","id":"a","parent":null,"turn":0,"time":"2026-01-02T03:04`,
		"message": `{"type":"message","id":"a","parent":null,"turn":0,"time":"2026-01-02T03:04:05.006Z","session":"s","cwd":"/w","role":"user","kind":"prompt","parts":[torn}`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name+".jsonl")
		writeFile(t, path, []byte(text))
		if _, _, err := s.Open(path, "/w"); !errors.Is(err, ErrNotSession) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Fork(path, Options{Cwd: "/w"}); !errors.Is(err, ErrNotSession) {
			t.Errorf("fork of %s: %v", name, err)
		}
		same(t, name, text, string(readFile(t, path)))
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(filepath.Join(dir, "dir.jsonl"), "/w"); !errors.Is(err, ErrNotSession) {
		t.Errorf("directory: %v", err)
	}
	if _, _, err := s.Open(filepath.Join(dir, "none.jsonl"), "/w"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(files)+1 {
		t.Errorf("left behind: %v", entries)
	}
	if all, err := s.List(""); err != nil || len(all) > 3 { // those whose first envelope can be read
		t.Errorf("listed: %+v %v", all, err)
	}
}

func TestFindAndLatest(t *testing.T) {
	s := newStore(t)
	here, there := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(here, ".git", "HEAD"), nil)
	sub := filepath.Join(here, "sub")
	begin := func(id, cwd, title string) *Log {
		l := create(t, s, Options{ID: id, Cwd: cwd})
		turn(t, l, "prompt of "+id, "c1")
		if title != "" {
			add(t, l, event.Changed{Title: title})
		}
		l.Close()
		return l
	}
	if _, ok, err := s.Latest(here); ok || err != nil {
		t.Errorf("latest of nothing: %v %v", ok, err)
	}
	begin("aaaa-1", here, "")
	begin("aaaa-2", here, "The Title")
	begin("bbbb-1", there, "elsewhere")
	begin("cccc-1", sub, "twice")
	begin("cccc-2", sub, "twice")
	for ref, want := range map[string]string{
		"aaaa-1": "aaaa-1", "The Title": "aaaa-2", "the title": "aaaa-2", "bbbb": "bbbb-1", "elsewhere": "bbbb-1", "cccc-2": "cccc-2",
	} {
		if got, err := s.Find(here, ref); err != nil || got.ID != want {
			t.Errorf("%q is %q, %v", ref, got.ID, err)
		}
	}
	for ref, want := range map[string]string{"aaaa": "2 sessions", "twice": "2 sessions", "aaa": "", "nothing": "", "": ""} {
		_, err := s.Find(here, ref)
		if err == nil || (want == "") != errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	for cwd, want := range map[string]string{here: "aaaa-2", sub: "cccc-2", filepath.Join(here, "other"): "cccc-2"} {
		if got, ok, err := s.Latest(cwd); !ok || err != nil || got.ID != want {
			t.Errorf("latest in %s is %s, %v %v", cwd, got.ID, ok, err)
		}
	}
	path := filepath.Join(s.ProjectDir(here), "aaaa-1.jsonl")
	if got, err := s.Find("", path); err != nil || got.Path != path || got.FirstPrompt != "prompt of aaaa-1" {
		t.Errorf("by path: %+v %v", got, err)
	}
}

// TestList: of 500 sessions, most of them big, only the ends are read.
func TestList(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{Opened: event.Opened{Model: "a/b"}})
	turn(t, l, strings.Repeat("the first prompt ", 100), "c1")
	add(t, l, event.Changed{Title: "named early"})
	for i := range 10 {
		turn(t, l, strings.Repeat("x", 10_000), fmt.Sprint("d", i))
	}
	l.Close()
	data := readFile(t, l.Path())
	dir := filepath.Dir(l.Path())
	for i := range 499 {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("copy-%d.jsonl", i)), data)
	}
	writeFile(t, filepath.Join(dir, "zero.jsonl"), nil)
	read := 0
	s.read = func(n int) { read += n }
	all, err := s.List("/work/project")
	if err != nil || len(all) != 500 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	if per := read / 500; per > 2*endSize {
		t.Errorf("%d bytes read of each session of %d", per, len(data))
	}
	for _, i := range all {
		if i.ID != l.ID() {
			continue
		}
		if i.Title != "named early" || i.Turns != 11 || i.Model != "test/model" || i.Cwd != "/work/project" || i.Size != int64(len(data)) {
			t.Errorf("%+v", i)
		}
		if !strings.HasPrefix(i.FirstPrompt, "the first prompt the") || len([]rune(i.FirstPrompt)) != 200 {
			t.Errorf("first prompt %q", i.FirstPrompt)
		}
		if want := l.Head().Time; !i.Modified.Equal(want) {
			t.Errorf("modified %v, want %v", i.Modified, want)
		}
	}
}

// TestListReshaped: a file whose lines another program wrote anew, with blanks
// and in another order, is listed as before.
func TestListReshaped(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{Opened: event.Opened{Model: "a/b"}})
	turn(t, l, "the first prompt", "c1")
	add(t, l, event.Changed{Title: "named"})
	l.Close()
	want, ok := s.summary(l.Path())
	if !ok || want.FirstPrompt != "the first prompt" || want.Title != "named" || want.Turns != 1 {
		t.Fatalf("%v %+v", ok, want)
	}
	var out []byte
	for line := range bytes.Lines(readFile(t, l.Path())) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.MarshalIndent(members, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, bytes.ReplaceAll(sorted, []byte("\n"), nil)...), '\n')
	}
	if err := os.WriteFile(l.Path(), out, 0o600); err != nil {
		t.Fatal(err)
	}
	got, ok := s.summary(l.Path())
	want.Size = got.Size
	if !ok || got != want {
		t.Errorf("%v %+v, want %+v", ok, got, want)
	}
}

func TestListHugeEnds(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Prompt, `start "日本" `+strings.Repeat("\\日", 100_000))
	add(t, l, answer("c1"))
	add(t, l, result("c1", strings.Repeat("y", 300_000), llm.Meta{}))
	l.Close()
	info, ok := s.summary(l.Path())
	if !ok || !strings.HasPrefix(info.FirstPrompt, `start "日本" \日`) || info.Turns != 1 {
		t.Errorf("%v %+v", ok, info)
	}
}

// TestTitleFollowsRewind: going back behind a renaming takes it back in lists
// as well.
func TestTitleFollowsRewind(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	back := l.Head()
	listed := func() string { return s.named(l.Path()).Title }
	add(t, l, event.Changed{Title: "new name"})
	same(t, "renamed", "new name", listed())
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	same(t, "gone back", "", listed())
}

func TestFork(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{Opened: event.Opened{Model: "a/b", Mode: "plan"}})
	img := llm.NewImage("image/png", []byte("png"))
	turn(t, l, "one", "c1")
	back := l.Head()
	turn(t, l, "left", "c2")
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	add(t, l, event.Changed{Title: "work"})
	say(t, l, llm.User, llm.Prompt, "look")
	m := llm.Message{Role: llm.User, Kind: llm.Note, Parts: llm.Parts{img}}
	add(t, l, event.Message{Message: m})
	add(t, l, answer("c3")) // still running: the source is not closed
	source := readFile(t, l.Path())

	f, err := s.Fork(l.Path(), Options{Cwd: "/work/project"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "source", source, readFile(t, l.Path()))
	same(t, "title", "work_fork1", f.Title())
	same(t, "usage", llm.Usage{}, f.Usage())
	if o := f.Opened(); o.From != l.ID() || o.At == "" || o.Mode != "plan" || o.Model != "a/b" {
		t.Errorf("opened %+v", o)
	}
	if err := check(f.Messages()); err != nil {
		t.Error(err)
	}
	view := l.Messages()
	same(t, "view", view, f.Messages()[:len(view)])
	if bytes.Contains(readFile(t, f.Path()), []byte("left")) {
		t.Error("a branch that was left was copied")
	}
	for _, r := range records(t, f)[1:] {
		if r.Session != f.ID() {
			t.Fatalf("record of session %s", r.Session)
		}
	}
	turn(t, f, "on", "c9")
	same(t, "usage", llm.Usage{Input: 100, Output: 10}, f.Usage())
	live := facetsOf(t, f)
	f.Close()
	again, _ := reopen(t, s, f.Path())
	same(t, "reopened", live, facetsOf(t, again))

	second, err := s.Fork(f.Path(), Options{Cwd: "/work/project"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	same(t, "title of the second", "work_fork2", second.Title())
	same(t, "listed", "work_fork2", s.named(second.Path()).Title)

	memory, err := s.Fork(f.Path(), Options{Cwd: "/work/project", Memory: true, Opened: event.Opened{Title: "mine"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "in memory", again.Messages(), memory.Messages())
	same(t, "its title", "mine", memory.Title())
	same(t, "its usage", llm.Usage{}, memory.Usage())
	turn(t, memory, "on", "c10")
	if entries, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path()), "*.jsonl")); len(entries) != 3 {
		t.Errorf("files %v", entries)
	}
}

// TestForkOfForeignLines: lines in another order keep what they hold.
func TestForkOfForeignLines(t *testing.T) {
	s := newStore(t)
	path := filepath.Join(s.Root, "p", "odd.jsonl")
	writeFile(t, path, []byte(`{"format":1,"id":"a","type":"opened","parent":null,"session":"odd","time":"2026-01-02T03:04:05.006Z"}
{"role":"user","kind":"prompt","parts":[{"type":"text","text":"hi"}],"extra":{"x":[1]},"type":"message","id":"b","turn":1,"parent":"a"}
{"type":"starred","id":"c","parent":"b","turn":1,"time":"2026-01-02T03:04:05.006Z","session":"odd","cwd":"/w","why":"new"}
`))
	f, err := s.Fork(path, Options{Cwd: "/work/project"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := string(readFile(t, f.Path()))
	for _, want := range []string{`"extra":{"x":[1]}`, `"why":"new"`, `{"type":"message","id":"b","parent":"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	same(t, "text", "hi", f.Messages()[0].Text())
}

// TestGolden: a file of format 1 is read for ever.
func TestGolden(t *testing.T) {
	data := readFile(t, "testdata/v1/session.jsonl")
	s := newStore(t)
	path := filepath.Join(s.Root, "p", "0198c5a2-7e00-7000-8000-000000000001.jsonl")
	writeFile(t, path, data)
	l, report := reopen(t, s, path)
	same(t, "report", "", report.String())
	same(t, "bytes", data, readFile(t, path))
	for line := range bytes.Lines(data) {
		var b bytes.Buffer
		r, err := event.Decode(line)
		if err == nil && r.Event != nil {
			err = event.Encode(&b, r)
			same(t, "encoded again", string(line), b.String())
		}
		if err != nil {
			t.Error(err)
		}
	}
	same(t, "view", naive(records(t, l)), l.Messages())
	if err := check(l.Messages()); err != nil {
		t.Error(err)
	}
	var texts []string
	for _, m := range l.Messages() {
		text := m.Text()
		if r, ok := m.Result(); ok {
			text = r.Parts.Text()
		}
		texts = append(texts, fmt.Sprintf("%s %s %q", m.Role, m.Kind, text))
	}
	same(t, "messages", []string{
		`user summary "[Context Summary from earlier conversation]\nThe bug is in add.go."`,
		`user prompt "Fix it, please."`,
		`assistant work "I change the sign."`,
		`tool result "Edited add.go"`,
		`tool result "(todo_write completed with no output)"`,
		`assistant final "Fixed: add.go subtracted."`,
	}, texts)
	same(t, "title", "sign bug", l.Title())
	same(t, "mode", "accept-edits", l.Mode())
	same(t, "model", "anthropic/claude-sonnet-4-5", l.Model())
	same(t, "turn", 2, l.Turn())
	same(t, "grants", []event.Grant{{Scope: "session", Rules: []string{"Edit(add.go)"}}}, l.Grants())
	same(t, "usage", llm.Usage{Input: 5310, Output: 262, CacheRead: 900}, l.Usage())
	same(t, "stamps", map[string]llm.FileRead{"/work/calc/add.go": {Path: "/work/calc/add.go", SHA256: "b1", Whole: true}}, l.Stamps())
	same(t, "todos", `{"items":[{"text":"fix the sign","state":"in_progress"}]}`, string(l.Todos()))
	for _, id := range []string{"toolu_01", "toolu_02", "call_1", "toolu_03"} {
		if !l.UsedCallIDs()(id) {
			t.Errorf("call id %s is taken for free", id)
		}
	}
	info := s.named(path)
	want := Info{
		Path: path, ID: l.ID(), Title: "sign bug", Cwd: "/work/calc", Model: "anthropic/claude-sonnet-4-5", FirstPrompt: "Why do the tests fail?",
		Modified: time.Date(2026, 3, 1, 9, 20, 7, 200e6, time.UTC), Size: int64(len(data)), Turns: 2,
	}
	same(t, "listed", want, info)
}
