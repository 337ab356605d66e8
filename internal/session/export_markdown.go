package session

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// markdown writes an export as Markdown. What was said may be Markdown itself;
// it can neither open something that goes on after it nor hold raw HTML.
type markdown struct{ *bufio.Writer }

func (m markdown) head(title string, facts []fact) {
	fmt.Fprintf(m, "# %s\n\n", escape(flat(title)))
	for _, f := range facts {
		if f.value != "" {
			fmt.Fprintf(m, "- %s: %s\n", f.name, code(f.value))
		}
	}
}

func (m markdown) foot() {}

func (m markdown) block(b block) {
	switch b.shape {
	case asPrompt:
		fmt.Fprintf(m, "\n## Prompt\n\n*%s*\n\n%s\n", clock(b.time), prose(b.text))
	case asAnswer:
		if b.text != "" {
			fmt.Fprintf(m, "\n%s\n", prose(b.text))
		}
	case asNote, asSummary:
		fmt.Fprintf(m, "\n%s\n", quote("**"+b.caption()+"**\n\n"+prose(b.text)))
	case asLine:
		fmt.Fprintf(m, "\n> %s\n", code(b.text))
	case asCall:
		fmt.Fprintf(m, "\n**Call** %s\n\n%s\n", code(b.name), fenced("json", b.text))
	case asResult:
		word := "Result"
		if b.failed {
			word = "Error"
		}
		fmt.Fprintf(m, "\n**%s** %s\n\n%s\n", word, code(b.name), fenced("", b.text))
	}
	for _, img := range b.images {
		fmt.Fprintf(m, "\n*(an image: %s)*\n", code(flat(picture{img.Media, img.SHA256}.name())))
	}
	if b.saved != "" {
		fmt.Fprintf(m, "\nThe whole of it is in %s.\n", code(b.saved))
	}
}

// longest is the length of the longest run of backticks.
func longest(text string) (n int) {
	run := 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		n = max(n, run)
	}
	return n
}

// fenced is a block of code, between fences that nothing in it can close.
func fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, longest(text)+1))
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// code is text within a line that is shown as it is.
func code(text string) string {
	text = flat(text)
	n := longest(text)
	if text == "" {
		return "(none)"
	}
	if n == 0 {
		return "`" + text + "`"
	}
	ticks := strings.Repeat("`", n+1)
	return ticks + " " + text + " " + ticks
}

func quote(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// prose is text that may be Markdown. Code that it opens is closed, and tags
// are escaped unless they certainly stand in code. Where fences stand anywhere
// but at the beginning of a line it takes more than this to know what is code:
// then all tags are escaped, and the text is quoted, so that what it leaves open
// ends with it.
func prose(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if slices.ContainsFunc(lines, hiddenFence) {
		return quote(escape(strings.Join(lines, "\n")))
	}
	fence, sure := "", true
	for i, line := range lines {
		run := fenceOf(line)
		switch {
		case fence != "":
			if strings.HasPrefix(run, fence) && strings.Trim(line[len(run):], " \t") == "" {
				fence = ""
			}
		case run != "" && (run[0] == '~' || !strings.Contains(line[len(run):], "`")):
			fence = run
		case strings.TrimSpace(line) == "":
			sure = true
		default:
			lines[i], sure = escapeOutside(line, sure)
		}
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return strings.Join(lines, "\n")
}

// fenceOf is the fence that a line begins with, "" if it does not.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// hiddenFence says whether there may be a fence in the line after blanks, or
// in a list or a quotation.
func hiddenFence(line string) bool {
	rest := strings.TrimLeft(line, " \t>-*+.)0123456789")
	return rest != line && fenceOf(rest) != ""
}

// escapeOutside escapes the tags in a line that do not stand in code. After
// something that may or may not begin code nothing is sure to be code, up to the
// end of the paragraph.
func escapeOutside(line string, sure bool) (string, bool) {
	var out strings.Builder
	rest := line
	for sure {
		at := strings.IndexAny(rest, "`\\")
		if at < 0 {
			break
		}
		if rest[at] == '\\' {
			end := min(at+2, len(rest))
			out.WriteString(escape(rest[:at]) + rest[at:end])
			rest = rest[end:]
			continue
		}
		n := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		end := closing(rest[at+n:], n)
		if sure = end >= 0 && !strings.Contains(rest[at:at+n+end], "|"); sure {
			end += at + n
			out.WriteString(escape(rest[:at]) + rest[at:end])
			rest = rest[end:]
		}
	}
	return out.String() + escape(rest), sure
}

// closing is where the first run of exactly n backticks ends, -1 if there is
// none.
func closing(text string, n int) int {
	for at := 0; at < len(text); {
		from := strings.IndexByte(text[at:], '`')
		if from < 0 {
			break
		}
		from += at
		at = from
		for at < len(text) && text[at] == '`' {
			at++
		}
		if at-from == n {
			return at
		}
	}
	return -1
}

// escape spells what would begin a tag, a comment or the like.
func escape(text string) string {
	var out strings.Builder
	from := 0
	for i := 0; i+1 < len(text); i++ {
		c := text[i+1] | 0x20
		if text[i] == '<' && (c >= 'a' && c <= 'z' || strings.IndexByte("/!?", text[i+1]) >= 0) {
			out.WriteString(text[from:i] + "&lt;")
			from = i + 1
		}
	}
	return out.String() + text[from:]
}
