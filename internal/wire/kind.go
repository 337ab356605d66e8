package wire

import (
	"net/http"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// kindOf finds the sentinel. A rate limit is looked for first: its words often
// speak of too many tokens, and taking it for an overflow would compact a
// conversation for nothing.
func kindOf(status int, t told, page bool) error {
	words := strings.ToLower(t.code + " " + t.message)
	switch {
	case status == http.StatusTooManyRequests || rateWords(words):
		return llm.ErrRateLimited
	case overflowCode(t.code), !page && mayOverflow(status) && (tooLong(words) || mayRefuse(status) && overLimit(strings.ToLower(t.message))),
		status == http.StatusRequestEntityTooLarge:
		return llm.ErrContextTooLong
	case status == http.StatusUnauthorized, status == http.StatusForbidden && !page, keyWords(words):
		return llm.ErrAuth
	case status == 529, status == http.StatusServiceUnavailable, overloadWords(words):
		return llm.ErrOverloaded
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return llm.ErrServer
	case status/100 == 2 && !page && !requestCode(t.code):
		return llm.ErrServer // told inside a stream, in words that nobody knows
	}
	return llm.ErrRequest
}

// mayOverflow says whether a too long prompt may be told with that status.
// Local servers tell it as their own failure.
func mayOverflow(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired, http.StatusServiceUnavailable, 529:
		return false
	}
	return true
}

// mayRefuse says whether a request that cannot be taken is told with that
// status, also inside of a stream.
func mayRefuse(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return status/100 == 2
}

func rateWords(s string) bool {
	return hasAny(s, "rate limit", "rate_limit", "ratelimit", "rate-limited", "too_many_requests", "too many requests",
		"resource_exhausted", "insufficient_quota", "quota exceeded", "exceeded your current quota",
		"throttl", "per minute", "per-minute", "per min ", "per min:", "per min.", "per min,", "per second", "per day", "per hour", "per month", "(tpm)", "(rpm)", "please wait before")
}

// outOfCredit is a rate limit that no waiting ends.
func outOfCredit(t told) bool {
	return hasAny(strings.ToLower(t.code+" "+t.message), "insufficient_quota", "exceeded your current quota, please check your plan", "credit balance", "insufficient balance")
}

func overflowCode(code string) bool {
	switch strings.ToLower(code) {
	case "context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded", "context_window_exceeded", "request_too_large", "string_above_max_length_context",
		"context_exceeded", "tokens_limit_reached", "tokens_too_long", "characters_too_long", "1261":
		return true
	}
	return false
}

// tooLong knows the words that providers and local servers have for a prompt
// that does not fit.
func tooLong(s string) bool {
	if hasAny(s,
		"prompt is too long", "prompt too long", "input is too long", "input too long",
		"maximum context length", "context length exceeded", "context_length_exceeded",
		"exceeds the context window", "exceeds the available context size", "exceed context limit", "exceeds the context length",
		"maximum number of tokens allowed", "maximum prompt length", "prompt exceeds max length",
		"reduce the length of the messages", "reduce the length of your prompt",
		"context window exceeds limit", "exceeded model token limit",
		"longer than the maximum model length", "max_model_len", "max_seq_len",
		"context the overflows", "range of input length should be",
		"input length and `max_tokens` exceed", "prompt has too many tokens") {
		return true
	}
	if strings.Contains(s, "token count") && hasAny(s, "exceeds the limit", "exceeds the maximum") {
		return true
	}
	if strings.Contains(s, "request body too large") && strings.Contains(s, "tokens") {
		return true
	}
	about := hasAny(s, "context length", "context window", "context size", "context limit", "context_length", "context_size")
	return about && hasAny(s, "exceed", "too long", "too large", "larger than", "longer than", "greater than", "overflow", "does not fit")
}

// overLimit says that a message, in lower case, tells of a prompt that has more
// tokens than it may. It goes by what is measured and by what is said of it, so
// that nobody's exact sentence has to be known. Not meant are limits of an
// answer, which follow from a parameter, and what an account may use.
func overLimit(s string) bool {
	if hasAny(s, "quota", "balance", "credit", "billing", "subscription", "daily", "monthly", "your plan", "your account", "your organization", " tier",
		"余额", "配额", "速率") {
		return false
	}
	about := s
	for _, answer := range []string{"max_tokens", "max tokens", "maxtokens", "max_completion", "max_output", "maxoutput", "max_new_tokens", "output token", "completion token", "budget_tokens"} {
		about, _, _ = strings.Cut(about, answer) // what comes first is what is measured
	}
	switch {
	case hasAny(about, "input token", "inputs` token", "`inputs` must", "prompt token", "requested tokens", "tokens in the prompt", "total tokens of", "total number of tokens (",
		"input length", "prompt length", "length of the input", "length of the prompt", "input exceeds", "prompt exceeds", "prompt contains"):
		return hasAny(s, "exceed", "too long", "too large", "too many", "longer than", "larger than", "supports up to", "must have less than", "must be <=")
	case hasAny(about, "prompt", "输入", "上下文"):
		return hasAny(s, "超长", "过长", "长度超")
	}
	return false
}

func keyWords(s string) bool {
	return hasAny(s, "authentication_error", "invalid_api_key", "incorrect api key", "invalid api key", "api key not valid",
		"api_key_invalid", "permission_error", "invalid x-api-key", "unauthenticated")
}

func overloadWords(s string) bool {
	return hasAny(s, "overloaded", "over capacity", "at capacity", "engine is currently unavailable", "server is busy", "service_unavailable", "no healthy upstream")
}

func requestCode(code string) bool {
	return hasAny(strings.ToLower(code), "invalid_request", "not_found", "bad_request", "badrequest", "billing", "unsupported", "invalid_argument", "400", "404", "422", "402")
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
