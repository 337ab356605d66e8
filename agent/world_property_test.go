package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/llm/openai"
)

// The properties, by the numbers of the invariants they hold the loop to.
const (
	oneResult  = "1 one result"
	diskFirst  = "2 disk first"
	signalFree = "3 signals may be dropped"
	sameBytes  = "4 same bytes"
	permitted  = "5 nothing runs undecided"
	replayed   = "6 replay is the same"
)

// world is one conversation under random conditions: a session on disk, a
// strict server behind a real adapter, tools that act on real files, a reader
// that interrupts. What happens in it is kept for the properties to look at.
type world struct {
	plan   plan
	dir    string // of the files that tools work on
	store  *session.Store
	log    *session.Log
	disk   *follower
	server *llmtest.Server
	client *http.Transport
	random *rand.Rand // of the loop's goroutine
	end    chan struct{}

	streaming string         // text of the answer so far
	records   []event.Record // as the reader has them, signals included
	asked     []asked
	endings   []event.Ended
	left      int             // turns that the reader left
	accepted  map[string]bool // bodies that the strict server took
	intact    string          // gist of the file that was cut last at the end of a line

	mu     sync.Mutex
	begun  map[string]int            // actions begun, by their key
	judged map[string][]event.Effect // what the gate was shown of each
	ran    int
	faults []string // "property: what is wrong"
}

// asked is one request as it was made.
type asked struct {
	request llm.Request
	size    int // of the session file then
	edits   int // edited facts in it then
	opened  int // how often the session had been opened
}

// blame notes that a property does not hold.
func (w *world) blame(property, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, property+": "+fmt.Sprintf(format, args...))
}

// memoryDir is a directory in memory where there is one: the properties open
// many thousand files.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "invariants")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// countingStore has a clock and ids that only count. The clock has parts
// finer than what records keep.
func countingStore(root string) *session.Store {
	var mu sync.Mutex
	n, clock := 0, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &session.Store{
		Root: root,
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			clock = clock.Add(1234567 * time.Nanosecond)
			return clock
		},
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("019b7000-%04x-7000-8000-%012x", n%7919, n)
		},
	}
}

// modelInfo is the model that is asked over the wire.
func modelInfo(wire llmtest.Wire) llm.Info {
	info := llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 8_192, Known: true, Images: true, Thinking: true}
	if wire == llmtest.OpenAI {
		info.Provider, info.Name, info.Thinking = "openai", "gpt-4.1", false
	}
	return info
}

func adapter(wire llmtest.Wire, base string, transport http.RoundTripper) llm.Model {
	client := &http.Client{Transport: transport}
	if wire == llmtest.OpenAI {
		return openai.New(openai.Options{Info: modelInfo(wire), BaseURL: base, Key: "k", HTTP: client})
	}
	return anthropic.New(anthropic.Options{Info: modelInfo(wire), BaseURL: base, Key: "k", HTTP: client})
}

// What the server answers to a request that holds it, whatever the plan says.
const afterCut = "go on after the cut"

// newWorld opens the conversation that a plan is for.
func newWorld(root string, p plan) (*world, error) {
	w := &world{
		plan: p, dir: filepath.Join(root, "work"), store: countingStore(filepath.Join(root, "state")),
		server: llmtest.NewServer(llmtest.New(nil, append([]llmtest.Answer{
			llmtest.Join(llmtest.When(afterCut), llmtest.Say("On."), llmtest.Repeat(llmtest.Forever)),
		}, p.answers...)...)), client: &http.Transport{},
		random: rand.New(rand.NewPCG(p.seed, 2)), end: make(chan struct{}), begun: map[string]int{}, judged: map[string][]event.Effect{}, accepted: map[string]bool{},
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	w.log, err = w.store.Create(session.Options{Cwd: w.dir, Opened: event.Opened{Format: event.Format, Model: modelInfo(p.wire).ID()}})
	if err != nil {
		return nil, err
	}
	w.disk = newFollower(w.log.Path())
	return w, nil
}

func (w *world) close() {
	close(w.end)
	if err := w.log.Close(); err != nil {
		w.blame(diskFirst, "closing the session: %v", err)
	}
	w.client.CloseIdleConnections()
	w.server.Close()
}

// witness writes down what its model is asked.
type witness struct {
	llm.Model
	see func(llm.Request)
}

func (m witness) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.see(req)
		m.Model.Stream(ctx, req)(yield)
	}
}

func (w *world) agent() *agent.Agent {
	p := w.plan
	a := &agent.Agent{
		Model:  adapter(p.wire, w.server.BaseURL(p.wire), w.client),
		System: func() string { return "You are a test.\n" },
		Tools:  w.tools, Log: w.log, Gate: gate{w}, Steer: w.steer, MaxSteps: p.maxSteps, Effort: p.effort,
		Retry: agent.Retry{Tries: 4, Base: time.Nanosecond, Cap: time.Nanosecond, Jitter: func() float64 { return 0 }},
	}
	a.Model = witness{a.Model, w.witnessed}
	offload := compact.Offload{
		Dir:         func() string { return filepath.Join(w.log.Dir(), "results") },
		ResultLimit: func() int { return p.resultLimit }, BatchLimit: func() int { return p.batchLimit },
	}
	a.Clean = offload
	a.Compact = compact.Pipeline{Rules: []compact.Rule{{Stage: offload}, {Stage: spans{p.seed, p.spans}}}}
	if p.hooks {
		a.Hooks = hooks{w}
	}
	if p.budget > 0 {
		a.Budget = func(spent llm.Usage) string {
			if spent.Total() > p.budget {
				return "the tokens are used up"
			}
			return ""
		}
	}
	return a
}

