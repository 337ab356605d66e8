package llmtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// Target is where a model under test is to send its requests.
type Target struct {
	BaseURL string
	Key     string
	Idle    time.Duration // how long it may wait for the first byte, and for the next
}

// Conform holds an adapter to the contract of [llm.Model], over a [Server]
// that speaks the wire. Each behaviour is a subtest with a model of its own.
//
// The model that newModel makes must ask with the target's key, wait no
// longer than the target says, and have an Info with Images and Thinking set,
// of a name that thinks on that wire. It must not use connections that
// another test could have left behind.
func Conform(t *testing.T, wire Wire, newModel func(t testing.TB, target Target) llm.Model) {
	for _, b := range behaviours() {
		t.Run(b.name, func(t *testing.T) {
			c := &conformity{t: t, wire: wire, newModel: newModel}
			if wire == LookAlike {
				c.wire, c.lookAlike = OpenAI, true
			}
			b.run(c)
		})
	}
}

type behaviour struct {
	name string
	run  func(*conformity)
}

func behaviours() []behaviour {
	return []behaviour{
		{"text", (*conformity).text},
		{"thinking", (*conformity).thinking},
		{"call", (*conformity).call},
		{"parallel calls", (*conformity).parallel},
		{"malformed arguments", (*conformity).malformed},
		{"usage", (*conformity).usage},
		{"stop reasons", (*conformity).stops},
		{"refusal", (*conformity).refusal},
		{"empty answer", (*conformity).empty},
		{"torn at every byte", (*conformity).torn},
		{"one big delta", (*conformity).big},
		{"comments and line ends", (*conformity).comments},
		{"after the terminal event", (*conformity).after},
		{"statuses", (*conformity).statuses},
		{"retry after", (*conformity).retryAfter},
		{"web page", (*conformity).webPage},
		{"error in the stream", (*conformity).errorInside},
		{"cut", (*conformity).cut},
		{"cut at every byte", (*conformity).cutAt},
		{"stall", (*conformity).stall},
		{"cancel", (*conformity).cancel},
		{"reader leaves", (*conformity).leave},
		{"unreachable", (*conformity).unreachable},
		{"too long", (*conformity).tooLong},
		{"wrong key", (*conformity).wrongKey},
		{"side by side", (*conformity).sideBySide},
		{"round trip", (*conformity).roundTrip},
		{"broken history", (*conformity).brokenHistory},
		{"same bytes", (*conformity).sameBytes},
	}
}

// patience is what a behaviour may wait for something that must happen soon.
const patience = 10 * time.Second

// conformity runs one behaviour.
type conformity struct {
	t         *testing.T
	wire      Wire
	lookAlike bool
	newModel  func(testing.TB, Target) llm.Model
	server    *Server
	model     llm.Model
}

// ready starts a server that gives these answers, and a model that asks it.
func (c *conformity) ready(answers ...Answer) { c.t.Helper(); c.readyWith(time.Minute, answers...) }

func (c *conformity) readyWith(idle time.Duration, answers ...Answer) {
	c.t.Helper()
	c.server = NewServer(New(c.t, answers...))
	c.server.Key = "conform-key"
	c.server.LookAlike = c.lookAlike
	c.model = c.newModel(c.t, Target{BaseURL: c.server.BaseURL(c.wire), Key: c.server.Key, Idle: idle})
}

// heard is an answer as its reader got it.
type heard struct {
	text, thinking string
	calls          []llm.CallDelta // joined, one a call
	done           llm.Done
	dones          int
	err            error
}

func (c *conformity) hear(ctx context.Context, req llm.Request) heard {
	c.t.Helper()
	var h heard
	for chunk, err := range c.model.Stream(ctx, req) {
		if h.err != nil || h.dones > 0 {
			c.t.Errorf("after the end of the answer came %v, %v", chunk, err)
		}
		if err != nil {
			h.err = err
			continue
		}
		switch chunk := chunk.(type) {
		case llm.TextDelta:
			h.text += chunk.Text
		case llm.ThinkingDelta:
			h.thinking += chunk.Text
		case llm.CallDelta:
			c.callDelta(&h, chunk)
		case llm.Done:
			h.done = chunk
			h.dones++
		}
	}
	if h.err == nil && h.dones == 0 {
		c.t.Error("the answer ended without Done and without an error")
	}
	return h
}

func (c *conformity) callDelta(h *heard, d llm.CallDelta) {
	c.t.Helper()
	if d.Index < 0 || d.Index > len(h.calls) {
		c.t.Errorf("a call delta has index %d after %d calls", d.Index, len(h.calls))
		return
	}
	if d.Index == len(h.calls) {
		h.calls = append(h.calls, d)
		return
	}
	h.calls[d.Index].Args += d.Args
}

// answer is the whole answer to a prompt, which must be one.
func (c *conformity) answer() heard {
	c.t.Helper()
	h := c.hear(c.t.Context(), ask1("hello"))
	if h.err != nil {
		c.t.Fatalf("got an error: %v", h.err)
	}
	return h
}

// ask1 is a request of one prompt.
func ask1(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, text)}}
}

// fails asks and checks that the answer is a fault of that kind.
func (c *conformity) fails(what string, kinds ...error) *llm.Error {
	c.t.Helper()
	h := c.hear(c.t.Context(), ask1("hello"))
	return c.isFault(what, h.err, kinds...)
}

func (c *conformity) isFault(what string, err error, kinds ...error) *llm.Error {
	c.t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		c.t.Errorf("%s: got %v, not an *llm.Error", what, err)
		return &llm.Error{Kind: errors.New("none"), RetryAfter: -1}
	}
	if e.Provider != c.model.Info().Provider {
		c.t.Errorf("%s: the error is of provider %q", what, e.Provider)
	}
	for _, k := range kinds {
		if errors.Is(e, k) {
			return e
		}
	}
	c.t.Errorf("%s: got %q, want one of %q", what, e, kinds)
	return e
}

// quiet waits until nothing of the answer is left: no goroutine that was not
// there before, no request that the server still works at.
func (c *conformity) quiet(before map[string]int) {
	c.t.Helper()
	var left []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		left = nil
		for stack, n := range strays() {
			if n > before[stack] {
				left = append(left, stack)
			}
		}
		if n := c.server.active.Load(); n > 0 {
			left = append(left, fmt.Sprintf("%d requests that the server still answers", n))
		}
		if len(left) == 0 {
			return
		}
	}
	c.t.Errorf("left behind:\n%s", strings.Join(left, "\n\n"))
}

// strays counts goroutines by where they were started, without those of tests
// and of idle connections.
func strays() map[string]int {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	count := map[string]int{}
	for g := range strings.SplitSeq(string(buf), "\n\n") {
		_, by, ok := strings.Cut(g, "created by ")
		if !ok || strings.HasPrefix(by, "net/http") || strings.HasPrefix(by, "testing.") || strings.Contains(by, "/llmtest.") {
			continue
		}
		by, _, _ = strings.Cut(by, " in goroutine")
		count[by]++
	}
	return count
}
