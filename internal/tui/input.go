package tui

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// pasteQuiet is how long the terminal sends nothing before a key counts as
	// one that was pressed, within a paste that has not ended.
	pasteQuiet = 500 * time.Millisecond
	// burstQuiet is how long nothing comes after what was not typed by hand.
	burstQuiet = 20 * time.Millisecond
)

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// input is the terminal's. It keeps what is pasted, byte for byte, and passes
// on a token for it in its place, which filter turns into the text.
//
// Lines that come faster than anybody types are a paste, too, where a terminal
// does not mark pastes. A paste that has no end is given one by Esc or Ctrl+C,
// alone and after silence: without it nothing would ever leave the program, and
// no paste can bring that about and have what follows taken for keys. An end
// within a paste does not end it.
type input struct {
	*os.File
	now  func() time.Time
	more func(time.Duration) bool // whether something comes within a time

	pasting bool
	tail    []byte // of the keys that were passed on, shorter than a mark
	body    []byte // of the paste
	read    time.Time
	fast    bool // more than one character came at once

	mu     sync.Mutex
	pastes map[string]string
	kept   int
}

func newInput(f *os.File) *input {
	return &input{File: f, now: time.Now, more: func(d time.Duration) bool { return readable(f, d) }, pastes: map[string]string{}}
}

// Read reads from the terminal. What is passed on is at most twice what was
// read, and a token.
func (in *input) Read(p []byte) (int, error) {
	room := p[:max(1, len(p)/2-32)]
	n, err := in.File.Read(room)
	for err == nil && n < len(room) && in.unfinished(room[:n]) && in.more(burstQuiet) {
		var more int
		more, err = in.File.Read(room[n:])
		n += more
	}
	return copy(p, in.pass(room[:n])), err
}

// unfinished says whether more may belong to what was read: a line that was
// not typed by hand, or the end of a paste that something follows.
func (in *input) unfinished(b []byte) bool {
	if in.pasting {
		return bytes.HasSuffix(b, []byte(pasteEnd))
	}
	text := bytes.TrimRight(b, "\r\n")
	return len(text) < len(b) && len(text) > 0 && bytes.IndexByte(b, '\x1b') < 0
}

// pass is what is passed on of what was read.
func (in *input) pass(b []byte) []byte {
	now := in.now()
	since := now.Sub(in.read)
	in.read = now
	if in.pasting && since >= pasteQuiet && stops(b) {
		return append(in.end(), b...)
	}
	in.fast = in.fast && since < burstQuiet
	var out []byte
	for len(b) > 0 {
		if in.pasting {
			b = in.paste(b, &out)
			continue
		}
		seen := append(in.tail[:len(in.tail):len(in.tail)], b...)
		at := bytes.Index(seen, []byte(pasteBegin))
		if at < 0 {
			return append(out, in.typed(b)...)
		}
		before, end := max(0, at-len(in.tail)), at+len(pasteBegin)-len(in.tail)
		out = append(out, in.typed(b[:before])...)
		out = append(out, b[before:end]...)
		b, in.pasting, in.tail, in.body = b[end:], true, nil, nil
	}
	return out
}

// paste takes more of a paste, and gives what is behind its end.
func (in *input) paste(b []byte, out *[]byte) []byte {
	from := max(0, len(in.body)-len(pasteEnd)+1)
	in.body = append(in.body, b...)
	at := bytes.Index(in.body[from:], []byte(pasteEnd))
	if at < 0 {
		return nil
	}
	rest := bytes.Clone(in.body[from+at+len(pasteEnd):])
	in.body = in.body[:from+at]
	next, _, _ := bytes.Cut(rest, []byte(pasteBegin))
	if !bytes.Contains(next, []byte(pasteEnd)) {
		*out = append(*out, in.end()...)
	} // else it was a part of what is pasted
	return rest
}

// end is the token of the paste and its end.
func (in *input) end() []byte {
	in.pasting, in.fast = false, true
	token := in.keep(string(in.body))
	in.body = nil
	return []byte(token + pasteEnd)
}

// typed is keys, or a paste of what nobody can have typed.
func (in *input) typed(b []byte) []byte {
	if at := bytes.LastIndex(b, []byte(pasteEnd)); at >= 0 { // of a paste that was taken to have ended before
		return append(in.pasted(b[:at]), in.typed(b[at+len(pasteEnd):])...)
	}
	text := plainKeys(b)
	if burst(text, in.fast) {
		return in.pasted(in.rest(b))
	}
	in.fast = in.fast || len(text) > 1
	in.tail = append(in.tail, b...)
	in.tail = in.tail[max(0, len(in.tail)-len(pasteEnd)+1):]
	return b
}

// rest reads what still comes of a burst.
func (in *input) rest(b []byte) []byte {
	b = bytes.Clone(b)
	buffer := make([]byte, 4096)
	for in.more(burstQuiet) {
		n, err := in.File.Read(buffer)
		if b = append(b, buffer[:n]...); err != nil {
			break // the next read tells it
		}
	}
	in.read = in.now()
	return b
}

// pasted is a paste with its marks, which are not among what was pasted.
func (in *input) pasted(b []byte) []byte {
	in.tail, in.fast = nil, true
	b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(pasteEnd), nil), []byte(pasteBegin), nil)
	if len(b) == 0 {
		return nil
	}
	return []byte(pasteBegin + in.keep(string(b)) + pasteEnd)
}

// burst says whether text was not typed by hand: a line ends within it. Fast
// is that the text before came at once, too.
func burst(text []byte, fast bool) bool {
	text = bytes.TrimRight(text, "\r\n\t ")
	at := bytes.LastIndexAny(text, "\r\n")
	return at > 0 || at == 0 && fast
}

// plainKeys is the keys that type something, and line ends.
func plainKeys(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '\x1b' && i+2 < len(b) && b[i+1] == 'O':
			i += 3
		case c == '\x1b':
			i += sequence(string(b[i:]))
		default:
			if c >= ' ' && c != 0x7F || c == '\r' || c == '\n' || c == '\t' {
				out = append(out, c)
			}
			i++
		}
	}
	return out
}

// keep keeps what was pasted until it is asked for by its token.
func (in *input) keep(text string) (token string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.kept++
	token = "paste" + strconv.Itoa(in.kept)
	in.pastes[token] = text
	return token
}

// filter puts what was pasted in the place of its token.
func (in *input) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	paste, ok := msg.(tea.PasteMsg)
	if !ok {
		return msg
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	token := strings.TrimSpace(paste.Content)
	if text, ok := in.pastes[token]; ok {
		delete(in.pastes, token)
		return tea.PasteMsg{Content: text}
	}
	return msg
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
