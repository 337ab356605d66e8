package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// block is one content block as it came over the wire, without its mark.
type block struct {
	number    int    // the same for the same bytes of the same role
	kind      string // of a tool's description "tool"
	text      string // all that is said in it
	call      string // of a call and of a result
	name      string
	signature string
	tokens    int
}

// blocks knows every block by its bytes, so that each is parsed only once.
type blocks struct {
	known map[string]*block
	all   []*block
}

// cacheMark ends a block that the cache is to hold everything up to.
const cacheMark = `,"cache_control":{"type":"ephemeral"}}`

func (b *blocks) of(role string, raw []byte) (is *block, marked bool, err error) {
	plain, marked := bytes.CutSuffix(raw, []byte(cacheMark))
	if marked {
		plain = append(bytes.Clone(plain), '}')
	}
	key := role + string(plain)
	if is, ok := b.known[key]; ok {
		return is, marked, nil
	}
	is = &block{number: len(b.all) + 1, tokens: 4}
	if err := is.parse(plain); err != nil {
		return nil, false, err
	}
	b.known[key] = is
	b.all = append(b.all, is)
	return is, marked, nil
}

func (b *block) parse(raw []byte) error {
	var w struct {
		Type, Text, Thinking, Signature, ID, Name, Description string
		ToolUseID                                              string `json:"tool_use_id"`
		Input                                                  json.RawMessage
		Schema                                                 json.RawMessage `json:"input_schema"`
		Content                                                []struct{ Type, Text string }
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	b.kind, b.call, b.name, b.signature = w.Type, w.ID+w.ToolUseID, w.Name, w.Signature
	if b.kind == "" && w.Schema != nil {
		b.kind = "tool"
	}
	b.text = w.Text + w.Thinking + w.Description
	for _, c := range w.Content {
		if c.Type != "text" || strings.TrimSpace(c.Text) == "" {
			return fmt.Errorf("a result holds %q with the text %q", c.Type, c.Text)
		}
		b.text += c.Text
	}
	for _, s := range []string{b.text, b.name, string(w.Input), string(w.Schema)} {
		b.tokens += tokensIn(s)
	}
	b.tokens += len(w.Signature) / 8
	return nil
}

// tokensIn counts as this provider counts: in pieces of words, figures and
// signs. It is nobody's tokenizer, and in particular not MiniCode's estimate.
func tokensIn(s string) (n int) {
	class := func(c byte) (kind, size int) {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return 1, 5
		case c >= '0' && c <= '9':
			return 2, 2
		case c == ' ' || c == '\n' || c == '\t':
			return 3, 8
		case c >= 0x80:
			return 4, 2
		}
		return 5, 2
	}
	for i := 0; i < len(s); {
		kind, size := class(s[i])
		from := i
		for i < len(s) {
			if k, _ := class(s[i]); k != kind {
				break
			}
			i++
		}
		if s[from:i] != " " {
			n += (i - from + size - 1) / size
		}
	}
	return n
}

// scaled is a count as it is told: the factor keeps every estimate wrong that
// does not learn.
func scaled(tokens int) int { return (tokens*11 + 9) / 10 }

// asked is one request, read.
type asked struct {
	body     []byte
	limit    int // of the answer, in tokens
	tools    int
	thinks   bool
	messages []said
	all      []*block // tools, system and messages, in the order of the cache
	marked   []bool
	ends     []bool // whether a message ends with the block
	tokens   int
}

type said struct {
	role   string
	blocks []*block
}

