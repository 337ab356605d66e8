package complete

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// What a placement of a query's letters is worth. Each letter has its own
// worth, and that of where it is; letters that are apart cost.
const (
	forLetter    = 16
	forCase      = 1  // written as in the query
	forElement   = 10 // the first of the text or of a path element
	forWord      = 8  // the first behind a blank, a hyphen, a dot, …
	forHump      = 7  // the first of a word in camelCase, or of a number
	forLast      = 3  // in the last element of a path
	forNeighbour = 7  // right behind the letter before it
	gapOpens     = 3  // costs of letters between two
	gapGoesOn    = 1
	gapAtMost    = 12
	leadAtMost   = 6 // costs of letters before the first: one each
)

// Scored is a candidate that matches.
type Scored struct {
	Text  string
	Index int // among the candidates
	Score int // higher is better; for one query only
}

// Match is the candidates that match a query, the best first; of equals the
// shorter, then the earlier. A query of several words asks for each of them,
// anywhere. Case does not decide, but breaks ties. An empty query matches
// everything, in the candidates' order.
func Match(query string, candidates []string) []Scored {
	m := newMatcher(query)
	var found []Scored
	for i, c := range candidates {
		if score, ok := m.score(c); ok {
			found = append(found, Scored{c, i, score})
		}
	}
	if len(m.words) > 0 {
		slices.SortFunc(found, better)
	}
	return found
}

func better(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Text), len(b.Text)), cmp.Compare(a.Index, b.Index))
}

