package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// drawn is the picture of what a terminal shows after the bytes.
func drawn(t *testing.T, cols, rows int, bytes string, light bool) string {
	t.Helper()
	emu := vt.NewEmulator(cols, rows)
	if _, err := emu.Write([]byte(bytes)); err != nil {
		t.Fatal(err)
	}
	s := Screen{CursorX: -1, Title: "a <title>", Light: light}
	for y := range rows {
		row := make(uv.Line, cols)
		for x := range row {
			row[x] = *emu.CellAt(x, y)
		}
		s.Rows = append(s.Rows, row)
	}
	svg := s.SVG()
	if again := s.SVG(); again != svg {
		t.Errorf("the same cells give\n%s\nand\n%s", svg, again)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return svg
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

func TestSVG(t *testing.T) {
	for _, c := range []struct {
		name, bytes string
		want        []string
	}{
		{"text is fitted to its cells", "ab <c>", []string{`<text x="0" y="14" textLength="50.4" lengthAdjust="spacingAndGlyphs">ab &lt;c&gt;</text>`}},
		{"gaps divide texts", "a   b", []string{`<text x="0" y="14">a</text>`, `<text x="33.6" y="14">b</text>`}},
		{"rows stand below each other", "a\r\nb", []string{`<text x="0" y="14">a</text>`, `<text x="0" y="33">b</text>`}},
		{"wide characters stand in the middle of two cells", "a漢b", []string{`<text x="0" y="14">a</text>`, `<text x="16.8" y="14" text-anchor="middle">漢</text>`, `<text x="25.2" y="14">b</text>`}},
		{"styles", "\x1b[1;3;4;9;38;5;75mab\x1b[m", []string{"fill:#5fafff;font-weight:bold;font-style:italic;text-decoration:underline line-through", ` class="a">ab</text>`}},
		{"faint", "\x1b[2mab\x1b[m", []string{"opacity:.6"}},
		{"true colour and background", "\x1b[38;2;1;2;3;48;2;4;5;6mab\x1b[m", []string{"fill:#010203", `<rect x="0" y="0" width="16.8" height="19" fill="#040506"/>`}},
		{"both halves of a wide one have a background", "\x1b[48;2;4;5;6m漢\x1b[m", []string{`<rect x="0" y="0" width="16.8" height="19" fill="#040506"/>`}},
		{"reverse", "\x1b[7mab\x1b[m", []string{"fill:#16181d", `<rect x="0" y="0" width="16.8" height="19" fill="#d7dae0"/>`}},
		{"greys", "\x1b[38;5;244ma\x1b[m", []string{"fill:#808080"}},
		{"basic colours", "\x1b[31ma\x1b[m", []string{"fill:#e5606b"}},
		{"rules are one line", "───", []string{`<path d="M0 9.5H25.2" stroke="#d7dae0" fill="none"/>`}},
		{"corners and crossings", "┌┼", []string{"M4.2 9.5H8.4M4.2 9.5V19", "M8.4 9.5H16.8M12.6 0V19"}},
		{"shades", "▓▓░", []string{`<rect x="0" y="2" width="16.8" height="15" fill="#d7dae0" opacity="0.75"/>`, `opacity="0.25"`}},
		{"the title", "", []string{`aria-label="a &lt;title&gt;"`, `>a &lt;title&gt;</text>`}},
	} {
		svg := drawn(t, 40, 2, c.bytes, false)
		for _, want := range c.want {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: there is no %s in\n%s", c.name, want, svg)
			}
		}
	}
}

func TestLight(t *testing.T) {
	if svg := drawn(t, 40, 2, "a", true); !strings.Contains(svg, `fill="#ffffff"`) || strings.Contains(svg, "#16181d") {
		t.Errorf("it is dark:\n%s", svg)
	}
}

func TestCursor(t *testing.T) {
	row := uv.Line{{Content: "a", Width: 1}, {Content: "b", Width: 1, Style: uv.Style{Fg: ansi.Red}}}
	svg := Screen{Rows: []uv.Line{row}, CursorX: 1}.SVG()
	if !strings.Contains(svg, `<rect x="8.4" y="0" width="8.4" height="19" fill="#d7dae0"/>`) || !strings.Contains(svg, "{fill:#16181d}") {
		t.Errorf("there is no cursor in\n%s", svg)
	}
}

// A title without room for it is left out.
func TestNarrow(t *testing.T) {
	if svg := drawn(t, 12, 1, "a", false); strings.Contains(svg, ">a &lt;title") {
		t.Errorf("the title is over the buttons:\n%s", svg)
	}
}
