package account

import (
	"sync"

	"github.com/minicode-go/minicode/llm"
)

// Meter measures the requests of one conversation. The zero value is ready; it
// is safe for concurrent use. It remembers what each message with an id was
// estimated at, so that a long history costs little.
type Meter struct {
	mu    sync.Mutex
	known map[string]tokens // by message id
}

// Estimate guesses how many tokens the request is, without calibration.
func (m *Meter) Estimate(req llm.Request) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return (fixed(req) + m.messages(req.Messages)).round()
}

// fixed is the part of a request that stands before its messages.
func fixed(req llm.Request) tokens {
	var t tokens
	t.text(req.System)
	for _, spec := range req.Tools {
		t += 8 * whole
		t.text(spec.Name + " " + spec.Description + string(spec.Schema))
	}
	return t
}

func (m *Meter) messages(messages []llm.Message) (sum tokens) {
	for i := range messages {
		sum += m.message(&messages[i])
	}
	return sum
}

func (m *Meter) message(msg *llm.Message) tokens {
	if t, ok := m.known[msg.ID]; ok {
		return t
	}
	t := 4 * whole
	t.parts(msg.Parts)
	if msg.ID != "" {
		if m.known == nil {
			m.known = map[string]tokens{}
		}
		m.known[msg.ID] = t
	}
	return t
}

// Measure is how much of the model's window the request would take: what the
// provider counted up to the newest answer whose count holds, and the
// calibrated estimate of what came after it; without one, an estimate of all.
func (m *Meter) Measure(req llm.Request, info llm.Info) llm.Count {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := llm.Count{Source: "est", Window: info.EffectiveInput(), Known: info.Known}
	if info.Window <= 0 {
		c.Window, c.Known = llm.FallbackWindow-llm.FallbackMaxOutput, false
	}
	ratio := Ratio(req.Messages, info.ID())
	rest := tokens(0) // of the messages after the one looked at
	for i := len(req.Messages) - 1; i >= 0; i-- {
		msg := &req.Messages[i]
		if msg.Usage != nil && *msg.Usage != (llm.Usage{}) {
			why := m.fault(req, i, info)
			if why == "" {
				c.Tokens, c.Source = msg.Usage.Total(), "usage"
				if rest > 0 {
					c.Tokens, c.Source = c.Tokens+scale(rest, ratio), "usage+est"
				}
				return c
			}
			if c.Stale == "" {
				c.Stale = why
			}
		}
		rest += m.message(msg)
	}
	c.Tokens = scale(rest+fixed(req), ratio)
	return c
}

// fault is why what the provider counted at an answer does not tell how much
// this request takes; "" when it does.
func (m *Meter) fault(req llm.Request, at int, info llm.Info) string {
	msg := &req.Messages[at]
	u := msg.Usage
	switch {
	case msg.Stale != "":
		return msg.Stale
	case msg.Model != "" && msg.Model != info.ID():
		return "another model"
	case u.Total() <= 0:
		return "no count"
	case min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0:
		return "implausible"
	}
	// Some servers count only what was not in their cache, and some count
	// nonsense. The estimate is never so far off.
	about := (fixed(req) + m.messages(req.Messages[:at+1])).round()
	if about > trusted && u.Total() < about/farOff || u.Total() > max(info.Window, c100M) || info.Known && u.Total() > max(info.Window, farOff*about) {
		return "implausible"
	}
	return ""
}

const (
	trusted = 4000        // tokens from which on an estimate can prove a count wrong
	farOff  = 4           // by this factor
	c100M   = 100_000_000 // no window is larger
)

// Ratio is how many tokens the provider counts for one that was estimated: of
// the model's answers, the newer ones counting more. Without any it is 1.
func Ratio(messages []llm.Message, model string) float64 {
	ratio := 1.0
	first := true
	for i := range messages {
		msg := &messages[i]
		if msg.Usage == nil || msg.Estimate <= 0 || msg.Model != model {
			continue
		}
		u := msg.Usage
		r := float64(u.Input+u.CacheRead+u.CacheWrite) / float64(msg.Estimate)
		if r < 1.0/farOff || r > farOff {
			continue
		}
		if first {
			ratio, first = r, false
		}
		ratio = (ratio + r) / 2
	}
	return ratio
}

func scale(t tokens, ratio float64) int { return int(float64(t)*ratio/float64(whole) + 0.5) }

func (t tokens) round() int { return int((t + whole - 1) / whole) }
