//go:build linux || darwin

package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// poem is a file of 60 lines, with other words in some of them.
func poem(lines map[int]string) string {
	var b strings.Builder
	for i := range 60 {
		line := fmt.Sprintf("line %d of the poem", i+1)
		if other, ok := lines[i+1]; ok {
			line = other
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// threePlaces changes the poem in three places.
const threePlaces = `
call patch_file {"path":"poem.txt","replacements":[{"search":"line 5 of","replace":"verse five of"},{"search":"line 30 of","replace":"verse thirty of"},{"search":"line 55 of","replace":"verse fifty-five of"}]}

`

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, "work", name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// TestReview leaves one of three changes out.
func TestReview(t *testing.T) {
	for _, size := range []struct{ cols, rows int }{{80, 24}, {120, 40}, {40, 15}, {20, 7}} {
		name := fmt.Sprintf("review-%dx%d", size.cols, size.rows)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, threePlaces+`
expect-new "Applied with changes by the user:"
expect-new "-line 5 of the poem\n+verse five of the poem"
expect-new "-line 55 of the poem\n+verse fifty-five of the poem"
say Good.
`)
			w.write("poem.txt", poem(nil))
			s := w.start(size.cols, size.rows, "go on")
			s.WaitText(`\[y\]`)
			s.WaitFor(answerable)
			s.Press("tab")
			s.Press("space")
			if size.rows > 7 {
				s.WaitText(`2 of 3 (changes )?chosen`)
				s.WaitText(`▸ change 2 of 3, line 30 · left`)
				s.Golden(name, w.same)
			} else {
				s.WaitIdle(settle, nil)
			}
			s.Paste("y] e")
			s.Press("shift+tab", "[", "]", "]") // to the second one again
			s.Press("space")
			s.Press("space")
			s.WaitIdle(settle, nil)
			s.Press("y")
			s.WaitText(`Good\.`)
			rest(s)
			if got, want := w.read("poem.txt"), poem(map[int]string{5: "verse five of the poem", 55: "verse fifty-five of the poem"}); got != want {
				t.Errorf("the file holds\n%s", got)
			}
			if facts := w.facts(); strings.Contains(facts, "+verse thirty") {
				t.Errorf("what was left out is told as done:\n%s", facts)
			}
			if text := s.Text(); size.rows > 20 && !strings.Contains(text, "+2 −2") {
				t.Errorf("the card shows other work than was done:\n%s", text)
			}
			s.CheckNoErase()
			s.Press("ctrl+d")
			s.Exit()
			s.CheckRestored()
		})
	}
}

// TestReviewWithoutChanges refuses a yes that would do nothing.
func TestReviewWithoutChanges(t *testing.T) {
	w := newWorld(t, threePlaces+`
expect-new "Not allowed: the user said no"
say Good.
`)
	w.write("poem.txt", poem(nil))
	s := w.start(80, 24, "go on")
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
	for range 3 {
		s.Press("space")
		s.Press("tab")
	}
	s.WaitText(`0 of 3 changes chosen`)
	s.Press("y")
	s.WaitText(`All changes are left out`)
	s.Press("a")
	s.WaitText(`All changes are left out`)
	s.Press("down")
	s.WaitGone(`All changes are left out`)
	s.Press("n")
	s.WaitText(`Good\.`)
	if w.read("poem.txt") != poem(nil) {
		t.Error("the file was changed")
	}
	s.Press("ctrl+d")
	s.Exit()
}

// editing is a program as an editor: it does what a file says, when it is told to.
func (w *world) editing(o screentest.Options) screentest.Options {
	w.t.Helper()
	path := filepath.Join(w.root, "editor")
	script := "#!/bin/sh\ncd '" + w.root + "/work'\ntouch editing\necho editing\nwhile [ ! -e go ]; do sleep 0.01; done\nrm go editing\n. ./edit\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		w.t.Fatal(err)
	}
	o.Env = append(o.Env, "EDITOR=false", "VISUAL="+path+" -w", "TMPDIR="+w.root)
	return o
}

// edit has the editor do something to the file "$2".
func (w *world) edit(s *screentest.Screen, commands string) {
	w.t.Helper()
	w.write("edit", commands)
	s.Press("e")
	s.WaitFor(func(*screentest.Screen) bool { return w.has("editing") })
	w.write("go", "")
}

