package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/process"
)

// idleLook is between two looks at a task that has closed its output.
const idleLook = time.Second

// TaskStatus is how a task stands.
type TaskStatus string

// The states of a task. Nothing leads back to running.
const (
	TaskRunning TaskStatus = "running"
	TaskExited  TaskStatus = "exited"  // by itself
	TaskStopped TaskStatus = "stopped" // by us
)

// Task is a command in the background.
type Task struct {
	ID      string // "task_1"; also the name of its file
	Command string
	PID     int // of its first process, which is also its process group; 0 for work of our own
	Status  TaskStatus
	Exit    *int   // when it has ended; nil where it was left by a command and its code went to nobody
	File    string // absolute path of its output, "" where none could be made
}

// Tasks is the commands of a session that run in the background. The zero
// value is ready for use; it is safe for concurrent use. Whoever makes it
// calls StopAll at the end.
type Tasks struct {
	mu      sync.Mutex
	all     []*task
	last    int // number of the newest task
	markers int // given out so far
}

type task struct {
	Task    // guarded by Tasks.mu, as are the next three
	read    int64
	told    bool // the model knows that it ended
	stopped bool

	p       job
	out     *capture
	adopted bool
	ending  chan struct{} // closed when end is through with the process
	once    sync.Once
	done    chan struct{} // closed when Status is final
}

// job is what a task runs: a process, or work of our own.
type job interface {
	Exited() <-chan struct{} // closed when it is over; then Code is valid
	EOF() <-chan struct{}    // closed when all its output is there
	Code() int
	Alive() bool // something of it is left
	End(grace time.Duration, hurry <-chan struct{}) (left int)
	Close()
}

// work is a job within this process.
type work struct {
	cancel context.CancelFunc
	over   chan struct{}
	code   int
}

func (w *work) Exited() <-chan struct{} { return w.over }
func (w *work) EOF() <-chan struct{}    { return w.over }
func (w *work) Code() int               { return w.code }
func (w *work) Alive() bool             { return !process.Closed(w.over) }
func (w *work) Close()                  { w.cancel() }

func (w *work) End(grace time.Duration, _ <-chan struct{}) (left int) {
	w.cancel()
	if process.WaitFor(grace, nil, func() bool { return process.Closed(w.over) }) {
		return 0
	}
	return 1
}

// Go runs work of our own as a task: it prints to out, ends when ctx does, and
// gives a code as a command would. shown is what it does, as the person knows
// it, and dir the session's directory.
func (t *Tasks) Go(ctx context.Context, shown, dir string, limits Limits, do func(ctx context.Context, out io.Writer) (code int)) Task {
	k := t.create(shown, dir, limits)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &work{cancel: cancel, over: make(chan struct{})}
	go func() {
		defer close(w.over)
		w.code = do(ctx, k.out)
	}()
	return t.add(k, w, 0)
}

// List is all tasks, oldest first.
func (t *Tasks) List() []Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Task, len(t.all))
	for i, k := range t.all {
		list[i] = k.Task
	}
	return list
}

// Ended is the tasks whose end the model has not been told of. Each is given
// once.
func (t *Tasks) Ended() []Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ended []Task
	for _, k := range t.all {
		if k.Status != TaskRunning && !k.told {
			k.told = true
			ended = append(ended, k.Task)
		}
	}
	return ended
}

// Stop ends a task with everything that it started, and waits for it: up to
// about two seconds for one that does not end when asked. A task that has
// ended is left as it is. The error says that there is no such task, or that
// processes are left.
func (t *Tasks) Stop(id string) (Task, error) { return t.stop(id, false, nil) }

