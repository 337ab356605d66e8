package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func TestDelete(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	prompt := llm.NewText(llm.User, llm.Prompt, "look")
	img := llm.NewImage("image/png", []byte("png"))
	prompt.Parts = append(prompt.Parts, img)
	add(t, l, event.Message{Message: prompt})
	add(t, l, event.Ended{Reason: event.Done})
	child := create(t, s, Options{Opened: event.Opened{From: l.ID()}})
	turn(t, child, "task", "c1")
	child.Close()
	if all, _ := s.List(""); len(all) != 1 {
		t.Errorf("a sub-agent's session is listed: %+v", all)
	}
	if err := s.Delete(l.Path()); !errors.Is(err, ErrLocked) {
		t.Errorf("an open session was deleted: %v", err)
	}
	l.Close()

	fork := func(path string) string {
		f, err := s.Fork(path, Options{Cwd: "/work/project"})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		return f.Path()
	}
	first := fork(l.Path())
	second := fork(first)
	remove := func(path string) {
		t.Helper()
		if err := s.Delete(path); err != nil {
			t.Fatal(err)
		}
	}
	remove(l.Path())
	remove(first)
	f, _ := reopen(t, s, second)
	same(t, "image of the fork's fork", img, f.Messages()[0].Parts[1].(llm.Image))
	f.Close()
	remove(second)
	if left, _ := os.ReadDir(filepath.Dir(second)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := s.Delete(second); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("deleted twice: %v", err)
	}
}

