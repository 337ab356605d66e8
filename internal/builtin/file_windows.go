package builtin

import (
	"io/fs"
	"os"
)

func openQuick(path string) (*os.File, error) { return os.Open(path) }

func writable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		err = &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}
	return err
}

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func syncDir(string) {}
