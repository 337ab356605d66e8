package picture

import (
	"fmt"
	"html"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Screen is what is drawn.
type Screen struct {
	Rows    []uv.Line
	CursorX int // in cells, from 0; less than 0 for a cursor that is hidden
	CursorY int
	Title   string // of the window
	Light   bool   // a light background
}

// Sizes in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 19
	fontSize   = 14
	baseline   = 14 // of a text, below the top of its cell
	margin     = 14
	bar        = 34 // the height of the window's title bar
)

// SVG is the picture as a file: a window with the screen in it.
func (s Screen) SVG() string {
	cols := 0
	for _, row := range s.Rows {
		cols = max(cols, len(row))
	}
	d := drawing{palette: dark(), classes: map[string]string{}}
	if s.Light {
		d.palette = light()
	}
	for y, row := range s.Rows {
		d.row(y, s.withCursor(y, row, d.palette))
	}
	width, height := number(float64(cols)*cellWidth+2*margin), number(float64(len(s.Rows)*cellHeight+bar+2*margin))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(s.Title))
	fmt.Fprintf(&b, "<style>\ntext{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre;fill:%s}\n", fontSize, d.palette.text)
	for i, rules := range d.order {
		fmt.Fprintf(&b, ".%s{%s}\n", name(i), rules)
	}
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%s" height="%s" rx="9" fill="%s" stroke="%s"/>`+"\n",
		number(float64(cols)*cellWidth+2*margin-1), number(float64(len(s.Rows)*cellHeight+bar+2*margin)-1), d.palette.background, d.palette.frame)
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="5.5" fill="%s"/>`+"\n", margin+7+i*20, bar/2+1, fill)
	}
	if room := cols - 2*(3*20+margin)/8; len([]rune(s.Title)) <= room {
		fmt.Fprintf(&b, `<text x="%s" y="%d" text-anchor="middle" style="fill:%s">%s</text>`+"\n", number((float64(cols)*cellWidth+2*margin)/2), bar/2+6, d.palette.title, html.EscapeString(s.Title))
	}
	fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", margin, bar+margin/2)
	b.WriteString(d.body.String())
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// withCursor is the row with the cursor in it, as a cell in other colours.
func (s Screen) withCursor(y int, row uv.Line, p palette) []cell {
	cells := make([]cell, len(row))
	for x := range row {
		cells[x] = p.cell(&row[x])
		if x > 0 && row[x-1].Width > 1 {
			cells[x].back = cells[x-1].back // the second half of a wide one
		}
		if s.CursorX == x && s.CursorY == y {
			cells[x].fore, cells[x].back = p.background, p.text
		}
	}
	return cells
}

// drawing is a picture as it is made.
type drawing struct {
	palette palette
	body    strings.Builder
	classes map[string]string // of rules of CSS
	order   []string
}

// row draws the backgrounds of a row, then what stands on them.
func (d *drawing) row(y int, cells []cell) {
	top := float64(y * cellHeight)
	for x := 0; x < len(cells); {
		n := 1
		for x+n < len(cells) && cells[x+n].back == cells[x].back {
			n++
		}
		if back := cells[x].back; back != "" {
			fmt.Fprintf(&d.body, `<rect x="%s" y="%s" width="%s" height="%d" fill="%s"/>`+"\n", column(x), number(top), column(n), cellHeight, back)
		}
		x += n
	}
	for x := 0; x < len(cells); {
		n := 1
		switch c := cells[x]; {
		case c.blank():
		case shade(c.text) > 0:
			n = same(cells[x:], func(other cell) bool { return other == c })
			fmt.Fprintf(&d.body, `<rect x="%s" y="%s" width="%s" height="%d" fill="%s" opacity="%s"/>`+"\n",
				column(x), number(top+2), column(n), cellHeight-4, d.palette.fore(c), number(shade(c.text)))
		case lines(c.text) != 0:
			n = same(cells[x:], func(other cell) bool { return c.text == "─" && other == c })
			fmt.Fprintf(&d.body, `<path d="%s" stroke="%s" fill="none"/>`+"\n", path(lines(c.text), x, n, top), d.palette.fore(c))
		case !c.plain():
			fmt.Fprintf(&d.body, `<text x="%s" y="%s" text-anchor="middle"%s>%s</text>`+"\n",
				number((float64(x)+float64(c.width)/2)*cellWidth), number(top+baseline), d.class(c), html.EscapeString(c.text))
		default:
			n = run(cells[x:])
			text := ""
			for _, c := range cells[x : x+n] {
				text += c.text
			}
			fitted := ""
			if n > 1 {
				fitted = fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, column(n))
			}
			fmt.Fprintf(&d.body, `<text x="%s" y="%s"%s%s>%s</text>`+"\n", column(x), number(top+baseline), fitted, d.class(c), html.EscapeString(text))
		}
		x += n
	}
}

// class is the attribute that gives a text its looks.
func (d *drawing) class(c cell) string {
	rules := c.rules()
	if rules == "" {
		return ""
	}
	if _, ok := d.classes[rules]; !ok {
		d.classes[rules] = name(len(d.order))
		d.order = append(d.order, rules)
	}
	return ` class="` + d.classes[rules] + `"`
}

// name is the name of a class.
func name(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("a%d", i)
}

// run is how many cells are written as one text: those that look alike, with
// single blanks between them.
func run(cells []cell) int {
	n := 1
	for n < len(cells) {
		switch c := cells[n]; {
		case c.plain() && !c.blank() && c.rules() == cells[0].rules():
			n++
		case c.text == " " && c.decoration == cells[0].decoration && n+1 < len(cells) && cells[n+1].plain() && !cells[n+1].blank() && cells[n+1].rules() == cells[0].rules():
			n++
		default:
			return n
		}
	}
	return n
}

// same is how many cells of a beginning are alike.
func same(cells []cell, as func(cell) bool) int {
	n := 1
	for n < len(cells) && as(cells[n]) {
		n++
	}
	return n
}

func column(x int) string { return number(float64(x) * cellWidth) }

// number writes at most two places behind the point.
func number(v float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}
