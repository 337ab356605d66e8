package screentest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shown is a display without a process, with what it answers thrown away.
func shown(t *testing.T, cols, rows int, pieces ...string) *display {
	d := newDisplay(cols, rows, Dark, true, true)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.answers(nil)
	}()
	t.Cleanup(func() {
		d.close()
		<-done
	})
	for _, p := range pieces {
		d.write([]byte(p))
	}
	d.flush()
	return d
}

func wantRows(t *testing.T, d *display, want ...string) {
	t.Helper()
	for len(want) < d.emu.Height() {
		want = append(want, "")
	}
	if diff := cmp.Diff(want, texts(d.rows())); diff != "" {
		t.Errorf("the screen (-want +got):\n%s", diff)
	}
}

func wantScrollback(t *testing.T, d *display, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), texts(d.scrollback)); diff != "" {
		t.Errorf("the scrollback (-want +got):\n%s", diff)
	}
}

func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name, in string
		rows     []string
		x, y     int
	}{
		{"wide text fits", "漢字AB", []string{"漢字AB"}, 5, 0},
		{"wide text ends at the edge", "漢字漢字", []string{"漢字漢", "字"}, 2, 1},
		{"the next goes to the next line", "漢字漢x", []string{"漢字漢", "x"}, 1, 1},
		{"styles between do not matter", "漢字漢\x1b[1mx", []string{"漢字漢", "x"}, 1, 1},
		{"one column is too little", "abcde漢", []string{"abcde", "漢"}, 2, 1},
		{"carriage return at the edge", "漢字漢\rx", []string{"x 字漢"}, 1, 0},
		{"line feed at the edge", "漢字漢\r\nx", []string{"漢字漢", "x"}, 1, 1},
		{"plain text wraps", "abcdefg", []string{"abcdef", "g"}, 1, 1},
		{"no wrap", "\x1b[?7labcdefg", []string{"abcdeg"}, 5, 0},
		{"an emoji family is one", "👨‍👩‍👧x", []string{"👨‍👩‍👧x"}, 3, 0},
		{"a flag is one", "🇩🇪x", []string{"🇩🇪x"}, 3, 0},
		{"combining mark", "e\u0301x", []string{"e\u0301x"}, 2, 0},
		{"combining mark in the last column", "abcdee\u0301", []string{"abcdee\u0301"}, 5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shown(t, 6, 3, c.in)
			wantRows(t, d, c.rows...)
			if at := d.emu.CursorPosition(); at.X != c.x || at.Y != c.y {
				t.Errorf("the cursor is at %d,%d, want %d,%d", at.X, at.Y, c.x, c.y)
			}
		})
	}
}

func TestLateMark(t *testing.T) {
	d := shown(t, 6, 2, "e")
	d.write([]byte("\u0301"))
	d.flush()
	wantRows(t, d, "e\u0301")
}

func TestScrollback(t *testing.T) {
	for _, c := range []struct {
		name, in string
		rows     []string
		want     []string
	}{
		{"line feeds", "a\r\nb\r\nc\r\nd\r\ne", []string{"c", "d", "e"}, []string{"a", "b"}},
		{"wrapping", "abcdefABCDEFghijklX", []string{"ABCDEF", "ghijkl", "X"}, []string{"abcdef"}},
		{"scrolling", "a\r\nb\x1b[2S", []string{}, []string{"a", "b"}},
		{"alternate screen", "m\x1b[?1049ha\r\nb\r\nc\r\nd\r\ne\x1b[?1049l", []string{"m"}, nil},
		{"deleted lines", "a\r\nb\r\nc\x1b[H\x1b[2M", []string{"c"}, nil},
		{"margins that leave the top", "t\r\nb\r\nc\x1b[2;3r\x1b[3;1H\r\nd\r\ne", []string{"t", "d", "e"}, nil},
		{"margins at the top", "t\r\nb\r\nc\x1b[1;2r\x1b[2;1H\r\nd", []string{"b", "d", "c"}, []string{"t"}},
		{"erased scrollback", "a\r\nb\r\nc\r\nd\x1b[3J", []string{"b", "c", "d"}, nil},
		{"cleared screen", "a\r\nb\x1b[2Jc", []string{"", " c"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shown(t, 6, 3, c.in)
			wantRows(t, d, c.rows...)
			wantScrollback(t, d, c.want...)
		})
	}
}

func TestSynchronizedUpdate(t *testing.T) {
	d := shown(t, 6, 2, "old\x1b[?2026h\rn", "ew\x1b[?20")
	wantRows(t, d, "old")
	if !d.state().Sync {
		t.Error("the update has not begun")
	}
	d.write([]byte("26l!\x1b[?2026h?"))
	d.flush()
	wantRows(t, d, "new!")
	d.finish()
	wantRows(t, d, "new!?")
}

