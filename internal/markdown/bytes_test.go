package markdown

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/theme"
)

// TestFewEscapeSequences counts the bytes of the styles against those of the
// text: over a slow line all of it has to be sent.
func TestFewEscapeSequences(t *testing.T) {
	rich, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(rich), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	prose := strings.Repeat("Some *plain* prose with `code` and words, of which there are **many**, and [links](https://example.com).\n", 20)
	for name, c := range map[string]struct {
		source string
		most   float64 // bytes of styles for each byte of text
	}{
		"code":  {"```go\n" + code + "```\n", 0.8},
		"prose": {prose, 0.65},
		"rich":  {string(rich), 0.45},
		"plain": {strings.NewReplacer("*", "", "`", "").Replace(prose), 0.35},
		"blank": {strings.Repeat("**a** **b** **c** `d` `e` ", 20), 2},
	} {
		all := strings.Join(New(theme.Dark()).Lines(c.source, 80), "\n")
		text := len(ansi.Strip(all))
		if got := float64(len(all)-text) / float64(text); got > c.most {
			t.Errorf("%s: %.2f bytes of styles for each byte of text, over %.2f", name, got, c.most)
		} else {
			t.Logf("%s: %.2f", name, got)
		}
	}
}
