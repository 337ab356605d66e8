package complete

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/minicode-go/minicode/internal/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// steps is a walk that goes on when it is told to.
type steps struct {
	paths chan string // closed at the end
}

func (s steps) walk(ctx context.Context, _ string, visit func(string, bool) bool) {
	for {
		select {
		case <-ctx.Done():
			return
		case p, ok := <-s.paths:
			if !ok || !visit(strings.TrimSuffix(p, "/"), strings.HasSuffix(p, "/")) {
				return
			}
		}
	}
}

func wait(f *Files) {
	f.mu.Lock()
	done := f.done
	f.mu.Unlock()
	<-done
}

func TestFilesOfWorkspace(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		".git/HEAD": "x", ".gitignore": "node_modules/\n*.log\n", "node_modules/a/index.js": "x", "debug.log": "x",
		"internal/compose/buffer.go": "x", "internal/compose/history.go": "x", "main.go": "x", "docs/你好.md": "x",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := NewFiles(root, builtin.Walk)
	defer f.Close()
	if got := f.Find("", 10); got != nil || f.State() != (State{}) {
		t.Errorf("found %v before a walk", got)
	}
	f.Refresh(t.Context())
	wait(f)
	for _, c := range []struct {
		query string
		n     int
		want  []string
	}{
		{"", 3, []string{".gitignore", "docs/", "internal/"}},
		{"buf", 9, []string{"internal/compose/buffer.go"}},
		{"./compose", 2, []string{"internal/compose/", "internal/compose/buffer.go"}},
		{"好", 9, []string{"docs/你好.md"}},
		{"index", 9, nil},
		{".log", 9, nil},
		{"head", 9, nil},
		{"go", 0, nil},
	} {
		if diff := cmp.Diff(c.want, texts(f.Find(c.query, c.n))); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
	if got := f.State(); got != (State{Known: 8}) {
		t.Errorf("%+v", got)
	}

	// A new file is found after a refresh.
	if err := os.WriteFile(filepath.Join(root, "buffet"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.Refresh(t.Context())
	wait(f)
	if diff := cmp.Diff([]string{"buffet", "internal/compose/buffer.go"}, texts(f.Find("buff", 9))); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAnswerAtOnce(t *testing.T) {
	s := steps{make(chan string)}
	f := NewFiles("", s.walk)
	defer f.Close()
	f.Refresh(t.Context())
	f.Refresh(t.Context()) // one is under way
	for i := range firstAnnounce {
		s.paths <- fmt.Sprintf("file%d", i)
	}
	<-f.Updated()
	if got := f.State(); got.Known < firstAnnounce || !got.Walking {
		t.Errorf("%+v", got)
	}
	if got := texts(f.Find("file7", 1)); len(got) != 1 || got[0] != "file7" {
		t.Errorf("found %v", got)
	}
	close(s.paths)
	wait(f)
	<-f.Updated()
	if got := f.State(); got.Walking {
		t.Errorf("%+v", got)
	}
}

func TestFilesKeepWhatIsKnownUntilAllIsNew(t *testing.T) {
	s := &steps{make(chan string, 2)}
	f := NewFiles("", func(ctx context.Context, root string, visit func(string, bool) bool) { s.walk(ctx, root, visit) })
	s.paths <- "old"
	close(s.paths)
	f.Refresh(t.Context())
	wait(f)

	s.paths = make(chan string)
	f.Refresh(t.Context())
	s.paths <- "new"
	s.paths <- "newer" // the first was visited
	if diff := cmp.Diff([]string{"old"}, texts(f.Find("", 9))); diff != "" {
		t.Error(diff)
	}
	f.Close() // the second walk does not end: what is known stays
	if diff := cmp.Diff([]string{"old"}, texts(f.Find("", 9))); diff != "" {
		t.Error(diff)
	}
	f.Refresh(t.Context())
	if f.State().Walking {
		t.Error("walks after Close")
	}
}

func TestFilesEndWithTheirContext(t *testing.T) {
	s := steps{make(chan string)}
	ctx, cancel := context.WithCancel(t.Context())
	f := NewFiles("", s.walk)
	f.Refresh(ctx)
	s.paths <- "one"
	cancel()
	wait(f)
	if got := f.State(); got.Walking || got.Known > 1 {
		t.Errorf("%+v", got)
	}
}

func endless(ctx context.Context, _ string, visit func(string, bool) bool) {
	for i := 0; ctx.Err() == nil; i++ {
		if !visit(fmt.Sprintf("packages/module%d/internal/component%d.ts", i%977, i), false) {
			return
		}
	}
}

func TestFilesAreCapped(t *testing.T) {
	f := NewFiles("", endless)
	defer f.Close()
	f.Refresh(t.Context())
	wait(f)
	if got := f.State(); got != (State{Known: mostFiles, Capped: true}) {
		t.Errorf("%+v", got)
	}
	// The best of so many are those that Match would give.
	var paths []string
	for _, file := range f.known {
		paths = append(paths, file.path)
	}
	if diff := cmp.Diff(Match("mod9comp99", paths)[:20], f.Find("mod9comp99", 20)); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkFind(b *testing.B) {
	f := NewFiles("", endless)
	defer f.Close()
	f.Refresh(b.Context())
	wait(f)
	for _, query := range []string{"", "c", "comp", "mod9comp99", "zebra", "internal/component"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				f.Find(query, 20)
			}
		})
	}
}
