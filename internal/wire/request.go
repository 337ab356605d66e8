package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// Default time limits.
const (
	DefaultFirstByte = 5 * time.Minute
	DefaultIdle      = 2 * time.Minute
)

// Request is one question to a provider.
type Request struct {
	Provider  string // for errors
	Key       string // where the key comes from, for errors about it
	URL       string
	Header    http.Header
	Body      []byte        // JSON
	HTTP      *http.Client  // nil is http.DefaultClient; its CheckRedirect is not used
	FirstByte time.Duration // until the first byte of the answer; 0 is the default, below 0 no limit
	Idle      time.Duration // between two bytes; 0 is the default, below 0 no limit
}

// Event is one server-sent event, or a whole answer that came as plain JSON
// although a stream was asked for.
type Event struct {
	Name  string // the event field, mostly ""
	Data  []byte // only good until the next event
	Plain bool   // Data is the whole answer
}

// Events sends the request and yields the answer's events as they come, then
// an error if the answer did not end by itself. The error is an *[llm.Error],
// or the cause of ctx's end. An answer that is not a success, a web page or a
// JSON error yields only the error.
func (r Request) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := r.run(ctx, func(e Event) bool { return yield(e, nil) })
		if err == nil {
			return
		}
		var fault *llm.Error
		if errors.As(err, &fault) && errors.Is(err, llm.ErrAuth) {
			fault.Message += " " + keyNote(r.Key)
		}
		yield(Event{}, err)
	}
}

func keyNote(from string) string {
	if from == "" {
		return "(no key was given)"
	}
	return "(the key is from " + from + ")"
}

func (r Request) run(parent context.Context, yield func(Event) bool) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := newWatch(cancel, limit(r.FirstByte, DefaultFirstByte), limit(r.Idle, DefaultIdle))
	defer w.stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return &llm.Error{Kind: llm.ErrRequest, Provider: r.Provider, Message: "the base URL is not a URL", Err: err}
	}
	for k, v := range r.Header {
		req.Header[k] = v
	}
	if fault := r.unsendable(req); fault != nil {
		return fault
	}
	resp, err := r.client().Do(req)
	if err != nil {
		return r.broken(parent, ctx, err, false)
	}
	defer resp.Body.Close()
	w.body = resp.Body
	err = r.answer(resp, w, yield)
	if err == nil {
		w.drain()
		return nil
	}
	var fault *llm.Error
	if errors.As(err, &fault) && parent.Err() == nil {
		return err
	}
	return r.broken(parent, ctx, err, true)
}

// unsendable says what no try would get out of the door. net/http tells it as
// if the server could not be reached, which is tried again and again.
func (r Request) unsendable(req *http.Request) *llm.Error {
	fault := &llm.Error{Kind: llm.ErrRequest, Provider: r.Provider}
	port, err := strconv.Atoi(cmp.Or(req.URL.Port(), "443"))
	if s := req.URL.Scheme; s != "http" && s != "https" || req.URL.Hostname() == "" || err != nil || port > 65535 {
		fault.Message = fmt.Sprintf("the base URL is not an address such as https://host:port: %q", r.URL)
		return fault
	}
	for name, values := range req.Header {
		for _, v := range values {
			if strings.IndexFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) < 0 && token(name) {
				continue
			}
			if name == "Authorization" || strings.HasSuffix(name, "-Api-Key") {
				fault.Kind, fault.Message = llm.ErrAuth, "the key has a line break or another control character in it"
			} else {
				fault.Message = fmt.Sprintf("the header %q cannot be sent: its name or its value has a character that no header may have", name)
			}
			return fault
		}
	}
	return nil
}

// token says whether s may be the name of a header.
func token(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	}) < 0
}

// client follows redirects on the same host only: a redirect elsewhere would
// carry the conversation, and headers like x-api-key, to a stranger.
func (r Request) client() *http.Client {
	c := http.Client{}
	if r.HTTP != nil {
		c = *r.HTTP
	}
	c.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		first := via[0]
		if len(via) < 5 && next.Method == first.Method && next.URL.Scheme == first.URL.Scheme && next.URL.Host == first.URL.Host {
			return nil
		}
		return http.ErrUseLastResponse
	}
	return &c
}

const (
	maxError = 256 << 10 // bytes of an error's body that are read
	maxPlain = 64 << 20  // bytes of a plain answer
)

func (r Request) answer(resp *http.Response, body io.Reader, yield func(Event) bool) error {
	if resp.StatusCode/100 != 2 {
		data, _ := io.ReadAll(io.LimitReader(body, maxError)) // the status tells enough
		return Fault(r.Provider, resp.StatusCode, resp.Header, data)
	}
	buffered := bufio.NewReaderSize(body, 32<<10)
	switch first, err := firstByte(buffered); {
	case errors.Is(err, io.EOF):
		return &llm.Error{Kind: llm.ErrStream, Provider: r.Provider, Status: resp.StatusCode, Message: "the answer is empty"}
	case err != nil:
		return err
	case first == '<':
		data, _ := io.ReadAll(io.LimitReader(buffered, maxError))
		return Fault(r.Provider, resp.StatusCode, resp.Header, data)
	case first == '{' || first == '[':
		data, err := io.ReadAll(io.LimitReader(buffered, maxPlain))
		if err != nil {
			return err
		}
		if told, ok := readFault(data); ok && told.explicit {
			return Fault(r.Provider, resp.StatusCode, resp.Header, data)
		}
		yield(Event{Data: data, Plain: true})
		return nil
	}
	d := newDecoder(buffered)
	for {
		e, err := d.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !yield(e) {
			return nil
		}
	}
}

// firstByte looks at the first byte that is not blank, and leaves it there.
func firstByte(r *bufio.Reader) (byte, error) {
	for n := 1; ; n++ {
		b, err := r.Peek(n)
		if err != nil {
			return 0, err
		}
		switch c := b[n-1]; c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
		default:
			return c, nil
		}
		if n == 4096 {
			return ' ', nil
		}
	}
}

// broken tells an error of the connection. The person's or the caller's wish
// to stop comes first, then the watchdog.
func (r Request) broken(parent, ctx context.Context, err error, answering bool) error {
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	fault := &llm.Error{Kind: llm.ErrUnreachable, Provider: r.Provider, Err: err}
	var s stall
	switch {
	case errors.As(context.Cause(ctx), &s):
		fault.Kind, fault.Message, fault.Err = llm.ErrStalled, s.Error(), s
	case answering:
		fault.Kind, fault.Message = llm.ErrStream, inner(err).Error()
	default:
		fault.Message = "cannot reach " + host(r.URL) + ": " + inner(err).Error()
		fault.Final = badCertificate(err)
	}
	return fault
}

// inner is the error without the method and URL that net/http puts before it.
func inner(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
