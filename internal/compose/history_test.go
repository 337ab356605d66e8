package compose

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func add(t *testing.T, h *History, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHistoryWalk(t *testing.T) {
	h := OpenHistory("")
	add(t, h, "git status", "make test", "git log\n--stat", "make", "  \n")
	var b Buffer
	b.Insert("gi")
	b.AddImage("", nil, "image/png")
	b.Backspace()
	steps := func(want string, f func(*Buffer) bool, ok bool) {
		t.Helper()
		if got := f(&b); got != ok || at(&b) != want {
			t.Errorf("%q, %v; want %q, %v", at(&b), got, want, ok)
		}
	}
	steps("gi|", h.Down, false)
	steps("git log\n--stat|", h.Up, true)
	steps("git status|", h.Up, true)
	steps("git status|", h.Up, false)
	steps("git log\n--stat|", h.Down, true)
	steps("gi|", h.Down, true)
	steps("gi|", h.Down, false)

	h.Up(&b)
	b.Insert("!") // changed: what is typed counts anew
	steps("git log\n--stat!|", h.Down, false)
	steps("git log\n--stat!|", h.Up, false)
	b.Clear()
	steps("make|", h.Up, true)
	steps("git log\n--stat|", h.Up, true)
	add(t, h, "new")
	steps("git log\n--stat|", h.Down, false)
}

func TestHistoryGivesBackPastes(t *testing.T) {
	h := OpenHistory("")
	add(t, h, "older")
	var b Buffer
	b.Paste(strings.Repeat("line\n", 20))
	b.Start()
	want := at(&b)
	if h.Up(&b) {
		t.Errorf("%q does not begin with the paste", at(&b))
	}
	add(t, h, strings.Repeat("line\n", 20)+"and more")
	if !h.Up(&b) || !h.Down(&b) || at(&b) != want {
		t.Errorf("%q, want %q", at(&b), want)
	}
}

func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "prompts.jsonl")
	h := OpenHistory(path)
	long := strings.Repeat("x", longestRemembered+1)
	add(t, h, "one", "two\nlines\t\"quoted\" <b> 你好", "one", "one", long)
	if diff := cmp.Diff([]string{long, "one", "two\nlines\t\"quoted\" <b> 你好"}, h.Search("")); diff != "" {
		t.Error(diff)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"text":"one"}
{"text":"two\nlines\t\"quoted\" <b> 你好"}
{"text":"one"}
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others can read the file: %v, %v", info.Mode(), err)
	}

	// A line cut short, and nonsense, cost nothing but themselves.
	if err := os.WriteFile(path, append(data, "\n\x00\x00\n[1]\n{\"text\":7}\n{\"text\":\"cut sho"...), 0o600); err != nil {
		t.Fatal(err)
	}
	h = OpenHistory(path)
	add(t, h, "after")
	if diff := cmp.Diff([]string{"after", "one", "two\nlines\t\"quoted\" <b> 你好"}, h.Search("")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(OpenHistory(path).Search(""), h.Search("")); diff != "" {
		t.Errorf("read again: %s", diff)
	}
}

func TestHistoryOfSeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompts.jsonl")
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			h := OpenHistory(path) // each opens the file for itself
			for i := range 50 {
				if err := h.Add(fmt.Sprintf("%d %d\n%s", p, i, strings.Repeat("x", 10*i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := len(OpenHistory(path).Search("")); got != 400 {
		t.Errorf("%d prompts, want 400", got)
	}
}

func TestHistorySearch(t *testing.T) {
	h := OpenHistory("")
	add(t, h, "Fix the parser", "fix the Parser in Größe", "explain the parser")
	for query, want := range map[string][]string{
		"":           {"explain the parser", "fix the Parser in Größe", "Fix the parser"},
		"parser fix": {"fix the Parser in Größe", "Fix the parser"},
		"Parser":     {"fix the Parser in Größe"},
		"größe":      {"fix the Parser in Größe"},
		"parsers":    nil,
	} {
		if diff := cmp.Diff(want, h.Search(query)); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
}

func TestHistoryLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompts.jsonl")
	var file bytes.Buffer
	pad := strings.Repeat("x", 9000)
	for i := range 1500 {
		if err := encodeLine(&file, fmt.Sprintf("%d %s", i%1100, pad)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	first := OpenHistory(path).Search("")
	if len(first) > mostRemembered || len(first) < 900 || first[0] != "399 "+pad {
		t.Errorf("%d prompts, the newest %.20q", len(first), first[0])
	}
	// More than half of the file is still remembered: it stays as it is.
	if info, err := os.Stat(path); err != nil || info.Size() != int64(file.Len()) {
		t.Errorf("the file has %d bytes, had %d: %v", info.Size(), file.Len(), err)
	}

	file.Reset()
	for i := range 5000 {
		if err := encodeLine(&file, fmt.Sprintf("%d %s", i, pad[:300])); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	before := OpenHistory(path).Search("")
	info, err := os.Stat(path)
	if err != nil || info.Size() > int64(file.Len())/4 {
		t.Errorf("a file of %d bytes, mostly old, has %d: %v", file.Len(), info.Size(), err)
	}
	if diff := cmp.Diff(before, OpenHistory(path).Search("")); diff != "" || len(before) != mostRemembered {
		t.Errorf("%d prompts; tidied: %s", len(before), diff)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestHistoryThatCannotBeWritten(t *testing.T) {
	h := OpenHistory(filepath.Join(t.TempDir(), "x"))
	if err := os.Mkdir(h.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.Add("kept"); err == nil || !strings.Contains(err.Error(), h.path) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"kept"}, h.Search("")); diff != "" {
		t.Error(diff)
	}
}

// TestHistoryModel compares with a list: any prompts, opened anew at any time.
func TestHistoryModel(t *testing.T) {
	dir := t.TempDir()
	text := anyText()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		h := OpenHistory(path)
		var model []string
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				h = OpenHistory(path)
			case 1:
				h.Search("x") // reads it
			default:
				s := text.Draw(t, "text")
				if rapid.Bool().Draw(t, "again") && len(model) > 0 {
					s = rapid.SampledFrom(model).Draw(t, "which")
				}
				if err := h.Add(s); err != nil {
					t.Fatal(err)
				}
				s = strings.ToValidUTF8(s, "\uFFFD")
				if strings.TrimSpace(s) != "" {
					model = slices.DeleteFunc(model, func(m string) bool { return m == s })
					model = append(model, s)
				}
			}
		}
		got := h.Search("")
		slices.Reverse(got)
		if diff := cmp.Diff(model, got); diff != "" && len(model)+len(got) > 0 {
			t.Fatal(diff)
		}
		var b Buffer
		for range model {
			h.Up(&b)
		}
		for h.Down(&b) {
		}
		if !b.Empty() {
			t.Fatalf("Up and Down again left %q", at(&b))
		}
	})
}

func FuzzHistoryFile(f *testing.F) {
	f.Add([]byte("{\"text\":\"a\"}\n{\"text\":\"b\\nc\"}\n"))
	f.Add([]byte("{\"text\":\"a\n\x00{}{}\n[]\nnull\n"))
	path := filepath.Join(f.TempDir(), "prompts.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := OpenHistory(path)
		before := h.Search("")
		if err := h.Add("new"); err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(before, func(s string) bool { return s == "new" })
		want = slices.Insert(want, 0, "new")
		if diff := cmp.Diff(want, OpenHistory(path).Search("")); diff != "" {
			t.Fatal(diff)
		}
	})
}
