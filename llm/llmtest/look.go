package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// view is a request as expectations look at it: its bytes and all its
// strings, unescaped; fresh is the same of what came after the last assistant
// message.
type view struct{ all, fresh string }

// look takes the body of either wire, or an [llm.Request] as JSON.
func look(body []byte) view {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return view{string(body), string(body)}
	}
	var all, fresh strings.Builder
	all.Write(body)
	gather(&all, v)
	for _, m := range newest(v) {
		gather(&fresh, m)
	}
	return view{all.String(), fresh.String()}
}

// newest is the messages after the last one of the assistant.
func newest(v any) []any {
	top, _ := v.(map[string]any)
	messages, ok := top["messages"].([]any)
	if !ok {
		messages, _ = top["Messages"].([]any)
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if m, ok := messages[i].(map[string]any); ok && m["role"] == "assistant" {
			return messages[i+1:]
		}
	}
	return messages
}

// gather writes every string of the value on lines of its own, but for the
// words that only say what the others are.
func gather(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString("\n" + v)
	case []any:
		for _, x := range v {
			gather(b, x)
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			if !contains("role type kind id time", k) {
				gather(b, v[k])
			}
		}
	}
}

// wanted says whether the answer is for this request.
func (a Answer) wanted(see func() view) bool {
	for _, s := range a {
		if s.op == opWhen && !strings.Contains(see().all, s.text) {
			return false
		}
	}
	return true
}

// expect runs the answer's checks. A nil req stands for a request that came
// over HTTP.
func (a Answer) expect(see func() view, req *llm.Request) error {
	var errs []error
	for _, s := range a {
		switch s.op {
		case opExpect:
			if !strings.Contains(see().all, s.text) {
				errs = append(errs, fmt.Errorf("the request does not hold %q", s.text))
			}
		case opExpectNew:
			if !strings.Contains(see().fresh, s.text) {
				errs = append(errs, fmt.Errorf("the request's newest messages do not hold %q; they are:%s", s.text, short(see().fresh)))
			}
		case opExpectRe:
			if ok, err := regexp.MatchString(s.text, see().all); err != nil || !ok {
				errs = append(errs, errors.Join(fmt.Errorf("the request does not match %q", s.text), err))
			}
		case opExpectNot:
			if strings.Contains(see().all, s.text) {
				errs = append(errs, fmt.Errorf("the request holds %q", s.text))
			}
		case opCheck:
			if req == nil {
				errs = append(errs, errors.New("a Check cannot look at a request that came over HTTP"))
			} else if err := s.check(*req); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func short(s string) string {
	if len(s) > 2000 {
		return s[:1000] + " ... " + s[len(s)-1000:]
	}
	return s
}
