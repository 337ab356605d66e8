package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	previewChars = 2000      // of the beginning and of the end of output that does not fit
	previewLine  = 1000      // from where on the beginning may end with a line
	taskEnds     = 256 << 10 // bytes of a task's newest output in memory
	titleChars   = 100
)

var errNoFiles = errors.New("this session keeps no files")

type runInput struct {
	Command     string   `json:"command" jsonschema:"shell program (bash); with args, the program to run"`
	Args        []string `json:"args,omitempty" jsonschema:"arguments as they are, without a shell"`
	Cwd         string   `json:"cwd,omitempty" jsonschema:"directory to run in; default: the working directory"`
	TimeoutMS   int      `json:"timeout_ms,omitempty" jsonschema:"default 120000, at most 600000"`
	Background  bool     `json:"background,omitempty" jsonschema:"return at once, run as a task"`
	Description string   `json:"description,omitempty" jsonschema:"what it does, in a few words"`
}

// runCommand runs commands. What is run is the text that was analysed, and
// nothing else: the shell reads no files of its own and takes no functions
// from the environment.
func runCommand(w *Workspace) tool.Tool {
	return tool.New(spec("run_command"), func(_ context.Context, in runInput) (tool.Action, error) {
		return w.prepareCommand(in)
	})
}

func (w *Workspace) prepareCommand(in runInput) (tool.Action, error) {
	r := &run{w: w, limits: w.Limits.withDefaults(), text: in.Command, args: in.Args, dir: w.path(in.Cwd), background: in.Background}
	if strings.TrimSpace(in.Command) == "" {
		return tool.Action{}, errors.New("command: must not be empty")
	}
	if strings.ContainsRune(in.Command+strings.Join(in.Args, ""), 0) {
		return tool.Action{}, errors.New("command: must not hold NUL characters")
	}
	var err error
	if r.resolved, err = directory(r.dir); err != nil {
		return tool.Action{}, fmt.Errorf("cwd: %w", err)
	}
	if len(in.Args) > 0 {
		r.program = in.Command
		r.text = quoteAll(append([]string{in.Command}, in.Args...))
	} else if text, ok := detached(in.Command); ok {
		r.text, r.background = text, true
	}
	r.timeout = r.limits.CommandTimeout
	if in.TimeoutMS > 0 {
		r.timeout = time.Duration(in.TimeoutMS) * time.Millisecond
	}
	r.timeout = min(r.timeout, r.limits.CommandMaxTimeout)
	r.analysis = w.Analyse(r.text, r.dir)
	return tool.Action{
		Title:   r.title(in.Description),
		Effects: r.analysis.Effects(),
		Preview: event.Preview{Kind: event.PreviewCommand, Text: r.text},
		Run:     r.do,
	}, nil
}

// run is one call of run_command.
type run struct {
	w          *Workspace
	limits     Limits
	text       string   // as analysed
	program    string   // with args: what to run without a shell
	args       []string // of program
	dir        string   // absolute
	resolved   string   // dir when the call was prepared, links resolved
	background bool
	timeout    time.Duration
	analysis   shell.Analysis
}

func (r *run) title(description string) string {
	t := "Run " + oneLine(r.text, titleChars)
	if r.dir != filepath.Clean(r.w.Cwd) {
		t += " in " + r.dir
	}
	if r.background {
		t += " in the background"
	}
	if d := oneLine(description, titleChars); d != "" {
		t += " (" + d + ")"
	}
	return t
}

func (r *run) do(ctx context.Context, emit tool.Emit) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.ErrorResult("Interrupted before it ran: nothing was done."), nil
	}
	if now, err := directory(r.dir); err != nil || now != r.resolved {
		return tool.Result{}, fmt.Errorf("cwd: %s is no longer what it was when the command was approved: call again", r.dir)
	}
	c, err := r.command(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if c.Argv[0] == "" {
		return r.notStarted(exitMissing, fmt.Errorf("no program %q in PATH", r.program)), nil
	}
	if r.background {
		return r.begin(c)
	}
	out := &capture{keep: r.limits.ResultChars, limit: r.limits.SpillBytes, ends: previewChars * utf8.UTFMax, open: r.spillFile}
	p, err := process.Start(c, out)
	if err != nil {
		return r.startFault(err), nil
	}
	stop := out.stream(emit)
	e := r.follow(ctx, p)
	out.finish()
	stop()
	res := r.result(e, out)
	out.close()
	return res, nil
}

// ending is how a command ended.
type ending struct {
	code        int
	timedOut    bool
	interrupted bool
	left        int    // processes that could not be ended
	task        string // what still runs is this task
}

// follow waits for the end of the command, or makes it.
func (r *run) follow(ctx context.Context, p *process.Process) ending {
	var e ending
	timer := time.NewTimer(r.timeout)
	defer timer.Stop()
	select {
	case <-p.Exited():
		switch {
		case p.Drain(process.DrainTime, ctx.Done()):
		case ctx.Err() == nil:
			e.code = p.Code()
			e.task = r.w.Tasks.adopt(p, r.text, r.w.sessionDir(), r.limits).ID
			return e
		default:
			e.interrupted = true
			e.left = p.End(process.StopGrace, nil)
		}
	case <-timer.C:
		e.timedOut = true
		e.left = p.End(process.TermGrace, ctx.Done())
	case <-ctx.Done():
		e.interrupted = true
		e.left = p.End(process.StopGrace, nil)
	}
	// Whoever escaped may hold the pipe.
	process.WaitFor(process.StopGrace/2, nil, func() bool { return process.Closed(p.EOF()) })
	p.Close()
	e.code = -1
	if process.Closed(p.Exited()) {
		e.code = p.Code()
	}
	return e
}

