package outbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
)

func TestEachOnce(t *testing.T) {
	var o Outbox
	fact := func(id string) event.Record {
		return event.Record{Head: event.Head{ID: id}, Event: event.Changed{Title: id}}
	}
	o.State(fact("a"))
	o.Reset(fact("b"))
	o.State(fact("c"))
	o.Warn("x", "y")
	var got []string
	for _, r := range o.Asides(event.Head{ID: "i", Parent: "p", Turn: 3}) {
		switch e := r.Event.(type) {
		case event.Notice:
			if r.Turn != 3 || r.ID != "" || r.Parent != "" {
				t.Errorf("%+v", r.Head)
			}
			got = append(got, e.Text)
		case event.Changed:
			got = append(got, r.ID)
		}
	}
	if diff := cmp.Diff([]string{"b", "c", "x", "y"}, got); diff != "" {
		t.Error(diff)
	}
	if n := len(o.Asides(event.Head{})) + len(o.Facts()) + len(o.Warnings()); n != 0 {
		t.Errorf("%d are given again", n)
	}
}