// Positions is where the letters of a query are in a text that matches it:
// the bytes that they begin at, ascending. It is nil for one that does not.
func Positions(query, text string) []int {
	m := newMatcher(query)
	if _, ok := m.score(text); !ok {
		return nil
	}
	var offsets []int // of runes
	for i := range text {
		offsets = append(offsets, i)
	}
	var at []int
	for _, w := range m.words {
		for _, i := range m.place(w) {
			at = append(at, offsets[i])
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// matcher scores texts for one query. It keeps what it allocated.
type matcher struct {
	words []queryWord
	mask  uint64 // the letters of the query

	text, folded []rune // the latest text
	worth        []int  // of each place in it
	scores       [2][]int
}

type queryWord struct {
	typed, folded []rune
	first, last   []int // where each letter can be in the latest text
}

func newMatcher(query string) *matcher {
	m := &matcher{}
	for _, w := range strings.Fields(query) {
		word := queryWord{typed: []rune(w)}
		for _, r := range word.typed {
			word.folded = append(word.folded, fold(r))
		}
		word.first, word.last = make([]int, len(word.typed)), make([]int, len(word.typed))
		m.words = append(m.words, word)
	}
	for _, w := range m.words {
		m.mask |= maskOf(string(w.typed))
	}
	return m
}

func fold(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < 0x80:
		return r
	}
	return unicode.ToLower(r)
}

// maskOf has a bit set for each letter in a text; some letters share one.
func maskOf(text string) uint64 {
	var mask uint64
	for _, r := range text {
		r = fold(r)
		bit := 36 + uint(r)%28
		switch {
		case r >= 'a' && r <= 'z':
			bit = uint(r - 'a')
		case r >= '0' && r <= '9':
			bit = 26 + uint(r-'0')
		}
		mask |= 1 << bit
	}
	return mask
}

// score is what a text is worth, if it matches.
func (m *matcher) score(text string) (score int, ok bool) {
	if len(m.words) == 0 {
		return 0, true
	}
	m.text, m.folded = m.text[:0], m.folded[:0]
	for _, r := range text {
		m.text = append(m.text, r)
		m.folded = append(m.folded, fold(r))
	}
	for i := range m.words {
		if !m.bound(&m.words[i]) {
			return 0, false
		}
	}
	m.weigh()
	for _, w := range m.words {
		score += m.best(w)
	}
	return score, true
}

// bound finds the first and the last place where each letter of a word can
// be. It is false when they are not in the text in their order.
func (m *matcher) bound(w *queryWord) bool {
	i, n := 0, len(w.folded)
	for j, r := range m.folded {
		if i < n && r == w.folded[i] {
			w.first[i] = j
			i++
		}
	}
	if i < n {
		return false
	}
	for j := len(m.folded) - 1; i > 0; j-- {
		if m.folded[j] == w.folded[i-1] {
			i--
			w.last[i] = j
		}
	}
	return true
}

// weigh fills in what each place of the text is worth to a letter there.
func (m *matcher) weigh() {
	last := len(m.text) - 1 // a directory's name ends with a slash
	for last > 0 && !isSeparator(m.text[last-1]) {
		last--
	}
	m.worth = m.worth[:0]
	before := '/'
	for i, r := range m.text {
		worth := forLetter
		switch {
		case isSeparator(before):
			worth += forElement
		case !isLower(before) && !unicode.IsLetter(before) && !unicode.IsNumber(before):
			worth += forWord
		case isLower(r): // most are; the rest is for what is not
		case unicode.IsUpper(r) && !unicode.IsUpper(before), unicode.IsNumber(r) && !unicode.IsNumber(before):
			worth += forHump
		}
		if i >= last {
			worth += forLast
		}
		m.worth = append(m.worth, worth)
		before = r
	}
}

func isLower(r rune) bool { return r >= 'a' && r <= 'z' }

func isSeparator(r rune) bool { return r == '/' || r == '\\' }

// impossible is less than any placement is worth.
const impossible = -1 << 30

// best is the worth of the best placement of a word in the text.
func (m *matcher) best(w queryWord) int {
	var row []int
	for i := range w.folded {
		above := row
		row = m.nextRow(w, i, above, m.scores[i%2])
		m.scores[i%2] = row
	}
	n := len(w.folded) - 1
	return slices.Max(row[w.first[n] : w.last[n]+1])
}

// nextRow gives, for each place where letter number i of a word can be, the
// worth of the best placement of the letters up to it that has it there;
// above is the same for the letter before. It uses the space of row.
func (m *matcher) nextRow(w queryWord, i int, above, row []int) []int {
	if n := len(m.folded); cap(row) < n {
		row = make([]int, 2*n)
	}
	row = row[:cap(row)]
	from := 0
	if i > 0 {
		from = w.first[i-1] + 1
	}
	near, far := impossible, impossible // the best of above behind a gap
	for j := from; j <= w.last[i]; j++ {
		score := -min(j, leadAtMost)
		if i > 0 {
			near -= gapGoesOn
			if k := j - 2; k >= w.first[i-1] && k <= w.last[i-1] {
				near, far = max(near, above[k]-gapOpens), max(far, above[k]-gapAtMost)
			}
			score = max(near, far)
			if j-1 <= w.last[i-1] {
				score = max(score, above[j-1]+forNeighbour)
			}
		}
		if m.folded[j] != w.folded[i] {
			row[j] = impossible
			continue
		}
		score += m.worth[j]
		if m.text[j] == w.typed[i] {
			score += forCase
		}
		row[j] = score
	}
	return row
}

// place is where the letters of a word are in its best placement, the
// earliest of equals.
func (m *matcher) place(w queryWord) []int {
	var rows [][]int
	var above []int
	for i := range w.folded {
		above = m.nextRow(w, i, above, nil)
		rows = append(rows, above)
	}
	n := len(w.folded) - 1
	at := make([]int, n+1)
	can := above[w.first[n] : w.last[n]+1]
	at[n] = w.first[n] + slices.Index(can, slices.Max(can))
	for i := n; i > 0; i-- {
		j := at[i]
		rest := rows[i][j] - m.worth[j]
		if m.text[j] == w.typed[i] {
			rest -= forCase
		}
		for k := w.first[i-1]; k <= min(j-1, w.last[i-1]); k++ {
			if rows[i-1][k]+between(k, j) == rest {
				at[i-1] = k
				break
			}
		}
	}
	return at
}

// between is what it is worth that a letter at j follows one at k.
func between(k, j int) int {
	if k == j-1 {
		return forNeighbour
	}
	return -min(gapOpens+(j-k-2)*gapGoesOn, gapAtMost)
}
