package builtin

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// How long things around a process may take.
const (
	drainTime   = 500 * time.Millisecond // after the shell exited, for what is still in the pipe
	termGrace   = 2 * time.Second        // from TERM to KILL when the time is up or a task is ended
	stopGrace   = 200 * time.Millisecond // from TERM to KILL when the turn is interrupted
	killTime    = 150 * time.Millisecond // for KILL to work; what is alive after it is reported
	firstLook   = 2 * time.Millisecond   // between two looks at a group that is being ended; it doubles up to lastLook
	lastLook    = 50 * time.Millisecond
	idleLook    = time.Second // between two looks at a group that has closed its output
	markerName  = "MINICODE_TASK"
	readChunk   = 64 << 10
	exitMissing = 127 // as shells say "no such program"
	exitRefused = 126 // as shells say "cannot be run"
)

// command is what a process is made of.
type command struct {
	argv   []string // argv[0] is an absolute path
	dir    string
	env    []string
	marker string // value of MINICODE_TASK, unique among all living processes
}

// process is a running command with everything that it started. It is in a
// session and process group of its own, without a terminal; its two output
// streams are one pipe, so that their order is kept.
type process struct {
	pid    int
	marker string
	exited chan struct{} // closed when the first process has exited; then code is valid
	code   int           // as a shell would give it: 128+n for signal n
	eof    chan struct{} // closed when nobody holds the pipe any more, or close was called

	out   *os.File
	once  sync.Once
	mu    sync.Mutex
	to    io.Writer    // guarded by mu
	group processGroup // what the system needs to find the group again
}

// startProcess starts c; its output goes to w from a goroutine that ends with the
// pipe.
func startProcess(c command, w io.Writer) (*process, error) {
	r, wr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: c.argv[0], Args: c.argv, Dir: c.dir,
		Env:    append(c.env, markerName+"="+c.marker),
		Stdout: wr, Stderr: wr,
		SysProcAttr: attributes(),
	}
	err = cmd.Start()
	wr.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	p := &process{
		pid: cmd.Process.Pid, marker: c.marker, out: r, to: w,
		exited: make(chan struct{}), eof: make(chan struct{}), group: newProcessGroup(cmd.Process),
	}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait() // says no more than the state does
		p.code = exitCode(cmd.ProcessState)
	}()
	go p.pump()
	return p, nil
}

func (p *process) pump() {
	defer close(p.eof)
	defer p.out.Close()
	buf := make([]byte, readChunk)
	for {
		n, err := p.out.Read(buf)
		if n > 0 {
			p.mu.Lock()
			_, _ = p.to.Write(buf[:n]) // a capture never fails
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// redirect sends all later output to w.
func (p *process) redirect(w io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = w
}

// close stops reading, whoever still holds the pipe. A process that writes to
// it afterwards gets SIGPIPE.
func (p *process) close() {
	p.once.Do(func() {
		p.group.close()
		_ = p.out.Close()
	})
	<-p.eof
}

// drain waits, after the first process has exited, until the rest is gone
// and all output is read, but no longer than d. It tells whether it is so.
func (p *process) drain(d time.Duration, hurry <-chan struct{}) bool {
	return waitFor(d, hurry, func() bool { return isClosed(p.eof) && !p.alive() })
}

// end ends the process and all that it started: by request, and by force when
// the grace is over or hurry is closed. It returns how many are left, which is
// 0 but for processes that the system does not let us end.
func (p *process) end(grace time.Duration, hurry <-chan struct{}) (left int) {
	gone := func() bool { return isClosed(p.exited) && !p.alive() && len(p.members()) == 0 }
	p.request()
	if waitFor(grace, hurry, gone) {
		return 0
	}
	// What forks while it is being killed needs more than one round.
	if waitFor(killTime, nil, func() bool { p.force(); return gone() }) {
		return 0
	}
	return len(p.members())
}

// waitFor looks until done says yes, d is over or hurry is closed.
func waitFor(d time.Duration, hurry <-chan struct{}, done func() bool) bool {
	over := time.NewTimer(d)
	defer over.Stop()
	pause := firstLook
	next := time.NewTimer(pause)
	defer next.Stop()
	for !done() {
		select {
		case <-over.C:
			return done()
		case <-hurry:
			return done()
		case <-next.C:
			pause = min(2*pause, lastLook)
			next.Reset(pause)
		}
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// shellArgv is the command line that runs a program text, the text left out.
func shellArgv(env []string) ([]string, error) {
	if bash := findShell(env); bash != "" {
		return []string{bash, "--noprofile", "--norc", "-c"}, nil
	}
	if runtime.GOOS != "windows" {
		if sh := lookPath("sh", env, "/"); sh != "" {
			return []string{sh, "-c"}, nil
		}
		return nil, errors.New("no shell: neither bash nor sh is in PATH")
	}
	return nil, errors.New("no bash: on Windows commands need Git for Windows (https://gitforwindows.org), whose bash was not found; the file tools work without it")
}

// lookPath finds a program as execvp would, with the PATH of env and relative
// names seen from dir; "" when there is none.
func lookPath(name string, env []string, dir string) string {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name)
	}
	for _, d := range filepath.SplitList(envValue(env, "PATH")) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		if found := executable(filepath.Join(d, name)); found != "" {
			return found
		}
	}
	return ""
}

// envValue is the last value of a variable in env.
func envValue(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		k, v, _ := strings.Cut(env[i], "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
