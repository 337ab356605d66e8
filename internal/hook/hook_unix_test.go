//go:build unix

package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// world is a Runner in a directory of its own, with what the person is told.
type world struct {
	*Runner
	dir string

	mu   sync.Mutex
	said []string
}

// newWorld has these hooks at one event.
func newWorld(t *testing.T, event string, groups ...Group) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	w.Runner = &Runner{
		Groups: func(e string) []Group {
			if e == event {
				return groups
			}
			return nil
		},
		Session: func() Session {
			return Session{ID: "s1", Path: "/s1.jsonl", Cwd: w.dir, Root: w.dir, Mode: "default", Effort: "high"}
		},
		Env: os.Environ,
		Tell: func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said = append(w.said, text)
		},
	}
	t.Cleanup(w.Close)
	return w
}

func (w *world) told() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

// script is a group with one hook for everything.
func script(text string) Group { return Group{Hooks: []Hook{{Command: text}}} }

func edit() llm.ToolCall {
	return llm.ToolCall{ID: "c1", Name: "edit_file", Args: json.RawMessage(`{"path":"a","search":"x","replace":"y"}`)}
}

func TestBefore(t *testing.T) {
	for name, c := range map[string]struct {
		hook   string
		want   tool.Verdict
		reason string // part of it
		args   string
	}{
		"silent":           {"true", "", "", ""},
		"plain words":      {"echo fine", "", "", ""},
		"allow":            {`echo '{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"known"}}'`, tool.Allow, "known", ""},
		"approve":          {`echo '{"decision":"approve"}'`, tool.Allow, "", ""},
		"deny":             {`echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not here"}}'`, tool.Deny, "not here", ""},
		"block":            {`echo '{"decision":"block","reason":"no way"}'`, tool.Deny, "no way", ""},
		"ask":              {`echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`, tool.Ask, "", ""},
		"defer":            {`echo '{"hookSpecificOutput":{"permissionDecision":"defer"}}'`, tool.Ask, "", ""},
		"exit 2":           {`echo "bad thing" >&2; exit 2`, tool.Deny, "bad thing", ""},
		"exit 2 and allow": {`echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; exit 2`, tool.Deny, "no reason", ""},
		"exit 1":           {`echo oops >&2; exit 1`, "", "", ""},
		"exit 1 and deny":  {`echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'; exit 1`, tool.Deny, "", ""},
		"continue false":   {`echo '{"continue":false,"stopReason":"enough"}'`, tool.Deny, "enough", ""},
		"missing":          {`/nonexistent/hook`, tool.Deny, "could not be run", ""},
		"killed":           {`kill -9 $$`, tool.Deny, "signal 9", ""},
		"too slow":         {`sleep 300`, tool.Deny, "took longer", ""},
		"broken JSON":      {`echo '{"hookSpecificOutput":{"permissionDecision":'`, tool.Deny, "cannot be read", ""},
		"wrong types":      {`echo '{"hookSpecificOutput":"x"}'`, tool.Deny, "cannot be read", ""},
		"unknown word":     {`echo '{"hookSpecificOutput":{"permissionDecision":"maybe"}}'`, tool.Deny, `"maybe" is not known`, ""},
		"noise around":     {"echo 'welcome {you}'; echo '{\"decision\":\"block\",\"reason\":\"no\"}'; echo bye", tool.Deny, "no", ""},
		"unread input":     {`exec </dev/null; echo '{"decision":"approve"}'`, tool.Allow, "", ""},
		"much output":      {`head -c 3000000 /dev/zero | tr '\0' x`, "", "", ""},
		"much error":       {`head -c 3000000 /dev/zero | tr '\0' x >&2; exit 2`, tool.Deny, "left out", ""},
		"changed input": {
			`echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":"b","old_string":"x","new_string":"z"}}}'`,
			tool.Allow, "", `{"path":"b","replace":"z","search":"x"}`,
		},
		"changed to nonsense": {`echo '{"hookSpecificOutput":{"updatedInput":7}}'`, tool.Deny, "cannot be used", ""},
		"no terminal":         {`tty >/dev/null || (exec 3</dev/tty) 2>/dev/null || echo '{"decision":"approve"}'`, tool.Allow, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := script(c.hook)
			if name == "too slow" {
				g.Hooks[0].Timeout = 100 * time.Millisecond
			}
			w := newWorld(t, PreToolUse, g)
			a, err := w.Before(t.Context(), edit())
			if err != nil || a.Verdict != c.want || !strings.Contains(a.Reason, c.reason) || string(a.Args) != c.args {
				t.Errorf("%+v, %v; %s", a, err, w.told())
			}
			if strings.HasPrefix(name, "exit 1") && !strings.Contains(w.told(), "exit code 1") {
				t.Errorf("the failure is not told: %q", w.told())
			}
			if len([]rune(a.Reason)) > 2*mostText {
				t.Errorf("a reason of %d bytes", len(a.Reason))
			}
		})
	}
}

