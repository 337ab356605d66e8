package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Retry says how often and how patiently a request is sent again. Zero fields
// mean the defaults.
type Retry struct {
	Tries  int              // in all; default 10
	Base   time.Duration    // wait after the first failure, doubled after each; default 500 ms
	Cap    time.Duration    // longest wait of our own choosing; default 32 s
	Jitter func() float64   // 0 to 1; default random
	Now    func() time.Time // default time.Now
}

// longestAsked caps how long a provider can make us wait.
const longestAsked = 5 * time.Minute

// wait is how long to wait after the failed attempt, from 1. What the
// provider asked for is honoured, to a cap; else it is exponential, with up to
// a quarter taken off so that many clients do not come back together.
func (r Retry) wait(attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, longestAsked)
	}
	base, limit := orElse(r.Base, 500*time.Millisecond), orElse(r.Cap, 32*time.Second)
	d := min(base<<min(attempt-1, 20), limit)
	jitter := rand.Float64
	if r.Jitter != nil {
		jitter = r.Jitter
	}
	return d - time.Duration(jitter()*float64(d)/4)
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// persist asks until an answer is whole, a fault is not worth retrying, or
// the tries are used up. What a failed try streamed is dropped; that of the
// last one is given back with the error.
func (t *turn) persist(ctx context.Context, req llm.Request) (streamed, error) {
	for attempt := 1; ; attempt++ {
		s, err := t.stream(ctx, req)
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		again, worth := t.Retry.After(attempt, err)
		if !worth {
			return s, err
		}
		t.emit(again)
		if err := pause(ctx, again.After); err != nil {
			return streamed{}, err
		}
	}
}

// After says whether a request is worth sending again once an attempt, counted
// from 1, failed with err, and after which wait.
func (r Retry) After(attempt int, err error) (again event.Retrying, worth bool) {
	tries := orElse(r.Tries, 10)
	var fault *llm.Error
	if !errors.As(err, &fault) || !fault.Retryable() || attempt >= tries {
		return event.Retrying{}, false
	}
	return event.Retrying{Attempt: attempt, Of: tries, After: r.wait(attempt, fault.RetryAfter), Error: fault.Error()}, true
}

// pause waits, and ends at once when ctx does.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
