//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// raceDetector says that the programs are slower and larger than those that
// people get.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}

// plant writes a session of some 50 MB and 20,000 records, with results of
// 500 kB among them. Where there are summaries, there is one for each so many
// turns.
func (w *world) plant(id string, summaries int) (path string) {
	w.t.Helper()
	w.runs(0, "-p", "hi", "--session-id", id)
	path = w.session()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	var last struct{ ID string }
	lines := strings.Split(strings.TrimSpace(contentOf(w.t, path)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	parent, n, turn := last.ID, 0, 1
	put := func(kind, format string, args ...any) string {
		n++
		head := fmt.Sprintf(`{"type":%q,"id":"019b0000-0000-7000-8000-%012d","parent":%q,"turn":%d,"time":"2026-01-02T03:04:05.006Z","session":%q,"cwd":%q,`, kind, n, parent, turn, id, w.dir)
		parent = fmt.Sprintf("019b0000-0000-7000-8000-%012d", n)
		fmt.Fprintf(&out, head+format+"}\n", args...)
		return parent
	}
	small, large := strings.Repeat("some text ", 450), strings.Repeat("some text ", 50_000)
	first, calls := "", 0
	for n < 20_000 {
		turn++
		prompt := put("message", `"role":"user","kind":"prompt","parts":[{"type":"text","text":"prompt %d"}]`, turn)
		if first == "" {
			first = prompt
		}
		for i := range 10 {
			text := small
			if calls++; calls%150 == 0 {
				text = large
			}
			call := fmt.Sprintf("call_%d_%d", turn, i)
			put("message", `"role":"assistant","kind":"work","parts":[{"type":"tool_call","id":%q,"name":"read_file","args":{"path":"a.txt"}}],"model":"anthropic/claude-sonnet-4-5","stop":"tool_use","usage":{"input":1000,"output":10}`, call)
			put("decided", `"call":%q,"tool":"read_file","allow":true,"by":"mode"`, call)
			put("message", `"role":"tool","kind":"result","parts":[{"type":"tool_result","call":%q,"name":"read_file","parts":[{"type":"text","text":%q}]}]`, call, text)
		}
		done := put("message", `"role":"assistant","kind":"final","parts":[{"type":"text","text":"answer %d"}],"model":"anthropic/claude-sonnet-4-5","stop":"end_turn","usage":{"input":1000,"output":10}`, turn)
		put("ended", `"reason":"done"`)
		if summaries > 0 && turn%summaries == 0 {
			put("edited", `"stage":"summarize","why":"threshold","before":90000,"after":900,"edits":[{"from":%q,"to":%q,"with":[{"id":"019b0000-0000-7000-8000-%012d","role":"user","kind":"summary","parts":[{"type":"text","text":"summary"}]}]}]`, first, done, 1_000_000+turn)
			first = ""
		}
		if out.Len() > 1<<20 {
			if _, err := file.Write(out.Bytes()); err != nil {
				w.t.Fatal(err)
			}
			out.Reset()
		}
	}
	if _, err := file.Write(out.Bytes()); err != nil {
		w.t.Fatal(err)
	}
	if info, err := file.Stat(); err != nil || info.Size() < 45<<20 || info.Size() > 80<<20 {
		w.t.Fatalf("%v, %d bytes", err, info.Size())
	}
	return path
}

// TestField_S10: a session of 50 MB is resumed, and 500 of them are listed,
// in little time and memory, and a turn adds what is new in it only.
func TestField_S10(t *testing.T) {
	if testing.Short() || raceDetector() {
		t.Skip("writes and reads some 100 MB; with the race detector times and sizes say nothing")
	}
	const id = "01a00000-0000-7000-8000-000000000001"
	const within = 2 * time.Second
	t.Run("summarized", func(t *testing.T) {
		w := newWorld(t, "say Hi.\n\nsay Yes.")
		path := w.plant(id, 20)
		if out := w.measured(within, 300, "--resume", id); !strings.Contains(out, "Resumed session "+id) || strings.Contains(out, "repaired") {
			t.Errorf("the screen shows %s", out)
		}
		before := w.size(path)
		w.runs(0, "--resume", id, "-p", "next")
		if grown := w.size(path) - before; grown > 5000 {
			t.Errorf("a short turn added %d bytes", grown)
		}
		for i := range 499 {
			if err := os.Link(path, filepath.Join(filepath.Dir(path), fmt.Sprintf("01a00000-0000-7000-8000-1%011d.jsonl", i))); err != nil {
				t.Skip(err)
			}
		}
		if n := strings.Count(w.measured(within, 100, "sessions", "list"), "\n"); n != 500 {
			t.Errorf("%d are listed", n)
		}
	})
	t.Run("never summarized", func(t *testing.T) {
		w := newWorld(t, "say Hi.")
		w.plant(id, 0)
		if out := w.measured(within, 300, "--resume", id); !strings.Contains(out, "Resumed session "+id) {
			t.Errorf("the screen shows %s", out)
		}
	})
}

func (w *world) size(path string) int64 {
	w.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return info.Size()
}

// measured runs the program with an empty standard input and looks at the
// time and the memory, in MB, that it took. The time is that of the processor,
// which does not depend on what else the machine does.
func (w *world) measured(within time.Duration, most int64, args ...string) string {
	w.t.Helper()
	peak := func(cmd *exec.Cmd) int64 { return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10 }
	// What this process has counts as its child's until that is another program.
	nothing := w.command("version")
	w.finishes(0, nothing)
	cmd := w.command(args...)
	start := time.Now()
	out, _ := w.finishes(0, cmd)
	waited := time.Since(start).Round(time.Millisecond)
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	w.t.Logf("%v: %v on the clock, %v of the processor, %d MB", args, waited, took.Round(time.Millisecond), peak(cmd))
	if took > within || waited > 5*within || peak(cmd) > max(most, peak(nothing)) {
		w.t.Error("that is too much")
	}
	return out
}
