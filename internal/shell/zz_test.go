package shell

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("ZZ"))
	if err != nil {
		t.Skip()
	}
	for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		c := l
		if u, err := strconv.Unquote(`"` + l + `"`); err == nil && strings.Contains(l, `\n`) {
			c = u
		}
		a := Analyse(c, workspace())
		fmt.Printf("%-10s %-60s parts=%q", a.Class, l, texts(a.Parts))
		if len(a.Writes) > 0 {
			fmt.Printf(" W=%q", a.Writes)
		}
		if a.Failed {
			fmt.Printf(" FAILED")
		}
		if a.Why != "" {
			fmt.Printf("  -- %s", a.Why)
		}
		fmt.Println()
	}
}
