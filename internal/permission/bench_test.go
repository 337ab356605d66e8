package permission

import (
	"testing"

	"github.com/minicode-go/minicode/tool"
)

func BenchmarkDecide(b *testing.B) {
	f := newFixture(b)
	p := f.policy(AcceptEdits)
	f.rules(b, &p, "deny Read(private/**) & allow Bash(npm test:*) & own Edit(~/notes/**) & ask Bash(git push:*)")
	for name, effects := range map[string]string{"write": "write src/a.go", "command": "exec read_only: cat src/a.go & read src/a.go & exec needs_ask: npm test"} {
		e := f.effects(b, effects)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Decide(p, "x", e, nil, tool.Advice{})
			}
		})
	}
}

func BenchmarkManyCommandRules(b *testing.B) {
	f := newFixture(b)
	p := f.policy(Default)
	for range 20 {
		f.rules(b, &p, "deny Bash(rm -rf:*) & ask Bash(git push:*) & allow Bash(make:*)")
	}
	e := f.effects(b, "exec read_only: ls -la & exec needs_ask: npm test & exec read_only: grep -n x y")
	for b.Loop() {
		Decide(p, "run_command", e, nil, tool.Advice{})
	}
}
