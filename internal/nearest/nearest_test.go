package nearest

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"read_fiel", "read_file", 1}, {"kitten", "sitting", 3}, {"ca", "ac", 1}, {"grün", "grun", 1}} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestClose(t *testing.T) {
	among := []string{"permission-mode", "print", "model"}
	for wrong, want := range map[string]string{"permision-mode": "permission-mode", "Modle": "model", "frobnicate": ""} {
		if got := Close(wrong, among); got != want {
			t.Errorf("%q: %q, want %q", wrong, got, want)
		}
	}
	if Close("x", nil) != "" {
		t.Error("something is near to nothing")
	}
}
