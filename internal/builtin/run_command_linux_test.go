package builtin

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/tool"
)

// helperName says to a second process of this test what it is to do.
const helperName = "MINICODE_TEST_HELPER"

// TestHelper is not a test: it is what the second process runs.
func TestHelper(t *testing.T) {
	switch os.Getenv(helperName) {
	case "terminal":
		helpTerminal(t)
	case "memory":
		helpMemory(t)
	case "orphans":
		helpOrphans(t)
	}
}

func helper(name string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$", "-test.v")
	cmd.Env = append(os.Environ(), append(env, helperName+"="+name)...)
	return cmd
}

// within fails the test where f takes longer than people wait.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > d {
		t.Errorf("%s took %v", what, took)
	}
}

func mustRun(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// conflict is a repository that stands in the middle of a rebase, its
// conflict resolved and staged.
const conflict = `
git init -q -b main . && git config user.email a@b && git config user.name a
echo 1 > f; git add f; git commit -qm one
git checkout -qb side; echo 2 > f; git commit -qam two; echo 3 > f; git commit -qam three
git checkout -q main; echo 4 > f; git commit -qam four; git checkout -q side
git rebase main >/dev/null 2>&1 || true
echo 5 > f; git add f
test -d .git/rebase-merge`

// The agent is on a terminal. Nothing that a command starts gets hold of it,
// and everything interactive ends at once and is told of.
func TestField_H01(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	cmd := helper("terminal", "EDITOR=", "VISUAL=", "GIT_EDITOR=vi", "DISPLAY=:99")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	out, _ := io.ReadAll(master) // EIO when the last user of the terminal is gone
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func helpTerminal(t *testing.T) {
	w := commandSpace(t)
	mustRun(t, w.Root, conflict)
	before, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	const note = "nteractive programs are not available"
	for _, c := range []struct {
		command string
		exit    int // -1: any failure
		told    bool
	}{
		{"git rebase --continue", -1, true},
		{"git rebase --abort", 0, false},
		{"git rebase -i HEAD~2", -1, true},
		{"echo 6 > f; git commit f", -1, true},
		{"less f", 0, true},
		{"git log", 0, false},
		{"vi f", -1, true},
		{"ssh -o ConnectTimeout=5 nobody@127.0.0.1", -1, true},
		{"sudo -k true", -1, true},
		{"git -c credential.helper= -c credential.helper='!f() { :; }; f' credential fill <<< $'protocol=https\\nhost=example.com\\n'", -1, true},
		{"cat < /dev/tty", -1, true},
		{"tty", 1, true},
	} {
		var head []byte
		if strings.Contains(c.command, "rebase -i") {
			head, _ = exec.Command("git", "-C", w.Root, "rev-parse", "HEAD").Output()
		}
		within(t, 10*time.Second, c.command, func() {
			res := call(t, runCommand(w), runInput{Command: c.command, TimeoutMS: 30_000})
			text := res.Parts.Text()
			if exit := *res.Meta.Exit; exit != c.exit && (c.exit != -1 || exit == 0) && !(exit == 0 && strings.HasPrefix(c.command, "sudo") && os.Getuid() == 0) {
				t.Errorf("%s: exit %d\n%s", c.command, exit, text)
			}
			if c.told != strings.Contains(text, note) {
				t.Errorf("%s: told that it is interactive: %v, want %v\n%s", c.command, !c.told, c.told, text)
			}
			if strings.Contains(text, "TIMED OUT") {
				t.Errorf("%s hung:\n%s", c.command, text)
			}
		})
		if head != nil {
			now, _ := exec.Command("git", "-C", w.Root, "rev-parse", "HEAD").Output()
			if !bytes.Equal(head, now) {
				t.Errorf("%s rewrote history: %s to %s", c.command, head, now)
			}
		}
	}
	after, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil || *before != *after {
		t.Errorf("the terminal was changed: %v, %+v to %+v", err, before, after)
	}
	if fg, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err != nil || fg != unix.Getpgrp() {
		t.Errorf("the terminal belongs to group %d, %v", fg, err)
	}
}

func TestField_H02(t *testing.T) {
	w := commandSpace(t)
	for _, command := range []string{"read x", "cat", "python3 -c 'input()'", "sudo pacman -Sy foo", "head -c1 | od", "select x in a b; do echo $x; done"} {
		within(t, 20*time.Second, command, func() {
			res := call(t, runCommand(w), runInput{Command: command})
			if strings.Contains(res.Parts.Text(), "TIMED OUT") {
				t.Errorf("%s hung: %s", command, res.Parts.Text())
			}
		})
	}
}

// deaf is a command whose processes do not listen to TERM, have left the
// group or hold the pipe, and sit in a tree.
const deaf = `echo begun
(trap '' TERM; while :; do sleep 60; done) &
setsid bash -c "trap '' TERM; sleep 60; :" &
(setsid bash -c 'setsid sleep 61 & sleep 62' > /dev/null 2>&1 &)
sh -c 'trap "" TERM; sleep 60; :'
`

func TestField_H04(t *testing.T) {
	for _, command := range []string{
		"echo begun; sleep 60 & sleep 60 & wait",
		deaf,
	} {
		w := commandSpace(t)
		within(t, 30*time.Second, "the call", func() {
			res := call(t, runCommand(w), runInput{Command: command, TimeoutMS: 500})
			wantHolds(t, res, "TIMED OUT: after 500 ms", "\nbegun\n", "EXIT: ")
			if !res.Error {
				t.Error("no failure")
			}
		})
		if n := survivors(w); n != 0 {
			t.Errorf("%d processes are left of %s", n, command)
		}
	}
}

// survivors is how many processes of the workspace's commands live.
func survivors(w *Workspace) int {
	return len(process.Living(w.Tasks.prefix()))
}

// What asked politely to end within its grace is not killed.
func TestTimeoutLetsCleanUp(t *testing.T) {
	w := commandSpace(t)
	res := call(t, runCommand(w), runInput{Command: "trap 'echo cleaned; exit 7' TERM; echo begun; sleep 60 & wait", TimeoutMS: 500})
	wantHolds(t, res, "EXIT: 7\nTIMED OUT", "begun\ncleaned\n")
}

// Interrupts come before the first step, in the middle, and in the last.
func TestRunCommandInterrupt(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		w := commandSpace(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := prepare(t, runCommand(w), runInput{Command: "touch ran"}).Run(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantHolds(t, res, "nothing was done")
		if _, err := os.Stat(filepath.Join(w.Root, "ran")); err == nil || !res.Error {
			t.Error("it ran")
		}
	})
	interrupt := func(t *testing.T, command, at string) (tool.Result, *Workspace) {
		w := commandSpace(t)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var asked time.Time
		res, err := prepare(t, runCommand(w), runInput{Command: command}).Run(ctx, func(s event.Signal) {
			if strings.Contains(s.(event.Output).Text, at) {
				asked = time.Now()
				cancel()
			}
		})
		if err != nil || asked.IsZero() {
			t.Fatal(err, res.Parts.Text())
		}
		// 500 ms is promised; the rest is for machines that do ten things at once.
		if took := time.Since(asked); took > 5*time.Second {
			t.Errorf("control came back after %v", took)
		}
		return res, w
	}
	t.Run("in the middle", func(t *testing.T) {
		res, w := interrupt(t, deaf, "begun")
		wantHolds(t, res, "INTERRUPTED", "begun\n", "EXIT: 137")
		if n := survivors(w); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	})
	t.Run("while it ends", func(t *testing.T) {
		_, w := interrupt(t, "sleep 60 & echo done", "done")
		if err := w.Tasks.StopAll(t.Context()); err != nil || survivors(w) != 0 {
			t.Errorf("%v, %d processes are left", err, survivors(w))
		}
	})
	t.Run("while it is asked to end", func(t *testing.T) {
		w := commandSpace(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		within(t, 15*time.Second, "the call", func() {
			res, err := prepare(t, runCommand(w), runInput{Command: `trap 'echo asked' TERM; while :; do sleep 0.1; done`, TimeoutMS: 300}).Run(ctx, func(s event.Signal) {
				if strings.Contains(s.(event.Output).Text, "asked") {
					cancel()
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			wantHolds(t, res, "TIMED OUT", "EXIT: 137")
		})
	})
}

// A child that holds the pipe does not hold the call.
func TestRunCommandLeavesSomethingRunning(t *testing.T) {
	for name, command := range map[string]string{
		"in the group":        "sleep 300 & echo hi",
		"in its own session":  "setsid bash -c 'echo hi; sleep 300' & sleep 0.3",
		"with its own output": "sleep 300 > /dev/null 2>&1 & echo hi",
	} {
		t.Run(name, func(t *testing.T) {
			w := commandSpace(t)
			within(t, 20*time.Second, "the call", func() {
				res := call(t, runCommand(w), runInput{Command: command})
				wantText(t, res, "EXIT: 0\nSTILL RUNNING: what the command left in the background is now task_1: task_output reads its output, task_stop ends it.\n\nhi\n")
			})
			if list := w.Tasks.List(); len(list) != 1 || list[0].Status != TaskRunning || list[0].Exit != nil {
				t.Errorf("tasks %+v", list)
			}
			wantHolds(t, call(t, taskStop(w), taskInput{"task_1"}), "STATUS: stopped", "(no new output)")
			if n := survivors(w); n != 0 {
				t.Errorf("%d processes are left", n)
			}
		})
	}
}

// A command that only reads starts no program that a repository names; one
// that does more has the repository as it is.
func TestReadersStartNoDrivers(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	w := commandSpace(t)
	driver := filepath.Join(t.TempDir(), "driver")
	if err := os.WriteFile(driver, []byte("#!/bin/sh\necho ran >> "+driver+".ran\ncat \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	mustRun(t, w.Root, `
git init -q -b main . && git config user.email a@b && git config user.name a
echo '*.x diff=d' > .gitattributes; echo 1 > f.x; git add .gitattributes f.x; git commit -qm one; echo 2 > f.x
git config core.fsmonitor `+driver+`; git config diff.d.textconv `+driver)
	_ = os.Remove(driver + ".ran")
	for _, command := range []string{"git status", "git diff", "git log -p", "git diff > ../out; git status"} {
		if res := call(t, runCommand(w), runInput{Command: command}); *res.Meta.Exit != 0 {
			t.Errorf("%s: %s", command, res.Parts.Text())
		}
		if _, err := os.Stat(driver + ".ran"); err == nil {
			t.Fatalf("%s started a driver", command)
		}
	}
	call(t, runCommand(w), runInput{Command: "git diff; git commit -qam two"})
	if _, err := os.Stat(driver + ".ran"); err != nil {
		t.Error("a command that is asked about was changed")
	}
}

// A daemon has let go of its command; it lives until the session ends.
func TestRunCommandStartsDaemon(t *testing.T) {
	w := commandSpace(t)
	wantText(t, call(t, runCommand(w), runInput{Command: "setsid sleep 300 < /dev/null > /dev/null 2>&1 & sleep 0.3; echo up"}), "EXIT: 0\n\nup\n")
	if survivors(w) != 1 || len(w.Tasks.List()) != 0 {
		t.Errorf("%d daemons, tasks %+v", survivors(w), w.Tasks.List())
	}
	if err := w.Tasks.StopAll(t.Context()); err != nil || survivors(w) != 0 {
		t.Errorf("%v, %d daemons", err, survivors(w))
	}
}

func TestField_H05(t *testing.T) {
	if testing.Short() {
		t.Skip("half a gigabyte")
	}
	out, err := helper("memory").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func helpMemory(t *testing.T) {
	w := commandSpace(t)
	call(t, runCommand(w), runInput{Command: "echo warm"})
	before := peak(t)
	raw := 375 << 20 // half a gigabyte when encoded, with line ends
	if raceDetector {
		raw = 75 << 20
	}
	chars := raw / 3 * 4
	chars += (chars + 75) / 76
	res := call(t, runCommand(w), runInput{Command: fmt.Sprintf("head -c %d /dev/zero | base64 -w 76", raw), TimeoutMS: 300_000})
	wantHolds(t, res, "EXIT: 0\n", fmt.Sprintf("of %d characters are not shown", chars), fmt.Sprintf("SAVED: the first %d of %d bytes", 64<<20, chars))
	info, err := os.Stat(res.Meta.Saved)
	if err != nil || info.Size() != 64<<20 || res.Meta.Size != int64(chars) {
		t.Errorf("%v, size %d", err, res.Meta.Size)
	}
	wantHolds(t, call(t, runCommand(w), runInput{Command: "yes", TimeoutMS: 1000}), "TIMED OUT", "y\ny\n")
	if grew := peak(t) - before; grew > 30<<20 {
		t.Errorf("memory grew by %d MB", grew>>20)
	}
}

// peak is the most memory that the process ever had, in bytes.
func peak(t *testing.T) int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

func TestField_H07(t *testing.T) {
	w := commandSpace(t)
	command := "for i in {1..1000}; do printf '%039d\\n' $i; done" // 40 kB
	if res := call(t, runCommand(w), runInput{Command: command}); len(res.Parts.Text()) != 40_000+len("EXIT: 0\n\n") {
		t.Errorf("%d of 40,000 characters came", len(res.Parts.Text()))
	}
	w.Limits.ResultChars = 3000
	res := call(t, runCommand(w), runInput{Command: command})
	wantHolds(t, res, "CUT: ")
	if saved, err := os.ReadFile(res.Meta.Saved); err != nil || len(saved) != 40_000 || len(res.Parts.Text()) > 3000 {
		t.Errorf("%v: %d bytes saved, %d shown", err, len(saved), len(res.Parts.Text()))
	}
}

func TestField_H08(t *testing.T) {
	w := commandSpace(t)
	for command, want := range map[string]string{
		`printf '\377\376bad\n'; exit 3`:              "EXIT: 3\n\n\uFFFD\uFFFDbad\n",
		`printf '\033[2J\033]0;pwn\007hi\r\n'`:        "EXIT: 0\n\nhi\n",
		`printf 'a\0b'`:                               "EXIT: 0\n\na\\0b",
		`printf '\346'; sleep 0.2; printf '\227\245'`: "EXIT: 0\n\n日",
	} {
		var live strings.Builder
		res, err := prepare(t, runCommand(w), runInput{Command: command}).Run(t.Context(), func(s event.Signal) { live.WriteString(s.(event.Output).Text) })
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, res, want)
		if _, body, _ := strings.Cut(want, "\n\n"); live.String() != body {
			t.Errorf("%s: the screen got %q", command, live.String())
		}
	}
}

// What a killed MiniCode left is ended by the next one.
func TestField_H10_Killed(t *testing.T) {
	cmd := helper("orphans")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "task %d", &pid)
	}
	process.EndOrphans()
	if !process.Lives(pid) {
		t.Error("a process of a living MiniCode was ended")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	// Any other MiniCode that starts now, of another test, may be first.
	process.EndOrphans()
	if !process.WaitFor(patience, nil, func() bool { return !process.Lives(pid) }) {
		t.Error("it still lives")
	}
}

func helpOrphans(t *testing.T) {
	w := commandSpace(t)
	call(t, runCommand(w), runInput{Command: "sleep 300", Background: true})
	fmt.Fprintf(os.Stdout, "task %d\n", w.Tasks.List()[0].PID)
	select {}
}
