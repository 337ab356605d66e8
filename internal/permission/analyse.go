package permission

import (
	"slices"

	"github.com/minicode-go/minicode/internal/shell"
)

// Analyser says what a command would do when it is run in cwd, as the policy's
// workspace has it.
func Analyser(policy func() Policy) func(command, cwd string) shell.Analysis {
	return func(command, cwd string) shell.Analysis {
		p := policy()
		protected, secret := p.Guards()
		return shell.Analyse(command, shell.Env{
			Cwd: cwd, Root: p.Root, Home: p.Home, Additional: append(slices.Clip(p.Additional), p.Cwd), Protected: protected, Secrets: secret, Met: p.Met,
		})
	}
}

// ExplainCommand judges a shell command without running it.
func ExplainCommand(p Policy, command, cwd string) Explanation {
	a := Analyser(func() Policy { return p })(command, cwd)
	x := Explain(p, command, a.Effects(), a.Writes, nil)
	// Rules see a part with the assignments that change what it does; a
	// reader is shown the command itself.
	for i, part := range a.Parts {
		x.Parts[i].Command = part.Text
	}
	if !a.Failed {
		x.Parse, x.Parts = "ok", x.Parts[:len(a.Parts)]
	}
	return x
}
