package theme

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPaint(t *testing.T) {
	for _, c := range []struct {
		style Style
		text  string
		want  string
	}{
		{"", "", ""},
		{"", "a", "a"},
		{"1;31", "", ""},
		{"1;31", "a b", "\x1b[1;31ma b\x1b[m"},
	} {
		if got := c.style.Paint(c.text); got != c.want {
			t.Errorf("%q painted %q: %q, want %q", c.text, c.style, got, c.want)
		}
	}
	if got := []Style{Style("").With("1"), Style("1").With(""), Style("1").With("31")}; !cmp.Equal(got, []Style{"1", "1", "1;31"}) {
		t.Errorf("joined: %q", got)
	}
}

// TestNamesCoverTheStruct: a style that has no name cannot be changed by
// anyone, and one that is painted by no theme is none.
func TestNamesCoverTheStruct(t *testing.T) {
	dark := Dark()
	byName := map[string]*Style{}
	for _, n := range dark.styles() {
		byName[n.name] = n.style
	}
	v := reflect.ValueOf(&dark).Elem()
	fields := 0
	for i := range v.NumField() {
		style, ok := v.Field(i).Addr().Interface().(*Style)
		if !ok {
			continue
		}
		fields++
		field := v.Type().Field(i).Name
		if name := strings.ToLower(field[:1]) + field[1:]; byName[name] != style {
			t.Errorf("%s is not the style that files call %q", field, name)
		}
	}
	if fields != len(byName) {
		t.Errorf("%d styles, %d names", fields, len(byName))
	}
	for _, name := range Names() {
		built, ok := Named(name)
		if !ok || built.Name != name {
			t.Errorf("%s: %v, called %q", name, ok, built.Name)
		}
		for _, n := range built.styles() {
			if empty := *n.style == ""; empty != (name == "plain" || n.name == "text") {
				t.Errorf("%s: %s is %q", name, n.name, *n.style)
			}
		}
	}
	if _, ok := Named("neon"); ok {
		t.Error("there is a theme called neon")
	}
}

// TestContrast holds every style that carries words to the 4.5:1 that the Web
// Content Accessibility Guidelines ask for, on the backgrounds that terminals
// come with.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		theme   Theme
		grounds []string
	}{
		{Dark(), []string{"#000000", "#1e1e1e", "#282828"}},
		{Light(), []string{"#ffffff", "#fafafa", "#f5f5f5"}},
	} {
		for _, n := range c.theme.styles() {
			least := 4.5
			if n.name == "rule" || n.name == "border" {
				least = 1.8 // lines, to be seen but not read
			}
			for _, ground := range c.grounds {
				fore, back := indexed(t, string(*n.style), "38;5;"), indexed(t, string(*n.style), "48;5;")
				if fore == "" {
					continue // the terminal's own
				}
				if back == "" {
					back = ground
				}
				if got := contrast(t, fore, back); got < least {
					t.Errorf("%s: %s (%s) on %s has a contrast of %.1f, under %.1f", c.theme.Name, n.name, *n.style, back, got, least)
				}
			}
		}
	}
}

