package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	comes    = 30 * time.Second // for what a script waits for
	promptly = 3 * time.Second  // for a program to end once it was told to; it is to be back in 500 ms, the machine may be busy
)

// variables is the key of the names of a script's environment variables.
type variables struct{}

// environ is the script's environment as it is now.
func environ(ts *testscript.TestScript) []string {
	var out []string
	names, _ := ts.Value(variables{}).([]string)
	for _, name := range append(names, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY", "MINICODE_MODEL", "MINICODE_HOME") {
		if value := ts.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// watched is output that can be looked at while it is written.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	select {
	case w.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// signals runs a program, sends it the signal once its output matches, or once
// the server answers so many requests, and waits for its end.
func signals(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signals NAME CODE REGEXP|'requests N' PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	when := regexp.MustCompile(args[2])
	more := make(chan struct{}, 1)
	stdout, stderr := &watched{more: more}, &watched{more: more}
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), environ(ts), stdout, stderr
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code says it
	}()
	tell := func() { fmt.Fprint(ts.Stdout(), stdout.String()); fmt.Fprint(ts.Stderr(), stderr.String()) }
	fail := func(format string, rest ...any) {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		tell()
		ts.Fatalf(format, rest...)
	}
	said := asked(ts, args[2])
	if said == nil {
		said = func() bool { return when.MatchString(stdout.String()) || when.MatchString(stderr.String()) }
	}
	for late := time.After(comes); !said(); {
		select {
		case <-more:
		case <-time.After(10 * time.Millisecond):
		case <-ended:
			fail("the program ended before %s", when)
		case <-late:
			fail("the program did not come to %s", when)
		}
	}
	sent := time.Now()
	for i, name := range strings.Split(args[0], ",") {
		if i > 0 {
			time.Sleep(10 * time.Millisecond) // two at the same moment are one
		}
		ts.Check(cmd.Process.Signal(signalNamed(ts, name)))
	}
	select {
	case <-ended:
	case <-time.After(promptly):
		fail("the program still runs %v after the signal", promptly)
	}
	ts.Logf("ended %v after the signal", time.Since(sent).Round(time.Millisecond))
	tell()
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// asked is the condition that the server answers so many requests, or nil if
// the text is not "requests N".
func asked(ts *testscript.TestScript, text string) func() bool {
	count, ok := strings.CutPrefix(text, "requests ")
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(count)
	ts.Check(err)
	return func() bool { return serverOf(ts).Script.Asked() >= n }
}

// waitFor waits until the server answers so many requests.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || asked(ts, args[0]) == nil {
		ts.Fatalf("usage: comes 'requests N'")
	}
	for late := time.Now().Add(comes); !asked(ts, args[0])(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			ts.Fatalf("it does not come to %s", args[0])
		}
	}
}

func signalNamed(ts *testscript.TestScript, name string) os.Signal {
	switch name {
	case "INT":
		return os.Interrupt
	case "TERM":
		return syscall.SIGTERM
	case "HUP":
		return syscall.SIGHUP
	case "KILL":
		return os.Kill
	}
	ts.Fatalf("unknown signal %s", name)
	return nil
}

// alone fails if a process is left that the script's programs started. Where
// there is no /proc it looks at nothing.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: alone")
	}
	mark := []byte("WORK=" + ts.Getenv("WORK") + "\x00")
	var left []string
	for late := time.Now().Add(promptly); ; time.Sleep(10 * time.Millisecond) {
		left = nil
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range all {
			if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, mark) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(late) {
			ts.Fatalf("still running:\n%s", strings.Join(left, "\n"))
		}
	}
}

// matchResult looks at the result object that the newest output ends with.
func matchResult(ts *testscript.TestScript, neg bool, args []string) {
	if neg && len(args) != 1 {
		ts.Fatalf("usage: result KEY=JSON|KEY~REGEXP..., or ! result with one of them")
	}
	lines := strings.SplitAfter(ts.ReadFile("stdout"), "\n")
	if len(lines) < 2 || lines[len(lines)-1] != "" {
		ts.Fatalf("the output does not end with a whole line")
	}
	var object map[string]any
	for i, line := range lines[:len(lines)-1] {
		object = nil
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("line %d is not a JSON object: %v", i+1, err)
		}
		if last := i == len(lines)-2; (object["type"] == "result") != last {
			ts.Fatalf("line %d of %d has the type %v", i+1, len(lines)-1, object["type"])
		}
	}
	for _, arg := range args {
		if wrong := holds(ts, object, arg); (wrong == "") == neg {
			ts.Fatalf("%s: %s", arg, wrong)
		}
	}
}

