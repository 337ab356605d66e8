//go:build linux || darwin

package main

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const waitsForGo = `{"command":"touch begun; while [ ! -e go ]; do sleep 0.01; done"}`

// What is typed while a turn runs is shown, and goes in after the batch, in
// order.
func TestLineQueue(t *testing.T) {
	w := newWorld(t, `
call run_command `+waitsForGo+`

expect-re (?s)EXIT: 0.*and the docs.*then the changelog
say Done.
`)
	p := w.sit("--permission-mode", "full-access", "fix it")
	w.made("begun")
	p.types("and the docs\r")
	p.sees(`queued \(1\), goes in after the running step: and the docs`)
	p.types("then the changelog\r")
	p.sees(`queued \(2\), goes in after the running step: then the changelog`)
	p.types("/status\r") // a command is not queued
	p.sees(`mode +full-access`)
	w.write("go", "")
	p.sees(`> and the docs\n> then the changelog\n\s*Done\.`)
	p.sees(atRest)
	p.exits()
}

// With a final answer and a queue the turn goes on.
func TestLineQueueAfterAnAnswer(t *testing.T) {
	w := newWorld(t, `
say I wait
stall 300ms
say  and end.

expect-new and the docs
say Documented.
`)
	p := w.sit("fix it")
	p.sees(`I wait`)
	p.types("and the docs, my key is key-for-tests\r") // which is recorded otherwise than it is queued
	p.sees(`Documented\.`)
	p.sees(atRest)
	p.exits()
	if n := strings.Count(w.facts(), `"type":"ended"`); n > 2 {
		t.Errorf("%d turns", n)
	}
}

// What was queued returns when the turn ends otherwise: it can be sent,
// added to, or dropped.
func TestLineQueueReturns(t *testing.T) {
	w := newWorld(t, `
say Well
hang

expect-re (?s)the docs.*"text":"too"
say Documented.

say Well
hang

refuse forget me
say Forgotten.
`)
	p := w.sit("fix it")
	p.sees(`Well`)
	p.types("the docs\r")
	p.sees(`queued \(1\)`)
	p.interrupts()
	if !strings.Contains(p.shown(), "Not sent yet:\n  the docs\n") {
		t.Error("what was not sent is not shown")
	}
	p.types("too\r")
	p.sees(`Documented\.`)
	p.sees(atRest)
	p.types("go on\r")
	p.sees(`Well`)
	p.types("forget me\r")
	p.sees(`queued \(1\)`)
	p.interrupts()
	p.types("/mode\r") // so that the press is not the second of two
	p.sees(`mode: default`)
	p.sees(atRest)
	p.types("\x03")
	p.sees(`dropped`)
	p.sees(atRest)
	p.types("on\r")
	p.sees(`Forgotten\.`)
	p.sees(atRest)
	p.exits()
}

// A kill loses neither what was done nor what was queued, and the person sees
// where the conversation stood.
func TestLineKilled(t *testing.T) {
	w := newWorld(t, `
say Let me run it.
call run_command {"command":"touch begun; exec sleep 600"}

expect-re (?s)Interrupted while it ran: it may be done in part.*"text":"and the docs"
say Documented.
`)
	p := w.sit("--permission-mode", "full-access", "fix it")
	w.made("begun")
	p.types("and the docs\r")
	p.sees(`queued \(1\)`)
	p.signal(syscall.SIGKILL)
	<-p.exited
	w.endLeft() // nobody else does

	again := w.sit("--continue")
	again.sees(`Resumed session [0-9a-f-]{36}`)
	again.sees(`(?m)^> fix it\nLet me run it\.\n● Run touch begun; exec sleep 600\n  interrupted: while it ran`)
	again.sees(`The turn ended: crashed`)
	again.sees(`Not sent yet:\n  and the docs\n`)
	again.sees(atRest)
	again.types("\r")
	again.sees(`> and the docs\nDocumented\.`)
	again.sees(atRest)
	again.exits()
}

// Several lines that are pasted are one message, also without a last line
// end; so are lines that end in a backslash.
func TestLinePaste(t *testing.T) {
	w := newWorld(t, `
expect-re "one\\ntwo\\nthree and four"
say First.

expect-re "five\\nsix"
say Second.
`)
	p := w.sit()
	p.sees(atRest)
	p.types("one\rtwo\rthree")
	p.sees(`three`)
	p.types(" and four\r")
	p.sees(`First\.`)
	p.sees(atRest)
	p.types("five\\\r")
	p.sees(`five`)
	p.types("six\r")
	p.sees(`Second\.`)
	p.sees(atRest)
	p.exits()
}

// A line that the terminal has cut is not sent as if it were whole.
func TestLineTooLong(t *testing.T) {
	w := newWorld(t, "")
	p := w.sit()
	p.sees(atRest)
	p.types(strings.Repeat("x", 5000) + "\r")
	p.sees(`the terminal cuts lines at 4095 bytes`)
	p.sees(atRest)
	p.exits()
}

// A command that takes its time is seen to run, with what it prints.
func TestLineWhatRuns(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"echo compiling; touch begun; while [ ! -e go ]; do sleep 0.01; done; echo broken >&2; exit 2"}

say Done.
`)
	p := w.sit("--permission-mode", "full-access", "build")
	p.sees(`  … \ds, Run echo compiling; .*: compiling`)
	w.write("go", "")
	p.sees(`  error: exit 2, 2 lines\n    compiling\n    broken\n`)
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// With colours there is nothing on the terminal but colours.
func TestLineColours(t *testing.T) {
	w := newWorld(t, `
think Well.
call edit_file {"path":"a.txt","search":"a","replace":"b\u200b"}

say "\x1b[31mRed\x1b[0m."
`)
	w.write("a.txt", "a\n")
	cmd := exec.Command("minicode", "--line", "change it")
	cmd.Dir, cmd.Env = w.dir, append([]string{"TERM=xterm-256color"}, w.env...)
	p := w.sitAt(cmd)
	p.sees("\x1b\\[32m\\+b\x1b\\[7m<U\\+200B>\x1b\\[27m")
	p.sees(`Your choice: `)
	p.types("y\r")
	p.sees(regexp.QuoteMeta("[31mRed[0m."))
	p.sees(atRest)
	p.exits()
}

// A question of the model is answered by number, a plan is approved.
func TestLineQuestionsAndPlans(t *testing.T) {
	w := newWorld(t, `
call ask_user {"question":"Which colour?","options":["red","blue"]}

expect-new blue
call propose_plan {"plan":"1. Paint it blue."}

expect-new paint twice
call propose_plan {"plan":"1. Paint it twice."}

expect-new The plan is approved
call write_file {"path":"a.txt","content":"blue\n"}

say Painted.
`)
	p := w.sit("--permission-mode", "plan", "paint it")
	p.sees(`Which colour\?\n\n1\. red\n2\. blue\n`)
	p.sees(`Type the number of an option, or another answer\.\n\n> $`)
	p.types("2\r")
	p.sees(`Paint it blue\.\n`)
	p.sees(`Type the number, or what the plan should do differently\.`)
	p.sees(atRest)
	p.types("3\r")
	p.sees(`say in words what the plan should do differently`)
	p.sees(atRest)
	p.types("paint twice\r")
	p.sees(`Paint it twice\.\n`)
	p.sees(atRest)
	p.types("1\r")
	p.sees(`● Create a\.txt\n  ok: \+1 −0`)
	p.sees(`Painted\.`)
	p.sees(atRest)
	p.exits()
}
