package hook

import (
	"net/http"
	"sync"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// The events at which hooks run, named as in the settings.
const (
	PreToolUse         = "PreToolUse"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	UserPromptSubmit   = "UserPromptSubmit"
	Stop               = "Stop"
	SubagentStop       = "SubagentStop"
	SessionStart       = "SessionStart"
	SessionEnd         = "SessionEnd"
	PreCompact         = "PreCompact"
	PostCompact        = "PostCompact"
	Notification       = "Notification"
	PermissionRequest  = "PermissionRequest"
)

// Group is the hooks of one event that share a matcher.
type Group struct {
	Matcher string // tool names, or what the event has instead; "" and "*" are all
	Own     bool   // sees the tools by our names, not by Claude Code's
	Hooks   []Hook
}

// Hook is one handler.
type Hook struct {
	Type    string // "command" (also ""), "http"; others cannot be run
	Command string // a shell's program text, or a program where there are Args
	Args    []string
	Shell   string // "" or "bash"
	If      string // a permission rule that the call must match
	Status  string // shown while it runs
	Timeout time.Duration
	Async   bool // nothing waits for it

	URL     string
	Headers map[string]string
}

// name is how a person knows the hook.
func (h Hook) name() string {
	if h.Type == "http" {
		return h.URL
	}
	name := h.Command
	for _, a := range h.Args {
		name += " " + a
	}
	return name
}

// Session is what every hook is told.
type Session struct {
	ID, Path, Cwd, Root, Mode, Effort string

	Agent, AgentID string // of a sub-agent
}

// Runner runs hooks. It is safe for concurrent use; whoever makes it calls
// Close at the end.
type Runner struct {
	Groups  func(event string) []Group
	Session func() Session
	Env     func() []string
	Tell    func(text string)                         // what the person should know; may be called from any goroutine
	Match   func(rule string, call llm.ToolCall) bool // whether a call is one that the rule is for; nil matches all
	Client  *http.Client                              // for hooks of type http; nil makes them fail

	mu      sync.Mutex
	started int  // number of the newest process
	active  bool // a Stop hook has kept this turn going
	async   sync.WaitGroup
	told    map[string]bool // troubles that were told once
}

// Begin says that a new turn begins.
func (r *Runner) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active = false
}

func (r *Runner) tell(text string) {
	if r.Tell != nil {
		r.Tell(text)
	}
}

// tellOnce tells a trouble that will come again the first time only.
func (r *Runner) tellOnce(text string) {
	r.mu.Lock()
	known := r.told[text]
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[text] = true
	r.mu.Unlock()
	if !known {
		r.tell(text)
	}
}

// Any tells whether there is a hook for the event.
func (r *Runner) Any(event string) bool { return r != nil && len(r.Groups(event)) > 0 }
