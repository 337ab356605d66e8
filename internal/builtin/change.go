package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// attempts is how often a write is worked out anew when the file changes
// under it.
const attempts = 5

// errMoved says that the file changed between reading and replacing it.
var errMoved = errors.New("the file is being changed by another program: nothing was written")

// target is a file that a call is to write: the path as asked for, and what
// it led to when the call was prepared.
type target struct {
	path string
	real string
	old  content
}

func (w *Workspace) target(path string) (target, error) {
	real, err := resolve(path)
	if err != nil {
		return target{}, plainError(err)
	}
	old, err := load(real)
	if err != nil {
		return target{}, err
	}
	return target{path, real, old}, nil
}

// outcome is a file's new content and what is to be said of it.
type outcome struct {
	data  []byte
	diff  lineDiff
	text  string   // that was there
	edits []edit   // of it
	steps []string // the spans that go and what comes for them: equal for equal work
	loose []string // what was overlooked to find the search texts
}

// action is the call that writes the outcome. redo works it out again from
// the file as it is then; it must refuse where that is other work than the
// person saw.
func (w *Workspace) action(title string, t target, made outcome, redo func(content) (outcome, error), say func(outcome) string) tool.Action {
	from, to := "a/"+w.show(t.path), "b/"+w.show(t.path)
	if !t.old.exists() {
		from = "/dev/null"
	}
	return tool.Action{
		Title:   title,
		Effects: []event.Effect{{Kind: event.Write, Target: t.path}},
		Preview: event.Preview{Kind: event.PreviewDiff, Path: t.path, Text: made.diff.unified(from, to)},
		Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
			done, err := t.write(ctx, made, redo)
			if err != nil {
				return tool.Result{}, err
			}
			r := tool.TextResult(say(done))
			added, removed := done.diff.counts()
			r.Meta.Wrote = []llm.FileWrite{{Path: t.real, SHA256: sum(done.data), Added: added, Removed: removed}}
			return r, nil
		},
	}
}

// write replaces the file. What others wrote since the call was prepared
// stays: the work is done again on it, or refused.
func (t target) write(ctx context.Context, made outcome, redo func(content) (outcome, error)) (outcome, error) {
	for range attempts {
		if err := ctx.Err(); err != nil {
			return outcome{}, err
		}
		if real, err := resolve(t.path); err != nil || real != t.real {
			return outcome{}, fmt.Errorf("%s no longer leads to %s: call again", t.path, t.real)
		}
		now, err := load(t.real)
		if err != nil {
			return outcome{}, err
		}
		done := made
		if now.exists() != t.old.exists() || now.sum() != t.old.sum() {
			if done, err = redo(now); err != nil {
				return outcome{}, err
			}
		}
		err = replaceFile(t.real, done.data, now.info, func() error {
			if again, err := load(t.real); err != nil || again.exists() != now.exists() || again.sum() != now.sum() {
				return errMoved
			}
			return nil
		})
		if !errors.Is(err, errMoved) {
			return done, err
		}
	}
	return outcome{}, fmt.Errorf("%s: %w", t.path, errMoved)
}

// failing is a call that can only fail. Where the error tells of a file's
// content the file is declared as read, so that it is told to nobody who may
// not read it.
func failing(title, path string, err error) tool.Action {
	return tool.Action{
		Title:   title,
		Effects: []event.Effect{{Kind: event.Read, Target: path}},
		Run:     func(context.Context, tool.Emit) (tool.Result, error) { return tool.Result{}, err },
	}
}

// missing says that there is no such file, and names those that are like it.
func (w *Workspace) missing(path string) error {
	msg := w.show(path) + " does not exist"
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("%s, nor does its directory", msg)
	}
	var like []string
	pairs := bigrams(filepath.Base(path))
	for _, e := range entries {
		if likeness(pairs, e.Name()) > 0.6 && len(like) < 3 {
			like = append(like, w.show(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	if len(like) > 0 {
		msg += ". There is " + strings.Join(like, ", ")
	}
	return errors.New(msg)
}
