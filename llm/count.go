package llm

// Count is how much of a model's window is in use, and how that is known.
type Count struct {
	Tokens  int    `json:"tokens"`
	Counted int    `json:"counted"`         // of them counted by the provider; the rest is estimated
	Source  string `json:"source"`          // "usage", "usage+est" or "est"
	Stale   string `json:"stale,omitempty"` // why a newer count of the provider's could not be used: "snipped", "cleared", "collapsed", "compacted", ...
	Window  int    `json:"window"`          // the effective input: window less the reserve for the answer
	Known   bool   `json:"known"`           // whether the window is known or the fallback
}

// Share is the part of the effective input that is in use; above 1 it is full.
func (c Count) Share() float64 {
	if c.Window <= 0 {
		return 0
	}
	return float64(c.Tokens) / float64(c.Window)
}

// FallbackWindow is the window of a model of which nothing is known, in tokens.
const FallbackWindow = 128_000

// FallbackMaxOutput is the greatest output of such a model, in tokens.
const FallbackMaxOutput = 8_000
