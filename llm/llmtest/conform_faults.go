package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minicode-go/minicode/llm"
)

func (c *conformity) statuses() {
	type status struct {
		number int
		body   string
		kinds  []error
	}
	all := []status{
		{400, "", []error{llm.ErrRequest}},
		{401, "", []error{llm.ErrAuth}},
		{403, "", []error{llm.ErrAuth}},
		{404, "", []error{llm.ErrRequest}},
		{408, "", []error{llm.ErrServer, llm.ErrUnreachable, llm.ErrOverloaded}},
		{409, "", []error{llm.ErrServer, llm.ErrOverloaded}},
		{413, "", []error{llm.ErrContextTooLong, llm.ErrRequest}},
		{422, "", []error{llm.ErrRequest}},
		{425, "", []error{llm.ErrServer, llm.ErrOverloaded}},
		{429, "", []error{llm.ErrRateLimited}},
		{500, "", []error{llm.ErrServer}},
		{502, "", []error{llm.ErrServer}},
		{503, "", []error{llm.ErrOverloaded, llm.ErrServer}},
		{504, "", []error{llm.ErrServer}},
		{529, "", []error{llm.ErrOverloaded}},
		{500, "{}", []error{llm.ErrServer}},
		{500, `{"error":"plain words"}`, []error{llm.ErrServer}},
		{500, `{"error":{"message":"a number","code":500}}`, []error{llm.ErrServer}},
		{429, `{"detail":"elsewhere"}`, []error{llm.ErrRateLimited}},
	}
	answers := make([]Answer, 0, len(all))
	for _, s := range all {
		answers = append(answers, Status(s.number, nil, s.body))
	}
	c.ready(answers...)
	for _, s := range all {
		what := fmt.Sprintf("status %d %s", s.number, s.body)
		e := c.fails(what, s.kinds...)
		if e.Status != s.number {
			c.t.Errorf("%s: the error has status %d", what, e.Status)
		}
		retry := s.number >= 500 || s.number == 408 || s.number == 409 || s.number == 425 || s.number == 429
		if e.Retryable() != retry {
			c.t.Errorf("%s: Retryable is %v", what, e.Retryable())
		}
		if strings.Contains(e.Message, "\n") {
			c.t.Errorf("%s: the message has several lines: %q", what, e.Message)
		}
	}
}

func (c *conformity) retryAfter() {
	for _, w := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, -1},
		{http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{http.Header{"Retry-After": {"0"}}, 0},
		{http.Header{"Retry-After": {"1.5"}}, 1500 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"30"}}, 30 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"30"}, "Retry-After": {"7"}}, 30 * time.Millisecond},
		{http.Header{"Retry-After": {"Wed, 01 Jan 2020 00:00:09 GMT"}, "Date": {"Wed, 01 Jan 2020 00:00:00 GMT"}}, 9 * time.Second},
		{http.Header{"Retry-After": {"soon"}}, -1},
		{http.Header{"Retry-After": {"-5"}}, -1},
	} {
		c.ready(Status(429, w.header, "slow down"))
		if e := c.fails("429", llm.ErrRateLimited); e.RetryAfter != w.want {
			c.t.Errorf("%v gave %v, want %v", w.header, e.RetryAfter, w.want)
		}
	}
}

func (c *conformity) webPage() {
	const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><h1>Bad Gateway</h1></body></html>\n"
	c.ready(Status(502, nil, page), Status(200, nil, page), Status(200, http.Header{"Content-Type": {"text/plain"}}, `{"error":{"message":"told with 200","type":"server_error"}}`))
	for _, status := range []int{502, 200} {
		kinds := []error{llm.ErrServer}
		if status == 200 {
			kinds = []error{llm.ErrRequest, llm.ErrServer, llm.ErrStream}
		}
		e := c.fails(fmt.Sprintf("a web page with status %d", status), kinds...)
		if strings.Contains(e.Error(), "<html") || strings.Contains(e.Error(), "\n") {
			c.t.Errorf("the page is in the message: %q", e)
		}
	}
	if e := c.fails("an error with 200", llm.ErrServer); !strings.Contains(e.Message, "told with 200") {
		c.t.Errorf("the provider's words are lost: %q", e)
	}
}

func (c *conformity) errorInside() {
	kinds := []error{llm.ErrOverloaded, llm.ErrServer, llm.ErrRateLimited}
	answers := make([]Answer, 0, len(kinds))
	for _, k := range kinds {
		answers = append(answers, Join(Say("some text"), Fail(&llm.Error{Kind: k, RetryAfter: -1})))
	}
	c.ready(answers...)
	for _, k := range kinds {
		h := c.hear(c.t.Context(), ask1("hello"))
		if e := c.isFault("an error inside the stream", h.err, k); e.Message == "" {
			c.t.Errorf("the provider's words are lost: %v", e)
		}
		if h.text != "some text" {
			c.t.Errorf("the text before the error is %q", h.text)
		}
	}
}

func (c *conformity) cut() {
	c.ready(Join(rich(), Cut()), Join(Say("x"), Reset()), Fail(&llm.Error{Kind: llm.ErrStream}))
	c.fails("a stream without its terminal event", llm.ErrStream)
	c.fails("a connection that was reset", llm.ErrStream)
	c.fails("a stream of nothing but its beginning", llm.ErrStream)
}

