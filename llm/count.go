package llm

// Count is how much of a model's window is in use, and how that is known.
type Count struct {
	Tokens int
	Source string // "usage", "usage+est" or "est"
	Window int    // the effective input: window less the reserve for the answer
	Known  bool   // whether the window is known or the fallback
}

// Share is the part of the effective input that is in use; above 1 it is full.
func (c Count) Share() float64 {
	if c.Window <= 0 {
		return 0
	}
	return float64(c.Tokens) / float64(c.Window)
}
