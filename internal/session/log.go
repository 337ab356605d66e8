package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// ErrClosed is given by a log that was closed.
var ErrClosed = errors.New("the session is closed")

// Log is one open session. Set OnTrouble before the first call; the methods
// are safe for concurrent use, though only one conversation should append.
type Log struct {
	// OnTrouble is told once when facts can no longer be saved. It may call
	// the log.
	OnTrouble func(text string)

	mu     sync.Mutex
	store  *Store
	id     string
	cwd    string
	memory bool // nothing on disk
	closed bool

	x        *index
	lines    map[int32][]byte // lines that are not in the file: unsaved ones, or all
	chain    []int32
	now      state
	last     event.Head
	view     []llm.Message
	folded   bool              // view is there; until asked for it is not
	decoded  int               // bodies parsed, for tests
	buffer   []byte            // for reading lines
	pictures map[string][]byte // images that are not beside the file yet
	queue    []string

	out  *writer
	todo []work // what waits to be written, in order
	held bool   // nothing was said yet, so there is no file
	told bool   // of the present trouble
}

// ID is the session's id.
func (l *Log) ID() string { return l.id }

// Path is the session's file; "" when the session is kept in memory only.
// The file is made when something is first said.
func (l *Log) Path() string {
	if l.memory {
		return ""
	}
	return l.out.path
}

// Dir is the directory beside the file, for results, images and the queue;
// "" when the session is kept in memory only. It is made by whoever writes
// there first.
func (l *Log) Dir() string {
	if l.memory {
		return ""
	}
	return dirOf(l.out.path)
}

// Head is the head of the newest fact. Signals take it, without id and
// parent.
func (l *Log) Head() event.Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Append records a fact and gives it in its envelope, as written. Messages,
// those inside of edits included, get an id and a time. When Append returns,
// the fact is on disk or, if that cannot be, in memory to be written later:
// see [Log.Saved]. An error means that nothing was recorded: the log is
// closed, the fact cannot be encoded, or the session's file turned out to be
// somebody else's.
func (l *Log) Append(f event.Fact) (event.Record, error) {
	r, trouble, err := l.appendLocked(f)
	if trouble != "" && l.OnTrouble != nil {
		l.OnTrouble(trouble)
	}
	return r, err
}

// appendLocked leaves the log usable whatever happens.
func (l *Log) appendLocked(f event.Fact) (r event.Record, trouble string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err = l.append(f)
	return r, l.trouble(), err
}

func (l *Log) append(f event.Fact) (event.Record, error) {
	if l.closed {
		return event.Record{}, ErrClosed
	}
	parent := int32(-1)
	if len(l.chain) > 0 {
		parent = l.chain[len(l.chain)-1]
	}
	i, r, err := l.write(f, parent, l.now.turn)
	if err != nil {
		return r, err
	}
	l.chain = append(l.chain, i)
	l.step(len(l.chain)-1, i)
	switch f := r.Event.(type) {
	case event.Message:
		if l.folded {
			l.view = append(l.view, l.present(f.Message))
		}
	case event.Edited:
		if l.folded {
			l.view = edit(l.view, l.presentEdits(f))
		}
	case event.Changed:
		if f.Title != "" {
			l.noteTitle()
		}
	}
	return r, nil
}

// write gives the fact its envelope, puts it into the index and on disk.
func (l *Log) write(f event.Fact, parent int32, turn int) (int32, event.Record, error) {
	r := event.Record{Head: event.Head{
		Turn: turn, Time: l.store.Now().UTC().Truncate(time.Millisecond), Session: l.id, Cwd: l.cwd,
	}, Type: event.TypeOf(f)}
	if parent >= 0 {
		r.Parent = l.x.nodes[parent].id
	}
	f = l.identify(normal(f), &r)
	if m, ok := f.(event.Message); ok && m.Kind == llm.Prompt && !l.now.open {
		r.Turn++
	}
	r.Event = f
	line, r, err := encode(r, l.store.Redact)
	if err != nil {
		return -1, r, fmt.Errorf("session %s: a record of type %s cannot be written: %w", l.id, r.Type, err)
	}
	if err := l.begin(f); err != nil {
		return -1, r, err
	}
	pictures := l.keepPictures(f)
	i := l.x.push(entryOf(r), -1, len(line)-1)
	l.lines[i], l.last = line, r.Head
	if !l.memory {
		l.todo = append(append(l.todo, pictures...), work{node: i})
		_, over := f.(event.Ended)
		l.flush(over)
	}
	return i, r, nil
}

