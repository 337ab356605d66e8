package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// largestEdit is the largest file that is edited.
const largestEdit = 256 << 20

// openRegular opens a regular file for reading. Anything else, a pipe or a
// device above all, is named in the error at once and never waited for.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, plainError(err)
	}
	if err := regular(path, info.Mode()); err != nil {
		return nil, nil, err
	}
	f, err := openQuick(path)
	if err != nil {
		return nil, nil, plainError(err)
	}
	info, err = f.Stat() // it may have been replaced meanwhile
	if err == nil {
		err = regular(path, info.Mode())
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// regular is an error unless the mode is a plain file's.
func regular(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a directory: use list_files", path)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a named pipe, not a file", path)
	case mode&fs.ModeSocket != 0:
		return fmt.Errorf("%s is a socket, not a file", path)
	case mode&fs.ModeDevice != 0:
		return fmt.Errorf("%s is a device, not a file", path)
	}
	return fmt.Errorf("%s is not a regular file", path)
}

// plainError is err with the path first and in words.
func plainError(err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist%w", pe.Path, quiet{err})
	}
	return fmt.Errorf("%s: %w", pe.Path, pe.Err)
}

// quiet keeps an error for errors.Is without saying it again.
type quiet struct{ err error }

func (q quiet) Error() string { return "" }
func (q quiet) Unwrap() error { return q.err }

// content is a file's bytes at one moment. A file that is not there has no
// info.
type content struct {
	path string // links resolved
	info fs.FileInfo
	raw  []byte
}

func (c content) exists() bool { return c.info != nil }

func (c content) sum() string { return sum(c.raw) }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// load reads a file that is to be changed. That there is none is no error.
func load(path string) (content, error) {
	f, info, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{path: path}, nil
	}
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	if info.Size() > largestEdit {
		return content{}, fmt.Errorf("%s has %s: files above %s are not edited", path, bytesText(info.Size()), bytesText(largestEdit))
	}
	raw, err := io.ReadAll(io.LimitReader(f, largestEdit+1))
	if err != nil {
		return content{}, plainError(err)
	}
	return content{path, info, raw}, nil
}

// bytesText is a size for people: 640 bytes, 1.5 kB, 3.0 GB.
func bytesText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, units := float64(n), "kMGT"
	i := -1
	for value >= 1000 && i < len(units)-1 {
		value /= 1000
		i++
	}
	return fmt.Sprintf("%.1f %cB", value, units[i])
}

// magic names the kind of a binary file by its first bytes; "" when it is
// not known.
func magic(head []byte) string {
	for _, m := range strings.Split(kinds, "\n") {
		prefix, name, _ := strings.Cut(m, "|")
		if prefix != "" && strings.HasPrefix(string(head), prefix) {
			return name
		}
	}
	return ""
}

// kinds is one kind of file a line: first bytes, name.
const kinds = "%PDF-|PDF document\n\x7fELF|ELF executable\nMZ|Windows executable\nPK\x03\x04|ZIP archive\n\x1f\x8b|gzip data\n" +
	"BZh|bzip2 data\n\xfd7zXZ|xz data\n\x28\xb5\x2f\xfd|zstd data\n\xcf\xfa\xed\xfe|Mach-O executable\nSQLite format 3|SQLite database\n" +
	"\x00asm|WebAssembly module\n\x89PNG|PNG image\n\xff\xd8\xff|JPEG image\nGIF8|GIF image\nBM|bitmap\nOggS|Ogg media\nID3|MP3 audio\n" +
	"\xca\xfe\xba\xbe|Java class or Mach-O file\nRIFF|RIFF media"
