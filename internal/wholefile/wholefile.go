// Package wholefile writes small files of ours that only the person may read:
// whole, or not at all, whatever happens in between.
//
//	err := wholefile.Write(path, data)
//
// It does not keep what others wrote meanwhile; who must uses locks.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write puts data in the place of the file, which need not be there, nor its
// directory. The file is private (0600), and so is a directory that it makes.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // one left over does no harm
	}
	return err
}
