package screentest

import "testing"

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		key    string
		legacy string
		kitty  string // with flag 1
		all    string // with flags 1, 4, 8 and 16
	}{
		{"a", "a", "a", "\x1b[97;;97u"},
		{"A", "A", "A", "\x1b[97:65;2;65u"},
		{"shift+a", "A", "A", "\x1b[97:65;2;65u"},
		{"enter", "\r", "\r", "\x1b[13u"},
		{"esc", "\x1b", "\x1b[27u", "\x1b[27u"},
		{"tab", "\t", "\t", "\x1b[9u"},
		{"backspace", "\x7f", "\x7f", "\x1b[127u"},
		{"space", " ", " ", "\x1b[32;;32u"},
		{"ctrl+o", "\x0f", "\x1b[111;5u", "\x1b[111;5u"},
		{"ctrl+space", "\x00", "\x1b[32;5u", "\x1b[32;5u"},
		{"ctrl+_", "\x1f", "\x1b[95;5u", "\x1b[95;5u"},
		{"ctrl+c", "\x03", "\x1b[99;5u", "\x1b[99;5u"},
		{"shift+tab", "\x1b[Z", "\x1b[9;2u", "\x1b[9;2u"},
		{"shift+enter", "\r", "\x1b[13;2u", "\x1b[13;2u"},
		{"alt+enter", "\x1b\r", "\x1b[13;3u", "\x1b[13;3u"},
		{"alt+b", "\x1bb", "\x1b[98;3u", "\x1b[98;3u"},
		{"alt+backspace", "\x1b\x7f", "\x1b[127;3u", "\x1b[127;3u"},
		{"up", "\x1b[A", "\x1b[A", "\x1b[A"},
		{"ctrl+left", "\x1b[1;5D", "\x1b[1;5D", "\x1b[1;5D"},
		{"alt+shift+right", "\x1b[1;4C", "\x1b[1;4C", "\x1b[1;4C"},
		{"home", "\x1b[H", "\x1b[H", "\x1b[H"},
		{"delete", "\x1b[3~", "\x1b[3~", "\x1b[3~"},
		{"pgdown", "\x1b[6~", "\x1b[6~", "\x1b[6~"},
		{"ctrl+delete", "\x1b[3;5~", "\x1b[3;5~", "\x1b[3;5~"},
		{"f1", "\x1bOP", "\x1b[P", "\x1b[P"},
		{"f3", "\x1bOR", "\x1b[13~", "\x1b[13~"},
		{"f5", "\x1b[15~", "\x1b[15~", "\x1b[15~"},
		{"f12", "\x1b[24~", "\x1b[24~", "\x1b[24~"},
		{"ctrl++", "+", "\x1b[43;5u", "\x1b[43;5u"},
		{"漢", "漢", "漢", "\x1b[28450;;28450u"},
	} {
		k, err := parseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		if got := legacyKey(k, false); got != c.legacy {
			t.Errorf("%s: %q, want %q", c.key, got, c.legacy)
		}
		if got := kittyKey(k, 1); got != c.kitty {
			t.Errorf("%s with flag 1: %q, want %q", c.key, got, c.kitty)
		}
		if got := kittyKey(k, 1|4|8|16); got != c.all {
			t.Errorf("%s with all flags: %q, want %q", c.key, got, c.all)
		}
	}
	k, _ := parseKey("up")
	if got := legacyKey(k, true); got != "\x1bOA" {
		t.Errorf("up for an application: %q", got)
	}
	k, _ = parseKey("esc")
	if got := kittyKey(k, 3); got != "\x1b[27u\x1b[27;1:3u" {
		t.Errorf("esc with its release: %q", got)
	}
	for _, bad := range []string{"", "escape", "ctrl+", "f13", "hyper+a"} {
		if _, err := parseKey(bad); err == nil {
			t.Errorf("%q is a key", bad)
		}
	}
}
