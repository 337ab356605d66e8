package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// ErrNotFound is wrapped by the error for a session that is not there.
var ErrNotFound = errors.New("no such session")

// Info is what a list tells of a session.
type Info struct {
	ID          string    `json:"id"`
	Path        string    `json:"path"`
	Title       string    `json:"title"`
	Cwd         string    `json:"cwd"`
	Model       string    `json:"model"`
	FirstPrompt string    `json:"first_prompt"` // its beginning, on one line
	Modified    time.Time `json:"modified"`     // of the newest record
	Size        int64     `json:"size"`         // bytes
	Turns       int       `json:"turns"`
	From        string    `json:"from,omitempty"` // session it was forked or spawned from
	Spawned     bool      `json:"-"`              // it is a sub-agent's: lists leave it out
}

// String is the session as a row of a list.
func (i Info) String() string {
	name := []rune(strings.Join(strings.Fields(i.Name()), " "))
	if len(name) > 80 {
		name = append(name[:79], '…')
	}
	return i.ID + "  " + i.Modified.Local().Format("2006-01-02 15:04") + "  " + string(name)
}

// Name is what a person knows the session by: title, else first prompt, else
// id.
func (i Info) Name() string {
	for _, s := range []string{i.Title, i.FirstPrompt} {
		if s != "" {
			return s
		}
	}
	return i.ID
}

// List is the sessions of a working directory's project, or of all projects
// when cwd is "", newest first. Of each file only the beginning and the end
// are read. What is no session is left out.
func (s *Store) List(cwd string) ([]Info, error) {
	paths, err := s.paths(cwd)
	if err != nil {
		return nil, err
	}
	out := make([]Info, 0, len(paths))
	for _, path := range paths {
		if info, ok := s.summary(path); ok && !info.Spawned {
			out = append(out, info)
		}
	}
	sortNewest(out)
	return out, nil
}

func sortNewest(all []Info) {
	slices.SortFunc(all, func(a, b Info) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
}

// paths is the session files of a project or of all. Of all, those that cannot
// be looked at are left out.
func (s *Store) paths(cwd string) ([]string, error) {
	if cwd != "" {
		return sessionFiles(s.ProjectDir(cwd))
	}
	dirs, err := s.projectDirs()
	var out []string
	for _, dir := range dirs {
		some, _ := sessionFiles(dir)
		out = append(out, some...)
	}
	return out, err
}

func (s *Store) projectDirs() (dirs []string, err error) {
	entries, err := os.ReadDir(s.Root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			dirs = append(dirs, filepath.Join(s.Root, e.Name()))
		}
	}
	return dirs, nil
}

func sessionFiles(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".jsonl") && e.Type().IsRegular() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// Latest is the session that --continue means: the newest with the same
// working directory, else the newest of the project.
func (s *Store) Latest(cwd string) (Info, bool, error) {
	all, err := s.List(cwd)
	if err != nil || len(all) == 0 {
		return Info{}, false, err
	}
	for _, i := range all {
		if i.Cwd == cwd {
			return i, true, nil
		}
	}
	return all[0], true, nil
}

// Find is the session that a person means: by id, by the beginning of an id
// (at least 4 characters), by title, or by the path of its file. The project
// of cwd is looked at first, then all others. An error wraps ErrNotFound or
// names what it may be.
func (s *Store) Find(cwd, ref string) (Info, error) {
	if strings.HasSuffix(ref, ".jsonl") || strings.ContainsRune(ref, filepath.Separator) {
		if _, err := os.Stat(ref); err == nil {
			info, _ := s.summary(ref)
			info.Path, info.ID = ref, idOf(ref)
			return info, nil
		}
	}
	for _, where := range []string{cwd, ""} {
		if where == "" && cwd == "" && ref == "" {
			break
		}
		info, err := s.findIn(where, ref)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return info, err
		}
	}
	return Info{}, fmt.Errorf("%w: none has the id or the title %q; `minicode sessions list` names them all", ErrNotFound, ref)
}

func (s *Store) findIn(cwd, ref string) (Info, error) {
	paths, err := s.paths(cwd)
	if err != nil {
		return Info{}, err
	}
	var begin []string
	for _, path := range paths {
		switch id := idOf(path); {
		case id == ref:
			return s.named(path), nil
		case len(ref) >= 4 && strings.HasPrefix(id, ref):
			begin = append(begin, path)
		}
	}
	if len(begin) == 0 {
		if begin, err = s.titled(cwd, ref); err != nil {
			return Info{}, err
		}
	}
	switch len(begin) {
	case 0:
		return Info{}, ErrNotFound
	case 1:
		return s.named(begin[0]), nil
	}
	var names []string
	for _, path := range begin[:min(len(begin), 5)] {
		names = append(names, fmt.Sprintf("%s (%s)", idOf(path), s.named(path).Name()))
	}
	return Info{}, fmt.Errorf("%q may be %d sessions: %s. Give more of the id", ref, len(begin), strings.Join(names, ", "))
}

func (s *Store) named(path string) Info {
	info, _ := s.summary(path)
	info.Path, info.ID = path, idOf(path)
	return info
}

// titled is the sessions of that title: as it is spelled, else in any case.
func (s *Store) titled(cwd, title string) ([]string, error) {
	all, err := s.List(cwd)
	if err != nil || title == "" {
		return nil, err
	}
	var same, alike []string
	for _, i := range all {
		switch {
		case i.Title == title:
			same = append(same, i.Path)
		case strings.EqualFold(i.Title, title):
			alike = append(alike, i.Path)
		}
	}
	if len(same) == 0 {
		same = alike
	}
	return same, nil
}

