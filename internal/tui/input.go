package tui

import (
	"bytes"
	"os"
	"slices"
	"time"
)

// pasteQuiet is how long the terminal sends nothing before a key counts as one
// that was pressed, within a paste that has not ended.
const pasteQuiet = 500 * time.Millisecond

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// input is the terminal's, with an end for pastes that have none: without it
// all keys would be taken for pasted text, and nothing would ever leave the
// program. Only Esc and Ctrl+C end one, alone and after silence: no paste can
// bring that about and have what follows taken for keys.
type input struct {
	*os.File
	now func() time.Time

	pasting bool
	tail    []byte // of what was read, shorter than a mark
	read    time.Time
}

// Read reads from the terminal.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.File.Read(p)
	return in.pass(p, n), err
}

// pass looks at the first n bytes of p, and puts the end of a paste before
// them where one is missing.
func (in *input) pass(p []byte, n int) int {
	now := in.now()
	quiet := now.Sub(in.read) >= pasteQuiet
	in.read = now
	if in.pasting && quiet && stops(p[:n]) && n+len(pasteEnd) <= len(p) {
		copy(p[len(pasteEnd):], p[:n])
		n += copy(p, pasteEnd)
	}
	seen := slices.Concat(in.tail, p[:n])
	begin, end := bytes.LastIndex(seen, []byte(pasteBegin)), bytes.LastIndex(seen, []byte(pasteEnd))
	if begin >= 0 || end >= 0 {
		in.pasting = begin > end
	}
	in.tail = append(in.tail[:0], seen[max(0, len(seen)-len(pasteEnd)+1):]...)
	return n
}

// stops says whether the bytes are Esc or Ctrl+C, in one of the ways in which
// terminals send them.
func stops(key []byte) bool {
	switch string(key) {
	case "\x1b", "\x03", "\x1b[27u", "\x1b[99;5u", "\x1b[27;1;27~", "\x1b[27;5;99~":
		return true
	}
	return false
}
