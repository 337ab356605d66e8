package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// filling is a file on a disk that has only so much room left.
type filling struct {
	file
	room  *int
	uncut bool // what was written of a line cannot be cut off
}

func (f filling) Write(b []byte) (int, error) {
	if len(b) <= *f.room {
		*f.room -= len(b)
		return f.file.Write(b)
	}
	n, err := f.file.Write(b[:*f.room])
	*f.room -= n
	if err == nil {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f filling) Truncate(size int64) error {
	if f.uncut {
		return errors.New("cannot be cut")
	}
	return f.file.Truncate(size)
}

// TestRemoved: a file that somebody takes away, or puts another one in the
// place of, is not called saved at the end of the turn.
func TestRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed")
	}
	for _, replaced := range []bool{false, true} {
		s := newStore(t)
		l := create(t, s, Options{})
		var told []string
		l.OnTrouble = func(text string) { told = append(told, text) }
		turn(t, l, "one", "c1")
		if !l.Saved() || told != nil {
			t.Fatalf("not saved: %q", told)
		}
		if err := os.Remove(l.Path()); err != nil {
			t.Fatal(err)
		}
		if replaced {
			writeFile(t, l.Path(), []byte("other\n"))
		}
		turn(t, l, "two", "c2")
		if l.Saved() || len(told) != 1 || !strings.Contains(told[0], "removed or replaced") {
			t.Errorf("saved, although it went nowhere; told %q", told)
		}
		if err := l.Close(); err == nil {
			t.Error("closed without a word")
		}
	}
}

// TestFullDisk fills the disk at every place of a conversation, and frees it
// again: nothing is lost, nothing changes places, and it is said once.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		s := newStore(t)
		r := rand.New(rand.NewPCG(seed, 5))
		room := r.IntN(3000)
		uncut := seed%3 == 0
		s.faulty = func(f file) file { return filling{file: f, room: &room, uncut: uncut} }
		l := create(t, s, Options{})
		var told []string
		l.OnTrouble = func(text string) { told = append(told, text); l.Saved() }
		k := &talker{Rand: r, t: t, l: l, folds: true}
		k.turn()
		k.turn()
		if l.Saved() {
			continue // it had room enough
		}
		if len(told) != 1 || !strings.Contains(told[0], "no space left") || !strings.Contains(told[0], l.Path()) {
			t.Fatalf("told %q", told)
		}
		before := readFile(t, l.Path())
		if !uncut && len(before) > 0 && before[len(before)-1] != '\n' {
			t.Fatal("a torn line was left")
		}
		k.turn()
		if len(told) != 1 {
			t.Fatalf("told again: %q", told)
		}
		room = 1 << 30
		k.turn()
		if !l.Saved() {
			t.Fatal("still not saved")
		}
		if !bytes.HasPrefix(readFile(t, l.Path()), before) {
			t.Fatal("what was there was changed")
		}
		live := facetsOf(t, l)
		same(t, "view", naive(live.Records), live.View)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		again, report := reopen(t, s, l.Path())
		if report.Crashed || report.ClosedCalls > 0 || report.Skipped > 0 && !uncut {
			t.Errorf("report %+v", report)
		}
		same(t, "reopened", live, facetsOf(t, again))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestFullDiskToTheEnd: a session that could never be saved is no obstacle
// later.
func TestFullDiskToTheEnd(t *testing.T) {
	for _, full := range []int{0, 10, 700} {
		s := newStore(t)
		room := full
		s.faulty = func(f file) file { return filling{file: f, room: &room} }
		l := create(t, s, Options{})
		turn(t, l, "one", "c1")
		if l.Saved() || len(l.Messages()) != 4 {
			t.Errorf("saved %v, %d messages", l.Saved(), len(l.Messages()))
		}
		if err := l.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("closed with %v", err)
		}
		all, err := s.List("/work/project")
		if err != nil || full < 100 && len(all) != 0 {
			t.Errorf("listed %+v %v", all, err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(l.Path())); full < 100 && len(entries) > 0 {
			t.Errorf("left behind: %v", entries)
		}
		if full < 100 {
			continue
		}
		again, _ := reopen(t, s, l.Path())
		if err := check(again.Messages()); err != nil {
			t.Error(err)
		}
	}
}

