package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creack/pty"
)

// usage is what one run of a program took.
type usage struct {
	Wall   time.Duration // start to exit
	CPU    time.Duration // its own and that of its children
	RSS    int64         // bytes at most; 0 where the system does not tell
	Exit   int
	Stderr string
}

// launch runs a program and prints its usage. It is a process of its own
// because a child counts the memory of its parent as its own until it runs:
// the parent must be small.
func launch(command []string) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	u := usage{Wall: time.Since(start), Stderr: stderr.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		u.Exit, u.Stderr = -1, err.Error()
	} else {
		u.Exit = cmd.ProcessState.ExitCode()
		u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		u.RSS = peak(cmd.ProcessState)
	}
	_ = json.NewEncoder(os.Stdout).Encode(u) // a reader that is gone sees it
}

// runOnce runs the program through a launcher.
func runOnce(ctx context.Context, dir string, env []string, command ...string) (usage, error) {
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"launch"}, command...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		return usage{}, err
	}
	var u usage
	if err := json.Unmarshal(out, &u); err != nil {
		return u, err
	}
	if u.Exit != 0 {
		return u, fmt.Errorf("%s ended with %d: %s", strings.Join(command, " "), u.Exit, u.Stderr)
	}
	return u, nil
}

// untilShown is how long the program takes on a terminal to show a text.
func untilShown(ctx context.Context, dir string, env []string, text string, command ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	start := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		return 0, err
	}
	defer terminal.Close()
	var shown []byte
	buffer := make([]byte, 4096)
	for {
		n, err := terminal.Read(buffer)
		shown = append(shown, buffer[:n]...)
		if bytes.Contains(shown, []byte(text)) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("%q was never shown, but %q: %w", text, shown, err)
		}
	}
	took := time.Since(start)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	return took, nil
}