// indexed is the colour of the 256-colour palette that follows introducer.
func indexed(t *testing.T, style, introducer string) string {
	t.Helper()
	_, after, ok := strings.Cut(style, introducer)
	if !ok {
		return ""
	}
	number, _, _ := strings.Cut(after, ";")
	n, err := strconv.Atoi(number)
	if err != nil || n < 16 {
		t.Fatalf("%q: colours under 16 differ between terminals", style)
	}
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(n) / 255
		if part <= 0.03928 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

func TestSixteenUsesForegroundsOnly(t *testing.T) {
	sixteen := Sixteen()
	for _, n := range sixteen.styles() {
		for p := range strings.SplitSeq(string(*n.style), ";") {
			number, _ := strconv.Atoi(p)
			if number >= 10 && (number < 30 || number > 37) && (number < 90 || number > 97) {
				t.Errorf("%s has %s", n.name, p)
			}
		}
	}
}

func TestRead(t *testing.T) {
	got, err := Read([]byte(`{
	  "base": "light", // a comment
	  "name": "mine",
	  "accent": "#005f87",
	  "heading": "Bold underline",
	  "comment": "3;38;5;245",
	  "addedWord": "black on bright green",
	  "ok": "bold #0f0 on #102030",
	  "link": "",
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Light()
	want.Name, want.Accent, want.Heading, want.Comment = "mine", "38;2;0;95;135", "1;4", "3;38;5;245"
	want.AddedWord, want.Ok, want.Link = "30;102", "1;38;2;0;255;0;48;2;16;32;48", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := Read([]byte("{}")); err != nil || got != Dark() {
		t.Errorf("nothing: %v, %v", got, err)
	}
}

func TestReadTellsEveryFault(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
	}{
		{`{"accent": `, []string{"not JSON"}},
		{`["dark"]`, []string{"must be an object"}},
		{`null`, nil},
		{`{"base": "neon", "acent": "red", "dim": 5, "ok": "grean", "warn": "1;300", "error": "#12", "link": "red on", "rule": "bright", "text": "bright bold", "code": "on", "type": "\u001b[31m", "quote": null, "border": ";"}`, []string{
			`no theme "neon"`, "dark, light, sixteen, plain", `no style is called "acent"`, "addedWord", `"dim" must be a text, not 5`, `"grean" is not a colour`,
			`"1;300" is not a list of SGR`, `"#12"`, `"red on" ends where`, `"bright" ends where`, `"bright" must be followed`, `"on" ends where`, `"\x1b[31m" is not`, `"quote" must be`, `"border"`,
		}},
	} {
		got, err := Read([]byte(c.file))
		if got != Dark() {
			t.Errorf("%s: not the base: %v", c.file, got)
		}
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.file, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s does not say %s: %v", c.file, want, err)
			}
		}
	}
}

// FuzzRead: whatever a file says, a style is numbers and semicolons, so no file
// can make the terminal do anything but change colours.
func FuzzRead(f *testing.F) {
	f.Add(`{"accent": "bold #123456 on bright red", "ok": "1;2"}`)
	f.Fuzz(func(t *testing.T, file string) {
		got, _ := Read([]byte(file))
		for _, n := range got.styles() {
			if strings.Trim(string(*n.style), "0123456789;") != "" {
				t.Errorf("%s is %q", n.name, *n.style)
			}
		}
	})
}

// look is what a terminal makes of the parameters of SGR sequences, for those
// that themes use.
func look(sequences string) map[string]string {
	state := map[string]string{}
	for _, sequence := range strings.Split(sequences, "\x1b[") {
		sequence = strings.TrimSuffix(sequence, "m")
		p := strings.Split(sequence, ";")
		for i := 0; i < len(p); i++ {
			n, _ := strconv.Atoi(p[i])
			switch {
			case n == 0:
				clear(state)
			case n == 38 || n == 48:
				size := map[string]int{"5": 2, "2": 4}[p[i+1]]
				state[strconv.Itoa(n-8)] = strings.Join(p[i+1:i+size+1], ";")
				i += size
			case n >= 30 && n <= 37 || n >= 90:
				state["30"] = p[i]
			case n >= 40 && n <= 47:
				state["40"] = p[i]
			case n == 22:
				delete(state, "1")
			default:
				state[p[i]] = "on"
			}
		}
	}
	return state
}

func styleOf(t *rapid.T, label string) Style {
	settings := rapid.SampledFrom([]Style{"", "1", "3", "4", "7", "22", "31", "94", "42", "38;5;75", "38;5;110", "38;2;1;2;3", "48;5;22", "48;2;3;2;1"})
	var s Style
	for range rapid.IntRange(0, 3).Draw(t, label+" settings") {
		s = s.With(settings.Draw(t, label))
	}
	return s
}

// TestBetween: the short way to a style looks as the style by itself.
func TestBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := styleOf(t, "from"), styleOf(t, "to")
		change := Between(from, to)
		if diff := cmp.Diff(look("\x1b["+string(to)+"m"), look("\x1b["+string(from)+"m"+change)); diff != "" {
			t.Errorf("from %q to %q by %q:\n%s", from, to, change, diff)
		}
		if longest := len("\x1b[0;m") + len(to); len(change) > longest {
			t.Errorf("from %q to %q by %q", from, to, change)
		}
		both := from.With(to)
		if diff := cmp.Diff(look("\x1b["+string(from)+"m\x1b["+string(to)+"m"), look("\x1b["+string(both)+"m")); from != "" && to != "" && diff != "" {
			t.Errorf("%q with %q is %q:\n%s", from, to, both, diff)
		}
	})
	for _, c := range []struct{ from, to, want Style }{
		{"1", "1", ""},
		{"1", "", "\x1b[m"},
		{"", "1", "\x1b[1m"},
		{"38;5;75", "38;5;110", "\x1b[38;5;110m"},
		{"1", "1;31", "\x1b[31m"},
		{"1;31", "31", "\x1b[0;31m"},
		{"31;1", "1;31", ""},
	} {
		if got := Between(c.from, c.to); got != string(c.want) {
			t.Errorf("from %q to %q by %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