// StopAll ends all tasks, and whatever else the session's commands have left
// running. When ctx ends it does not wait for those that were asked to end.
func (t *Tasks) StopAll(ctx context.Context) error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		fault error
	)
	for _, k := range t.List() {
		wg.Go(func() {
			if _, err := t.stop(k.ID, false, ctx.Done()); err != nil {
				mu.Lock()
				fault = errors.Join(fault, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	process.EndMarked(t.prefix())
	return fault
}

// start runs c as a task; shown is its command as the person knows it, and
// dir the session's directory.
func (t *Tasks) start(c process.Command, shown, dir string, limits Limits) (Task, error) {
	k := t.create(shown, dir, limits)
	p, err := process.Start(c, k.out)
	if err != nil {
		k.out.close()
		if k.File != "" {
			_ = os.Remove(k.File)
		}
		return Task{}, err
	}
	return t.add(k, p, p.PID), nil
}

// adopt makes a task of what a command left running. Its output goes to the
// task from here on.
func (t *Tasks) adopt(p *process.Process, shown, dir string, limits Limits) Task {
	k := t.create(shown, dir, limits)
	k.adopted = true
	p.Redirect(k.out)
	return t.add(k, p, p.PID)
}

// create makes a task with the first number that has no file yet: the files
// of a resumed session keep theirs.
func (t *Tasks) create(shown, dir string, limits Limits) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &task{ending: make(chan struct{}), done: make(chan struct{})}
	k.Command, k.Status = shown, TaskRunning
	var (
		file *os.File
		err  = errNoFiles
	)
	for {
		t.last++
		k.ID = fmt.Sprintf("task_%d", t.last)
		if dir == "" {
			break
		}
		k.File = filepath.Join(dir, "tasks", k.ID+".txt")
		if err = os.MkdirAll(filepath.Dir(k.File), 0o700); err == nil {
			file, err = os.OpenFile(k.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		k.File = ""
	}
	k.out = &capture{limit: limits.SpillBytes, ends: taskEnds, file: file, failed: err}
	return k
}

func (t *Tasks) add(k *task, p job, pid int) Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	k.p, k.PID = p, pid
	t.all = append(t.all, k)
	go t.watch(k)
	return k.Task
}

// watch waits until nothing of the task is left.
func (t *Tasks) watch(k *task) {
	defer close(k.done)
	for _, c := range []<-chan struct{}{k.p.Exited(), k.p.EOF()} {
		select {
		case <-c:
		case <-k.ending:
		}
	}
	look := time.NewTicker(idleLook)
	defer look.Stop()
	for k.p.Alive() && !process.Closed(k.ending) {
		select {
		case <-look.C:
		case <-k.ending:
		}
	}
	k.p.Close()
	k.out.finish()
	k.out.close()
	t.mu.Lock()
	defer t.mu.Unlock()
	k.Status = TaskExited
	if k.stopped {
		k.Status = TaskStopped
	}
	if !k.adopted && process.Closed(k.p.Exited()) {
		code := k.p.Code()
		k.Exit = &code
	}
}

func (t *Tasks) stop(id string, told bool, hurry <-chan struct{}) (Task, error) {
	k, err := t.find(id)
	if err != nil {
		return Task{}, err
	}
	t.mu.Lock()
	running := k.Status == TaskRunning
	k.told = k.told || told
	k.stopped = k.stopped || running
	t.mu.Unlock()
	left := 0
	if running {
		left = k.p.End(process.TermGrace, hurry)
		k.once.Do(func() { close(k.ending) })
	}
	<-k.done
	t.mu.Lock()
	defer t.mu.Unlock()
	if left > 0 {
		err = fmt.Errorf("%d processes of %s could not be ended: the system does not let us", left, id)
	}
	return k.Task, err
}

// output is what a task has printed since the last call, or as much of its
// end as fits in n characters, and how many bytes are missing before that.
func (t *Tasks) output(id string, n int) (k Task, text string, missing int64, err error) {
	found, err := t.find(id)
	if err != nil {
		return Task{}, "", 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// Status first: what ended before has all its output in out.
	found.told = found.told || found.Status != TaskRunning
	text, missing, found.read = found.out.since(found.read, n)
	return found.Task, text, missing, nil
}

// Newest is the last n characters that a task has printed. What the model has
// read stays as it is.
func (t *Tasks) Newest(id string, n int) (string, error) {
	found, err := t.find(id)
	if err != nil {
		return "", err
	}
	text, _, _ := found.out.since(0, n)
	return text, nil
}

func (t *Tasks) find(id string) (*task, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := make([]string, len(t.all))
	for i, k := range t.all {
		if k.ID == id {
			return k, nil
		}
		ids[i] = k.ID
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no task %q: there are no background tasks in this session", id)
	}
	return nil, fmt.Errorf("no task %q: the tasks are %s", id, strings.Join(ids, ", "))
}

// marker is a new one for each command.
func (t *Tasks) marker() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.markers++
	return fmt.Sprintf("%s%d", t.prefix(), t.markers)
}

// prefix is what the markers of all commands of t begin with, and no others
// that live: several sessions may be open in one process.
func (t *Tasks) prefix() string { return fmt.Sprintf("%s%p-", process.Owner(), t) }
