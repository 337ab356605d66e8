//go:build linux || darwin

package tui

import (
	"path/filepath"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

const ownRules = `{"permissions":{"allow":["run_command(go test:*)","run_command(go vet ./...)","Edit(/docs/**)"],"ask":["web_fetch(domain:example.com)"],"deny":["Read(secret.txt)","run_command(git push:*)"]}}`

// personScenes is what a person does besides talking.
func personScenes() []scene {
	ready := func(reach func(w *world, s *screentest.Screen)) func(w *world, s *screentest.Screen) {
		return func(w *world, s *screentest.Screen) {
			s.WaitText(`default`)
			reach(w, s)
			rest(s)
		}
	}
	rules := func(name string, keys []string, until string) scene {
		return scene{name: name, files: project(), settings: ownRules, reach: ready(func(_ *world, s *screentest.Screen) {
			says(s, "/permissions")
			s.WaitText(`── Permissions`)
			s.Press(keys...)
			s.WaitText(until)
		})}
	}
	return []scene{
		{name: "shell", files: project(), reach: ready(func(_ *world, s *screentest.Screen) {
			s.Type("!grep -n cents split.go | head")
			s.WaitText(`! grep`)
		})},
		{name: "shell-runs", files: project(), reach: func(_ *world, s *screentest.Screen) {
			s.WaitText(`default`)
			says(s, "!seq 1 30; sleep 600")
			s.WaitText(`(?m)^  30$`)
			s.Type("and what is that?")
			s.WaitText(`that\?`)
		}},
		{name: "shell-over", files: project(), reach: ready(func(_ *world, s *screentest.Screen) {
			says(s, "!seq 1 60; ls *.go")
			s.WaitText(`(?m)^  split_test\.go`)
			says(s, "!test -e nothing")
			s.WaitText(`✗ !test`)
		})},
		{name: "image", files: project(), reach: ready(func(w *world, s *screentest.Screen) {
			path := w.picture("screen shot.png")
			s.Type("why is the last column of ")
			s.WaitText(`column of`)
			s.Paste("'" + path + "'")
			s.WaitText(`\[Image #1\]`)
			s.Type(" empty?")
			s.WaitText(`empty\?`)
		})},
		{name: "image-blind", files: project(), settings: `{"models":{"anthropic/claude-sonnet-4-5":{"images":false}}}`, reach: ready(func(w *world, s *screentest.Screen) {
			s.Paste(filepath.Dir(w.picture("dot.png")) + "/dot.png")
			s.WaitText(`(?s)takes.*no\s+images`)
		})},
		{name: "rewind", files: project(), script: "say The remainder is dropped.\n\nsay **Done**: the first shares take one cent more each.\n", reach: func(w *world, s *screentest.Screen) {
			for i, prompt := range []string{asks1, "Repair it, and add a case to the test that has more people than cents"} {
				says(s, prompt)
				turnsOver(w, s, i+1)
			}
			s.Press("esc")
			s.WaitText(`Esc again|Esc: back`)
			s.Press("esc")
			s.WaitText(`▸ Repair`)
			rest(s)
		}},
		{name: "rewound", files: project(), script: "say The remainder is dropped.\n", reach: func(w *world, s *screentest.Screen) {
			says(s, asks1)
			turnsOver(w, s, 1)
			says(s, "/rewind")
			s.WaitText(`▸ Why`)
			s.Press("enter")
			s.WaitText(`went back`)
			rest(s)
		}},
		rules("permissions", []string{"down", "down"}, `allow +Edit`),
		rules("permissions-add", []string{"a", "tab", "tab"}, `deny for this project`),
		rules("permissions-remove", []string{"d"}, `d again removes`),
	}
}
