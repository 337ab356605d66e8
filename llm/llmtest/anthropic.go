package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/minicode-go/minicode/llm"
)

// voice says an answer on one wire.
type voice interface {
	begin()
	say(llm.Part)
	fail(e *llm.Error)
	end(stop llm.Stop, detail string)
}

// quoteJSON is the text as a JSON string, with nothing escaped that need not
// be.
func quoteJSON(s string) string { return string(encode(s)) }

// messagesVoice speaks the Messages API.
type messagesVoice struct {
	p     *pipe
	id    string
	model string
	usage llm.Usage
	piece int
	index int // of the block to come
}

func (v *messagesVoice) begin() {
	u := v.usage
	v.p.event("message_start", fmt.Sprintf(`{"type":"message_start","message":{"model":%s,"id":%q,"type":"message","role":"assistant","content":[],`+
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,`+
		`"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}}}`,
		quoteJSON(v.model), v.id, u.Input, u.CacheWrite, u.CacheRead, u.CacheWrite, min(1, u.Output)))
}

func (v *messagesVoice) say(p llm.Part) {
	switch p := p.(type) {
	case llm.Text:
		v.start(`{"type":"text","text":""}`)
		v.deltas("text_delta", "text", p.Text)
	case llm.Thinking:
		v.think(p)
	case llm.ToolCall:
		v.start(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quoteJSON(p.ID), quoteJSON(p.Name)))
		v.delta("input_json_delta", "partial_json", "")
		v.deltas("input_json_delta", "partial_json", arguments(p))
	}
	v.p.event("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, v.index))
	v.index++
}

func (v *messagesVoice) think(p llm.Thinking) {
	if p.Raw != nil {
		v.start(string(p.Raw))
		return
	}
	v.start(`{"type":"thinking","thinking":"","signature":""}`)
	v.deltas("thinking_delta", "thinking", p.Text)
	v.delta("signature_delta", "signature", p.Signature)
}

func (v *messagesVoice) start(block string) {
	v.p.event("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, v.index, block))
	if v.index == 0 {
		v.p.event("ping", `{"type": "ping"}`)
	}
}

func (v *messagesVoice) deltas(kind, field, text string) {
	for _, piece := range pieces(text, v.piece) {
		v.p.wait(v.p.delay)
		v.delta(kind, field, piece)
	}
}

func (v *messagesVoice) delta(kind, field, text string) {
	v.p.event("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%s}}`, v.index, kind, field, quoteJSON(text)))
}

func (v *messagesVoice) fail(e *llm.Error) {
	v.p.event("error", messagesError(statusOf(e, 529), e.Code, e.Message, ""))
}

func (v *messagesVoice) end(stop llm.Stop, detail string) {
	sequence, more := "null", ""
	switch {
	case stop == llm.StopSequence:
		sequence = quoteJSON(detail)
	case stop == llm.StopRefusal:
		why := "null"
		if detail != "" {
			why = quoteJSON(detail)
		}
		more = `,"stop_details":{"type":"refusal","category":null,"explanation":` + why + `}`
	}
	u := v.usage
	thought := ""
	if u.Reasoning > 0 {
		thought = fmt.Sprintf(`,"output_tokens_details":{"thinking_tokens":%d}`, u.Reasoning)
	}
	v.p.event("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":%s%s},"usage":{"input_tokens":%d,`+
		`"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d%s}}`,
		quoteJSON(string(stop)), sequence, more, u.Input, u.CacheWrite, u.CacheRead, u.Output, thought))
	v.p.event("message_stop", `{"type":"message_stop"}`)
}

// messagesError is an error in the shape of the Messages API; no code and no
// message stand for what the API says at that status.
func messagesError(status int, code, message, request string) string {
	word, usual := messagesWords(status)
	if code == "" {
		code = word
	}
	if message == "" {
		message = usual
	}
	if request != "" {
		request = `,"request_id":` + quoteJSON(request)
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s}%s}`, quoteJSON(code), quoteJSON(message), request)
}

func messagesWords(status int) (code, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error", "invalid x-api-key"
	case http.StatusForbidden:
		return "permission_error", "Your API key does not have permission to use the specified resource."
	case http.StatusNotFound:
		return "not_found_error", "Not Found"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large", "Request exceeds the maximum size"
	case http.StatusTooManyRequests:
		return "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"
	case http.StatusGatewayTimeout:
		return "timeout_error", "Request timed out"
	case 529:
		return "overloaded_error", "Overloaded"
	}
	if status >= 500 {
		return "api_error", "Internal server error"
	}
	return "invalid_request_error", "Invalid request"
}

// statusOf is the HTTP status that a fault comes with; overloaded is what the
// wire uses for that one.
func statusOf(e *llm.Error, overloaded int) int {
	switch {
	case e.Status != 0:
		return e.Status
	case errors.Is(e.Kind, llm.ErrAuth):
		return http.StatusUnauthorized
	case errors.Is(e.Kind, llm.ErrRateLimited):
		return http.StatusTooManyRequests
	case errors.Is(e.Kind, llm.ErrOverloaded):
		return overloaded
	case errors.Is(e.Kind, llm.ErrServer):
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// toolIDs is the ids of all calls in a request body of either wire.
func toolIDs(body []byte) func(string) bool {
	var req struct {
		Messages []struct {
			Content   json.RawMessage
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
	}
	used := map[string]bool{}
	if json.Unmarshal(body, &req) == nil {
		for _, m := range req.Messages {
			for _, c := range m.ToolCalls {
				used[c.ID] = true
			}
			var blocks []struct{ Type, ID string }
			if json.Unmarshal(m.Content, &blocks) == nil {
				for _, b := range blocks {
					used[b.ID] = true
				}
			}
		}
	}
	return func(id string) bool { return used[id] }
}
