package llmtest

import (
	"fmt"
	"net/http"

	"github.com/minicode-go/minicode/llm"
)

// chatVoice speaks the Chat Completions API. Thinking is said as look-alikes
// say it, in reasoning_content.
type chatVoice struct {
	p         *pipe
	id        string
	model     string
	usage     llm.Usage
	withUsage bool // the request asked for the usage chunk
	piece     int
	calls     int
}

// chunk writes one chunk with one choice.
func (v *chatVoice) chunk(delta, finish string) {
	v.p.event("", fmt.Sprintf(`%s"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]%s}`, v.head(), delta, finish, v.noUsage()))
}

func (v *chatVoice) head() string {
	return fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","created":1700000000,"model":%s,"service_tier":"default","system_fingerprint":"fp_llmtest",`,
		v.id, quoteJSON(v.model))
}

func (v *chatVoice) noUsage() string {
	if v.withUsage {
		return `,"usage":null`
	}
	return ""
}

func (v *chatVoice) begin() { v.chunk(`{"role":"assistant","content":"","refusal":null}`, "null") }

func (v *chatVoice) say(p llm.Part) {
	switch p := p.(type) {
	case llm.Text:
		v.deltas(`{"content":%s}`, p.Text)
	case llm.Thinking:
		v.deltas(`{"reasoning_content":%s}`, p.Text)
	case llm.ToolCall:
		v.p.wait(v.p.delay)
		v.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`,
			v.calls, quoteJSON(p.ID), quoteJSON(p.Name)), "null")
		v.deltas(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%%s}}]}`, v.calls), arguments(p))
		v.calls++
	}
}

func (v *chatVoice) deltas(format, text string) {
	for _, piece := range pieces(text, v.piece) {
		v.p.wait(v.p.delay)
		v.chunk(fmt.Sprintf(format, quoteJSON(piece)), "null")
	}
}

func (v *chatVoice) fail(e *llm.Error) {
	v.p.event("", chatError(statusOf(e, 503), e.Code, e.Message, ""))
}

func (v *chatVoice) end(stop llm.Stop, detail string) {
	if stop == llm.StopRefusal {
		if detail == "" {
			detail = "I'm sorry, but I can't help with that."
		}
		v.deltas(`{"refusal":%s}`, detail)
	}
	v.chunk(`{}`, quoteJSON(finishReason(stop)))
	if v.withUsage {
		u := v.usage
		in := u.Input + u.CacheRead + u.CacheWrite
		v.p.event("", fmt.Sprintf(`%s"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
			`"prompt_tokens_details":{"cached_tokens":%d,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":%d,"audio_tokens":0,`+
			`"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
			v.head(), in, u.Output, in+u.Output, u.CacheRead, u.Reasoning))
	}
	v.p.event("", "[DONE]")
}

// finishReason is the stop reason in the words of Chat Completions; one that
// it has no word for is said as it is.
func finishReason(stop llm.Stop) string {
	switch stop {
	case llm.StopEnd, llm.StopSequence:
		return "stop"
	case llm.StopTools:
		return "tool_calls"
	case llm.StopLength:
		return "length"
	case llm.StopRefusal:
		return "stop" // the refusal is a field of the delta
	}
	return string(stop)
}

// chatError is an error in the shape of Chat Completions; no code and no
// message stand for what the API says at that status.
func chatError(status int, code, message, param string) string {
	kind, usualCode, usual := chatWords(status)
	if code == "" {
		code = usualCode
	}
	if message == "" {
		message = usual
	}
	orNull := func(s string) string {
		if s == "" {
			return "null"
		}
		return quoteJSON(s)
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":%s,"code":%s}}`, quoteJSON(message), quoteJSON(kind), orNull(param), orNull(code))
}

func chatWords(status int) (kind, code, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "invalid_request_error", "invalid_api_key", "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys."
	case http.StatusForbidden:
		return "invalid_request_error", "unsupported_country_region_territory", "Country, region, or territory not supported"
	case http.StatusNotFound:
		return "invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."
	case http.StatusTooManyRequests:
		return "requests", "rate_limit_exceeded", "Rate limit reached. Please try again later."
	case http.StatusServiceUnavailable, 529:
		return "server_error", "", "The server is currently overloaded with other requests. Please try again later."
	}
	if status >= 500 {
		return "server_error", "", "The server had an error while processing your request. Please try again later."
	}
	return "invalid_request_error", "", "Invalid request"
}
