package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Delete removes a session and what is beside it. The files beside stay as
// long as a fork needs them. A session that is open is not deleted.
func (s *Store) Delete(path string) error {
	if err := s.remove(path); err != nil {
		return err
	}
	return s.sweepDeleted()
}

// Prune deletes the sessions whose newest record is from before that time, and
// gives those that it deleted, newest first. It leaves alone what a process
// has open and what a fork that stays was made of. An error tells of sessions
// that could not be deleted; all others were.
func (s *Store) Prune(olderThan time.Time) ([]Info, error) {
	all, err := s.everything()
	if err != nil {
		return nil, err
	}
	sortNewest(all)
	var old, rest []Info
	for _, info := range all {
		switch {
		case info.Spawned: // goes with the session that it belongs to
		case !info.Modified.Before(olderThan) || s.isOpen(info.Path):
			rest = append(rest, info)
		default:
			old = append(old, info)
		}
	}
	needed := s.needed(rest)
	var gone []Info
	for _, info := range old {
		if needed[info.ID] {
			continue
		}
		fault := s.remove(info.Path)
		if fault == nil {
			gone = append(gone, info)
		} else if !errors.Is(fault, ErrLocked) {
			err = errors.Join(err, fault)
		}
	}
	if len(gone) == 0 {
		return nil, err
	}
	return gone, errors.Join(err, s.sweepDeleted())
}

// isOpen says whether a process has the session open.
func (s *Store) isOpen(path string) bool {
	lock, err := s.acquire(path)
	if err == nil {
		lock.release()
	}
	return errors.Is(err, ErrLocked)
}

// deletedName is a file that marks what is left of a deleted session. It
// holds the id of the session that the deleted one was forked from.
const deletedName = "deleted"

// remove takes a session's file away and marks what is beside it.
func (s *Store) remove(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("deleting session %s: %w", idOf(path), err)
	}
	lock, err := s.acquire(path)
	if err != nil {
		return err
	}
	defer lock.release()
	origin := s.originOf(idOf(path))
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("deleting session %s: %w", idOf(path), err)
	}
	if err := replace(filepath.Join(dirOf(path), deletedName), []byte(origin)); err != nil {
		return fmt.Errorf("session %s is deleted, but not the files in %s: %w", idOf(path), dirOf(path), err)
	}
	return nil
}

// originOf is the session that one was forked from, "" when from none, be it
// there or deleted.
func (s *Store) originOf(id string) string {
	found, _ := filepath.Glob(filepath.Join(globQuote(s.Root), "*", id+".jsonl"))
	for _, path := range found {
		if info, ok := s.summary(path); ok && !info.Spawned {
			return info.From
		}
	}
	marks, _ := filepath.Glob(filepath.Join(globQuote(s.Root), "*", id+".d", deletedName))
	for _, path := range marks {
		if b, err := os.ReadFile(path); err == nil {
			return string(b)
		}
	}
	return ""
}

// everything is all sessions of all projects, those of sub-agents included. In
// contrast to a list it is an error if one of them cannot be looked at: it may
// need what is to be removed.
func (s *Store) everything() ([]Info, error) {
	dirs, err := s.projectDirs()
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, dir := range dirs {
		paths, err := sessionFiles(dir)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if info, ok := s.summary(path); ok {
				out = append(out, info)
				continue
			}
			f, err := os.Open(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("listing sessions: %w", err)
			}
			f.Close() // it is no session
		}
	}
	return out, nil
}

// needed is the sessions that some sessions come from, by fork and by fork of
// fork.
func (s *Store) needed(by []Info) map[string]bool {
	needed := map[string]bool{}
	for _, info := range by {
		if info.Spawned {
			continue
		}
		for from := info.From; from != "" && plainName(from) && !needed[from]; from = s.originOf(from) {
			needed[from] = true
		}
	}
	return needed
}

// sweepDeleted removes the files of deleted sessions that no fork needs any
// more, and the sub-agents' sessions of those.
func (s *Store) sweepDeleted() error {
	all, err := s.everything()
	if err != nil {
		return fmt.Errorf("the files of deleted sessions are not removed yet: %w", err)
	}
	f := family{store: s, needed: s.needed(all), children: map[string][]string{}}
	for _, info := range all {
		if info.Spawned {
			f.children[info.From] = append(f.children[info.From], info.Path)
		}
	}
	marks, err := filepath.Glob(filepath.Join(globQuote(s.Root), "*", "*.d", deletedName))
	for _, mark := range marks {
		dir := filepath.Dir(mark)
		name := strings.TrimSuffix(dir, ".d")
		if _, statErr := os.Lstat(name + ".jsonl"); !errors.Is(statErr, fs.ErrNotExist) {
			continue // a new session has the id of the deleted one
		}
		err = errors.Join(err, f.clear(filepath.Base(name), dir))
	}
	return err
}

// family is who needs whose files when sessions are removed.
type family struct {
	store    *Store
	needed   map[string]bool
	children map[string][]string // the sub-agents' sessions, by the id of their parent
}

// clear removes the directory of a deleted session, after the sessions of its
// sub-agents, unless somebody needs it. While one of those is open the
// directory, and the mark in it, stays.
func (f *family) clear(id, dir string) error {
	if f.needed[id] {
		return nil
	}
	children := f.children[id]
	delete(f.children, id)
	for _, child := range children {
		if err := f.store.remove(child); errors.Is(err, ErrLocked) {
			return nil
		} else if err != nil {
			return err
		}
		if err := f.clear(idOf(child), dirOf(child)); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}
