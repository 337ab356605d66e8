package llmtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// exchange is one request on its way to an answer.
type exchange struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	rec   *Received
	id    string
	top   map[string]any // the body
	param string
}

// admit takes an answer for the request, or refuses it.
func (x *exchange) admit() (Answer, bool) {
	switch {
	case x.rec.Wire == "":
		x.refuse(true, http.StatusNotFound, "", "Invalid URL ("+x.rec.Method+" "+x.rec.Path+")")
		return nil, false
	case x.rec.Method != http.MethodPost:
		x.refuse(true, http.StatusMethodNotAllowed, "", "Method Not Allowed")
		return nil, false
	case !x.authorised():
		return nil, false
	}
	faults := x.faults()
	if len(faults) > 0 {
		why := faults[0].String()
		if x.rec.Wire == OpenAI {
			why, x.param = faults[0].text, faults[0].path
		}
		x.s.refuse(x.rec, true, joinFaults(faults))
		x.error(http.StatusBadRequest, faults[0].code, why)
		return nil, false
	}
	if limit := x.limit(); limit > 0 && len(x.rec.Body)/4 > limit {
		x.s.refuse(x.rec, false, "the prompt is too long")
		x.tooLong(limit)
		return nil, false
	}
	body := x.rec.Body
	answer, err := x.s.Script.take(sync.OnceValue(func() view { return look(body) }), nil)
	if err != nil {
		x.refuse(false, http.StatusBadRequest, "", err.Error())
		return nil, false
	}
	return answer, true
}

// faults is what the provider would refuse the request for.
func (x *exchange) faults() []fault {
	var faults []fault
	if kind, _, _ := strings.Cut(x.rec.Header.Get("Content-Type"), ";"); kind != "application/json" {
		faults = append(faults, fault{text: "the content-type header must be application/json, not " + kind})
	}
	if x.rec.Wire == OpenAI {
		top, more := checkChat(x.rec.Body, x.s.LookAlike)
		x.top, faults = top, append(faults, more...)
	} else {
		if x.rec.Header.Get("Anthropic-Version") != "2023-06-01" {
			faults = append(faults, fault{text: "anthropic-version: header is required and must be 2023-06-01"})
		}
		top, more := checkMessages(x.rec.Body, x.rec.Header.Get("Anthropic-Beta") != "")
		x.top, faults = top, append(faults, more...)
		if len(faults) == 0 {
			faults = x.s.memory.check(x.rec.Body)
		}
	}
	if len(faults) == 0 && x.top["stream"] != true {
		faults = append(faults, fault{text: "llmtest gives streams only"})
	}
	return faults
}

func (x *exchange) authorised() bool {
	want := x.s.Key
	if want == "" {
		return true
	}
	bearer, isBearer := strings.CutPrefix(x.rec.Header.Get("Authorization"), "Bearer ")
	if isBearer && bearer == want || x.rec.Wire == Anthropic && x.rec.Header.Get("X-Api-Key") == want {
		return true
	}
	why := ""
	switch {
	case isBearer || x.rec.Header.Get("X-Api-Key") != "":
	case x.rec.Wire == Anthropic:
		why = "x-api-key header is required"
	default:
		why = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	}
	x.refuse(false, http.StatusUnauthorized, "", why)
	return false
}

func (x *exchange) limit() int {
	if x.s.MaxInput > 0 {
		return x.s.MaxInput
	}
	return x.s.Script.maxInput()
}

func (x *exchange) refuse(wrong bool, status int, code, message string) {
	why := message
	if why == "" {
		why = http.StatusText(status)
	}
	x.s.refuse(x.rec, wrong, why)
	x.error(status, code, message)
}

// error writes an error in the provider's shape.
func (x *exchange) error(status int, code, message string) {
	body := messagesError(status, code, message, x.id)
	if x.rec.Wire == OpenAI {
		body = chatError(status, code, message, x.param)
	}
	x.write(status, "application/json", body)
}

func (x *exchange) write(status int, kind, body string) {
	x.w.Header().Set("Content-Type", kind)
	x.w.WriteHeader(status)
	_, _ = io.WriteString(x.w, body) // a client that left does not want it
}

