package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// MarkerName is the environment variable that everything carries which a
// process started, by which it is found again.
const MarkerName = "MINICODE_TASK"

// How long things around a process may take.
const (
	DrainTime = 500 * time.Millisecond // after the first process exited, for what is still in the pipe
	TermGrace = 2 * time.Second        // from TERM to KILL when the time is up or a task is ended
	StopGrace = 200 * time.Millisecond // from TERM to KILL when the turn is interrupted
	killTime  = 150 * time.Millisecond // for KILL to work; what is alive after it is reported
	firstLook = 2 * time.Millisecond   // between two looks at a group that is being ended; it doubles up to lastLook
	lastLook  = 50 * time.Millisecond
	readChunk = 64 << 10
)

// Command is what a process is made of.
type Command struct {
	Argv   []string // Argv[0] is an absolute path
	Dir    string
	Env    []string
	Marker string    // unique among all living processes, begins with [Owner]
	In     io.Reader // its input; nil is none
	Err    io.Writer // its error output; nil joins it to the output
}

// Process is a running command with everything that it started. It is in a
// session and process group of its own, without a terminal. Where nothing else
// is said its two output streams are one pipe, so that their order is kept.
type Process struct {
	PID int // of its first process, which is also its process group

	marker string
	exited chan struct{}
	code   int
	eof    chan struct{}

	out   *os.File
	once  sync.Once
	mu    sync.Mutex
	to    io.Writer // guarded by mu
	group group     // what the system needs to find the group again
}

// Start starts c; its output goes to w from a goroutine that ends with the
// pipe. What is copied to In and from Err ends with the first process, but for
// a moment.
func Start(c Command, w io.Writer) (*Process, error) {
	r, wr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: c.Argv[0], Args: c.Argv, Dir: c.Dir,
		Env:   append(slices.Clip(c.Env), MarkerName+"="+c.Marker),
		Stdin: c.In, Stdout: wr, Stderr: wr,
		SysProcAttr: Apart(), WaitDelay: DrainTime,
	}
	if c.Err != nil {
		cmd.Stderr = c.Err
	}
	err = cmd.Start()
	wr.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	p := &Process{
		PID: cmd.Process.Pid, marker: c.Marker, out: r, to: w,
		exited: make(chan struct{}), eof: make(chan struct{}), group: newGroup(cmd.Process),
	}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait() // says no more than the state does
		p.code = exitCode(cmd.ProcessState)
	}()
	go p.pump()
	return p, nil
}

// Exited is closed when the first process has exited; then Code is valid.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Code is how the first process exited, as a shell would give it: 128+n for
// signal n.
func (p *Process) Code() int { return p.code }

// EOF is closed when nobody holds the output any more, or Close was called.
func (p *Process) EOF() <-chan struct{} { return p.eof }

func (p *Process) pump() {
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

// Redirect sends all later output to w.
func (p *Process) Redirect(w io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = w
}

// Close stops reading, whoever still holds the pipe. A process that writes to
// it afterwards gets SIGPIPE.
func (p *Process) Close() {
	p.once.Do(func() {
		p.group.close()
		_ = p.out.Close()
	})
	<-p.eof
}

// Drain waits, after the first process has exited, until the rest is gone
// and all output is read, but no longer than d. It tells whether it is so.
func (p *Process) Drain(d time.Duration, hurry <-chan struct{}) bool {
	return WaitFor(d, hurry, func() bool { return Closed(p.eof) && !p.Alive() })
}

// End ends the process and all that it started: by request, and by force when
// the grace is over or hurry is closed. It returns how many are left, which is
// 0 but for processes that the system does not let us end.
func (p *Process) End(grace time.Duration, hurry <-chan struct{}) (left int) {
	gone := func() bool { return Closed(p.exited) && !p.Alive() && len(p.members()) == 0 }
	p.request()
	if WaitFor(grace, hurry, gone) {
		return 0
	}
	// What forks while it is being killed needs more than one round.
	if WaitFor(killTime, nil, func() bool { p.force(); return gone() }) {
		return 0
	}
	return len(p.members())
}

// WaitFor looks until done says yes, d is over or hurry is closed.
func WaitFor(d time.Duration, hurry <-chan struct{}, done func() bool) bool {
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

// Closed tells whether a channel is closed.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Shell is the command line that runs a program text, the text left out.
func Shell(env []string) ([]string, error) {
	if bash := findShell(env); bash != "" {
		return []string{bash, "--noprofile", "--norc", "-c"}, nil
	}
	if runtime.GOOS != "windows" {
		if sh := Look("sh", env, "/"); sh != "" {
			return []string{sh, "-c"}, nil
		}
		return nil, errors.New("no shell: neither bash nor sh is in PATH")
	}
	return nil, errors.New("no bash: on Windows commands need Git for Windows (https://gitforwindows.org), whose bash was not found; the file tools work without it")
}

// Look finds a program as execvp would, with the PATH of env and relative
// names seen from dir; "" when there is none.
func Look(name string, env []string, dir string) string {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name)
	}
	for _, d := range filepath.SplitList(Value(env, "PATH")) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		if found := executable(filepath.Join(d, name)); found != "" {
			return found
		}
	}
	return ""
}

// Value is the last value of a variable in env.
func Value(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		k, v, _ := strings.Cut(env[i], "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
