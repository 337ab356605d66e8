//go:build linux || darwin

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLineInterruptWhileStreaming(t *testing.T) {
	w := newWorld(t, `
say The beginning of an answer that
hang

expect The beginning of an answer that
expect-new go on
say And its end.
`)
	p := w.sit()
	p.sees(atRest)
	p.types("tell me\r")
	p.sees(`The beginning of an answer that`)
	p.interrupts()
	p.types("go on\r")
	p.sees(`And its end\.`)
	p.sees(atRest)
	p.exits()
}

func TestLineInterruptWhileThinking(t *testing.T) {
	w := newWorld(t, `
think Let me see.
hang

expect-new go on
say Done.
`)
	p := w.sit("tell me")
	p.sees(`thinking …`)
	p.interrupts()
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

func TestLineInterruptACommandThatIgnoresTERM(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"trap '' TERM INT HUP; sleep 600 & touch begun; while :; do sleep 0.05; done"}

expect-new Interrupted by the user while it ran
expect-new go on
say Done.
`)
	p := w.sit("--permission-mode", "full-access", "run it")
	w.made("begun")
	p.interrupts()
	p.until("the command's processes are gone", func() bool { return len(p.left()) == 1 }, func() string { return strings.Join(p.left(), "\n") })
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// A command of the person's own is stopped with all that it started, and what
// it did before is told.
func TestLineInterruptACommandOfThePerson(t *testing.T) {
	w := newWorld(t, `
expect-new trap '' TERM INT HUP; sleep 600 & touch begun
expect-new go on
say Done.
`)
	p := w.sit()
	p.sees(atRest)
	p.types("!trap '' TERM INT HUP; sleep 600 & touch begun; while :; do sleep 0.05; done\r")
	w.made("begun")
	p.types("\x03")
	p.sees(`stopped`)
	p.sees(atRest)
	p.until("the command's processes are gone", func() bool { return len(p.left()) == 1 }, func() string { return strings.Join(p.left(), "\n") })
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// Its questions are answered like those of a turn, and interrupted.
func TestLineApprovalOfACommandOfThePerson(t *testing.T) {
	w := newWorld(t, "")
	p := w.sit()
	for i, answer := range []string{"n", "\x03", "y"} {
		p.sees(atRest)
		p.types("/cmd mkdir -p .git/hooks && echo x > .git/hooks/pre-push\r")
		p.sees(`\[n\] +No`)
		p.sees(`Your choice: `)
		if w.has(".git/hooks/pre-push") {
			t.Fatalf("it ran before the answer %d", i+1)
		}
		if answer != "\x03" {
			answer += "\r"
		}
		p.types(answer)
		if i == 0 {
			p.sees(`not allowed: the user said no`)
		}
		if i == 1 {
			p.sees(`stopped`)
		}
	}
	w.made(".git/hooks/pre-push")
	p.sees(atRest)
	p.exits()
}

func TestLineInterruptAnApproval(t *testing.T) {
	w := newWorld(t, `
call write_file {"path":"a.txt","content":"a\n"}
call write_file {"path":"b.txt","content":"b\n"}

expect-new Interrupted by the user before it ran: nothing was done.
expect-new go on
say Done.
`)
	p := w.sit("write them")
	p.sees(`Your choice: `)
	p.interrupts()
	p.types("y\r") // too late for the question: it is a prompt
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	if w.has("a.txt") || w.has("b.txt") {
		t.Error("a file was written without an approval")
	}
	p.exits()
}

func TestLineInterruptBetweenSteps(t *testing.T) {
	w := newWorld(t, `
call list_files {}

hang

expect-new go on
say Done.
`)
	p := w.sit("look")
	p.sees(`ok: `)
	w.asked(2)
	p.interrupts()
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

func TestLineInterruptTheWaitForARetry(t *testing.T) {
	w := newWorld(t, `
fail 529 retry-after=60

expect-new go on
say Done.
`)
	p := w.sit("hi")
	p.sees(`attempt 1 of 10 failed: `)
	p.sees(`trying again in 1m0s \(Ctrl\+C stops\)`)
	p.sees(`trying again in 59s`) // it counts
	p.interrupts()
	p.types("go on\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// A second Ctrl+C leaves, even when nothing can be shown any more.
func TestLineSecondInterruptLeavesAStuckTurn(t *testing.T) {
	w := newWorld(t, "say <<END\n"+strings.Repeat(strings.Repeat("all work and no play ", 10)+"\n", 8000)+"END\n")
	p := w.sit()
	p.sees(atRest)
	p.reading.Lock() // the terminal takes nothing from here on
	p.types("flood\r")
	w.asked(1)
	defer p.reading.Unlock()
	for late := time.After(comes); ; {
		_ = p.cmd.Process.Signal(syscall.SIGINT) // it may have ended
		select {
		case <-time.After(50 * time.Millisecond):
		case <-p.exited:
			if code := p.cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(w.facts(), `"reason":"interrupted"`) {
				t.Error("the session is not closed")
			}
			return
		case <-late:
			t.Fatal("it still runs")
		}
	}
}

func TestLineTwiceAtThePromptLeaves(t *testing.T) {
	w := newWorld(t, "")
	p := w.sit()
	p.sees(atRest)
	p.types("\x03")
	p.sees(`Ctrl\+C again leaves`)
	p.sees(atRest)
	p.types("\x03")
	p.leaves(130)
}

// The press that ended a turn is the first of two.
func TestLineTwiceInATurnLeaves(t *testing.T) {
	w := newWorld(t, "say Wait\nhang\n")
	p := w.sit("hi")
	p.sees("Wait")
	p.types("\x03")
	p.sees("interrupted")
	p.types("\x03")
	p.leaves(130)
	if !strings.Contains(w.facts(), `"reason":"interrupted"`) {
		t.Error("the turn's end is not recorded")
	}
}

func TestLineSignals(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int
	}{{"TERM", syscall.SIGTERM, 143}, {"HUP", syscall.SIGHUP, 129}} {
		t.Run(c.name+" at rest", func(t *testing.T) {
			p := newWorld(t, "").sit()
			p.sees(atRest)
			p.signal(c.signal)
			p.leaves(c.code)
		})
		t.Run(c.name+" in a turn", func(t *testing.T) {
			w := newWorld(t, `call run_command {"command":"trap '' TERM; touch begun; while :; do sleep 0.05; done"}`)
			p := w.sit("--permission-mode", "full-access", "run it")
			w.made("begun")
			p.signal(c.signal)
			p.leaves(c.code)
			if facts := w.facts(); !strings.Contains(facts, `"reason":"interrupted"`) || !strings.Contains(facts, "Interrupted while it ran") {
				t.Errorf("the session is not closed:\n%s", facts)
			}
		})
		t.Run(c.name+" under a question", func(t *testing.T) {
			w := newWorld(t, `call write_file {"path":"a.txt","content":"a\n"}`)
			p := w.sit("write it")
			p.sees(`Your choice: `)
			p.signal(c.signal)
			p.leaves(c.code)
			if !strings.Contains(w.facts(), `"reason":"interrupted"`) || w.has("a.txt") {
				t.Error("the session is not closed, or the file was written")
			}
		})
	}
}

// A terminal that is closed ends the program, its commands and the session.
func TestLineTheTerminalGoesAway(t *testing.T) {
	w := newWorld(t, `call run_command {"command":"trap '' HUP TERM; touch begun; while :; do sleep 0.05; done"}`)
	p := w.sit("--permission-mode", "full-access", "run it")
	w.made("begun")
	if err := p.tty.Close(); err != nil {
		t.Fatal(err)
	}
	p.leaves(129)
	if !strings.Contains(w.facts(), `"reason":"interrupted"`) {
		t.Error("the session is not closed")
	}
}

func TestLineEndOfInput(t *testing.T) {
	t.Run("at rest", func(t *testing.T) {
		w := newWorld(t, `
call run_command {"command":"sleep 600","background":true}

say It runs.
`)
		p := w.sit("--permission-mode", "full-access", "start it")
		p.sees(`ok: in the background as task_1`)
		p.sees(atRest)
		p.types("\x04")
		p.sees(`ended with the session: background task task_1 \(sleep 600\)`)
		p.leaves(0)
	})
	t.Run("under a question", func(t *testing.T) {
		w := newWorld(t, `call write_file {"path":"a.txt","content":"a\n"}`)
		p := w.sit("write it")
		p.sees(`Your choice: `)
		p.types("\x04")
		p.leaves(0)
		if w.has("a.txt") {
			t.Error("the file was written")
		}
	})
}

// L07: what runs in the background goes on after a Ctrl+C.
func TestLineInterruptSparesTheBackground(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"touch begun; sleep 600","background":true}

say It runs. And now
hang
`)
	p := w.sit("--permission-mode", "full-access", "start it")
	p.sees(`And now`)
	w.made("begun")
	p.interrupts()
	p.types("/mode\r")
	p.sees(`mode: full-access`)
	p.sees(atRest)
	p.types("half a thou")
	p.sees(`half a thou`)
	p.types("\x03")
	p.sees(atRest)
	p.types("/status\r")
	p.sees(`running +task_1 touch begun; sleep 600`)
	p.sees(atRest)
	p.exits()
}

