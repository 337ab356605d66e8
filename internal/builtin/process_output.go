package builtin

import (
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// Streaming of output to the front end.
const (
	liveEvery = 100 * time.Millisecond // at most one piece in this time
	liveBytes = 16 << 10               // of the newest output; what is older is passed over
)

// capture takes the output of a process and keeps a bounded part of it: the
// beginning, the end, and up to a limit a file with the whole. What it keeps
// is plain text: see [plainText]. It is safe for concurrent use.
type capture struct {
	keep  int   // characters that are kept in memory before a file is made
	limit int64 // bytes that the file takes
	ends  int   // bytes of the newest output that are kept in any case
	open  func() (*os.File, error)

	mu     sync.Mutex
	text   plainText
	head   []byte // all output, until it is more than keep characters; then the first of it
	tail   []byte // the newest, at most twice ends
	live   []byte // what was not streamed yet
	bytes  int64
	chars  int64
	file   *os.File
	saved  int64 // bytes in the file
	failed error // of the file
	full   bool  // the file is at its limit
}

// Write takes raw output. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(c.text.convert(p))
	return len(p), nil
}

// finish takes what was waiting for the rest of a character.
func (c *capture) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(c.text.flush())
}

func (c *capture) add(b []byte) {
	if len(b) == 0 {
		return
	}
	c.bytes += int64(len(b))
	c.chars += int64(utf8.RuneCount(b))
	c.tail = keepEnd(c.tail, b, c.ends)
	c.live = keepEnd(c.live, b, liveBytes)
	switch {
	case c.file != nil:
		c.store(b)
	case c.failed != nil:
	case c.chars <= int64(c.keep):
		c.head = append(c.head, b...)
	default:
		c.head = append(c.head, b...)
		c.spill()
	}
}

// spill makes the file and moves to it what is in memory. Only the first
// characters stay there, for the preview.
func (c *capture) spill() {
	if c.file == nil && c.failed == nil {
		c.file, c.failed = c.open()
		if c.failed == nil {
			c.store(c.head)
		}
	}
	c.head = append([]byte(nil), c.head[:firstChars(c.head, previewChars)]...)
}

func (c *capture) store(b []byte) {
	if c.full || c.failed != nil {
		return
	}
	if room := int(c.limit - c.saved); len(b) > room {
		for room > 0 && !utf8.RuneStart(b[room]) {
			room--
		}
		b, c.full = b[:room], true
	}
	n, err := c.file.Write(b)
	c.saved += int64(n)
	c.failed = err
}

// close closes the file.
func (c *capture) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		if err := c.file.Close(); c.failed == nil {
			c.failed = err
		}
	}
}

// stream sends new output to emit until stop is called, which sends the rest.
// A slow reader of signals does not slow the command.
func (c *capture) stream(emit tool.Emit) (stop func()) {
	if emit == nil {
		return func() {}
	}
	send := func() {
		c.mu.Lock()
		b := c.live
		c.live = nil
		c.mu.Unlock()
		if len(b) > 0 {
			emit(event.Output{Text: string(b[lastBytes(b, liveBytes):])})
		}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(liveEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				send()
			case <-end:
				send()
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// since is the output after the first skip bytes, or as much of its end as
// fits in n characters, with how many bytes are missing before it.
func (c *capture) since(skip int64, n int) (text string, missing, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := c.bytes - skip
	b := c.tail
	if int64(len(b)) > fresh {
		b = b[int64(len(b))-fresh:]
	} else {
		b = b[lastBytes(b, c.ends):]
	}
	b = b[lastChars(b, n):]
	return string(b), fresh - int64(len(b)), c.bytes
}

// keepEnd appends b to a, of which at least the last n bytes are kept and at
// most twice as many.
func keepEnd(a, b []byte, n int) []byte {
	if len(b) >= n {
		return append(a[:0], b[len(b)-n:]...)
	}
	if len(a)+len(b) > 2*n {
		a = a[:copy(a, a[len(a)-(n-len(b)):])]
	}
	return append(a, b...)
}

// lastBytes is where the last n bytes begin, moved on to the start of a
// character.
func lastBytes(b []byte, n int) int {
	i := max(0, len(b)-n)
	for i < len(b) && !utf8.RuneStart(b[i]) {
		i++
	}
	return i
}

// firstChars is where the first n characters end.
func firstChars(b []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(b); n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

// lastChars is where the last n characters begin.
func lastChars(b []byte, n int) int {
	i := len(b)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:i])
		i -= size
	}
	return i
}
