package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// call runs a tool for the person. A tool that failed by itself is an error; a
// command that did has a result.
func call(ctx context.Context, conv *app.Conversation, name string, args map[string]any, show func(event.Signal)) (llm.ToolResult, error) {
	encoded, err := json.Marshal(args)
	if err != nil {
		return llm.ToolResult{}, err
	}
	r, err := conv.Direct(ctx, name, encoded, show)
	if err == nil && r.Error && r.Meta.Exit == nil {
		err = errors.New(r.Parts.Text())
	}
	return r, err
}

func list(ctx context.Context, conv *app.Conversation, path string, show func(event.Signal)) (Result, error) {
	r, err := call(ctx, conv, "list_files", without("", map[string]any{"path": path}), show)
	return Result{Text: r.Parts.Text()}, err
}

// without leaves out the arguments that have that value.
func without(value any, args map[string]any) map[string]any {
	for name, v := range args {
		if v == value {
			delete(args, name)
		}
	}
	return args
}

func search(ctx context.Context, conv *app.Conversation, typed string, show func(event.Signal)) (Result, error) {
	pattern, path := pattern(typed, func(path string) bool {
		if !filepath.IsAbs(path) {
			path = filepath.Join(conv.Info().Cwd, path)
		}
		_, err := os.Lstat(path)
		return err == nil
	})
	if pattern == "" {
		return Result{}, errors.New("/grep takes a pattern, and a path if it is not to search everything: /grep PATTERN [PATH]")
	}
	r, err := call(ctx, conv, "grep_files", without("", map[string]any{"pattern": pattern, "path": path}), show)
	return Result{Text: r.Parts.Text()}, err
}

// pattern takes apart what was typed behind /grep: "PATTERN PATH", a pattern in
// quotes, or "PATTERN::PATH". What is no path that is there belongs to the
// pattern, in which blanks and "::" may stand.
func pattern(typed string, there func(path string) bool) (pattern, path string) {
	if typed == "" {
		return "", ""
	}
	if q := typed[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(typed[1:], q); end >= 0 {
			rest := typed[2+end:]
			if path = strings.TrimPrefix(strings.TrimSpace(rest), "::"); rest == "" || path != rest {
				return typed[1 : 1+end], path
			}
		}
	}
	if at := strings.LastIndex(typed, "::"); at > 0 {
		if path := strings.TrimSpace(typed[at+2:]); path == "" || there(path) {
			return typed[:at], path
		}
	}
	if at := strings.LastIndexByte(typed, ' '); at > 0 && there(typed[at+1:]) {
		return strings.TrimSpace(typed[:at]), typed[at+1:]
	}
	return typed, ""
}

func read(ctx context.Context, conv *app.Conversation, typed string, show func(event.Signal)) (Result, error) {
	path, from, lines, err := span(typed)
	if err != nil {
		return Result{}, err
	}
	r, err := call(ctx, conv, "read_file", without(0, map[string]any{"path": path, "offset": from, "limit": lines}), show)
	return Result{Text: r.Parts.Text()}, err
}

// span takes apart what was typed behind /read: a path and, if not all of it is
// wanted, the lines as FROM-TO, FROM- or FROM.
func span(typed string) (path string, from, lines int, err error) {
	path = typed
	m := regexp.MustCompile(`^(.*\S)\s+(\d+)(?:-(\d*))?$`).FindStringSubmatch(typed)
	if m != nil {
		path = m[1]
		var wrong, worse error
		from, wrong = strconv.Atoi(m[2])
		if m[3] != "" {
			var to int
			to, worse = strconv.Atoi(m[3])
			lines = to - from + 1
		}
		if wrong != nil || worse != nil || from < 1 || lines < 0 || m[3] != "" && lines == 0 {
			return "", 0, 0, fmt.Errorf("/read takes lines from 1 on, as FROM-TO, not %q", strings.TrimSpace(strings.TrimPrefix(typed, path)))
		}
	}
	if path == "" {
		return "", 0, 0, errors.New("/read takes a path, and lines if not all are wanted: /read PATH [FROM-TO]")
	}
	return path, from, lines, nil
}

func shellCommand(ctx context.Context, conv *app.Conversation, typed string, show func(event.Signal)) (Result, error) {
	if typed == "" {
		return Result{}, errors.New("/cmd takes a command: /cmd COMMAND")
	}
	r, err := call(ctx, conv, "run_command", map[string]any{"command": typed}, show)
	return Result{Text: printed(r.Parts.Text())}, err
}

// printed is what a command has printed, behind the lines that say how it
// ended, if there is anything to say of that.
func printed(result string) string {
	return strings.TrimPrefix(result, "EXIT: 0\n\n")
}

// aloud runs a command and has the model told of it, also if it was stopped:
// what it has done is done.
func aloud(ctx context.Context, conv *app.Conversation, typed string, show func(event.Signal)) (Result, error) {
	if typed == "" {
		return Result{}, errors.New("write a command behind the exclamation mark: !COMMAND")
	}
	r, err := call(ctx, conv, "run_command", map[string]any{"command": typed}, show)
	text := r.Parts.Text()
	if text == "" {
		return Result{}, err // it was not run
	}
	conv.Note(noteOn(typed, text))
	return Result{Text: printed(text)}, err
}

// noteOn is what the model is told of a command of the person's. A note ends
// with a tag, which nothing in it may look like.
func noteOn(command, result string) string {
	text := "The user ran a command, outside of the conversation: " + command + "\n" + result
	return strings.ReplaceAll(text, "</note>", `<\/note>`)
}
