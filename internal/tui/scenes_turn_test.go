//go:build linux || darwin

package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

const asks1 = "Why does TestSplit fail?"

// turnScenes is the stations of a turn.
func turnScenes() []scene {
	answer := "The test fails because integer division drops the remainder.\n\n## What happens\n\n`Split(1000, 3)` gives every person **333** cents, and one cent is lost:\n\n" +
		"```go\nfor i := range shares {\n\tshares[i] = cents / people\n}\n```\n\n1. The remainder is `cents % people`.\n2. So many people must pay one cent mo"
	return []scene{
		{name: "start", reach: shows(`\? keys|default`)},
		{name: "waiting", script: "hang\n", prompt: asks1, reach: func(w *world, s *screentest.Screen) {
			s.WaitText(`waiting for the model`)
			w.asked(s, 1)
		}},
		{name: "thinking", prompt: asks1, script: "think " + jsonText("The test compares the shares with what they should be. Let me look at how the remainder of the division is handled, "+
			"because 1000 cents among 3 people cannot be equal.\nThen I look at the test itself.") + "\nhang\n", reach: shows(`test itself\.`)},
		{name: "streaming", prompt: asks1, script: "think The test first.\nsay " + jsonText(answer) + "\nhang\n", reach: shows(`one cent mo`)},
		{name: "queue", prompt: asks1, script: waits + "\n*\n", env: []string{"MODE=full-access"}, reach: func(w *world, s *screentest.Screen) {
			s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
			says(s, "and add a case with more people than cents")
			s.WaitText(`↳ and`)
			says(s, "then explain in the README how the shares are rounded, with an example that shows who pays the cent that is left")
			s.WaitText(`↳ then`)
			s.Type("one mor")
			s.WaitText(`one mor`)
			measured(s)
		}},
		{name: "retry", prompt: asks1, script: "fail 529 retry-after-ms=90000\n*\n", reach: shows(`trying again in`)},
		{
			name: "error", prompt: asks1, script: "call read_file {\"path\":\"split.go\"}\n\nfail 400 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits.\"}}\n",
			files: project(), reach: over, settled: true,
		},
		{name: "interrupted", prompt: asks1, script: "say I run the tests.\n" + waits + "\n", env: []string{"MODE=full-access"}, settled: true, reach: func(w *world, s *screentest.Screen) {
			s.WaitFor(func(*screentest.Screen) bool { return w.has("begun") })
			s.Press("esc")
			s.WaitText(`The turn ended`)
		}},
		{name: "answer", prompt: asks1, script: "think The test first.\nsay I look at the code and its test.\ncall read_file {\"path\":\"split.go\"}\ncall read_file {\"path\":\"split_test.go\"}\nusage in=9000 out=200\n\nsay " +
			jsonText(answer+"re.\n\nShall I repair it?") + "\nusage in=12000 out=400\n", files: project(), reach: over, settled: true},
		compaction("compacting", "hang\n*\n", func(w *world, s *screentest.Screen) {
			w.asked(s, talks+1)
			s.WaitText(`(?m)/compact$`)
		}),
		compaction("compacted", "say "+jsonText("<summary>The remainder of the division is dropped.</summary>")+"\n", func(_ *world, s *screentest.Screen) {
			s.WaitText(`(?i)compressed:`)
			rest(s)
		}),
		{name: "resume", prompt: "Look at everything", script: longScript(), files: project(), reach: over, again: true},
	}
}

// talks is how many turns are enough for a summary.
const talks = 5

// compaction is a conversation that a summary is asked for.
func compaction(name, script string, reach func(*world, *screentest.Screen)) scene {
	answers := strings.Repeat("say "+jsonText("The remainder. "+strings.Repeat("And so on, with many words that a summary does not need. ", 12))+"\n\n", talks)
	return scene{
		name: name, prompt: asks1, script: answers + script, settings: `{"context":{"tailTokens":1}}`,
		reach: func(w *world, s *screentest.Screen) {
			for i := range talks {
				if i > 0 {
					says(s, "And then?")
				}
				turnsOver(w, s, i+1)
			}
			says(s, "/compact")
			reach(w, s)
		},
	}
}

