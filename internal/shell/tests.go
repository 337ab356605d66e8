package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/minicode-go/minicode/event"
)

// fileTest reports whether a unary operator asks about a file.
func fileTest(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefgGhkLNOprsSuwx", op[1]) >= 0
}

// fileCompare reports whether a binary operator compares files.
func fileCompare(op string) bool { return op == "-nt" || op == "-ot" || op == "-ef" }

// test judges test and "[": -v and -R can run commands in a subscript, and so
// can a word that may turn out to be such an operator.
func (a *analyser) test(c command) {
	words := c.words[1:]
	if n := len(words); c.name() == "[" && n > 0 && words[n-1].text == "]" {
		words = words[:n-1]
	}
	binary := []string{"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
	for i, w := range words {
		after := word{}
		if i+1 < len(words) {
			after = words[i+1]
		}
		before := word{}
		if i > 0 {
			before = words[i-1]
		}
		isOperand := slices.Contains(binary, after.text) || slices.Contains(binary, before.text) ||
			len(before.text) == 2 && before.text[0] == '-' || len(words) == 1
		switch {
		case w.text == "-v" || w.text == "-R":
			c.f.raise(event.NeedsAsk, w.text+" looks at a variable by name, which can run commands")
		case !w.known() && w.multi && !w.numeric:
			c.f.raise(event.NeedsAsk, "a word that is not known before the run may be an operator")
		case !w.known() && !isOperand:
			c.f.raise(event.NeedsAsk, "a word that is not known before the run may be an operator")
		case fileTest(w.text) && i+1 < len(words) && !slices.Contains(binary, after.text):
			a.reads(c, after)
		case fileCompare(w.text) && i > 0 && i+1 < len(words):
			a.reads(c, before)
			a.reads(c, after)
		}
	}
}

// testClause judges "[[ ]]".
func (a *analyser) testClause(cmd *syntax.TestClause, st *state, sc scope) {
	f := a.part(sc, key{node: cmd}, slice(sc.src, cmd), int(cmd.Pos().Offset()))
	f.name = "[["
	a.substitutions(cmd, st, sc)
	a.testExpr(cmd.X, command{words: []word{{text: f.name}}, f: f, st: st, sc: sc, node: cmd})
}

func (a *analyser) testExpr(x syntax.TestExpr, c command) {
	d := decoder{a, c.st}
	switch x := x.(type) {
	case *syntax.ParenTest:
		a.testExpr(x.X, c)
	case *syntax.Word:
		if w := d.one(x); w.trick != "" {
			c.f.raise(event.NeedsAsk, w.trick)
		}
	case *syntax.UnaryTest:
		op := x.Op.String()
		if op == "-v" || op == "-R" {
			c.f.raise(event.NeedsAsk, op+" looks at a variable by name, which can run commands")
		}
		a.testExpr(x.X, c)
		if w, ok := x.X.(*syntax.Word); ok && fileTest(op) {
			a.reads(c, d.one(w))
		}
	case *syntax.BinaryTest:
		a.testExpr(x.X, c)
		a.testExpr(x.Y, c)
		op := x.Op.String()
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			w, ok := side.(*syntax.Word)
			if !ok {
				continue
			}
			v := d.one(w)
			switch {
			case fileCompare(op):
				a.reads(c, v)
			case slices.Contains([]string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}, op) && !v.number():
				c.f.raise(event.NeedsAsk, "arithmetic on a value that is not known can run commands")
			}
		}
	}
}
