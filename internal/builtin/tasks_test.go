package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/process"
)

// until waits until what task_output gives, put together, is good.
func until(t *testing.T, w *Workspace, id string, good func(all string, k Task) bool) string {
	t.Helper()
	var all strings.Builder
	if !process.WaitFor(patience, nil, func() bool {
		k, text, _, err := w.Tasks.output(id, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
		return good(all.String(), k)
	}) {
		t.Fatalf("waited in vain; the output is %q", all.String())
	}
	return all.String()
}

func TestTaskLife(t *testing.T) {
	w := commandSpace(t)
	gate := filepath.Join(w.Root, "gate")
	res := call(t, runCommand(w), runInput{Command: "echo up; until [ -e gate ]; do sleep 0.01; done; echo down >&2; exit 4", Background: true})
	file := filepath.Join(w.SessionDir(), "tasks", "task_1.txt")
	wantHolds(t, res, "TASK: task_1\nFILE: "+file)
	until(t, w, "task_1", func(all string, k Task) bool { return all == "up\n" && k.Status == TaskRunning })
	wantHolds(t, call(t, taskOutput(w), taskInput{"task_1"}), "STATUS: running", "(no new output)")
	if ended := w.Tasks.Ended(); len(ended) != 0 {
		t.Errorf("ended %+v", ended)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var ended []Task
	if !process.WaitFor(patience, nil, func() bool { ended = w.Tasks.Ended(); return len(ended) > 0 }) {
		t.Fatal("its end was not told")
	}
	if k := ended[0]; k.ID != "task_1" || k.Status != TaskExited || k.Exit == nil || *k.Exit != 4 || k.File != file || k.PID == 0 {
		t.Errorf("ended %+v", k)
	}
	if again := w.Tasks.Ended(); len(again) != 0 {
		t.Errorf("told again: %+v", again)
	}
	res = call(t, taskOutput(w), taskInput{"task_1"})
	if wantHolds(t, res, "STATUS: exited\nEXIT: 4\n\ndown\n"); res.Meta.Again || *res.Meta.Exit != 4 {
		t.Errorf("meta %+v", res.Meta)
	}
	if all, err := os.ReadFile(file); err != nil || string(all) != "up\ndown\n" {
		t.Errorf("the file holds %q, %v", all, err)
	}
	wantHolds(t, call(t, taskStop(w), taskInput{"task_1"}), "STATUS: exited")
}

func TestTaskByAmpersand(t *testing.T) {
	w := commandSpace(t)
	wantHolds(t, call(t, runCommand(w), runInput{Command: "echo up && sleep 300 &"}), "TASK: task_1")
	until(t, w, "task_1", func(all string, k Task) bool { return all == "up\n" })
	if k := w.Tasks.List()[0]; k.Command != "echo up && sleep 300" {
		t.Errorf("task %+v", k)
	}
	wantHolds(t, call(t, taskStop(w), taskInput{"task_1"}), "STATUS: stopped\nEXIT: ")
	if ended := w.Tasks.Ended(); len(ended) != 0 {
		t.Errorf("the model ended it itself and is told of it: %+v", ended)
	}
}

// One that the person ended is told to the model.
func TestTaskStoppedByThePerson(t *testing.T) {
	w := commandSpace(t)
	call(t, runCommand(w), runInput{Command: "sleep 300", Background: true})
	if k, err := w.Tasks.Stop("task_1"); err != nil || k.Status != TaskStopped {
		t.Errorf("%+v, %v", k, err)
	}
	if ended := w.Tasks.Ended(); len(ended) != 1 {
		t.Errorf("ended %+v", ended)
	}
}

func TestTaskThatDoesNotListen(t *testing.T) {
	w := commandSpace(t)
	for range 3 {
		call(t, runCommand(w), runInput{Command: "trap '' TERM; echo up; while :; do sleep 1; done", Background: true})
	}
	for _, k := range w.Tasks.List() {
		until(t, w, k.ID, func(all string, _ Task) bool { return all == "up\n" })
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no time for grace
	if err := w.Tasks.StopAll(ctx); err != nil {
		t.Error(err)
	}
	for _, k := range w.Tasks.List() {
		if k.Status != TaskStopped || *k.Exit != 137 {
			t.Errorf("%+v", k)
		}
	}
}

func TestTaskMuchOutput(t *testing.T) {
	w := commandSpace(t)
	w.Limits.ResultChars = 5000
	call(t, runCommand(w), runInput{Command: "for i in {1..2000}; do echo line $i; done", Background: true})
	if !process.WaitFor(patience, nil, func() bool { return len(w.Tasks.Ended()) > 0 }) {
		t.Fatal("it did not end")
	}
	text := call(t, taskOutput(w), taskInput{"task_1"}).Parts.Text()
	if !strings.Contains(text, "bytes before this are not shown; read_file has them: "+w.Tasks.List()[0].File) || !strings.HasSuffix(text, "line 2000\n") || len(text) > 4500 {
		t.Errorf("%d characters: %q", len(text), text)
	}
}

func TestTaskNames(t *testing.T) {
	w := commandSpace(t)
	old := filepath.Join(w.SessionDir(), "tasks", "task_1.txt")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, []byte("of another day"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantHolds(t, call(t, runCommand(w), runInput{Command: "true", Background: true}), "TASK: task_2")
	if b, err := os.ReadFile(old); err != nil || string(b) != "of another day" {
		t.Errorf("%q, %v", b, err)
	}
	w.SessionDir = func() string { return "" }
	res := call(t, runCommand(w), runInput{Command: "true", Background: true})
	if wantHolds(t, res, "TASK: task_3"); strings.Contains(res.Parts.Text(), "FILE") {
		t.Error("a file was made")
	}
	if _, err := taskOutput(w).Prepare(t.Context(), json.RawMessage(`{"task":"task_9"}`)); err == nil || err.Error() != `no task "task_9": the tasks are task_2, task_3` {
		t.Error(err)
	}
	if _, err := taskStop(commandSpace(t)).Prepare(t.Context(), json.RawMessage(`{"task":"task_9"}`)); err == nil || !strings.Contains(err.Error(), "no background tasks") {
		t.Error(err)
	}
}

func TestTaskThatCannotStart(t *testing.T) {
	w := commandSpace(t)
	res := call(t, runCommand(w), runInput{Command: "./nothing", Args: []string{"x"}, Background: true})
	if wantHolds(t, res, "EXIT: 127"); !res.Error || len(w.Tasks.List()) != 0 {
		t.Errorf("tasks %+v", w.Tasks.List())
	}
	res = call(t, runCommand(w), runInput{Command: ": " + strings.Repeat("x", 200_000), Background: true})
	if wantHolds(t, res, "EXIT: 126", "argument list too long"); len(w.Tasks.List()) != 0 {
		t.Errorf("tasks %+v", w.Tasks.List())
	}
	if files, _ := os.ReadDir(filepath.Join(w.SessionDir(), "tasks")); len(files) != 0 {
		t.Errorf("files were left: %v", files)
	}
}

// Work of our own is a task like any other: it is read, it ends, it is ended.
func TestTasksOfOurOwn(t *testing.T) {
	var tasks Tasks
	dir := t.TempDir()
	k := tasks.Go(t.Context(), "count", dir, Limits{}, func(_ context.Context, out io.Writer) int {
		fmt.Fprintln(out, "one")
		return 3
	})
	if !process.WaitFor(patience, nil, func() bool { return len(tasks.Ended()) > 0 }) {
		t.Fatal("it does not end")
	}
	got, text, _, err := tasks.output(k.ID, 100)
	if err != nil || got.Status != TaskExited || got.Exit == nil || *got.Exit != 3 || text != "one\n" || got.PID != 0 {
		t.Errorf("%+v %q %v", got, text, err)
	}
	begun := make(chan struct{})
	long := tasks.Go(t.Context(), "wait", dir, Limits{}, func(ctx context.Context, _ io.Writer) int {
		close(begun)
		<-ctx.Done()
		return 1
	})
	<-begun
	if got, err := tasks.Stop(long.ID); err != nil || got.Status != TaskStopped {
		t.Errorf("%+v %v", got, err)
	}
}