// longScript is a turn that is longer than what is shown of it when it is gone
// on with.
func longScript() string {
	var b strings.Builder
	for i := range 22 {
		fmt.Fprintf(&b, "say Step %d of the tour.\n", i+1)
		for j := range 5 {
			fmt.Fprintf(&b, "call glob_files {\"pattern\":\"step-%d-%d-*.md\"}\n", i+1, j+1)
		}
		b.WriteString("\n")
	}
	return b.String() + "say " + jsonText("That was all. **Twenty-two** steps, each with its files.") + "\n"
}

// cardScenes is the states of tool calls.
func cardScenes() []scene {
	command := func(text string) string { return "call run_command " + jsonObject("command", text) + "\n" }
	return []scene{
		{
			name: "card-running", prompt: asks1, env: []string{"MODE=full-access"}, script: "say I run the tests.\n" +
				command("printf '=== RUN   TestSplit\\n=== RUN   TestSplit/900\\n=== RUN   TestSplit/1000\\n    split_test.go:18: want 334\\n'; touch begun; sleep 600") + "*\n",
			reach: func(_ *world, s *screentest.Screen) { s.WaitText(`want 334`); measured(s) },
		},
		{name: "card-ok", prompt: asks1, env: []string{"MODE=full-access"}, files: project(), settled: true, reach: over, script: `
say I look at the code first.
call list_files {}
call glob_files {"pattern":"**/*.go"}
call grep_files {"pattern":"func Split"}
call read_file {"path":"split.go"}

say Now the repair.
call edit_file {"path":"split.go","search":"\t\tshares[i] = cents / people\n","replace":"\t\tshares[i] = cents / people\n\t\tif i < cents%people {\n\t\t\tshares[i]++\n\t\t}\n"}
call run_command {"command":"echo ok; echo all is well"}
call todo_write {"items":[{"text":"Find the fault","status":"completed"},{"text":"Repair it","status":"completed"},{"text":"Run the tests","status":"completed"}]}

say Done.
`},
		{name: "card-error", prompt: asks1, env: []string{"MODE=full-access"}, files: project(), settled: true, reach: over, script: `
call read_file {"path":"splitt.go"}
call edit_file {"path":"split.go","search":"shares[j] = cents / people","replace":"x"}
call run_command {"command":"echo '--- FAIL: TestSplit (0.00s)'; echo '    split_test.go:18: Split(1000, 3) = [333 333 333], want [334 333 333]'; echo FAIL; exit 1"}

say None of this worked.
`},
		{name: "card-denied", prompt: asks1, files: map[string]string{"secret.txt": "secret\n"}, settings: `{"permissions":{"deny":["run_command(git push:*)","Read(secret.txt)"]}}`, settled: true, script: `
say I push it.
call run_command {"command":"git push --force origin main"}
call read_file {"path":"secret.txt"}
call write_file {"path":"a.txt","content":"a\n"}

say So be it.
`, reach: func(w *world, s *screentest.Screen) {
			opens(w, s)
			s.Press("g")
			s.Type("write it into notes.txt instead")
			s.Press("enter")
			s.WaitText(`So be it`)
			over(w, s)
		}},
		{name: "card-edits", prompt: asks1, env: []string{"MODE=full-access"}, files: project(), settled: true, reach: over, script: `
call edit_file {"path":"split.go","search":"cents / people","replace":"cents / people // a share"}
call edit_file {"path":"split.go","search":"return shares","replace":"return shares // all"}
call edit_file {"path":"split_test.go","search":"{900, 3, []int{300, 300, 300}},","replace":"{900, 3, []int{300, 300, 300}},\n\t\t{2, 3, []int{1, 1, 0}},"}
call write_file {"path":"notes.txt","content":"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"}

say Four edits.
`},
		{name: "parallel", prompt: asks1, env: []string{"MODE=full-access"}, files: project(), script: `
say I look at three things at once.
call read_file {"path":"split.go"}
call run_command {"command":"head -n 3 split.go; cat pipe"}
call run_command {"command":"cat README.md pipe"}
call run_command {"command":"cat pipe"}
*
`, before: func(w *world) {
			if err := syscall.Mkfifo(filepath.Join(w.root, "work", "pipe"), 0o600); err != nil {
				w.t.Fatal(err)
			}
		}, reach: func(_ *world, s *screentest.Screen) {
			s.WaitText(`(?s)● Read split.*package tab.*Splits a bill.*Run cat pipe`)
			measured(s)
		}},
	}
}
