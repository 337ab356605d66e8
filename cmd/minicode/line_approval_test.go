//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const theTool = "#!/bin/sh\necho \"$1\" >> ran.txt\necho \"done $1\"\n"

// toolRan is how often the tool was run with the word.
func (w *world) toolRan(word string) int {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "ran.txt"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return strings.Count(string(data), word+"\n")
}

// asks waits for the question about a call, and answers it.
func (p *person) asks(title, answer string) (question string) {
	p.t.Helper()
	p.sees(`Approval needed: ` + regexp.QuoteMeta(title) + `\n`)
	question = p.sees(`(?s).*?Your choice: `)
	p.types(answer + "\r")
	return question
}

// asked is how many questions were shown.
func (p *person) questions() int { return strings.Count(p.shown(), "Approval needed: ") }

func TestLineOnceIsOnce(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}

call run_command {"command":"./tool one"}

expect-new Not allowed: the user said no
say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	question := p.asks("Run ./tool one", "y")
	for _, want := range []string{"    ./tool one\n", " → exec ./tool one", "[y]     Yes, this once", "[n]     No\n", "[stop]"} {
		if !strings.Contains(question, want) {
			t.Errorf("the question does not show %q:\n%s", want, question)
		}
	}
	p.sees(`  ok: exit 0, 1 line`)
	p.asks("Run ./tool one", "n")
	p.sees(`  denied: the user said no`)
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if n := w.toolRan("one"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestLineForThisTurn(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}

call run_command {"command":"./tool one"}

say Twice.

call run_command {"command":"./tool one"}

say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	p.asks("Run ./tool one", "t")
	p.sees(`Twice\.`)
	p.sees(atRest)
	p.types("again\r")
	p.asks("Run ./tool one", "n")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if n := w.toolRan("one"); n != 2 {
		t.Errorf("it ran %d times", n)
	}
}

