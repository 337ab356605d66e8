package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// ParseScript reads a script in the format that the package comment
// describes. Its error names every line that is wrong.
func ParseScript(text string) ([]Answer, error) {
	p := &parser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	p.run()
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.answers, nil
}

type parser struct {
	lines   []string
	next    int // index of the line to read next
	answers []Answer
	current Answer
	errs    []error
}

func (p *parser) run() {
	for p.next < len(p.lines) {
		line := strings.TrimSpace(p.lines[p.next])
		p.next++
		number := p.next
		switch {
		case line == "" || line == "---":
			p.finish()
			continue
		case strings.HasPrefix(line, "#"):
			continue
		case line == "*":
			p.star(number)
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest, err := p.heredoc(strings.TrimSpace(rest))
		if err == nil {
			var a Answer
			a, err = parseStep(word, rest)
			p.current = append(p.current, a...)
		}
		if err != nil {
			p.errs = append(p.errs, fmt.Errorf("line %d: %w", number, err))
		}
	}
	p.finish()
}

func (p *parser) finish() {
	if len(p.current) > 0 {
		p.answers = append(p.answers, p.current)
	}
	p.current = nil
}

// star makes the last answer the one that repeats.
func (p *parser) star(line int) {
	switch {
	case len(p.current) > 0:
		p.current = append(p.current, Repeat(Forever)...)
	case len(p.answers) > 0:
		p.answers[len(p.answers)-1] = append(p.answers[len(p.answers)-1], Repeat(Forever)...)
	default:
		p.errs = append(p.errs, fmt.Errorf("line %d: * stands before any answer", line))
	}
}

// heredoc replaces "<<END" at the end of the line by the lines up to END, as
// a quoted text.
func (p *parser) heredoc(rest string) (string, error) {
	at := strings.LastIndex(rest, "<<")
	if at < 0 || (at > 0 && rest[at-1] != ' ') {
		return rest, nil
	}
	end := rest[at+2:]
	if end == "" || strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return rest, nil
	}
	for i := p.next; i < len(p.lines); i++ {
		if strings.TrimSpace(p.lines[i]) == end {
			text := strings.Join(p.lines[p.next:i], "\n")
			p.next = i + 1
			return rest[:at] + strconv.Quote(text), nil
		}
	}
	return "", fmt.Errorf("there is no line %s that ends the text", end)
}

func parseStep(word, rest string) (Answer, error) {
	switch op(word) {
	case opSay, opRedacted, opRaw, opAfter, opExpect, opExpectNew, opExpectRe, opExpectNot, opWhen, "comment":
		return parseText(op(word), rest)
	case opThink:
		text, signature := splitThinking(rest)
		return Think(text, signature), nil
	case opCall, opBadCall:
		return parseCall(op(word), rest)
	case opStop:
		reason, detail, _ := strings.Cut(rest, " ")
		if reason == "" {
			return nil, errors.New("stop wants a reason, such as max_tokens")
		}
		return Answer{{op: opStop, stop: llm.Stop(reason), text: unquote(detail)}}, nil
	case opUsage:
		return parseUsage(rest)
	case opFail:
		return parseFail(rest)
	case opCut, opPieces, opBytes, opMaxInput, opRepeat:
		return parseNumber(op(word), rest)
	case opStall, opDelay:
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("%s wants a duration, such as 20ms, not %q", word, rest)
		}
		return Answer{{op: op(word), wait: d}}, nil
	case opReset, opHang, opCRLF:
		if rest != "" {
			return nil, fmt.Errorf("%s takes nothing after it", word)
		}
		if op(word) == opHang {
			return Hang(), nil
		}
		return Answer{{op: op(word)}}, nil
	}
	return nil, fmt.Errorf("unknown word %q", word)
}