// TestReviewInEditor changes the proposed text.
func TestReviewInEditor(t *testing.T) {
	w := newWorld(t, threePlaces+`
expect-new "Applied with changes by the user:"
expect-new "-line 5 of the poem\n+mine of the poem"
say Good.
`)
	w.write("poem.txt", poem(nil))
	s := screentest.Start(t, w.editing(w.options(80, 24, "go on")))
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
	s.Press("tab")
	s.Press("space")
	s.WaitText(`2 of 3 changes chosen`)

	for _, c := range []struct{ does, says string }{
		{"exit 3", `not taken: exit status 3`},
		{":", `The editor has changed nothing`},
		{`: > "$2"`, `The editor has left nothing`},
	} {
		w.edit(s, c.does)
		s.WaitText(c.says)
		s.WaitText(`2 of 3 changes chosen`)
		s.WaitFor(answerable)
	}
	w.edit(s, `grep -q "verse fifty-five" "$2" && ! grep -q "verse thirty" "$2" && sed -i.bak "s/verse five/mine/; s/line 20 of/twenty of/" "$2"; rm "$2.bak"`)
	s.WaitText(`edited by you · 3 of 3 changes chosen`)
	s.WaitText(`mine of the poem`)
	s.WaitFor(answerable)
	s.Golden("review-edited", w.same)
	s.Press("tab")
	s.Press("space")
	s.WaitText(`edited by you · 2 of 3 changes chosen`)
	w.write("edit", `cp poem.txt "$2"`)
	s.Press("e")
	s.WaitFor(func(*screentest.Screen) bool { return w.has("editing") })
	s.Raw("yyyy") // for the editor, which does not read it
	w.write("go", "")
	s.WaitText(`The file would stay as it is`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitText(`Nothing would change`)
	if w.read("poem.txt") != poem(nil) {
		t.Error("keys for the editor have answered")
	}
	w.edit(s, `sed -i.bak "s/line 5 of/mine of/" "$2"; rm "$2.bak"`)
	s.WaitText(`edited by you`)
	s.WaitGone(`changes chosen`)
	s.WaitFor(answerable)
	s.Press("s")
	s.WaitText(`Good\.`)
	rest(s)
	if got, want := w.read("poem.txt"), poem(map[int]string{5: "mine of the poem"}); got != want {
		t.Errorf("the file holds\n%s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(w.root, "minicode-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.CheckNoErase()
	s.Press("ctrl+u", "ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// TestPromptInEditor writes a prompt in the editor.
func TestPromptInEditor(t *testing.T) {
	w := newWorld(t, "expect-new \"one and two\\nthree\"\nsay Good.\n")
	s := screentest.Start(t, w.editing(w.options(80, 24)))
	s.WaitText(`default · claude`)
	s.Type("one")
	s.WaitText(`❯ one`)
	w.write("edit", `printf '%s and two\nthree\n\n' "$(cat "$2")" > "$2.new" && mv "$2.new" "$2"`)
	s.Press("ctrl+g")
	s.WaitFor(func(*screentest.Screen) bool { return w.has("editing") })
	w.write("go", "")
	s.WaitText(`❯ one and two\n  three`)
	w.write("edit", "exit 2")
	s.Press("ctrl+g")
	s.WaitFor(func(*screentest.Screen) bool { return w.has("editing") })
	w.write("go", "")
	s.WaitText(`! what was written in the editor is not taken: exit status 2`)
	s.WaitText(`❯ one and two\n  three`)
	s.Press("enter")
	s.WaitText(`Good\.`)
	if left, _ := filepath.Glob(filepath.Join(w.root, "minicode-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// TestReviewKeepsStyle: whatever an editor does to line ends, the file keeps its
// own; other questions have no such keys.
func TestReviewKeepsStyle(t *testing.T) {
	w := newWorld(t, `
call edit_file {"path":"dos.txt","search":"two","replace":"2"}

expect-new "Applied with changes by the user:"
call write_file {"path":"dos.txt","content":"one\n2\nTHREE\nfour"}

call run_command {"command":"echo e > made"}

say Good.
`)
	w.write("dos.txt", "one\r\ntwo\r\nthree")
	s := screentest.Start(t, w.editing(w.options(80, 24, "go on")))
	s.WaitText(`Edit dos\.txt(?s:.*)\[y\]`)
	s.WaitFor(answerable)
	w.edit(s, `printf 'one\n2\nTHREE\n' > "$2"`)
	s.WaitText(`edited by you`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitText(`Write dos\.txt(?s:.*)\[y\]`)
	if got := w.read("dos.txt"); got != "one\r\n2\r\nTHREE" {
		t.Errorf("%q", got)
	}
	s.WaitFor(answerable)
	w.edit(s, `printf 'one\n2\nTHREE\n4\n' > "$2"`)
	s.WaitText(`edited by you`)
	s.WaitFor(answerable)
	s.Press("y")
	s.WaitText(`Run echo(?s:.*)\[y\]`)
	if got := w.read("dos.txt"); got != "one\r\n2\r\nTHREE\r\n4" {
		t.Errorf("%q", got)
	}
	s.WaitFor(answerable)
	s.Press("e", "space", "tab", "]")
	s.WaitIdle(settle, nil)
	if !strings.Contains(s.Text(), "[y]") || w.has("editing") || strings.Contains(s.Text(), "[e]") {
		t.Errorf("keys of another question:\n%s", s.Text())
	}
	s.Press("n")
	s.WaitText(`Good\.`)
	s.Press("ctrl+d")
	s.Exit()
}
