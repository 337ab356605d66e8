package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/tool"
)

// writing is a way to write texts into files.
type writing struct {
	name      string
	bom       string
	enc       encoding
	lineEnds  string
	alphabets []string
}

func writings() []writing {
	plain := []string{"a", "b", "x y", "", "\tif a {", "}", "é€", "<&>"}
	return []writing{
		{"utf-8", "", encoding{}, "\n", append(plain, "漢字", "👩\u200d💻", "\u2028", "a\r", "e\u0301")},
		{"utf-8, CRLF", "", encoding{}, "\r\n", plain},
		{"utf-8 with a mark", "\xEF\xBB\xBF", encoding{}, "\n", plain},
		{"utf-16", "\xFF\xFE", encoding{name: utf16LE}, "\r\n", append(plain, "漢字", "👩")},
		{"windows-1252", "", encoding{name: windows1252}, "\n", plain},
	}
}

func (w writing) text(t *rapid.T, label string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom(w.alphabets), 0, 30).Draw(t, label)
	text := strings.Join(lines, w.lineEnds)
	if len(lines) > 0 && rapid.Bool().Draw(t, label+" ends") {
		text += w.lineEnds
	}
	return text
}

// file writes the text into f, and says whether it is read as that text.
func (w writing) file(s *fileSpace, text string) bool {
	body, err := w.enc.encode(text)
	if err != nil {
		s.t.Fatal(err)
	}
	s.file("f", w.bom+string(body))
	doc, err := readDocument([]byte(s.content("f")))
	return err == nil && doc.text == text && doc.enc.bom == w.bom && (doc.enc.name == w.enc.name || isASCII(text))
}

// proposing is a call of the tool that changes old, and what it makes of it; none
// where nothing would change.
func proposing(t *rapid.T, s *fileSpace, w writing, name, old string) (tool.Action, bool) {
	fresh := w.text(t, "fresh")
	in := args{"path": "f"}
	switch name {
	case "write_file":
		in["content"] = fresh
		if _, err := os.Stat(s.path("f")); err == nil {
			s.must("read_file", args{"path": "f"})
		}
	case "edit_file":
		in["search"], in["replace"] = old, fresh
	case "patch_file":
		in["replacements"] = []replacement{{Search: old, Replace: old + fresh + "!"}, {Search: "!", Replace: "?"}}
	}
	a, err := s.prepare(name, in)
	return a, err == nil && a.Proposal != nil
}

// TestInstead: whatever a person makes of a proposal is what the file holds in
// the end, with the file's encoding and mark.
func TestInstead(t *testing.T) {
	s := newFileSpace(t)
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom(writings()).Draw(t, "writing")
		name := rapid.SampledFrom([]string{"write_file", "edit_file", "patch_file"}).Draw(t, "tool")
		old := w.text(t, "old")
		_ = os.Remove(s.path("f"))
		if exists := rapid.IntRange(0, 9).Draw(t, "exists") > 0; !exists {
			old, w = "", writings()[0]
		} else if !w.file(s, old) {
			t.Skip("these bytes are read as something else")
		}
		action, ok := proposing(t, s, w, name, old)
		if !ok {
			t.Skip("nothing to propose")
		}
		if action.Proposal.Old != old {
			t.Fatalf("the text is %q, not %q", action.Proposal.Old, old)
		}
		want := wanted(t, w, old, action.Proposal.New)
		raw, err := action.Instead(want)
		if (err != nil) != (want == old && (old != "" || name != "write_file" || s.has("f"))) {
			t.Fatalf("%s of %q to %q: %s %v", name, old, want, raw, err)
		}
		if err != nil {
			return
		}
		if n := strings.Count(old, "\n"); name == "write_file" && n > 0 && n == strings.Count(old, "\r\n") && !strings.Contains(want, "\r") {
			want = strings.ReplaceAll(want, "\n", "\r\n") // it keeps line ends
		}
		changed, err := s.tool(name).Prepare(context.Background(), raw)
		if err != nil {
			t.Fatalf("%q by %s: %v", old, raw, err)
		}
		if changed.Proposal.New != want || len(changed.Effects) != 1 || changed.Effects[0] != action.Effects[0] {
			t.Fatalf("%q by %s becomes %q with %v, want %q", old, raw, changed.Proposal.New, changed.Effects, want)
		}
		if _, err := s.run(changed); err != nil {
			t.Fatal(err)
		}
		if isASCII(old) && w.bom == "" {
			w.enc = encoding{} // nothing said what else it is
		}
		body, _ := w.enc.encode(want)
		if got := s.content("f"); got != w.bom+string(body) {
			t.Fatalf("%q by %s is %q, want %q", old, raw, got, want)
		}
	})
}

func (s *fileSpace) has(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

// wanted is what the person wants in place of the proposal.
func wanted(t *rapid.T, w writing, old, proposed string) string {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return ""
	case 1:
		return old
	case 2:
		return w.text(t, "content")
	case 3:
		return proposed + w.text(t, "more")
	}
	lines := strings.SplitAfter(old, "\n")
	for i := range lines {
		switch rapid.IntRange(0, 3).Draw(t, "what of the line") {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] = "b" + lines[i]
		}
	}
	return strings.Join(lines, "")
}

