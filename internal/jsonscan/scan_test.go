package jsonscan_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/jsonscan"
)

func seeds() []string {
	return []string{
		``, ` `, `{}`, ` { } `, `[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{1:2}`, `{"a" : [ 1 , {"b":null} ] }`,
		`""`, `"`, `"a`, `"\"`, `"\\"`, `"\u00e9"`, `"\u00g9"`, `"\u00"`, `"\x"`, `"\/\b\f\n\r\t"`, "\"\n\"", "\"\x1f\"", "\"\x7f\xff\"",
		`0`, `-0`, `00`, `01`, `-`, `1.`, `1.5`, `.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `+1`, `1 2`, `NaN`,
		`true`, `tru`, `trueX`, `false`, `null`, `nul`, `{}}`, `{"a":1}{"b":2}`, `"eight by"`, `"more than eight bytes and a \" quote"`,
		strings.Repeat("[", 50) + strings.Repeat("]", 50), strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50),
	}
}

func TestValid(t *testing.T) {
	for _, s := range append(seeds(),
		strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000), strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001),
		strings.Repeat(`{"a":`, 10_000)+"1"+strings.Repeat("}", 10_000), strings.Repeat(`{"a":`, 10_001)+"1"+strings.Repeat("}", 10_001)) {
		if got, want := jsonscan.Valid([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("%.80q is valid: %v, want %v", s, got, want)
		}
	}
}

// TestValidMutated changes valid texts byte by byte.
func TestValidMutated(t *testing.T) {
	const text = `{"path":"a\u00e9.go","n":[-1.5e+3,0,true,false,null,{}],"content":"\tif err != nil {\n\t\treturn \"x\", err\n}\\"}`
	const bytes = "\"\\{}[]:,0123456789.eE+-truefalsn uAf/\n\x00\x1f\x80"
	r := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for range 200_000 {
		b := []byte(text)
		for range 1 + r.IntN(2) {
			switch at, c := r.IntN(len(b)), bytes[r.IntN(len(bytes))]; r.IntN(3) {
			case 0:
				b[at] = c
			case 1:
				b = append(b[:at], b[at+1:]...)
			case 2:
				b = append(b[:at:at], append([]byte{c}, b[at:]...)...)
			}
		}
		got, want := jsonscan.Valid(b), json.Valid(b)
		if got != want {
			t.Fatalf("%q is valid: %v, want %v", b, got, want)
		}
		if want {
			valid++
		}
	}
	if valid < 10_000 || valid > 190_000 {
		t.Errorf("%d of 200000 texts were valid; the test tells little", valid)
	}
}

func FuzzValid(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := jsonscan.Valid(b), json.Valid(b); got != want {
			t.Errorf("%q is valid: %v, want %v", b, got, want)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("plain text, then a \" quote", 3)
	f.Add("\x80\xff\x20\x21\x23\x5b\x5d\x7f\x1f\x22\x5c", 0)
	f.Fuzz(func(t *testing.T, s string, from int) {
		if from < 0 || from > len(s) {
			t.Skip()
		}
		want := len(s)
		for i := from; i < len(s); i++ {
			if s[i] < ' ' || s[i] == '"' || s[i] == '\\' {
				want = i
				break
			}
		}
		if got := jsonscan.Plain(s, from); got != want || jsonscan.Plain([]byte(s), from) != want {
			t.Errorf("%q from %d: %d, want %d", s, from, got, want)
		}
	})
}

func TestPlainEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 16 {
			b := []byte("sixteen letters.")
			b[at] = byte(c)
			want := 16
			if c < ' ' || c == '"' || c == '\\' {
				want = at
			}
			if got := jsonscan.Plain(b, 0); got != want {
				t.Errorf("%q: %d, want %d", b, got, want)
			}
		}
	}
}

func BenchmarkValid(b *testing.B) {
	text, err := json.Marshal(map[string]string{"path": "a.go", "content": strings.Repeat("\tif err != nil {\n\t\treturn \"x\", err\n\t}\n", 1000)})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if !jsonscan.Valid(text) {
			b.Fatal("not valid")
		}
	}
}
