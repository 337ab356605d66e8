//go:build linux || darwin

package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

var pictures = flag.String("pictures", "", "write golden screens and scenes as SVG into this directory, too")

// scene is one thing to look at, in each size.
type scene struct {
	name     string
	script   string            // of the server
	files    map[string]string // in the workspace
	settings string            // the person's own
	env      []string
	before   func(*world) // what else there must be
	prompt   string       // that the program is started with
	reach    func(*world, *screentest.Screen)
	settled  bool   // the turn is over: what is printed must be the same when the conversation is gone on with
	again    bool   // look at the conversation when it is gone on with, not before
	light    bool   // on a light background
	alone    bool   // the picture is made in one theme only
	loose    string // what of it may change, as an expression that matches single characters
}

// atOnce is how many scenes are played at the same time: they wait more than
// they compute.
const atOnce = 6

// TestScenes looks at what a person sees: text, styles and cursor. What has
// come to an end must look the same when the conversation is opened again.
func TestScenes(t *testing.T) {
	t.Parallel()
	var players sync.WaitGroup
	defer players.Wait()
	plays := make(chan func())
	defer close(plays)
	for range atOnce {
		players.Go(func() {
			for play := range plays {
				play()
			}
		})
	}
	for _, c := range slices.Concat(turnScenes(), cardScenes(), dialogScenes(), panelScenes(), personScenes(), textScenes()) {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}} {
			name := fmt.Sprintf("scene-%s-%dx%d", c.name, size[0], size[1])
			background := screentest.Dark
			if c.light {
				background = screentest.Light
			}
			plays <- func() {
				t.Run(name, func(t *testing.T) { c.play(t, name, size[0], size[1], background) })
			}
			if *pictures != "" && !c.alone {
				plays <- func() {
					t.Run(name+"-light", func(t *testing.T) { c.play(t, name+"-light", size[0], size[1], screentest.Light) })
				}
			}
		}
	}
}

// play brings the program to the scene and looks.
func (c *scene) play(t *testing.T, name string, cols, rows int, background screentest.Background) {
	w := serve(t, c.script)
	for path, text := range c.files {
		w.write(path, text)
	}
	if c.settings != "" {
		w.settings(c.settings)
	}
	if c.before != nil {
		c.before(w)
	}
	var args []string
	if c.prompt != "" {
		args = []string{c.prompt}
	}
	o := w.options(cols, rows, args...)
	o.Background = background
	if background == screentest.Light {
		o.Env = append(o.Env, "THEME=light") // the terminal may be slow to say so
	}
	o.Env = append(append(o.Env, "CLOCK=stopped"), c.env...)
	s := screentest.Start(t, o)
	s.WaitText(`(?m)^❯|\[y\]`)
	if c.reach != nil {
		c.reach(w, s)
	}
	live := ""
	if c.settled {
		rest(s)
		live = w.still(s.Shot().All().From(`^❯ `, `^──+$`)).String()
	}
	if c.again {
		s.Press("ctrl+d")
		s.Exit()
		o.Command = []string{os.Args[0], "-c"}
		s = screentest.Start(t, o)
		s.WaitText(`(?m)^❯`)
		measured(s)
		rest(s)
	}
	shot := s.Shot().Settled()
	shot.Picture(name)
	if background == screentest.Light && !c.light {
		return // it is but to be looked at
	}
	shot = w.still(shot)
	if c.loose != "" {
		shot = shot.Replace(c.loose, "0")
	}
	shot.Golden(name)
	if !c.settled || c.again {
		return
	}
	s.Press("ctrl+d")
	s.Exit()
	o.Command = []string{os.Args[0], "-c"}
	again := screentest.Start(t, o)
	again.WaitText(`(?m)^❯`)
	rest(again)
	replayed := w.still(again.Shot().All().From(`^❯ `, `^──+$`)).String()
	if diff := cmp.Diff(live, replayed); diff != "" {
		t.Errorf("what was printed is not what is printed when the conversation is gone on with (-live +replayed):\n%s", diff)
	}
}

// still replaces what moves by itself, and what differs from run to run.
func (w *world) still(h *screentest.Shot) *screentest.Shot {
	return h.Replace(w.root, "/tmp/tui000000").Replace(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`, "⠋").Replace(`\$0\.\d{4}`, "$0.0123").
		Replace(`ctx \d+%`, "ctx 2%").Replace(`\[ctx\] \d+%`, "[ctx] 2%")
}

// settings writes the person's settings.
func (w *world) settings(text string) {
	w.t.Helper()
	dir := filepath.Join(w.root, ".config", "minicode")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// shows waits for text.
func shows(pattern string) func(*world, *screentest.Screen) {
	return func(_ *world, s *screentest.Screen) { s.WaitText(pattern) }
}

// over waits until the turn is over.
func over(w *world, s *screentest.Screen) { turnsOver(w, s, 1) }

// turnsOver waits until so many turns are over, and all of them is on the screen.
func turnsOver(w *world, s *screentest.Screen, turns int) {
	s.WaitFor(func(*screentest.Screen) bool {
		n := 0
		files, _ := filepath.Glob(filepath.Join(w.root, ".local/state/minicode/projects/*/0*.jsonl"))
		for _, file := range files {
			facts, _ := os.ReadFile(file)
			n += strings.Count(string(facts), `"type":"ended"`)
		}
		return n >= turns
	})
	measured(s)
	rest(s)
}

// measured waits until the status line shows what was used.
func measured(s *screentest.Screen) {
	s.WaitText(`ctx`)
	if cols, _ := s.Size(); cols >= 80 {
		s.WaitText(`\$0\.`)
	}
}

// says types a line and sends it.
func says(s *screentest.Screen, text string) {
	s.Type(text)
	s.Press("enter")
}

// opens waits for a dialog that takes answers.
func opens(_ *world, s *screentest.Screen) {
	s.WaitText(`\[y\]`)
	s.WaitFor(answerable)
}

// project is a workspace to talk about.
func project() map[string]string {
	return map[string]string{"split.go": splitGo, "split_test.go": splitTest, "go.mod": "module example.com/tab\n\ngo 1.21\n", "README.md": "# tab\n\nSplits a bill.\n"}
}

const splitGo = `// Package tab splits a bill among friends.
package tab

// Split divides cents among people. Every share is within one cent of every
// other, and together they are exactly cents.
func Split(cents, people int) []int {
	shares := make([]int, people)
	for i := range shares {
		shares[i] = cents / people
	}
	return shares
}
`

const splitTest = `package tab

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		cents, people int
		want          []int
	}{
		{900, 3, []int{300, 300, 300}},
		{1000, 3, []int{334, 333, 333}},
	} {
		if got := Split(c.cents, c.people); !slices.Equal(got, c.want) {
			t.Errorf("Split(%d, %d) = %v, want %v", c.cents, c.people, got, c.want)
		}
	}
}
`