func (b *blocks) read(body []byte) (*asked, error) {
	var w struct {
		MaxTokens     int `json:"max_tokens"`
		Stream        bool
		Thinking      struct{ Type string }
		System, Tools []json.RawMessage
		Messages      []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	if !w.Stream {
		return nil, errors.New("only streams are given")
	}
	q := &asked{body: body, limit: w.MaxTokens, tools: len(w.Tools), thinks: w.Thinking.Type == "enabled"}
	add := func(role string, raws []json.RawMessage) (out []*block, err error) {
		for i, raw := range raws {
			is, marked, err := b.of(role, raw)
			if err != nil {
				return nil, fmt.Errorf("%s block %d: %w", role, i, err)
			}
			q.all, q.marked, q.ends = append(q.all, is), append(q.marked, marked), append(q.ends, i == len(raws)-1)
			q.tokens += is.tokens
			out = append(out, is)
		}
		q.tokens += 3
		return out, nil
	}
	if _, err := add("tools", w.Tools); err != nil {
		return nil, err
	}
	if _, err := add("system", w.System); err != nil {
		return nil, err
	}
	for _, m := range w.Messages {
		of, err := add(m.Role, m.Content)
		if err != nil {
			return nil, err
		}
		q.messages = append(q.messages, said{m.Role, of})
	}
	return q, nil
}

// faults is what the provider refuses, of what a client can get wrong when it
// makes a conversation shorter.
func (q *asked) faults() (faults []string) {
	bad := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	marks := 0
	for _, m := range q.marked {
		if m {
			marks++
		}
	}
	if marks > 4 {
		bad("%d blocks have a cache_control, over 4", marks)
	}
	if n := len(q.messages); n == 0 || q.messages[0].role != "user" || q.messages[n-1].role != "user" {
		bad("the messages do not begin and end with the user's")
		return faults
	}
	ids := map[string]bool{}
	var open []string
	for i, m := range q.messages {
		if len(m.blocks) == 0 {
			bad("message %d is empty", i)
			continue
		}
		if i > 0 && m.role == q.messages[i-1].role {
			bad("messages %d and %d are both the %s's", i-1, i, m.role)
		}
		var results []string
		thought, others := (*block)(nil), false
		for _, b := range m.blocks {
			switch b.kind {
			case "text":
				if others = true; strings.TrimSpace(b.text) == "" {
					bad("message %d has an empty text", i)
				}
			case "tool_result":
				if results = append(results, b.call); others {
					bad("message %d has results behind other blocks", i)
				}
			case "thinking":
				thought = b
			case "tool_use":
				if ids[b.call] {
					bad("the id %s is there twice", b.call)
				}
				ids[b.call] = true
				if want, sig := thinkingOf(b.call); want != "" && (thought == nil || thought.text != want || thought.signature != sig) {
					bad("the thinking before %s is not what was sent", b.call)
				}
			default:
				bad("message %d has a block %q", i, b.kind)
			}
		}
		if m.role == "assistant" && m.blocks[len(m.blocks)-1].kind == "thinking" {
			bad("message %d ends in thinking", i)
		}
		if fmt.Sprint(sortedStrings(results)) != fmt.Sprint(sortedStrings(open)) {
			bad("message %d answers the calls %v, and those before it are %v", i, results, open)
		}
		open = nil
		for _, b := range m.blocks {
			if b.kind == "tool_use" {
				open = append(open, b.call)
			}
		}
	}
	return faults
}

// messagesServer stands where the network begins. It is as strict as the
// Messages API about form and size, keeps a cache of prefixes as that does,
// and answers by script: from what it is sent alone.
type messagesServer struct {
	window int
	script longScript
	known  *blocks // may be shared with another one's, so that requests can be compared

	mu       sync.Mutex
	expect   int  // the number of the newest prompt
	edited   bool // the view was, since the request before
	doubt    bool // the next request is to be judged strictly
	cache    map[uint64]bool
	judge    *llmtest.Server
	faults   []string
	tooLong  int
	steps    []stepAsked
	digested string // what the requests for a summary held, since the last edit
	digests  int
	input    int     // of all requests
	price    float64 // of it, in tokens that no cache holds
	fixed    int     // tools and system prompt
}

// stepAsked is one request for a step.
type stepAsked struct {
	edited      bool // the view was edited since the request before
	total, read int  // tokens; read is those from the cache
	blocks      []int32
}

func newMessagesServer(window int, script longScript, known *blocks) *messagesServer {
	if known == nil {
		known = &blocks{known: map[string]*block{}}
	}
	return &messagesServer{
		window: window, script: script, known: known, cache: map[uint64]bool{},
		judge: &llmtest.Server{Script: llmtest.New(nil, llmtest.Join(llmtest.Say("fine"), llmtest.Repeat(llmtest.Forever)))},
	}
}

func (s *messagesServer) fault(format string, args ...any) {
	if len(s.faults) < 20 {
		s.faults = append(s.faults, fmt.Sprintf("request %d: ", len(s.steps)+s.digests)+fmt.Sprintf(format, args...))
	}
}

// RoundTrip answers one request.
func (s *messagesServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err == nil {
		err = r.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.known.read(body)
	if err != nil {
		s.fault("%v", err)
		return s.refuse(r, err.Error())
	}
	if total, most := scaled(q.tokens), s.window-q.limit; total > most {
		s.tooLong++
		return s.refuse(r, fmt.Sprintf("prompt is too long: %d tokens > %d maximum", total, most))
	}
	faults := q.faults()
	if len(s.steps)%20 == 0 || s.doubt || q.tools == 0 {
		s.doubt = false
		faults = append(faults, s.strictly(r, body)...)
	}
	if len(faults) > 0 {
		s.fault("%s", strings.Join(faults, "; "))
		return s.refuse(r, faults[0])
	}
	u := s.usage(q)
	s.input += scaled(q.tokens)
	s.price += float64(u.Input) + 1.25*float64(u.CacheWrite) + 0.10*float64(u.CacheRead)
	answer := s.script.digest(q)
	if q.tools > 0 {
		answer = s.step(q, u)
	} else {
		s.digests++
		for _, b := range q.all {
			s.digested += b.text + "\n"
		}
	}
	for _, p := range answer.parts {
		u.Output += scaled(p.tokens())
	}
	if u.Output > q.limit {
		s.fault("the script's answer has %d tokens, over %d", u.Output, q.limit)
	}
	return respond(r, 200, "text/event-stream", answer.sse(u)), nil
}

// step answers a request for the next step, and holds it against what it must
// still say.
func (s *messagesServer) step(q *asked, u llm.Usage) scripted {
	a := stepAsked{edited: s.edited, total: scaled(q.tokens), read: u.CacheRead}
	for _, b := range q.all {
		a.blocks = append(a.blocks, int32(b.number))
	}
	s.steps = append(s.steps, a)
	s.edited = false
	s.fixed = 6
	for _, b := range q.all[:q.tools+1] {
		s.fixed += b.tokens
	}
	for _, n := range []int{1, s.expect} {
		if found := q.count(promptText(n)); found != 1 {
			s.fault("the prompt %d stands in it %d times word for word", n, found)
		}
	}
	return s.script.answer(q)
}

func (s *messagesServer) refuse(r *http.Request, message string) (*http.Response, error) {
	text, _ := json.Marshal(message)
	return respond(r, 400, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":`+string(text)+`}}`), nil
}

func respond(r *http.Request, status int, kind, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Request: r, Body: io.NopCloser(strings.NewReader(body))}
}

// strictly has the request judged by the strict server as well.
func (s *messagesServer) strictly(r *http.Request, body []byte) []string {
	again := httptest.NewRequest(http.MethodPost, "/v1/messages", bytes.NewReader(body))
	again.Header = r.Header
	w := httptest.NewRecorder()
	s.judge.ServeHTTP(w, again)
	if w.Code != http.StatusOK {
		return []string{w.Body.String()}
	}
	return nil
}

// usage counts the request as a cache of prefixes does: what one of the marks,
// or one of the 20 blocks before it, has in common with a mark of an earlier
// request is read; the rest up to the last mark is written.
func (s *messagesServer) usage(q *asked) llm.Usage {
	sums, counts := make([]uint64, len(q.all)), make([]int, len(q.all))
	h, n := uint64(14695981039346656037), 0
	step := func(x uint64) { h = (h ^ x) * 1099511628211 }
	if q.thinks {
		step(1)
	}
	for i, b := range q.all {
		step(uint64(b.number))
		n += b.tokens
		sums[i] = h
		if q.ends[i] {
			step(0)
			n += 3
		}
		counts[i] = n
	}
	read, last := 0, 0
	for i := range q.all {
		if !q.marked[i] {
			continue
		}
		last = counts[i]
		for j := i; j >= 0 && j > i-20; j-- {
			if s.cache[sums[j]] {
				read = max(read, counts[j])
				break
			}
		}
	}
	for i := range q.all {
		if q.marked[i] {
			s.cache[sums[i]] = true
		}
	}
	u := llm.Usage{CacheRead: scaled(read)}
	u.CacheWrite = max(0, scaled(last)-u.CacheRead)
	u.Input = scaled(q.tokens) - u.CacheRead - u.CacheWrite
	return u
}
