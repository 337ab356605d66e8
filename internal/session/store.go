package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
)

// ErrNotSession is wrapped by the error for a file that holds no session that
// this program can read. Such a file is not touched.
var ErrNotSession = errors.New("not a session")

// Store is all sessions of a person. Root, Now and NewID are required.
type Store struct {
	Root   string                   // <state>/projects
	Now    func() time.Time         //
	NewID  func() string            // UUIDv7
	Redact func(text []byte) []byte // replaces the values of keys; sees decoded text, must not change what it is given; may be nil

	flock  func(*os.File) error // nil: the system's; for tests
	faulty func(file) file      // nil: the file as it is; for tests
	read   func(bytes int)      // told what lists read; for tests
}

func (s *Store) wrap(f file) file {
	if s.faulty != nil {
		return s.faulty(f)
	}
	return f
}

// Redactor takes the values of keys out of texts.
func Redactor(values []string) func(text []byte) []byte {
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "[redacted]")
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text []byte) []byte { return []byte(replacer.Replace(string(text))) }
}

// Options says what session to begin.
type Options struct {
	Cwd    string       // absolute
	ID     string       // "" makes a new one
	Opened event.Opened // its first fact
	Memory bool         // nothing on disk
}

// ProjectOf is the directory that sessions of a working directory belong to:
// the real path of the git work tree around it, else its own.
func ProjectOf(cwd string) string {
	if abs, err := filepath.Abs(cwd); err == nil {
		cwd = abs
	}
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	for dir := cwd; ; {
		if isWorkTree(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return cwd
		}
		dir = up
	}
}

func isWorkTree(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	if info.IsDir() {
		_, err := os.Stat(filepath.Join(git, "HEAD"))
		return err == nil
	}
	return info.Mode().IsRegular() // of a linked work tree or a submodule
}

// ProjectDir is where the sessions of a working directory are.
func (s *Store) ProjectDir(cwd string) string {
	root := ProjectOf(cwd)
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, filepath.Base(root))
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(s.Root, name[:min(len(name), 40)]+"-"+hex.EncodeToString(sum[:])[:12])
}

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// Create begins a session. Its file is made when something is first said.
func (s *Store) Create(o Options) (*Log, error) {
	l, err := s.blank(o)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(l.out.path); err == nil && !o.Memory {
		return nil, fmt.Errorf("there is a session %s already; go on in it with --resume %s", l.id, l.id)
	}
	_, err = l.Append(o.Opened)
	return l, err
}

// blank is a log with nothing in it.
func (s *Store) blank(o Options) (*Log, error) {
	id := o.ID
	if id == "" {
		id = s.NewID()
	}
	if !plainName(id) {
		return nil, fmt.Errorf("%q cannot be the id of a session: use letters, digits, dots, underscores and hyphens", id)
	}
	l := s.log(filepath.Join(s.ProjectDir(o.Cwd), id+".jsonl"), o.Cwd)
	l.memory, l.held, l.out.fresh = o.Memory, true, true
	return l, nil
}

func (s *Store) log(path, cwd string) *Log {
	l := &Log{
		store: s, id: idOf(path), cwd: cwd, x: newIndex(), lines: map[int32][]byte{}, pictures: map[string][]byte{},
		out: &writer{store: s, path: path},
	}
	l.last = event.Head{Session: l.id, Cwd: cwd}
	l.refold()
	return l
}

// Report is what was found and mended when a session was opened.
type Report struct {
	Skipped     int            // lines that cannot be read
	ClosedCalls int            // calls that got a result
	Crashed     bool           // the last turn had no end
	Stated      []event.Record // the facts that mended it
	Unsaved     string         // why the session cannot be written to; "" when it can
}

