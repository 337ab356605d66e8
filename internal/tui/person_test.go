//go:build linux || darwin

package tui

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// dot is a small PNG.
func dot(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// picture is a small image in the workspace.
func (w *world) picture(name string) (path string) {
	w.t.Helper()
	w.write(name, string(dot(w.t)))
	return filepath.Join(w.root, "work", name)
}

// copied is what the clipboard was given last.
func copied(s *screentest.Screen) string {
	all := regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)").FindAllSubmatch(s.Bytes(), -1)
	if len(all) == 0 {
		return ""
	}
	text, _ := base64.StdEncoding.DecodeString(string(all[len(all)-1][1]))
	return string(text)
}

// program puts a program of that name first in the PATH of o.
func (w *world) program(o *screentest.Options, name, script string) {
	w.t.Helper()
	dir := filepath.Join(w.root, "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	o.Env = append(o.Env, "PATH="+dir+":"+os.Getenv("PATH"))
}

// sees is a check that the request has the image.
func sees(data []byte) string {
	return `expect-re "media_type": ?"image/png"(?s:.*)` + strings.ReplaceAll(base64.StdEncoding.EncodeToString(data)[:24], "+", `\\+`)
}

// Images whose paths are dropped, in all the ways in which terminals give
// them, are sent as images; text that only looks like it is not.
func TestDroppedImages(t *testing.T) {
	w := newWorld(t, sees(dot(t))+"\nexpect-re what is \\[Image #1\\]\\[Image #2\\]\\[Image #3\\] \\[Image #4\\]\\?\nsay I see.\n")
	path := w.picture("my pic.png")
	w.picture("dot.png")
	w.write("words.png", "words")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Type("what is ")
	for i, dropped := range []string{
		"'" + path + "' ",
		strings.ReplaceAll(path, " ", `\ `),
		"file://" + strings.ReplaceAll(path, " ", "%20") + "\n./dot.png",
	} {
		s.Paste(dropped)
		s.WaitText(`\[Image #` + []string{"1", "2", "4"}[i] + `\]`)
	}
	s.Paste(strings.ReplaceAll(path, "my pic", "words"))
	s.WaitText(`words\.png cannot be sent: it is not a PNG`)
	s.WaitText(`work/words\.png`)
	s.Press("ctrl+_") // undone: the path is a text
	s.WaitText(`#4\]\n`)
	s.Paste(filepath.Join(w.root, "gone.png"))
	s.WaitText(`gone\.png`)
	s.Press("ctrl+_")
	s.Type("?")
	s.Press("enter")
	s.WaitText(`I see\.`)
	if n := strings.Count(w.facts(), `"type":"image"`); n != 4 {
		t.Errorf("%d images in the session", n)
	}
	s.Press("up") // images are not in the history
	s.WaitText(`❯ what is\?`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// What is typed while an image is read comes behind it, and Enter does not
// send the text without it.
func TestImageFromClipboard(t *testing.T) {
	w := newWorld(t, "expect-re \\[Image #1\\]and this\nexpect-re \"type\": ?\"image\"\nsay I see it.\n")
	path := w.picture("dot.png")
	o := w.options(80, 24)
	o.Env = append(o.Env, "WAYLAND_DISPLAY=w")
	w.program(&o, "wl-paste", `case "$1" in --list-types) while [ ! -e go ] && [ ! -e `+w.root+`/go ]; do sleep 0.01; done; echo image/png;; *) cat `+path+`;; esac`)
	s := screentest.Start(t, o)
	s.WaitText(`default · claude`)
	s.Press("ctrl+v")
	s.WaitText(`reading the image`)
	s.Type("and this\n")
	if err := os.WriteFile(filepath.Join(w.root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.WaitText(`❯ \[Image #1\]and this`)
	s.WaitText(`I see it\.`)
	// An empty paste is how some terminals paste an image. The placeholder is
	// one character.
	s.Raw("\x1b[200~\x1b[201~")
	s.WaitText(`❯ \[Image #2\]`)
	s.Press("backspace")
	s.WaitGone(`Image #2`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Without an image, or a program that reads one, words say what to do.
func TestNoImageOnClipboard(t *testing.T) {
	w := newWorld(t, "")
	o := w.options(80, 24)
	o.Env = append(o.Env, "WAYLAND_DISPLAY=", "DISPLAY=", "WSL_DISTRO_NAME=")
	s := screentest.Start(t, o)
	s.WaitText(`default · claude`)
	s.Press("ctrl+v")
	if runtime.GOOS == "linux" {
		s.WaitText(`there is no display here`)
	}
	s.Type("still here")
	s.WaitText(`❯ still here`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()

	o = w.options(80, 24)
	o.Env = append(o.Env, "WAYLAND_DISPLAY=w")
	w.program(&o, "wl-paste", "sleep 600")
	s = screentest.Start(t, o)
	s.WaitText(`default · claude`)
	s.Press("ctrl+v")
	s.Type("meanwhile")
	s.WaitText(`reading the image`)
	s.Press("esc")
	s.WaitText(`the image was not put in`)
	s.WaitText(`❯ meanwhile`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// An image is never lost: not by a turn that runs, not by a model that takes
// none, not by an editor.
func TestImagesThatCannotBeSent(t *testing.T) {
	w := newWorld(t, "hang\n\nexpect-re \"type\": ?\"image\"\nsay I see it.\n")
	path := w.picture("dot.png")
	w.settings(`{"models":{"anthropic/blind":{"context":200000,"images":false}}}`)
	o := w.options(80, 24)
	w.program(&o, "ed", `sed -i 's/look at/inspect/' "$1"`)
	o.Env = append(o.Env, "VISUAL=ed")
	s := screentest.Start(t, o)
	s.WaitText(`default · claude`)
	says(s, "begin")
	s.WaitText(`waiting for the model`)
	w.asked(s, 1)
	s.Type("look at ")
	s.Paste(path)
	s.WaitText(`❯ look at \[Image #1\]`)
	s.Press("enter")
	s.WaitText(`\[Image #1\] cannot wait in the queue`)
	s.WaitText(`❯ look at \[Image #1\]`)
	s.Press("ctrl+g")
	s.WaitText(`❯ inspect \[Image #1\]`)
	s.Press("home")
	s.Type("!")
	s.WaitText(`── shell`)
	s.Press("enter")
	s.WaitText(`the shell takes no images`)
	s.Press("backspace", "end")
	s.WaitGone(`── shell`)
	s.Press("esc")
	s.WaitText(`interrupted`)
	s.Press("ctrl+c")
	says(s, "/model anthropic/blind")
	s.WaitText(`model: anthropic/blind`)
	s.Paste(path)
	s.WaitText(`anthropic/blind takes no images`)
	s.Press("enter")
	s.WaitText(`take \[Image #\d\] out`)
	s.Press("ctrl+u")
	says(s, "/model anthropic/claude-sonnet-4-5")
	s.WaitText(`model: anthropic/claude-sonnet-4-5`)
	s.Press("ctrl+y") // what was deleted is the image, whole
	s.WaitText(`❯ \[Image #\d\]`)
	s.Press("enter")
	s.WaitText(`I see it`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// A command for the shell is run at once, can be stopped, and the model is told
// with the next prompt.
func TestShell(t *testing.T) {
	w := newWorld(t, "expect-re ran a command(?s:.*)echo one(?s:.*)exactly\nsay I know.\n")
	w.write("my file.txt", "")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Type("!echo one; echo exactly; exit 3")
	s.WaitText(`── shell(?s:.*)! echo one`)
	s.Press("enter")
	s.WaitText(`(?m)^✗ !echo one; echo exactly; exit 3`)
	s.WaitText(`(?m)^  exit 3`)
	s.WaitText(`(?m)^  exactly`)
	says(s, "!echo begun; sleep 600")
	s.WaitText(`(?m)^  begun`)
	s.Type("kept")
	s.Press("esc")
	s.WaitText(`(?i)interrupted`)
	s.WaitText(`❯ kept`)
	s.Press("ctrl+c")
	s.Type("!cat my")
	s.Press("tab")
	s.WaitText(`▸ 'my file\.txt'`)
	s.Press("tab")
	s.WaitText(`! cat 'my file\.txt'`)
	s.Press("enter")
	s.WaitText(`(?m)^● !cat 'my file\.txt'  exit 0`)
	s.Type("/read my")
	s.Press("tab")
	s.WaitText(`▸ my file\.txt`)
	s.Press("enter")
	s.WaitText(`❯ /read my file\.txt`)
	s.Press("ctrl+c")
	says(s, "/ls")
	s.WaitText(`(?m)^● /ls  2 entries`)
	s.WaitText(`(?m)^  file my file\.txt`)
	says(s, "what did I do?")
	s.WaitText(`I know\.`)
	s.Press("ctrl+o")
	s.WaitText(`Transcript(?s:.*)▌ I know`)
	s.WaitText(`● !cat`)
	s.Press("q")
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// While a turn runs nothing else can be run, and what was typed stays.
func TestShellWhileATurnRuns(t *testing.T) {
	w := newWorld(t, "hang\n")
	s := w.start(80, 24, "begin")
	s.WaitText(`waiting for the model`)
	w.asked(s, 1)
	says(s, "!touch made")
	s.WaitText(`a turn is running`)
	s.WaitText(`! touch made`)
	if w.has("made") {
		t.Error("it was run")
	}
	s.Press("esc")
	s.WaitText(`interrupted`)
	s.Press("enter")
	s.WaitText(`● !touch made  exit 0`)
	if !w.has("made") {
		t.Error("it was not run")
	}
	s.Press("ctrl+d")
	s.Exit()
}

// What is said while a command runs is sent when it is over.
func TestPromptWhileShellRuns(t *testing.T) {
	w := newWorld(t, "expect-re and now\nsay Heard.\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	says(s, "!while [ ! -e go ]; do sleep 0.01; done")
	s.WaitText(`⠋|⠙|⠹|⠸|⠼`)
	says(s, "and now")
	s.WaitText(`↳ and now`)
	w.write("go", "")
	s.WaitText(`Heard\.`)
	s.Press("ctrl+d")
	s.Exit()
}

// Esc twice shows what was said; Enter takes it back, with what came after it,
// and puts it into the prompt. What is settled then is what a replay shows.
func TestRewind(t *testing.T) {
	w := newWorld(t, "say The first answer.\n\nsay The second answer.\n\nexpect-re alpha(?s:.*)beta, but better\nsay The third answer.\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	s.Press("esc")
	s.WaitText(`Esc again goes back`)
	s.Press("esc")
	s.WaitText(`nothing has been said yet`)
	for i, said := range []string{"alpha", "beta"} {
		says(s, said)
		s.WaitText(`The ` + []string{"first", "second"}[i] + ` answer`)
		rest(s)
	}
	s.Type("x")
	s.Press("esc", "backspace") // not at rest: nothing of it counts
	s.WaitGone(`Esc again`)
	s.Press("esc")
	s.WaitText(`Esc again goes back`)
	s.Press("esc")
	s.WaitText(`── Go back(?s:.*)▸ beta(?s:.*)  alpha(?s:.*)The second answer`)
	s.Press("down")
	s.WaitText(`▸ alpha(?s:.*)The first answer`)
	s.Press("up", "enter")
	s.WaitText(`went back to before “beta”; files are not changed`)
	s.WaitText(`❯ beta`)
	s.Type(", but better\n")
	s.WaitText(`The third answer`)
	rest(s)
	after := w.still(s.Shot().All().From(`^❯ beta, but`, `^──+$`)).String()
	if strings.Contains(w.facts(), "nothing") {
		t.Error("what was not said is in the session")
	}
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()

	again := w.start(80, 24, "-c")
	again.WaitText(`The third answer`)
	rest(again)
	if text := again.Shot().All().Text(); strings.Contains(text, "second answer") {
		t.Errorf("what was taken back is shown:\n%s", text)
	}
	if replayed := w.still(again.Shot().All().From(`^❯ beta, but`, `^──+$`)).String(); replayed != after {
		t.Errorf("live\n%s\nand replayed\n%s", after, replayed)
	}
	says(again, "/rewind")
	again.WaitText(`── Go back(?s:.*)▸ beta, but better`)
	again.Press("esc")
	again.WaitGone(`── Go back`)
	again.Press("ctrl+d")
	again.Exit()
}

// Rules are seen, added and removed.
func TestPermissionsEditor(t *testing.T) {
	w := newWorld(t, "")
	w.settings(`{"permissions":{"allow":["run_command(go test:*)"],"deny":["Read(secret.txt)"]}}`)
	o := w.options(80, 24)
	s := screentest.Start(t, o)
	s.WaitText(`default · claude`)
	says(s, "/permissions")
	s.WaitText(`── Permissions(?s:.*)allow +run_command\(go test:\*\)(?s:.*)deny +Read\(secret\.txt\)`)
	s.Press("a")
	s.WaitText(`allow for this project:`)
	s.Press("tab", "tab", "shift+tab")
	s.WaitText(`deny for all projects:`)
	s.Type("run_command(")
	s.Press("enter")
	s.WaitText(`(?s)run_command\(.*deny for all projects: run_command\(`)
	s.WaitText(`(?i)rule`)
	s.Type("git push:*)")
	s.Press("enter")
	s.WaitText(`added for all projects: deny run_command\(git push:\*\)`)
	settings := filepath.Join(w.root, ".config/minicode/settings.json")
	if data, _ := os.ReadFile(settings); !strings.Contains(string(data), "git push:*") {
		t.Errorf("the settings are %s", data)
	}
	s.WaitText(`▸ deny +run_command\(git push`)
	s.Press("d")
	s.WaitText(`d again removes it`)
	s.Press("up")
	s.WaitGone(`d again`)
	s.Press("down", "d", "d")
	s.WaitText(`removed: deny run_command\(git push:\*\)`)
	if data, _ := os.ReadFile(settings); strings.Contains(string(data), "git push:*") {
		t.Errorf("the settings are %s", data)
	}
	s.Press("a")
	s.Paste("run_command(make:*)\n")
	s.WaitText(`allow for this project: run_command\(make:\*\)`)
	s.Press("enter")
	s.WaitText(`added for this project`)
	s.Press("esc")
	s.WaitGone(`── Permissions`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// A prompt that a command makes is sent, and a draft is put into the prompt.
func TestWhatCommandsLeave(t *testing.T) {
	w := newWorld(t, "expect-re AGENTS.md\nsay Written.\n")
	s := w.start(80, 24)
	s.WaitText(`default · claude`)
	says(s, "/init be brief")
	s.WaitText(`Written\.`)
	rest(s)
	says(s, "/rewind 1")
	s.WaitText(`Went back to before prompt 1`)
	s.WaitText(`The user adds: be brief(?s:.*)Enter sends`)
	s.Press("ctrl+c", "ctrl+d")
	s.Exit()
}

// The transcript is gone through piece by piece; pieces are copied and shown
// whole.
func TestTranscript(t *testing.T) {
	w := newWorld(t, "think \"First thought.\\nSecond thought.\"\nsay I look.\ncall read_file {\"path\":\"long.txt\"}\n\nsay \"Copy **me**, 漢字.\"\n")
	var long strings.Builder
	for i := range 60 {
		long.WriteString("line " + string(rune('A'+i%26)) + "\n")
	}
	w.write("long.txt", long.String())
	s := w.start(80, 24, "begin")
	s.WaitText(`Copy me`)
	rest(s)
	s.Press("ctrl+o")
	s.WaitText(`▌ Copy me`)
	s.Press("y")
	s.WaitFor(func(s *screentest.Screen) bool { return copied(s) == "Copy **me**, 漢字." })
	s.WaitText(`copied, if the terminal allows it: 1 line`)
	s.Press("up")
	s.WaitText(`▌ ● Read long\.txt`)
	s.Press("enter")
	s.WaitText(`▌ +FILE: long\.txt`)
	for range 30 {
		s.Press("down")
	}
	s.WaitText(`▌ +30 +line`)
	s.Press("enter")
	s.WaitGone(`FILE: long`)
	s.Press("up")
	s.WaitText(`▌ ✻ First thought`)
	s.WaitGone(`Second thought`)
	s.Press("enter")
	s.WaitText(`Second thought`)
	s.Press("p")
	s.WaitText(`▌ ❯ begin`)
	s.Press("n", "n")
	s.WaitText(`▌ ● Read`)
	s.Type("/line Q")
	s.Press("enter")
	s.WaitText(`▌ +17 +line Q`) // found in what was folded away
	s.Press("n")
	s.WaitText(`▌ +43 +line Q`)
	s.Press("N")
	s.WaitGone(`▌ +43 +line Q`)
	s.Press("Y")
	s.WaitFor(func(s *screentest.Screen) bool {
		text := copied(s)
		return strings.HasPrefix(text, "> begin\n\nI look.\n\nRead long.txt\nFILE: long.txt\n") && strings.HasSuffix(text, "\n\nCopy **me**, 漢字.\n")
	})
	s.Press("q")
	s.WaitGone(`Transcript`)
	s.Press("ctrl+d")
	s.Exit()
	s.CheckRestored()
}

// Esc and a key that come together are Esc and that key, unless that key does
// something with Alt.
func TestEscAndAKey(t *testing.T) {
	for name, kitty := range map[string]bool{"legacy": false, "kitty": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "hang\n")
			o := w.options(80, 24, "begin")
			o.Kitty = kitty
			s := screentest.Start(t, o)
			s.WaitText(`waiting for the model`)
			w.asked(s, 1)
			if kitty {
				s.Raw("\x1b[27ux")
			} else {
				s.Raw("\x1bx")
			}
			s.WaitText(`interrupted`)
			s.WaitText(`❯ x`)
			s.Type(" two")
			s.Press("alt+b")
			s.Type("-")
			s.WaitText(`❯ x -two`)
			if kitty {
				s.Press("alt+x")
				s.Type("y")
				s.WaitText(`❯ x -ytwo`)
			} else {
				s.Raw("\x1bX")
				s.WaitText(`❯ x -Xtwo`)
				s.Raw("\x1bé")
				s.WaitText(`❯ x -Xétwo`)
			}
			s.Press("ctrl+c")
			s.WaitText(`/ commands`)
			if !kitty {
				s.Raw("\x1b\x1b")
				s.WaitText(`── Go back`)
				s.Press("esc")
				s.WaitGone(`── Go back`)
			}
			s.Press("ctrl+d")
			s.Exit()
			s.CheckRestored()
		})
	}
}

// What is not the person's own to remove says where it stands.
func TestRulesOfOthers(t *testing.T) {
	w := newWorld(t, "call run_command {\"command\":\"touch a\"}\n\nsay Done.\n")
	if err := os.MkdirAll(filepath.Join(w.root, "work", ".minicode"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(".minicode/settings.json", `{"permissions":{"deny":["Read(secret.txt)"]}}`)
	s := w.start(100, 30, "begin")
	s.WaitText(`\[s\]`)
	s.WaitFor(answerable)
	s.Press("s")
	s.WaitText(`Done\.`)
	rest(s)
	says(s, "/permissions")
	s.WaitText(`▸ deny +Read\(secret\.txt\) +~/work/\.minicode/settings\.json`)
	s.Press("d", "d")
	s.WaitText(`(?s)comes from.*settings\.json.*it is\s+changed where it stands`)
	s.Press("down")
	s.WaitText(`▸ allow +edit_file\(/a\).*granted for this session`)
	s.Press("d")
	s.WaitText(`edit_file\(/a\) is granted for this session and ends with it`)
	s.Press("q")
	s.WaitGone(`── Permissions`)
	s.Press("ctrl+d")
	s.Exit()
}
