package summary

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

// failureLines is how many of the last lines of a failed command are shown.
const failureLines = 8

// Of is a result in one line.
func Of(r llm.ToolResult) string {
	text := of(r)
	if text == "No matches." {
		return "no matches" // as all other summaries are written
	}
	return text
}

func of(r llm.ToolResult) string {
	text := r.Parts.Text()
	head, body := header(text)
	switch {
	case r.Name == "run_command" && r.Meta.Exit != nil:
		return exited(*r.Meta.Exit, head, body)
	case r.Error:
		return FirstLine(text)
	}
	if changed := Changed(r.Meta.Wrote); changed != "" {
		return changed
	}
	switch r.Name {
	case "read_file":
		return page(head, text)
	case "grep_files":
		return matches(text)
	case "glob_files", "list_files":
		return entries(text)
	case "run_command":
		return strings.TrimSpace("in the background as " + head["TASK"])
	case "task_output", "task_stop":
		return task(head, body)
	}
	return FirstLine(text)
}

// header reads the lines "NAME: value" that a result begins with, and what
// follows the blank line after them.
func header(text string) (head map[string]string, body string) {
	head = map[string]string{}
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		name, value, ok := strings.Cut(line, ":")
		if line == "" {
			return head, rest
		}
		if !ok || name != strings.ToUpper(name) {
			break
		}
		head[name] = strings.TrimSpace(value)
		text = rest
	}
	return head, text
}

func exited(exit int, head map[string]string, body string) string {
	text := fmt.Sprintf("exit %d", exit)
	if cut, ok := head["CUT"]; ok {
		text += ", " + strings.TrimSuffix(cut, ".")
	} else if n := lines(body); n > 0 && body != "(no output)" {
		text += ", " + Count(n, "line")
	}
	for _, name := range []string{"TIMED OUT", "INTERRUPTED", "STILL RUNNING", "LEFT"} {
		if why, ok := head[name]; ok {
			text = strings.ToLower(name) + ": " + why + " (" + text + ")"
		}
	}
	return text
}

// Changed is what was added and removed, of the files that are known to be
// written.
func Changed(files []llm.FileWrite) string {
	var parts []string
	for _, w := range files {
		if w.SHA256 != "" {
			parts = append(parts, fmt.Sprintf("+%d −%d", w.Added, w.Removed))
		}
	}
	return strings.Join(parts, ", ")
}

func page(head map[string]string, text string) string {
	switch {
	case head["LINES"] != "" && strings.HasPrefix(head["TRUNCATED"], "yes"):
		return "lines " + head["LINES"] + ", cut"
	case head["LINES"] != "":
		return "lines " + head["LINES"]
	case head["IMAGE"] != "":
		return "image, " + head["IMAGE"]
	}
	return FirstLine(text)
}

// matches counts what a search has found: lines with a match, files or, as it
// says itself, both.
func matches(text string) string {
	found, more, files := 0, "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "No ") && found == 0:
			return line
		case strings.HasPrefix(line, "[more match"):
			more = " and more"
		case strings.HasPrefix(line, "["):
			if total, ok := strings.CutSuffix(line, " files]"); ok && strings.Contains(total, " in ") {
				return strings.Replace(strings.TrimPrefix(total, "["), " in ", " matches in ", 1) + " files"
			}
		case line == "--":
		default:
			match, context := numbered(line, ':'), numbered(line, '-')
			if context >= 0 && (match < 0 || context < match) {
				continue
			}
			found, files = found+1, match < 0
		}
	}
	if files {
		return Count(found, "file") + more
	}
	return Count(found, "match") + more
}

// numbered is where a line of a file has its number, between two marks; -1 if
// it has none.
func numbered(line string, mark byte) int {
	for at := 0; at < len(line); at++ {
		if line[at] != mark {
			continue
		}
		end := at + 1
		for end < len(line) && line[end] >= '0' && line[end] <= '9' {
			end++
		}
		if end > at+1 && end < len(line) && line[end] == mark {
			return at
		}
	}
	return -1
}

// entries counts the lines of a list; a last line in brackets says more.
func entries(text string) string {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "No "):
			return line
		case strings.HasPrefix(line, "(") && n == 0:
			return strings.Trim(line, "()")
		case strings.HasPrefix(line, "["):
			return strings.Trim(strings.SplitN(line, ":", 2)[0], "[]")
		case line != "":
			n++
		}
	}
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func task(head map[string]string, body string) string {
	text := head["STATUS"]
	if exit := head["EXIT"]; exit != "" {
		text += ", exit " + exit
	}
	if last := LastLine(body, ""); last != "" && !strings.HasPrefix(last, "(") {
		text += ": " + last
	}
	return text
}

// Interrupted says whether the call did not come to its end.
func Interrupted(r llm.ToolResult) bool {
	return strings.HasPrefix(r.Parts.Text(), "Interrupted ")
}

// Failure is why a call failed, beyond its first line: the last lines of a
// command, the first of anything else.
func Failure(r llm.ToolResult) []string {
	text := r.Parts.Text()
	if r.Name == "run_command" {
		_, body := header(text)
		all := full(body)
		return all[max(0, len(all)-failureLines):]
	}
	all := full(text)
	return all[min(1, len(all)):min(4, len(all))]
}

// full is the lines that are not blank.
func full(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

// FirstLine is the first line that is not blank.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// LastLine is the last line that is not blank, otherwise what was before.
func LastLine(text, before string) string {
	for text != "" {
		at := strings.LastIndexByte(text, '\n')
		if line := strings.TrimSpace(text[at+1:]); line != "" {
			return line
		}
		if at < 0 {
			break
		}
		text = text[:at]
	}
	return before
}

func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// Count is a number of things, such as "2 matches".
func Count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// OneLine is the text in one line of at most so many characters.
func OneLine(text string, most int) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\n", " "), " ")
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
