package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/complete"
)

// files completes the names of files.
type files struct {
	all    *complete.Files
	looked time.Time // when the walk began that was begun last
}

func newFiles(root string, walk complete.Walk) *files {
	return &files{all: complete.NewFiles(root, walk)}
}

const (
	mostFiles = 50
	fresh     = 10 * time.Second       // for how long a walk counts
	patient   = 100 * time.Millisecond // for more to be found
)

// find looks for what the word means. It answers with what is known, and again
// while more is found.
func (f *files) find(ctx context.Context, w word, again bool) tea.Cmd {
	if now := time.Now(); now.Sub(f.looked) > fresh {
		f.looked = now
		f.all.Refresh(ctx)
	}
	all, query := f.all, strings.TrimPrefix(w.text, "@")
	if w.sign != atFile {
		query = w.text
	}
	return func() tea.Msg {
		walking := all.State().Walking // before: what is found after a walk is all there is
		results := all.Find(query, mostFiles)
		if again || len(results) == 0 && walking {
			select {
			case <-all.Updated():
			case <-time.After(patient):
			case <-ctx.Done():
			}
			walking = all.State().Walking
			results = all.Find(query, mostFiles)
		}
		msg := found{word: w, more: walking}
		for _, r := range results {
			msg.items = append(msg.items, item{text: w.of(r.Text)})
		}
		return msg
	}
}
