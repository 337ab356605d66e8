package complete

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func texts(found []Scored) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Text)
	}
	return out
}

func TestMatchOrder(t *testing.T) {
	for _, c := range []struct {
		query string
		want  []string // of all these, in this order; the candidates are given backwards
	}{
		{"", []string{"b", "a"}},
		{"com", []string{"compact", "compact-all", "context-model"}},
		{"cm", []string{"context-model", "compact", "acme"}},
		{"buf", []string{"internal/compose/buffer.go", "buffers/internal/compose/a.go"}},
		{"gfi", []string{"GlobFilesIn", "getfields"}},
		{"readme", []string{"README.md", "docs/README.md", "docs/readers/me.md"}},
		{"README", []string{"README.md", "readme.md"}},
		{"app", []string{"internal/app/", "internal/application.go", "internal/a/p/p.go"}},
		{"int/cmp", []string{"internal/compose/x.go", "interface/ac/xmxxpx/x.go"}},
		{"test session", []string{"internal/session/log_test.go"}},
		{"世界", []string{"世界.md", "你好世界.md", "世人/三界.md"}},
		{"größe", []string{"GRÖSSE-GRÖßE.md"}},
		{"v2", []string{"chroma/v2", "v1/a2"}},
	} {
		candidates := []string{"zzz"}
		if c.query == "" {
			candidates = nil
		}
		for i := range c.want {
			candidates = append(candidates, c.want[len(c.want)-1-i])
		}
		if c.query == "" {
			candidates = c.want
		}
		if diff := cmp.Diff(c.want, texts(Match(c.query, candidates))); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
	if got := Match("ba", []string{"abc", "ab", ""}); got != nil {
		t.Errorf("matched %v", got)
	}
}

func TestPositions(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"cmpb", "internal/compose/buffer.go", "internal/[c]o[m][p]ose/[b]uffer.go"},
		{"buf", "b/u/f/buffer", "b/u/f/[b][u][f]fer"},
		{"界", "世界/界", "世界/[界]"},
		{"go int", "internal/x.go", "[i][n][t]ernal/x.[g][o]"},
		{"in int", "internal", "[i][n][t]ernal"},
		{"x", "abc", "abc"},
		{"", "abc", "abc"},
		{"a", "\xff\xffa", "\xff\xff[a]"},
	} {
		marked := c.text
		at := Positions(c.query, c.text)
		for i := len(at) - 1; i >= 0; i-- {
			r := []rune(marked[at[i]:])[0]
			marked = marked[:at[i]] + "[" + string(r) + "]" + marked[at[i]+len(string(r)):]
		}
		if marked != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, marked, c.want)
		}
	}
}

// bestPlacement tries every placement of the letters from number i on, the one
// before them being at place before.
func bestPlacement(m *matcher, w queryWord, i, before int) int {
	if i == len(w.folded) {
		return 0
	}
	best := impossible
	for j := before + 1; j < len(m.folded); j++ {
		if m.folded[j] != w.folded[i] {
			continue
		}
		s := m.worth[j]
		if m.text[j] == w.typed[i] {
			s += forCase
		}
		if i == 0 {
			s -= min(j, leadAtMost)
		} else {
			s += between(before, j)
		}
		best = max(best, s+bestPlacement(m, w, i+1, j))
	}
	return best
}

func TestScoreIsThatOfTheBestPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A", "B", "/", "-", "1", "xxxxxxxxxxxxxxx", "é", "É"}), 0, 14).Draw(t, "text"), "")
		query := rapid.StringOfN(rapid.SampledFrom([]rune("abAB/-1é")), 1, 4, -1).Draw(t, "query")
		m := newMatcher(query)
		score, ok := m.score(text)
		m.text, m.folded = []rune(text), nil
		for _, r := range m.text {
			m.folded = append(m.folded, fold(r))
		}
		m.weigh()
		want := bestPlacement(m, m.words[0], 0, -1)
		if ok != (want > impossible/2) || ok && score != want {
			t.Fatalf("%q in %q: %d, %v; the best placement is worth %d", query, text, score, ok, want)
		}
		if !ok {
			return
		}
		if m.mask&^maskOf(text) != 0 {
			t.Fatalf("the mask of %q is not in that of %q", query, text)
		}
		// The positions are a placement that is worth so much.
		at := m.place(m.words[0])
		got := -min(at[0], leadAtMost)
		for i, j := range at {
			if m.folded[j] != m.words[0].folded[i] {
				t.Fatalf("%q in %q: letter %d is not at %d", query, text, i, j)
			}
			got += m.worth[j]
			if m.text[j] == m.words[0].typed[i] {
				got += forCase
			}
			if i > 0 {
				got += between(at[i-1], j)
			}
		}
		if got != score {
			t.Fatalf("%q in %q: placed at %v, worth %d instead of %d", query, text, at, got, score)
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("cmpb x", "internal/compose/buffer.go")
	f.Add("ÄÖ \xff", "äö\x00\xff\xfe")
	f.Add("İ", "i̇")
	f.Fuzz(func(t *testing.T, query, text string) {
		found := Match(query, []string{text})
		m := newMatcher(query)
		if len(found) == 1 && m.mask&^maskOf(text) != 0 {
			t.Errorf("%q matches %q, but not by its mask", query, text)
		}
		at := Positions(query, text)
		if len(found) == 0 && at != nil {
			t.Errorf("%q does not match %q, but is at %v", query, text, at)
		}
		last := -1
		for _, i := range at {
			if i <= last || i >= len(text) {
				t.Errorf("%q is at %v of %q", query, at, text)
			}
			last = i
		}
		if got := Match(text, []string{text}); len(got) != 1 {
			t.Errorf("%q does not match itself", text)
		}
	})
}
