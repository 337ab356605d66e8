package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/wire"
)

func FuzzAppendString(f *testing.F) {
	f.Add("a\"b\\c\n\t\r\x00\x1f<&>\u2028ä\xff😀")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(wire.AppendString(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); utf8.ValidString(s) && back != want {
			t.Errorf("%q, want %q", back, want)
		}
	})
}

// Arguments have one form, whether they come from the provider or from a
// session file.
func FuzzAppendArgs(f *testing.F) {
	f.Add(`{ "a" : "<b>&\u003c \\u003c \" \u2028" }`)
	f.Add(`{"a":1,"b":[true,null]}`)
	f.Add(`{"a":"\ud83d\ude00\ud800x\udc00\ud83d\ud83d\ude00\\ud800\ud83d"}`)
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			t.Skip()
		}
		direct := wire.AppendArgs(nil, json.RawMessage(s))
		filed, err := json.Marshal(json.RawMessage(s))
		if err != nil {
			t.Skip()
		}
		if back := wire.AppendArgs(nil, filed); string(back) != string(direct) {
			t.Errorf("%s, but from the file %s", direct, back)
		}
		if !json.Valid(direct) {
			t.Errorf("not JSON: %s", direct)
		}
	})
}

func TestHalfASurrogatePairIsNotSent(t *testing.T) {
	for args, want := range map[string]string{
		`{"a":"\ud800x"}`:              `{"a":"\ufffdx"}`,
		`{"a":"\uDFFF"}`:               `{"a":"\ufffd"}`,
		`{"\ud83d":"\ud83d\u0041"}`:    `{"\ufffd":"\ufffd\u0041"}`,
		`{"a":"\ud83d\ude00 \ud83d"}`:  `{"a":"\ud83d\ude00 \ufffd"}`,
		`{"a":"\ud83d\ud83d\ude00"}`:   `{"a":"\ufffd\ud83d\ude00"}`,
		`{"a":"\\ud800 \u003c\ud800"}`: `{"a":"\\ud800 <\ufffd"}`,
		`{"a":"\ud83d\"b"}`:            `{"a":"\ufffd\"b"}`,
	} {
		if got := string(wire.AppendArgs(nil, json.RawMessage(args))); got != want {
			t.Errorf("%s became %s, want %s", args, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("x", 80)
	ids := wire.IDs{Max: 64}
	seen := map[string]bool{}
	for _, id := range []string{"toolu_01", "functions.add:0", "functions_add_0", long, long + "y", "ä", "call_1"} {
		got := ids.Call(id, "")
		if seen[got] || len(got) > 64 || strings.ContainsFunc(got, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
		}) {
			t.Errorf("%q became %q", id, got)
		}
		seen[got] = true
		if ids.Result(id) != got {
			t.Errorf("the result of %q goes to %q", id, ids.Result(id))
		}
		again := wire.IDs{Max: 64}
		if first := again.Call(id, ""); first != got {
			t.Errorf("%q is %q once and %q again", id, got, first)
		}
	}
	if got := ids.Call("call_2", "toolu_01"); got != "call_2" {
		t.Error("a used id of the provider's came back:", got)
	}
	if got := ids.Call("call_3", "toolu_03"); got != "toolu_03" {
		t.Error("the provider's own id was left out:", got)
	}
	exact := wire.IDs{Max: 9, Exact: true}
	for _, id := range []string{"abcdefghi", "call_1", "x"} {
		if got := exact.Call(id, ""); len(got) != 9 || strings.ContainsAny(got, "_-") {
			t.Errorf("%q became %q", id, got)
		}
	}
}
