package subagent

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/internal/stages"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Parent is what a conversation gives to its sub-agents.
type Parent struct {
	Log    *session.Log
	Store  session.Store // where Log is kept
	Cwd    string
	System string
	Table  stages.Table // its model, settings and clock are the child's, too
	Mode   permission.Mode
	Policy func() permission.Policy
	Grants func() []event.Grant
	Hooks  agent.Hooks
	Effort string
	Steps  int

	// Model is the model of that name.
	Model func(name string) (llm.Model, error)

	// Tools is all tools, with a view of files that is the child's own.
	Tools func(child *session.Log) []tool.Tool

	Warn func(text string)
}

// Spent is what sub-agents used and nobody has asked for yet. It is safe for
// concurrent use.
type Spent struct {
	mu  sync.Mutex
	all []Spending
}

// Spending is what one sub-agent used of a model.
type Spending struct {
	Model string
	Used  llm.Usage
}

// Take gives what was used since the last call.
func (s *Spent) Take() []Spending {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return all
}

func (s *Spent) add(one Spending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

// Make makes a sub-agent: its log lies beside its parent's, its view of files
// is its own, and its gate is its parent's without anybody to ask.
func (p Parent) Make(k Kind, only []string, spent *Spent) (Child, error) {
	table := p.Table
	if k.Model != "" {
		if m, err := p.Model(k.Model); err == nil {
			table.Model = m
		} else {
			p.Warn(fmt.Sprintf("the agent %s wants the model %s, which cannot be used (%v): it has that of this conversation", k.Name, k.Model, err))
		}
	}
	mode := permission.Narrower(p.Mode, k.Mode)
	p.Store.Root = filepath.Join(p.Log.Dir(), "agents")
	log, err := p.Store.Create(session.Options{
		Cwd: p.Cwd, Memory: p.Log.Dir() == "",
		Opened: event.Opened{Format: event.Format, Model: table.Model.Info().ID(), Mode: string(mode), From: p.Log.ID()},
	})
	if err != nil {
		return Child{}, err
	}
	tools := slices.DeleteFunc(p.Tools(log), func(t tool.Tool) bool { return !k.Has(t.Spec().Name, only) })
	if len(tools) == 0 {
		_ = log.Close() // nothing was said in it
		return Child{}, fmt.Errorf("the agent %s would have no tools: leave tools out, or name some of its own", k.Name)
	}
	table.Log, table.Meter, table.Told, table.Keep = log, new(account.Meter), nil, nil
	system := strings.TrimSpace(p.System) + "\n\n# Your part\n" + k.Prompt + "\n"
	a := &agent.Agent{
		Model: table.Model, System: func() string { return system }, Tools: func() []tool.Tool { return tools }, Log: log, Gate: p.gate(mode, log),
		Meter: table.Meter, Compact: table.Pipeline(), Clean: table.Offload(), Hooks: p.Hooks,
		MaxSteps: k.MaxSteps, Effort: k.Effort, Retry: agent.Retry{Now: table.Now},
	}
	if a.MaxSteps == 0 {
		a.MaxSteps = p.Steps
	}
	if a.Effort == "" {
		a.Effort = p.Effort
	}
	return Child{Agent: a, Session: log.ID(), Close: func() error {
		spent.add(Spending{table.Model.Info().ID(), log.Usage()})
		return log.Close()
	}}, nil
}

// gate is the parent's, without anybody to ask.
func (p Parent) gate(mode permission.Mode, log *session.Log) *permission.Gate {
	return &permission.Gate{Grants: p.Grants, Policy: func() permission.Policy {
		policy := p.Policy()
		policy.Mode = mode
		if dir := log.Dir(); dir != "" {
			policy.Free = append(slices.Clone(policy.Free), dir)
		}
		return policy
	}}
}

// Maker is Make as [Options] wants it.
func Maker(parent func() Parent, spent *Spent) func(context.Context, Kind, []string) (Child, error) {
	return func(_ context.Context, k Kind, only []string) (Child, error) { return parent().Make(k, only, spent) }
}
