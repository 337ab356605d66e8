package llm

// Chunk is a piece of a streamed answer: [TextDelta], [ThinkingDelta],
// [CallDelta] or [Done].
type Chunk interface{ chunk() }

// TextDelta is some more text.
type TextDelta struct{ Text string }

// ThinkingDelta is some more thinking.
type ThinkingDelta struct{ Text string }

// CallDelta is some more of a tool call. It is for showing only: calls are
// run from [Done].
type CallDelta struct {
	Index int    // which call of the answer, from 0
	ID    string // the provider's id, in the call's first delta
	Name  string // in the call's first delta
	Args  string // a piece of the arguments' JSON
}

// Done is the whole answer. It comes only when the provider's terminal event
// came.
type Done struct {
	Parts  Parts  // all of it, in order; a call's ID is the provider's and may be empty or used before
	Usage  Usage  //
	Stop   Stop   //
	Detail string // what the provider said besides: why it refused, an unknown stop reason
	Model  string // the model as the provider named it
}

func (TextDelta) chunk()     {}
func (ThinkingDelta) chunk() {}
func (CallDelta) chunk()     {}
func (Done) chunk()          {}
