package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/internal/counterpart"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// chosen is the hooks of an event for one call, by whose names they see it.
func (r *Runner) chosen(event string, call llm.ToolCall) (claude, own []Hook) {
	for _, g := range r.Groups(event) {
		names := counterpart.Names(call.Name)
		if g.Own {
			names = []string{call.Name}
		}
		hits, err := matches(g.Matcher, names)
		if err != nil {
			r.tellOnce(err.Error())
		}
		if !hits {
			continue
		}
		for _, h := range g.Hooks {
			if h.If != "" && r.Match != nil && !r.Match(h.If, call) {
				continue
			}
			if g.Own {
				own = append(own, h)
			} else {
				claude = append(claude, h)
			}
		}
	}
	return claude, own
}

// verdict is one hook's word on a call, with the names undone.
type verdict struct {
	outcome
	output
	text string // plain output
	own  bool
}

// ask runs the hooks of an event for a call; more is what the event adds to
// the input.
func (r *Runner) ask(ctx context.Context, event string, call llm.ToolCall, more map[string]any) (out []verdict) {
	claude, own := r.chosen(event, call)
	for _, side := range []struct {
		hooks []Hook
		own   bool
	}{{claude, false}, {own, true}} {
		if len(side.hooks) == 0 {
			continue
		}
		input := r.input(event)
		input["tool_name"], input["tool_input"], input["tool_use_id"] = counterpart.Name(call.Name), counterpart.Input(call.Name, call.Args), call.ID
		if side.own {
			input["tool_name"], input["tool_input"] = call.Name, call.Args
		}
		for k, v := range more {
			input[k] = v
		}
		for _, o := range r.all(ctx, side.hooks, input, usualTime) {
			out = append(out, r.judge(o, side.own))
		}
	}
	return out
}

// judge reads what a hook has printed.
func (r *Runner) judge(o outcome, own bool) verdict {
	v := verdict{outcome: o, own: own}
	if o.fault != nil {
		return v
	}
	var err error
	if v.output, v.text, err = read(o.stdout); err != nil {
		v.fault = err
	}
	if v.SystemMessage != "" {
		r.tell(v.SystemMessage)
	}
	return v
}

// blocked is why a hook blocks, by its exit code or its words.
func (v verdict) blocked() (why string, ok bool) {
	if v.code == exitBlock {
		return orElse(v.Reason, orElse(clip(strings.TrimSpace(v.stderr)), "it gave no reason")), true
	}
	if why, ok := v.stopped(); ok {
		return why, true
	}
	if v.Decision == "block" {
		return orElse(v.Reason, "it gave no reason"), true
	}
	return "", false
}

// complain tells the person of a hook that failed without stopping anything.
func (r *Runner) complain(event string, v verdict) {
	switch {
	case v.fault != nil:
		r.tellOnce(fmt.Sprintf("the %s hook %s failed: %v", event, v.hook.name(), v.fault))
	case v.code != 0 && v.code != exitBlock:
		r.tellOnce(fmt.Sprintf("the %s hook %s failed with exit code %d: %s", event, v.hook.name(), v.code, firstLine(v.stderr, "it printed no error")))
	}
}

// Before has the hooks look at a call before it is prepared. A hook that could
// not be run, and one whose answer cannot be read, denies.
func (r *Runner) Before(ctx context.Context, call llm.ToolCall) (tool.Advice, error) {
	if !r.Any(PreToolUse) {
		return tool.Advice{}, nil
	}
	var advice tool.Advice
	for _, v := range r.ask(ctx, PreToolUse, call, nil) {
		one := v.advice(call)
		if v.fault == nil {
			r.complain(PreToolUse, v)
		}
		if stricter(one.Verdict, advice.Verdict) {
			advice.Verdict, advice.Reason = one.Verdict, one.Reason
		}
		if one.Args != nil {
			advice.Args = one.Args
		}
	}
	if ctx.Err() != nil {
		return tool.Advice{}, ctx.Err()
	}
	if advice.Verdict == tool.Deny {
		advice.Args = nil
	}
	return advice, nil
}

// stricter says whether a verdict goes before another one.
func stricter(a, b tool.Verdict) bool {
	rank := func(v tool.Verdict) int {
		switch v {
		case tool.Deny:
			return 3
		case tool.Ask:
			return 2
		case tool.Allow:
			return 1
		}
		return 0
	}
	return rank(a) > rank(b)
}

