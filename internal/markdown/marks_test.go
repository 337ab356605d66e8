package markdown

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/theme"
)

// Of a paragraph with very many marks of emphasis the first count; the next
// paragraph begins anew.
func TestMarksAreBounded(t *testing.T) {
	r := New(theme.Dark())
	many := strings.Join(r.Lines(strings.Repeat("*a* ", 5000)+"\n\n*b*", 80), "\n")
	if !strings.Contains(many, "*a*") {
		t.Error("all marks count")
	}
	if strings.Contains(many, "*b*") || strings.HasPrefix(many, "*a*") {
		t.Error("the first marks, or those of the next paragraph, do not count")
	}
}
