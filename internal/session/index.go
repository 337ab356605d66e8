package session

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// node is one record's place in the file and in the tree of records.
type node struct {
	id     string
	said   llm.Kind
	off    int64
	parent int32 // -1 in the first
	size   int32 // without the newline
	turn   int32
	form   form
	calls  bool
	todo   bool
	answer bool // said by the assistant
}

// index is what one pass over a file leaves in memory: every record's place,
// and the few facts that the folds need.
type index struct {
	nodes   []node
	byID    map[string]int32     // built when first needed: most parents are the line before
	facts   map[int32]event.Fact // opened, changed, grants
	bounds  map[int32]string     // boundary: the last message it replaces
	runs    map[int32]run        // edited records
	files   map[int32]llm.Meta   // results that read or wrote
	calls   map[string]struct{}  // ids of calls, all branches
	spent   spending
	good    int32 // newest record that is whole, -1 for none
	skipped int   // lines that cannot be read
}

func newIndex() *index {
	return &index{
		facts: map[int32]event.Fact{}, bounds: map[int32]string{}, runs: map[int32]run{}, files: map[int32]llm.Meta{}, calls: map[string]struct{}{}, good: -1,
	}
}

// line takes in one line of the file, without its newline.
func (x *index) line(line []byte, off int64) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return
	}
	e, err := readEntry(line)
	if err != nil {
		x.skipped++
	}
	if e.id != "" {
		x.push(e, off, len(line))
	}
}

// push adds a record and gives its place.
func (x *index) push(e entry, off int64, size int) int32 {
	i := int32(len(x.nodes))
	n := node{
		id: e.id, said: e.said, off: off, parent: x.parent(e.parent), size: int32(size), turn: int32(e.turn), form: e.form,
		calls: len(e.calls) > 0, todo: e.todo, answer: e.answer,
	}
	x.nodes = append(x.nodes, n)
	if x.byID != nil {
		x.name(i)
	}
	if e.form == broken {
		return i
	}
	x.good = i
	if e.fact != nil {
		x.facts[i] = e.fact
	}
	if e.bound != "" {
		x.bounds[i] = e.bound
	}
	if e.form == edited {
		x.runs[i] = e.run
	}
	if len(e.files.Read)+len(e.files.Wrote) > 0 {
		x.files[i] = e.files
	}
	for _, id := range e.calls {
		x.calls[id] = struct{}{}
	}
	x.spent.add(e)
	return i
}

// parent finds the record of that id among those before. A record whose
// parent is not there, because its line was lost, hangs on the record before
// it in the file.
func (x *index) parent(id string) int32 {
	if len(x.nodes) == 0 {
		return -1
	}
	if last := len(x.nodes) - 1; x.nodes[last].id == id {
		return int32(last)
	}
	if i, ok := x.find(id); ok {
		return i
	}
	return x.good
}

// find is the record of that id; of several the newest that is whole.
func (x *index) find(id string) (int32, bool) {
	if id == "" {
		return -1, false
	}
	if x.byID == nil {
		x.byID = make(map[string]int32, len(x.nodes))
		for i := range x.nodes {
			x.name(int32(i))
		}
	}
	i, ok := x.byID[id]
	return i, ok
}

func (x *index) name(i int32) {
	n := &x.nodes[i]
	if old, ok := x.byID[n.id]; ok && n.form == broken && x.nodes[old].form != broken {
		return
	}
	x.byID[n.id] = i
}

// spoil takes a record that turned out to be broken out of the folds.
func (x *index) spoil(i int32) {
	x.nodes[i].form = broken
	x.skipped++
	if x.good != i {
		return
	}
	for x.good >= 0 && x.nodes[x.good].form == broken {
		x.good--
	}
}

// chain is the records from the first to the one given.
func (x *index) chain(tip int32) []int32 {
	var out []int32
	for i := tip; i >= 0; i = x.nodes[i].parent {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

// place is where on a chain the message of that id is, the last if there are
// several; -1 when it is not there.
func (x *index) place(chain []int32, id string) int {
	for p := len(chain) - 1; p >= 0; p-- {
		if n := &x.nodes[chain[p]]; n.id == id && n.form == message {
			return p
		}
	}
	return -1
}

// spending counts tokens over the whole file, in the order of the file. A
// turn counts what its end says or what its records add up to, whichever is
// more: the first knows of sub-agents, the second of compaction.
type spending struct {
	total, turn llm.Usage
	number      int // the newest turn
	open        bool
	copying     string    // fork: the last record that was copied and does not count
	since       time.Time // when the fork was made
}

func (s *spending) add(e entry) {
	if o, ok := e.fact.(event.Opened); ok && o.At != "" && s.number == 0 {
		s.copying, s.since = o.At, e.time
		return
	}
	if s.copying != "" {
		if e.id == s.copying {
			s.copying = ""
		}
		// The line of the last copy may be damaged; no copy is newer than the fork.
		if s.copying == "" || !e.time.After(s.since) {
			s.number = max(s.number, e.turn)
			return
		}
	}
	switch e.form {
	case message:
		if e.turn > s.number || e.said == llm.Prompt {
			s.open = true
		}
		s.turn = s.turn.Add(e.usage)
	case edited:
		if s.open {
			s.turn = s.turn.Add(e.usage)
		} else {
			s.total = s.total.Add(e.usage)
		}
	case ended:
		s.total = s.total.Add(most(s.turn, e.usage))
		s.turn, s.open = llm.Usage{}, false
	}
	s.number = max(s.number, e.turn)
}

func (s *spending) all() llm.Usage { return s.total.Add(s.turn) }

func most(a, b llm.Usage) llm.Usage {
	return llm.Usage{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output), CacheRead: max(a.CacheRead, b.CacheRead),
		CacheWrite: max(a.CacheWrite, b.CacheWrite), Reasoning: max(a.Reasoning, b.Reasoning),
	}
}

// readLines calls do with each line and its offset, and gives the number of
// bytes read and whether the last line lacks its newline. The line is only
// good until do returns. hint is about how much there is to read.
func readLines(r io.Reader, hint int64, do func(line []byte, off int64)) (size int64, torn bool, err error) {
	buf := make([]byte, 0, min(max(hint, 512)+1, 256<<10))
	var off int64 // of buf[0]
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, cap(buf))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		seen := len(buf)
		buf = buf[:seen+n]
		from := 0
		for {
			i := bytes.IndexByte(buf[max(from, seen):], '\n')
			if i < 0 {
				break
			}
			end := max(from, seen) + i
			do(buf[from:end], off+int64(from))
			from = end + 1
		}
		buf = buf[:copy(buf, buf[from:])]
		off += int64(from)
		if errors.Is(err, io.EOF) {
			if len(buf) > 0 {
				do(buf, off)
			}
			return off + int64(len(buf)), len(buf) > 0, nil
		}
		if err != nil {
			return off, false, err
		}
	}
}