// advice is what one hook says of a call.
func (v verdict) advice(call llm.ToolCall) tool.Advice {
	deny := func(why string) tool.Advice {
		return tool.Advice{Verdict: tool.Deny, Reason: fmt.Sprintf("the hook %s says no: %s", v.hook.name(), why)}
	}
	if v.fault != nil {
		return tool.Advice{Verdict: tool.Deny, Reason: fmt.Sprintf(
			"the hook %s, which must pass before this tool runs, failed (%v); nothing was run. The user can mend it or take it out of the settings", v.hook.name(), v.fault)}
	}
	if why, ok := v.blocked(); ok {
		return deny(why)
	}
	a := tool.Advice{Reason: v.Specific.PermissionReason}
	word := orElse(v.Specific.Permission, v.Decision)
	switch word {
	case "", "approve", "allow":
		if word != "" {
			a.Verdict = tool.Allow
		}
	case "deny":
		return deny(orElse(v.Specific.PermissionReason, orElse(v.Reason, "it gave no reason")))
	case "ask", "defer":
		a.Verdict = tool.Ask
	default:
		return deny(fmt.Sprintf("its decision %q is not known", word))
	}
	if changed := v.Specific.UpdatedInput; len(changed) > 0 && string(changed) != "null" {
		args, err := changed, error(nil)
		if !v.own {
			args, err = counterpart.Args(call.Name, changed)
		}
		if err != nil || !json.Valid(args) {
			return deny(fmt.Sprintf("the input that it gave cannot be used: %v", err))
		}
		a.Args = args
	}
	return a
}

// After has the hooks look at a result. They may add to it, or replace it.
func (r *Runner) After(ctx context.Context, call llm.ToolCall, result tool.Result) (tool.Result, error) {
	event, more := PostToolUse, map[string]any{"tool_response": response(result)}
	if result.Error {
		event, more = PostToolUseFailure, map[string]any{"error": result.Parts.Text(), "is_interrupt": ctx.Err() != nil}
	}
	if !r.Any(event) {
		return result, nil
	}
	for _, v := range r.ask(ctx, event, call, more) {
		r.complain(event, v)
		if v.fault != nil {
			continue
		}
		if text, ok := textOf(v.Specific.UpdatedOutput); ok {
			result.Parts = llm.Parts{llm.Text{Text: text}}
		}
		if why, ok := v.blocked(); ok {
			result.Parts = append(result.Parts[:len(result.Parts):len(result.Parts)], llm.Text{Text: "\n\nA hook says: " + why})
		}
		if more := v.Specific.AdditionalContext; more != "" {
			result.Parts = append(result.Parts[:len(result.Parts):len(result.Parts)], llm.Text{Text: "\n\nFrom a hook: " + more})
		}
	}
	return result, nil
}

func response(result tool.Result) any {
	return map[string]any{"content": result.Parts.Text(), "is_error": result.Error}
}

// textOf is a text, or what a JSON value looks like as text.
func textOf(data json.RawMessage) (string, bool) {
	if len(data) == 0 || string(data) == "null" {
		return "", false
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		return clip(text), true
	}
	return clip(string(data)), true
}

// errDenied is what a hook says to a prompt or to compaction.
var errDenied = errors.New("a hook said no")

// answer is a hook's answer to a question.
func (v verdict) answer(call llm.ToolCall) (a Answer, ok bool) {
	var d struct {
		Behavior     string          `json:"behavior"`
		UpdatedInput json.RawMessage `json:"updatedInput"`
		Message      string          `json:"message"`
		Interrupt    bool            `json:"interrupt"`
	}
	if v.fault != nil || len(v.Specific.Decision) == 0 || json.Unmarshal(v.Specific.Decision, &d) != nil {
		return Answer{}, false
	}
	a = Answer{Message: clip(d.Message), Interrupt: d.Interrupt}
	switch d.Behavior {
	case "deny":
		return a, true
	case "allow":
		a.Allow = true
	default:
		return Answer{}, false
	}
	if len(d.UpdatedInput) == 0 || string(d.UpdatedInput) == "null" {
		return a, true
	}
	a.Args = d.UpdatedInput
	if !v.own {
		args, err := counterpart.Args(call.Name, d.UpdatedInput)
		if err != nil {
			return Answer{}, false
		}
		a.Args = args
	}
	return a, true
}