// TestInsteadOfLineEnds: the tools that change parts keep line ends as they are
// given, the one that writes the whole keeps the file's.
func TestInsteadOfLineEnds(t *testing.T) {
	for name, c := range map[string]struct{ given, after string }{
		"edit_file":  {"one\ntwo\r\nthree\n", "one\ntwo\r\nthree\n"},
		"patch_file": {"one\nTWO\n3\n", "one\nTWO\n3\n"},
		"write_file": {"one\nTWO\n3\n", "one\r\nTWO\r\n3\r\n"},
	} {
		s := newFileSpace(t)
		s.file("f", "one\r\ntwo\r\n")
		s.must("read_file", args{"path": "f"})
		action, err := s.prepare(name, args{
			"path": "f", "content": "x\n", "search": "one", "replace": "1", "replacements": []replacement{{Search: "one", Replace: "1"}},
		}.of(name))
		if err != nil {
			t.Fatal(err)
		}
		s.instead(action, name, c.given)
		s.wantContent("f", c.after)
	}
}

// of is those of the arguments that the tool takes.
func (a args) of(name string) args {
	switch name {
	case "write_file":
		return args{"path": a["path"], "content": a["content"]}
	case "edit_file":
		return args{"path": a["path"], "search": a["search"], "replace": a["replace"]}
	}
	return args{"path": a["path"], "replacements": a["replacements"]}
}

// instead runs the action with another text, and gives its arguments.
func (s *fileSpace) instead(action tool.Action, name, text string) json.RawMessage {
	s.t.Helper()
	raw, err := action.Instead(text)
	if err != nil {
		s.t.Fatal(err)
	}
	changed, err := s.tool(name).Prepare(context.Background(), raw)
	if err != nil {
		s.t.Fatalf("%.300s: %v", raw, err)
	}
	if _, err := s.run(changed); err != nil {
		s.t.Fatal(err)
	}
	return raw
}

// TestInsteadLarge: a large file of equal lines is changed at three places, and
// patch_file says no more than that.
func TestInsteadLarge(t *testing.T) {
	old := strings.Repeat("the same line\n", 75_000)
	middle := strings.Repeat("the same line\n", 20_000)
	want := "first\n" + middle + "second\n" + middle + strings.Repeat("the same line\n", 30_000) + "third\n"
	for name, most := range map[string]int{"write_file": 2 << 20, "edit_file": 3 << 20, "patch_file": 3 << 20} {
		s := newFileSpace(t)
		s.file("f", old)
		s.must("read_file", args{"path": "f"})
		action, err := s.prepare(name, args{
			"path": "f", "content": "x\n", "search": old, "replace": "x", "replacements": []replacement{{Search: old, Replace: "x"}},
		}.of(name))
		if err != nil {
			t.Fatal(err)
		}
		if raw := s.instead(action, name, want); len(raw) > most {
			t.Errorf("%s: %d bytes of arguments", name, len(raw))
		}
		s.wantContent("f", want)
	}
	s := newFileSpace(t)
	var numbered, changed strings.Builder
	for i := range 40_000 {
		line := fmt.Sprintf("line %d\nthe same line\n", i)
		numbered.WriteString(line)
		if i%10_000 == 77 {
			line = "changed " + line
		}
		changed.WriteString(line)
	}
	s.file("f", numbered.String())
	action, err := s.prepare("patch_file", args{"path": "f", "replacements": []replacement{{Search: numbered.String(), Replace: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	raw := s.instead(action, "patch_file", changed.String())
	s.wantContent("f", changed.String())
	var in patchFileIn
	if err := json.Unmarshal(raw, &in); err != nil || len(in.Replacements) != 4 {
		t.Errorf("%d replacements, %v", len(in.Replacements), err)
	}
}

// TestInsteadRefuses: what cannot be done is said.
func TestInsteadRefuses(t *testing.T) {
	s := newFileSpace(t)
	s.file("latin", "na\xefve\ncaf\xe9\n")
	s.file("stray", "日本語の文章です。\n"+strings.Repeat("文章。\n", 40)+"a \xff b\nc\n")
	for _, c := range []struct{ file, name, text, says string }{
		{"latin", "edit_file", "日本\n", "U+65E5"},
		{"latin", "write_file", "日本\n", "windows-1252"},
		{"stray", "write_file", "a \xff b\n", "bytes that are no characters"},
		{"stray", "edit_file", "\xfe", "bytes that are no characters"},
	} {
		s.must("read_file", args{"path": c.file})
		in := args{"path": c.file, "content": "x", "search": "caf\u00e9", "replace": "x"}
		if c.file == "stray" {
			in["search"] = "c\n"
		}
		action, err := s.prepare(c.name, in.of(c.name))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := action.Instead(c.text)
		if err == nil {
			t.Fatalf("%s: %s", c.file, raw)
		}
		wantAll(t, err.Error(), c.says)
	}
	action, err := s.prepare("patch_file", args{"path": "stray", "replacements": []replacement{{Search: "c\n", Replace: "d\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "new\n" + strings.Replace(action.Proposal.Old, "c\n", "e\n", 1)
	s.instead(action, "patch_file", want) // what is between the places stays, whatever it is
	s.wantContent("stray", want)
}
