package event

// Event is a [Fact] or a [Signal].
type Event interface{ event() }

// Fact is history: [Opened], [Message], [Edited], [Decided], [Changed],
// [Ended]. Whatever is not derived from facts does not exist.
type Fact interface {
	Event
	fact()
}

// Signal tells what is going on: [TextDelta], [ThinkingDelta], [CallDelta],
// [Started], [Output], [Finished], [Waiting], [Retrying], [Compacting],
// [Notice], [Nested]. Signals are never stored.
type Signal interface {
	Event
	signal()
}

// Reason is why a turn ended.
type Reason string

// The reasons.
const (
	Done        Reason = "done"
	AwaitUser   Reason = "await_user"
	Stopped     Reason = "stopped" // the person said no and stop
	Interrupted Reason = "interrupted"
	Refusal     Reason = "refusal"
	Empty       Reason = "empty"
	Failed      Reason = "error"
	Truncated   Reason = "truncated"
	StepLimit   Reason = "step_limit"
	Loop        Reason = "loop"
	Budget      Reason = "budget"
	Context     Reason = "context"
	Crashed     Reason = "crashed" // only written by the repair of a session
)

// Why is what a compaction was asked for.
type Why string

// The occasions of a compaction.
const (
	Threshold Why = "threshold" // before a request, as every request
	Forced    Why = "forced"    // the provider said "too long"
	Manual    Why = "manual"    // by a command
	Limit     Why = "limit"     // a part that a provider does not take, or a refused answer, must go
)

// EffectKind is the kind of thing an action would do.
type EffectKind string

// The kinds of effects.
const (
	Read  EffectKind = "read"  // Target: an absolute path
	Write EffectKind = "write" // Target: an absolute path
	Exec  EffectKind = "exec"  // Target: one simple command as written, "?" when it could not be parsed
	Net   EffectKind = "net"   // Target: a host
	Tool  EffectKind = "tool"  // Target: "server/name"
	Spawn EffectKind = "spawn" // Target: an agent's name
)

// Class is how far a simple command can be trusted.
type Class string

// The classes, from least to worst.
const (
	ReadOnly  Class = "read_only"
	NeedsAsk  Class = "needs_ask"
	Dangerous Class = "dangerous"
	Critical  Class = "critical"
)

// Effect is one thing that an action would do. It is what permissions are
// decided on.
type Effect struct {
	Kind   EffectKind `json:"kind"`
	Target string     `json:"target"`
	Class  Class      `json:"class,omitempty"`  // of exec; Critical also of net that leads to this machine or a private network
	Plain  bool       `json:"plain,omitempty"`  // exec only: it does nothing but the reads and writes declared beside it (mkdir, touch, cp, mv)
	Reason string     `json:"reason,omitempty"` // why the class is what it is, where that is not read_only
}

// PreviewKind says how a preview is to be shown.
type PreviewKind string

// The kinds of previews.
const (
	PreviewText    PreviewKind = "text"
	PreviewDiff    PreviewKind = "diff" // unified diff
	PreviewCommand PreviewKind = "command"
	PreviewTable   PreviewKind = "table" // tab-separated
)

// Preview is what an action would do, for a person's eyes.
type Preview struct {
	Kind PreviewKind `json:"kind,omitempty"`
	Path string      `json:"path,omitempty"` // absolute, for diffs
	Text string      `json:"text,omitempty"`
}
