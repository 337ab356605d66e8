package permission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Asker puts a question to a person and waits for the answer. It stops
// waiting when ctx ends.
type Asker interface {
	Ask(context.Context, event.Question) (event.Answer, error)
}

// Gate decides whether calls may run, and asks a person where that is due.
// Its fields are set before the first call and not changed afterwards.
type Gate struct {
	Policy func() Policy        // taken anew for each call
	Grants func() []event.Grant // those in force; nil means none

	// Asker is nil where nobody is there to answer; what would ask is then
	// refused.
	Asker Asker

	// Save writes rules to the settings: scope is AlwaysProject (the
	// project's local settings), AlwaysUser or Never (the person's own),
	// decision "allow" or "deny". Where it is nil, nothing is offered for
	// ever.
	Save func(scope event.Choice, decision string, rules []string) error

	unboxed sync.Once
}

// Check decides on one call. The fact it gives is the decision and, where the
// person allowed more than this call, the grant. Its error is ctx's.
func (g *Gate) Check(ctx context.Context, call llm.ToolCall, action tool.Action, advice tool.Advice, emit tool.Emit) (event.Decided, error) {
	if err := ctx.Err(); err != nil {
		return event.Decided{}, err
	}
	if emit == nil {
		emit = func(event.Signal) {}
	}
	p := g.Policy()
	if p.Mode == Auto && !p.Sandboxed {
		g.unboxed.Do(func() {
			emit(event.Notice{Level: event.InfoLevel, Text: "auto mode: no sandbox is in force, so commands ask as in accept-edits mode."})
		})
	}
	var grants []event.Grant
	if g.Grants != nil {
		grants = g.Grants()
	}
	v := Decide(p, call.Name, action.Effects, grants, advice)
	d := event.Decided{
		Call: call.ID, Tool: call.Name, Title: action.Title, Effects: action.Effects, Preview: cut(action.Preview), Args: advice.Args,
		Allow: v.Decision == Allow, By: v.By, Reason: v.Reason,
	}
	if v.Decision == Allow {
		return d, nil
	}
	if v.Decision == Deny {
		d.Asked = p.Mode == DontAsk && v.By == byMode // with somebody to ask it would have been asked
		d.Reason = sentence(d.Reason, Help(p, call.Name, action.Effects, grants, advice))
		return d, nil
	}
	if g.Asker == nil {
		return headless(d, "nobody is there to approve it", Help(p, call.Name, action.Effects, grants, advice)), nil
	}
	q := event.Question{
		Call: call.ID, Tool: call.Name, Title: action.Title, Reason: v.Reason, Effects: action.Effects, Asking: v.Asking, Preview: action.Preview,
		Proposal: action.Proposal, Choices: asked{p, call.Name, action.Effects, grants, advice, v}.choices(g.Save != nil),
	}
	emit(event.Waiting{Question: q})
	answer, err := g.Asker.Ask(ctx, q)
	if ctx.Err() != nil {
		return event.Decided{}, ctx.Err()
	}
	if err != nil {
		return headless(d, "the question could not be put ("+err.Error()+")", ""), nil
	}
	return g.answered(d, q, answer, action.Instead, emit), nil
}

func headless(d event.Decided, why, help string) event.Decided {
	d.By, d.Asked = byHeadless, true
	d.Reason = sentence("it needs an approval, and "+why+": "+d.Reason, help)
	return d
}

// answered turns the answer into the decision. An answer that the question
// does not offer is a no.
func (g *Gate) answered(d event.Decided, q event.Question, a event.Answer, instead func(string) (json.RawMessage, error), emit tool.Emit) event.Decided {
	d.By, d.Allow = byUser, false
	at := slices.IndexFunc(q.Choices, func(o event.Option) bool { return o.Choice == a.Choice })
	if at < 0 {
		d.Reason = "the user said no"
		return d
	}
	option := q.Choices[at]
	switch option.Choice {
	case event.Once, event.ThisTurn, event.EditsThisTurn, event.ThisSession, event.AlwaysProject, event.AlwaysUser:
		args, err := changed(q, a, instead)
		if err != nil {
			d.Reason = "the user allowed it with another text for the file, which cannot be made: " + err.Error()
			return d
		}
		d.Allow = true
		d.Reason = "the user allowed it"
		if len(args) > 0 {
			d.Args = args
		}
		d.Grant = g.grant(option, emit)
	case event.NoWithGuidance:
		d.Reason = "the user said no" + after(": ", a.Text)
	case event.Never:
		d.Reason = "the user said never"
		if err := g.Save(event.Never, string(Deny), option.Rules); err != nil {
			emit(event.Notice{Level: event.WarnLevel, Text: fmt.Sprintf("The deny rule could not be saved, so this holds for this call only: %v", err)})
		}
	case event.NoAndStop:
		d.Reason, d.Stop = "the user said no and stopped the turn"+after(": ", a.Text), true
	default:
		d.Reason = "the user said no"
	}
	return d
}

// changed is the arguments as the answer changes them, none where it does not.
func changed(q event.Question, a event.Answer, instead func(string) (json.RawMessage, error)) (json.RawMessage, error) {
	switch {
	case a.Content == nil:
		return a.Args, nil
	case q.Proposal == nil || instead == nil:
		return nil, errors.New("this call proposes no text")
	case *a.Content == q.Proposal.New:
		return a.Args, nil
	}
	return instead(*a.Content)
}

// grant is what the answer allows beyond this call, saved where it is to
// last.
func (g *Gate) grant(o event.Option, emit tool.Emit) *event.Grant {
	switch o.Choice {
	case event.ThisTurn, event.EditsThisTurn:
		return &event.Grant{Scope: event.ForTurn, Rules: o.Rules}
	case event.ThisSession:
		return &event.Grant{Scope: event.ForSession, Rules: o.Rules}
	case event.AlwaysProject, event.AlwaysUser:
		if err := g.Save(o.Choice, string(Allow), o.Rules); err != nil {
			emit(event.Notice{Level: event.WarnLevel, Text: fmt.Sprintf("The rule could not be saved, so it holds for this session only: %v", err)})
			return &event.Grant{Scope: event.ForSession, Rules: o.Rules}
		}
		return &event.Grant{Scope: event.Always, Rules: o.Rules}
	}
	return nil
}

func sentence(reason, help string) string {
	if help == "" {
		return reason
	}
	return reason + ". " + help
}

// maxPreview is how much of a preview is kept with a decision, in bytes.
const maxPreview = 16 << 10

// cut leaves the beginning and the end of a preview that is too long.
func cut(p event.Preview) event.Preview {
	const mark = "\n[...]\n"
	if len(p.Text) <= maxPreview {
		return p
	}
	half := (maxPreview - len(mark)) / 2
	head, tail := half, len(p.Text)-half
	for head > 0 && !utf8.RuneStart(p.Text[head]) {
		head--
	}
	for tail < len(p.Text) && !utf8.RuneStart(p.Text[tail]) {
		tail++
	}
	p.Text = p.Text[:head] + mark + p.Text[tail:]
	return p
}
