package recall

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/llm"
)

// TestNothingIsToldTwice: what is due is told once, whether it waits still or
// was said, and again when it changed.
func TestNothingIsToldTwice(t *testing.T) {
	r := Reminder{Bare: true, Place: prompt.State{Date: "Monday", Cwd: "/w", Root: "/w", System: "linux", Shell: "bash"}, Edited: true}
	k := Known{Todos: func() json.RawMessage { return json.RawMessage(`{"items":[{"text":"b","status":"pending"}]}`) }}
	told := func(mode permission.Mode) (got []string) {
		for _, text := range r.Due(k, mode) {
			if text != "" {
				got = append(got, text)
			}
		}
		return got
	}
	first := told(permission.Plan)
	if len(first) != 3 || !strings.HasPrefix(first[0], "Date: Monday") || !strings.HasPrefix(first[1], "The todo list:") || first[2] != permission.Plan.Note() {
		t.Fatalf("%q", first)
	}
	k.Waiting = first
	if got := told(permission.Plan); got != nil {
		t.Errorf("while it waits: %q", got)
	}
	k.Waiting, k.Messages = nil, Notes(first...)
	r.Edited = true
	if got := told(permission.Plan); got != nil {
		t.Errorf("when it was said: %q", got)
	}
	r.Place.Date = "Tuesday"
	if got := told(permission.Default); !slices.Equal(got, []string{"Date is now: Tuesday", permission.Default.Note()}) {
		t.Errorf("when it changed: %q", got)
	}
	kept := r.Keep(k)
	if len(kept) != 3 || !strings.HasPrefix(kept[0].Text(), "Date: Tuesday") || kept[1].Text() != permission.Plan.Note() {
		t.Errorf("behind a summary: %q", Told(kept))
	}
}

func TestDirectoriesThatWereReached(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "AGENTS.md"), []byte("Be brief."), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Reminder{Guide: &prompt.Guide{Places: prompt.Places{Root: root, Cwd: root}}}
	r.Guide.Start()
	read := []llm.FileRead{{Path: filepath.Join(sub, "a.go")}}
	stamps := map[string]llm.FileRead{read[0].Path: read[0]}
	text := r.Reached(Known{}, read)
	if !strings.Contains(text, "Be brief.") || r.ReachedAgain(Known{}, stamps) != text {
		t.Fatalf("%q", text)
	}
	if got := r.Reached(Known{Messages: Notes(text)}, read); got != "" {
		t.Errorf("told twice: %q", got)
	}
	none := Known{Todos: func() json.RawMessage { return nil }}
	if got := r.Lost(none, Notes(text), stamps); !slices.Equal(got, []string{text, ""}) {
		t.Errorf("when it was lost: %q", got)
	}
	if got := r.Lost(none, Notes("about something else"), stamps); !slices.Equal(got, []string{""}) {
		t.Errorf("when something else was lost: %q", got)
	}
	r.Bare = true
	if got := r.Reached(Known{}, read); got != "" {
		t.Errorf("where they are not used: %q", got)
	}
}