// command is what to start. Its program is "" where there is none.
func (r *run) command(ctx context.Context) (process.Command, error) {
	env := commandEnv(r.w.env())
	env = append(env, r.safeEnv(ctx, env)...)
	c := process.Command{Dir: r.dir, Env: env, Marker: r.w.Tasks.marker()}
	if r.program != "" {
		c.Argv = append([]string{process.Look(r.program, env, r.dir)}, r.args...)
		return c, nil
	}
	argv, err := process.Shell(env)
	c.Argv = append(argv, r.text)
	return c, err
}

// begin starts a task.
func (r *run) begin(c process.Command) (tool.Result, error) {
	k, err := r.w.Tasks.start(c, r.text, r.w.sessionDir(), r.limits)
	if err != nil {
		return r.startFault(err), nil
	}
	lines := []string{"TASK: " + k.ID}
	if k.File != "" {
		lines = append(lines, "FILE: "+k.File)
	}
	lines = append(lines, "", "Started in the background. task_output reads its new output, task_stop ends it; you are told when it ends.")
	res := tool.TextResult(strings.Join(lines, "\n"))
	res.Meta.Wrote = r.wrote()
	return res, nil
}

// What shells say of a command that was not started.
const (
	exitMissing = 127 // no such program
	exitRefused = 126 // it cannot be run
)

func (r *run) startFault(err error) tool.Result {
	if errors.Is(err, fs.ErrNotExist) {
		return r.notStarted(exitMissing, err)
	}
	return r.notStarted(exitRefused, err)
}

func (r *run) notStarted(code int, err error) tool.Result {
	res := tool.ErrorResult(fmt.Sprintf("EXIT: %d\n\nNot started: %v", code, err))
	res.Meta.Exit = &code
	return res
}

// wrote is the files whose content is no longer known.
func (r *run) wrote() []llm.FileWrite {
	var files []llm.FileWrite
	for _, e := range r.analysis.Effects() {
		if e.Kind == event.Write {
			files = append(files, llm.FileWrite{Path: realPath(e.Target)})
		}
	}
	return files
}

func (w *Workspace) sessionDir() string {
	if w.SessionDir == nil {
		return ""
	}
	return w.SessionDir()
}

func (w *Workspace) env() []string {
	if w.Env == nil {
		return nil
	}
	return w.Env()
}

// spillFile makes the file for output that is too large for a result. It
// gets its final name when the result is recorded, under the call's id.
func (r *run) spillFile() (*os.File, error) {
	dir := r.w.sessionDir()
	if dir == "" {
		return nil, errNoFiles
	}
	dir = filepath.Join(dir, "results")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, ".spill-*.txt")
}

// directory is the directory with its links resolved.
func directory(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("no directory %s", dir)
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return resolved, nil
}

// realPath is path with its links resolved, or those of its directory where
// it is not there.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// detached takes the "&" off a command that is one list, all of it in the
// background. Where that cannot be told from the characters alone it leaves
// the command as it is: what the shell then leaves running becomes a task too.
func detached(command string) (string, bool) {
	text, ok := strings.CutSuffix(strings.TrimRight(command, " \t\r\n"), "&")
	if text = strings.TrimSpace(text); !ok || text == "" || strings.ContainsAny(text[len(text)-1:], `&|<>\;`) {
		return command, false
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'', '"':
			end := closing(text, i)
			if end < 0 {
				return command, false
			}
			i = end
		case '&':
			if i > 0 && strings.IndexByte("<>", text[i-1]) >= 0 {
				continue
			}
			if i++; i == len(text) || text[i] != '&' && text[i] != '>' {
				return command, false
			}
		case ';', '\n', '#', '`', '(', ')':
			return command, false
		}
	}
	return text, true
}

// closing is where the quotation that begins at i ends, -1 if it does not or
// holds something that is run.
func closing(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == text[i]:
			return j
		case text[i] == '"' && text[j] == '\\':
			j++
		case text[i] == '"' && (text[j] == '`' || text[j] == '('):
			return -1
		}
	}
	return -1
}

// quoteAll is the words as a shell would have to read them.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word, i == 0)
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word for a shell. The first one may not look like an
// assignment.
func quote(word string, first bool) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./:@%+,-", r) || r == '=' && !first)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// oneLine is the text as one line of at most n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if end := firstChars([]byte(text), n); end < len(text) {
		return text[:end] + "…"
	}
	return text
}

// programs is the names of the programs that the command would run.
func (r *run) programs() []string {
	var names []string
	for _, part := range r.analysis.Parts {
		if len(part.Args) > 0 {
			names = append(names, path.Base(part.Args[0]))
		}
	}
	return names
}