// witnessed looks at a request that is about to be sent.
func (w *world) witnessed(req llm.Request) {
	req.Messages, req.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools)
	w.disk.read()
	for _, m := range req.Messages {
		if !w.disk.knows(m.ID) {
			w.blame(diskFirst, "the model reads message %s (%s), which is not on disk", m.ID, m.Kind)
		}
	}
	w.asked = append(w.asked, asked{req, w.disk.size(), w.disk.edits(), w.disk.reopened})
}

// live runs the whole plan.
func (w *world) live() error {
	for i, p := range w.plan.turns {
		if i > 0 && p.reopen {
			if err := w.reopen(); err != nil {
				return err
			}
		}
		if err := w.turn(p); err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	return nil
}

func (w *world) reopen() error {
	path := w.log.Path()
	before := w.log.Messages()
	if err := w.log.Close(); err != nil {
		return err
	}
	log, report, err := w.store.Open(path, w.dir)
	if err != nil {
		return err
	}
	w.log = log
	if text := report.String(); text != "" {
		w.blame(oneResult, "a session that was closed in good order was repaired: %s", text)
	}
	if diff := differ(before, log.Messages()); diff != "" {
		w.blame(sameBytes, "the view of the reopened session is another: %s", diff)
	}
	w.disk.reopened++
	return nil
}

// turn runs one turn and reads it as a front end would, with the interrupt
// that the plan has for it.
func (w *world) turn(p turnPlan) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() { // a turn that does not end shows where it stands
		select {
		case <-done:
		case <-time.After(time.Minute):
			panic(fmt.Sprintf("seed %d: a turn did not end", w.plan.seed))
		}
	}()
	n, stopped := 0, false
	for rec, err := range w.agent().Turn(ctx, p.prompt...) {
		if err != nil {
			return err
		}
		n++
		w.saw(rec)
		if waits := w.hangs(rec.Event); stopped || n != p.stopAt && !waits {
			continue
		}
		stopped = true
		if p.how == leaving {
			w.left++
			w.records = append(w.records, event.Record{Event: event.Notice{Text: readerLeft}})
			break
		}
		cancel(p.how.cause())
	}
	w.catchUp()
	w.settled(stopped)
	return nil
}

// readerLeft stands among the events where the reader left; what follows it
// read from the file.
const readerLeft = "the reader left"

// hangs says whether the turn now waits for an interrupt.
func (w *world) hangs(e event.Event) bool {
	switch e := e.(type) {
	case event.TextDelta:
		w.streaming += e.Text
		return strings.Contains(w.streaming, hangWord)
	case event.Retrying, event.Message:
		w.streaming = ""
	case event.Output:
		return strings.Contains(e.Text, hangWord)
	case event.Waiting:
		return e.Question.Title == hangWord
	}
	return false
}

// saw takes in one event as the reader has it.
func (w *world) saw(rec event.Record) {
	w.records = append(w.records, rec)
	if _, ok := rec.Event.(event.Fact); !ok {
		return
	}
	w.disk.read()
	var line bytes.Buffer
	if err := event.Encode(&line, rec); err != nil {
		w.blame(diskFirst, "a fact cannot be encoded: %v", err)
		return
	}
	if last := w.disk.lastLine(); !bytes.Equal(last, line.Bytes()) {
		w.blame(diskFirst, "the reader has\n\t%s, the file ends in\n\t%s", short(line.Bytes()), short(last))
	}
	w.disk.shown = w.disk.lines()
}

// catchUp reads from the file what the reader missed because it left.
func (w *world) catchUp() {
	w.disk.read()
	for ; w.disk.shown < w.disk.lines(); w.disk.shown++ {
		w.records = append(w.records, w.disk.records[w.disk.shown])
	}
}

// settled looks at the session after a turn.
func (w *world) settled(stopped bool) {
	last := w.disk.records[len(w.disk.records)-1]
	ended, ok := last.Event.(event.Ended)
	if !ok {
		w.blame(oneResult, "the turn ended and the last record is %T", last.Event)
	}
	w.endings = append(w.endings, ended)
	if ended.Reason == event.Interrupted && !stopped {
		w.blame(oneResult, "a turn that nobody interrupted ended as interrupted")
	}
	if !w.log.Saved() {
		w.blame(diskFirst, "the session is not saved")
	}
	if err := paired(w.log.Messages()); err != nil {
		w.blame(oneResult, "the view after the turn: %v", err)
	}
}

