//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

const (
	killedSession = "019b7000-0001-7000-8000-000000000001"
	goOn          = "go on after the kill"
)

// effects is, by the id of the call that has it, what each call of the killed
// run does to the project.
func effects() map[string]func(read func(string) string) bool {
	has := func(name, text string) func(func(string) string) bool {
		return func(read func(string) string) bool { return strings.Contains(read(name), text) }
	}
	return map[string]func(func(string) string) bool{
		"write_a": has("a.txt", "n"), "write_b": has("b.txt", "b"), "run_log": has("log.txt", "line"),
		"edit_a": has("a.txt", "two"), "run_c": has("c.txt", "begun"), "edit_b": has("b.txt", "bee"), "write_d": has("d.txt", "dee"),
	}
}

// killScript is a run of eight steps with calls that change files.
func killScript() []llmtest.Answer {
	join, call := llmtest.Join, llmtest.CallID
	return []llmtest.Answer{
		join(llmtest.When(goOn), llmtest.Say("<final>On."), llmtest.Repeat(llmtest.Forever)),
		join(llmtest.Think("a file first", ""), call("write_a", "write_file", `{"path":"a.txt","content":"one\nline 日本\n"}`)),
		join(llmtest.Say("<progress>Then more."), call("read_a", "read_file", `{"path":"a.txt"}`),
			call("write_b", "write_file", `{"path":"b.txt","content":"b\n"}`), call("run_log", "run_command", `{"command":"echo line >> log.txt; cat a.txt"}`)),
		join(call("read_1", "read_file", `{"path":"a.txt"}`), call("read_2", "read_file", `{"path":"b.txt"}`)),
		call("edit_a", "edit_file", `{"path":"a.txt","search":"one","replace":"two"}`),
		llmtest.Say("<progress>A command that takes a while."),
		call("run_c", "run_command", `{"command":"printf begun > c.txt && sleep 0.02 && printf ' ended' >> c.txt"}`),
		join(call("edit_b", "edit_file", `{"path":"b.txt","search":"b","replace":"bee"}`), call("write_d", "write_file", `{"path":"d.txt","content":"dee\n"}`)),
		llmtest.Say("<final>All done."),
	}
}

// moment is one run that is killed, and the one that goes on.
type moment struct {
	binary string
	dir    string
	server *llmtest.Server
	env    []string
	file   string // of the session, once it is there
}