func TestLineAllEditsForThisTurn(t *testing.T) {
	w := newWorld(t, `
call write_file {"path":"a.txt","content":"a\n"}

call write_file {"path":"b.txt","content":"b\n"}

call run_command {"command":"./tool one"}

say Written.

call write_file {"path":"c.txt","content":"c\n"}

say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	question := p.asks("Create a.txt", "a")
	for _, want := range []string{"+++ b/a.txt", "    +a\n", " → write " + w.dir + "/a.txt", "[a]     Yes, all edits"} {
		if !strings.Contains(question, want) {
			t.Errorf("the question does not show %q:\n%s", want, question)
		}
	}
	p.sees(`  ok: \+1 −0\n.*b\.txt\n  ok: \+1 −0`)
	p.asks("Run ./tool one", "n") // commands are no edits
	p.sees(`Written\.`)
	p.sees(atRest)
	p.types("again\r")
	p.asks("Create c.txt", "n")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if !w.has("a.txt") || !w.has("b.txt") || w.has("c.txt") || w.toolRan("one") != 0 {
		t.Error("what was done is not what was allowed")
	}
}

func TestLineForThisSession(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}

say One.

call run_command {"command":"./tool one"}

say Two.

call run_command {"command":"./tool one"}

say Three.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	p.asks("Run ./tool one", "s")
	p.sees(`One\.`)
	p.sees(atRest)
	p.types("again\r")
	p.sees(`Two\.`)
	p.sees(atRest)
	p.types("/permissions\r")
	p.sees(`granted for this session`)
	p.sees(atRest)
	p.exits()
	if p.questions() != 1 || w.toolRan("one") != 2 {
		t.Errorf("%d questions, %d runs", p.questions(), w.toolRan("one"))
	}
	other := w.sit("once more")
	other.asks("Run ./tool one", "n")
	other.sees(`Three\.`)
	other.sees(atRest)
	other.exits()
}

func TestLineAlways(t *testing.T) {
	for _, c := range []struct{ key, place string }{
		{"p", ".local/state/minicode/projects/*/settings.json"},
		{"u", ".config/minicode/settings.json"},
	} {
		t.Run(c.key, func(t *testing.T) {
			w := newWorld(t, `
call run_command {"command":"./tool one"}

say One.

call run_command {"command":"./tool one"}

say Two.
`)
			w.write("tool", theTool)
			w.write("../home/.config/minicode/settings.json", "{\n  // mine\n  \"effort\": \"low\", // for speed\n}\n")
			p := w.sit("do it")
			p.sees(`Approval needed: Run ./tool one\n`)
			option := regexp.MustCompile(`\[` + c.key + `\] +.*: (.*)\n`).FindStringSubmatch(p.sees(`(?s).*?Your choice: `))
			if option == nil {
				t.Fatal("the rule is not shown")
			}
			p.types(c.key + "\r")
			p.sees(`One\.`)
			p.sees(atRest)
			p.exits()

			files, _ := filepath.Glob(filepath.Join(w.home, c.place))
			if len(files) != 1 {
				t.Fatalf("the rule is in none or several files: %v", files)
			}
			saved, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(saved), option[1]) {
				t.Errorf("the rule %s that was shown is not saved:\n%s", option[1], saved)
			}
			own, err := os.ReadFile(filepath.Join(w.home, ".config/minicode/settings.json"))
			if err != nil || !strings.Contains(string(own), "// mine") || !strings.Contains(string(own), "// for speed") {
				t.Errorf("the comments are gone: %v\n%s", err, own)
			}
			if c.key == "p" && strings.Contains(string(own), "tool") {
				t.Errorf("a rule for the project is in the person's own settings:\n%s", own)
			}

			again := w.sit("once more")
			again.sees(`Two\.`)
			again.sees(atRest)
			again.exits()
			if again.questions() != 0 || w.toolRan("one") != 2 {
				t.Errorf("%d questions, %d runs", again.questions(), w.toolRan("one"))
			}
		})
	}
}

func TestLineNo(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}

expect-new the user said no: use two instead
call run_command {"command":"./tool two"}

expect-new the user said no: or three
call run_command {"command":"./tool three"}

expect-new the user said never
call run_command {"command":"./tool three"}

expect-new denied by the rule
call run_command {"command":"./tool four"}
call run_command {"command":"./tool five"}

expect-new Interrupted by the user before it ran: nothing was done.
expect-new and now
say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	p.asks("Run ./tool one", "g use two instead")
	p.asks("Run ./tool two", "g")
	p.sees(`What should it do instead\? `)
	p.types("or three\r")
	question := p.asks("Run ./tool three", "never")
	if !strings.Contains(question, "[never] No, never: run_command(./tool three)") {
		t.Errorf("the rule is not shown:\n%s", question)
	}
	p.sees(`  denied: the user said never`)
	p.sees(`  denied: denied by the rule`) // without a question
	p.asks("Run ./tool four", "stop")
	p.sees(`The turn ended: stopped`)
	p.sees(atRest)
	saved, err := os.ReadFile(filepath.Join(w.home, ".config/minicode/settings.json"))
	if err != nil || !strings.Contains(string(saved), `"run_command(./tool three)"`) || !strings.Contains(string(saved), `"deny"`) {
		t.Errorf("the rule is not saved: %v\n%s", err, saved)
	}
	p.types("and now\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if w.has("ran.txt") || p.questions() != 4 {
		t.Errorf("something ran, or there were %d questions", p.questions())
	}
}

// What is no answer is none, and says so.
func TestLineWhatIsNoAnswer(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}

say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	for _, text := range []string{"maybe", "", "y please", "1", "yn"} {
		p.sees(`Your choice: `)
		p.types(text + "\r")
		if text != "" {
			p.sees(`Type `)
		}
	}
	p.sees(`Your choice: `)
	p.types("/status\r") // a command is run, and the question stays
	p.sees(`session +[0-9a-f-]{36}`)
	p.sees(`Your choice: `)
	p.types("YES\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if w.toolRan("one") != 1 {
		t.Errorf("it ran %d times", w.toolRan("one"))
	}
}

// T08: what was typed before the question stood there does not answer it, nor
// does a line that was begun before.
func TestLineTypedBeforeTheQuestion(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"while [ ! -e go ]; do sleep 0.01; done"}

expect-new EXIT: 0
expect-re "text":"y"
call run_command {"command":"./tool one"}

expect-new Not allowed: the user said no
expect-re "text":"why not"
say Done.
`)
	w.write("tool", theTool)
	p := w.sit("--allowed-tools", "run_command(while*),run_command([*),run_command(sleep*)", "do it")
	p.sees(`● Run while`)
	p.types("y\r")
	p.sees(`queued \(1\), goes in after the running step: y`)
	p.types("why no")
	p.sees(`why no`)
	w.write("go", "")
	p.sees(`Your choice: `)
	p.types("t\r")
	p.sees(`queued \(1\), goes in after the running step: why not`)
	p.sees(`Your choice: `)
	p.types("n\r")
	p.sees(`denied: the user said no`)
	p.sees(`> why not`)
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if w.has("ran.txt") {
		t.Error("it ran")
	}
}

