package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ErrLocked is wrapped by the error for a session that another process has
// open.
var ErrLocked = errors.New("the session is open elsewhere")

// LockedError says who has a session open.
type LockedError struct {
	Session string
	PID     int    // 0 when it is not known
	Host    string // where file locks do not work: the owner's machine
	File    string // where file locks do not work: the file that stands for the lock
}

func (e *LockedError) Error() string {
	by := "another process"
	if e.PID > 0 {
		by = fmt.Sprintf("process %d", e.PID)
	}
	if e.Host != "" {
		by += " on " + e.Host
	}
	text := fmt.Sprintf("session %s is open in %s. Close it there, or go on in a copy of it with --fork-session.", e.Session, by)
	if e.File != "" {
		text += " If no such process runs any more, remove " + e.File + "."
	}
	return text
}

// Unwrap makes errors.Is(err, ErrLocked) work.
func (e *LockedError) Unwrap() error { return ErrLocked }

// What locking a file may give besides success.
var (
	errHeld    = errors.New("held by another")
	errNoLocks = errors.New("this file system has no locks")
)

// lock is a session owned by this process. The file beside the session holds
// the process id, for the message that others get.
type lock struct {
	f     *os.File // nil: the file's being there is the lock
	path  string
	owner string
}

// orphanPause is how long to wait before looking again for a lock whose owner
// no longer runs.
const orphanPause = 10 * time.Millisecond

// acquire takes the lock of a session's file.
func (s *Store) acquire(session string) (*lock, error) {
	path := strings.TrimSuffix(session, ".jsonl") + ".lock"
	try := s.flock
	if try == nil {
		try = flock
	}
	for range 100 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = try(f)
		if errors.Is(err, errNoLocks) {
			f.Close()
			return s.acquireOwner(session)
		}
		if err != nil {
			pid, _ := readOwner(f)
			f.Close()
			if !errors.Is(err, errHeld) {
				return nil, fmt.Errorf("locking %s: %w", path, err)
			}
			// A process that is killed while it starts a child leaves the
			// lock to it, until the child's own program begins.
			if pid > 0 && !alive(pid) {
				time.Sleep(orphanPause)
				continue
			}
			return nil, &LockedError{Session: idOf(session), PID: pid}
		}
		// The last owner may have removed the file after it was opened here.
		mine, err := f.Stat()
		named, nameErr := os.Stat(path)
		if err != nil || nameErr != nil || !os.SameFile(mine, named) {
			f.Close()
			continue
		}
		if f.Truncate(0) == nil {
			_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0) // for the message only
		}
		return &lock{f: f, path: path}, nil
	}
	return nil, &LockedError{Session: idOf(session)}
}

// acquireOwner is the lock where file locks do not work: a file that must not
// be there before. It is taken over from a process of this machine that no
// longer runs.
func (s *Store) acquireOwner(session string) (*lock, error) {
	path := strings.TrimSuffix(session, ".jsonl") + ".owner"
	host, _ := os.Hostname()
	mine := fmt.Sprintf("%d %s\n", os.Getpid(), host)
	_ = os.Remove(strings.TrimSuffix(session, ".jsonl") + ".lock")
	for range 2 {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(mine)
			if closeErr := f.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				_ = os.Remove(path)
				return nil, err
			}
			return &lock{path: path, owner: mine}, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		there, err := os.Open(path)
		if err != nil {
			continue
		}
		pid, at := readOwner(there)
		there.Close()
		if at != host || pid <= 0 || alive(pid) {
			return nil, &LockedError{Session: idOf(session), PID: pid, Host: at, File: path}
		}
		_ = os.Remove(path)
	}
	return nil, &LockedError{Session: idOf(session), File: path}
}

func readOwner(f *os.File) (pid int, host string) {
	b, _ := io.ReadAll(io.LimitReader(io.NewSectionReader(f, 0, 512), 512))
	word, host, _ := strings.Cut(strings.TrimSpace(string(b)), " ")
	pid, _ = strconv.Atoi(word)
	return pid, host
}

// release gives the session free and leaves nothing behind.
func (l *lock) release() {
	if l.f == nil {
		if b, err := os.ReadFile(l.path); err == nil && string(b) == l.owner {
			_ = os.Remove(l.path)
		}
		return
	}
	if runtime.GOOS == "windows" { // open files cannot be removed there: this fails if someone else has it by now
		l.f.Close()
		_ = os.Remove(l.path)
		return
	}
	_ = os.Remove(l.path) // while it is held, so that no one else's is removed
	l.f.Close()
}
