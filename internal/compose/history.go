package compose

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
	"unicode"
)

const (
	mostRemembered    = 1000     // prompts
	longestRemembered = 64 << 10 // bytes of a prompt that goes into the file
	mostRead          = 8 << 20  // bytes, from the end of the file
	smallestTidied    = 1 << 20  // bytes of a file that is made smaller when more than half of it is old
)

// History is the prompts that were sent before, each once, at most 1,000. The
// file has one JSON object per line, {"text":"…"}, oldest first; lines that
// cannot be read are skipped. Several processes may add to it at once. What
// was added by others is seen when the file is read, which happens once, when
// first needed.
type History struct {
	path    string // "" keeps nothing
	entries []string
	loaded  bool

	// What Up and Down go through.
	walking bool
	draft   Draft  // what was typed before Up
	prefix  string // its text
	at      int    // the entry in the buffer
	shown   string // the buffer's text then
}

// remembered is a line of the file.
type remembered struct {
	Text string `json:"text"`
}

// OpenHistory is the history in a file, which need not exist, or, for "", one
// that is not kept. Nothing is read yet.
func OpenHistory(path string) *History { return &History{path: path} }

// Add puts a prompt in as the newest. Blank ones are left out; one over 64 kB
// is remembered until the program ends, but not written. The error says that
// it could not be written; it is remembered all the same.
func (h *History) Add(text string) error {
	h.walking = false
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	n := len(h.entries)
	again := n > 0 && h.entries[n-1] == text
	h.entries = newest(append(h.entries, text))
	if h.path == "" || again || len(text) > longestRemembered {
		return nil
	}
	if err := h.append(text); err != nil {
		return fmt.Errorf("the prompt could not be added to the history in %s, check that it can be written: %w", h.path, err)
	}
	return nil
}

// append writes a line in a single write at the end of the file, so that
// lines of several processes do not mix.
func (h *History) append(text string) error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line.WriteByte('\n') // an earlier line was cut short
		}
	}
	if err := encodeLine(&line, text); err != nil {
		f.Close()
		return err
	}
	_, err = f.Write(line.Bytes())
	return errors.Join(err, f.Close())
}

func encodeLine(to io.Writer, text string) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(remembered{text})
}

// newest is entries without those that come again later, and without the
// oldest where there are too many.
func newest(entries []string) []string {
	seen := make(map[string]bool, len(entries))
	kept := make([]string, 0, min(len(entries), mostRemembered))
	for _, e := range slices.Backward(entries) {
		if !seen[e] && len(kept) < mostRemembered {
			seen[e] = true
			kept = append(kept, e)
		}
	}
	slices.Reverse(kept)
	return kept
}

// load reads the file, once. A file that cannot be read is an empty one.
func (h *History) load() {
	if h.loaded {
		return
	}
	h.loaded = true
	if h.path == "" {
		return
	}
	data, size, err := readEnd(h.path)
	if err != nil {
		return
	}
	var entries []string
	for line := range bytes.Lines(data) {
		var r remembered
		if json.Unmarshal(line, &r) == nil && strings.TrimSpace(r.Text) != "" {
			entries = append(entries, r.Text)
		}
	}
	stored := newest(entries)
	h.entries = newest(append(stored, h.entries...))
	h.tidy(stored, size)
}

// readEnd is whole lines from the end of a file, and the file's size.
func readEnd(path string) (data []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fs.ErrInvalid
	}
	size = info.Size()
	skipped := max(0, size-mostRead)
	data, err = io.ReadAll(io.NewSectionReader(f, skipped, size-skipped))
	if skipped > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, size, err
}

// tidy replaces the file by one with nothing but what is remembered, when
// most of it is not. It is left as it is when somebody has added to it since.
func (h *History) tidy(stored []string, size int64) {
	var kept bytes.Buffer
	for _, e := range stored {
		if encodeLine(&kept, e) != nil {
			return
		}
	}
	if size < smallestTidied || int64(kept.Len()) > size/2 {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(h.path), filepath.Base(h.path)+".*")
	if err != nil {
		return
	}
	_, err = f.Write(kept.Bytes())
	err = errors.Join(err, f.Close())
	info, statErr := os.Lstat(h.path)
	if err != nil || statErr != nil || !info.Mode().IsRegular() || info.Size() != size || os.Rename(f.Name(), h.path) != nil {
		_ = os.Remove(f.Name()) // a file left over does no harm
	}
}

// Up replaces what is in the buffer by the newest prompt, then by older ones:
// those that begin with what was typed. It is false when there is none.
func (h *History) Up(b *Buffer) bool {
	h.load()
	text := b.Text()
	at, prefix, draft := h.at, h.prefix, h.draft
	if !h.walking || text != h.shown {
		at, prefix, draft = len(h.entries), text, b.Draft()
	}
	for at--; at >= 0; at-- {
		if e := h.entries[at]; e != text && strings.HasPrefix(e, prefix) {
			h.walking, h.at, h.prefix, h.draft = true, at, prefix, draft
			h.show(b)
			return true
		}
	}
	return false
}

// Down goes back to newer prompts, and after the newest to what was typed,
// with its pastes and its cursor. It is false when Up was not used, or the
// prompt was changed since.
func (h *History) Down(b *Buffer) bool {
	if !h.walking || b.Text() != h.shown {
		return false
	}
	for h.at++; h.at < len(h.entries); h.at++ {
		if e := h.entries[h.at]; e != h.shown && strings.HasPrefix(e, h.prefix) {
			h.show(b)
			return true
		}
	}
	h.walking = false
	b.Restore(h.draft)
	return true
}

func (h *History) show(b *Buffer) {
	b.Set(h.entries[h.at])
	h.shown = b.Text()
}

// Search is the prompts that have every word of the query somewhere in them,
// newest first. Case counts for words that have capitals. An empty query
// finds all.
func (h *History) Search(query string) []string {
	h.load()
	words := strings.Fields(query)
	var found []string
	for _, e := range slices.Backward(h.entries) {
		folded := strings.ToLower(e)
		if !slices.ContainsFunc(words, func(word string) bool {
			if strings.ContainsFunc(word, unicode.IsUpper) {
				return !strings.Contains(e, word)
			}
			return !strings.Contains(folded, strings.ToLower(word))
		}) {
			found = append(found, e)
		}
	}
	return found
}