// paired checks that each call has exactly one result, right after its
// message and in order, and that there are no others.
func paired(messages []llm.Message) error {
	var open []string
	for _, m := range messages {
		r, isResult := m.Result()
		switch {
		case isResult && len(open) == 0:
			return fmt.Errorf("a result for %s, which is not open", r.Call)
		case isResult && r.Call != open[0]:
			return fmt.Errorf("a result for %s in the place of that for %s", r.Call, open[0])
		case isResult:
			open = open[1:]
		case len(open) > 0:
			return fmt.Errorf("a %s message while calls %v have no result", m.Kind, open)
		}
		for _, c := range m.Calls() {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls %v have no result", open)
	}
	return nil
}

// bodyOf is the request's bytes as the wire has them.
func bodyOf(wire llmtest.Wire, req llm.Request) []byte {
	var body []byte
	capture := roundTrip(func(r *http.Request) (*http.Response, error) {
		var b bytes.Buffer
		_, err := b.ReadFrom(r.Body)
		body = b.Bytes()
		return nil, errors.Join(err, errors.New("only looked at"))
	})
	for range adapter(wire, "http://127.0.0.1", capture).Stream(context.Background(), req) {
		continue // the error that capture gives
	}
	return body
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// short is bytes for a message.
func short(b []byte) string {
	if len(b) > 600 {
		return fmt.Sprintf("%s ... %s", b[:400], b[len(b)-200:])
	}
	return string(b)
}

// follower reads a session's file as it grows, as somebody else would.
type follower struct {
	path     string
	mu       sync.Mutex
	data     []byte
	records  []event.Record
	starts   []int // of the lines
	ids      map[string]bool
	keys     map[string]string // call id: the key in its arguments
	allowed  map[string][]event.Decided
	edited   int
	shown    int // records that the reader has
	reopened int
}

func newFollower(path string) *follower {
	return &follower{path: path, ids: map[string]bool{}, keys: map[string]string{}, allowed: map[string][]event.Decided{}, shown: 1}
}

// read takes in what was written since the last time.
func (f *follower) read() {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.Open(f.path)
	if err != nil {
		return // nothing was written yet
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == int64(len(f.data)) {
		return
	}
	more := make([]byte, info.Size()-int64(len(f.data)))
	if _, err := file.ReadAt(more, int64(len(f.data))); err != nil {
		return
	}
	more = more[:bytes.LastIndexByte(more, '\n')+1]
	at := len(f.data)
	f.data = append(f.data, more...)
	for line := range bytes.Lines(more) {
		f.starts = append(f.starts, at)
		at += len(line)
		f.take(line)
	}
}

func (f *follower) take(line []byte) {
	r, err := event.Decode(line)
	if err != nil {
		r.Type = "unreadable: " + err.Error()
	}
	f.records = append(f.records, r)
	f.ids[r.ID] = true
	switch e := r.Event.(type) {
	case event.Message:
		for _, c := range e.Calls() {
			f.keys[c.ID] = keyOf(c.Args)
		}
	case event.Edited:
		f.edited++
		for _, edit := range e.Edits {
			for _, m := range edit.With {
				f.ids[m.ID] = true
			}
		}
	case event.Decided:
		key := f.keys[e.Call]
		if e.Args != nil {
			key = keyOf(e.Args)
		}
		if e.Allow {
			f.allowed[key] = append(f.allowed[key], e)
		}
	}
}

func (f *follower) knows(id string) bool { f.mu.Lock(); defer f.mu.Unlock(); return f.ids[id] }
func (f *follower) size() int            { f.mu.Lock(); defer f.mu.Unlock(); return len(f.data) }
func (f *follower) lines() int           { f.mu.Lock(); defer f.mu.Unlock(); return len(f.records) }
func (f *follower) edits() int           { f.mu.Lock(); defer f.mu.Unlock(); return f.edited }

func (f *follower) lastLine() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.starts) == 0 {
		return nil
	}
	return f.data[f.starts[len(f.starts)-1]:]
}

// whole is the records whose lines are there as a whole after so many bytes,
// but perhaps for the newline of the last.
func (f *follower) whole(n int) []event.Record {
	k := 0
	for k < len(f.starts) && n >= f.starts[k]+len(f.line(k))-1 {
		k++
	}
	return f.records[:k]
}

// line is one line with its newline.
func (f *follower) line(i int) string {
	if i+1 < len(f.starts) {
		return string(f.data[f.starts[i]:f.starts[i+1]])
	}
	return string(f.data[f.starts[i]:])
}

// decisions is those that allow a call of that key.
func (f *follower) decisions(key string) []event.Decided {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.allowed[key]
}

// keyOf is the key that a call's arguments carry.
func keyOf(args json.RawMessage) string {
	var in toolArgs
	if json.Unmarshal(args, &in) != nil {
		return ""
	}
	return in.Key
}

// differ says where two histories are not the same.
func differ(a, b []llm.Message) string {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			return fmt.Sprintf("%d messages and %d", len(a), len(b))
		}
		x, errX := json.Marshal(a[i])
		y, errY := json.Marshal(b[i])
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			return fmt.Sprintf("message %d is\n\t%s and\n\t%s", i, short(x), short(y))
		}
	}
	return ""
}
