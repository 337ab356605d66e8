//go:build unix

package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// group needs nothing here: the process group has the number of its leader.
type group struct{}

func newGroup(*os.Process) group { return group{} }
func (group) close()             {}

// Apart makes a new session, and with it a new process group and no
// controlling terminal.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// request asks everything to end.
func (p *Process) request() { p.signal(unix.SIGTERM) }

// force ends everything.
func (p *Process) force() { p.signal(unix.SIGKILL) }

// signal looks for the members first: with a parent dead they are harder to
// find. The group gets it in one call, so that none forks away in between.
func (p *Process) signal(s unix.Signal) {
	members := p.members()
	if p.Alive() {
		_ = unix.Kill(-p.PID, s)
	}
	for _, pid := range members {
		_ = unix.Kill(pid, s) // gone meanwhile, or not ours to end: counted afterwards
	}
}

// grouped tells whether the process group has a process, a zombie included.
func (p *Process) grouped() bool { return unix.Kill(-p.PID, 0) != unix.ESRCH }

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

func findShell(env []string) string {
	if bash := Look("bash", env, "/"); bash != "" {
		return bash
	}
	return executable("/bin/bash")
}

func executable(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return ""
	}
	return path
}
