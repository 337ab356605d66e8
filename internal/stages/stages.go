// Package stages is the table of compaction, made of settings: what is done to
// one log's view of a conversation, and how full it must be for that.
//
// The invariant: nothing here keeps a state of its own; a table is made for
// each turn.
//
//	t := stages.Table{Settings: settings.Config.Context, Limits: settings.Config.Limits, Log: log, Meter: meter, Model: model}
//	agent.Compact, agent.Clean = t.Pipeline(), t.Offload()
//
// What the stages do is in internal/compact.
package stages

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
)

// Table is what the stages of one log are made of.
type Table struct {
	Settings config.Context
	Limits   config.Limits
	Log      *session.Log
	Meter    *account.Meter
	Told     *compact.Told    // what the person was told; nil is a fresh one
	Model    llm.Model        // in use
	Summary  func() llm.Model // writes summaries; nil, or giving nil, is the model in use
	Keep     func(event.View) []llm.Message
	Now      func() time.Time
}

// Rules is the stages, cheapest first. A summary minds the focus.
func (t Table) Rules(focus string) []compact.Rule {
	s, offload := t.Settings, t.Offload()
	digest := compact.Digest{Model: t.Summary, Fallback: true, Instructions: s.SummaryInstructions, Again: agent.Retry{Tries: 5, Now: t.Now}.After, Meter: t.Meter}
	history := func(stage string) compact.Past { return compact.Past(t.Log.Past(stage)) }
	return []compact.Rule{
		{Stage: offload},
		{Above: s.ClearAt, Stage: compact.Clear{Meter: t.Meter}},
		{Above: s.SnipAt, Stage: compact.Snip{Meter: t.Meter, History: history}},
		{Above: s.CollapseAt, Stage: compact.Collapse{Meter: t.Meter, History: history, Digest: digest}},
		{Above: s.SummarizeAt, Stage: compact.Summarize{
			Meter: t.Meter, History: history, Digest: digest, Keep: t.Keep, Offload: &offload, TailTokens: max(1, s.TailTokens), Focus: focus,
		}},
		{Above: s.RefuseAt, Stage: compact.Refuse{Above: s.RefuseAt}},
		{Refused: true, Stage: compact.Images{}},
	}
}

// Pipeline is the stages that work by themselves: not those whose threshold is
// 0, and without automatic compaction only what concerns single results and
// refused requests.
func (t Table) Pipeline() compact.Pipeline {
	auto := t.Settings.Auto
	rules := slices.DeleteFunc(t.Rules(""), func(r compact.Rule) bool {
		return !r.Refused && r.Stage.Name() != "offload" && (!auto || r.Above == 0)
	})
	told := t.Told
	if told == nil {
		told = new(compact.Told)
	}
	return compact.Pipeline{Rules: rules, Meter: t.Meter, Told: told, Off: !auto}
}

// ByHand is the one stage of that name, whatever its threshold.
func (t Table) ByHand(stage, focus string) compact.Pipeline {
	rules := slices.DeleteFunc(t.Rules(focus), func(r compact.Rule) bool { return r.Stage.Name() != stage })
	return compact.Pipeline{Rules: rules, Meter: t.Meter}
}

// Offload is where large results go, and from which size on.
func (t Table) Offload() compact.Offload {
	return compact.Offload{
		Dir: func() string {
			if dir := t.Log.Dir(); dir != "" {
				return filepath.Join(dir, "results")
			}
			return ""
		},
		ResultLimit: func() int { return ResultLimit(t.Limits, t.Model.Info()) },
		BatchLimit:  func() int { return min(t.Limits.BatchChars, compact.BatchLimit(t.Model.Info().EffectiveInput())) },
	}
}

// ResultLimit is how many characters one result may have.
func ResultLimit(l config.Limits, model llm.Info) int {
	return min(l.ResultChars, compact.ResultLimit(model.EffectiveInput()))
}
