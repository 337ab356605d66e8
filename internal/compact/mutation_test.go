package compact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// planted is a fault that a test must find: a piece of a file and what stands
// in its place. All of them are in one binary, and one at a time is switched
// on: in what stands in the place, "on" says whether it is, and pick(on, a, b)
// is a if it is and b if not; another() is never the same.
type planted struct {
	name     string
	file     string // below the module's root
	old, new string
	found    string // the property or the test that must fail; more of them after a " + "
}

func plantedFaults() []planted {
	const (
		clear = "internal/compact/clear.go"
		snip  = "internal/compact/snip.go"
		cut   = "internal/compact/cut.go"
		round = "internal/compact/rounds.go"
	)
	return slices.Concat(inDigests(), inResults(), inPipeline(), []planted{
		{"the third newest result is cleared", clear, "recent > clearRecent", "recent > pick(on, 2, clearRecent)", "only old results are cleared"},
		{"the second newest round is cleared", clear, "answers >= clearRounds", "answers >= pick(on, 1, clearRounds)", "only old results are cleared"},
		{"what cannot be had again is cleared", clear, "!result.Meta.Again ||", "!result.Meta.Again && !on ||", "only old results are cleared"},
		{"a cleared result forgets that it failed", clear, "m.ID, m.Parts = ", "r.Error = r.Error && !on\n	m.ID, m.Parts = ", "only old results are cleared"},
		{"little is cleared", clear, "v.Why == event.Threshold {", "v.Why == event.Threshold && !on {", "all old results are cleared"},
		{"one result is cleared at a time", clear, "return Work{Edits: edits}, nil", "return Work{Edits: edits[:pick(on, 1, len(edits))]}, nil", "all old results are cleared"},
		{"results are cleared newest first", clear, "slices.Reverse(edits)", "if !on {\n		slices.Reverse(edits)\n	}", "edits stand in order"},
		{"the view that was given is written to", clear, "m.ID, m.Parts", "if on {\n		old, _ := m.Result()\n		copy(old.Parts, llm.Parts{llm.Text{Text: cleared}})\n	}\n	m.ID, m.Parts", "nothing done changes nothing"},
		{"small results grow", clear, "size.of(m) > stub {", "size.of(m) > stub-pick(on, 100, 0) {", "TestClearPassesOverSmallResults"},

		{"a newest message is cut", snip, "len(messages)-snipRecent {", "len(messages)-pick(on, 11, snipRecent) {", "the newest messages stay"},
		{"what stands before a write is cut", snip, "j := i - 1; j >= 0;", "j := i - 1; j >= pick(on, i, 0);", "what is protected stays"},
		{"what stands after a failure is cut", snip, "j := i + 1; j < len(all);", "j := i + 1; j < pick(on, i, len(all));", "what is protected stays"},
		{"a note shields what stands before a failure", snip, "j-- {\n			if kept[j] = true; messages", "j-- {\n			if kept[j] = true; on || messages", "what is protected stays"},
		{"open rounds are cut", snip, "if r.open ||", "if r.open && !on ||", "open rounds stay"},
		{"summaries are cut", snip, "first.Kind == llm.Summary ||", "first.Kind == llm.Summary && !on ||", "earlier cuts stay"},
		{"more is cut than needed", snip, "m.tokens >= need &&", "m.tokens >= pick(on, 3, 1)*need &&", "no more is cut than needed"},
		{"a cut ends at a prompt", snip, "messages[m.to-1].Kind != llm.Prompt {", "(on || messages[m.to-1].Kind != llm.Prompt) {", "TestSnipChoice"},
		{"a snip follows a snip", snip, "n < snipSteps", "n < pick(on, 0, snipSteps)", "there is nothing to do twice"},
		{"small snips", snip, "edits) < snipTokens", "edits) < pick(on, 300, snipTokens)", "it gets smaller"},
		{"short snips", snip, "if m.messages >= snipMessages", "if m.messages >= pick(on, 2, snipMessages)", "one run is cut"},
		{"a cut ends inside a round", snip, "m.from, m.to, note)", "m.from, m.to-pick(on, 1, 0), note)", "pairs stay whole"},
		{"the note is an answer", snip, "llm.NewText(llm.User, llm.Snipped,", "llm.NewText(pick(on, llm.Assistant, llm.User), llm.Snipped,", "thinking stays with its calls"},
		{"the note is never the same", snip, "llm.Snipped, snipNote)", "llm.Snipped, snipNote+pick(on, another(), \"\"))", "the same view gives the same edits"},

		{"the note stands before the prompts", cut, "if end+1 == to {", "if pick(on, i == from, end+1 == to) {", "one run is cut"},
		{"prompts are cut", cut, "if messages[i].Kind == llm.Prompt {", "if messages[i].Kind == llm.Prompt && (!on || i%2 == 0) {", "prompts stay"},
		{"prompts are cut with what stands before them", cut, "end+1 < to && messages", "end+1 < to && on || end+1 < to && messages", "the first prompt stays"},
		{"long prompts stay whole", cut, "return abridge(size, messages[i])", "short, ok := abridge(size, messages[i])\n	return short, ok && !on", "long prompts in the run are shortened"},
		{"the newest prompt is shortened", cut, "if messages[j].Kind == llm.Prompt {", "if on || messages[j].Kind == llm.Prompt {", "the newest prompt stays"},
		{"short prompts are shortened", cut, "if tokens <= longPrompt", "if tokens <= pick(on, 20, longPrompt)", "prompts stay"},
		{"pictures go with the text", cut, "withText(m.Parts,", "withText(m.Parts[:pick(on, 0, len(m.Parts))],", "TestLongPromptsInACut"},
		{"the length is guessed once", cut, "chars; tokens > longPrompt;", "chars; tokens > longPrompt && !(on && short.Parts != nil);", "TestLongPromptsInACut"},

		{"stray results can go", round, "!ok || !calls(parts, res.Call)", "!ok || !on && !calls(parts, res.Call)", "open rounds stay"},
		{"calls without results can go", round, "r.open || waiting > 0", "r.open || !on && waiting > 0", "open rounds stay"},
		{"failures are forgotten", round, "r.failed || res.Error", "r.failed || !on && res.Error", "what is protected stays"},
		{"writes are forgotten", round, "len(res.Meta.Wrote) > 0", "!on && len(res.Meta.Wrote) > 0", "what is protected stays"},
		{"a round has one result", round, "for messages[i].Role == llm.Assistant && ", "for messages[i].Role == llm.Assistant && !(on && r.to > i+1) && ", "TestReferenceSnip"},

		{"what an edit puts in stands before what is before it", "internal/session/view.go", "append(append(out, view[next:from]...), e.With...)", "append(append(append(out, e.With[:pick(on, len(e.With), 0)]...), view[next:from]...), e.With[pick(on, len(e.With), 0):]...)", "what is before the edits keeps its bytes"},
		{"only the newest answer keeps its thinking", "llm/mend.go", "		m.round(messages[:n])", "		if on && n < len(messages) && messages[0].Role == Assistant {\n			m.To.Provider += \"-\"\n		}\n		m.round(messages[:n])\n		m.To.Provider = strings.TrimRight(m.To.Provider, \"-\")", growing},
	})
}

