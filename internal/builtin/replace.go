package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile puts data in the place of a file in one step: whoever looks
// sees the old content or the new, and a kill at any moment leaves one of the
// two. old is the file as it was, whose mode and owner stay; nil makes a new
// file. Directly before the step, check may call it off.
func replaceFile(path string, data []byte, old fs.FileInfo, check func() error) (err error) {
	dir := filepath.Dir(path)
	if old == nil {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return plainError(err)
		}
	} else if err := mayReplace(path, old); err != nil {
		return err
	}
	f, err := tempFile(dir)
	if err != nil {
		return fmt.Errorf("cannot write in %s: %w", dir, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return fmt.Errorf("%s was not changed: %w", path, errors.Unwrap(err))
	}
	if old != nil {
		if err := keepOwner(f, old); err != nil {
			return fmt.Errorf("%s was not changed: its owner could not be kept: %w", path, errors.Unwrap(err))
		}
		const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
		if err := f.Chmod(old.Mode() & bits); err != nil {
			return fmt.Errorf("%s was not changed: its mode could not be kept: %w", path, errors.Unwrap(err))
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s was not changed: %w", path, err)
	}
	if err := check(); err != nil {
		return err
	}
	if err := put(f.Name(), path, old == nil); err != nil {
		return fmt.Errorf("%s was not changed: %w", path, err)
	}
	syncDir(dir)
	return nil
}

// mayReplace refuses a file that is marked as not to be written: a rename
// would pass over its mode.
func mayReplace(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is read-only (mode %04o): make it writable first", path, info.Mode().Perm())
	}
	if err := writable(path); err != nil {
		return plainError(err)
	}
	return nil
}

// tempFile makes a file in dir that nobody else has. Its mode is what a new
// file gets there.
func tempFile(dir string) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf(".minicode-%d-%d.tmp", os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || n > 10_000 {
			return f, err
		}
	}
}

// put moves a finished file to its place. A file that must be new does not
// take the place of one that came meanwhile.
func put(from, to string, isNew bool) error {
	if isNew {
		err := os.Link(from, to)
		if err == nil {
			return os.Remove(from)
		}
		if errors.Is(err, fs.ErrExist) {
			return errors.New("a file of that name came to be meanwhile")
		}
		// No links on this file system: look, then rename.
		if _, err := os.Lstat(to); err == nil {
			return errors.New("a file of that name came to be meanwhile")
		}
	}
	return os.Rename(from, to)
}
