package builtin

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// result is what the model reads: some header lines, a blank one, the output.
// Nothing in it depends on how long anything took.
func (r *run) result(e ending, out *capture) tool.Result {
	out.mu.Lock()
	defer out.mu.Unlock()
	header := r.header(e, out)
	res := tool.Result{Error: e.code != 0 || e.timedOut || e.interrupted, Meta: llm.Meta{Exit: &e.code, Wrote: r.wrote()}}
	body := string(out.head)
	whole := out.file == nil && out.failed == nil
	if whole && utf8.RuneCountInString(header)+1+int(out.chars) > r.limits.ResultChars {
		out.spill()
		whole = false
	}
	if !whole {
		var more string
		body, more = r.preview(out)
		header += more
		res.Meta.Size = out.bytes
		if out.file != nil {
			res.Meta.Saved = out.file.Name()
		}
	}
	if body == "" {
		body = "(no output)"
	}
	res.Parts = llm.Parts{llm.Text{Text: header + "\n" + body}}
	return res
}

func (r *run) header(e ending, out *capture) string {
	lines := []string{fmt.Sprintf("EXIT: %d", e.code)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch {
	case e.timedOut:
		add("TIMED OUT: after %d ms; the command and what it had started were ended. For longer work give timeout_ms (at most %d) or background: true.",
			r.timeout.Milliseconds(), r.limits.CommandMaxTimeout.Milliseconds())
	case e.interrupted:
		add("INTERRUPTED: the command and what it had started were ended; it may be done in part.")
	case e.task != "":
		add("STILL RUNNING: what the command left in the background is now %s: task_output reads its output, task_stop ends it.", e.task)
	}
	if e.left > 0 {
		add("LEFT: %d processes could not be ended.", e.left)
	}
	if (e.timedOut || e.interrupted) && !process.FindsAll {
		add("LEFT: processes that left the command's process group cannot be found on this system; some may still run.")
	}
	programs := r.programs()
	if slices.ContainsFunc(programs, fillsScreen) ||
		e.code != 0 && (slices.ContainsFunc(programs, mayAsk) || wantsPerson(string(out.head)+string(out.tail))) {
		add("NOTE: interactive programs are not available: there is no terminal and stdin is empty. Use options or files instead of editors, prompts and passwords.")
	}
	return strings.Join(lines, "\n") + "\n"
}

// preview is the beginning and the end of output that does not fit, and the
// header lines that say what is missing.
func (r *run) preview(out *capture) (body, header string) {
	n := min(previewChars, r.limits.ResultChars/4)
	head := out.head[:firstChars(out.head, n)]
	if i := bytes.LastIndexByte(head, '\n'); utf8.RuneCount(head[:i+1]) > min(previewLine, n/2) {
		head = head[:i+1]
	}
	tail := out.tail[lastChars(out.tail, n):]
	hidden := out.chars - int64(utf8.RuneCount(head)) - int64(utf8.RuneCount(tail))
	header = fmt.Sprintf("CUT: %d of %d characters are not shown, in the middle.\n", hidden, out.chars)
	switch {
	case out.failed != nil && out.file != nil:
		header += fmt.Sprintf("SAVED IN PART: the first %d of %d bytes: %v\n", out.saved, out.bytes, out.failed)
	case out.failed != nil:
		header += fmt.Sprintf("NOT SAVED: %v\n", out.failed)
	case out.full:
		header += fmt.Sprintf("SAVED: the first %d of %d bytes.\n", out.saved, out.bytes)
	}
	return strings.TrimSuffix(string(head), "\n") + "\n...\n" + string(tail), header
}