// TestPlantedFaults wants each fault to be found. The faulty files lie over the
// real ones for the build only.
func TestPlantedFaults(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := plant(t, root)
	if testing.Short() {
		t.Skip("they could be planted; a full run tries whether they are found")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	binary := filepath.Join(t.TempDir(), "faulty.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./internal/compact")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the faults do not build: %v\n%s", err, out)
	}
	unproved := map[string]bool{}
	for _, p := range properties() {
		unproved[p.name] = p.name != replaying // that is about the log, whose own tests plant faults
	}
	for i, f := range plantedFaults() {
		for _, found := range strings.Split(f.found, " + ") {
			unproved[found] = false
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, found := range strings.Split(f.found, " + ") {
				looksFor(ctx, t, binary, i, found)
			}
		})
	}
	for name, is := range unproved {
		if is {
			t.Errorf("no fault shows that %q can fail", name)
		}
	}
}

// looksFor runs the binary with that fault and wants the property or the test
// to fail.
func looksFor(ctx context.Context, t *testing.T, binary string, fault int, found string) {
	t.Helper()
	test, want := found, "--- FAIL: "+found+" "
	if !strings.HasPrefix(test, "Test") {
		test, want = "TestProperties", "--- FAIL: TestProperties/"+strings.ReplaceAll(found, " ", "_")+" "
	}
	run := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$", "-test.timeout=60s")
	run.Env = append(os.Environ(), "MINICODE_PROPERTY="+found, fmt.Sprint("MINICODE_FAULT=", fault))
	started := time.Now()
	out, err := run.CombinedOutput()
	t.Logf("looked for %v", time.Since(started))
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Fatalf("the tests do not run: %v\n%s", err, out)
	case !strings.Contains(string(out), want):
		t.Errorf("%s does not find it: %v\n%s", found, err, out)
	}
}

// plant writes the faulty files and the overlay that puts them over the real
// ones.
func plant(t *testing.T, root string) (overlay string) {
	t.Helper()
	dir := t.TempDir()
	replace, sources := map[string]string{}, map[string]string{}
	write := func(real, text string) {
		faulty := filepath.Join(dir, strings.ReplaceAll(real, "/", "-"))
		replace[filepath.Join(root, filepath.FromSlash(real))] = faulty
		if err := os.WriteFile(faulty, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range plantedFaults() {
		if sources[f.file] == "" {
			source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.file)))
			if err != nil {
				t.Fatal(err)
			}
			sources[f.file] = string(source)
			name := path.Base(path.Dir(f.file))
			write(path.Join(path.Dir(f.file), "fault.go"), "package "+name+"\n\nimport (\n	\"fmt\"\n	\"os\"\n)\n\nvar fault = os.Getenv(\"MINICODE_FAULT\")\n\n"+
				"func pick[T any](on bool, a, b T) T {\n	if on {\n		return a\n	}\n	return b\n}\n\n"+
				"func another() string { return fmt.Sprintf(\"%p\", new(int)) }\n")
		}
		if n := strings.Count(sources[f.file], f.old); n != 1 {
			t.Fatalf("%s: %s holds %d times what the fault is to replace; make the fault fit the code again:\n%s", f.name, f.file, n, f.old)
		}
		words := strings.NewReplacer("(on ", fmt.Sprintf("(fault == %q ", strconv.Itoa(i)), "(on,", fmt.Sprintf("(fault == %q,", strconv.Itoa(i)),
			"!on", fmt.Sprintf("(fault != %q)", strconv.Itoa(i)), " on ", fmt.Sprintf(" fault == %q ", strconv.Itoa(i)))
		sources[f.file] = strings.Replace(sources[f.file], f.old, words.Replace(f.new), 1)
	}
	for file, text := range sources {
		write(file, text)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
