package session

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// Fork begins a session with the conversation of another one, which may be
// open elsewhere and is not changed. What it has cost is not counted again.
// The title becomes TITLE_forkN unless o.Opened.Title is set.
func (s *Store) Fork(path string, o Options) (*Log, error) {
	if err := sniff(path); err != nil {
		return nil, err
	}
	if o.Cwd == "" {
		return nil, errors.New("a fork needs a working directory")
	}
	src, err := s.peek(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.out.f.Close() }()
	l, err := s.blank(o)
	if err != nil {
		return nil, err
	}
	first := event.Opened{
		Format: event.Format, Model: src.now.model, Mode: src.now.mode, Title: o.Opened.Title, From: src.id, At: src.x.nodes[src.x.good].id,
	}
	if first.Title == "" {
		if first.Title, err = s.forkTitle(src, o.Cwd); err != nil {
			return nil, err
		}
	}
	if o.Opened.Model != "" {
		first.Model = o.Opened.Model
	}
	if o.Opened.Mode != "" {
		first.Mode = o.Opened.Mode
	}
	if o.Memory {
		return l, l.adopt(src, first)
	}
	if err := src.copyTo(l.out.path, first, l); err != nil {
		return nil, fmt.Errorf("forking session %s: %w", src.id, err)
	}
	forked, _, err := s.Open(l.out.path, o.Cwd)
	return forked, err
}

// peek reads a session without taking it.
func (s *Store) peek(path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := s.log(path, "")
	l.out.f = diskFile{f}
	if _, _, err = readLines(f, sniffed, l.x.line); err == nil {
		err = l.settle()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// forkTitle is TITLE_forkN with the smallest N above all that are there.
func (s *Store) forkTitle(src *Log, cwd string) (string, error) {
	title := src.now.title
	if title == "" {
		info, _ := s.summary(src.out.path)
		title = cutTitle(info.Name())
	}
	if base, n, ok := splitFork(title); ok && n > 0 {
		title = base
	}
	all, err := s.List(cwd)
	if err != nil {
		return "", err
	}
	highest := 0
	for _, i := range all {
		if base, n, ok := splitFork(i.Title); ok && base == title {
			highest = max(highest, n)
		}
	}
	return fmt.Sprintf("%s_fork%d", title, highest+1), nil
}

func cutTitle(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60])
	}
	return s
}

func splitFork(title string) (base string, n int, ok bool) {
	i := strings.LastIndex(title, "_fork")
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(title[i+len("_fork"):])
	return title[:i], n, err == nil
}

// lines calls do with the lines of a fork: the new first one, then the chain
// of the source, each with the new session and the one before it as parent.
func (l *Log) forkLines(first event.Record, do func(line []byte) error) error {
	line, _, err := encode(first, l.store.Redact)
	if err != nil {
		return err
	}
	if err := do(line); err != nil {
		return err
	}
	parent, named := first.ID, false
	for _, i := range l.chain {
		n := &l.x.nodes[i]
		if n.form == opened || n.form == broken {
			continue
		}
		line := make([]byte, n.size)
		if _, err := l.out.f.ReadAt(line, n.off); err != nil {
			return err
		}
		line, err := rewrite(line, parent, first.Session)
		if err != nil {
			continue // it could be read a moment ago; nothing can be made of it now
		}
		if err := do(line); err != nil {
			return err
		}
		if c, ok := l.x.facts[i].(event.Changed); ok && c.Title != "" {
			named = true
		}
		parent = n.id
	}
	if !named {
		return nil
	}
	// What was copied gives another title; the fork's own has the last word.
	title := event.Changed{Title: first.Event.(event.Opened).Title}
	line, _, err = encode(event.Record{Head: event.Head{
		ID: l.store.NewID(), Parent: parent, Turn: l.now.turn, Time: first.Time, Session: first.Session, Cwd: first.Cwd,
	}, Event: title}, l.store.Redact)
	if err != nil {
		return err
	}
	return do(line)
}

func (l *Log) firstOf(o event.Opened, fork *Log) event.Record {
	return event.Record{Head: event.Head{ID: l.store.NewID(), Time: l.store.Now(), Session: fork.id, Cwd: fork.cwd}, Event: o}
}

// copyTo writes the file of a fork. It is there as a whole or not at all.
func (l *Log) copyTo(path string, first event.Opened, fork *Log) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 256<<10)
	err = l.forkLines(l.firstOf(first, fork), func(line []byte) error {
		_, err := b.Write(line)
		return err
	})
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// adopt makes a fork that is kept in memory only.
func (l *Log) adopt(src *Log, first event.Opened) error {
	err := src.forkLines(src.firstOf(first, l), func(line []byte) error {
		line = line[:len(line)-1]
		before := len(l.x.nodes)
		l.x.line(line, -1)
		if len(l.x.nodes) > before {
			l.lines[int32(before)] = line
		}
		return nil
	})
	if err != nil {
		return err
	}
	var report Report
	if err := l.settle(); err != nil {
		return err
	}
	return l.mend(&report)
}
