// Package nearest finds the names that a misspelled one was probably meant to
// be: tools, flags, settings.
//
//	nearest.Names("read_fiel", []string{"read_file", "grep_files"}, 1) // read_file
package nearest

import (
	"slices"
	"strings"
)

// Names is the most likely names, best first, at most n of them, however far
// they are. Case does not count.
func Names(wrong string, among []string, n int) []string {
	far := make(map[string]int, len(among))
	for _, name := range among {
		far[name] = Distance(strings.ToLower(wrong), strings.ToLower(name))
	}
	sorted := slices.Clone(among)
	slices.SortStableFunc(sorted, func(a, b string) int { return far[a] - far[b] })
	return sorted[:min(n, len(sorted))]
}

// Close is the one name that is so near that it was surely meant, at most a
// third of its letters away; "" if there is none.
func Close(wrong string, among []string) string {
	best := Names(wrong, among, 1)
	if len(best) == 0 || Distance(strings.ToLower(wrong), strings.ToLower(best[0])) > max(1, len(best[0])/3) {
		return ""
	}
	return best[0]
}

// Distance is how many runes must be put in, taken out, changed or swapped
// with their neighbour to make b of a (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			change := last[j]
			if x[i] != y[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
