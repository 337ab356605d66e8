package extension

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/skill"
	"github.com/minicode-go/minicode/internal/subagent"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Talk is what extensions know of one conversation. It is safe for concurrent
// use; the zero value is of a conversation that has not begun.
type Talk struct {
	mu            sync.Mutex
	session, turn skill.Loads // skills that were loaded
	next, chosen  []string    // skills that the person chose, for the next turn and for the one that runs
	greeted       bool        // the hooks know that it began
	resumed       bool
}

// Adopt begins with a conversation as it is.
func (t *Talk) Adopt(messages []llm.Message, resumed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.greeted, t.resumed = false, resumed
	t.refold(messages)
}

// Return goes on with the messages that are left when some were taken back.
func (t *Talk) Return(messages []llm.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refold(messages)
}

// refold is called with mu held.
func (t *Talk) refold(messages []llm.Message) {
	t.session, t.turn = skill.Loads{}, skill.Loads{}
	for _, m := range messages {
		t.session.Add(m)
	}
}

// Add takes notice of a message.
func (t *Talk) Add(m llm.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session.Add(m)
	t.turn.Add(m)
}

// Choose lets the model load a skill in the next turn that only the person may
// choose.
func (t *Talk) Choose(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = append(t.next, name)
}

// Loader is the tool that loads skills; false where there are none.
func (s *Set) Loader(t *Talk, limit int) (tool.Tool, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.Skills.Tool(limit, t.chosen...)
}

// loaded is the skills that were loaded, in the session and in the turn.
func (t *Talk) loaded() (session, turn []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.Names(), t.turn.Names()
}

// begin begins a turn, and says for the first one how the session began.
func (t *Talk) begin() (source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn, t.chosen, t.next = skill.Loads{}, t.next, nil
	switch {
	case t.greeted:
	case t.resumed:
		source = "resume"
	default:
		source = "startup"
	}
	t.greeted = true
	return source
}

// BeforePrompt has the hooks look at what the person says ("" where only what
// was queued is sent), and connects to servers that were not yet. It gives what
// the model is to know, and a title that a hook has for the session. The error
// says why the prompt is not sent.
func (s *Set) BeforePrompt(ctx context.Context, t *Talk, text, model string) (notes []string, title string, err error) {
	s.Start() //nolint:contextcheck // servers outlive the turn
	note := func(more string) {
		if more != "" {
			notes = append(notes, "From a hook of the user's:\n"+more)
		}
	}
	if source := t.begin(); source != "" {
		var more string
		more, title = s.Hooks.Opened(ctx, source, model)
		note(more)
	}
	s.Hooks.Begin()
	if text == "" {
		return notes, title, nil
	}
	more, err := s.Hooks.Prompt(ctx, text)
	note(more)
	return notes, title, err
}

// Widened is a policy with what loaded skills bring: their directories may be
// read, in this session, and what they allow holds for this turn, behind every
// deny and ask rule. A nil set widens nothing.
func (s *Set) Widened(p permission.Policy, t *Talk) permission.Policy {
	if s == nil {
		return p
	}
	session, turn := t.loaded()
	p.Free = append(slices.Clone(p.Free), s.Skills.Free(session)...)
	for _, a := range s.Skills.Allowances(turn) {
		r, err := permission.ParseRule(a.Rule)
		if err != nil {
			continue // skills validate says so
		}
		r.Decision, r.Origin, r.Own = permission.Allow, a.Origin, false
		p.Rules = append(slices.Clip(p.Rules), r)
	}
	return p
}

// BuiltInNames is the names that are not of what plugs in.
func BuiltInNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "mcp__") || slices.Contains([]string{subagent.ToolName, skill.ToolName, "Task", "Agent", "Skill"}, name)
	})
}

// Catalogue is what the system prompt says of skills, for a model that takes so
// many tokens.
func (s *Set) Catalogue(tokens int) string {
	return s.Skills.Text(min(skill.CatalogChars, tokens*3/100))
}

// readyTime is how long a run without a person waits for servers.
const readyTime = 10 * time.Second

// Ready waits until every server is there or has failed, for a while at most,
// and names those that it did not wait for.
func (s *Set) Ready(ctx context.Context) (late []string) {
	s.Start() //nolint:contextcheck // servers outlive the turn
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	return s.Servers.Wait(ctx)
}
