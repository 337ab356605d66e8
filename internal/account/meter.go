package account

import (
	"sync"

	"github.com/minicode-go/minicode/llm"
)

// Meter measures the requests of one conversation. The zero value is ready; it
// is safe for concurrent use. It remembers what each message with an id, and
// what the system prompt and the tools were estimated at, so that a long
// history costs little.
type Meter struct {
	mu       sync.Mutex
	messages map[string]tokens // by message id
	texts    map[string]tokens // of the system prompt and the tools
}

// maxTexts is how many texts a meter remembers. There are a few for each tool;
// more come only from prompts that are no longer used.
const maxTexts = 2000

// Estimate guesses how many tokens the request is, without calibration.
func (m *Meter) Estimate(req llm.Request) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return (m.fixed(req) + m.sum(req.Messages)).round()
}

// fixed is the part of a request that stands before its messages.
func (m *Meter) fixed(req llm.Request) tokens {
	t := m.text(req.System)
	for i := range req.Tools {
		t += m.tool(&req.Tools[i])
	}
	return t
}

func (m *Meter) tool(spec *llm.ToolSpec) tokens {
	schema, ok := m.texts[string(spec.Schema)] // makes no copy, unlike what follows
	if !ok {
		schema = m.text(string(spec.Schema))
	}
	return perTool + m.text(spec.Name) + m.text(spec.Description) + schema*schemaPercent/100
}

func (m *Meter) text(s string) tokens {
	t, ok := m.texts[s]
	if ok {
		return t
	}
	if m.texts == nil || len(m.texts) >= maxTexts {
		m.texts = map[string]tokens{}
	}
	t = textTokens(s)
	m.texts[s] = t
	return t
}

func (m *Meter) sum(messages []llm.Message) (t tokens) {
	for i := range messages {
		t += m.message(&messages[i])
	}
	return t
}

func (m *Meter) message(msg *llm.Message) tokens {
	if t, ok := m.messages[msg.ID]; ok {
		return t
	}
	t := perMessage
	for _, p := range msg.Parts {
		t += partTokens(p)
	}
	if msg.ID != "" {
		if m.messages == nil {
			m.messages = map[string]tokens{}
		}
		m.messages[msg.ID] = t
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
	rest := tokens(0) // of the messages after the one looked at
	for i := len(req.Messages) - 1; i >= 0; i-- {
		msg := &req.Messages[i]
		if msg.Usage != nil && *msg.Usage != (llm.Usage{}) {
			why := m.fault(req, i, info)
			if why == "" {
				c.Tokens, c.Counted, c.Source = msg.Usage.Total(), msg.Usage.Total(), "usage"
				if rest > 0 {
					c.Tokens, c.Source = c.Tokens+scale(rest, Ratio(req.Messages, info.ID())), "usage+est"
				}
				return c
			}
			if c.Stale == "" {
				c.Stale = why
			}
		}
		rest += m.message(msg)
	}
	ratio, ok := calibrated(req.Messages, info.ID())
	if !ok {
		var tools int
		ratio, tools = start(info.ID())
		if len(req.Tools) > 0 {
			c.Tokens = tools
		}
	}
	c.Tokens += scale(rest+m.fixed(req), ratio)
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
	case negative(*u):
		return "implausible"
	}
	// Some servers count only what was not in their cache, and some count
	// nonsense. The estimate is never so far off.
	about := (m.fixed(req) + m.sum(req.Messages[:at+1])).round()
	if about > trusted && u.Total() < about/farOff || u.Total() > max(info.Window, c100M) || info.Known && u.Total() > max(info.Window, farOff*about) {
		return "implausible"
	}
	return ""
}

func negative(u llm.Usage) bool { return min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 }

const (
	trusted = 4000        // tokens from which on an estimate can prove a count wrong
	farOff  = 4           // by this factor
	c100M   = 100_000_000 // no window is larger
)

// Ratio is how many tokens the model's provider counts for one that was
// estimated: as it reported for the model's answers, the newer ones counting
// more; without any, what is known of such models, mostly 1.
func Ratio(messages []llm.Message, model string) float64 {
	ratio, ok := calibrated(messages, model)
	if !ok {
		ratio, _ = start(model)
	}
	return ratio
}

func calibrated(messages []llm.Message, model string) (ratio float64, ok bool) {
	for i := range messages {
		msg := &messages[i]
		if msg.Usage == nil || msg.Estimate <= 0 || msg.Model != model {
			continue
		}
		u := msg.Usage
		r := float64(u.Input+u.CacheRead+u.CacheWrite) / float64(msg.Estimate)
		if r < 1.0/farOff || r > farOff || negative(*u) {
			continue
		}
		if !ok {
			ratio, ok = r, true
		}
		ratio = (ratio + r) / 2
	}
	return ratio, ok
}

func scale(t tokens, ratio float64) int { return int(float64(t)*ratio/float64(whole) + 0.5) }

func (t tokens) round() int { return int((t + whole - 1) / whole) }
