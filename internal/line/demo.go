package line

import (
	"context"
	"fmt"
	"os"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/demo"
)

// Demo repairs the scratch project with the offline model and shows how. The
// exit code is 0 when the repair worked.
func Demo(ctx context.Context, o app.Options, lo Options) int {
	l := New(lo)
	dir, err := demo.Project(os.TempDir())
	var conv *app.Conversation
	if err == nil {
		conv, err = openDemo(ctx, o, dir)
	}
	if err != nil {
		l.out.problem("the demo could not be prepared: " + err.Error())
		l.out.close()
		return 1
	}
	l.out.print("A scratch project was made in " + dir)
	l.out.said(demo.Prompt)
	end := l.turn(ctx, conv, demo.Prompt)
	i := conv.Info()
	exit := end.exit
	switch {
	case end.leave:
	case end.reason == event.Interrupted:
		exit = exitInterrupt
	case end.reason != event.Done || !worked(conv):
		exit = 1
	}
	l.out.print(fmt.Sprintf("\nThe repaired project is in %s\nThe session is in %s", dir, i.Path))
	l.leave(conv) //nolint:contextcheck // what runs is ended whether or not ctx is
	return exit
}

// openDemo opens a conversation with the offline model in its project.
func openDemo(ctx context.Context, o app.Options, dir string) (*app.Conversation, error) {
	o.Cwd, o.Model, o.Bare = dir, demo.Model{}, true
	o.Flags = append(o.Flags,
		config.Flag{Name: "demo", Key: "mode", Value: "accept-edits"},
		config.Flag{Name: "demo", Key: "permissions.allow", Value: []string{"run_command(go test:*)"}})
	return app.Open(ctx, o)
}

// worked says whether the last command that ran succeeded.
func worked(conv *app.Conversation) (ok bool) {
	for r, err := range conv.Tail(replayed) {
		if m, is := r.MessageOf(); is && err == nil {
			if result, is := m.Result(); is {
				ok = !result.Error
			}
		}
	}
	return ok
}
