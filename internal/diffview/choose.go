package diffview

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many lines that stay are shown around a change.
const contextLines = 3

// Unified is the diff of two texts of a file.
func Unified(path, old, new string) string {
	diff, err := udiff.ToUnified("a/"+path, "b/"+path, old, udiff.Lines(old, new), contextLines)
	if err != nil {
		return "" // edits that udiff has made itself do fit
	}
	return strings.ToValidUTF8(diff, "\uFFFD")
}

// Choose is the old text with the new one's lines in all hunks but the skipped
// ones, which are counted from 0 as Hunks returns them. What the lines are is
// taken from the texts, so that the result is exact where the diff shows bytes
// that are no UTF-8 as U+FFFD.
//
// The error is ErrStale if the diff is not that of the two texts.
func Choose(old, new, diff string, skipped []int) (string, error) {
	before, after := splitLines(old), splitLines(new)
	var b strings.Builder
	from, to := 0, 0 // the lines that are dealt with
	for i, h := range Hunks(diff) {
		start, fresh := first(h.Old, h.OldLines), first(h.New, h.NewLines)
		end, freshEnd := start+h.OldLines, fresh+h.NewLines
		if !h.Complete || start < from || end > len(before) || freshEnd > len(after) || !same(before[from:start], after, to, fresh) {
			return "", ErrStale
		}
		b.WriteString(strings.Join(before[from:start], ""))
		if slices.Contains(skipped, i) {
			b.WriteString(strings.Join(before[start:end], ""))
		} else {
			b.WriteString(strings.Join(after[fresh:freshEnd], ""))
		}
		from, to = end, freshEnd
	}
	if !same(before[from:], after, to, len(after)) {
		return "", ErrStale
	}
	b.WriteString(strings.Join(before[from:], ""))
	return b.String(), nil
}

// first is the place of a hunk's first line. Where it has none, its number is
// that of the line before.
func first(number, lines int) int {
	if lines == 0 {
		return number
	}
	return number - 1
}

// same says whether lines stand in a text between two places.
func same(lines, text []string, from, to int) bool {
	return 0 <= from && from <= to && to <= len(text) && slices.Equal(lines, text[from:to])
}
