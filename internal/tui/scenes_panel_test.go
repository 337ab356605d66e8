//go:build linux || darwin

package tui

import (
	"regexp"
	"strings"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// panelScenes is what is opened by the person.
func panelScenes() []scene {
	typed := func(name, text, until string) scene {
		return scene{name: name, files: project(), reach: func(_ *world, s *screentest.Screen) {
			s.WaitText(`default`)
			s.Type(text)
			s.WaitText(`❯ ` + regexp.QuoteMeta(text) + `\n(?s:.*)` + until)
			rest(s)
		}}
	}
	answered := func(name, text, until string) scene {
		return scene{name: name, files: project(), prompt: asks1, script: "say The remainder is dropped.\nusage in=24000 out=900\n", reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			says(s, text)
			s.WaitText(until)
			rest(s)
		}}
	}
	pressed := func(name, key, until string) scene {
		return scene{name: name, files: project(), prompt: asks1, script: longTurn, reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			s.Press(key)
			s.WaitText(until)
			rest(s)
		}}
	}
	context := answered("context", "/context", `notes and nudges`)
	context.loose = `[\d▓]`
	return []scene{
		typed("menu", "/", `/help`),
		typed("menu-filtered", "/co", `/compact`),
		typed("completion", "look at @spl", `split_test`),
		typed("completion-all", "look at @", `split_test`),
		answered("help", "/help", `(?m)^/exit`),
		context,
		answered("cost", "/cost", `at the price`),
		answered("unknown", "/complact", `did you mean`),
		answered("models", "/model", `── Models`),
		answered("themes", "/theme", `── Themes`),
		pressed("transcript", "ctrl+o", `Transcript(?s:.*)dropped`),
		pressed("keys", "f1", `── Keys`),
		{name: "search", files: project(), script: "say One.\n\nsay Two.\n\nsay Three.\n", reach: func(w *world, s *screentest.Screen) {
			for i, prompt := range []string{asks1, "Repair it, and add a case to the test that has more people than cents", "Now explain it"} {
				says(s, prompt)
				turnsOver(w, s, i+1)
			}
			s.Press("ctrl+r")
			s.WaitText(`search`)
			s.Type("it")
			s.WaitText(`search: it`)
			rest(s)
		}},
		{name: "transcript-expanded", files: project(), prompt: asks1, script: longTurn, reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			s.Press("ctrl+o")
			s.WaitText(`Transcript(?s:.*)dropped`)
			s.Press("g")
			s.WaitText(`❯ Why`)
			s.Press("e")
			s.WaitText(`FILE: split`)
			rest(s)
		}},
		{name: "transcript-search", files: project(), prompt: asks1, script: longTurn, reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			s.Press("ctrl+o")
			s.WaitText(`Transcript(?s:.*)dropped`)
			s.Type("/")
			s.Type("split")
			s.Press("enter")
			s.WaitText(`n next`)
			rest(s)
		}},
		{name: "sessions", prompt: "Why does TestSplit fail, and since when?", script: "say The remainder is dropped.\n\nsay It is repaired.\n", reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			says(s, "/new")
			greeted(s, 2)
			says(s, "repair it")
			turnsOver(w, s, 2)
			says(s, "/new")
			greeted(s, 3)
			says(s, "/resume")
			s.WaitText(`Sessions(?s:.*)repair it`)
			rest(s)
		}},
		{name: "tasks", prompt: "start the server", script: background, env: []string{"MODE=full-access"}, reach: func(w *world, s *screentest.Screen) {
			works(w, s)
			says(s, "/tasks")
			s.WaitText(`Newest output(?s:.*)listening on :8080\n`)
			rest(s)
		}},
		{name: "background", prompt: "start the server", script: background, env: []string{"MODE=full-access"}, reach: works},
		{name: "todos", prompt: "start the server", script: background, env: []string{"MODE=full-access"}, reach: func(w *world, s *screentest.Screen) {
			works(w, s)
			s.Press("alt+t")
			s.WaitText(`(?m)☐ 1 of 3 done$`)
			rest(s)
		}},
		{name: "leave", prompt: asks1, script: "say The remainder is dropped.\nusage in=24000 out=900\n", reach: func(w *world, s *screentest.Screen) {
			over(w, s)
			s.Press("ctrl+c")
			s.WaitText(`Ctrl\+C (again )?leaves`)
		}},
	}
}

// works waits until the server runs in the background.
func works(w *world, s *screentest.Screen) {
	over(w, s)
	s.WaitText(`☐ 1 of 3`)
	if cols, _ := s.Size(); cols >= 80 {
		s.WaitText(`1 in background`)
	}
	rest(s)
}

// greeted waits until so many conversations have begun.
func greeted(s *screentest.Screen, times int) {
	s.WaitFor(func(s *screentest.Screen) bool { return strings.Count(s.Shot().All().Text(), "MiniCode ·") >= times })
	rest(s)
}

const longTurn = `
think The test first, then the code.
say I look at the code and its test.
call read_file {"path":"split.go"}
call read_file {"path":"split_test.go"}
call grep_files {"pattern":"Split"}
call read_file {"path":"nothing.go"}

say "The remainder of the division is dropped, so the **first** shares must take one cent more each."
usage in=24000 out=900
`
