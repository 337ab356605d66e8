package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// longSession has a bit of everything in it.
func longSession(t *testing.T) *Log {
	s := storeAt(scratch(t))
	l := create(t, s, Options{ID: "long", Opened: event.Opened{Model: "test/model", Mode: "default", Title: "Sign <b>bug</b>"}})
	say(t, l, llm.User, llm.Note, "Date: 2026-01-02.")
	prompt := llm.NewText(llm.User, llm.Prompt, "Why does `add` fail?\n\n<script>alert(1)</script> stays as `<script>` here.")
	prompt.Parts = append(prompt.Parts, llm.NewImage("image/png", []byte("png")), llm.NewImage("image/svg+xml", []byte("<svg/>")))
	first := add(t, l, event.Message{Message: prompt})
	m := answer("c1").Message
	m.Parts = append(llm.Parts{llm.Text{Text: "I look.\n\n```go\nvar x Map[<int>]"}}, m.Parts...)
	m.Parts = append(m.Parts, llm.ToolCall{ID: "c2", Name: "edit_`file", Args: json.RawMessage(`{"old":"a < b && \\\\u003c","new":"<i>"}`)}, llm.ToolCall{ID: "c3", Name: "run", Malformed: "{oops"})
	add(t, l, event.Message{Message: m})
	add(t, l, event.Decided{Call: "c1", Tool: "read_file", Allow: true, By: "mode"})
	long := add(t, l, result("c1", "```go\n// ````` fence\n```\n</pre><script>", llm.Meta{}))
	add(t, l, result("c2", "line one\r\n\x1b[31mred\x1b[0m\n", llm.Meta{}))
	bad := result("c3", "No such tool", llm.Meta{}).Message
	r := bad.Parts[0].(llm.ToolResult)
	r.Error = true
	bad.Parts[0] = r
	add(t, l, event.Message{Message: bad})
	add(t, l, event.Edited{Stage: "clear", Why: event.Threshold, Before: 800, After: 700, Edits: []event.Edit{{From: long.ID, To: long.ID, With: []llm.Message{result("c1", "[cleared]", llm.Meta{}).Message}}}})
	add(t, l, answer("c4"))
	huge := add(t, l, result("c4", strings.Repeat("all of it\n", 50), llm.Meta{}))
	short := result("c4", "Preview:\nall of it\n...", llm.Meta{Saved: "/state/long.d/results/c4.txt", Size: 500}).Message
	add(t, l, event.Edited{Stage: "offload", Why: event.Threshold, Before: 900, After: 400, Edits: []event.Edit{{From: huge.ID, To: huge.ID, With: []llm.Message{short}}}})
	add(t, l, event.Edited{Stage: "collapse", Why: event.Threshold, Before: 400, After: 400, Error: "the digest was empty"})
	last := say(t, l, llm.Assistant, llm.Final, "1. The sign is wrong:\n   ```go\n   a - b <i>\n   ```")
	add(t, l, event.Ended{Reason: event.Done})
	summary := llm.NewText(llm.User, llm.Summary, "[Context Summary]\n## State\nThe sign is wrong.")
	add(t, l, event.Edited{Stage: "summarize", Why: event.Manual, Before: 400, After: 60, Edits: []event.Edit{{From: first.ID, To: last.ID, With: []llm.Message{summary}}}})
	left := l.Head()
	say(t, l, llm.User, llm.Prompt, "This was taken back.")
	add(t, l, event.Ended{Reason: event.Done})
	if err := l.Rewind(left.ID); err != nil {
		t.Fatal(err)
	}
	add(t, l, event.Changed{Model: "test/other", Mode: "plan"})
	say(t, l, llm.User, llm.Prompt, "Fix it.")
	add(t, l, event.Ended{Reason: event.Failed, Error: "the provider\nis down"})
	return l
}