func parseText(o op, rest string) (Answer, error) {
	text := unquote(rest)
	switch o {
	case opSay:
		return Say(text), nil
	case opRedacted:
		return Redacted(text), nil
	case "comment":
		return Raw(": " + strings.ReplaceAll(text, "\n", " ") + "\n\n"), nil
	case opExpectRe:
		if _, err := regexp.Compile(text); err != nil {
			return nil, err
		}
	}
	if text == "" {
		return nil, fmt.Errorf("%s wants a text", o)
	}
	return Answer{{op: o, text: text}}, nil
}

// parseCall reads "[#ID] NAME [ARGUMENTS]".
func parseCall(o op, rest string) (Answer, error) {
	id, fixed := "", false
	if after, ok := strings.CutPrefix(rest, "#"); ok {
		id, rest, _ = strings.Cut(after, " ")
		rest, fixed = strings.TrimSpace(rest), true
	}
	name, args, _ := strings.Cut(rest, " ")
	if name == "" {
		return nil, fmt.Errorf("%s wants the name of a tool", o)
	}
	args = unquote(strings.TrimSpace(args))
	var a Answer
	switch {
	case o == opBadCall:
		a = Malformed(name, args)
	case isObject(args):
		a = Call(name, args)
	default:
		return nil, fmt.Errorf("the arguments of %s are not a JSON object (badcall sends such ones): %s", name, args)
	}
	if fixed {
		c := a[0].part.(llm.ToolCall)
		c.ID = id
		a[0].part, a[0].fixed = c, true
	}
	return a, nil
}

func parseUsage(rest string) (Answer, error) {
	var u llm.Usage
	for _, word := range strings.Fields(rest) {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("usage: %q is not NAME=NUMBER", word)
		}
		switch key {
		case "in":
			u.Input = n
		case "out":
			u.Output = n
		case "cache_read":
			u.CacheRead = n
		case "cache_write":
			u.CacheWrite = n
		case "reasoning":
			u.Reasoning = n
		default:
			return nil, fmt.Errorf("usage: %q is not in, out, cache_read, cache_write or reasoning", key)
		}
	}
	return Usage(u), nil
}

// parseFail reads "KIND|STATUS [HEADER=VALUE ...] [BODY]".
func parseFail(rest string) (Answer, error) {
	what, rest, _ := strings.Cut(rest, " ")
	head := http.Header{}
	for {
		word, after, _ := strings.Cut(strings.TrimSpace(rest), " ")
		key, value, ok := strings.Cut(word, "=")
		if !ok || value == "" || !isHeaderName(key) {
			break
		}
		head.Add(key, value)
		rest = after
	}
	body := unquote(strings.TrimSpace(rest))
	if status, err := strconv.Atoi(what); err == nil {
		if status < 200 || status > 599 {
			return nil, fmt.Errorf("fail: %d is not an HTTP status", status)
		}
		if len(head) == 0 {
			head = nil
		}
		return Status(status, head, body), nil
	}
	kind := failKind(what)
	if kind == nil {
		return nil, fmt.Errorf("fail: %q is neither a status nor one of %s", what, strings.Join(failWords(), ", "))
	}
	e := &llm.Error{Kind: kind, Message: body, RetryAfter: retryAfter(head)}
	head.Del("Retry-After")
	head.Del("Retry-After-Ms")
	if len(head) > 0 {
		return nil, errors.New("fail: only a status can have headers other than retry-after and retry-after-ms")
	}
	return Fail(e), nil
}

func parseNumber(o op, rest string) (Answer, error) {
	switch {
	case o == opCut && rest == "":
		return Cut(), nil
	case o == opRepeat && rest == "forever":
		return Repeat(Forever), nil
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("%s wants a number above 0, not %q", o, rest)
	}
	if o == opCut {
		o = opCutAt
	}
	return Answer{{op: o, n: n}}, nil
}

// failWords are the words for the kinds of errors, each at its kind's place
// in failKinds.
func failWords() []string {
	return []string{"auth", "rate-limited", "overloaded", "server", "unreachable", "stream", "stalled", "too-long", "request"}
}