// saved is a session with one result that was too large, and the file that
// holds the whole of it.
func saved(t *testing.T, s *Store, id string) (*Log, string) {
	t.Helper()
	l := create(t, s, Options{ID: id})
	say(t, l, llm.User, llm.Prompt, "read it")
	add(t, l, answer("c1"))
	file := filepath.Join(l.Dir(), "results", "c1.txt")
	writeFile(t, file, []byte("the whole"))
	add(t, l, result("c1", "[preview]", llm.Meta{Saved: file, Size: 9}))
	say(t, l, llm.Assistant, llm.Final, "done")
	add(t, l, event.Ended{Reason: event.Done})
	return l, file
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func forkOf(t *testing.T, s *Store, path string) string {
	t.Helper()
	f, err := s.Fork(path, Options{Cwd: "/work/other"})
	if err != nil {
		t.Fatal(err)
	}
	say(t, f, llm.User, llm.Prompt, "on")
	f.Close()
	return f.Path()
}

func TestResultsGoWithTheirSession(t *testing.T) {
	s := newStore(t)
	l, file := saved(t, s, "one")
	l.Close()
	if err := s.Delete(l.Path()); err != nil {
		t.Fatal(err)
	}
	if isThere(file) || isThere(l.Dir()) {
		t.Error("the files of a deleted session are there")
	}
}

func TestResultsStayForForks(t *testing.T) {
	s := newStore(t)
	l, file := saved(t, s, "one")
	first := forkOf(t, s, l.Path()) // while it is open
	l.Close()
	second := forkOf(t, s, first)
	for _, path := range []string{l.Path(), first, second} {
		if !isThere(file) {
			t.Fatalf("the result is gone while %s needs it", path)
		}
		if err := s.Delete(path); err != nil {
			t.Fatal(err)
		}
	}
	if isThere(l.Dir()) {
		t.Error("the files of a deleted session outlive its last fork")
	}
}

// TestResultsAreNotRemovedBefore: whatever else is done to a session, or to
// others, its results stay.
func TestResultsAreNotRemovedBefore(t *testing.T) {
	s := newStore(t)
	l, file := saved(t, s, "one")
	back := l.Head()
	view := l.Messages()
	clear := result("c1", "[cleared]", llm.Meta{}).Message
	steps := []struct {
		name string
		do   func() error
	}{
		{"clearing it", func() error {
			_, err := l.Append(event.Edited{Stage: "clear", Edits: []event.Edit{{From: view[2].ID, To: view[2].ID, With: []llm.Message{clear}}}})
			return err
		}},
		{"a summary", func() error {
			_, err := l.Append(event.Edited{Stage: "summarize", Edits: []event.Edit{{From: view[0].ID, To: view[3].ID, With: []llm.Message{llm.NewText(llm.User, llm.Summary, "s")}}}})
			return err
		}},
		{"going back before it", func() error { return l.Rewind(view[0].ID) }},
		{"going back to it", func() error { return l.Rewind(back.ID) }},
		{"another title", func() error { _, err := l.Append(event.Changed{Title: "x"}); return err }},
		{"an empty queue", func() error { return errors.Join(l.SetQueue([]string{"x"}), l.SetQueue(nil)) }},
		{"deleting it while it is open", func() error {
			if err := s.Delete(l.Path()); !errors.Is(err, ErrLocked) {
				return fmt.Errorf("deleted: %w", err)
			}
			return nil
		}},
		{"closing it", func() error { return l.Close() }},
		{"opening it", func() error {
			again, _, err := s.Open(l.Path(), "/work/project")
			return errors.Join(err, again.Close())
		}},
		{"a crash", func() error {
			return os.WriteFile(l.Path(), append(readFile(t, l.Path()), "{torn"...), 0o600)
		}},
		{"opening it after that", func() error {
			again, _, err := s.Open(l.Path(), "/work/project")
			return errors.Join(err, again.Close())
		}},
		{"deleting its fork", func() error { return s.Delete(forkOf(t, s, l.Path())) }},
		{"deleting another", func() error {
			other, _ := saved(t, s, "other")
			return errors.Join(other.Close(), s.Delete(other.Path()))
		}},
		{"a list", func() error { _, err := s.List(""); return err }},
		{"pruning", func() error { _, err := s.Prune(back.Time); return err }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !isThere(file) {
			t.Fatalf("the result is gone after %s", step.name)
		}
	}
}

// TestSameIDAgain: a session that has the id of a deleted one keeps its files
// when those of the deleted one are no longer needed.
func TestSameIDAgain(t *testing.T) {
	s := newStore(t)
	l, _ := saved(t, s, "one")
	l.Close()
	fork := forkOf(t, s, l.Path())
	if err := s.Delete(l.Path()); err != nil {
		t.Fatal(err)
	}
	l, file := saved(t, s, "one")
	l.Close()
	if err := s.Delete(fork); err != nil {
		t.Fatal(err)
	}
	if !isThere(file) {
		t.Error("the files of the new session went with those of the old one")
	}
}

// TestUnknownForks: where a session cannot be looked at, it may be a fork, and
// nothing is removed.
func TestUnknownForks(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	s := newStore(t)
	l, file := saved(t, s, "one")
	l.Close()
	fork := forkOf(t, s, l.Path())
	if err := os.Chmod(fork, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(l.Path()); err == nil || !isThere(file) {
		t.Errorf("%v; the result is there: %v", err, isThere(file))
	}
}

// TestSubAgentsGoWithTheirParent: as deep as they go, but not while one is
// open or was forked.
func TestSubAgentsGoWithTheirParent(t *testing.T) {
	s := newStore(t)
	l, _ := saved(t, s, "parent")
	spawn := func(id, from string) *Log {
		c := create(t, s, Options{ID: id, Opened: event.Opened{From: from}})
		turn(t, c, "task", "c1")
		writeFile(t, filepath.Join(c.Dir(), "results", "c1.txt"), []byte("x"))
		return c
	}
	child := spawn("child", "parent")
	grand := spawn("grandchild", "child")
	spawn("itself", "itself").Close()
	fork := forkOf(t, s, grand.Path())
	grand.Close()
	l.Close()
	if err := s.Delete(l.Path()); err != nil {
		t.Fatal(err)
	}
	if !isThere(child.Path()) || !isThere(l.Dir()) {
		t.Error("a sub-agent that is at work lost its session")
	}
	child.Close()
	other, _ := saved(t, s, "other")
	other.Close()
	if err := s.Delete(other.Path()); err != nil {
		t.Fatal(err)
	}
	if isThere(child.Path()) || isThere(child.Dir()) || isThere(l.Dir()) || isThere(grand.Path()) {
		t.Error("sub-agents' sessions outlive their parent's")
	}
	if !isThere(filepath.Join(grand.Dir(), "results", "c1.txt")) {
		t.Error("what the fork of a sub-agent's session needs is gone")
	}
	if err := s.Delete(fork); err != nil {
		t.Fatal(err)
	}
	if isThere(grand.Dir()) {
		t.Error("what a fork needed outlives it")
	}
}

func TestPrune(t *testing.T) {
	s := newStore(t)
	made := map[string]*Log{}
	begin := func(id string) {
		made[id], _ = saved(t, s, id)
		made[id].Close()
	}
	fork := func(id, from string) {
		f, err := s.Fork(made[from].Path(), Options{ID: id, Cwd: "/work/other"})
		if err != nil {
			t.Fatal(err)
		}
		add(t, f, event.Changed{Title: id})
		f.Close()
		made[id] = f
	}
	for _, id := range []string{"old", "source", "forked", "open", "source-of-open", "touched", "lost"} {
		begin(id)
	}
	fork("old-fork", "forked")
	fork("middle", "source")
	fork("open-fork", "source-of-open")
	fork("of-lost", "lost")
	fork("lost-fork", "of-lost")
	child := create(t, s, Options{ID: "child", Opened: event.Opened{From: "old"}})
	turn(t, child, "task", "c1")
	child.Close()
	writeFile(t, filepath.Join(s.Root, "p", "stranger.jsonl"), []byte("no session\n"))
	if err := s.Delete(made["of-lost"].Path()); err != nil {
		t.Fatal(err)
	}
	open, _ := reopen(t, s, made["open"].Path())
	openFork, _ := reopen(t, s, made["open-fork"].Path())
	line := s.Now()

	again, _ := reopen(t, s, made["touched"].Path())
	add(t, again, event.Changed{Title: "renamed"})
	again.Close()
	fork("new", "middle")
	fork("of-lost-fork", "lost-fork")

	if gone, err := s.Prune(time.Time{}); err != nil || len(gone) > 0 {
		t.Errorf("no limit: %v %v", gone, err)
	}
	gone, err := s.Prune(line)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, info := range gone {
		ids = append(ids, info.ID)
	}
	// of-lost was deleted: lost-fork needs lost all the same.
	same(t, "pruned", []string{"old-fork", "forked", "old"}, ids)
	for _, id := range ids {
		if isThere(made[id].Path()) || isThere(made[id].Dir()) {
			t.Errorf("%s is there", id)
		}
		delete(made, id)
	}
	delete(made, "of-lost")
	for id, l := range made {
		if !isThere(l.Path()) {
			t.Errorf("%s is gone", id)
		}
	}
	for _, id := range []string{"source", "lost", "open", "source-of-open", "touched"} {
		if !isThere(filepath.Join(made[id].Dir(), "results", "c1.txt")) {
			t.Errorf("the results of %s are gone", id)
		}
	}
	if isThere(child.Path()) {
		t.Error("the session of a sub-agent outlives its parent's")
	}
	if !isThere(filepath.Join(s.Root, "p", "stranger.jsonl")) {
		t.Error("what is no session is gone")
	}
	open.Close()
	openFork.Close()
	gone, err = s.Prune(line)
	if err != nil || len(gone) != 3 {
		t.Errorf("when they are closed: %v %v", gone, err)
	}
	if gone, err := s.Prune(line); err != nil || gone != nil {
		t.Errorf("a second time: %v %v", gone, err)
	}
	if gone, err := storeAt(filepath.Join(s.Root, "none")).Prune(line); err != nil || gone != nil {
		t.Errorf("without sessions: %v %v", gone, err)
	}
}
