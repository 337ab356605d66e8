package session

import (
	"fmt"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func staleOf(view []llm.Message) (out []string) {
	for _, m := range view {
		out = append(out, m.Stale)
	}
	return out
}

// TestStale: an edit marks what stands from its place on, and what is said
// later is not marked.
func TestStale(t *testing.T) {
	put := func(kind llm.Kind) []llm.Message { return []llm.Message{llm.NewText(llm.User, kind, "instead")} }
	// The view: prompt, work, result, final, prompt, work, result, final.
	for name, c := range map[string]struct {
		stage string
		edits func(id func(int) string) []event.Edit
		want  []string
	}{
		"clear": {"clear", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(2), To: id(2), With: put(llm.Resulted)}}
		}, []string{"", "", "cleared", "cleared", "cleared", "cleared", "cleared", "cleared"}},
		"snip": {"snip", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(1), To: id(3), With: put(llm.Snipped)}}
		}, []string{"", "snipped", "snipped", "snipped", "snipped", "snipped"}},
		"collapse": {"collapse", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(5), To: id(6), With: put(llm.Summary)}}
		}, []string{"", "", "", "", "", "collapsed", "collapsed"}},
		"summarize": {"summarize", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(0), To: id(6), With: put(llm.Summary)}}
		}, []string{"compacted", "compacted"}},
		"another": {"images", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(4), To: id(4), With: put(llm.Prompt)}}
		}, []string{"", "", "", "", "images", "images", "images", "images"}},
		"nameless": {"", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(7), To: id(7), With: put(llm.Final)}}
		}, []string{"", "", "", "", "", "", "", "edited"}},
		"the last": {"clear", func(id func(int) string) []event.Edit { return []event.Edit{{From: id(7), To: id(7)}} }, []string{"", "", "", "", "", "", ""}},
		"nothing": {"snip", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: id(3), To: id(1)}, {From: "x", To: id(1)}, {From: id(1), To: "x"}}
		}, []string{"", "", "", "", "", "", "", ""}},
		"a boundary that is none": {"summarize", func(func(int) string) []event.Edit { return []event.Edit{{From: "x", To: "y", With: put(llm.Summary)}} }, []string{"", "", "", "", "", "", "", ""}},
		"several, one does nothing": {"clear", func(id func(int) string) []event.Edit {
			return []event.Edit{{From: "x", To: "y"}, {From: id(6), To: id(6), With: put(llm.Resulted)}, {From: id(3), To: id(3), With: put(llm.Final)}}
		}, []string{"", "", "", "cleared", "cleared", "cleared", "cleared", "cleared"}},
	} {
		for _, folded := range []bool{true, false} {
			s := newStore(t)
			l := create(t, s, Options{})
			turn(t, l, "one", "c1")
			turn(t, l, "two", "c2")
			var ids []string
			for r := range l.Records() {
				if m, ok := r.MessageOf(); ok {
					ids = append(ids, m.ID)
				}
			}
			if folded {
				l.Messages()
			}
			add(t, l, event.Edited{Stage: c.stage, Edits: c.edits(func(i int) string { return ids[i] })})
			say(t, l, llm.User, llm.Prompt, "three")
			add(t, l, event.Ended{Reason: event.Done})
			want := append(c.want, "")
			same(t, name, want, staleOf(l.Messages()))
			l.Close()
			again, _ := reopen(t, s, l.Path())
			same(t, name+", reopened", want, staleOf(again.Messages()))
		}
	}
}

// TestStaleOffload: what is done to the results of the newest answer leaves
// what was counted with that answer as it is.
func TestStaleOffload(t *testing.T) {
	l := create(t, newStore(t), Options{})
	say(t, l, llm.User, llm.Prompt, "go")
	add(t, l, answer("c1", "c2"))
	first := add(t, l, result("c1", "long", llm.Meta{}))
	add(t, l, result("c2", "long", llm.Meta{}))
	short := result("c1", "short", llm.Meta{Saved: "/x"}).Message
	add(t, l, event.Edited{Stage: "offload", Edits: []event.Edit{{From: first.ID, To: first.ID, With: []llm.Message{short}}}})
	for _, m := range l.Messages() {
		if m.Usage != nil && m.Stale != "" {
			t.Errorf("the answer is marked %q", m.Stale)
		}
	}
	add(t, l, answer("c3"))
	same(t, "marks", []string{"", "", "offload", "offload", ""}, staleOf(l.Messages()))
}

// TestStaleIsNotGivenIn: a mark belongs to a view. A message that is taken
// from one and said again has none.
func TestStaleIsNotGivenIn(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	m := llm.NewText(llm.User, llm.Prompt, "go")
	m.Stale = "snipped"
	l.Messages()
	r := add(t, l, event.Message{Message: m})
	got, _ := r.MessageOf()
	same(t, "marks", []string{"", ""}, []string{got.Stale, l.Messages()[0].Stale})
}

// TestStaleRewound: going back behind an edit takes its marks back.
func TestStaleRewound(t *testing.T) {
	l := create(t, newStore(t), Options{})
	turn(t, l, "one", "c1")
	back := l.Head()
	view := l.Messages()
	add(t, l, event.Edited{Stage: "snip", Edits: []event.Edit{{From: view[1].ID, To: view[2].ID}}})
	same(t, "marked", []string{"", "snipped"}, staleOf(l.Messages()))
	same(t, "the view before", []string{"", "", "", ""}, staleOf(view))
	if err := l.Rewind(back.ID); err != nil {
		t.Fatal(err)
	}
	same(t, "gone back", []string{"", "", "", ""}, staleOf(l.Messages()))
}

// TestViewIsNotCopied counts how often the view is laid out anew: what is
// appended does not copy what is there.
func TestViewIsNotCopied(t *testing.T) {
	l := create(t, newStore(t), Options{Memory: true})
	say(t, l, llm.User, llm.Prompt, "go")
	for i := range 5000 {
		add(t, l, answer(fmt.Sprint("c", i)))
		add(t, l, result(fmt.Sprint("c", i), "text", llm.Meta{}))
	}
	first, copies := &l.Messages()[0], 0
	step := func() {
		add(t, l, answer("d"))
		add(t, l, result("d", "text", llm.Meta{}))
		if now := &l.Messages()[0]; now != first {
			first = now
			copies++
		}
		l.Past("snip")
	}
	objects := testing.AllocsPerRun(500, step)
	if copies > 1 {
		t.Errorf("the view was copied %d times for 1000 messages", copies)
	}
	small := create(t, newStore(t), Options{Memory: true})
	say(t, small, llm.User, llm.Prompt, "go")
	l, first = small, &small.Messages()[0]
	if few := testing.AllocsPerRun(500, step); objects > few*1.1 {
		t.Errorf("two messages cost %.0f objects after 10,000 others, %.0f after none", objects, few)
	}
}

// BenchmarkFoldAppend appends a message to 10,000 and looks at the view.
func BenchmarkFoldAppend(b *testing.B) {
	l := create(b, newStore(b), Options{Memory: true})
	say(b, l, llm.User, llm.Prompt, "go")
	for i := range 5000 {
		add(b, l, answer(fmt.Sprint("c", i)))
		add(b, l, result(fmt.Sprint("c", i), "text", llm.Meta{}))
	}
	l.Messages() // what is there is folded once
	m := llm.NewText(llm.Assistant, llm.Progress, "going on")
	m.Usage = &llm.Usage{Input: 5}
	for b.Loop() {
		add(b, l, event.Message{Message: m})
		if len(l.Messages()) < 10_000 || l.Past("snip").Steps != -1 {
			b.Fatal("not there")
		}
	}
}
