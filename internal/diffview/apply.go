package diffview

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrStale is the error of Apply for a text that the diff was not made from.
var ErrStale = errors.New("the text is not the one that the diff was made from")

// Without is the diff without some of its hunks, which are counted from 0 as
// Hunks returns them. A file of which none is left is not in it. The numbers
// of the lines are what they are if the others are not applied.
func Without(diff string, skipped []int) string {
	var b strings.Builder
	n := 0
	for _, f := range parse(diff) {
		header, shift := f.header, 0
		for _, h := range f.hunks {
			if !h.headed {
				continue
			}
			skip := slices.Contains(skipped, n)
			n++
			if skip {
				shift -= h.NewLines - h.OldLines
				continue
			}
			b.WriteString(header)
			header = ""
			b.WriteString(h.moved(shift))
			if !strings.HasSuffix(h.Diff, "\n") {
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

// moved is the hunk with another place in the new text.
func (h *Hunk) moved(by int) string {
	head, body, _ := strings.Cut(h.Diff, "\n")
	before, section, _ := strings.Cut(head[3:], " @@")
	from, to, _ := strings.Cut(before, " +")
	count := ""
	if _, lines, ok := strings.Cut(to, ","); ok {
		count = "," + lines
	}
	out := fmt.Sprintf("@@ %s +%d%s @@%s\n", from, max(0, h.New+by), count, section)
	if by == 0 {
		out = head + "\n"
	}
	return out + body
}

// Apply is what becomes of the old text by the diff of one file. Bytes that are
// no UTF-8, which diffs show as U+FFFD, stay what they are in lines that stay.
//
// The error is ErrStale if the old text is another one; any other error is
// about the diff, which then cannot be applied to any text.
func Apply(old, diff string) (string, error) {
	files := parse(diff)
	if len(files) > 1 {
		return "", fmt.Errorf("the diff is about %d files and can be applied to one only", len(files))
	}
	lines := splitLines(old)
	var b strings.Builder
	at := 0
	for _, f := range files {
		for _, h := range f.hunks {
			if !h.headed || !h.Complete {
				return "", errors.New("the diff is cut short, so it cannot be applied")
			}
			start := h.Old - 1
			if h.OldLines == 0 {
				start++ // the place is behind the line
			}
			if start < at || start > len(lines) {
				return "", fmt.Errorf("%w: there is no line %d", ErrStale, h.Old)
			}
			b.WriteString(strings.Join(lines[at:start], ""))
			var err error
			if at, err = h.apply(&b, lines, start); err != nil {
				return "", err
			}
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), nil
}

// apply writes the hunk's new lines, and says at which old line it ends.
func (h *Hunk) apply(b *strings.Builder, lines []string, at int) (int, error) {
	for _, l := range h.Lines {
		want := l.Text
		if !l.NoNewline {
			want += "\n"
		}
		if l.Kind == Added {
			b.WriteString(want)
			continue
		}
		if at >= len(lines) || strings.ToValidUTF8(lines[at], "\uFFFD") != want {
			return 0, fmt.Errorf("%w: line %d is not %q", ErrStale, l.Old, l.Text)
		}
		if l.Kind == Context {
			b.WriteString(lines[at])
		}
		at++
	}
	return at, nil
}

func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
