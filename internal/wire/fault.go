package wire

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

// Fault is the error that an answer's status, headers and body tell. The body
// may be any of the shapes that providers and the gateways before them use,
// or a web page.
func Fault(provider string, status int, header http.Header, body []byte) *llm.Error {
	told, ok := readFault(body)
	e := &llm.Error{Provider: provider, Status: status, Code: told.code, Message: told.message}
	page := !ok && strings.HasPrefix(strings.TrimSpace(string(body)), "<")
	switch {
	case page:
		e.Message = webPage(status, string(body))
	case !ok:
		told.message = oneLine(string(body))
		e.Message = told.message
	}
	if status/100 == 2 && told.status != 0 {
		status, e.Status = told.status, told.status
	}
	e.RetryAfter = retryAfter(header)
	if e.RetryAfter < 0 && told.retry > 0 {
		e.RetryAfter = told.retry
	}
	e.Kind = kindOf(status, told, page)
	if errors.Is(e.Kind, llm.ErrRateLimited) && outOfCredit(told) {
		e.Final = true
	}
	if location := header.Get("Location"); status/100 == 3 && location != "" {
		e.Message = "the server redirects to " + location + "; if that is right, make it the base URL"
	}
	switch header.Get("X-Should-Retry") {
	case "false":
		e.Final = true
	case "true":
		if errors.Is(e.Kind, llm.ErrRequest) {
			e.Kind = llm.ErrServer
		}
	}
	return e
}

// Told is the error that a provider tells inside a stream that began well.
func Told(provider string, body []byte) *llm.Error { return Fault(provider, http.StatusOK, nil, body) }

// Cut is the error of a stream that ended before its terminal event.
func Cut(provider, message string) *llm.Error {
	return &llm.Error{Kind: llm.ErrStream, Provider: provider, Message: message}
}

// told is what an error body says.
type told struct {
	code     string // the machine's word
	message  string // the person's, on one line
	status   int    // HTTP status inside the body
	retry    time.Duration
	explicit bool // it has an error member or says that it is an error
}

// readFault reads an error body. It takes {"error": {...}}, {"error": "..."},
// {"errors": [{...}]}, a list of one of these, and the members without the
// wrapping.
func readFault(body []byte) (told, bool) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return told{}, false
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	top, ok := v.(map[string]any)
	if !ok {
		return told{}, false
	}
	t := told{explicit: top["type"] == "error" || top["object"] == "error" || top["error_msg"] != nil}
	in := top
	switch e := top["error"].(type) {
	case map[string]any:
		in, t.explicit = e, true
	case string:
		t.message, t.explicit = e, true
	case nil:
		if all, ok := top["errors"].([]any); ok && len(all) > 0 {
			if first, ok := all[0].(map[string]any); ok {
				in, t.explicit = first, true
			}
		}
	}
	if t.message == "" {
		t.message = text(in["message"], in["msg"], in["detail"], top["message"], top["detail"], top["error_msg"])
	}
	if t.message == "" && t.explicit {
		t.message = string(body)
	}
	t.code = text(in["code"], in["type"], in["status"], top["code"])
	for _, n := range []any{in["code"], in["status"], top["code"], top["status"], top["status_code"]} {
		if f, ok := n.(float64); ok && f >= 400 && f < 600 {
			t.status = int(f)
			break
		}
	}
	if t.code == "" && t.status != 0 {
		t.code = strconv.Itoa(t.status)
	}
	if meta, ok := in["metadata"].(map[string]any); ok {
		t.addRaw(meta["raw"])
	}
	if details, ok := in["details"].([]any); ok {
		for _, d := range details {
			if m, ok := d.(map[string]any); ok {
				if wait, err := time.ParseDuration(text(m["retryDelay"])); err == nil {
					t.retry = wait
				}
			}
		}
	}
	t.message = oneLine(t.message)
	return t, true
}

// addRaw adds what the provider behind a gateway said.
func (t *told) addRaw(raw any) {
	s, ok := raw.(string)
	if !ok || s == "" {
		return
	}
	if inner, ok := readFault([]byte(s)); ok && inner.message != "" {
		s = inner.message
	}
	t.message += ": " + s
}

// text is the first of the values that says something.
func text(values ...any) string {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			if v != "" {
				return v
			}
		case []any: // validation errors as FastAPI lists them
			if len(v) > 0 {
				if m, ok := v[0].(map[string]any); ok {
					if s := text(m["msg"], m["message"]); s != "" {
						return s
					}
				}
			}
		}
	}
	return ""
}

// oneLine puts s on one line of a bearable length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	const most = 600
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func webPage(status int, page string) string {
	title := "without a title"
	if _, rest, ok := strings.Cut(page, "<title>"); ok {
		if t, _, ok := strings.Cut(rest, "</title>"); ok {
			title = strconv.Quote(oneLine(html.UnescapeString(t)))
		}
	}
	s := "a web page came instead of an answer, " + title
	if status < 500 {
		s += "; check the base URL and the proxy"
	}
	return s
}

// retryAfter reads the headers that say how long to wait; -1 when none does.
// A date is taken against the server's own clock, where it tells it.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s >= 0 {
		return time.Duration(min(s, 1e9) * float64(time.Second))
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return -1
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}