// String is the one line that a person is shown, "" when there is nothing to
// say.
func (r Report) String() string {
	var parts []string
	if r.Crashed {
		parts = append(parts, "the last turn had been cut off")
	}
	if r.ClosedCalls > 0 {
		parts = append(parts, plural(r.ClosedCalls, "call")+" had no result")
	}
	if r.Skipped > 0 {
		parts = append(parts, plural(r.Skipped, "line")+" could not be read and "+map[bool]string{true: "was", false: "were"}[r.Skipped == 1]+" skipped")
	}
	text := ""
	if len(parts) > 0 {
		text = "Session repaired: " + strings.Join(parts, ", ") + "."
	}
	if r.Unsaved != "" {
		text = strings.TrimSpace(text + " This session cannot be saved: " + r.Unsaved + ". What is said now is kept in memory only.")
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Open goes on in a session. It takes the lock, reads the file once, mends
// what a crash left open, and is ready for Append. Errors wrap ErrLocked when
// somebody else has the session open and ErrNotSession when the file is none.
// Where the session cannot be written to, it is opened all the same and
// Report.Unsaved says why.
func (s *Store) Open(path, cwd string) (*Log, Report, error) {
	var report Report
	if err := sniff(path); err != nil {
		return nil, report, err
	}
	l := s.log(path, cwd)
	info, err := os.Stat(path)
	if err != nil {
		return nil, report, err
	}
	l.out.size = info.Size()
	for tries := 0; ; tries++ {
		err = l.out.prepare()
		if !errors.Is(err, errChanged) || tries == 3 {
			break
		}
		if info, statErr := os.Stat(path); statErr == nil {
			l.out.size = info.Size()
		}
	}
	if errors.Is(err, ErrLocked) {
		return nil, report, err
	}
	if err != nil {
		f, openErr := os.Open(path)
		if openErr != nil {
			return nil, report, openErr
		}
		l.out.f, l.out.fault, l.told, report.Unsaved = diskFile{f}, err, true, err.Error()
	}
	if err := l.take(&report); err != nil {
		_ = l.out.close()
		return nil, report, err
	}
	return l, report, nil
}

// take reads the file and mends the conversation.
func (l *Log) take(report *Report) error {
	r := io.NewSectionReader(l.out.f, 0, l.out.size)
	_, torn, err := readLines(r, l.out.size, l.x.line)
	if err != nil {
		return fmt.Errorf("reading %s: %w", l.out.path, err)
	}
	l.out.newline = torn
	if err := l.settle(); err != nil {
		return err
	}
	l.queue = readQueue(filepath.Join(l.Dir(), "queue"))
	err = l.mend(report)
	l.noteTitle()
	return err
}

// mend closes the calls and the turn that a crash left open.
func (l *Log) mend(report *Report) error {
	var err error
	report.Skipped = l.x.skipped
	report.Stated, err = l.closeCalls()
	report.ClosedCalls = len(report.Stated)
	if err != nil || !l.now.open {
		return err
	}
	report.Crashed = true
	ended, err := l.append(event.Ended{Reason: event.Crashed, Usage: l.x.spent.turn})
	report.Stated = append(report.Stated, ended)
	return err
}

// settle finds the newest record that is whole, and folds the chain up to it.
func (l *Log) settle() error {
	for l.x.good >= 0 {
		r, err := l.decode(l.x.good)
		if err == nil {
			l.last = r.Head
			break
		}
		if errors.Is(err, errUnread) {
			return err
		}
		l.x.spoil(l.x.good)
	}
	if l.x.good < 0 {
		return fmt.Errorf("%s holds no record that can be read: %w", l.out.path, ErrNotSession)
	}
	l.chain = l.x.chain(l.x.good)
	l.refold()
	l.last.Session, l.last.Cwd = l.id, l.cwd
	return nil
}

// sniffed is how much of a file must hold a record for it to be a session.
const sniffed = 1 << 20

// sniff looks whether a file is a session, before anything is made beside it.
func sniff(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("there is no session %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: %w", path, ErrNotSession)
	}
	if info.Size() == 0 {
		return fmt.Errorf("%s is empty: %w", path, ErrNotSession)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), sniffed))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	for line := range bytes.Lines(head[:n]) {
		e, err := readEntry(bytes.TrimRight(line, "\r\n"))
		if err != nil && e.id == "" {
			continue
		}
		if o, ok := e.fact.(event.Opened); ok && (o.Format < 1 || o.Format > event.Format) {
			return fmt.Errorf("%s has format %d; this program reads up to %d, a newer one may read it: %w", path, o.Format, event.Format, ErrNotSession)
		}
		return nil
	}
	return fmt.Errorf("%s holds no record that can be read: %w", path, ErrNotSession)
}