func failKinds() []error {
	return []error{
		llm.ErrAuth, llm.ErrRateLimited, llm.ErrOverloaded, llm.ErrServer, llm.ErrUnreachable,
		llm.ErrStream, llm.ErrStalled, llm.ErrContextTooLong, llm.ErrRequest,
	}
}

func failKind(word string) error {
	if i := slices.Index(failWords(), word); i >= 0 {
		return failKinds()[i]
	}
	return nil
}

func isHeaderName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// retryAfter is how long the headers ask to wait, -1 when they do not.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil && s >= 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	return -1
}

// splitThinking reads "TEXT [| SIGNATURE]".
func splitThinking(rest string) (text, signature string) {
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		after := strings.TrimSpace(rest[len(quoted):])
		if after == "" {
			return unquote(quoted), ""
		}
		if sig, ok := strings.CutPrefix(after, "|"); ok {
			return unquote(quoted), unquote(strings.TrimSpace(sig))
		}
	}
	if i := strings.LastIndex(rest, " | "); i >= 0 {
		return strings.TrimSpace(rest[:i]), unquote(strings.TrimSpace(rest[i+3:]))
	}
	return rest, ""
}

// unquote takes the quotes off a text that is one Go string as a whole.
func unquote(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '`') {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return s
}

// quote is the text as it can stand in a line.
func quote(s string) string {
	if s == "" {
		return `""`
	}
	plain := s == strings.TrimSpace(s) && s[0] != '"' && s[0] != '`' && s[0] != '#' && !strings.Contains(s, "<<") && !strings.Contains(s, " | ")
	if plain && strings.IndexFunc(s, func(r rune) bool { return r == '=' || !strconv.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// String is the answer in the script format.
func (a Answer) String() string {
	var b strings.Builder
	for _, s := range a {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// String is the step as a line of the script format.
func (s Step) String() string {
	word := string(s.op) + " "
	switch s.op {
	case opSay:
		return word + quote(s.part.(llm.Text).Text)
	case opThink:
		t := s.part.(llm.Thinking)
		return word + strconv.Quote(t.Text) + " | " + strconv.Quote(t.Signature)
	case opCall, opBadCall:
		c := s.part.(llm.ToolCall)
		if s.fixed {
			word += "#" + c.ID + " "
		}
		args := arguments(c)
		if args == "" {
			return word + c.Name
		}
		return word + c.Name + " " + strconv.Quote(args)
	case opStop:
		if s.text == "" {
			return word + string(s.stop)
		}
		return word + string(s.stop) + " " + quote(s.text)
	case opUsage:
		u := s.usage
		return fmt.Sprintf("usage in=%d out=%d cache_read=%d cache_write=%d reasoning=%d", u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning)
	case opFail, opStatus:
		return s.printFail()
	case opCutAt:
		return fmt.Sprintf("cut %d", s.n)
	case opStall, opDelay:
		return word + s.wait.String()
	case opPieces, opBytes, opMaxInput:
		return word + strconv.Itoa(s.n)
	case opRepeat:
		if s.n == Forever {
			return "repeat forever"
		}
		return word + strconv.Itoa(s.n)
	case opCut, opReset, opHang, opCRLF, opCheck:
		return string(s.op)
	}
	return word + quote(s.text)
}

func (s Step) printFail() string {
	b := []string{"fail"}
	text := s.text
	if s.op == opStatus {
		b = append(b, strconv.Itoa(s.n))
		for _, k := range sortedKeys(s.head) {
			for _, v := range s.head[k] {
				b = append(b, k+"="+v)
			}
		}
	} else {
		word := "unknown"
		if i := slices.Index(failKinds(), s.err.Kind); i >= 0 {
			word = failWords()[i]
		}
		b = append(b, word)
		if s.err.RetryAfter >= 0 {
			b = append(b, fmt.Sprintf("retry-after-ms=%g", float64(s.err.RetryAfter)/float64(time.Millisecond)))
		}
		text = s.err.Message
	}
	if text != "" {
		b = append(b, quote(text))
	}
	return strings.Join(b, " ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