// holds says what is wrong with KEY=JSON or KEY~REGEXP in the object.
func holds(ts *testscript.TestScript, object map[string]any, arg string) string {
	at := strings.IndexAny(arg, "=~")
	if at < 1 {
		ts.Fatalf("%q is neither KEY=JSON nor KEY~REGEXP", arg)
	}
	got, rest := member(object, arg[:at]), arg[at+1:]
	if arg[at] == '~' {
		text, _ := json.Marshal(got)
		if s, ok := got.(string); ok {
			text = []byte(s)
		}
		if !regexp.MustCompile(rest).Match(text) {
			return fmt.Sprintf("it is %s", text)
		}
		return ""
	}
	var want any
	if json.Unmarshal([]byte(rest), &want) != nil {
		want = rest
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("it is %#v", got)
	}
	return ""
}

// member finds a value by a path such as "permission_denials.0.tool_name",
// nil where there is none. "len" is the length of a list, "sum" the sums of
// the numbers in its objects.
func member(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			switch {
			case name == "len":
				v = float64(len(in))
			case name == "sum":
				v = sums(in)
			case err == nil && i >= 0 && i < len(in):
				v = in[i]
			default:
				v = nil
			}
		default:
			return nil
		}
	}
	return v
}

func sums(list []any) map[string]any {
	total := map[string]any{}
	for _, v := range list {
		object, _ := v.(map[string]any)
		for name, n := range object {
			if n, ok := n.(float64); ok {
				before, _ := total[name].(float64)
				total[name] = before + n
			}
		}
	}
	return total
}

func sameRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] same-request N M")
	}
	if a, b := requestBody(ts, args[0]), requestBody(ts, args[1]); (a == b) == neg {
		ts.Fatalf("request %s:\n%s\nrequest %s:\n%s", args[0], a, args[1], b)
	}
}

func goesOn(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] goes-on N M")
	}
	later, earlier := requestMessages(ts, args[0]), requestMessages(ts, args[1])
	for i, m := range earlier {
		if i < len(later) && later[i] == m {
			continue
		}
		if !neg {
			ts.Fatalf("message %d of %d of request %s stands otherwise, or not at all, among the %d of request %s:\n%s", i+1, len(earlier), args[1], len(later), args[0], m)
		}
		return
	}
	if neg {
		ts.Fatalf("the messages of request %s begin with those of request %s", args[0], args[1])
	}
}

// requestMessages is the messages of a request, each as it was sent but for
// the marks that say how far the provider's cache should reach.
func requestMessages(ts *testscript.TestScript, number string) []string {
	var body struct{ Messages []json.RawMessage }
	ts.Check(json.Unmarshal([]byte(requestBody(ts, number)), &body))
	var out []string
	for _, m := range body.Messages {
		out = append(out, strings.ReplaceAll(string(m), `,"cache_control":{"type":"ephemeral"}`, ""))
	}
	return out
}

func smaller(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] smaller N M")
	}
	if a, b := len(requestBody(ts, args[0])), len(requestBody(ts, args[1])); (a < b) == neg {
		ts.Fatalf("request %s has %d bytes, request %s has %d", args[0], a, args[1], b)
	}
}

func requestBody(ts *testscript.TestScript, number string) string {
	n, err := strconv.Atoi(number)
	ts.Check(err)
	requests := serverOf(ts).Requests()
	if n < 1 || n > len(requests) {
		ts.Fatalf("there are %d requests", len(requests))
	}
	if !utf8.Valid(requests[n-1].Body) {
		ts.Fatalf("request %d is not UTF-8:\n%q", n, requests[n-1].Body)
	}
	return string(requests[n-1].Body)
}

func TestMember(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(`{"a":[{"b":"x"},2],"c":null,"n":[{"k":1},{"k":2}]}`), &v); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{"a.0.b": "x", "a.1": 2.0, "a.len": 2.0, "a.2": nil, "c": nil, "c.d": nil, "e": nil, "n.sum.k": 3.0} {
		if got := member(v, path); got != want {
			t.Errorf("member(%s) = %v, want %v", path, got, want)
		}
	}
}
