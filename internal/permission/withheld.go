package permission

import (
	"fmt"
	"reflect"
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
// mode, the rules or the grants changed. It is safe for concurrent use.
func Withheld(policy func() Policy, grants func() []event.Grant) func(path string) bool {
	var mu sync.Mutex
	var lastPolicy Policy
	var lastGrants []event.Grant
	var readable func(string) bool
	return func(path string) bool {
		p, g := policy(), grants()
		mu.Lock()
		defer mu.Unlock()
		if readable == nil || !reflect.DeepEqual(p, lastPolicy) || !reflect.DeepEqual(g, lastGrants) {
			lastPolicy, lastGrants, readable = p, g, p.Reader("grep_files", g)
		}
		return !readable(path)
	}
}