// What a hook is told, and where it runs.
func TestInput(t *testing.T) {
	w := newWorld(t, PreToolUse, script(`cat > in.json; echo "$CLAUDE_PROJECT_DIR $CLAUDE_EFFORT" > env`))
	if _, err := w.Before(t.Context(), edit()); err != nil {
		t.Fatal(err)
	}
	var got, want any
	data, err := os.ReadFile(filepath.Join(w.dir, "in.json"))
	if err != nil || json.Unmarshal(data, &got) != nil {
		t.Fatalf("%s, %v", data, err)
	}
	if err := json.Unmarshal([]byte(`{"session_id":"s1","transcript_path":"/s1.jsonl","permission_mode":"default","hook_event_name":"PreToolUse",
		"effort":{"level":"high"},"tool_name":"Edit","tool_use_id":"c1","tool_input":{"file_path":"a","old_string":"x","new_string":"y"}}`), &want); err != nil {
		t.Fatal(err)
	}
	want.(map[string]any)["cwd"] = w.dir
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if env, err := os.ReadFile(filepath.Join(w.dir, "env")); err != nil || string(env) != w.dir+" high\n" {
		t.Errorf("%q, %v", env, err)
	}
}

// The strictest hook decides, wherever it stands, and identical ones run once.
func TestSeveral(t *testing.T) {
	say := func(word string) Group {
		return script(fmt.Sprintf(`echo x >> ran; echo '{"hookSpecificOutput":{"permissionDecision":%q,"permissionDecisionReason":%q}}'`, word, word))
	}
	for _, order := range [][]string{{"allow", "ask", "deny"}, {"deny", "ask", "allow"}, {"ask", "deny", "allow"}} {
		var groups []Group
		for _, word := range append(order, order...) {
			groups = append(groups, say(word))
		}
		w := newWorld(t, PreToolUse, groups...)
		a, err := w.Before(t.Context(), edit())
		if err != nil || a.Verdict != tool.Deny || !strings.Contains(a.Reason, "deny") {
			t.Errorf("%v: %+v, %v", order, a, err)
		}
		data, err := os.ReadFile(filepath.Join(w.dir, "ran"))
		if err != nil || strings.Count(string(data), "x") != 3 {
			t.Errorf("they ran %q, %v", data, err)
		}
	}
}

func TestMatchers(t *testing.T) {
	for name, c := range map[string]struct {
		group Group
		tool  string
		runs  bool
	}{
		"their name":           {Group{Matcher: "Edit"}, "edit_file", true},
		"one of several":       {Group{Matcher: "Bash|Edit"}, "edit_file", true},
		"with commas":          {Group{Matcher: "Bash, Edit"}, "edit_file", true},
		"exactly":              {Group{Matcher: "Edi"}, "edit_file", false},
		"expression":           {Group{Matcher: "Ed.*"}, "edit_file", true},
		"expression inside":    {Group{Matcher: "dit$"}, "edit_file", true},
		"star":                 {Group{Matcher: "*"}, "edit_file", true},
		"our name":             {Group{Matcher: "edit_file"}, "edit_file", false},
		"our name, ours":       {Group{Matcher: "edit_file", Own: true}, "edit_file", true},
		"their name, ours":     {Group{Matcher: "Edit", Own: true}, "edit_file", false},
		"second name":          {Group{Matcher: "Agent"}, "spawn_agent", true},
		"first name":           {Group{Matcher: "Task"}, "spawn_agent", true},
		"server":               {Group{Matcher: "mcp__db__.*"}, "mcp__db__query", true},
		"cannot be read: runs": {Group{Matcher: "(["}, "edit_file", true},
	} {
		t.Run(name, func(t *testing.T) {
			c.group.Hooks = []Hook{{Command: `echo '{"decision":"block"}'`}}
			w := newWorld(t, PreToolUse, c.group)
			a, err := w.Before(t.Context(), llm.ToolCall{ID: "c", Name: c.tool, Args: json.RawMessage(`{}`)})
			if err != nil || (a.Verdict == tool.Deny) != c.runs {
				t.Errorf("%+v, %v", a, err)
			}
			if told := strings.Contains(w.told(), "cannot be read"); told != strings.Contains(name, "cannot") {
				t.Errorf("told %q", w.told())
			}
		})
	}
}

