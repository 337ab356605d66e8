package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Model is one model of one provider, ready to be asked.
//
// Stream sends the request and yields the answer as it comes: any number of
// deltas, then exactly one [Done] and nothing after it; or, instead of Done,
// one error, last. Every fault of the provider or the network is an *[Error].
// Stream must not retry, must stop when ctx does, and must leave no goroutine
// behind. It must be safe for concurrent use.
type Model interface {
	Info() Info
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Info is what is known of a model.
type Info struct {
	Provider  string // such as "anthropic"
	Name      string // the name the provider knows it by
	Window    int    // tokens, input and output together
	MaxOutput int    // tokens that one answer may have
	Known     bool   // whether Window comes from the catalogue, the settings or the server
	Images    bool   // takes image parts
	Thinking  bool   // can be asked to think
	Price     Price
}

// ID is "provider/name".
func (i Info) ID() string { return i.Provider + "/" + i.Name }

// EffectiveInput is the window less the reserve for the answer, in tokens.
func (i Info) EffectiveInput() int {
	if i.Window-i.MaxOutput < i.Window/2 {
		return i.Window / 2
	}
	return i.Window - i.MaxOutput
}

// Price is in US dollars per million tokens.
type Price struct {
	Known                                bool
	Input, Output, CacheRead, CacheWrite float64
}

// Cost is what the usage costs in US dollars, and whether the price is known.
func (p Price) Cost(u Usage) (float64, bool) {
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
		float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / 1e6, p.Known
}

// Request is one question to a model.
type Request struct {
	System    string
	Tools     []ToolSpec
	Messages  []Message
	MaxOutput int    // tokens; 0 means the model's own limit
	Effort    string // "", "low", "medium", "high": how hard to think, where the model can
}

// ToolSpec tells a model of a tool.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Aliases     []string        // other names that are understood; never advertised
}

// Usage is what a provider counted, in tokens. Input leaves out what was read
// from or written to the cache; Output holds Reasoning.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
}

// Total is everything that was in the window when the answer ended.
func (u Usage) Total() int { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Reasoning + v.Reasoning}
}

// Stop is why an answer ended, in the words of the Anthropic Messages API,
// which the other adapters translate to. A reason that has no such word is
// kept as the provider said it.
type Stop string

// The stop reasons that the loop knows.
const (
	StopEnd           Stop = "end_turn"
	StopSequence      Stop = "stop_sequence"
	StopTools         Stop = "tool_use"
	StopLength        Stop = "max_tokens"
	StopPause         Stop = "pause_turn"
	StopRefusal       Stop = "refusal"
	StopFilter        Stop = "content_filter" // also Gemini's safety stops
	StopContextWindow Stop = "model_context_window_exceeded"
	StopInterrupted   Stop = "interrupted" // ours: the stream broke or was stopped
)
