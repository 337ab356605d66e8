package permission

import (
	"fmt"
	"sync"

	"github.com/minicode-go/minicode/event"
)

// SettingsRule is a rule as the settings or a flag spell it.
func SettingsRule(text, decision, origin string, own bool) (Rule, error) {
	r, err := ParseRule(text)
	if err != nil {
		return Rule{}, fmt.Errorf("the %s rule %q of %s cannot be understood: %w", decision, text, origin, err)
	}
	r.Decision, r.Origin, r.Own = Decision(decision), origin, own
	return r, nil
}

// Withheld says of a file that a search must leave it out, because reading it
// would need an approval. What decides is made ready once, and anew when the
// mode, the rules or the grants changed.
func Withheld(policy func() Policy, grants func() []event.Grant) func(path string) bool {
	var mu sync.Mutex
	var state string
	var readable func(string) bool
	return func(path string) bool {
		p, g := policy(), grants()
		mu.Lock()
		defer mu.Unlock()
		if now := fmt.Sprint(p.Mode, len(p.Rules), len(g)); readable == nil || now != state {
			state, readable = now, p.Reader("grep_files", g)
		}
		return !readable(path)
	}
}
