package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// part is a stretch of a line, in bytes, that the other line does not have.
type part struct{ start, end int }

const (
	alike       = 0.4     // of two lines' characters that must be the same, to call them two states of one
	mostTokens  = 400     // in a line whose words are compared
	mostPairs   = 400     // of lines that are compared with each other, for one change
	mostCompare = 4 << 20 // pairs of tokens that are compared for one diff
)

// marker finds the words that differ between removed lines and the added ones
// in their place. It does not spend more than its budget.
type marker struct{ budget int }

// mark gives for each line of a hunk what differs from its counterpart.
func (m *marker) mark(lines []Line) map[int][]part {
	out := map[int][]part{}
	for i := 0; i < len(lines); {
		if lines[i].Kind != Removed {
			i++
			continue
		}
		mid := i
		for mid < len(lines) && lines[mid].Kind == Removed {
			mid++
		}
		end := mid
		for end < len(lines) && lines[end].Kind == Added {
			end++
		}
		m.pair(lines, i, mid, end, out)
		i = end
	}
	return out
}

// pair joins the lines that are two states of one, in order, so that as much
// as possible is the same.
func (m *marker) pair(lines []Line, start, mid, end int, out map[int][]part) {
	old, added := mid-start, end-mid
	if old == 0 || added == 0 {
		return
	}
	if old*added > mostPairs {
		for i := range min(old, added) {
			if old == added {
				m.join(lines, start+i, mid+i, out)
			}
		}
		return
	}
	split := make([][]string, end-start)
	for i := range split {
		split[i] = tokens(lines[start+i].Text)
	}
	scores := make([][]float64, old)
	best := make([][]float64, old+1) // of the lines from (i, j) on
	for i := range best {
		best[i] = make([]float64, added+1)
	}
	for i := old - 1; i >= 0; i-- {
		scores[i] = make([]float64, added)
		for j := added - 1; j >= 0; j-- {
			_, _, same := m.compare(split[i], split[old+j])
			if same < alike {
				same = 0
			}
			scores[i][j] = same
			best[i][j] = max(best[i+1][j], best[i][j+1], same+best[i+1][j+1])
		}
	}
	for i, j := 0, 0; i < old && j < added; {
		switch {
		case scores[i][j] > 0 && best[i][j] == scores[i][j]+best[i+1][j+1]:
			m.join(lines, start+i, mid+j, out)
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

func (m *marker) join(lines []Line, i, j int, out map[int][]part) {
	gone, come, same := m.compare(tokens(lines[i].Text), tokens(lines[j].Text))
	if same >= alike {
		out[i], out[j] = gone, come
	}
}

// compare gives what only one of two lines has, and how much of both is the
// same, from 0 to 1. Blanks do not count for that.
func (m *marker) compare(x, y []string) (gone, come []part, same float64) {
	if len(x) > mostTokens || len(y) > mostTokens {
		return nil, nil, 0
	}
	pre, post := 0, 0
	for pre < len(x) && pre < len(y) && x[pre] == y[pre] {
		pre++
	}
	for post < len(x)-pre && post < len(y)-pre && x[len(x)-1-post] == y[len(y)-1-post] {
		post++
	}
	keepX, keepY := make([]bool, len(x)), make([]bool, len(y))
	for i := range x {
		keepX[i] = i < pre || i >= len(x)-post
	}
	for i := range y {
		keepY[i] = i < pre || i >= len(y)-post
	}
	mx, my := x[pre:len(x)-post], y[pre:len(y)-post]
	if m.budget -= len(mx) * len(my); m.budget > 0 {
		subsequence(mx, my, func(i, j int) { keepX[pre+i], keepY[pre+j] = true, true })
	}
	kept, all := 0, 0
	for _, side := range []struct {
		tokens []string
		keep   []bool
	}{{x, keepX}, {y, keepY}} {
		for i, t := range side.tokens {
			if strings.TrimSpace(t) == "" {
				continue
			}
			all += len(t)
			if side.keep[i] {
				kept += len(t)
			}
		}
	}
	if all == 0 {
		return parts(x, keepX), parts(y, keepY), 1
	}
	return parts(x, keepX), parts(y, keepY), float64(kept) / float64(all)
}

// parts joins the tokens that are not kept. A blank between two of them
// belongs to both.
func parts(tokens []string, keep []bool) []part {
	var out []part
	at := 0
	for i, t := range tokens {
		differs := !keep[i]
		if !differs && strings.TrimSpace(t) == "" && i > 0 && i+1 < len(tokens) {
			differs = !keep[i-1] && !keep[i+1]
		}
		if differs {
			if n := len(out); n > 0 && out[n-1].end == at {
				out[n-1].end += len(t)
			} else {
				out = append(out, part{at, at + len(t)})
			}
		}
		at += len(t)
	}
	return out
}

// subsequence calls pair for each pair of a longest common subsequence.
func subsequence(a, b []string, pair func(i, j int)) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	width := len(b) + 1
	table := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pair(i, j)
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
}

// class is what may stand together in one token.
type class int

const (
	alone class = iota
	word
	blank
)

// tokens are the words of a line, its stretches of blanks, and the other
// characters one by one. None begins within a character that a person sees.
func tokens(text string) []string {
	var out []string
	last := alone
	for len(text) > 0 {
		n := 1
		if text[0] >= utf8.RuneSelf || len(text) > 1 && text[1] >= utf8.RuneSelf {
			cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			n = max(1, len(cluster))
		}
		r, _ := utf8.DecodeRuneInString(text)
		c := classOf(r)
		if c != alone && c == last {
			out[len(out)-1] += text[:n]
		} else {
			out = append(out, text[:n])
		}
		last = c
		text = text[n:]
	}
	return out
}

func classOf(r rune) class {
	switch {
	case r == ' ' || r == '\t':
		return blank
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return alone // they write without blanks between words
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return word
	}
	return alone
}
