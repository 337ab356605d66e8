package builtin

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// fileSpace is a workspace on an empty directory, with a memory of what its
// results said of files.
type fileSpace struct {
	*Workspace
	t     *testing.T
	known map[string]llm.FileRead
}

func newFileSpace(t *testing.T) *fileSpace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &fileSpace{t: t, known: map[string]llm.FileRead{}}
	s.Workspace = &Workspace{Root: dir, Cwd: dir, Home: filepath.Join(dir, "home"), Stamps: func() map[string]llm.FileRead { return maps.Clone(s.known) }}
	return s
}

func (s *fileSpace) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.Cwd, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *fileSpace) content(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Cwd, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *fileSpace) wantContent(name, want string) {
	s.t.Helper()
	if got := s.content(name); got != want {
		s.t.Errorf("%s holds\n%q\nwant\n%q", name, got, want)
	}
}

func (s *fileSpace) tool(name string) tool.Tool {
	s.t.Helper()
	switch name {
	case "read_file":
		return readFile(s.Workspace)
	case "write_file":
		return writeFile(s.Workspace)
	case "edit_file":
		return editFile(s.Workspace)
	case "patch_file":
		return patchFile(s.Workspace)
	case "list_files":
		return listFiles(s.Workspace)
	case "glob_files":
		return globFiles(s.Workspace)
	case "grep_files":
		return grepFiles(s.Workspace)
	}
	s.t.Fatalf("no tool %s", name)
	return nil
}

type args map[string]any

func (s *fileSpace) prepare(name string, in args) (tool.Action, error) {
	s.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.tool(name).Prepare(context.Background(), raw)
}

// use prepares and runs a call, and remembers what it said of files.
func (s *fileSpace) use(name string, in args) (tool.Result, error) {
	s.t.Helper()
	action, err := s.prepare(name, in)
	if err != nil {
		return tool.Result{}, err
	}
	return s.run(action)
}

func (s *fileSpace) run(action tool.Action) (tool.Result, error) {
	s.t.Helper()
	r, err := action.Run(context.Background(), func(event.Signal) {})
	for _, f := range r.Meta.Read {
		s.known[f.Path] = f
	}
	for _, f := range r.Meta.Wrote {
		s.known[f.Path] = llm.FileRead{Path: f.Path, SHA256: f.SHA256, Whole: true}
	}
	return r, err
}

// must is use for a call that has to work; it gives the text of the result.
func (s *fileSpace) must(name string, in args) string {
	s.t.Helper()
	r, err := s.use(name, in)
	if err != nil || r.Error {
		s.t.Fatalf("%s %v: %v %s", name, in, err, r.Parts.Text())
	}
	return r.Parts.Text()
}

// fails is use for a call that has to fail; it gives the error's text.
func (s *fileSpace) fails(name string, in args) string {
	s.t.Helper()
	r, err := s.use(name, in)
	if err == nil {
		s.t.Fatalf("%s %v worked: %s", name, in, r.Parts.Text())
	}
	return err.Error()
}

func wantAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in\n%s", p, text)
		}
	}
}
