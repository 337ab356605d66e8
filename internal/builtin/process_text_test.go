package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// textOf converts pieces one after the other.
func textOf(pieces ...string) string {
	var t plainText
	var b strings.Builder
	for _, p := range pieces {
		b.Write(t.convert([]byte(p)))
	}
	b.Write(t.flush())
	return b.String()
}

func TestPlainText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "a\tb\nc", "a\tb\nc"},
		{"unicode", "häß 日本 🙂", "häß 日本 🙂"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private parameters", "\x1b[?25lx\x1b[>4;2my", "xy"},
		{"title ended by BEL", "\x1b]0;pwn\x07hi", "hi"},
		{"title ended by ST", "\x1b]0;pwn\x1b\\hi", "hi"},
		{"title ended by C1", "\x1b]0;pwn\u009chi", "hi"},
		{"device control", "\x1bPq#0;2\x1b\\hi", "hi"},
		{"charset", "\x1b(Bhi\x1b#8", "hi"},
		{"C1 introducer", "a\u009b31mb\u009d0;t\x07c", "abc"},
		{"unended title does not swallow the rest", "\x1b]0;pwn\nhi", "\nhi"},
		{"unended control does not swallow the rest", "\x1b[12\nhi", "\nhi"},
		{"control cut by text of another script", "\x1b[12日", "日"},
		{"two escapes", "\x1b\x1b[31mx", "x"},
		{"escape at the end", "x\x1b", "x"},
		{"bell, backspace, delete", "a\x07b\x08c\x7fd\x0ee", "abcde"},
		{"line ends", "a\r\nb\r\r\nc\rd\r", "a\nb\nc\nd\n"},
		{"NUL", "a\x00b", `a\0b`},
		{"invalid bytes", "\xff\xfebad", "\uFFFD\uFFFDbad"},
		{"character cut off at the end", "a\xe6\x97", "a\uFFFD\uFFFD"},
		{"surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := textOf(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzPlainText(f *testing.F) {
	f.Add("a\x1b[31mb\r\nc\xe6\x97\xa5\x00", uint(3), uint(9))
	f.Add("\x1b]0;t\x1b\\\xff\xfe\u009b1m", uint(1), uint(2))
	f.Add("日本\r\r\x1b", uint(2), uint(4))
	f.Fuzz(func(t *testing.T, in string, i, j uint) {
		whole := textOf(in)
		a, b := int(i%uint(len(in)+1)), int(j%uint(len(in)+1))
		if a, b = min(a, b), max(a, b); textOf(in[:a], in[a:b], in[b:]) != whole {
			t.Errorf("cut at %d and %d: %q, in one piece %q", a, b, textOf(in[:a], in[a:b], in[b:]), whole)
		}
		if !utf8.ValidString(whole) {
			t.Errorf("not UTF-8: %q", whole)
		}
		if strings.ContainsFunc(whole, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("control characters left: %q", whole)
		}
		if in == whole {
			return
		}
		if again := textOf(whole); again != whole {
			t.Errorf("not stable: %q became %q", whole, again)
		}
	})
}

func BenchmarkPlainText(b *testing.B) {
	chunk := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 64<<10/45))
	var t plainText
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		t.convert(chunk)
	}
}
