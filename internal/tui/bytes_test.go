//go:build linux || darwin

package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// long is some text again and again, of about so many bytes.
func long(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// What an answer costs in bytes depends on what is in it, and little on how fast
// it comes. Styles of characters that stand alone are dearer than the
// characters.
func TestBytesOfAnswers(t *testing.T) {
	const size = 12_000
	conv, now := conversation(t, 0)
	for name, c := range map[string]struct {
		text       string
		slow, fast float64 // bytes for each byte of text, at most; 0 where it is not looked at
	}{
		"prose":         {long("Some words in a paragraph, and *some* of them `code`. And then some more words, which go on and on. The end.\n\n", size), 2, 1.5},
		"words":         {long("word ", size), 0, 1.2},
		"a word":        {long("word\n\n", size), 2.5, 2},
		"two letters":   {long("ab\n\n", size), 2.7, 2},
		"short lines":   {long("ab\n", size), 0, 1.2},
		"list":          {long("- an item of a list\n- **another** one\n  - deeper\n", size), 0, 2.3},
		"table":         {"| name | what it is | n |\n|---|---|---|\n" + long("| alpha | some words here | 12 |\n", size), 0, 2},
		"tables":        {long("| name | what it is | n |\n|---|---|---|\n"+long("| alpha | some words here | 12 |\n", 330)+"\n", size), 3.2, 2.4},
		"tiny table":    {"|a|b|\n|-|-|\n" + long("|c|d|\n", size), 0, 3.9},
		"code":          {"```go\n" + long("\tx := f(1, \"two\") // three\n", size), 0, 4},
		"short code":    {long("Some text.\n\n```go\nfunc f(a int) string {\n\treturn \"x\"\n}\n```\n\n", size), 0, 2.8},
		"quotes":        {long("> a quoted line of text\n", size), 0, 1.6},
		"nested quotes": {long("> a\n> > b\n> > > c\n\n", size), 0, 7},
		"deep quotes":   {long(">", 20_000) + " end", 0, 2.4},
		"headings":      {long("# Heading\n\nText below it.\n\n", size), 2.7, 2},
		"emphasis":      {long("**a** *b* `c` ", size), 0, 3.8},
		"Chinese":       {long("这是一个段落，里面有一些字。这是一个段落，里面有一些字。\n\n", size), 1.8, 1.3},
		"no blanks":     {long("x", size), 0, 1.2},
	} {
		for pieces, most := range map[int]float64{1: c.slow, 33: c.fast} { // of 20 bytes, in a sixtieth of a second
			if most == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", name, pieces), func(t *testing.T) {
				s := newStill(t, 80, 24, conv, now)
				s.answer(c.text, pieces)
				ratio := float64(s.sent.Len()) / float64(len(c.text))
				t.Logf("%.2f bytes for each of text, %d frames", ratio, s.frames)
				if ratio > most {
					t.Errorf("%.2f bytes for each of text, more than %.1f", ratio, most)
				}
			})
		}
	}
}

// An answer of 200 kB costs the same however long the session is: what is sent,
// what is allocated, and how many frames there are. What is finished is
// written once, and nothing is cleared.
func TestBytesOfLongSession(t *testing.T) {
	var text strings.Builder
	for i := 0; text.Len() < 200_000; i++ {
		fmt.Fprintf(&text, "Paragraph %d begins here, and *some* of it is `code`, so that there are styles in it as well as there are words.\n\n", i)
	}
	type cost struct{ bytes, frames, allocations int }
	var costs []cost
	for _, messages := range []int{0, 5000} {
		conv, now := conversation(t, messages)
		s := newStill(t, 80, 24, conv, now)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s.answer(text.String(), 1)
		runtime.ReadMemStats(&after)
		sent := s.sent.String()
		costs = append(costs, cost{len(sent), s.frames, int(after.Mallocs - before.Mallocs)})
		for _, erase := range []string{"\x1b[3J", "\x1b[2J", "\x1bc"} {
			if strings.Contains(sent, erase) {
				t.Errorf("with %d messages %q is sent", messages, erase)
			}
		}
		for i := 0; strings.Contains(text.String(), fmt.Sprintf("Paragraph %d begins", i)); i++ {
			if n := strings.Count(sent, fmt.Sprintf("Paragraph %d begins here, and", i)); n > 1 {
				t.Errorf("with %d messages paragraph %d is written %d times", messages, i, n)
			}
		}
	}
	t.Logf("%+v", costs)
	short, long := costs[0], costs[1]
	if long.bytes != short.bytes || long.frames != short.frames {
		t.Errorf("%+v, but in a new session %+v", long, short)
	}
	if ratio := float64(short.bytes) / float64(text.Len()); ratio > 2.5 {
		t.Errorf("%.2f bytes for each of text", ratio)
	}
	if each := long.allocations / long.frames; each > 500 || long.allocations > short.allocations*11/10 {
		t.Errorf("%d allocations for a frame, in all %d, in a new session %d", each, long.allocations, short.allocations)
	}
}

// A change of the size draws what is seen anew and nothing else, however long
// the session is, also in the transcript.
func TestResizeOfLongSession(t *testing.T) {
	conv, now := conversation(t, 5000)
	s := newStill(t, 80, 24, conv, now)
	allocations := func(f func()) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return int(after.Mallocs - before.Mallocs)
	}
	const most = 5000
	if n := allocations(func() { s.m.resized(60, 20); s.frame() }); n > most {
		t.Errorf("%d allocations for a frame of another size", n)
	}
	read := s.m.showTranscript()
	if n := allocations(s.frame); n > most {
		t.Errorf("%d allocations before the transcript is there", n)
	}
	s.m.apply(read().(result))
	const mostPage = 20_000 // what is on it is laid out
	for _, width := range []int{60, 100, 50} {
		if n := allocations(func() { s.m.resized(width, 30); s.frame() }); n > mostPage {
			t.Errorf("%d allocations for a frame of the transcript at %d columns", n, width)
		}
	}
	for _, key := range []rune{'g', 'j', 'e', 'n'} {
		if n := allocations(func() { s.m.key(tea.KeyPressMsg{Code: key, Text: string(key)}); s.frame() }); n > mostPage {
			t.Errorf("%d allocations for the key %c", n, key)
		}
	}
}