// Leaving while a turn runs ends the turn first, and closes the session.
func TestLineExitInATurn(t *testing.T) {
	w := newWorld(t, `call run_command {"command":"trap '' TERM; touch begun; while :; do sleep 0.05; done"}`)
	p := w.sit("--permission-mode", "full-access", "run it")
	w.made("begun")
	p.types("/exit\r")
	p.leaves(0)
	if facts := w.facts(); !strings.Contains(facts, `"reason":"interrupted"`) || !strings.Contains(facts, "Interrupted by the user while it ran") {
		t.Errorf("the session is not closed:\n%s", facts)
	}
}

// H01: programs that want a terminal get none, and leave ours as it was.
func TestLineProgramsThatWantATerminal(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"vi a.txt; less a.txt; cat; read x < /dev/tty; stty raw -echo < /dev/tty; echo over"}

expect-new over
call run_command {"command":"git init -q . && git add a.txt && git commit"}

say Done.
`)
	w.write("a.txt", strings.Repeat("line\n", 500))
	p := w.sit("--permission-mode", "full-access", "run them")
	before := p.mode()
	p.sees(`Done\.`)
	p.sees(atRest)
	if after := p.mode(); after != before {
		t.Errorf("the terminal's mode was %+v and is %+v", before, after)
	}
	if left := p.left(); len(left) != 1 {
		t.Errorf("still there: %q", left)
	}
	p.exits()
}