// TestImagesWaitForRoom: a record is not written before its image is.
func TestImagesWaitForRoom(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	say(t, l, llm.User, llm.Prompt, "x")
	writeFile(t, l.Dir(), []byte("in the way"))
	m := llm.NewText(llm.User, llm.Prompt, "look")
	m.Parts = append(m.Parts, llm.NewImage("image/webp", []byte("webp")))
	add(t, l, event.Message{Message: m})
	if l.Saved() || strings.Contains(string(readFile(t, l.Path())), "look") {
		t.Error("the record is there without its image")
	}
	if err := os.Remove(l.Dir()); err != nil {
		t.Fatal(err)
	}
	add(t, l, event.Ended{Reason: event.Done})
	if !l.Saved() {
		t.Error("not saved")
	}
	live := l.Messages()
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, again.Messages())
}

// TestNowhereToWrite: without a place for sessions one still has a
// conversation.
func TestNowhereToWrite(t *testing.T) {
	root := scratch(t)
	writeFile(t, filepath.Join(root, "projects"), []byte("a file, not a directory"))
	s := storeAt(filepath.Join(root, "projects"))
	l := create(t, s, Options{})
	var told []string
	l.OnTrouble = func(text string) { told = append(told, text) }
	turn(t, l, "one", "c1")
	turn(t, l, "two", "c2")
	if len(told) != 1 || l.Saved() || len(l.Messages()) != 8 {
		t.Errorf("told %q, saved %v, %d messages", told, l.Saved(), len(l.Messages()))
	}
	if err := os.Remove(s.Root); err != nil {
		t.Fatal(err)
	}
	turn(t, l, "three", "c3")
	if !l.Saved() || len(told) != 1 {
		t.Errorf("told %q, saved %v", told, l.Saved())
	}
	live := facetsOf(t, l)
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, facetsOf(t, again))
}

// TestFailingRead: a disk that fails in the middle is an error, not an end.
func TestFailingRead(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	l.Close()
	s.faulty = func(f file) file { return unreadable{f} }
	if _, _, err := s.Open(l.Path(), "/w"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("opened: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(l.Path()), "*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

type unreadable struct{ file }

func (unreadable) ReadAt([]byte, int64) (int, error) {
	return 0, fmt.Errorf("broken disk: %w", io.ErrUnexpectedEOF)
}

// TestNoLocks: on a file system without locks the owner is known by a file,
// and a dead one does not hold the session for ever.
func TestNoLocks(t *testing.T) {
	s := newStore(t)
	s.flock = func(*os.File) error { return errNoLocks }
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	_, _, err := s.Open(l.Path(), "/w")
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.File == "" {
		t.Errorf("second: %v", err)
	}
	l.Close()
	if entries, _ := os.ReadDir(filepath.Dir(l.Path())); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	host, _ := os.Hostname()
	owner := strings.TrimSuffix(l.Path(), ".jsonl") + ".owner"
	for content, free := range map[string]bool{
		fmt.Sprintf("%d %s\n", 1<<22+12345, host):  true, // no process has such a number
		fmt.Sprintf("%d %s\n", os.Getppid(), host): false,
		"12345 another-machine\n":                  false,
	} {
		writeFile(t, owner, []byte(content))
		again, _, err := s.Open(l.Path(), "/w")
		if free != (err == nil) {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil {
			again.Close()
		} else if !strings.Contains(err.Error(), owner) {
			t.Errorf("the way out is not named: %v", err)
		}
	}
}

// TestOpenWithoutRights: a session that cannot be written to can be gone on
// in, and is saved when that works again.
func TestOpenWithoutRights(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	say(t, l, llm.User, llm.Prompt, "two")
	l.Close()
	inTheWay := strings.TrimSuffix(l.Path(), ".jsonl") + ".lock"
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	before := readFile(t, l.Path())
	again, report := reopen(t, s, l.Path())
	again.OnTrouble = func(text string) { t.Errorf("told twice: %s", text) }
	if report.Unsaved == "" || !report.Crashed || again.Saved() || !strings.Contains(report.String(), "cannot be saved") {
		t.Errorf("report %q, saved %v", report, again.Saved())
	}
	turn(t, again, "three", "c2")
	same(t, "file", before, readFile(t, l.Path()))
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	turn(t, again, "four", "c3")
	if !again.Saved() {
		t.Error("still not saved")
	}
	live := facetsOf(t, again)
	again.Close()
	last, _ := reopen(t, s, l.Path())
	same(t, "reopened", live, facetsOf(t, last))

	// Somebody else wrote to it meanwhile: their records are not touched.
	last.Close()
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	mine, _ := reopen(t, s, l.Path())
	os.Remove(inTheWay)
	theirs, _ := reopen(t, s, l.Path())
	turn(t, theirs, "theirs", "c4")
	theirs.Close()
	before = readFile(t, l.Path())
	turn(t, mine, "mine", "c4")
	if mine.Saved() {
		t.Error("two wrote to one session")
	}
	same(t, "file", before, readFile(t, l.Path()))
}
