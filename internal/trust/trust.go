package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/wholefile"
)

// Item is one thing that a repository brings.
type Item struct {
	Kind string `json:"kind"` // such as "hook", "MCP server", "allow rule"
	Name string `json:"name"` // what tells it from others of its kind
	Text string `json:"text"` // all of it, as it would take effect
	From string `json:"from"` // the file that it stands in, relative to the root
}

// line is the item as a person reads it.
func (i Item) line() string {
	text := i.Kind + " " + i.Name
	if i.Text != "" && i.Text != i.Name {
		text += ": " + i.Text
	}
	return text + " (" + i.From + ")"
}

// State is what is known of a directory.
type State string

// The states of a directory.
const (
	Trusted State = "trusted" // for all that it brings, or it brings nothing
	Unknown State = "unknown" // it was never trusted
	Changed State = "changed" // it was trusted for something else
	Refused State = "refused" // the person does not want to be asked again about what it brings
)

// Entry is a directory that is trusted.
type Entry struct {
	Dir   string    `json:"-"`
	Hash  string    `json:"hash"` // of the items
	When  time.Time `json:"when"`
	Items []Item    `json:"items"`

	Refused bool `json:"refused,omitempty"` // it is not trusted, and that is not to be asked about
}

// Store is the directories that a person trusts, in a file that only they can
// read.
type Store struct {
	Path string
	Now  func() time.Time
}

type file struct {
	Version     int              `json:"version"`
	Directories map[string]Entry `json:"directories"`
}

// Hash is one for these items, in whatever order they come.
func Hash(items []Item) string {
	sum := sha256.New()
	for _, i := range sorted(items) {
		for _, part := range []string{i.Kind, i.Name, i.Text, i.From} {
			fmt.Fprintf(sum, "%d:%s", len(part), part) // a hash takes all
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func sorted(items []Item) []Item {
	return slices.SortedFunc(slices.Values(items), func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.From, b.From), cmp.Compare(a.Text, b.Text))
	})
}

// real is a directory as it is kept: absolute, its links resolved, so that
// another link does not get what was given to this one.
func real(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return filepath.Clean(dir)
}

// read gives what is kept. A file that cannot be read trusts nothing.
func (s Store) read() (file, error) {
	f := file{Version: 1, Directories: map[string]Entry{}}
	data, err := os.ReadFile(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	var kept file
	if err := json.Unmarshal(data, &kept); err != nil {
		return f, fmt.Errorf("%s cannot be read, so no directory is trusted: %w", s.Path, err)
	}
	if kept.Version != 1 {
		return f, fmt.Errorf("%s was written by a later version, so no directory is trusted", s.Path)
	}
	if kept.Directories == nil {
		kept.Directories = f.Directories
	}
	return kept, nil
}

// Check says whether a directory is trusted for what it brings, and what the
// person should read before saying so: all of it, or what has changed. The
// error says why what is kept could not be read; nothing is trusted then.
func (s Store) Check(dir string, items []Item) (state State, diff string, err error) {
	if len(items) == 0 {
		return Trusted, "", nil
	}
	kept, err := s.read()
	entry, known := kept.Directories[real(dir)]
	same := known && entry.Hash == Hash(items) && entry.Hash == Hash(entry.Items)
	switch {
	case same && entry.Refused:
		return Refused, changes(nil, items), err
	case same:
		return Trusted, "", err
	case !known || entry.Refused:
		return Unknown, changes(nil, items), err
	}
	return Changed, changes(entry.Items, items), err
}

// changes is what comes and goes, a line each. What is in both is told by its
// number only.
func changes(old, items []Item) string {
	before, after := map[Item]bool{}, map[Item]bool{}
	for _, i := range old {
		before[i] = true
	}
	for _, i := range items {
		after[i] = true
	}
	var lines []string
	same := 0
	for _, i := range sorted(append(slices.Clone(old), items...)) {
		sign := ""
		switch {
		case !before[i]:
			sign = "+ "
		case !after[i]:
			sign = "- "
		default:
			same++
			continue
		}
		for n, line := range strings.Split(i.line(), "\n") {
			if n > 0 {
				line = "  " + line
			}
			lines = append(lines, sign+line)
		}
	}
	if same > 0 {
		lines = append(lines, fmt.Sprintf("  (%d as before)", same/2))
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// Add trusts a directory for these items.
func (s Store) Add(dir string, items []Item) error { return s.put(dir, items, false) }

// Refuse keeps that the person does not trust a directory for these items, and
// does not want to be asked about them again.
func (s Store) Refuse(dir string, items []Item) error { return s.put(dir, items, true) }

func (s Store) put(dir string, items []Item, refused bool) error {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return s.change(func(f *file) {
		f.Directories[real(dir)] = Entry{Hash: Hash(items), When: now().UTC(), Items: sorted(items), Refused: refused}
	})
}

// Revoke takes trust back, and says whether there was any.
func (s Store) Revoke(dir string) (had bool, err error) {
	err = s.change(func(f *file) {
		for _, key := range []string{real(dir), filepath.Clean(dir)} { // what is gone has no links to resolve
			if _, ok := f.Directories[key]; ok {
				had = true
				delete(f.Directories, key)
			}
		}
	})
	return had, err
}

// List is the directories that are trusted, by their paths.
func (s Store) List() ([]Entry, error) {
	f, err := s.read()
	out := make([]Entry, 0, len(f.Directories))
	for _, dir := range slices.Sorted(maps.Keys(f.Directories)) {
		e := f.Directories[dir]
		e.Dir = dir
		out = append(out, e)
	}
	return out, err
}

// change writes the file anew, whole or not at all. A file that cannot be read
// is left as it is.
func (s Store) change(do func(*file)) error {
	f, err := s.read()
	if err != nil {
		return err
	}
	do(&f)
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(s.Path, append(data, '\n'))
}
