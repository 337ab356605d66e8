package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// planted is a fault that a property must find: a piece of a file and what
// stands in its place.
type planted struct {
	name     string
	file     string // below the module's root
	old, new string
	run      string // the test that must fail
}

func plantedFaults() []planted {
	property := func(name string) string { return "TestInvariants/" + strings.ReplaceAll(name, " ", "_") }
	return []planted{
		{
			"an interrupted call gets no result", "agent/cleanup.go",
			"	if err := t.say(outcome.Message()); err != nil {", "	if ctx.Err() != nil {\n		return nil\n	}\n	if err := t.say(outcome.Message()); err != nil {",
			property(oneResult),
		},
		{
			"a result is recorded as it comes and again in its place", "agent/execute.go",
			"f.c.settle(f.result)\n", "f.c.settle(f.result)\n			_ = t.closeCall(ctx, f.c)\n", property(oneResult),
		},
		{
			"a reader that left leaves the turn without its end", "agent/loop.go",
			"	if err := t.record(ended); err != nil", "	if t.gone {\n		return\n	}\n	if err := t.record(ended); err != nil", property(oneResult),
		},
		{
			"a crash's open calls stay open", "internal/session/repair.go",
			"		if answered[c.ID] {", "		if true {", "TestCutAtEveryByte",
		},
		{
			"a call that was allowed is told as not run", "internal/session/repair.go",
			"		if allowed[c.ID] {", "		if false {", "TestCutAtEveryByte",
		},
		{
			"a torn line is written on", "internal/session/write.go",
			"	if w.newline {", "	if false {", property(oneResult),
		},
		{
			"the reader has a fact before the disk", "agent/loop.go",
			"	r, err := t.Log.Append(f)", "	t.show(event.Record{Head: t.head, Event: f})\n	r, err := t.Log.Append(f)", property(diskFirst),
		},
		{
			"facts are written at the end of a turn", "internal/session/log.go",
			"		l.flush(over)", "		if over {\n			l.flush(over)\n		}", property(diskFirst),
		},
		{
			"the partial text of an interrupted answer is not recorded", "agent/ask.go",
			"	return t.record(event.Message{Message: m})", "	return nil", property(signalFree),
		},
		{
			"a failed call is signalled as done", "agent/cleanup.go",
			"Error: result.Error}", "Error: !result.Error}", property(signalFree),
		},
		{
			"the decision leaves out what the call is called", "agent/execute.go",
			"c.ID, c.Name, c.action.Title", "c.ID, c.Name, \"\"", property(signalFree),
		},
		{
			"an edit is in the file and not in the view", "internal/session/log.go",
			"			l.view = edit(l.view, l.presentEdits(f))", "			_ = l.presentEdits(f)", property(sameBytes),
		},
		{
			"the system prompt changes from step to step", "agent/compact.go",
			"req.System = t.System()", "req.System = t.System() + string(rune('a'+len(req.Messages)%20))", property(sameBytes),
		},
		{
			"only the newest answer keeps its thinking", "llm/mend.go",
			"		m.round(messages[:n])", "		if n < len(messages) && messages[0].Role == Assistant {\n			m.To.Provider += \"-\"\n		}\n		m.round(messages[:n])\n		m.To.Provider = strings.TrimRight(m.To.Provider, \"-\")",
			property(sameBytes),
		},
		{
			"decisions are not recorded", "agent/execute.go",
			"return decided, t.record(decided)", "return decided, nil", property(permitted),
		},
		{
			"a call that was refused runs", "agent/execute.go",
			"	if !decided.Allow {", "	if false {", property(permitted),
		},
		{
			"what the person changed is not judged again", "agent/execute.go",
			"!within(c.action.Effects, approved)", "!within(c.action.Effects, append(approved, c.action.Effects...))", property(permitted),
		},
		{
			"a fact's time is not the one in the file", "internal/session/log.go",
			".Truncate(time.Millisecond)", ".Truncate(time.Nanosecond)", property(replayed),
		},
		{
			"an edit is shown and not kept", "agent/compact.go",
			"			if err := t.record(e); err != nil {\n				return err\n			}", "			t.show(event.Record{Head: t.head, Event: e})", property(replayed),
		},
	}
}

// TestPlantedFaults plants one fault at a time and wants the property that is
// to find it to fail. The faulty file lies over the real one for the build
// only.
func TestPlantedFaults(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	for _, f := range plantedFaults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			overlay := f.plant(t, root)
			if testing.Short() || raceDetector {
				t.Skip("it could be planted; a full run without the race detector tries whether it is found")
			}
			binary := filepath.Join(t.TempDir(), "faulty.test")
			build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./agent")
			build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("the fault does not build: %v\n%s", err, out)
			}
			name, _, _ := strings.Cut(f.run, "/")
			run := exec.CommandContext(ctx, binary, "-test.run=^"+name+"$", "-test.short", "-test.timeout=30s")
			run.Dir, run.Env = filepath.Join(root, "agent"), append(os.Environ(), "MINICODE_CASES=30")
			out, err := run.CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err != nil && !errors.As(err, &exit):
				t.Fatalf("the tests do not run: %v\n%s", err, out)
			case !strings.Contains(string(out), "--- FAIL: "+f.run+" "):
				t.Errorf("%s does not find it: %v\n%s", f.run, err, short(out))
			default:
				t.Logf("found by %s", f.run)
			}
		})
	}
}

// plant writes the faulty file and the overlay that puts it over the real one.
func (f planted) plant(t *testing.T, root string) (overlay string) {
	t.Helper()
	real := filepath.Join(root, filepath.FromSlash(f.file))
	source, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), f.old); n != 1 {
		t.Fatalf("%s holds %d times what the fault is to replace; make the fault fit the code again:\n%s", f.file, n, f.old)
	}
	dir := t.TempDir()
	faulty := filepath.Join(dir, "faulty.go")
	if err := os.WriteFile(faulty, []byte(strings.Replace(string(source), f.old, f.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {real: faulty}})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
