package picture

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// palette is the colours of a window.
type palette struct {
	background, text, frame, title string
	basic                          [16]string
}

func dark() palette {
	return palette{
		background: "#16181d", text: "#d7dae0", frame: "#33373f", title: "#8b919c",
		basic: [16]string{
			"#2a2e36", "#e5606b", "#7fbf6a", "#d3a657", "#5c9fe8", "#b98ae0", "#56b6c2", "#c8ccd4",
			"#6b717d", "#f0808a", "#98d182", "#e5c07b", "#7db5f2", "#cda5ee", "#7fd0da", "#ffffff",
		},
	}
}

func light() palette {
	return palette{
		background: "#ffffff", text: "#24292f", frame: "#d0d7de", title: "#656d76",
		basic: [16]string{
			"#24292f", "#c0262d", "#1a7f37", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781",
			"#57606a", "#a40e26", "#116329", "#633c01", "#0550ae", "#6639ba", "#136061", "#8c959f",
		},
	}
}

// cell is a cell as it is drawn.
type cell struct {
	text       string
	width      int
	fore, back string // "" for the window's own
	bold       bool
	italic     bool
	dim        bool
	decoration string
}

// cell resolves the colours of a terminal's cell.
func (p palette) cell(c *uv.Cell) cell {
	out := cell{
		text: c.Content, width: c.Width, fore: p.colour(c.Style.Fg), back: p.colour(c.Style.Bg),
		bold: c.Style.Attrs&uv.AttrBold != 0, italic: c.Style.Attrs&uv.AttrItalic != 0, dim: c.Style.Attrs&uv.AttrFaint != 0,
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fore, back := out.fore, out.back
		if out.fore = back; back == "" {
			out.fore = p.background
		}
		if out.back = fore; fore == "" {
			out.back = p.text
		}
	}
	if c.Style.Attrs&uv.AttrConceal != 0 {
		out.text = " "
	}
	var lines []string
	if c.Style.Underline != ansi.UnderlineNone {
		lines = append(lines, "underline")
	}
	if c.Style.Attrs&uv.AttrStrikethrough != 0 {
		lines = append(lines, "line-through")
	}
	out.decoration = strings.Join(lines, " ")
	return out
}

// fore is the colour of the text of a cell.
func (p palette) fore(c cell) string {
	if c.fore == "" {
		return p.text
	}
	return c.fore
}

// colour is a colour as CSS has it, "" for none.
func (p palette) colour(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return p.basic[c%16]
	case ansi.IndexedColor:
		return p.indexed(int(c))
	default:
		r, g, b, _ := c.RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
}

// indexed is a colour of the palette of 256: 16 basic ones, a cube, and greys.
func (p palette) indexed(n int) string {
	switch {
	case n < 16:
		return p.basic[n]
	case n < 232:
		n -= 16
		steps := [6]int{0, 95, 135, 175, 215, 255}
		return fmt.Sprintf("#%02x%02x%02x", steps[n/36], steps[n/6%6], steps[n%6])
	}
	v := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", v, v, v)
}

// blank says whether nothing stands in the cell.
func (c cell) blank() bool {
	return c.width == 0 || strings.TrimSpace(c.text) == "" && c.decoration == ""
}

// plain says whether every font has the character, as wide as a letter.
func (c cell) plain() bool {
	return c.width == 1 && len(c.text) == 1
}

// rules is the looks of a text as CSS.
func (c cell) rules() string {
	var all []string
	if c.fore != "" {
		all = append(all, "fill:"+c.fore)
	}
	if c.bold {
		all = append(all, "font-weight:bold")
	}
	if c.italic {
		all = append(all, "font-style:italic")
	}
	if c.dim {
		all = append(all, "opacity:.6")
	}
	if c.decoration != "" {
		all = append(all, "text-decoration:"+c.decoration)
	}
	return strings.Join(all, ";")
}

// The arms of the lines of boxes.
const (
	left = 1 << iota
	right
	up
	down
)

// lines is the arms of a character that is part of a box, 0 for any other.
func lines(text string) int {
	switch text {
	case "─":
		return left | right
	case "│":
		return up | down
	case "┌", "╭":
		return right | down
	case "┐", "╮":
		return left | down
	case "└", "╰":
		return right | up
	case "┘", "╯":
		return left | up
	case "├":
		return right | up | down
	case "┤":
		return left | up | down
	case "┬":
		return left | right | down
	case "┴":
		return left | right | up
	case "┼":
		return left | right | up | down
	}
	return 0
}

// path draws arms from the middle of a cell, those to the right over n cells.
func path(arms, x, n int, top float64) string {
	middle, half := (float64(x)+.5)*cellWidth, top+cellHeight/2.
	from, to := middle, middle
	if arms&left != 0 {
		from = float64(x) * cellWidth
	}
	if arms&right != 0 {
		to = float64(x+n) * cellWidth
	}
	var b strings.Builder
	if from != to {
		fmt.Fprintf(&b, "M%s %sH%s", number(from), number(half), number(to))
	}
	above, below := half, half
	if arms&up != 0 {
		above = top
	}
	if arms&down != 0 {
		below = top + cellHeight
	}
	if above != below {
		fmt.Fprintf(&b, "M%s %sV%s", number(middle), number(above), number(below))
	}
	return b.String()
}

// shade is how much of a cell a shade covers, 0 for other characters.
func shade(text string) float64 {
	switch text {
	case "░":
		return .25
	case "▒":
		return .5
	case "▓":
		return .75
	case "█":
		return 1
	}
	return 0
}
