//go:build linux

package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

var update = flag.Bool("update", false, "draw the pictures of the README anew")

// TestPictures draws the pictures of the README from the tour, and says when
// they are not what the program looks like.
func TestPictures(t *testing.T) {
	for name, background := range map[string]screentest.Background{"dark": screentest.Dark, "light": screentest.Light} {
		t.Run(name, func(t *testing.T) {
			o := tourOptions(t, 96, 44)
			o.Background = background
			config := filepath.Join(o.Dir, ".config", "minicode")
			if err := os.MkdirAll(config, 0o755); err != nil {
				t.Fatal(err)
			}
			// The terminal would say so, but perhaps too late.
			if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"terminal":{"theme":"`+name+`"}}`), 0o644); err != nil {
				t.Fatal(err)
			}
			s := screentest.Start(t, o)
			s.WaitText(`the number of an option`)
			s.Type("2")
			s.Press("enter")
			s.WaitText(`\[y\]`)
			answerable(s, "y")
			shot := s.Shot().Settled().Replace(`[^\s(]*/minicode-demo-\d+`, "~/tab").Replace(`\d+\.\d\d+s`, "0.01s")
			got := shot.SVG("minicode demo --tui")
			path := filepath.Join("..", "..", "docs", "demo-"+name+".svg")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil || string(want) != got {
				t.Errorf("%s is not what the program looks like (%v): run make picture, and look at it", path, err)
			}
		})
	}
}
