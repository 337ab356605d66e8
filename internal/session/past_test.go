package session

import (
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func TestPast(t *testing.T) {
	edits := []event.Edit{{From: "x", To: "y"}}
	worked := event.Edited{Stage: "summarize", Why: event.Threshold, Edits: edits}
	failed := event.Edited{Stage: "summarize", Why: event.Threshold, Error: "empty"}
	with := func(f event.Edited, why event.Why) event.Edited { f.Why = why; return f }
	other := worked
	other.Stage = "collapse"
	step := event.Message{Message: llm.NewText(llm.Assistant, llm.Progress, "on")}
	note := event.Message{Message: llm.NewText(llm.User, llm.Note, "Monday")}
	for name, c := range map[string]struct {
		facts []event.Fact
		want  Past
	}{
		"never":                          {[]event.Fact{step, other, failed, step}, Past{Steps: -1, Strikes: 1}},
		"at once":                        {[]event.Fact{step, worked}, Past{Steps: 0, Row: 1}},
		"some answers ago":               {[]event.Fact{worked, step, note, step, result("c", "", llm.Meta{})}, Past{Steps: 2}},
		"the newest counts":              {[]event.Fact{worked, step, worked, step}, Past{Steps: 1}},
		"by hand":                        {[]event.Fact{worked, step, with(worked, event.Manual)}, Past{Steps: 0}},
		"twice in a row":                 {[]event.Fact{step, worked, note, with(worked, event.Forced)}, Past{Steps: 0, Row: 2}},
		"three with one by hand":         {[]event.Fact{worked, with(worked, event.Manual), worked}, Past{Steps: 0, Row: 2}},
		"an answer between":              {[]event.Fact{worked, step, worked}, Past{Steps: 0, Row: 1}},
		"strikes":                        {[]event.Fact{failed, step, failed, with(failed, event.Forced)}, Past{Steps: -1, Strikes: 3}},
		"a success clears them":          {[]event.Fact{failed, failed, worked, failed}, Past{Steps: 0, Strikes: 1, Row: 1}},
		"one by hand clears them":        {[]event.Fact{failed, with(worked, event.Manual)}, Past{Steps: 0}},
		"even when it fails":             {[]event.Fact{failed, failed, with(failed, event.Manual)}, Past{Steps: -1}},
		"another model clears them":      {[]event.Fact{failed, event.Changed{Model: "a/b"}}, Past{Steps: -1}},
		"another title does not":         {[]event.Fact{failed, event.Changed{Title: "x", Mode: "plan"}}, Past{Steps: -1, Strikes: 1}},
		"another stage does not":         {[]event.Fact{failed, other}, Past{Steps: -1, Strikes: 1}},
		"a strike is no step of a stage": {[]event.Fact{worked, step, failed}, Past{Steps: 1, Strikes: 1}},
	} {
		s := newStore(t)
		l := create(t, s, Options{})
		say(t, l, llm.User, llm.Prompt, "go")
		for _, f := range c.facts {
			add(t, l, f)
		}
		add(t, l, event.Ended{Reason: event.Done})
		same(t, name, c.want, l.Past("summarize"))
		l.Close()
		again, _ := reopen(t, s, l.Path())
		same(t, name+", reopened", c.want, again.Past("summarize"))
		forked, err := s.Fork(l.Path(), Options{Cwd: "/work/project"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+", forked", c.want, forked.Past("summarize"))
		forked.Close()
	}
}

// TestPastRewound: what was left behind does not count.
func TestPastRewound(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	add(t, l, event.Edited{Stage: "snip", Why: event.Threshold, Error: "does not shrink"})
	back := l.Head()
	turn(t, l, "two", "c2")
	add(t, l, event.Edited{Stage: "snip", Why: event.Threshold, Edits: []event.Edit{{From: "x", To: "x"}}})
	same(t, "before", Past{Steps: 0, Row: 1}, l.Past("snip"))
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	want := Past{Steps: -1, Strikes: 1}
	same(t, "gone back", want, l.Past("snip"))
	l.Close()
	again, _ := reopen(t, s, l.Path())
	same(t, "reopened", want, again.Past("snip"))
}
