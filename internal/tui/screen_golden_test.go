//go:build linux || darwin

package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

const tour = `
think "Let me look at the code first.\nThen I change it."
say I look at the code first.
call read_file {"path":"sum.go"}
call grep_files {"pattern":"Sum"}
call read_file {"path":"gone.go"}

say "I found it. 漢字 and a family 👨‍👩‍👧, e\u0301 and عربي.\n\nNow the edit."
call edit_file {"path":"sum.go","search":"return a - b","replace":"return a + b"}

call run_command {"command":"rm -f x\u202e; echo done"}

say "# Done\n\nIt *adds* now, as ` + "`Sum`" + ` says:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n` + "```go\\nfunc Sum(a, b int) int { return a + b }\\n```" + `"
`

const sumGo = "package sum\n\nfunc Sum(a, b int) int {\n\treturn a - b\n}\n"

// TestTour looks at the stations of a conversation in three sizes.
func TestTour(t *testing.T) {
	for _, size := range []struct{ cols, rows int }{{80, 24}, {120, 40}, {40, 15}} {
		name := fmt.Sprintf("%dx%d", size.cols, size.rows)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tour)
			w.write("sum.go", sumGo)
			s := w.start(size.cols, size.rows)
			s.WaitText(`(?m)^❯`)
			s.WaitText(`default · claude`)
			s.Golden(name+"-start", w.same)
			s.Type("/co")
			s.WaitText(`❯ /co\b(?s:.*)/compact`)
			s.Golden(name+"-commands", w.same)
			s.Press("ctrl+u")
			s.Type("mend it")
			s.Press("enter")
			s.WaitText(`\[y\]`)
			s.WaitFor(answerable)
			s.Golden(name+"-edit", w.same)
			s.Press("y")
			s.WaitText(`Run rm`)
			s.WaitFor(answerable)
			s.Golden(name+"-command", w.same)
			s.Press("n")
			s.WaitText(`(?s)1 │ 2.*return a \+ b`)
			rest(s)
			live := settledPart(t, s)
			sameSettled(t, name+"-end", w.same(live))
			s.Press("ctrl+d")
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.CheckRestored()
			s.CheckNoErase()

			again := w.start(size.cols, size.rows, "-c")
			again.WaitText(`(?s)1 │ 2.*return a \+ b`)
			if replayed := settledPart(t, again); replayed != live {
				t.Errorf("live and replayed differ:\n%s\n---\n%s", live, replayed)
			}
			again.Press("ctrl+d")
			again.Exit()
		})
	}
}

// sameSettled compares the settled part with its golden file. Where on the screen
// it ends depends on how large the live region ever was, which the machine's
// pace decides.
func sameSettled(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("the settled part is not as in %s (-file +screen):\n%s", path, diff)
	}
}

// rest waits until nothing runs and nothing changes.
func rest(s *screentest.Screen) {
	s.WaitIdle(150*time.Millisecond, func(s *screentest.Screen) bool { return !strings.Contains(s.Text(), "Esc interrupts") })
}

// States that do not last are looked at while the server says nothing.
func TestStates(t *testing.T) {
	for name, c := range map[string]struct{ script, until string }{
		"thinking": {`think "Let me see what can be done about this.\nFirst the code.\nThen the tests."
hang
`, `Then the tests`},
		"streaming": {`think Let me see.
say "Paragraph one is whole.\n\n- an item\n- **another** that is"
hang
`, `another that is`},
		"retrying": {`fail 529 retry-after-ms=9000
`, `trying again in`},
		"parallel": {`call read_file {"path":"a"}
call run_command {"command":"echo one; echo two; sleep 60"}
`, `(?m)^  two`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.script)
			o := fullAccess(w.options(80, 24, "begin"))
			if name == "streaming" {
				o.Background = screentest.Light
			}
			s := screentest.Start(t, o)
			s.WaitText(c.until)
			s.Golden("state-"+name, w.same, moving)
			s.Press("esc")
			s.WaitText(`interrupted`)
			s.Press("ctrl+d")
			s.Exit()
			s.CheckRestored()
		})
	}
}

// moving replaces what moves by itself: the spinner, and seconds.
func moving(text string) string {
	text = regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`).ReplaceAllString(text, "⠋")
	text = regexp.MustCompile(`(writing|thinking|model|60)  \d+s`).ReplaceAllString(text, "$1")
	return regexp.MustCompile(`again in \d+s`).ReplaceAllString(text, "again in 1s")
}

// answerable says whether the open dialog takes answers: its keys have their
// colour.
func answerable(s *screentest.Screen) bool {
	x, y, ok := s.Find("[y]")
	return ok && strings.Contains(s.StyleAt(x, y), "75")
}

// settledPart is the finished lines, each with its styles, from the first
// prompt to the live region.
func settledPart(t *testing.T, s *screentest.Screen) string {
	t.Helper()
	all := s.StyledAll()
	numbered := regexp.MustCompile(`^ *(-?\d+)\|(.*)$`)
	text, styles, found := strings.Cut(all, "\nstyles\n")
	if !found {
		t.Fatalf("no styles in\n%s", all)
	}
	style := map[string]string{}
	for line := range strings.Lines(styles) {
		if m := numbered.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			style[m[1]] = m[2]
		}
	}
	var out []string
	last := 0
	for line := range strings.Lines(text) {
		m := numbered.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || len(out) == 0 && !strings.HasPrefix(m[2], "❯ mend it") {
			continue
		}
		if strings.HasPrefix(m[2], "────") {
			last = len(out)
		}
		out = append(out, m[2]+"\n\t"+style[m[1]])
	}
	if last == 0 {
		t.Fatalf("no prompt in\n%s", all)
	}
	return strings.Join(out[:last], "\n")
}
