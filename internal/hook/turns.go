package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// input is what every hook is told.
func (r *Runner) input(event string) map[string]any {
	s := r.Session()
	in := map[string]any{
		"session_id": s.ID, "transcript_path": s.Path, "cwd": s.Cwd, "permission_mode": s.Mode, "hook_event_name": event,
	}
	if s.Effort != "" {
		in["effort"] = map[string]any{"level": s.Effort}
	}
	if s.AgentID != "" {
		in["agent_id"], in["agent_type"] = s.AgentID, s.Agent
	}
	return in
}

// run runs the hooks of an event that has no tool. subject is what its
// matchers are compared with.
func (r *Runner) run(ctx context.Context, event, subject string, more map[string]any, limit time.Duration) (out []verdict) {
	var hooks []Hook
	for _, g := range r.Groups(event) {
		hits, err := matches(g.Matcher, []string{subject})
		if err != nil {
			r.tellOnce(err.Error())
		}
		if hits || subject == "" {
			hooks = append(hooks, g.Hooks...)
		}
	}
	if len(hooks) == 0 {
		return nil
	}
	input := r.input(event)
	for k, v := range more {
		input[k] = v
	}
	for _, o := range r.all(ctx, hooks, input, limit) {
		v := r.judge(o, false)
		r.complain(event, v)
		out = append(out, v)
	}
	return out
}

// added is what the hooks want the model to know; plain says whether plain
// text is meant for it, too.
func added(all []verdict, plain bool) string {
	var texts []string
	for _, v := range all {
		if v.fault != nil {
			continue
		}
		if v.Specific.AdditionalContext != "" {
			texts = append(texts, v.Specific.AdditionalContext)
		} else if plain && v.code == 0 && v.text != "" {
			texts = append(texts, v.text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Prompt has the hooks look at what the person says, and gives what the model
// should know besides. The error says why the prompt must not be sent.
func (r *Runner) Prompt(ctx context.Context, prompt string) (context string, err error) {
	if !r.Any(UserPromptSubmit) {
		return "", nil
	}
	all := r.run(ctx, UserPromptSubmit, "", map[string]any{"prompt": prompt}, promptTime)
	for _, v := range all {
		if why, ok := v.blocked(); ok && v.fault == nil {
			return "", fmt.Errorf("%w to this prompt (%s): %s", errDenied, v.hook.name(), why)
		}
	}
	return added(all, true), nil
}

// Stop has the hooks look at the last answer of a turn. A note of theirs keeps
// the turn going.
func (r *Runner) Stop(ctx context.Context, last llm.Message) (note string, err error) {
	return r.stop(ctx, Stop, last)
}

// SubagentStop is [Runner.Stop] for a sub-agent.
func (r *Runner) SubagentStop(ctx context.Context, last llm.Message) (note string, err error) {
	return r.stop(ctx, SubagentStop, last)
}

func (r *Runner) stop(ctx context.Context, event string, last llm.Message) (string, error) {
	if !r.Any(event) {
		return "", nil
	}
	r.mu.Lock()
	active := r.active
	r.mu.Unlock()
	var notes []string
	for _, v := range r.run(ctx, event, r.Session().Agent, map[string]any{"stop_hook_active": active, "last_assistant_message": last.Parts.Text()}, usualTime) {
		if v.fault != nil {
			continue
		}
		if _, ok := v.stopped(); ok {
			return "", nil // one that wants an end goes before those that want more
		}
		if why, ok := v.blocked(); ok {
			notes = append(notes, why)
		}
	}
	if len(notes) == 0 {
		return "", nil
	}
	r.mu.Lock()
	r.active = true
	r.mu.Unlock()
	return "A hook of the user's wants you to go on: " + strings.Join(notes, "\n"), nil
}

// Opened tells the hooks that a session opens; source is startup, resume,
// clear, compact or fork. It gives what the model should know.
func (r *Runner) Opened(ctx context.Context, source, model string) (context, title string) {
	if !r.Any(SessionStart) {
		return "", ""
	}
	all := r.run(ctx, SessionStart, source, map[string]any{"source": source, "model": model}, usualTime)
	for _, v := range all {
		if v.Specific.SessionTitle != "" {
			title = v.Specific.SessionTitle
		}
	}
	return added(all, true), title
}

// Closed tells the hooks that the session ends, for as long as all of them
// together may take.
func (r *Runner) Closed(ctx context.Context, reason string) {
	if !r.Any(SessionEnd) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	r.run(ctx, SessionEnd, reason, map[string]any{"reason": reason}, endTime)
}

// Compacting has the hooks say whether the conversation may be made shorter;
// trigger is manual or auto. The error is a reason not to.
func (r *Runner) Compacting(ctx context.Context, trigger, instructions string) error {
	if !r.Any(PreCompact) {
		return nil
	}
	for _, v := range r.run(ctx, PreCompact, trigger, map[string]any{"trigger": trigger, "custom_instructions": instructions}, usualTime) {
		if why, ok := v.blocked(); ok && v.fault == nil {
			return fmt.Errorf("%w to compaction (%s): %s", errDenied, v.hook.name(), why)
		}
	}
	return nil
}

// Compacted tells the hooks what the conversation was made into.
func (r *Runner) Compacted(ctx context.Context, trigger, summary string) {
	if r.Any(PostCompact) {
		r.run(ctx, PostCompact, trigger, map[string]any{"trigger": trigger, "compact_summary": summary}, usualTime)
	}
}

// Notify tells the hooks what the person is told; kind is what their matchers
// are compared with, such as permission_prompt.
func (r *Runner) Notify(ctx context.Context, kind, title, message string) {
	if r.Any(Notification) {
		r.run(ctx, Notification, kind, map[string]any{"message": message, "title": title, "notification_type": kind}, usualTime)
	}
}

// Answer is a hook's answer in the place of the person's.
type Answer struct {
	Allow     bool
	Message   string
	Interrupt bool
	Args      json.RawMessage // changed ones, nil where they are as they were
}

// Permission has the hooks answer a question before the person is asked. ok is
// false where none has an answer, and where one could not be run: then the
// person is asked.
func (r *Runner) Permission(ctx context.Context, call llm.ToolCall) (a Answer, ok bool) {
	if !r.Any(PermissionRequest) {
		return Answer{}, false
	}
	for _, v := range r.ask(ctx, PermissionRequest, call, nil) {
		r.complain(PermissionRequest, v)
		one, answered := v.answer(call)
		if answered && (!ok || !one.Allow) {
			a, ok = one, true
		}
	}
	return a, ok
}