func TestResize(t *testing.T) {
	d := shown(t, 6, 4, "a\r\nb\r\nc\r\nd")
	d.resize(4, 2)
	wantRows(t, d, "c", "d")
	wantScrollback(t, d, "a", "b")
	d.resize(8, 3)
	wantRows(t, d, "c", "d")
	d.write([]byte("\r\ne\r\nf"))
	d.flush()
	wantRows(t, d, "d", "e", "f")

	d = shown(t, 6, 4, "a\r\nb\r\nc\r\nd\x1b[?1049hALT漢")
	d.resize(6, 2)
	wantRows(t, d, "ALT漢")
	wantScrollback(t, d, "a", "b")
	if at := d.emu.CursorPosition(); at.X != 5 || at.Y != 0 {
		t.Errorf("the cursor is at %v", at)
	}
	d.write([]byte("\x1b[?1049l!"))
	d.flush()
	wantRows(t, d, "c", "d!")
}

func TestErasures(t *testing.T) {
	d := shown(t, 6, 2, "a\x1b[2J\x1b[?1049h\x1b[2J\x1b[?1049l\x1b[0J\x1b[3J\x1bc")
	want := []Erasure{{"screen", false, 5}, {"screen", true, 17}, {"scrollback", false, 33}, {"reset", false, 35}}
	if diff := cmp.Diff(want, d.erased); diff != "" {
		t.Errorf("erasures (-want +got):\n%s", diff)
	}
}

func TestModes(t *testing.T) {
	on := "\x1b[?1049h\x1b[?2004h\x1b[?1000;1006h\x1b[?1004h\x1b[?25l\x1b[?1h\x1b=\x1b[>4;2m\x1b[>3u\x1b[?7l\x1b[2;3r"
	d := shown(t, 6, 4, on)
	want := Modes{
		AltScreen: true, Paste: true, Mouse: true, Focus: true, CursorHidden: true, CursorKeys: true, Keypad: true,
		OtherKeys: 2, Kitty: 3, KittyDepth: 1, NoWrap: true, Margins: true,
	}
	if diff := cmp.Diff(want, d.state()); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	d.write([]byte("\x1b[r\x1b[?7h\x1b[<u\x1b[>4m\x1b>\x1b[?1l\x1b[?25h\x1b[?1004l\x1b[?1000;1006l\x1b[?2004l\x1b[?1049l"))
	if diff := cmp.Diff(Modes{}, d.state()); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

func TestKittyStack(t *testing.T) {
	for _, c := range []struct {
		in          string
		flags, left int
	}{
		{"\x1b[>1u", 1, 1},
		{"\x1b[>1u\x1b[>3u", 3, 2},
		{"\x1b[>1u\x1b[>3u\x1b[<u", 1, 1},
		{"\x1b[>1u\x1b[<5u", 0, 0},
		{"\x1b[=5u", 5, 1},
		{"\x1b[=5u\x1b[=2;2u", 7, 1},
		{"\x1b[=5u\x1b[=1;3u", 4, 1},
		{"\x1b[=5u\x1b[=0u", 0, 0},
		{"\x1b[>1u\x1b[?1049h", 0, 1},
		{"\x1b[>1u\x1b[?1049h\x1b[>8u\x1b[?1049l", 1, 2},
	} {
		d := shown(t, 6, 4, c.in)
		if m := d.state(); m.Kitty != c.flags || m.KittyDepth != c.left {
			t.Errorf("after %q: flags %d, %d left; want %d, %d", c.in, m.Kitty, m.KittyDepth, c.flags, c.left)
		}
	}
}

// TestCuts: how output is cut into reads makes no difference.
func TestCuts(t *testing.T) {
	parts := []string{
		"a", "bc d", "漢", "e\u0301", "👩‍🚀", "🇩🇪", "\r\n", "\r", "\t", "\b", "\x1b[1;31m", "\x1b[m", "\x1b[2;3H", "\x1b[A", "\x1b[K", "\x1b[J",
		"\x1b[?1049h", "\x1b[?1049l", "\x1b[?2026h", "\x1b[?2026l", "\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1b]8;;\x1b\\", "\x1b[2S",
		"\x1b[L", "\x1b[M", "\x1b[2;3r", "\x1b[r", "\x1b7", "\x1b8", "\x1bM", "\x1bP+q\x1b\\", "\xff", "\x1b[?25l", "\x1b[>1u", "\x1b[c", "\x1bc",
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(rt, "parts"), "")
		whole := shown(t, 9, 4, text)
		cut := shown(t, 9, 4)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "n")
			cut.write([]byte(rest[:n]))
			rest = rest[n:]
		}
		cut.flush()
		a, b := fmt.Sprint(whole.shot().All(), whole.state(), whole.title), fmt.Sprint(cut.shot().All(), cut.state(), cut.title)
		if a != b {
			rt.Fatalf("%q in one piece:\n%s\nin several:\n%s", text, a, b)
		}
	})
}

func FuzzDisplay(f *testing.F) {
	f.Add([]byte("\x1b[5;1H漢\x1b[?1049h\x1b[2J\x1b[3;2rabc\r\n\n\n\x1b[?2026h"), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, cols, rows uint8) {
		d := shown(t, int(cols%40)+1, int(rows%20)+1, string(data))
		d.resize(int(rows%30)+1, int(cols%15)+1)
		d.finish()
		if n := len(d.rows()); n != int(cols%15)+1 {
			t.Errorf("%d rows", n)
		}
		_ = d.shot().All().String()
	})
}
