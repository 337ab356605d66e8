package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// File is a settings file to write to.
type File struct {
	Path string

	// Within is the directory that the file must really lie in, symbolic
	// links followed; "": anywhere. Give it the project's root for a
	// project's file, so that a repository cannot have the person's answers
	// written elsewhere.
	Within string
}

// Patch sets one key of the settings file at path, which is made if it is not
// there. The keys lead to the setting from the top; value is anything that
// encoding/json takes.
func Patch(path string, keys []string, value any) error { return File{Path: path}.Patch(keys, value) }

// AppendRule adds a permission rule; decision is allow, ask or deny. A rule
// that is there already is not added again.
func AppendRule(path, decision, rule string) error {
	return File{Path: path}.AppendRule(decision, rule)
}

// Patch is [Patch] for this file.
func (f File) Patch(keys []string, value any) error {
	if len(keys) == 0 {
		return errors.New("no key was named to set")
	}
	return f.edit(func(e *editor) error { return e.set(keys, value) })
}

// Remove takes a key out of the file; it is no error when it is not there.
func (f File) Remove(keys []string) error {
	if len(keys) == 0 {
		return errors.New("no key was named to remove")
	}
	return f.edit(func(e *editor) error { return e.remove(keys) })
}

// AppendRule is [AppendRule] for this file.
func (f File) AppendRule(decision, rule string) error {
	if err := checkDecision(decision); err != nil {
		return err
	}
	return f.edit(func(e *editor) error { return e.push([]string{"permissions", decision}, rule) })
}

// RemoveRule takes a permission rule out of the file.
func (f File) RemoveRule(decision, rule string) error {
	if err := checkDecision(decision); err != nil {
		return err
	}
	return f.edit(func(e *editor) error { return e.pull([]string{"permissions", decision}, rule) })
}

func checkDecision(decision string) error {
	if decision != "allow" && decision != "ask" && decision != "deny" {
		return fmt.Errorf("there are allow, ask and deny rules, but no %q rules", decision)
	}
	return nil
}

// edit reads, changes and replaces the file. Other MiniCodes wait for the
// lock; what a program without one wrote meanwhile is seen before the file is
// replaced, and the change is made again on top of it.
func (f File) edit(change func(*editor) error) error {
	path, err := f.target()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot make the directory of the settings: %w", err)
	}
	unlock, err := lock(path+".lock", 5*time.Second)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer unlock()
	for range 20 {
		before, err := current(path)
		if err != nil {
			return err
		}
		e, err := newEditor(path, before)
		if err != nil {
			return err
		}
		if err := change(e); err != nil {
			return err
		}
		after := e.bytes()
		if before != nil && bytes.Equal(before, after) {
			return nil
		}
		done, err := replace(path, before, after)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("cannot write %s: another program keeps changing it; try again", path)
}

// target is the file that a symbolic link at Path leads to, there or not.
func (f File) target() (string, error) {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return "", err
	}
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	if dir, err := realDir(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if f.Within == "" {
		return path, nil
	}
	root, err := filepath.EvalSymlinks(f.Within)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s really lies at %s, outside of %s, so nothing was written; make it an ordinary file", f.Path, path, f.Within)
	}
	return path, nil
}

// realDir resolves the links of as much of dir as is there.
func realDir(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
		return resolved, err
	}
	parent, err := realDir(filepath.Dir(dir))
	return filepath.Join(parent, filepath.Base(dir)), err
}

// current is the content of the file; nil when there is none.
func current(path string) ([]byte, error) {
	content, _, err := readFile(path, false)
	return content, err
}

// replace puts content in place of the file in one step, unless it does not
// hold before any more. The file's mode is kept; a new one is private.
func replace(path string, before, content []byte) (done bool, err error) {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return false, fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if !done {
			tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(content)
	for _, step := range []func() error{func() error { return tmp.Chmod(mode) }, tmp.Sync, tmp.Close} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return false, fmt.Errorf("cannot write %s: %w", path, err)
	}
	now, err := current(path)
	if err != nil {
		return false, err
	}
	if (now == nil) != (before == nil) || !bytes.Equal(now, before) {
		return false, nil
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return false, fmt.Errorf("cannot write %s: %w", path, err)
	}
	syncDir(filepath.Dir(path))
	return true, nil
}

// syncDir makes the renaming last, where a directory can be synced.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// lock takes the lock file at path and waits for it at most so long. Where the
// file system knows no locks, or the directory may not be written, there is
// none: replacing is one step all the same.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		f, err := openLock(path)
		if err != nil {
			return func() {}, nil //nolint:nilerr // the write itself will say what is wrong
		}
		held, err := tryLock(f)
		switch {
		case err != nil:
			f.Close()
			_ = os.Remove(path)
			return func() {}, nil //nolint:nilerr // no locks here
		case held && same(f, path):
			return func() {
				_ = os.Remove(path) // while it is held, so that nobody takes a file that is gone
				f.Close()
			}, nil
		}
		f.Close()
		select {
		case <-tick.C:
		case <-timeout.C:
			return nil, fmt.Errorf("another MiniCode has been writing it for %s (%s)", wait, path)
		}
	}
}

// same says that f is still the file at path, and not one that its holder has
// removed.
func same(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(held, there)
}
