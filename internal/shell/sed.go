package shell

import (
	"strings"

	"github.com/minicode-go/minicode/event"
)

// sed judges the scripts of sed: it may print and change text, but not write,
// read or run anything that the script names.
func (a *analyser) sed(c command, scripts []word, given bool) {
	for i, w := range scripts {
		p := &sedScript{text: w.text}
		p.run()
		for n, text := range p.runs {
			t := w
			t.text = text
			if t.pos++; text != "" {
				a.text(c, t, c.st.fork(), 100+10*i+n)
			}
		}
		for _, name := range p.writes {
			t := w
			t.text, t.glob = name, false
			a.writes1(c, t)
		}
		if p.bad != "" {
			c.f.raise(event.NeedsAsk, p.bad)
		}
	}
	if len(scripts) == 0 && given {
		c.f.raise(event.NeedsAsk, "the script of sed is not known")
	}
}

// sedScript goes through a script of sed.
type sedScript struct {
	text string
	i    int
	bad  string
	runs []string // shell texts of the e command

	writes []string // files of the w command
}

// notUnderstood ends the look at a script.
const notUnderstood = "the script of sed is not understood"

func (p *sedScript) fail(why string) {
	if p.bad == "" || why == notUnderstood {
		p.bad = why
	}
}

func (p *sedScript) peek() byte {
	if p.i < len(p.text) {
		return p.text[p.i]
	}
	return 0
}

func (p *sedScript) skip(set string) {
	for p.i < len(p.text) && strings.IndexByte(set, p.text[p.i]) >= 0 {
		p.i++
	}
}

// line returns the rest of the line and passes it.
func (p *sedScript) line() string {
	rest := p.text[min(p.i, len(p.text)):]
	text, _, _ := strings.Cut(rest, "\n")
	p.i += len(text) + 1
	return text
}

func (p *sedScript) run() {
	for p.i < len(p.text) && p.bad != notUnderstood {
		if p.skip(" \t\n;{}"); p.i >= len(p.text) {
			return
		}
		p.addresses()
		p.command()
	}
}

// addresses passes what selects the lines of a command.
func (p *sedScript) addresses() {
	for p.i < len(p.text) {
		switch c := p.peek(); {
		case c >= '0' && c <= '9', strings.IndexByte("$,~+! \t", c) >= 0:
			p.i++
		case c == '/':
			p.i++
			p.delimited('/')
			p.skip("IM")
		case c == '\\' && p.i+1 < len(p.text):
			d := p.text[p.i+1]
			p.i += 2
			p.delimited(d)
			p.skip("IM")
		default:
			return
		}
	}
}

// delimited passes text up to an unescaped delimiter. Whether one within a
// bracket expression ends it, seds do not agree on.
func (p *sedScript) delimited(d byte) {
	bracket := false
	for p.i < len(p.text) {
		c := p.text[p.i]
		p.i++
		switch {
		case c == '\\':
			p.i++
		case c == d && !bracket:
			return
		case c == d:
			p.fail(notUnderstood)
			return
		case c == '[':
			bracket = strings.Contains(p.text[p.i:], "]")
		case c == ']':
			bracket = false
		}
	}
	p.fail(notUnderstood)
}

func (p *sedScript) command() {
	c := p.peek()
	p.i++
	switch c {
	case 'p', 'P', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'x', 'z', 'F', '=', 'l', 'q', 'Q':
		p.skip(" \t0123456789")
		p.end()
	case 'b', 't', 'T', ':':
		rest := p.text[p.i:]
		if n := strings.IndexAny(strings.TrimLeft(rest, " \t"), ";\n} \t"); n >= 0 {
			p.i += len(rest) - len(strings.TrimLeft(rest, " \t")) + n
		} else {
			p.line()
		}
	case 'a', 'i', 'c':
		// The text goes on in the next line after a backslash.
		for strings.HasSuffix(p.line(), `\`) && p.i < len(p.text) {
			continue
		}
	case '#':
		p.line()
	case 's':
		p.substitute()
	case 'y':
		d := p.peek()
		p.i++
		p.delimited(d)
		p.delimited(d)
		p.end()
	case 'e':
		p.fail("the e command of sed runs a command")
		p.runs = append(p.runs, strings.TrimSpace(p.line()))
	case 'w', 'W':
		p.fail("the w command of sed writes a file")
		p.writes = append(p.writes, strings.TrimSpace(p.line()))
	case 'r', 'R':
		p.fail("the r command of sed reads a file")
		p.line()
	case 0, '}':
		p.i--
		p.skip("}")
		if c == 0 {
			p.i = len(p.text)
		}
	default:
		p.fail(notUnderstood)
	}
}

// end makes sure that nothing but another command follows.
func (p *sedScript) end() {
	p.skip(" \t")
	if c := p.peek(); p.i < len(p.text) && strings.IndexByte(";\n}#", c) < 0 {
		p.fail(notUnderstood)
	}
}

// substitute passes s/regex/replacement/flags.
func (p *sedScript) substitute() {
	d := p.peek()
	p.i++
	if d == 0 || d == '\n' || d == '\\' {
		p.fail(notUnderstood)
		return
	}
	p.delimited(d)
	p.delimited(d)
	p.skip("gpiIMm0123456789")
	switch p.peek() {
	case 'e':
		p.fail("the e flag of sed runs what it makes")
		p.line()
	case 'w':
		p.fail("the w flag of sed writes a file")
		p.i++
		p.writes = append(p.writes, strings.TrimSpace(p.line()))
	default:
		p.end()
	}
}
