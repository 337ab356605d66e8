package skill

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzRead: any bytes are read or refused, what is told of them is one clean
// line, and the body is the end of the text.
func FuzzRead(f *testing.F) {
	for _, s := range handmade() {
		f.Add(s.Content)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := newSkill(Root{}, directory{path: "/x/a-skill"}, "a-skill", "SKILL.md", raw)
		if err == nil {
			if !usable(s.Name) || s.Description == "" || utf8.RuneCountInString(s.Description) > maxDescription {
				t.Errorf("%q: %q", s.Name, s.Description)
			}
			for _, text := range []string{s.Name, s.Description, s.Compatibility} {
				if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
					t.Errorf("%q is not clean", text)
				}
			}
		}
		d, err := read(raw)
		if err != nil {
			return
		}
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(strings.TrimPrefix(string(raw), "\ufeff"), "\ufffd"))
		if !strings.HasSuffix(text, d.body) || d.body != "" && d.line != strings.Count(text[:len(text)-len(d.body)], "\n")+1 {
			t.Errorf("the body %q of %q does not begin in line %d", d.body, text, d.line)
		}
	})
}

// FuzzValidate: what is valid is read without a fault, and as the same.
func FuzzValidate(f *testing.F) {
	for _, s := range handmade() {
		f.Add(s.Dir, string(s.Content))
	}
	f.Fuzz(func(t *testing.T, dir, content string) {
		problems := validate(dir, content)
		if Valid(problems) == (len(problems) > 0 && !problems[0].Warning) {
			t.Errorf("%v", problems)
		}
		for _, p := range problems {
			if p.Text == "" || p.kind == "" != p.Warning {
				t.Errorf("%+v", p)
			}
		}
		if len(problems) > 0 || strings.ContainsRune(content, 0) || !usable(dir) {
			return
		}
		s, err := newSkill(Root{}, directory{path: "/x/" + dir}, dir, "SKILL.md", []byte(content))
		if err != nil || !strings.EqualFold(s.Name, dir) && !strings.Contains(strings.Join(s.Faults, "\n"), "not its directory's") {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// FuzzExpand: a text without placeholders stays as it is, and expanding takes
// nothing but what was given.
func FuzzExpand(f *testing.F) {
	f.Add("$ARGUMENTS $1 $ARGUMENTS[0] $name \\$", "a 'b c' \"d")
	f.Add("$0 $00 $1", "$1 $0")
	f.Fuzz(func(t *testing.T, text, args string) {
		got := Expand(text, []string{"name"}, args)
		if !strings.ContainsRune(text, '$') {
			want := text
			if typed := strings.TrimSpace(args); typed != "" {
				want = strings.TrimRight(text, "\n") + "\n\nARGUMENTS: " + typed
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if utf8.ValidString(text) && utf8.ValidString(args) && !utf8.ValidString(got) {
			t.Errorf("%q is cut", got)
		}
		if strings.ContainsRune(got, '$') && !strings.ContainsRune(text+args, '$') {
			t.Errorf("%q", got)
		}
		for _, field := range Fields(args) {
			if strings.Contains(text, "$ARGUMENTS ") && !strings.Contains(got, strings.TrimSpace(args)) {
				t.Errorf("%q is not in %q", field, got)
			}
		}
	})
}