// identify gives messages their ids and times.
func (l *Log) identify(f event.Fact, r *event.Record) event.Fact {
	r.ID = l.store.NewID()
	switch f := f.(type) {
	case event.Message:
		if _, used := l.x.find(f.ID); f.ID != "" && !used {
			r.ID = f.ID
		}
		f.ID, f.Time = r.ID, r.Time
		return f
	case event.Edited:
		for _, e := range f.Edits {
			for i := range e.With {
				if e.With[i].ID == "" {
					e.With[i].ID = l.store.NewID()
				}
				if e.With[i].Time.IsZero() {
					e.With[i].Time = r.Time
				}
			}
		}
		return f
	}
	return f
}

// Messages is the facts, folded into what the model sees. It must not be
// changed; it is not changed by what is appended later.
func (l *Log) Messages() []llm.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.folded {
		l.view, l.folded = l.fold(l.chain), true
	}
	return l.view[:len(l.view):len(l.view)]
}

// UsedCallIDs says whether a call of that id is in the file already, all
// branches counted.
func (l *Log) UsedCallIDs() func(id string) bool {
	return func(id string) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		_, used := l.x.calls[id]
		return used
	}
}

// Records is the conversation as it was recorded, oldest first: the chain of
// parents from the newest record, as it stands when the range begins. An
// error, last, means that the file can no longer be read.
func (l *Log) Records() iter.Seq2[event.Record, error] {
	return l.records(0, func(*node) bool { return true })
}

// Tail is the last n records of the conversation, oldest first. It reads no
// others.
func (l *Log) Tail(n int) iter.Seq2[event.Record, error] {
	return l.records(n, func(*node) bool { return true })
}

// Prompts is the records of what the person said, oldest first. It reads no
// others. To have a prompt unsaid, rewind to its parent.
func (l *Log) Prompts() iter.Seq2[event.Record, error] {
	return l.records(0, func(n *node) bool { return n.form == message && n.said == llm.Prompt })
}

func (l *Log) records(last int, want func(*node) bool) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		l.mu.Lock()
		chain := slices.Clone(l.chain)
		l.mu.Unlock()
		if last > 0 && last < len(chain) {
			chain = chain[len(chain)-last:]
		}
		l.over(chain, want)(yield)
	}
}

// over is the records of a chain that can be read.
func (l *Log) over(chain []int32, want func(*node) bool) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, i := range chain {
			l.mu.Lock()
			var r event.Record
			var err error
			skip := l.x.nodes[i].form == broken || !want(&l.x.nodes[i])
			if !skip {
				r, err = l.decode(i)
			}
			l.mu.Unlock()
			switch {
			case skip:
			case errors.Is(err, errUnread):
				yield(event.Record{}, err)
				return
			case err == nil && !yield(r, nil):
				return
			}
		}
	}
}

// errUnread marks a fault of the disk, in contrast to a damaged line.
var errUnread = errors.New("the session's file cannot be read")

// raw is a record's line, without the newline. It is only good until the next
// call.
func (l *Log) raw(i int32) ([]byte, error) {
	if line := l.lines[i]; line != nil {
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
	if l.out.f == nil {
		return nil, fmt.Errorf("%w: %w", errUnread, ErrClosed)
	}
	n := &l.x.nodes[i]
	l.buffer = slices.Grow(l.buffer[:0], int(n.size))
	line := l.buffer[:n.size]
	if _, err := l.out.f.ReadAt(line, n.off); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errUnread, l.out.path, err)
	}
	return line, nil
}

// decode parses the whole of a record.
func (l *Log) decode(i int32) (event.Record, error) {
	line, err := l.raw(i)
	if err != nil {
		return event.Record{}, err
	}
	l.decoded++
	r, err := decodeLine(line)
	if m, ok := r.Event.(event.Message); ok {
		m.Parts = l.load(m.Parts, false)
		r.Event = m
	}
	return r, err
}

// Grants is the permissions in force: those for the session, and while a
// turn runs those for it.
func (l *Log) Grants() []event.Grant {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.now.grants)
}