// X30: each answer binds to the call that is shown.
func TestLineTwoCallsTwoAnswers(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"./tool one"}
call run_command {"command":"./tool two"}
call write_file {"path":"a.txt","content":"a\n"}

say Done.
`)
	w.write("tool", theTool)
	p := w.sit("do it")
	p.sees(`Approval needed: Run ./tool one`)
	p.sees(`Your choice: `)
	p.types("/mode accept-edits\r")
	p.sees(`mode: accept-edits`)
	p.sees(`Your choice: `)
	p.types("n\r")
	p.asks("Run ./tool two", "y")
	p.sees(`Done\.`) // the edit is not asked for in the new mode
	p.sees(atRest)
	p.exits()
	if w.toolRan("one") != 0 || w.toolRan("two") != 1 || !w.has("a.txt") || p.questions() != 2 {
		t.Errorf("the wrong call was allowed:\n%s", p.shown())
	}
}

// What is approved is what is seen: nothing is hidden, and nothing that is
// shown acts on the terminal.
func TestLineHiddenCharacters(t *testing.T) {
	w := newWorld(t, `
say "Look: \x1b[2J\x1b]0;pwn\x07\u202e\u009b2Jover\r"
call run_command {"command":"./tool \u202eone\u200b\tx\u00a0y \u001b[2K\u001b]0;pwn\u0007\r; echo '\u3164'","description":"harm\u001b[1Aless\u202e"}

call write_file {"path":"\u202ea\u001b[2J.txt","content":"a\u200bb\tc\r\n\u001b]52;c;cHdu\u0007"}

say Done.
`)
	p := w.sit("do it")
	p.sees(`Look: \[2J\]0;pwn2?`)
	p.sees(`Approval needed: Run ./tool`)
	question := p.sees(`(?s).*?Your choice: `)
	if !strings.Contains(question, "    ./tool <U+202E>one<U+200B><U+0009>x<U+00A0>y <U+001B>[2K<U+001B>]0;pwn<U+0007><U+000D>; echo '<U+3164>'\n") {
		t.Errorf("the command is not shown as it is:\n%s", question)
	}
	p.types("n\r")
	p.sees(`Approval needed: Create <U\+202E>a<U\+001B>\[2J\.txt`)
	question = p.sees(`(?s).*?Your choice: `)
	if !regexp.MustCompile(`\+a<U\+200B>b {2,}c<U\+000D>\n`).MatchString(strings.ReplaceAll(question, "\t", "  ")) || !strings.Contains(question, "+<U+001B>]52;c;cHdu<U+0007>") {
		t.Errorf("the content is not shown as it is:\n%s", question)
	}
	p.types("n\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// H08: what commands print is text.
func TestLineOutputOfCommands(t *testing.T) {
	w := newWorld(t, `
call run_command {"command":"printf '\\377\\376bad\\n'; printf '\\033[2J\\033]0;pwn\\007hi\\r\\n'; printf 'a\\0b\\n'; exit 3"}

expect-new EXIT: 3
say Done.
`)
	p := w.sit("--permission-mode", "full-access", "run it")
	p.sees(`error: exit 3, 3 lines\n    \x{FFFD}+bad\n    .*hi\n    a.*b\n`)
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
}

// The question shows where a path leads, and after much text once more what it
// is about.
func TestLineWhereItLeads(t *testing.T) {
	w := newWorld(t, `
call write_file {"path":"notes/a.txt","content":"`+strings.Repeat(`line\n`, 40)+`"}

say Done.
`)
	if err := os.Mkdir(filepath.Join(filepath.Dir(w.dir), "outside"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", filepath.Join(w.dir, "notes")); err != nil {
		t.Fatal(err)
	}
	p := w.sit("--permission-mode", "accept-edits", "do it")
	question := p.sees(`(?s)Approval needed: .*Your choice: `)
	if !strings.Contains(question, "notes/a.txt (which is "+filepath.Dir(w.dir)+"/outside/a.txt)") {
		t.Errorf("the question does not say where it leads:\n%s", question)
	}
	if strings.Count(question, "Approval needed: ") != 2 {
		t.Errorf("what is asked is out of sight:\n%s", question)
	}
	p.types("n\r")
	p.sees(`Done\.`)
	p.sees(atRest)
	p.exits()
	if _, err := os.Stat(filepath.Join(filepath.Dir(w.dir), "outside/a.txt")); err == nil {
		t.Error("it was written")
	}
}