// tooLong refuses the prompt in the provider's words.
func (x *exchange) tooLong(limit int) {
	tokens := max(len(x.rec.Body)/4, limit+1)
	if x.rec.Wire == Anthropic {
		x.error(http.StatusBadRequest, "", fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, limit))
		return
	}
	x.param = "messages"
	x.error(http.StatusBadRequest, "context_length_exceeded", fmt.Sprintf("This model's maximum context length is %d tokens. "+
		"However, your messages resulted in %d tokens. Please reduce the length of the messages.", limit, tokens))
}

// give streams the answer.
func (x *exchange) give(a Answer) {
	a = withSignatures(x.s.Script.withIDs(a, toolIDs(x.rec.Body)))
	x.s.memory.remember(a)
	p := newPipe(x.r.Context(), x.w, x.s.closed, a)
	v := x.voice(p, a)
	begun := false
	begin := func() {
		if !begun {
			begun = true
			v.begin()
		}
	}
	for _, step := range a {
		switch step.op {
		case opSay, opThink, opRedacted, opCall, opBadCall:
			begin()
			v.say(step.part)
		case opHang, opStall:
			p.wait(step.wait)
		case opDelay:
			p.delay = step.wait
		case opRaw:
			begin()
			p.write(step.text)
		case opCut:
			begin()
			p.stop(io.EOF)
		case opReset:
			p.stop(errReset)
		case opFail, opStatus:
			x.fail(p, v, step)
		}
	}
	if p.err == nil {
		begin()
		v.end(a.ending())
		if after, ok := a.find(opAfter); ok {
			p.write(after.text)
		}
	}
	p.finish()
}

func (x *exchange) voice(p *pipe, a Answer) voice {
	model, _ := x.top["model"].(string)
	usage := a.cost(len(x.rec.Body))
	if x.rec.Wire == Anthropic {
		return &messagesVoice{p: p, id: fmt.Sprintf("msg_%04d", x.rec.Number), model: model, usage: usage, piece: a.pieceSize()}
	}
	options, _ := x.top["stream_options"].(map[string]any)
	return &chatVoice{
		p: p, id: fmt.Sprintf("chatcmpl-%04d", x.rec.Number), model: model, usage: usage, piece: a.pieceSize(),
		withUsage: options["include_usage"] == true,
	}
}

// fail does what the fault of the step comes from.
func (x *exchange) fail(p *pipe, v voice, step Step) {
	if p.err != nil {
		return
	}
	e := step.err
	if step.op == opStatus {
		e = &llm.Error{Kind: kindOf(step.n), Status: step.n, Message: step.text, RetryAfter: -1}
	}
	switch {
	case errors.Is(e.Kind, llm.ErrStalled):
		p.wait(-1)
	case errors.Is(e.Kind, llm.ErrUnreachable):
		p.stop(errReset)
	case p.started:
		v.fail(e)
	case errors.Is(e.Kind, llm.ErrStream):
		v.begin()
	default:
		x.failed(step, e)
	}
	p.stop(io.EOF)
}

// failed answers with a status, as the script says.
func (x *exchange) failed(step Step, e *llm.Error) {
	if e.RetryAfter >= 0 {
		if e.RetryAfter%time.Second == 0 {
			x.w.Header().Set("Retry-After", fmt.Sprint(int(e.RetryAfter/time.Second)))
		} else {
			x.w.Header().Set("Retry-After-Ms", fmt.Sprintf("%g", float64(e.RetryAfter)/float64(time.Millisecond)))
		}
	}
	overloaded := 529
	if x.rec.Wire == OpenAI {
		overloaded = http.StatusServiceUnavailable
	}
	status := statusOf(e, overloaded)
	for k, values := range step.head {
		x.w.Header()[k] = slices.Clone(values)
	}
	body := strings.TrimSpace(e.Message)
	switch {
	case step.op == opFail && errors.Is(e.Kind, llm.ErrContextTooLong) && body == "":
		x.tooLong(200_000)
	case strings.HasPrefix(body, "<"):
		x.write(status, "text/html; charset=utf-8", e.Message)
	case strings.HasPrefix(body, "{"):
		x.write(status, "application/json", e.Message)
	default:
		x.error(status, e.Code, e.Message)
	}
}
