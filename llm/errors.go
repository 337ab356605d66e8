package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/tagged"
)

// What went wrong, for callers that branch on it. Every [Error] wraps one.
var (
	ErrAuth           = errors.New("the key is missing or was refused")
	ErrRateLimited    = errors.New("rate limited")
	ErrOverloaded     = errors.New("the provider is overloaded")
	ErrServer         = errors.New("the provider failed")
	ErrUnreachable    = errors.New("the server cannot be reached")
	ErrStream         = errors.New("the answer broke off")
	ErrStalled        = errors.New("the answer stalled")
	ErrContextTooLong = errors.New("the prompt is too long for the model")
	ErrRequest        = errors.New("the provider does not take the request")
)

// Error is a fault of a provider or of the way to it.
type Error struct {
	Kind       error         // one of the sentinels above
	Provider   string        // such as "anthropic"
	Status     int           // HTTP status, 0 when there was none
	Code       string        // the provider's own word for it
	Message    string        // the provider's own words, on one line
	RetryAfter time.Duration // how long the provider asked to wait; 0 or less when it did not say
	Final      bool          // asking again does not help, whatever the kind: no credit left, a bad certificate
	Err        error         // what caused it, if anything did
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Provider != "" {
		b.WriteString(e.Provider + ": ")
	}
	b.WriteString(e.Kind.Error())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	} else if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap makes errors.Is work for the kind and for the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Retryable says whether asking again may help: rate limits, overload,
// failing servers, broken or stalled streams, connection faults.
func (e *Error) Retryable() bool {
	for _, kind := range []error{ErrRateLimited, ErrOverloaded, ErrServer, ErrUnreachable, ErrStream, ErrStalled} {
		if errors.Is(e.Kind, kind) {
			return !e.Final
		}
	}
	return false
}

func isUnknown(err error) bool { return errors.Is(err, tagged.ErrUnknown) }
