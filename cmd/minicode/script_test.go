package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/minicode-go/minicode/llm/llmtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"minicode": main})
}

// TestScripts runs the real binary by the scripts in testdata/script. Besides
// the commands of testscript there are:
//
//	model FILE [anthropic|openai|lookalike]
//	                               a strict server with that script (llm/llmtest), and the environment that points at it;
//	                               what it refuses, and answers left over, fail the script at its end
//	exits CODE PROGRAM ARGS...     the program ends with that code
//	requests N                     the server got N requests so far
//	[!] request N REGEXP           the body of request N matches
//	[!] same-request N M           the bodies of two requests are the same bytes
//	[!] goes-on N M                the messages of request N begin with those of request M, but for marks of the cache
//	[!] smaller N M                the body of request N is smaller than that of request M
//	[!] facts REGEXP               a line of the newest session file matches
//	count-facts N REGEXP           so many of its lines match
//	cut-session N                  the newest session file loses its last N lines
//	same-facts FILE                the facts in FILE are the session file's last lines, byte for byte
//	[!] result KEY=JSON|KEY~REGEXP...
//	                               the output is lines of JSON, the last one a result object with these values, the only one
//	signals NAME CODE REGEXP PROGRAM ARGS...
//	                               the program, sent the signal (or several: INT,INT) once its output matches, ends promptly with that code;
//	                               a REGEXP "requests N" waits until the server answers the Nth one instead
//	comes 'requests N'             waits until the server answers the Nth request
//	alone                          no process is left that the script's programs started
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("TERM", "dumb")
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("GOCACHE", goEnv("GOCACHE"))
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			for _, name := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+name+"_NAME", "Test")
				env.Setenv("GIT_"+name+"_EMAIL", "test@example.com")
			}
			var names []string
			for _, pair := range env.Vars {
				name, _, _ := strings.Cut(pair, "=")
				names = append(names, name)
			}
			env.Values[variables{}], env.Values[outcome{}] = names, env.T()
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": startModel, "exits": exits, "requests": countRequests, "request": matchRequest, "facts": matchFacts, "same-facts": sameFacts, "cut-session": cutSession,
			"same-request": sameRequest, "goes-on": goesOn, "smaller": smaller, "count-facts": countFacts, "result": matchResult, "signals": signals, "alone": alone, "comes": waitFor,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: model FILE [anthropic|openai|lookalike]")
	}
	answers, err := llmtest.ParseScript(ts.ReadFile(args[0]))
	ts.Check(err)
	wire := llmtest.Anthropic
	if len(args) == 2 {
		wire = llmtest.Wire(args[1])
	}
	server := llmtest.NewServer(llmtest.New(nil, answers...), func(s *llmtest.Server) { s.LookAlike = wire == llmtest.LookAlike })
	switch wire {
	case llmtest.Anthropic:
		ts.Setenv("ANTHROPIC_BASE_URL", server.BaseURL(wire))
		ts.Setenv("ANTHROPIC_API_KEY", "key-for-tests")
		ts.Setenv("MINICODE_MODEL", "anthropic/claude-sonnet-4-5")
	case llmtest.OpenAI, llmtest.LookAlike: // the latter is for a provider of the settings
		ts.Setenv("OPENAI_BASE_URL", server.BaseURL(llmtest.OpenAI))
		ts.Setenv("OPENAI_API_KEY", "key-for-tests")
		ts.Setenv("MINICODE_MODEL", "openai/gpt-4.1")
	default:
		ts.Fatalf("unknown wire %s", wire)
	}
	servers.Store(ts, server)
	ts.Defer(func() {
		server.Close()
		servers.Delete(ts)
		t := ts.Value(outcome{}).(interface{ Error(args ...any) })
		if err := server.Verify(); err != nil {
			t.Error(err)
		}
	})
}

// outcome is the key of the script's own test. A script that has failed may
// not fail again by the ways that testscript offers.
type outcome struct{}

// servers are the running scripts' servers; scripts run in parallel, so a
// script's own is found by the script.
var servers sync.Map

func serverOf(ts *testscript.TestScript) *llmtest.Server {
	s, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("no model was started")
	}
	return s.(*llmtest.Server)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests N")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := len(serverOf(ts).Requests()); got != want {
		ts.Fatalf("%d requests, want %d", got, want)
	}
}

func matchRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] request N REGEXP")
	}
	body := requestBody(ts, args[0])
	if regexp.MustCompile(args[1]).MatchString(body) == neg {
		ts.Fatalf("request %s:\n%s", args[0], body)
	}
}

// sessionFile is the session file below the home directory that was written
// last.
func sessionFile(ts *testscript.TestScript) string {
	var newest string
	var at time.Time
	err := filepath.WalkDir(ts.Getenv("HOME"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		info, err := d.Info()
		if err == nil && (info.ModTime().After(at) || info.ModTime().Equal(at) && path > newest) {
			newest, at = path, info.ModTime()
		}
		return err
	})
	ts.Check(err)
	if newest == "" {
		ts.Fatalf("there is no session file")
	}
	return newest
}

func matchFacts(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] facts REGEXP")
	}
	text := ts.ReadFile(sessionFile(ts))
	if regexp.MustCompile("(?m)"+args[0]).MatchString(text) == neg {
		ts.Fatalf("the session file:\n%s", text)
	}
}

func countFacts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: count-facts N REGEXP")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := ts.ReadFile(sessionFile(ts))
	if got := len(regexp.MustCompile("(?m)^.*(?:"+args[1]+").*$").FindAllString(text, -1)); got != want {
		ts.Fatalf("%d lines match, want %d. The session file:\n%s", got, want, text)
	}
}

func sameFacts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: same-facts FILE")
	}
	facts := regexp.MustCompile(`^\{"type":"(opened|message|edited|decided|changed|ended)"`)
	var got strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if facts.MatchString(line) {
			got.WriteString(line)
		}
	}
	want := ts.ReadFile(sessionFile(ts))
	if got.String() == "" || !strings.HasSuffix(want, got.String()) {
		ts.Fatalf("the facts printed:\n%s\nthe session file:\n%s", got.String(), want)
	}
}

func cutSession(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cut-session N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	path := sessionFile(ts)
	lines := strings.SplitAfter(ts.ReadFile(path), "\n")
	ts.Check(os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-1-n], "")), 0o600))
}