// Usage is what the whole session has cost, branches that were left
// included; what a fork took over is not.
func (l *Log) Usage() llm.Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.x.spent.all()
}

// Title is the session's name, "" when it has none.
func (l *Log) Title() string { return l.state().title }

// Mode is the permission mode, Model the "provider/name" last set.
func (l *Log) Mode() string { return l.state().mode }

// Model is the "provider/name" last set.
func (l *Log) Model() string { return l.state().model }

// Turn is the number of the running turn or else of the last one; 0 before
// the first.
func (l *Log) Turn() int { return l.state().turn }

// Opened is the first fact: where the session comes from.
func (l *Log) Opened() event.Opened { return l.state().opened }

func (l *Log) state() state {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Todos is the arguments of the newest call to todo_write, nil when there is
// none.
func (l *Log) Todos() json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range slices.Backward(l.chain) {
		if !l.x.nodes[i].todo {
			continue
		}
		r, _ := l.decode(i)
		m, _ := r.MessageOf()
		for _, c := range slices.Backward(m.Calls()) {
			if c.Name == "todo_write" && c.Args != nil {
				return c.Args
			}
		}
	}
	return nil
}

// Stamps is the files whose content the model knows, by path.
func (l *Log) Stamps() map[string]llm.FileRead {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.now.stamps)
}

// Rewind goes back to a record, by its id: the conversation goes on from
// there, what came after is kept in the file as a branch that was left. No
// files of the workspace are changed. If the record lies inside of a turn,
// its open calls and the turn are closed. To have a prompt unsaid, rewind to
// the record before it.
func (l *Log) Rewind(recordID string) error {
	l.mu.Lock()
	_, err := l.rewind(l.x.find(recordID))
	trouble := l.trouble()
	l.mu.Unlock()
	if trouble != "" && l.OnTrouble != nil {
		l.OnTrouble(trouble)
	}
	return err
}

// Said is something that the person said.
type Said struct {
	Record string // its id
	Text   string
	Time   time.Time
	Turn   int
}

// Said is what the person said in this conversation, oldest first, as far as
// it can be read.
func (l *Log) Said() (all []Said) {
	for r, err := range l.Prompts() {
		if m, ok := r.MessageOf(); ok && err == nil {
			all = append(all, Said{Record: r.ID, Text: m.Text(), Time: r.Time, Turn: r.Turn})
		}
	}
	return all
}

// Unsay rewinds to before something that the person said, and before the notes
// that the model was told with it. It gives the facts that say so.
func (l *Log) Unsay(recordID string) ([]event.Record, error) {
	l.mu.Lock()
	stated, err := l.unsay(recordID)
	trouble := l.trouble()
	l.mu.Unlock()
	if trouble != "" && l.OnTrouble != nil {
		l.OnTrouble(trouble)
	}
	return stated, err
}

func (l *Log) unsay(id string) ([]event.Record, error) {
	said := func(at int, kind llm.Kind) bool {
		n := &l.x.nodes[l.chain[at]]
		return n.form == message && n.said == kind
	}
	i, _ := l.x.find(id)
	at := slices.Index(l.chain, i)
	if at < 1 || !said(at, llm.Prompt) {
		return nil, fmt.Errorf("session %s: the person did not say %q in this conversation", l.id, id)
	}
	for at--; at > 0 && said(at, llm.Note); at-- {
	}
	return l.rewind(l.chain[at], true)
}

// rewind goes back to a record; known says that there is one.
func (l *Log) rewind(to int32, known bool) (stated []event.Record, err error) {
	switch {
	case l.closed:
		return nil, ErrClosed
	case !known:
		return nil, fmt.Errorf("session %s has no such record to go back to", l.id)
	case l.now.open:
		return nil, fmt.Errorf("session %s cannot go back while a turn runs; interrupt it first", l.id)
	}
	i, r, err := l.write(event.Changed{Rewound: true}, to, int(l.x.nodes[to].turn))
	if err != nil {
		return nil, err
	}
	stated = append(stated, r)
	l.chain = append(l.x.chain(to), i)
	l.view, l.folded = nil, false
	l.refold()
	l.noteTitle()
	results, err := l.closeCalls()
	stated = append(stated, results...)
	if err == nil && l.now.open {
		r, err = l.append(event.Ended{Reason: event.Interrupted})
		stated = append(stated, r)
	}
	return stated, err
}
