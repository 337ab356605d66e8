//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/minicode-go/minicode/llm/llmtest"
)

// The cases of docs/field.md that a script cannot show: those that need a
// terminal, another user, much data, or a look into a file.

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command("minicode", args...)
	cmd.Dir, cmd.Env = w.dir, append([]string{"TERM=dumb"}, w.env...)
	return cmd
}

// runs runs the program without a terminal to its end, which must have that
// code.
func (w *world) runs(code int, args ...string) (stdout, stderr string) {
	w.t.Helper()
	return w.finishes(code, w.command(args...))
}

func (w *world) finishes(code int, cmd *exec.Cmd) (stdout, stderr string) {
	w.t.Helper()
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("exit code %d, want %d\n%s%s", got, code, out.String(), diag.String())
	}
	return out.String(), diag.String()
}

// session is the only session file.
func (w *world) session() string {
	w.t.Helper()
	files, _ := filepath.Glob(filepath.Join(w.home, ".local/state/minicode/projects/*/*.jsonl"))
	if len(files) != 1 {
		w.t.Fatalf("the session files are %v", files)
	}
	return files[0]
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// results is what the calls of the newest answer in a request got, by call.
func results(t *testing.T, r llmtest.Received) map[string]string {
	t.Helper()
	var body struct {
		Messages []struct {
			Role    string
			Content []struct {
				Type, ID  string
				ToolUseID string `json:"tool_use_id"`
				Content   json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for i, m := range body.Messages {
		for _, c := range m.Content {
			if c.Type == "tool_use" {
				out[c.ID] = ""
				for _, r := range body.Messages[i+1].Content {
					if r.ToolUseID == c.ID {
						out[c.ID] += string(r.Content)
					}
				}
			}
		}
	}
	return out
}

// TestField_S01: interrupted while the first of three calls runs, and then on.
func TestField_S01(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"touch ran; sleep 30"}
call run_command {"command":"touch ran2; sleep 30"}
call run_command {"command":"touch ran3; sleep 30"}

say On we go.
`)
	p := w.sit("--permission-mode", "full-access", "begin")
	w.made("ran")
	p.interrupts()
	p.types("go on\r")
	p.sees(`On we go\.`)
	p.sees(atRest)
	p.exits()
	if n := len(w.server.Requests()); n != 2 {
		t.Fatalf("%d requests", n)
	}
	counts := map[string]int{}
	for call, text := range results(t, w.server.Requests()[1]) {
		switch {
		case strings.Count(text, "Interrupted by the user while it ran: it may be done in part") == 1:
			counts["while"]++
		case strings.Count(text, "Interrupted by the user before it ran: nothing was done") == 1:
			counts["before"]++
		default:
			t.Errorf("the call %s got %q", call, text)
		}
	}
	if counts["while"] != 1 || counts["before"] != 2 {
		t.Errorf("results: %v", counts)
	}
	if w.has("ran2") || w.has("ran3") {
		t.Error("the others ran")
	}
}

// TestField_N02: the provider fails, and then is not there any more.
func TestField_N02(t *testing.T) {
	w := newWorld(t, "")
	for _, format := range []string{"text", "json", "events"} {
		var served atomic.Int32
		server := httptest.NewUnstartedServer(nil)
		server.Config.Handler = http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			if served.Add(1) == 9 {
				_ = server.Listener.Close() // the tenth try is the last
			}
			answer.Header().Set("Connection", "close")
			answer.Header().Set("Retry-After-Ms", "1")
			answer.WriteHeader(http.StatusInternalServerError)
		})
		server.Start()
		t.Cleanup(server.Close)
		w.env = append(w.env, "ANTHROPIC_BASE_URL="+server.URL)
		out, diag := w.runs(10, "-p", "hi", "--output-format", format)
		if served.Load() != 9 || !strings.Contains(diag, "cannot be reached") {
			t.Errorf("%s: %d requests were served; said %s", format, served.Load(), diag)
		}
		if format == "text" {
			if out != "" {
				t.Errorf("answered %s", out)
			}
			continue
		}
		var last struct {
			Type    string
			Subtype string
			IsError bool `json:"is_error"`
			Errors  []string
		}
		for line := range strings.Lines(out) {
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Errorf("%s: %v in %s", format, err, line)
			}
		}
		if last.Type != "result" || last.Subtype != "error_during_execution" || !last.IsError || len(last.Errors) == 0 {
			t.Errorf("%s: the result is %+v", format, last)
		}
	}
}

// TestField_S07: the last line of a session is torn; the next run closes it
// before it adds anything.
func TestField_S07(t *testing.T) {
	for _, cut := range []int{1, 2, 40, 200} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			w := newWorld(t, "say First.\n\nsay Second.")
			w.runs(0, "-p", "one")
			path := w.session()
			before := contentOf(t, path)
			torn := before[:len(before)-cut]
			if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
				t.Fatal(err)
			}
			_, diag := w.runs(0, "-c", "-p", "two")
			if strings.Count(diag, "\n") > 1 || cut > 1 && diag == "" {
				t.Errorf("said %q", diag)
			}
			after := contentOf(t, path)
			if !strings.HasPrefix(after, torn+"\n") || !strings.HasSuffix(after, "\n") {
				t.Fatalf("the file was changed:\n%s", after)
			}
			// A torn line stays, closed; all others are whole.
			whole := strings.TrimPrefix(after, torn+"\n")
			whole = torn[:strings.LastIndexByte(torn, '\n')+1] + whole
			for line := range strings.Lines(whole) {
				if d := json.NewDecoder(strings.NewReader(line)); d.Decode(&map[string]any{}) != nil || d.More() {
					t.Errorf("this line is no object: %s", line)
				}
			}
			if !strings.Contains(whole, `"text":"two"`) || !strings.Contains(whole, `"text":"Second."`) {
				t.Errorf("the file holds:\n%s", after)
			}
		})
	}
}

// TestField_F05: a home that cannot be written to, and a place for sessions
// that is somebody else's: it starts, says so, and keeps the session in
// memory.
func TestField_F05(t *testing.T) {
	for name, spoil := range map[string]func(w *world){
		"read-only home": func(w *world) { w.deny(w.home) },
		"state of somebody else": func(w *world) {
			state := filepath.Join(w.home, ".local", "state", "minicode")
			if err := os.MkdirAll(state, 0o755); err != nil {
				w.t.Fatal(err)
			}
			w.deny(state)
		},
		"a file in the way": func(w *world) {
			if err := os.WriteFile(filepath.Join(w.home, ".local"), nil, 0o644); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "call list_files {}\n\nsay Done.\n\nsay Yes.")
			program := w.forOthers()
			spoil(w)
			once := func(stdin string, args ...string) (string, string) {
				cmd := w.command(args...)
				cmd.Path, cmd.Err, cmd.Stdin = program, nil, strings.NewReader(stdin)
				if os.Getuid() == 0 {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				}
				return w.finishes(0, cmd)
			}
			out, diag := once("", "-p", "hi", "--output-format", "json")
			if !strings.Contains(out, `"result":"Done."`) || !strings.Contains(out, `"saved":false`) {
				t.Errorf("the result is %s", out)
			}
			if strings.Count(diag, "cannot be saved") != 1 {
				t.Errorf("said %q", diag)
			}
			if out, _ := once("hello\n"); !strings.Contains(out, "Yes.") || strings.Count(out, "cannot be saved") != 1 {
				t.Errorf("the screen shows %s", out)
			}
		})
	}
}

// deny takes away the right to write, which only others than root have to
// heed.
func (w *world) deny(dir string) {
	w.t.Helper()
	if err := os.Chmod(dir, 0o555); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
}

// forOthers makes a copy of the program that any user may run, and lets them
// into the world's directories.
func (w *world) forOthers() string {
	w.t.Helper()
	root := filepath.Dir(w.home)
	if err := os.Chmod(root, 0o755); err != nil {
		w.t.Fatal(err)
	}
	from, err := exec.LookPath("minicode")
	if err != nil {
		w.t.Fatal(err)
	}
	program := filepath.Join(root, "minicode")
	if err := os.Link(from, program); err == nil {
		return program
	}
	if err := os.WriteFile(program, []byte(contentOf(w.t, from)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	return program
}

// TestField_E19: somebody else writes to the file while the question about
// the edit is on the screen.
func TestField_E19(t *testing.T) {
	w := newWorld(t, `
call edit_file {"path":"f.txt","search":"two","replace":"TWO"}

say Done.
`)
	w.write("f.txt", "one\ntwo\n")
	p := w.sit("go")
	p.sees(`\+TWO`)
	p.sees(`Your choice: $`)
	w.write("f.txt", "zero\none\ntwo\n")
	p.types("y\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	if got := contentOf(t, filepath.Join(w.dir, "f.txt")); got != "zero\none\nTWO\n" {
		t.Errorf("the file holds %q", got)
	}
	p.exits()
}

// TestField_L07: Ctrl+C with a text begun, then Esc: what was typed is gone,
// the background task goes on.
func TestField_L07(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"sleep 600","background":true}

say It runs.

say Yes.
`)
	p := w.sit("--permission-mode", "full-access", "begin")
	p.sees(`It runs\.`)
	p.sees(atRest)
	p.types("half a sentence")
	p.sees("half a sentence")
	p.types("\x03")
	p.sees(atRest)
	p.types("\x1b")
	p.types("\x15/status\r") // Ctrl+U
	p.sees(`running +task_1 sleep 600`)
	p.sees(atRest)
	p.types("a whole one\r")
	p.sees(`Yes\.`)
	p.sees(atRest)
	if last := w.request(3); !strings.Contains(last, `"a whole one"`) || strings.Contains(last, "half") || strings.Contains(last, "task_1 ended") {
		t.Errorf("sent %s", last)
	}
	p.exits()
}

// TestField_H10: a launcher starts what ignores the end of its input and
// TERM. Whichever way the program goes, nothing is left.
func TestField_H10(t *testing.T) {
	const script = `
call run_command {"command":"(trap '' TERM HUP INT; setsid sleep 601; :) & (setsid bash -c 'trap \"\" TERM; sleep 602; :' &) ; exec sleep 600","background":true}

say It runs.
`
	for name, leave := range map[string]func(*person){
		"/exit":        func(p *person) { p.exits() },
		"/quit":        func(p *person) { p.types("/quit\r"); p.leaves(0) },
		"end of input": func(p *person) { p.types("\x04"); p.leaves(0) },
		"TERM":         func(p *person) { p.signal(syscall.SIGTERM); p.leaves(143) },
		"terminal closed": func(p *person) {
			p.reading.Lock() // what is being read from is not closed at once
			p.types("\r")
			p.sees(`\n`)
			err := p.tty.Close()
			p.reading.Unlock()
			if err != nil {
				p.t.Fatal(err)
			}
			p.leaves(129)
		},
		"killed": func(p *person) {
			p.signal(syscall.SIGKILL)
			<-p.ended
			p.runs(0, "-c", "-p", "are you there")
			p.alone()
		},
	} {
		t.Run(name, func(t *testing.T) {
			more := ""
			if name == "killed" {
				more = "\nstall 500ms\nsay Yes.\n"
			}
			w := newWorld(t, script+more)
			p := w.sit("--permission-mode", "full-access", "begin")
			p.sees(`It runs\.`)
			p.sees(atRest)
			w.until("all three run", func() bool {
				all := strings.Join(w.left(), "\n")
				return strings.Contains(all, "sleep 600") && strings.Contains(all, "sleep 601") && strings.Contains(all, "sleep 602")
			}, func() string { return strings.Join(w.left(), "\n") })
			leave(p)
		})
	}
}
