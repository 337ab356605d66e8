package builtin

import "slices"

// tokenRun is a run of tokens that two texts share, or one that they do not: then
// the old bytes go and the new ones come.
type tokenRun struct {
	same             bool
	oldStart, oldEnd int // bytes of the old text
	newStart, newEnd int // bytes of the new text
}

// largestTable bounds the work of common; texts beyond it are compared at
// their beginnings and ends only.
const largestTable = 4 << 20

// common is the runs, in order, that lead from the old tokens to the new
// ones by way of a longest common subsequence.
func common(old, new []string) []tokenRun {
	var pre, post int
	for pre < len(old) && pre < len(new) && old[pre] == new[pre] {
		pre++
	}
	for post < len(old)-pre && post < len(new)-pre && old[len(old)-1-post] == new[len(new)-1-post] {
		post++
	}
	keep := make([]bool, len(old)) // old tokens that stay
	for i := range old {
		keep[i] = i < pre || i >= len(old)-post
	}
	kept := make([]bool, len(new))
	for i := range new {
		kept[i] = i < pre || i >= len(new)-post
	}
	a, b := old[pre:len(old)-post], new[pre:len(new)-post]
	if len(a)*len(b) <= largestTable {
		longest(a, b, func(i, j int) { keep[pre+i], kept[pre+j] = true, true })
	}
	return runs(old, new, keep, kept)
}

// longest calls pair for each pair of a longest common subsequence.
func longest(a, b []string, pair func(i, j int)) {
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width) // lengths from (i, j) on
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
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

func runs(old, new []string, keep, kept []bool) []tokenRun {
	var out []tokenRun
	i, j, atOld, atNew := 0, 0, 0, 0
	for i < len(old) || j < len(new) {
		r := tokenRun{oldStart: atOld, newStart: atNew}
		if i < len(old) && keep[i] && j < len(new) && kept[j] {
			r.same = true
			for i < len(old) && keep[i] && j < len(new) && kept[j] {
				atOld += len(old[i])
				atNew += len(new[j])
				i, j = i+1, j+1
			}
		} else {
			for ; i < len(old) && !keep[i]; i++ {
				atOld += len(old[i])
			}
			for ; j < len(new) && !kept[j]; j++ {
				atNew += len(new[j])
			}
		}
		r.oldEnd, r.newEnd = atOld, atNew
		out = append(out, r)
	}
	return out
}
