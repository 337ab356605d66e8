package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/minicode-go/minicode/event"
)

// file is what a log needs of its file; tests put one with faults in its
// place.
type file interface {
	Write([]byte) (int, error)
	ReadAt([]byte, int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// diskFile is a file opened for appending. It is cut by its name, because
// some systems do not let a handle that only appends do it.
type diskFile struct{ *os.File }

func (f diskFile) Truncate(size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(f.Name()); err != nil || !os.SameFile(info, named) {
		return fmt.Errorf("%s is another file now", f.Name())
	}
	return os.Truncate(f.Name(), size)
}

// writer appends lines to one session's file, which it owns by the lock.
type writer struct {
	store   *Store
	path    string
	f       file
	lock    *lock
	fresh   bool        // the file is to be made
	ready   bool        // f can be written to
	size    int64       // of what is whole, ours or found
	newline bool        // what is there ends in a torn line
	dirty   bool        // something was written since the last sync
	unnamed bool        // the directory was not synced since the file was made
	own     os.FileInfo // f, when it was opened
	fault   error       // why the last try failed
}

// prepare makes the writer ready: directory, lock, file.
func (w *writer) prepare() error {
	if w.ready {
		return nil
	}
	if w.fresh {
		if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
			return err
		}
	}
	lock, err := w.store.acquire(w.path)
	if err != nil {
		return err
	}
	flags := os.O_RDWR | os.O_APPEND
	if w.fresh {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(w.path, flags, 0o600)
	if err != nil {
		lock.release()
		return err
	}
	info, err := f.Stat()
	if err != nil || info.Size() != w.size {
		f.Close()
		lock.release()
		if err == nil {
			err = errChanged
		}
		return err
	}
	if w.f != nil {
		_ = w.f.Close()
	}
	w.unnamed, w.own = w.fresh, info
	w.f, w.lock, w.ready, w.fresh = w.store.wrap(diskFile{f}), lock, true, false
	return nil
}

// errChanged says that somebody else wrote to the file while it was not ours.
var errChanged = errors.New("the session's file was changed by another program")

// write appends one line in one call and gives its offset. When it fails the
// file is as it was before: what was written of the line is cut off again, or
// will be closed by a newline.
func (w *writer) write(line []byte) (int64, error) {
	if err := w.prepare(); err != nil {
		return 0, err
	}
	at := w.size
	if w.newline {
		line = append([]byte{'\n'}, line...)
		at++
	}
	n, err := w.f.Write(line)
	if err == nil {
		w.size += int64(n)
		w.newline, w.dirty = false, true
		return at, nil
	}
	if n > 0 && w.f.Truncate(w.size) != nil {
		w.size += int64(n)
		w.newline = !w.newline || n > 1
	}
	return 0, err
}

// errRemoved says that what is written goes nowhere.
var errRemoved = errors.New("the session's file was removed or replaced by another program")

// removed says whether the path is another file's by now, or nobody's.
func (w *writer) removed() bool {
	there, err := os.Stat(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && !os.SameFile(there, w.own)
}

// sync brings the file, and its name if it is new, to the disk itself.
func (w *writer) sync() error {
	if !w.dirty {
		return nil
	}
	if err := w.f.Sync(); err != nil {
		return err
	}
	if w.removed() {
		return errRemoved
	}
	w.dirty = false
	if !w.unnamed {
		return nil
	}
	w.unnamed = false
	if d, err := os.Open(filepath.Dir(w.path)); err == nil {
		_ = d.Sync() // not every system can
		d.Close()
	}
	return nil
}

// close gives the file back. A file that nothing could be written to is not
// left behind.
func (w *writer) close() error {
	var err error
	if w.f != nil {
		err = w.f.Close()
	}
	if w.ready && w.size == 0 {
		_ = os.Remove(w.path)
	}
	if w.lock != nil {
		w.lock.release()
	}
	w.f, w.lock, w.ready = nil, nil, false
	return err
}

// work is one thing that is to be written: a picture, or the line of a node.
type work struct {
	picture *picture
	node    int32
}

// begin makes the file of a new session when something is first said in it.
// What the person did before, such as a command of their own, waits for that.
func (l *Log) begin(f event.Fact) error {
	if !l.held || l.memory {
		return nil
	}
	switch f.(type) {
	case event.Opened, event.Changed, event.Decided:
		return nil
	}
	if err := l.out.prepare(); errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("session %s cannot be begun: %w", l.id, err)
	}
	l.held = false
	return nil
}

// flush writes what waits, in order, until something cannot be written.
func (l *Log) flush(over bool) {
	if l.held {
		return
	}
	for len(l.todo) > 0 {
		if l.out.fault = l.do(l.todo[0]); l.out.fault != nil {
			return
		}
		l.todo[0] = work{}
		l.todo = l.todo[1:]
	}
	l.todo = nil
	if over {
		l.out.fault = l.out.sync()
	}
	l.told = l.told && l.out.fault != nil
}

func (l *Log) do(w work) error {
	if w.picture != nil {
		return l.savePicture(w.picture)
	}
	at, err := l.out.write(l.lines[w.node])
	if err != nil {
		return err
	}
	l.x.nodes[w.node].off = at
	delete(l.lines, w.node)
	return nil
}

// Saved is false while there are facts that could not be written.
func (l *Log) Saved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.saved()
}

func (l *Log) saved() bool { return l.memory || l.out.fault == nil && (l.held || len(l.todo) == 0) }

// trouble is what is to be said of a fault, once.
func (l *Log) trouble() string {
	if l.saved() || l.told {
		return ""
	}
	l.told = true
	return fmt.Sprintf("This session cannot be saved: %v. The conversation goes on in memory; what is missing in %s is written as soon as that works again. Free some space or look at the directory.", l.out.fault, l.out.path)
}

// Close writes what still waits and gives the session free for others. Its
// error says that facts are lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.memory {
		return nil
	}
	if l.held {
		return nil
	}
	l.flush(true)
	err := l.out.fault
	if closeErr := l.out.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("session %s is not saved as a whole: %w", l.id, err)
	}
	return nil
}