func TestIf(t *testing.T) {
	g := script(`echo '{"decision":"block"}'`)
	g.Hooks[0].If = "Edit(*.go)"
	for _, hits := range []bool{true, false} {
		w := newWorld(t, PreToolUse, g)
		w.Match = func(rule string, call llm.ToolCall) bool {
			return rule == "Edit(*.go)" && call.Name == "edit_file" && hits
		}
		if a, err := w.Before(t.Context(), edit()); err != nil || (a.Verdict == tool.Deny) != hits {
			t.Errorf("hits %v: %+v, %v", hits, a, err)
		}
	}
}

func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		event, hook string
		failed      bool
		want        string
	}{
		"nothing":     {PostToolUse, "true", false, "out"},
		"added":       {PostToolUse, `echo '{"hookSpecificOutput":{"additionalContext":"formatted"}}'`, false, "out\n\nFrom a hook: formatted"},
		"feedback":    {PostToolUse, `echo "lint fails" >&2; exit 2`, false, "out\n\nA hook says: lint fails"},
		"block":       {PostToolUse, `echo '{"decision":"block","reason":"look again"}'`, false, "out\n\nA hook says: look again"},
		"replaced":    {PostToolUse, `echo '{"hookSpecificOutput":{"updatedToolOutput":"other"}}'`, false, "other"},
		"JSON":        {PostToolUse, `echo '{"hookSpecificOutput":{"updatedToolOutput":{"a":1}}}'`, false, `{"a":1}`},
		"missing":     {PostToolUse, `/nonexistent/hook`, false, "out"},
		"not for it":  {PostToolUseFailure, `exit 2`, false, "out"},
		"failure":     {PostToolUseFailure, `grep -o '"error":"[^"]*"' >&2; exit 2`, true, "out\n\nA hook says: \"error\":\"out\""},
		"its output":  {PostToolUse, `grep -o '"content":"[^"]*"' >&2; exit 2`, false, "out\n\nA hook says: \"content\":\"out\""},
		"failed, not": {PostToolUse, `exit 2`, true, "out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.event, script(c.hook))
			r := tool.TextResult("out")
			r.Error = c.failed
			got, err := w.After(t.Context(), edit(), r)
			if err != nil || got.Parts.Text() != c.want || got.Error != c.failed {
				t.Errorf("%q, %v, want %q", got.Parts.Text(), err, c.want)
			}
			if r.Parts.Text() != "out" {
				t.Errorf("the result itself was changed to %q", r.Parts.Text())
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	for name, c := range map[string]struct{ hook, context, fault string }{
		"plain":   {"echo it is Tuesday", "it is Tuesday", ""},
		"JSON":    {`echo '{"hookSpecificOutput":{"additionalContext":"be brief"}}'`, "be brief", ""},
		"blocked": {"echo no secrets >&2; exit 2", "", "no secrets"},
		"word":    {`echo '{"decision":"block","reason":"no"}'`, "", "no"},
		"input":   {`grep -o '"prompt":"[^"]*"'`, `"prompt":"hello"`, ""},
		"missing": {"/nonexistent/hook", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, UserPromptSubmit, script(c.hook))
			got, err := w.Prompt(t.Context(), "hello")
			if got != c.context || (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestStop(t *testing.T) {
	w := newWorld(t, Stop, script(`in=$(cat)
case $in in
*'"stop_hook_active":true'*) ;;
*'"last_assistant_message":"the end"'*) echo '{"decision":"block","reason":"test it"}' ;;
esac`))
	last := llm.NewText(llm.Assistant, llm.Final, "the end")
	for turn := range 2 {
		w.Begin()
		note, err := w.Runner.Stop(t.Context(), last)
		if err != nil || !strings.HasSuffix(note, "test it") {
			t.Errorf("turn %d: %q, %v", turn, note, err)
		}
		if note, err := w.Runner.Stop(t.Context(), last); err != nil || note != "" {
			t.Errorf("turn %d, again: %q, %v", turn, note, err)
		}
	}
	end := newWorld(t, Stop, script(`exit 2`), script(`echo '{"continue":false}'`))
	if note, err := end.Runner.Stop(t.Context(), last); err != nil || note != "" {
		t.Errorf("one wants an end: %q, %v", note, err)
	}
}

func TestSessionHooks(t *testing.T) {
	w := newWorld(t, SessionStart, Group{Matcher: "resume", Hooks: []Hook{{Command: "echo resumed"}}}, Group{Hooks: []Hook{{Command: `echo '{"hookSpecificOutput":{"sessionTitle":"T"}}'`}}})
	if context, title := w.Opened(t.Context(), "startup", "m"); context != "" || title != "T" {
		t.Errorf("%q, %q", context, title)
	}
	if context, _ := w.Opened(t.Context(), "resume", "m"); context != "resumed" {
		t.Errorf("%q", context)
	}
	end := newWorld(t, SessionEnd, script("sleep 300"), script("echo $PPID > ended"))
	begun := time.Now()
	end.Closed(t.Context(), "other")
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := os.Stat(filepath.Join(end.dir, "ended")); err != nil {
		t.Error(err)
	}
}

func TestCompacting(t *testing.T) {
	w := newWorld(t, PreCompact, Group{Matcher: "auto", Hooks: []Hook{{Command: "echo later >&2; exit 2"}}})
	if err := w.Compacting(t.Context(), "auto", ""); err == nil || !strings.Contains(err.Error(), "later") {
		t.Errorf("auto: %v", err)
	}
	if err := w.Compacting(t.Context(), "manual", ""); err != nil {
		t.Errorf("manual: %v", err)
	}
}

func TestPermission(t *testing.T) {
	say := func(decision string) Group {
		return script(`echo '{"hookSpecificOutput":{"decision":` + decision + `}}'`)
	}
	for name, c := range map[string]struct {
		groups []Group
		ok     bool
		want   Answer
	}{
		"none":    {[]Group{script("true")}, false, Answer{}},
		"allow":   {[]Group{say(`{"behavior":"allow"}`)}, true, Answer{Allow: true}},
		"deny":    {[]Group{say(`{"behavior":"allow"}`), say(`{"behavior":"deny","message":"no","interrupt":true}`)}, true, Answer{Message: "no", Interrupt: true}},
		"changed": {[]Group{say(`{"behavior":"allow","updatedInput":{"file_path":"b"}}`)}, true, Answer{Allow: true, Args: json.RawMessage(`{"path":"b"}`)}},
		"broken":  {[]Group{script("/nonexistent/hook"), script("exit 2")}, false, Answer{}},
		"odd":     {[]Group{say(`{"behavior":"perhaps"}`), say(`7`)}, false, Answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, PermissionRequest, c.groups...)
			a, ok := w.Permission(t.Context(), edit())
			if ok != c.ok || fmt.Sprint(a) != fmt.Sprint(c.want) {
				t.Errorf("%+v, %v", a, ok)
			}
		})
	}
}

// What hooks leave running, also those that nothing waits for, is gone at the
// end.
func TestNothingIsLeft(t *testing.T) {
	g := script("setsid sleep 300 >/dev/null 2>&1 & sleep 300 & exit 0")
	slow := script("echo > begun; sleep 300")
	slow.Hooks[0].Async = true
	w := newWorld(t, PreToolUse, g, slow)
	if a, err := w.Before(t.Context(), edit()); err != nil || a.Verdict != "" {
		t.Errorf("%+v, %v", a, err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(w.dir, "begun")); err == nil || time.Now().After(deadline) {
			break
		}
	}
	w.Close()
	if left := process.EndMarked(w.prefix()); left != 0 {
		t.Errorf("%d processes are left", left)
	}
}

// An interrupt ends the hooks, and decides nothing.
func TestInterrupt(t *testing.T) {
	w := newWorld(t, PreToolUse, script("sleep 300"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if a, err := w.Before(ctx, edit()); err == nil || a.Verdict != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var in map[string]any
		if json.NewDecoder(req.Body).Decode(&in) != nil || req.Header.Get("X-Key") != "k" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"decision":"block","reason":%q}`, in["tool_name"])
	}))
	defer s.Close()
	w := newWorld(t, PreToolUse, Group{Hooks: []Hook{{Type: "http", URL: s.URL, Headers: map[string]string{"X-Key": "k"}}}})
	w.Client = s.Client()
	if a, err := w.Before(t.Context(), edit()); err != nil || a.Verdict != tool.Deny || !strings.Contains(a.Reason, "says no: Edit") {
		t.Errorf("%+v, %v", a, err)
	}
	bad := newWorld(t, PreToolUse, Group{Hooks: []Hook{{Type: "http", URL: s.URL}}}, Group{Hooks: []Hook{{Type: "prompt"}}})
	bad.Client = s.Client()
	if a, err := bad.Before(t.Context(), edit()); err != nil || a.Verdict != tool.Deny || !strings.Contains(a.Reason, "400") {
		t.Errorf("%+v, %v", a, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"decision":"block"}`)
	f.Add("x {\n{\"continue\":false}\n")
	f.Fuzz(func(t *testing.T, stdout string) {
		out, text, err := read(stdout)
		if err != nil && text != "" {
			t.Errorf("text %q with %v", text, err)
		}
		if len([]rune(text)) > mostText+50 || len([]rune(out.Reason)) > mostText+50 {
			t.Error("too long")
		}
	})
}
