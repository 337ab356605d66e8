package screentest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Flags of the kitty keyboard protocol.
const (
	kittyEvents    = 2
	kittyAlternate = 4
	kittyAll       = 8
	kittyText      = 16
)

// Type types text. A line feed is the Enter key.
func (s *Screen) Type(text string) {
	s.t.Helper()
	flags := s.Modes().Kitty
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(s.encode("enter"))
		case flags&kittyAll != 0:
			b.WriteString(kittyKey(stroke{char: r}, flags))
		default:
			b.WriteRune(r)
		}
	}
	s.send([]byte(b.String()))
}

// Press presses keys, as the terminal encodes them at that moment: "enter",
// "esc", "tab", "space", "backspace", "delete", "insert", "up", "down",
// "left", "right", "home", "end", "pgup", "pgdown", "f1" to "f12", or a
// character; before it "ctrl+", "alt+", "shift+" in any order.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.send([]byte(s.encode(key)))
	}
}

// Raw sends bytes as they are.
func (s *Screen) Raw(bytes string) { s.send([]byte(bytes)) }

// Paste pastes text: between marks, where the program asked for them. Line
// feeds become carriage returns, as most terminals have it.
func (s *Screen) Paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r")
	if s.Modes().Paste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	s.send([]byte(text))
}

// Focus gives the window the focus or takes it; a program is told if it asked.
func (s *Screen) Focus(on bool) {
	if !s.Modes().Focus {
		return
	}
	if on {
		s.Raw("\x1b[I")
	} else {
		s.Raw("\x1b[O")
	}
}

func (s *Screen) encode(key string) string {
	s.t.Helper()
	k, err := parseKey(key)
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	m := s.Modes()
	if m.Kitty != 0 {
		return kittyKey(k, m.Kitty)
	}
	return legacyKey(k, m.CursorKeys)
}

// stroke is one key with what is held down.
type stroke struct {
	char             rune   // of a key that writes a character
	name             string // of any other
	shift, alt, ctrl bool
}

func parseKey(key string) (stroke, error) {
	var k stroke
	rest := key
	for {
		switch {
		case strings.HasPrefix(rest, "ctrl+") && len(rest) > 5:
			k.ctrl, rest = true, rest[5:]
		case strings.HasPrefix(rest, "alt+") && len(rest) > 4:
			k.alt, rest = true, rest[4:]
		case strings.HasPrefix(rest, "shift+") && len(rest) > 6:
			k.shift, rest = true, rest[6:]
		case rest == "space":
			k.char = ' '
			return k, nil
		case utf8.RuneCountInString(rest) == 1:
			k.char, _ = utf8.DecodeRuneInString(rest)
			return k, nil
		default:
			k.name = rest
			if _, _, ok := functional(rest); !ok && control(rest) == 0 {
				return k, fmt.Errorf("screentest: there is no key %q", key)
			}
			return k, nil
		}
	}
}

// control is the code of a key that sends a control character.
func control(name string) rune {
	switch name {
	case "enter":
		return '\r'
	case "esc":
		return 0x1b
	case "tab":
		return '\t'
	case "backspace":
		return 0x7f
	}
	return 0
}

// functional is how a key is encoded: CSI number ; modifiers final.
func functional(name string) (number int, final byte, ok bool) {
	switch name {
	case "up":
		return 1, 'A', true
	case "down":
		return 1, 'B', true
	case "right":
		return 1, 'C', true
	case "left":
		return 1, 'D', true
	case "home":
		return 1, 'H', true
	case "end":
		return 1, 'F', true
	case "insert":
		return 2, '~', true
	case "delete":
		return 3, '~', true
	case "pgup":
		return 5, '~', true
	case "pgdown":
		return 6, '~', true
	case "f1", "f2", "f3", "f4":
		return 1, 'P' + name[1] - '1', true
	}
	for i, code := range []int{15, 17, 18, 19, 20, 21, 23, 24} {
		if name == fmt.Sprintf("f%d", i+5) {
			return code, '~', true
		}
	}
	return 0, 0, false
}

func (k stroke) modifiers() int {
	n := 1
	for i, held := range []bool{k.shift, k.alt, k.ctrl} {
		if held {
			n += 1 << i
		}
	}
	return n
}

func csiKey(number int, final byte, modifiers string) string {
	switch {
	case modifiers != "":
		return fmt.Sprintf("\x1b[%d;%s%c", number, modifiers, final)
	case final == '~':
		return fmt.Sprintf("\x1b[%d~", number)
	}
	return fmt.Sprintf("\x1b[%c", final)
}

// legacyKey is what terminals have always sent.
func legacyKey(k stroke, application bool) string {
	if number, final, ok := functional(k.name); ok {
		if k.modifiers() > 1 {
			return csiKey(number, final, fmt.Sprint(k.modifiers()))
		}
		if final != '~' && (application || final >= 'P') {
			return fmt.Sprintf("\x1bO%c", final)
		}
		return csiKey(number, final, "")
	}
	text := string(control(k.name))
	switch {
	case k.name == "tab" && k.shift:
		text = "\x1b[Z"
	case k.name == "backspace" && k.ctrl:
		text = "\b"
	case k.name == "":
		text = string(legacyChar(k))
	}
	if k.alt {
		text = "\x1b" + text
	}
	return text
}

func legacyChar(k stroke) rune {
	c := k.char
	if k.shift {
		c = unicode.ToUpper(c)
	}
	if !k.ctrl {
		return c
	}
	switch up := unicode.ToUpper(c); {
	case up >= '@' && up <= '_':
		return up & 0x1f
	case c == ' ':
		return 0
	case c == '/':
		return 0x1f
	case c == '?':
		return 0x7f
	}
	return c
}

// kittyKey is a key in the kitty keyboard protocol. Where the program wants
// to know, letting the key go is sent as well.
func kittyKey(k stroke, flags int) string {
	if number, final, ok := functional(k.name); ok {
		if k.name == "f3" {
			number, final = 13, '~'
		}
		return withRelease(flags, k.modifiers(), func(modifiers string) string { return csiKey(number, final, modifiers) })
	}
	code, text := control(k.name), ""
	if k.name == "" {
		code, text = unicode.ToLower(k.char), string(k.char)
		if k.char != code || k.shift {
			k.shift, text = true, string(unicode.ToUpper(k.char))
		}
	}
	plain := !k.ctrl && !k.alt
	if flags&kittyAll == 0 {
		if plain && text != "" {
			return text
		}
		if k.modifiers() == 1 && k.name != "esc" {
			return string(code) // Enter, Tab and Backspace work in a shell that was left like this
		}
	}
	number := fmt.Sprint(code)
	if flags&kittyAlternate != 0 && k.shift && text != "" {
		number += fmt.Sprintf(":%d", unicode.ToUpper(code))
	}
	return withRelease(flags, k.modifiers(), func(modifiers string) string {
		pressed := !strings.Contains(modifiers, ":")
		switch {
		case flags&kittyAll != 0 && flags&kittyText != 0 && plain && text != "" && pressed:
			return fmt.Sprintf("\x1b[%s;%s;%du", number, modifiers, []rune(text)[0])
		case modifiers == "":
			return fmt.Sprintf("\x1b[%su", number)
		}
		return fmt.Sprintf("\x1b[%s;%su", number, modifiers)
	})
}

func withRelease(flags, modifiers int, encoded func(modifiers string) string) string {
	held := ""
	if modifiers > 1 {
		held = fmt.Sprint(modifiers)
	}
	out := encoded(held)
	if flags&kittyEvents != 0 {
		out += encoded(fmt.Sprintf("%d:3", modifiers))
	}
	return out
}
