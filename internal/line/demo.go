package line

import (
	"context"
	"fmt"
	"os"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
)

// Demo repairs the scratch project with the offline model and shows how. The
// exit code is 0 when the repair worked.
func Demo(ctx context.Context, o app.Options, lo Options) int {
	l := New(lo)
	conv, dir, prompt, err := app.OpenDemo(ctx, o, os.TempDir())
	if err != nil {
		l.out.problem("the demo could not be prepared: " + err.Error())
		l.out.close()
		return 1
	}
	l.out.print("A scratch project was made in " + dir)
	l.out.said(prompt)
	end := l.turn(ctx, conv, prompt)
	i := conv.Info()
	exit := end.exit
	switch {
	case end.leave:
	case end.reason == event.Interrupted:
		exit = exitInterrupt
	case end.reason != event.Done || !conv.DemoWorked():
		exit = 1
	}
	l.out.print(fmt.Sprintf("\nThe repaired project is in %s\nThe session is in %s", dir, i.Path))
	l.leave(conv) //nolint:contextcheck // what runs is ended whether or not ctx is
	return exit
}
