package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

func hasBrace(parts []syntax.WordPart) bool {
	for _, part := range parts {
		if _, ok := part.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// expandBraces returns the parts of each word that a brace expansion makes,
// false when they are too many.
func expandBraces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, part := range parts {
		choices := [][]syntax.WordPart{{part}}
		if brace, ok := part.(*syntax.BraceExp); ok {
			if choices, ok = choose(brace); !ok {
				return nil, false
			}
		}
		if len(out)*len(choices) > braces {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, head := range out {
			for _, tail := range choices {
				next = append(next, append(append([]syntax.WordPart(nil), head...), tail...))
			}
		}
		out = next
	}
	return out, true
}

// choose returns the alternatives of one brace expansion.
func choose(brace *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if brace.Sequence {
		return sequence(brace)
	}
	var out [][]syntax.WordPart
	for _, elem := range brace.Elems {
		inner, ok := expandBraces(elem.Parts)
		if !ok || len(out)+len(inner) > braces {
			return nil, false
		}
		out = append(out, inner...)
	}
	return out, true
}

// sequence returns the elements of {a..b} and {a..b..step}.
func sequence(brace *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	from, to, step := brace.Elems[0].Lit(), brace.Elems[1].Lit(), 1
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	letters := err != nil || err2 != nil
	if letters {
		first, last = int(from[0]), int(to[0])
	}
	if len(brace.Elems) > 2 {
		step, err = strconv.Atoi(brace.Elems[2].Lit())
		if err != nil {
			return nil, false
		}
		step = max(step, -step, 1)
	}
	var out [][]syntax.WordPart
	for n, up := first, first <= last; up && n <= last || !up && n >= last; {
		if len(out) == braces {
			return nil, false
		}
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
		if up {
			n += step
		} else {
			n -= step
		}
	}
	return out, true
}
