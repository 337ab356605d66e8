package session

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func TestAnotherSession(t *testing.T) {
	cwd := t.TempDir()
	store := &Store{Root: t.TempDir(), Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }}
	log, err := store.Create(Options{Cwd: cwd, Opened: event.Opened{Format: event.Format}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(event.Message{Message: llm.NewText(llm.User, llm.Prompt, "hello")}); err != nil {
		t.Fatal(err)
	}
	path := log.Path()
	records, err := store.Last(path, 1)
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	if m, ok := records[0].MessageOf(); !ok || m.Text() != "hello" {
		t.Errorf("the last record is %v", records[0])
	}
	if err := store.Rename(path, "mine"); !errors.Is(err, ErrLocked) {
		t.Errorf("renamed while it is open: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Rename(path, "mine"); err != nil {
		t.Fatal(err)
	}
	if info, err := store.Find(cwd, "mine"); err != nil || info.Path != path || info.Cwd != cwd {
		t.Errorf("found %+v, %v", info, err)
	}
}
