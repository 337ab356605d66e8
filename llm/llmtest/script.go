package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// Script is a model that gives prepared answers: an [llm.Model] of its own,
// and what a [Server] answers from. It is safe for concurrent use; requests
// take the answers in the order they come.
type Script struct {
	// Model is what Info gives; it may be changed before the first request.
	Model llm.Info

	t        testing.TB // may be nil
	mu       sync.Mutex
	entries  []*entry
	requests []llm.Request
	asked    int // requests that took an answer or found none
	calls    int // ids made up so far
	troubles []error
}

// entry is an answer and how often it can still be given.
type entry struct {
	number int // from 1
	answer Answer
	given  int
	times  int // Forever for no end
}

// New is a script of these answers. With a t it fails the test at its end
// if [Script.Verify] has something to say; t may be nil.
func New(t testing.TB, answers ...Answer) *Script {
	s := &Script{t: t, Model: llm.Info{
		Provider: "script", Name: "scripted", Window: 200_000, MaxOutput: 8_192, Known: true, Images: true, Thinking: true,
	}}
	s.Add(answers...)
	if t != nil {
		t.Cleanup(func() {
			if err := s.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
	return s
}

// Add puts more answers behind those that are there.
func (s *Script) Add(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range answers {
		s.entries = append(s.entries, &entry{number: len(s.entries) + 1, answer: a, times: a.times()})
	}
}

// Info is the Model field.
func (s *Script) Info() llm.Info { return s.Model }

// Requests is what was asked in process, oldest first.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Asked is how many requests came for an answer, in process and over HTTP,
// those that found none included.
func (s *Script) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Verify says which answers nobody asked for, which requests found no answer
// and which checks failed; nil if all went as written.
func (s *Script) Verify() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := slices.Clone(s.troubles)
	for _, e := range s.entries {
		if e.times != Forever && e.given < e.times {
			errs = append(errs, fmt.Errorf("llmtest: answer %d was given %d of %d times:\n%s", e.number, e.given, e.times, indent(e.answer.String())))
		}
	}
	return errors.Join(errs...)
}

func indent(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t")
}

// take gives the next answer for a request, checked. The error is a failed
// check or that there is no answer, and is a trouble already.
func (s *Script) take(see func() view, req *llm.Request) (Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	for _, e := range s.entries {
		if e.times != Forever && e.given >= e.times || !e.answer.wanted(see) {
			continue
		}
		e.given++
		if err := e.answer.expect(see, req); err != nil {
			err = fmt.Errorf("llmtest: answer %d, request %d: %w", e.number, s.asked, err)
			s.troubles = append(s.troubles, err)
			return nil, err
		}
		return e.answer, nil
	}
	err := fmt.Errorf("llmtest: no answer is left for request %d, whose newest messages are:%s", s.asked, short(see().fresh))
	s.troubles = append(s.troubles, err)
	return nil, err
}

// maxInput is the prompt size in tokens that the script sets, or 0.
func (s *Script) maxInput() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if step, ok := e.answer.find(opMaxInput); ok {
			return step.n
		}
	}
	return 0
}

// withIDs gives an id to every call that has none; used says which ids the
// conversation holds already.
func (s *Script) withIDs(a Answer, used func(id string) bool) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a = slices.Clone(a)
	for i, step := range a {
		c, ok := step.part.(llm.ToolCall)
		if !ok || step.fixed {
			continue
		}
		for c.ID == "" || used(c.ID) {
			s.calls++
			c.ID = fmt.Sprintf("toolu_%02d", s.calls)
		}
		a[i].part = c
	}
	return a
}

// Stream gives the next answer. Faults are yielded as an adapter would yield
// them; a failed check and a missing answer are [llm.ErrRequest].
func (s *Script) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		req.Messages, req.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools)
		s.mu.Lock()
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		body := sync.OnceValue(func() []byte { return encode(req) })
		if limit := s.maxInput(); limit > 0 && len(body())/4 > limit {
			yield(nil, s.fault(llm.ErrContextTooLong, "prompt is too long"))
			return
		}
		a, err := s.take(sync.OnceValue(func() view { return look(body()) }), &req)
		if err != nil {
			yield(nil, s.fault(llm.ErrRequest, err.Error()))
			return
		}
		sp := &speaker{script: s, ctx: ctx, yield: yield, piece: a.pieceSize(), model: s.Model.Name}
		sp.answer(s.withIDs(a, usedIDs(req.Messages)), len(body()))
	}
}