// cutAt breaks the connection everywhere; whatever was whole by then must be
// a whole answer, and anything else a fault.
func (c *conformity) cutAt() {
	c.ready(rich())
	whole := c.answer()
	complete := 0
	for at := 1; at < 4096; at += 97 {
		c.ready(Join(rich(), CutAt(at)))
		h := c.hear(c.t.Context(), ask1("hello"))
		switch {
		case h.err != nil:
			c.isFault(fmt.Sprintf("cut at byte %d", at), h.err, llm.ErrStream)
		case string(encode(h.done.Parts)) != string(encode(whole.done.Parts)):
			c.t.Errorf("cut at byte %d: the answer is given as whole: %+v", at, h.done)
		default:
			complete++
		}
	}
	if complete == 0 {
		c.t.Error("not even the uncut answer was taken")
	}
}

func (c *conformity) stall() {
	c.readyWith(150*time.Millisecond, Hang(), Join(Say("some"), Hang()), Join(Say("some text"), Pieces(1), Delay(20*time.Millisecond)))
	for _, what := range []string{"nothing comes", "nothing more comes"} {
		before, begin := strays(), time.Now()
		if e := c.fails(what, llm.ErrStalled); !e.Retryable() {
			c.t.Errorf("%s: a stall is not retryable", what)
		}
		if took := time.Since(begin); took > patience {
			c.t.Errorf("%s: it took %v", what, took)
		}
		c.quiet(before)
	}
	// A slow answer is not a stalled one, but a slow machine may be.
	if h := c.hear(c.t.Context(), ask1("hello")); h.err != nil {
		c.isFault("a slow answer", h.err, llm.ErrStalled)
	}
}

// soon is how long an interrupt may take until the model is done; that is
// 500 ms by contract, and this leaves room for a busy machine.
const soon = 2 * time.Second

func (c *conformity) cancel() {
	c.ready(Hang(), Join(Say("some text"), Hang()), Join(Repeat(Forever), Say("never")))
	why := errors.New("the person pressed a key")
	for _, what := range []string{"before the first byte", "in the middle"} {
		before := strays()
		ctx, cancel := context.WithCancelCause(c.t.Context())
		var pressed moment
		asked := c.server.Script.Asked()
		go c.cancelWhenAsked(asked, func() { pressed.now(); cancel(why) })
		h := c.hear(ctx, ask1("hello"))
		c.isCancel(what, h.err, why)
		if took := time.Since(pressed.at()); took > soon {
			c.t.Errorf("cancelled %s: it took %v", what, took)
		}
		c.quiet(before)
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	cancel()
	c.isCancel("before the request", c.hear(ctx, ask1("hello")).err, context.Canceled)
}

// moment is when something happened.
type moment struct{ ns atomic.Int64 }

func (m *moment) now()          { m.ns.Store(time.Now().UnixNano()) }
func (m *moment) at() time.Time { return time.Unix(0, m.ns.Load()) }

// cancelWhenAsked cancels once the server has taken one more request.
func (c *conformity) cancelWhenAsked(asked int, cancel func()) {
	for deadline := time.Now().Add(patience); c.server.Script.Asked() <= asked && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
}

func (c *conformity) isCancel(what string, err, why error) {
	c.t.Helper()
	var fault *llm.Error
	if !errors.Is(err, context.Canceled) && !errors.Is(err, why) || errors.As(err, &fault) {
		c.t.Errorf("cancelled %s: got %v", what, err)
	}
}

func (c *conformity) leave() {
	c.ready(Join(Pieces(1), Say("a text of many pieces"), Hang()), Join(Say("next"), Repeat(2)))
	before := strays()
	for chunk, err := range c.model.Stream(c.t.Context(), ask1("hello")) {
		if err != nil {
			c.t.Errorf("got %v", err)
		}
		if _, ok := chunk.(llm.TextDelta); ok {
			break
		}
	}
	c.quiet(before)
	for range 2 {
		if h := c.answer(); h.text != "next" {
			c.t.Errorf("the next answer is %q", h.text)
		}
	}
}

func (c *conformity) unreachable() {
	c.ready(Reset())
	if e := c.fails("a connection that is reset at once", llm.ErrUnreachable, llm.ErrStream); !e.Retryable() {
		c.t.Errorf("it is not retryable: %v", e)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	nobody := (&Server{URL: "http://" + l.Addr().String()}).BaseURL(c.wire)
	if err := l.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.model = c.newModel(c.t, Target{BaseURL: nobody, Key: "k", Idle: time.Minute})
	if e := c.fails("a port that nobody listens on", llm.ErrUnreachable); !e.Retryable() || e.Status != 0 {
		c.t.Errorf("got %+v", e)
	}
}

func (c *conformity) tooLong() {
	words := []string{
		"input is too long for requested model",
		"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
		"the request exceeds the available context size. try increasing the context size or enable context shift",
	}
	c.ready(TooLong(), Status(400, nil, words[0]), Status(400, nil, words[1]), Status(400, nil, words[2]))
	for range 4 {
		if e := c.fails("a prompt that is too long", llm.ErrContextTooLong); e.Retryable() {
			c.t.Errorf("it is retryable: %v", e)
		}
	}
	c.ready()
	c.server.MaxInput = 1000
	h := c.hear(c.t.Context(), ask1(strings.Repeat("many words ", 1000)))
	c.isFault("a prompt above the server's limit", h.err, llm.ErrContextTooLong)
}

func (c *conformity) wrongKey() {
	c.ready()
	c.server.Key = "another-key"
	if e := c.fails("a wrong key", llm.ErrAuth); e.Retryable() || e.Status != http.StatusUnauthorized || strings.Contains(e.Error(), "conform-key") {
		c.t.Errorf("got %q", e)
	}
}
