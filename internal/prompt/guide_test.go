package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGuide(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"AGENTS.md": "at the root", "a/AGENTS.md": "in a", "a/b/CLAUDE.md": "in b", "a/b/x.go": "", "y.go": ""} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := &Guide{Places: Places{Root: root, Cwd: root}}
	if text := g.Start(); !strings.Contains(text, "at the root") || strings.Contains(text, "in a") {
		t.Errorf("at the start:\n%s", text)
	}
	if text := g.Reached(nil, filepath.Join(root, "y.go")); text != "" {
		t.Errorf("nothing is new beside a file at the root:\n%s", text)
	}
	text := g.Reached(nil, filepath.Join(root, "a", "b", "x.go"))
	if a, b := strings.Index(text, "in a"), strings.Index(text, "in b"); a < 0 || b < a {
		t.Errorf("the closest comes last:\n%s", text)
	}
	if again := g.Reached([]string{text}, filepath.Join(root, "a", "b", "x.go")); again != "" {
		t.Errorf("told twice:\n%s", again)
	}
	if start, nested := g.Again([]string{"of another kind", text}); !strings.Contains(start, "at the root") || nested != text {
		t.Errorf("again:\n%s\nand\n%s", start, nested)
	}
}

// TestGuideResumed takes the notes of an earlier run over, also those of
// directories with odd names.
func TestGuideResumed(t *testing.T) {
	root := t.TempDir()
	odd := filepath.Join(root, "a <b> \n(scope: c)")
	for dir, text := range map[string]string{root: "at the root", filepath.Join(root, "a", "b"): "in b", odd: "in an odd one"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := &Guide{Places: Places{Root: root, Cwd: root}}
	before.Start()
	note := before.Reached(nil, filepath.Join(root, "a", "b", "x.go"), filepath.Join(odd, "x.go"))
	g := &Guide{Places: before.Places}
	g.Start()
	if text := g.Reached([]string{"a note of another kind", note}, filepath.Join(root, "a", "b", "y.go")); text != "" {
		t.Errorf("told twice:\n%s", text)
	}
	if _, nested := g.Again([]string{note}); nested != note {
		t.Errorf("it is told again as\n%s\nand was\n%s", nested, note)
	}
}