// newMoment makes a project under git and a home of its own.
func newMoment(binary, dir string, wire llmtest.Wire) (*moment, error) {
	m := &moment{binary: binary, dir: dir, server: llmtest.NewServer(llmtest.New(nil, killScript()...))}
	for _, d := range []string{"home", "repo/.git/objects", "repo/.git/refs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, err
		}
	}
	m.env = []string{
		"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "TERM=dumb", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"ANTHROPIC_BASE_URL=" + m.server.BaseURL(llmtest.Anthropic), "ANTHROPIC_API_KEY=key-for-tests", "MINICODE_MODEL=anthropic/claude-sonnet-4-5",
	}
	if wire == llmtest.OpenAI {
		m.env = append(m.env[:4:4], "OPENAI_BASE_URL="+m.server.BaseURL(wire), "OPENAI_API_KEY=key-for-tests", "MINICODE_MODEL=openai/gpt-4.1")
	}
	return m, os.WriteFile(filepath.Join(dir, "repo/.git/HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}

func (m *moment) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(m.binary, append([]string{"--permission-mode", "full-access"}, args...)...)
	cmd.Dir, cmd.Env = filepath.Join(m.dir, "repo"), m.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// read is a file of the project, "" when it is not there.
func (m *moment) read(name string) string {
	data, err := os.ReadFile(filepath.Join(m.dir, "repo", name))
	if err != nil {
		return ""
	}
	return string(data)
}

// size is how much of the session is on disk.
func (m *moment) size() int64 {
	if m.file == "" {
		_ = filepath.WalkDir(filepath.Join(m.dir, "home"), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == killedSession+".jsonl" {
				m.file = path
			}
			return nil
		})
	}
	info, err := os.Stat(m.file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// kill runs the script and kills the program once so many bytes of the
// session are on disk and so much time has passed since; at all it kills
// never. It says whether the program was still there.
func (m *moment) kill(at int64, later time.Duration) (alive bool, err error) {
	cmd, out := m.command("--session-id", killedSession, "-p", "begin")
	if err := cmd.Start(); err != nil {
		return false, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	deadline := time.After(time.Minute)
	for m.size() < at {
		select {
		case err := <-over:
			if err != nil {
				return false, fmt.Errorf("the run failed by itself: %w\n%s", err, out)
			}
			return false, nil
		case <-deadline:
			_ = cmd.Process.Kill()
			return false, fmt.Errorf("the run did not end:\n%s", out)
		case <-time.After(50 * time.Microsecond):
		}
	}
	select {
	case err := <-over:
		return false, err
	case <-time.After(later):
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, err
	}
	return (<-over) != nil, nil
}

// recorded is what the killed run left on disk.
type recorded struct {
	data     []byte
	messages []llm.Message
	calls    []llm.ToolCall
	results  map[string]bool
	allowed  map[string]bool
}

func (m *moment) recorded() (recorded, error) {
	r := recorded{results: map[string]bool{}, allowed: map[string]bool{}}
	var err error
	if r.data, err = os.ReadFile(m.file); err != nil {
		return r, err
	}
	for line := range bytes.Lines(r.data) {
		rec, err := event.Decode(line)
		if err != nil {
			continue // torn
		}
		switch e := rec.Event.(type) {
		case event.Decided:
			r.allowed[e.Call] = r.allowed[e.Call] || e.Allow
		case event.Message:
			r.messages = append(r.messages, e.Message)
			r.calls = append(r.calls, e.Calls()...)
			if result, ok := e.Result(); ok {
				r.results[result.Call] = true
			}
		}
	}
	return r, nil
}

// resume goes on with the session and says what is wrong with that.
func (m *moment) resume(r recorded) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	before := len(m.server.Requests())
	cmd, out := m.command("--continue", "-p", goOn)
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "On.") {
		fault("going on failed: %v\n%s", err, out)
	}
	now, err := os.ReadFile(m.file)
	if err != nil || !bytes.HasPrefix(now, r.data) {
		fault("what was in the session's file is not there any more (%v)", err)
	}
	requests := m.server.Requests()
	for _, q := range requests {
		if q.Refused != "" {
			fault("request %d was refused: %s", q.Number, q.Refused)
		}
	}
	if len(requests) == before {
		fault("no request was made")
		return faults
	}
	said, results := heard(requests[len(requests)-1].Body)
	for _, msg := range r.messages {
		text := msg.Text()
		if result, ok := msg.Result(); ok {
			text = result.Parts.Text()
		}
		if !strings.Contains(said, strings.TrimSpace(text)) {
			fault("a %s message that was recorded is not sent: %q", msg.Kind, text)
		}
	}
	for _, c := range r.calls {
		text, sent := results[c.ID]
		switch {
		case !sent:
			fault("call %s has no result in the request", c.ID)
		case r.results[c.ID]: // sent as recorded, see above
		case r.allowed[c.ID] && (strings.Contains(text, "nothing was done") || !strings.Contains(text, "may be done in part")):
			fault("call %s was allowed and is told as %q", c.ID, text)
		case !r.allowed[c.ID] && !strings.Contains(text, "nothing was done"):
			fault("call %s was not allowed and is told as %q", c.ID, text)
		}
	}
	return faults
}

// heard is all the words of a request, and its results by the ids of their
// calls, on either wire.
func heard(body []byte) (all string, results map[string]string) {
	var b strings.Builder
	results = map[string]string{}
	var walk func(v any) string
	walk = func(v any) string {
		text := ""
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
			return v
		case []any:
			for _, x := range v {
				text += walk(x)
			}
		case map[string]any:
			for _, x := range v {
				text += walk(x)
			}
			for _, key := range []string{"tool_use_id", "tool_call_id"} {
				if id, ok := v[key].(string); ok {
					results[id] = walk(v["content"])
				}
			}
		}
		return text
	}
	var v any
	if json.Unmarshal(body, &v) == nil {
		walk(v)
	}
	return b.String(), results
}

// killed is what many moments showed.
type killed struct {
	mu     sync.Mutex
	n      map[string]int
	faults []string
	whole  time.Duration // of a run that nobody kills
}

func (k *killed) count(what string, by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n[what] += by
}

func (k *killed) fault(seed uint64, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults = append(k.faults, fmt.Sprintf("moment %d: %s", seed, text))
}

// killAt runs one moment. whole is how many bytes the session of a run has
// that nobody kills.
func (k *killed) killAt(binary, dir string, seed uint64, whole int64) error {
	random := rand.New(rand.NewPCG(seed, 7))
	wire := []llmtest.Wire{llmtest.Anthropic, llmtest.OpenAI}[seed%2]
	m, err := newMoment(binary, dir, wire)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer m.server.Close()
	at, later := random.Int64N(whole+whole/50), time.Duration(random.IntN(6_000))*time.Microsecond
	if seed%4 == 3 { // by the clock, from the start on
		at, later = 0, time.Duration(random.Int64N(int64(k.whole)))
	}
	alive, err := m.kill(at, later)
	if err != nil {
		return err
	}
	size := m.size() // which finds the file, too
	switch {
	case !alive:
		k.count("runs that were over before", 1)
	case size == 0:
		k.count("killed before anything was recorded", 1)
		for call, done := range effects() {
			if done(m.read) {
				k.fault(seed, "call "+call+" was done and nothing is recorded")
			}
		}
		return nil
	}
	r, err := m.recorded()
	if err != nil {
		return err
	}
	k.count("sessions gone on with", 1)
	for call, done := range effects() {
		if !done(m.read) {
			continue
		}
		k.count("changes found after the kill", 1)
		if !r.allowed[call] {
			k.fault(seed, "call "+call+" was done and there is no decision for it on disk")
		}
		if !r.results[call] {
			k.count("changes of calls without a result", 1)
		}
	}
	for _, c := range r.calls {
		if !r.results[c.ID] {
			k.count("calls without a result", 1)
		}
	}
	for _, f := range m.resume(r) {
		k.fault(seed, f)
	}
	return nil
}

// killMoments kills runs of the program at n random moments.
func killMoments(t *testing.T, binary string, n int) *killed {
	t.Helper()
	root := t.TempDir()
	if dir, err := os.MkdirTemp("/dev/shm", "killed"); err == nil {
		root = dir
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
	m, err := newMoment(binary, filepath.Join(root, "whole"), llmtest.Anthropic)
	if err != nil {
		t.Fatal(err)
	}
	defer m.server.Close()
	began := time.Now()
	if _, err := m.kill(1<<40, 0); err != nil {
		t.Fatal(err)
	}
	for call, done := range effects() {
		if !done(m.read) {
			t.Fatalf("call %s does nothing in a run that nobody kills", call)
		}
	}
	k := &killed{n: map[string]int{}, whole: time.Since(began)}
	next := make(chan uint64)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for seed := range next {
				if err := k.killAt(binary, filepath.Join(root, fmt.Sprint(seed)), seed, m.size()); err != nil {
					k.fault(seed, err.Error())
				}
			}
		})
	}
	for seed := range uint64(n) {
		next <- seed
	}
	close(next)
	workers.Wait()
	slices.Sort(k.faults)
	return k
}

