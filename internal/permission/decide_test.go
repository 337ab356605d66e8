package permission

import (
	"testing"
)

func TestDecisions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	cases := 0
	table(t, "decisions.txt", func(line int, cells []string) {
		if len(cells) != 11 {
			t.Fatalf("line %d has %d cells", line, len(cells))
		}
		effects := f.effects(t, cells[1])
		for i, p := range columns(f) {
			grants, advice := f.rules(t, &p, cells[2])
			v := Decide(p, cells[0], effects, grants, advice)
			if got, want := answerOf(v), cells[3+i]; got != want {
				t.Errorf("decisions.txt:%d: %s, %s, %s, %s: %s (%s), want %s", line, p.Mode, cells[0], cells[1], cells[2], got, v.Reason, want)
			}
			if (v.Decision == Ask) != (len(v.Asking) > 0) && len(effects) > 0 {
				t.Errorf("decisions.txt:%d: %s: decision %s with Asking %v", line, p.Mode, v.Decision, v.Asking)
			}
			if v.Reason == "" || len(v.PerEffect) != len(effects) {
				t.Errorf("decisions.txt:%d: %s: reason %q, %d judgements", line, p.Mode, v.Reason, len(v.PerEffect))
			}
			cases++
		}
	})
	t.Logf("%d cases", cases)
}
