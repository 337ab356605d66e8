package session

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// TestReplaced: what an edit took out can be shown again, also when it lies
// behind a boundary, in a branch that was left, or in a session that was
// opened anew.
func TestReplaced(t *testing.T) {
	s := newStore(t)
	l := create(t, s, Options{})
	turn(t, l, "one", "c1")
	turn(t, l, "two", "c2")
	view := l.Messages()
	short := result("c1", "[preview]", llm.Meta{Saved: "/results/c1.txt"}).Message
	offload := add(t, l, event.Edited{Stage: "offload", Why: event.Threshold, Before: 900, After: 300, Edits: []event.Edit{
		{From: view[2].ID, To: view[2].ID, With: []llm.Message{short}},
	}})
	add(t, l, event.Edited{Stage: "summarize", Why: event.Threshold, Error: "empty"})
	whole := l.Messages()
	note := llm.NewText(llm.User, llm.Summary, "so far")
	boundary := add(t, l, event.Edited{Stage: "summarize", Why: event.Manual, Before: 300, After: 50, Edits: []event.Edit{
		{From: whole[0].ID, To: whole[4].ID, With: []llm.Message{note}},
		{From: whole[6].ID, To: whole[6].ID, With: []llm.Message{result("c2", "[preview]", llm.Meta{}).Message}},
	}})
	after := l.Head()
	turn(t, l, "three", "c3")
	snipped := l.Messages()[3:5]
	snip := add(t, l, event.Edited{Stage: "snip", Edits: []event.Edit{{From: snipped[0].ID, To: snipped[1].ID}}})
	idle := add(t, l, event.Edited{Stage: "snip", Edits: []event.Edit{{From: "x", To: "x"}}})
	want := map[string][]llm.Message{
		offload.ID: view[2:3], boundary.ID: append(append([]llm.Message{}, whole[:5]...), whole[6]), snip.ID: snipped, idle.ID: nil,
	}
	look := func(l *Log) {
		t.Helper()
		for id, messages := range want {
			got, err := l.Replaced(id)
			if err != nil {
				t.Error(err)
			}
			same(t, "replaced", messages, got)
		}
	}
	look(l)
	edits := l.Edits()
	same(t, "edits", []EditInfo{
		{ID: offload.ID, Stage: "offload", Why: event.Threshold, Time: offload.Time, Turn: 2, Before: 900, After: 300, Messages: 1},
		{ID: boundary.ID, Stage: "summarize", Why: event.Manual, Time: boundary.Time, Turn: 2, Before: 300, After: 50, Messages: 6},
		{ID: snip.ID, Stage: "snip", Time: snip.Time, Turn: 3, Messages: 2},
		{ID: idle.ID, Stage: "snip", Time: idle.Time, Turn: 3},
	}, edits)
	if r, _ := want[offload.ID][0].Result(); r.Parts.Text() != "text of c1" {
		t.Errorf("the original result reads %q", r.Parts.Text())
	}
	l.Close()
	again, _ := reopen(t, s, l.Path())
	look(again)
	if err := again.Rewind(after.ID); err != nil {
		t.Fatal(err)
	}
	look(again)
	same(t, "edits after going back", edits[:2], again.Edits())
	for _, id := range []string{"", "unknown", view[0].ID} {
		if _, err := again.Replaced(id); err == nil || !strings.Contains(err.Error(), "no record") {
			t.Errorf("what %q replaced: %v", id, err)
		}
	}
	again.Close()
	if _, err := again.Replaced(snip.ID); err == nil {
		t.Error("a closed log was read")
	}
}

// TestReplacedReadsLittle: behind a boundary nothing is read for an edit that
// came after it.
func TestReplacedReadsLittle(t *testing.T) {
	s := newStore(t)
	path, _ := big(t, s, 1<<20, 5)
	l, _ := reopen(t, s, path)
	view := l.Messages()
	r := add(t, l, event.Edited{Stage: "snip", Edits: []event.Edit{{From: view[1].ID, To: view[3].ID}}})
	before := l.decoded
	got, err := l.Replaced(r.ID)
	if err != nil || len(got) != 3 {
		t.Fatal(len(got), err)
	}
	if n := l.decoded - before; n > 10 {
		t.Errorf("%d bodies were parsed for 3 messages", n)
	}
}
