//go:build linux || darwin

package screentest

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal. Its slave side stays open here until the
// program has ended, so that its settings can be read at any time.
type terminal struct {
	master *os.File

	mu      sync.Mutex
	slave   *os.File // nil when released
	initial unix.Termios
	last    unix.Termios // when it was released
}

func openTerminal(cols, rows int) (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	if err := pty.Setsize(master, winsize(cols, rows)); err != nil {
		return nil, fmt.Errorf("setting the size: %w", err)
	}
	// The file from pty.Open blocks, and closing it would not end a read.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	t := &terminal{master: os.NewFile(uintptr(fd), "terminal"), slave: slave}
	if err := unix.SetNonblock(int(slave.Fd()), false); err != nil {
		return nil, err
	}
	settings, err := unix.IoctlGetTermios(int(slave.Fd()), getTermios)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	t.initial = *settings
	return t, nil
}

func winsize(cols, rows int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
}

// start runs a program with the terminal as its controlling one.
func (t *terminal) start(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.slave, t.slave, t.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Start()
}

// release closes the slave side, after which the end of the output is seen.
func (t *terminal) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.slave == nil {
		return
	}
	if settings, err := unix.IoctlGetTermios(int(t.slave.Fd()), getTermios); err == nil {
		t.last = *settings
	}
	_ = t.slave.Close()
	t.slave = nil
}

// changed names the settings that are not as they were at the start.
func (t *terminal) changed() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.last
	if t.slave != nil {
		settings, err := unix.IoctlGetTermios(int(t.slave.Fd()), getTermios)
		if err != nil {
			return []string{fmt.Sprintf("its settings cannot be read: %v", err)}
		}
		now = *settings
	}
	var out []string
	was := t.initial
	for _, flag := range []struct {
		name     string
		was, now bool
	}{
		{"echo", was.Lflag&unix.ECHO != 0, now.Lflag&unix.ECHO != 0},
		{"canonical mode", was.Lflag&unix.ICANON != 0, now.Lflag&unix.ICANON != 0},
		{"signals by keys", was.Lflag&unix.ISIG != 0, now.Lflag&unix.ISIG != 0},
		{"Enter as line feed", was.Iflag&unix.ICRNL != 0, now.Iflag&unix.ICRNL != 0},
		{"output processing", was.Oflag&unix.OPOST != 0, now.Oflag&unix.OPOST != 0},
	} {
		if flag.was != flag.now {
			out = append(out, fmt.Sprintf("%s: was %t, is %t", flag.name, flag.was, flag.now))
		}
	}
	if len(out) == 0 && (was.Lflag != now.Lflag || was.Iflag != now.Iflag || was.Oflag != now.Oflag || was.Cflag != now.Cflag) {
		out = append(out, fmt.Sprintf("flags of input, output, control, local: were %x %x %x %x, are %x %x %x %x",
			was.Iflag, was.Oflag, was.Cflag, was.Lflag, now.Iflag, now.Oflag, now.Cflag, now.Lflag))
	}
	return out
}

func (t *terminal) resize(cols, rows int) error {
	raw, err := t.master.SyscallConn() // Fd would make the file block again
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	if err != nil {
		return err
	}
	return failed
}

// hangUp closes the terminal.
func (t *terminal) hangUp() { _ = t.master.Close() }

// kill ends the program and its process group.
func (t *terminal) kill(p *os.Process) {
	_ = unix.Kill(-p.Pid, unix.SIGKILL) // its pid is that of its session and group
	_ = p.Kill()
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