// buildPlain builds the program as it is released, with the files of the
// overlay in the place of its own if there are any.
func buildPlain(t *testing.T, overlay string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "minicode")
	args := []string{"build", "-ldflags=-s -w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestKilledAtAnyMoment kills the program with SIGKILL at random moments of a
// run with tools. Whatever is left, the session can be gone on with: the
// strict server takes the request, nothing that was recorded is lost, and
// what a call may have changed is not told as not done.
func TestKilledAtAnyMoment(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 20
	}
	k := killMoments(t, buildPlain(t, ""), n)
	for i, f := range k.faults {
		if i < 5 {
			t.Error(f)
		}
	}
	for _, what := range []string{
		"killed before anything was recorded", "runs that were over before", "sessions gone on with", "changes found after the kill",
		"calls without a result", "changes of calls without a result",
	} {
		t.Logf("%s: %d", what, k.n[what])
	}
	if k.n["sessions gone on with"] < n/2 || k.n["calls without a result"] < n/10 || !testing.Short() && k.n["changes of calls without a result"] < n/50 {
		t.Error("too few of the moments say something")
	}
}

// TestKilledFindsFaults plants faults in the program, each of which the
// moments must find.
func TestKilledFindsFaults(t *testing.T) {
	for _, f := range []struct{ name, file, old, new, finds string }{
		{"a call that was allowed is told as not run", "internal/session/repair.go", "		if allowed[c.ID] {", "		if false {", "was allowed and is told as"},
		{"facts are written at the end of a turn", "internal/session/log.go", "		l.flush(over)", "		if over {\n			l.flush(over)\n		}", "nothing is recorded"},
	} {
		t.Run(f.name, func(t *testing.T) {
			real, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(f.file)))
			if err != nil {
				t.Fatal(err)
			}
			source, err := os.ReadFile(real)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(source), f.old) != 1 {
				t.Fatalf("%s does not hold, once, what the fault is to replace; make the fault fit the code again:\n%s", f.file, f.old)
			}
			dir := t.TempDir()
			faulty, overlay := filepath.Join(dir, "faulty.go"), filepath.Join(dir, "overlay.json")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {real: faulty}})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.WriteFile(faulty, []byte(strings.Replace(string(source), f.old, f.new, 1)), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
				t.Fatal(err)
			}
			if testing.Short() {
				t.Skip("it could be planted; a full run tries whether it is found")
			}
			binary := buildPlain(t, overlay)
			// Which moments say something is chance: few find the fault nearly
			// always, and many always.
			for _, n := range []int{30, 200} {
				k := killMoments(t, binary, n)
				if slices.ContainsFunc(k.faults, func(text string) bool { return strings.Contains(text, f.finds) }) {
					t.Logf("found within %d moments, %d of them with a call without a result", n, k.n["calls without a result"])
					return
				}
				if n == 200 {
					t.Errorf("not found; what was found: %q", k.faults)
				}
			}
		})
	}
}
