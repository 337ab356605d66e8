package diffview

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/theme"
)

// TestChoose: with all hunks it is the new text, with none the old one, and in
// between each place is what was chosen for it, byte by byte.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "\xff\xfe\n", "\uFFFD\n", "x\r\n", "--- a\n", "\\ No\n"}), 0, 40).Draw(t, label)
		}
		lines := draw("old")
		fresh := append([]string(nil), lines...)
		for i := range fresh {
			switch rapid.IntRange(0, 19).Draw(t, "what") {
			case 0:
				fresh[i] = ""
			case 1:
				fresh[i] = "new \xff\n" + fresh[i]
			case 2:
				fresh[i] = "other\n"
			}
		}
		if rapid.Bool().Draw(t, "all new") {
			fresh = draw("new")
		}
		old, new := strings.Join(lines, ""), strings.Join(fresh, "")
		if rapid.Bool().Draw(t, "no end") {
			new = strings.TrimSuffix(new, "\n")
		}
		diff := Unified("x", old, new)
		hunks := Hunks(diff)
		var all, skipped []int
		for i := range hunks {
			all = append(all, i)
			if rapid.Bool().Draw(t, "skip") {
				skipped = append(skipped, i)
			}
		}
		for _, c := range []struct {
			skipped []int
			want    string
		}{{nil, new}, {all, old}} {
			if got, err := Choose(old, new, diff, c.skipped); err != nil || got != c.want {
				t.Fatalf("%q to %q by %q without %v is %q, %v", old, new, diff, c.skipped, got, err)
			}
		}
		got, err := Choose(old, new, diff, skipped)
		applied, applyErr := Apply(old, Without(diff, skipped))
		if err != nil || applyErr != nil || strings.ToValidUTF8(got, "\uFFFD") != strings.ToValidUTF8(applied, "\uFFFD") {
			t.Fatalf("%q to %q without %v is %q, applied %q: %v %v", old, new, skipped, got, applied, err, applyErr)
		}
	})
}

func TestChooseRefuses(t *testing.T) {
	old, new := "a\nb\nc\n", "a\nB\nc\n"
	diff := Unified("x", old, new)
	if want := "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"; diff != want {
		t.Errorf("%q", diff)
	}
	for _, c := range [][3]string{
		{"a\nb\n", new, diff},
		{old, "a\nB\n", diff},
		{old + "d\n", new, diff},
		{old, new, diff[:len(diff)-6]},
		{old, new, ""},
		{old, new, "@@ -0 +1 @@\n-a\n+b\n"},
		{old, new, diff + "@@ -1 +1 @@\n-a\n+b\n"},
	} {
		if got, err := Choose(c[0], c[1], c[2], nil); !errors.Is(err, ErrStale) || got != "" {
			t.Errorf("%q: %q, %v", c, got, err)
		}
	}
	if got, err := Choose(old, old, "", nil); err != nil || got != old {
		t.Errorf("no change: %q, %v", got, err)
	}
}

// TestBlocks: together they are what Render shows, but for what separates them.
func TestBlocks(t *testing.T) {
	old := strings.Repeat("the line\n", 30)
	new := "first\n" + strings.Replace(old, "the line\n", "the other line\n", 1) + "last\n"
	diff := Unified("x", old, new)
	for _, o := range []Options{{LineNumbers: true}, {}, {Cut: true, MaxLines: 2}} {
		blocks := Blocks(diff, nil, 20, theme.Dark(), o)
		if len(blocks) != len(Hunks(diff)) || len(blocks) != 2 {
			t.Fatalf("%d blocks", len(blocks))
		}
		if one := Blocks(diff, []int{1}, 20, theme.Dark(), o); len(one) != 2 || len(one[0]) > 0 || !slices.Equal(one[1], blocks[1]) {
			t.Errorf("the second only: %q", one)
		}
		var rows, shown []string
		for _, b := range blocks {
			rows = append(rows, b...)
		}
		o.MaxLines = 0
		for _, row := range Render(diff, 20, theme.Dark(), o) {
			if !strings.Contains(row, "⋮") && !strings.Contains(row, "@@") {
				shown = append(shown, row)
			}
		}
		if d := cmp.Diff(shown, rows); d != "" {
			t.Errorf("(-Render +Blocks):\n%s", d)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", "@@ -2 +2 @@\n-b\n+c\n", 0)
	f.Add("", "", "@@ -0,0 +0,0 @@\n", 1)
	f.Add("a", "b", "@@ -1,1099511627776 +1,1099511627776 @@\n-a\n", 0)
	f.Fuzz(func(t *testing.T, old, new, diff string, skipped int) {
		got, err := Choose(old, new, diff, []int{skipped})
		if err != nil && (got != "" || !errors.Is(err, ErrStale)) {
			t.Errorf("%q, %v", got, err)
		}
		if all, err := Choose(old, new, diff, nil); err == nil && all != new {
			t.Errorf("%q to %q by %q is %q", old, new, diff, all)
		}
		if n := len(Blocks(diff, nil, 40, theme.Plain(), Options{})); n != len(Hunks(diff)) {
			t.Errorf("%d blocks", n)
		}
	})
}
