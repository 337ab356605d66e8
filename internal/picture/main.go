// Command picture draws the README's picture: it runs the demo and writes what
// the terminal would show as SVG to standard output.
//
//	go run ./internal/picture > docs/demo.svg
//
// It understands only the colours that the line mode uses.
package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/line"
)

const (
	columns    = 96
	charWidth  = 8.4
	lineHeight = 19
	margin     = 20
)

func main() {
	home, err := os.MkdirTemp("", "picture")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var out bytes.Buffer
	exit := line.Demo(context.Background(), app.Options{
		Cwd: home, Home: home, Environ: append(os.Environ(), "HOME="+home), Now: time.Now,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}, line.Options{In: strings.NewReader(""), Out: &out, Color: true})
	_ = os.RemoveAll(home) // it lies in the temporary directory
	if exit != 0 {
		fmt.Fprintln(os.Stderr, out.String())
		os.Exit(exit)
	}
	fmt.Print(draw(settled(out.String())))
}

// settled takes out what differs from run to run.
func settled(text string) string {
	text = regexp.MustCompile(`\S*minicode-demo-\d+`).ReplaceAllString(text, "/tmp/minicode-demo")
	text = regexp.MustCompile("(?m)^\x1b\\[2m  … .*\n").ReplaceAllString(text, "") // what only a slow machine says
	return regexp.MustCompile(`\nThe session is in .*`).ReplaceAllString(text, "")
}

// draw makes the picture.
func draw(text string) string {
	var rows []string
	for row := range strings.Lines("$ minicode demo\n" + strings.TrimRight(text, "\n") + "\n") {
		rows = append(rows, wrap(strings.TrimRight(row, "\n"))...)
	}
	width, height := columns*charWidth+2*margin, len(rows)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" aria-label="minicode demo in a terminal">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#14161b"/>`+"\n")
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#d7dae0" xml:space="preserve">` + "\n")
	for i, row := range rows {
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, margin+(i+1)*lineHeight-5, spans(row))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// wrap breaks a row at blanks so that it fits. Rows with colours are short.
func wrap(row string) []string {
	var out []string
	for len([]rune(row)) > columns && !strings.Contains(row, "\x1b") {
		cut := strings.LastIndexByte(string([]rune(row)[:columns]), ' ')
		if cut <= 0 {
			break
		}
		out = append(out, row[:cut])
		row = row[cut+1:]
	}
	return append(out, row)
}

// spans turns colours into SVG.
func spans(row string) string {
	sgr := regexp.MustCompile("\x1b\\[(\\d+)m")
	open := false
	var b strings.Builder
	at := 0
	for _, m := range sgr.FindAllStringSubmatchIndex(row, -1) {
		b.WriteString(html.EscapeString(row[at:m[0]]))
		at = m[1]
		if open {
			b.WriteString("</tspan>")
			open = false
		}
		if style := styleOf(row[m[2]:m[3]]); style != "" {
			b.WriteString("<tspan " + style + ">")
			open = true
		}
	}
	b.WriteString(html.EscapeString(row[at:]))
	if open {
		b.WriteString("</tspan>")
	}
	return b.String()
}

func styleOf(code string) string {
	switch code {
	case "1":
		return `font-weight="bold"`
	case "2":
		return `fill="#7c8290"`
	case "31":
		return `fill="#f07178"`
	case "32":
		return `fill="#a5d678"`
	case "33":
		return `fill="#ffcb6b"`
	case "36":
		return `fill="#7fdbca"`
	}
	return ""
}