func exported(t testing.TB, l *Log, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.Export(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestExport(t *testing.T) {
	l := longSession(t)
	for format, ext := range map[string]string{"markdown": "md", "html": "html", "json": "json"} {
		path := filepath.Join("testdata", "export", "session."+ext)
		got := exported(t, l, format)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		same(t, format, string(readFile(t, path)), got)
		if strings.Contains(got, "taken back") {
			t.Errorf("%s holds a branch that was left", format)
		}
	}
	// The same when it is read again.
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, _ := reopen(t, l.store, l.Path())
	same(t, "reopened", string(readFile(t, "testdata/export/session.html")), exported(t, again, "html"))
}

func TestExportRecords(t *testing.T) {
	s := newStore(t)
	for seed := range uint64(5) {
		l := conversation(t, s, seed, 4, false)
		var lines []json.RawMessage
		if err := json.Unmarshal([]byte(exported(t, l, "json")), &lines); err != nil {
			t.Fatal(err)
		}
		var got []event.Record
		for _, line := range lines {
			r, err := event.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(readFile(t, l.Path()), append(line, '\n')) {
				t.Errorf("not as it is stored: %s", line)
			}
			got = append(got, r)
		}
		same(t, "records", records(t, l), got)
	}
}

// TestExportDamaged: a line that is no JSON is left out, and what remains can
// be read.
func TestExportDamaged(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	l.Close()
	data := bytes.Replace(readFile(t, l.Path()), []byte(`"text of c1"`), []byte(`"text "of c1"`), 1)
	writeFile(t, l.Path(), data)
	again, _ := reopen(t, s, l.Path())
	var lines []json.RawMessage
	if err := json.Unmarshal([]byte(exported(t, again, "json")), &lines); err != nil || len(lines) != 6 {
		t.Errorf("%d records, %v", len(lines), err)
	}
	for _, format := range []string{"markdown", "html"} {
		if text := exported(t, again, format); !strings.Contains(text, "done with one") {
			t.Errorf("%s: %s", format, text)
		}
	}
	again.Close()
	for _, format := range []string{"markdown", "html", "json"} {
		if err := again.Export(&bytes.Buffer{}, format); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed session: %v", err)
		}
	}
}

// TestExportStored: what is in the file is written as if it were open, while it
// is open elsewhere and after a crash, and nothing is changed.
func TestExportStored(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	named := create(t, s, Options{Opened: event.Opened{Title: "the first one"}})
	turn(t, named, "one", "c1")
	add(t, named, event.Changed{Title: "my own title"})
	crashed := create(t, s, Options{})
	turn(t, crashed, "one", "c1")
	say(t, crashed, llm.User, llm.Prompt, "two")
	add(t, crashed, answer("c2"))
	writeFile(t, crashed.Path(), append(readFile(t, crashed.Path()), `{"type":"mess`...))

	before := tree(t, s.Root)
	for _, open := range []*Log{l, named, crashed} {
		for _, format := range []string{"markdown", "html", "json"} {
			var b bytes.Buffer
			if err := s.Export(open.Path(), &b, format); err != nil {
				t.Fatal(err)
			}
			same(t, format, exported(t, open, format), b.String())
		}
	}
	same(t, "the store", before, tree(t, s.Root))

	for l, want := range map[*Log]string{l: "# Session " + l.ID() + "\n\n- Session: `" + l.ID() + "`\n", named: "# my own title\n\n- Session: `" + named.ID() + "`\n"} {
		if text := exported(t, l, "markdown"); !strings.HasPrefix(text, want) {
			t.Errorf("begins with %.100q, want %q", text, want)
		}
	}
	for path, want := range map[string]error{filepath.Join(s.Root, "none.jsonl"): os.ErrNotExist, s.Root: ErrNotSession} {
		if err := s.Export(path, &bytes.Buffer{}, "markdown"); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// tree is all files under a directory.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = string(readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestExportErrors(t *testing.T) {
	l := create(t, newStore(t), Options{Memory: true})
	for i := range 200 {
		turn(t, l, fmt.Sprint("prompt ", i), fmt.Sprint("c", i))
	}
	err := l.Export(&bytes.Buffer{}, "pdf")
	for _, format := range []string{"pdf", "markdown", "html", "json"} {
		if err == nil || !strings.Contains(err.Error(), format) {
			t.Errorf("%v does not name %s", err, format)
		}
	}
	for _, format := range []string{"markdown", "html", "json"} {
		writes := 0
		full := writerFunc(func([]byte) (int, error) { writes++; return 0, os.ErrClosed })
		if err := l.Export(full, format); !errors.Is(err, os.ErrClosed) || writes != 1 {
			t.Errorf("%s into nowhere: %v after %d writes", format, err, writes)
		}
	}
}

// hostile is text made of what means something in HTML or Markdown.
func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"<script>alert(1)</script>", "<SCRIPT ", "</pre>", "</style>", "<!--", "<![CDATA[", "<?x", "&lt;script>", "\"><script>", "'", "\\", "`", "``", "```", "````", "~~~",
			"\n", "\n\n", "\r", " ", "    ", "\t", "- ", "1. ", "> ", "# ", "|", "a", "word ", "\u2028", "\x00", "\x1b[0m", "<a href=x>", "&#60;script>", "javascript:",
		}), 0, 12).Draw(t, "text")
		return strings.Join(pieces, "")
	})
}

