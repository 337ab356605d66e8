//go:build linux || darwin

package main

import (
	"fmt"
	"strings"
	"testing"
)

// grown is a conversation of four prompts that takes most of the window of
// grownSettings, and the answers that come after it.
func grown(answers string) string {
	var b strings.Builder
	for i, usage := range []int{3000, 5000, 7000, 12_300} {
		fmt.Fprintf(&b, "call run_command {\"command\":\"seq -f '%%04.0f of output %d' 150\"}\nusage in=%d out=5\n\nsay Answer %d.\nusage in=%d out=5\n\n", i, 2000+2000*i, i, usage)
	}
	return b.String() + answers
}

const grownSettings = `{"models": {"anthropic/claude-sonnet-4-5": {"context": 16000, "maxOutput": 2000}},
 "context": {"clearAt": 0, "snipAt": 0, "collapseAt": 0, "tailTokens": 1}}`

// sitGrown is a person at the end of that conversation.
func (w *world) sitGrown() *person {
	w.t.Helper()
	w.write("small.json", grownSettings)
	p := w.sit("--settings", "small.json", "--permission-mode", "full-access", "prompt 0")
	for i := range 4 {
		if i > 0 {
			p.types(fmt.Sprintf("prompt %d\r", i))
		}
		p.sees(fmt.Sprintf(`Answer %d\.`, i))
		p.sees(atRest)
	}
	return p
}

// What is typed while the conversation is summarized goes in when the step
// after it is over, once and in order.
func TestField_L08(t *testing.T) {
	w := newWorld(t, grown(`
refuse the docs
stall 500ms
say <summary>the story</summary>
usage in=9000 out=10

expect-re (?s)the story.*"text":"go on"
refuse the docs
call list_files {}
usage in=5000 out=10

expect-re (?s)tool_result.*"text":"and the docs".*"text":"then the changelog"
say All done.
usage in=5200 out=10

expect-new later
say Later.
usage in=5300 out=10
`))
	p := w.sitGrown()
	p.types("go on\r")
	w.asked(9) // the summary
	p.types("and the docs\r")
	p.sees(`queued \(1\), goes in after the running step: and the docs`)
	p.types("then the changelog\r")
	p.sees(`queued \(2\), goes in after the running step: then the changelog`)
	p.sees(`(?m)^context: summarize, from [\d.k]+ to \d+ tokens$`)
	p.sees(`> and the docs\n> then the changelog\n\s*All done\.`)
	p.sees(atRest)
	p.types("later\r")
	p.sees(`Later\.`)
	p.sees(atRest)
	p.exits()
	for _, text := range []string{"and the docs", "then the changelog"} {
		if n := strings.Count(w.request(12), `"text":"`+text+`"`); n != 1 {
			t.Errorf("%q was sent %d times:\n%s", text, n, w.request(12))
		}
	}
}

// What is typed while a summary is made by hand is sent after it.
func TestField_L08_ByHand(t *testing.T) {
	w := newWorld(t, grown(`
refuse the docs
stall 500ms
say <summary>the story</summary>
usage in=9000 out=10

expect-re (?s)the story.*"text":"and the docs"
say Documented.
usage in=5000 out=10
`))
	p := w.sitGrown()
	p.types("/compact\r")
	w.asked(9)
	p.types("and the docs\r")
	p.sees(`Context compressed: \d+ messages summarized\. \d+% reduction`)
	if text := p.sees(`(?s)\n.*Documented\.`); strings.Contains(text, "summarize") {
		t.Errorf("what was done is told again:\n%s", text)
	}
	p.sees(atRest)
	p.exits()
}

// Ctrl+C stops a summary that is made by hand, and one that is made by itself
// with the turn that it is for; what was said stays.
func TestLineInterruptsASummary(t *testing.T) {
	w := newWorld(t, grown(`
hang

hang

say <summary>the story</summary>
usage in=9000 out=10

expect-re (?s)the story.*"text":"go on".*"text":"well\?"
say Well.
usage in=5000 out=10
`))
	p := w.sitGrown()
	p.types("/compact\r")
	w.asked(9)
	p.types("\x03")
	p.sees(`(?m)^stopped$`)
	p.sees(atRest)
	p.types("go on\r")
	w.asked(10)
	p.interrupts()
	if strings.Contains(w.facts(), `"stage":"summarize"`) {
		t.Errorf("something is recorded of a summary that was stopped:\n%s", w.facts())
	}
	p.types("/mode\r") // so that the next press is not the second of two
	p.sees(`mode: full-access`)
	p.sees(atRest)
	p.types("well?\r")
	p.sees(`(?m)^context: summarize, from [\d.k]+ to \d+ tokens$`)
	p.sees(`Well\.`)
	p.sees(atRest)
	p.exits()
}