// How much of a file a list reads: so much at each end, and more only if
// what it looks for is not in it.
const (
	endSize = 8 << 10
	headMax = 64 << 10
	tailMax = 1 << 20
)

// summary reads a session's beginning and end.
func (s *Store) summary(path string) (Info, bool) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, false
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return Info{}, false
	}
	info := Info{Path: path, ID: idOf(path), Size: stat.Size(), Modified: stat.ModTime()}
	known := false
	for n := int64(endSize); ; n *= 4 {
		complete := n >= info.Size
		known = info.readHead(s.slice(f, 0, min(n, info.Size)), complete)
		if complete || n >= headMax || info.FirstPrompt != "" {
			break
		}
	}
	for n := int64(endSize); ; n *= 4 {
		from := max(0, info.Size-n)
		found := info.readTail(s.slice(f, from, info.Size-from), from == 0)
		known = known || found
		if found || from == 0 || n >= tailMax {
			break
		}
	}
	if title, err := os.ReadFile(filepath.Join(dirOf(path), "title")); err == nil {
		info.Title = string(title)
	}
	return info, known
}

func (s *Store) slice(f *os.File, off, n int64) []byte {
	b := make([]byte, n)
	got, err := f.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	if s.read != nil {
		s.read(got)
	}
	return b[:got]
}

// readHead takes what the beginning of a file tells, and says whether there
// is a record in it.
func (i *Info) readHead(head []byte, complete bool) (known bool) {
	for line := range bytes.Lines(head) {
		whole := complete || line[len(line)-1] == '\n'
		line, env, ok := usual(line)
		if !ok {
			continue
		}
		known = true
		i.Cwd = env.head().Cwd
		switch string(env.typ) {
		case "opened", "changed":
			r, err := event.Decode(line)
			if err != nil {
				continue
			}
			switch f := r.Event.(type) {
			case event.Opened:
				i.open(f)
			case event.Changed:
				i.change(f)
			}
		case "message":
			if i.FirstPrompt = firstPrompt(line, env.body, whole); i.FirstPrompt != "" {
				return known
			}
		}
	}
	return known
}

// usual is a line with its envelope in the shape that the format gives it,
// which a file that other programs touched may not have.
func usual(line []byte) ([]byte, envelope, bool) {
	if env, ok := scanEnvelope(line); ok {
		return line, env, true
	}
	loose, err := looseEnvelope(line)
	if err != nil {
		return line, envelope{}, false
	}
	if line, err = rewriteLoose(line, loose.Parent, loose.Session); err != nil {
		return line, envelope{}, false
	}
	env, ok := scanEnvelope(line)
	return line, env, ok
}

func (i *Info) open(o event.Opened) {
	i.Title, i.Model, i.From, i.Spawned = o.Title, o.Model, o.From, o.From != "" && o.At == ""
}

// promptSize is how many characters of a prompt a list shows at most.
const promptSize = 200

// firstPrompt is the beginning of a prompt's text, on one line; "" when the
// line is no prompt. The line may be cut.
func firstPrompt(line []byte, body int, whole bool) string {
	sc := scan{line: line, at: body}
	sc.word(`,"role":"`)
	kind := string(sc.word(`,"kind":"`))
	if !sc.failed && kind != string(llm.Prompt) {
		return ""
	}
	text := ""
	if r, err := event.Decode(line); whole && err == nil {
		m, _ := r.MessageOf()
		if m.Kind != llm.Prompt {
			return ""
		}
		text = m.Text()
	} else if sc.failed {
		return ""
	} else {
		const mark = `{"type":"text","text":"`
		from := bytes.Index(line, []byte(mark))
		if from < 0 {
			return ""
		}
		sc := scan{line: line, at: from}
		rest := sc.text(mark)
		if sc.failed {
			rest = line[from+len(mark):]
		}
		rest = rest[:min(len(rest), 8*promptSize)]
		for n := len(rest); n > 0 && n > len(rest)-12; n-- { // an escape or a rune may be cut
			if json.Unmarshal(quoted(rest[:n]), &text) == nil {
				break
			}
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > promptSize {
		text = string(r[:promptSize-1]) + "…"
	}
	if text == "" {
		return "(image)"
	}
	return text
}

// readTail takes what the end of a file tells, and says whether there is a
// whole record in it.
func (i *Info) readTail(tail []byte, complete bool) (known bool) {
	if !complete {
		cut := bytes.IndexByte(tail, '\n')
		if cut < 0 {
			return false
		}
		tail = tail[cut+1:]
	}
	for line := range bytes.Lines(tail) {
		line, env, ok := usual(line)
		if !ok {
			continue
		}
		line = bytes.TrimRight(line, "\r\n")
		if line[len(line)-1] != '}' {
			continue // torn
		}
		known = true
		h := env.head()
		i.Cwd, i.Turns, i.Modified = h.Cwd, h.Turn, h.Time
		switch string(env.typ) {
		case "changed", "message":
			r, err := event.Decode(line)
			if err != nil {
				continue
			}
			switch f := r.Event.(type) {
			case event.Changed:
				i.change(f)
			case event.Message:
				if f.Model != "" {
					i.Model = f.Model
				}
			}
		}
	}
	return known
}

func (i *Info) change(f event.Changed) {
	if f.Title != "" {
		i.Title = f.Title
	}
	if f.Model != "" {
		i.Model = f.Model
	}
}
