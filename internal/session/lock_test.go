package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
)

// TestOrphanedLock: where the owner was killed while it started a child, the
// child has the lock a moment longer. That is waited for.
func TestOrphanedLock(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	l.Close()
	held, err := os.OpenFile(strings.TrimSuffix(l.Path(), ".jsonl")+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	const nobody = "1073741824\n" // no process has that number
	if _, err := held.WriteString(nobody); err != nil {
		t.Fatal(err)
	}
	if err := flock(held); err != nil {
		t.Skipf("no file locks here: %v", err)
	}
	tries := 0
	s.flock = func(f *os.File) error {
		if tries++; tries == 3 {
			held.Close()
		}
		return flock(f)
	}
	began := time.Now()
	again, _ := reopen(t, s, l.Path())
	add(t, again, event.Changed{Title: "mine"})
	if tries < 3 {
		t.Errorf("opened after %d tries while the lock was held", tries)
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("it took %s", d)
	}
}