// hostileLog has hostile text wherever there can be text.
func hostileLog(t *rapid.T, tb testing.TB) *Log {
	text := func() string { return hostile().Draw(t, "hostile") }
	l := create(tb, newStore(tb), Options{Memory: true, Cwd: "/" + text(), Opened: event.Opened{Title: text(), Model: text(), Mode: text()}})
	first := say(tb, l, llm.User, llm.Note, text())
	say(tb, l, llm.User, llm.Nudge, text())
	prompt := llm.NewText(llm.User, llm.Prompt, text())
	prompt.Parts = append(prompt.Parts, llm.Image{Media: text(), SHA256: text(), Data: []byte("x")}, llm.NewImage("image/gif", []byte(text())))
	add(tb, l, event.Message{Message: prompt})
	args, _ := json.Marshal(map[string]string{text(): text()})
	m := llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{llm.Text{Text: text()}, llm.ToolCall{ID: "a", Name: text(), Args: args}, llm.ToolCall{ID: "b", Name: text(), Malformed: text()}}}
	add(tb, l, event.Message{Message: m})
	for _, call := range []string{"a", "b"} {
		add(tb, l, event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
			llm.ToolResult{Call: call, Name: text(), Parts: llm.Parts{llm.Text{Text: text()}}, Error: call == "b", Meta: llm.Meta{Saved: text()}},
		}}})
	}
	add(tb, l, event.Message{Message: llm.Message{Role: llm.User, Kind: llm.Kind(text()), Parts: llm.Parts{llm.Text{Text: text()}}}})
	add(tb, l, event.Edited{Stage: text(), Error: text()})
	add(tb, l, event.Edited{Stage: text(), Edits: []event.Edit{{From: first.ID, To: first.ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, text())}}}})
	add(tb, l, event.Changed{Title: text(), Model: text(), Mode: text()})
	add(tb, l, event.Ended{Reason: event.Reason(text()), Error: text()})
	return l
}

// TestExportEscapes: nothing of what was said is a tag in a page.
func TestExportEscapes(t *testing.T) {
	ours := regexp.MustCompile(`</?(html|head|body|h1|h2|h3|dl|dt|dd|pre|p|section|details|summary|code|time|style|title)( class="[a-z]+")?>|<!doctype html>|<html lang="en">|<meta [a-z-]+="[^"<>]*"( content="[^"<>]*")?>|<img alt="[0-9a-f.gif]+" src="data:image/gif;base64,[A-Za-z0-9+/=]*">`)
	rapid.Check(t, func(rt *rapid.T) {
		text := exported(t, hostileLog(rt, t), "html")
		if strings.Contains(strings.ToLower(text), "<script") {
			rt.Fatalf("a script:\n%s", text)
		}
		left := ours.ReplaceAllString(text, "")
		if at := strings.IndexAny(left, "<"); at >= 0 {
			rt.Fatalf("a tag that is not ours: %.40s", left[at:])
		}
		for _, tag := range []string{"section", "details", "pre", "p", "code"} {
			if open, closed := len(regexp.MustCompile("<"+tag+`[ >]`).FindAllString(text, -1)), strings.Count(text, "</"+tag+">"); open != closed {
				rt.Fatalf("%d %s are opened, %d closed", open, tag, closed)
			}
		}
	})
}

// TestFences: no text ends the block or the span of code that it is put in.
func TestFences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := plain(hostile().Draw(t, "text"))
		lines := strings.Split(fenced("", text), "\n")
		fence := lines[0]
		for _, line := range lines[1 : len(lines)-1] {
			if strings.HasPrefix(strings.TrimLeft(line, " "), fence) {
				t.Fatalf("%q is closed too early", text)
			}
		}
		span := code(text)
		n := len(span) - len(strings.TrimLeft(span, "`"))
		if n > 0 && closing(span[n:], n) != len(span)-n || strings.Contains(span, "\n") {
			t.Fatalf("%q ends too early", span)
		}
	})
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                            "plain",
		"a <b> & 1 < 2 <-x":                "a &lt;b> & 1 < 2 <-x",
		"in `<b>` code":                    "in `<b>` code",
		"``a ` <b>`` and <b>":              "``a ` <b>`` and &lt;b>",
		"\\`<b>`":                          "\\`&lt;b>`",
		"open ` code\nthen `<b>`\n\n`<b>`": "open ` code\nthen `&lt;b>`\n\n`<b>`",
		"| `a|<b>` |":                      "| `a|&lt;b>` |",
		"```go\n<b>\n```\n<b>":             "```go\n<b>\n```\n&lt;b>",
		"````\n```\n<b>":                   "````\n```\n<b>\n````",
		"~~~ a`b\n<b>":                     "~~~ a`b\n<b>\n~~~",
		"``` a`b <b>":                      "``` a`b &lt;b>",
		"- x\n  ```\n  <b>\n  ```":         "> - x\n>   ```\n>   &lt;b>\n>   ```",
		"> ```\n<b>":                       "> > ```\n> &lt;b>",
		"<!-- x":                           "&lt;!-- x",
		"<":                                "<",
	} {
		same(t, fmt.Sprintf("%q", text), want, prose(text))
	}
}

// TestExportOfManyTurns: a long export is written as it is made.
func TestExportOfManyTurns(t *testing.T) {
	s := newStore(t)
	path, _ := big(t, s, 2<<20, 3)
	l, _ := reopen(t, s, path)
	largest, all := 0, 0
	w := writerFunc(func(b []byte) (int, error) { largest = max(largest, len(b)); all += len(b); return len(b), nil })
	if err := l.Export(w, "markdown"); err != nil {
		t.Fatal(err)
	}
	if all < 1<<20 || largest > 200_000 {
		t.Errorf("%d bytes, at most %d at once", all, largest)
	}
}
