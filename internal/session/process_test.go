//go:build unix

package session

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// TestMain lets the test binary be the other process.
func TestMain(m *testing.M) {
	role, path, ok := strings.Cut(os.Getenv("SESSION_TEST_ROLE"), " ")
	if !ok {
		os.Exit(m.Run())
	}
	if err := otherProcess(role, path); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func otherProcess(role, path string) error {
	s := storeAt(os.Getenv("SESSION_TEST_ROOT"))
	if role == "full" {
		// Files may have 4,000 bytes; the signal that comes besides would end the process.
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4000, Max: unix.RLIM_INFINITY}); err != nil {
			return err
		}
	}
	l, _, err := s.Open(path, "/work/project")
	if err != nil {
		return err
	}
	switch role {
	case "hold":
		fmt.Println("open")
		_, err := bufio.NewReader(os.Stdin).ReadString('\n')
		return errors.Join(err, l.Close())
	case "full":
		l.OnTrouble = func(text string) { fmt.Println("trouble:", text) }
		for i := range 20 {
			if _, err := l.Append(event.Message{Message: llm.NewText(llm.User, llm.Prompt, fmt.Sprint(i, strings.Repeat("x", 300)))}); err != nil {
				return err
			}
		}
		fmt.Println("saved:", l.Saved(), "messages:", len(l.Messages()))
	case "die":
		if _, err := l.Append(event.Message{Message: llm.NewText(llm.User, llm.Prompt, "go")}); err != nil {
			return err
		}
		if _, err := l.Append(answer("c1", "c2")); err != nil {
			return err
		}
		if _, err := l.Append(event.Decided{Call: "c1", Allow: true}); err != nil {
			return err
		}
		return unix.Kill(os.Getpid(), unix.SIGKILL)
	}
	return nil
}

func another(t *testing.T, s *Store, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SESSION_TEST_ROLE="+role+" "+path, "SESSION_TEST_ROOT="+s.Root)
	return cmd
}

func begun(t *testing.T, s *Store) string {
	t.Helper()
	l := create(t, s, Options{})
	turn(t, l, "one", "c0")
	l.Close()
	return l.Path()
}

// TestTwoProcesses: the second one is told who has the session.
func TestTwoProcesses(t *testing.T) {
	s := newStore(t)
	path := begun(t, s)
	cmd := another(t, s, "hold", path)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the other says %q", lines.Text())
	}
	_, _, err := s.Open(path, "/w")
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || !errors.Is(err, ErrLocked) {
		t.Errorf("opened beside process %d: %v", cmd.Process.Pid, err)
	}
	for _, want := range []string{"--fork-session", fmt.Sprint(cmd.Process.Pid)} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the message does not say %s: %v", want, err)
		}
	}
	if err := s.Delete(path); !errors.Is(err, ErrLocked) {
		t.Errorf("deleted: %v", err)
	}
	f, err := s.Fork(path, Options{Cwd: "/work/project"})
	if err != nil {
		t.Errorf("a fork is not possible: %v", err)
	} else {
		f.Close()
	}
	fmt.Fprintln(in)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	reopen(t, s, path)
}

// TestKilled: a process that was killed leaves no lock and a history to go on
// from.
func TestKilled(t *testing.T) {
	s := newStore(t)
	path := begun(t, s)
	if err := another(t, s, "die", path).Run(); err == nil {
		t.Fatal("the other process was not killed")
	}
	l, report := reopen(t, s, path)
	report.Stated = nil
	same(t, "report", Report{ClosedCalls: 2, Crashed: true}, report)
	if err := check(l.Messages()); err != nil {
		t.Error(err)
	}
}

// TestFileSizeLimit: the real thing, a file that must not grow.
func TestFileSizeLimit(t *testing.T) {
	s := newStore(t)
	path := begun(t, s)
	out, err := another(t, s, "full", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	if strings.Count(text, "trouble:") != 1 || !strings.Contains(text, "saved: false messages: 24") {
		t.Errorf("the other says\n%s", text)
	}
	data := readFile(t, path)
	if len(data) > 4000 || data[len(data)-1] != '\n' {
		t.Errorf("%d bytes, ending in %q", len(data), data[len(data)-10:])
	}
	l, report := reopen(t, s, path)
	if report.Skipped > 0 || len(l.Messages()) < 6 {
		t.Errorf("%+v, %d messages", report, len(l.Messages()))
	}
}
