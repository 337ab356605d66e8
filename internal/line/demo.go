package line

import (
	"context"
	"fmt"
	"os"

	"github.com/minicode-go/minicode/internal/app"
)

// Demo repairs the scratch project with the offline model and shows how. The
// exit code is 0 when the repair worked.
func Demo(ctx context.Context, o app.Options, lo Options) int {
	if ctx == nil {
		ctx = context.Background()
	}
	l := New(lo)
	conv, dir, prompt, err := app.OpenDemo(ctx, o, os.TempDir())
	if err != nil {
		l.out.problem("the demo could not be prepared: " + err.Error())
		return 1
	}
	l.out.print(fmt.Sprintf("A scratch project was made in %s\n> %s", dir, prompt))
	exit, _ := l.turn(ctx, conv, prompt)
	worked := conv.DemoWorked()
	i := conv.Info()
	if err := conv.Close(); err != nil {
		l.out.problem(err.Error())
	}
	l.out.print(fmt.Sprintf("\nThe repaired project is in %s\nThe session is in %s", dir, i.Path))
	if exit == 0 && !worked {
		exit = 1
	}
	return exit
}