func (s *Script) fault(kind error, message string) *llm.Error {
	return &llm.Error{Kind: kind, Provider: s.Model.Provider, Message: message, RetryAfter: -1}
}

// usedIDs says which call ids the messages hold.
func usedIDs(messages []llm.Message) func(string) bool {
	used := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			used[c.ID], used[c.Wire] = true, true
		}
	}
	return func(id string) bool { return used[id] }
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(fmt.Sprintf("%+v", v))
	}
	return bytes.TrimSpace(b.Bytes())
}

// speaker yields one answer in process.
type speaker struct {
	script *Script
	ctx    context.Context
	yield  func(llm.Chunk, error) bool
	model  string
	piece  int
	delay  time.Duration
	parts  llm.Parts
	calls  int
	said   bool // a delta was yielded
	ended  bool // the error was yielded, or the reader is gone
}

func (sp *speaker) answer(a Answer, bytes int) {
	for _, step := range a {
		sp.step(step)
		if sp.ended {
			return
		}
	}
	if _, cut := a.find(opCutAt); cut {
		sp.fail(sp.script.fault(llm.ErrStream, "the stream ended without its terminal event"))
		return
	}
	stop, detail := a.ending()
	if sp.wait(0) {
		sp.yield(llm.Done{Parts: sp.parts, Usage: a.cost(bytes), Stop: stop, Detail: detail, Model: sp.model}, nil)
	}
}

func (sp *speaker) step(step Step) {
	switch step.op {
	case opSay, opThink, opRedacted, opCall, opBadCall:
		sp.say(step.part)
	case opHang, opStall:
		sp.wait(step.wait)
	case opDelay:
		sp.delay = step.wait
	case opCut:
		sp.fail(sp.script.fault(llm.ErrStream, "the stream ended without its terminal event"))
	case opReset:
		kind := llm.ErrUnreachable
		if sp.said {
			kind = llm.ErrStream
		}
		sp.fail(sp.script.fault(kind, "connection reset by peer"))
	case opFail:
		sp.fail(step.err)
	case opStatus:
		e := sp.script.fault(kindOf(step.n), step.text)
		e.Status, e.RetryAfter = step.n, retryAfter(step.head)
		sp.fail(e)
	}
}

func (sp *speaker) say(p llm.Part) {
	switch p := p.(type) {
	case llm.Text:
		sp.parts = append(sp.parts, p)
		for _, piece := range pieces(p.Text, sp.piece) {
			sp.delta(llm.TextDelta{Text: piece})
		}
	case llm.Thinking:
		sp.parts = append(sp.parts, p)
		for _, piece := range pieces(p.Text, sp.piece) {
			sp.delta(llm.ThinkingDelta{Text: piece})
		}
	case llm.ToolCall:
		sp.delta(llm.CallDelta{Index: sp.calls, ID: p.ID, Name: p.Name})
		for _, piece := range pieces(arguments(p), sp.piece) {
			sp.delta(llm.CallDelta{Index: sp.calls, Args: piece})
		}
		if p.Malformed == "" && len(p.Args) == 0 {
			p.Args = json.RawMessage("{}")
		}
		sp.parts = append(sp.parts, p)
		sp.calls++
	}
}

func (sp *speaker) delta(c llm.Chunk) {
	if sp.wait(sp.delay) {
		sp.said = true
		sp.ended = !sp.yield(c, nil)
	}
}

// fail yields the error, last.
func (sp *speaker) fail(err error) {
	if !sp.ended {
		sp.yield(nil, err)
		sp.ended = true
	}
}

// wait is false when the answer is over.
func (sp *speaker) wait(d time.Duration) bool {
	if sp.ended {
		return false
	}
	if d != 0 && sp.ctx.Err() == nil {
		timer := make(<-chan time.Time)
		if d > 0 {
			t := time.NewTimer(d)
			defer t.Stop()
			timer = t.C
		}
		select {
		case <-sp.ctx.Done():
		case <-timer:
		}
	}
	if err := sp.ctx.Err(); err != nil {
		sp.fail(err)
	}
	return !sp.ended
}

// kindOf is the kind of fault that an HTTP status stands for.
func kindOf(status int) error {
	switch {
	case status == 401 || status == 403:
		return llm.ErrAuth
	case status == 429:
		return llm.ErrRateLimited
	case status == 529 || status == 503:
		return llm.ErrOverloaded
	case status == 413:
		return llm.ErrContextTooLong
	case status == 408 || status == 409 || status == 425 || status >= 500 || status < 400:
		return llm.ErrServer
	}
	return llm.ErrRequest
}
