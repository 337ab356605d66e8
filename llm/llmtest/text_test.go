package llmtest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm"
)

const everyWord = `# a comment
say hello there
think "a | b" | sig
think plain words | sig2
redacted AAAA
call read_file {"path":"a.go"}
call #id-1 list_files
call # nameless {}
badcall broken {"a":
stop refusal not this
usage in=1 out=2 cache_read=3 cache_write=4 reasoning=5

fail 529 retry-after-ms=1 x-request-id=r BODY of it
---
fail overloaded retry-after=2 slow down
---


fail too-long
expect some text
expect-new "new\ttext"
expect-re a+b
refuse bad text
when the child
repeat 3

delay 10ms
pieces 1
bytes 3
stall 1s
hang

comment keep alive
raw "data: {}\n\n"
after {"error":1}
crlf
cut

say <<END
first

  third | x
END
cut 100

reset
max-input 9000
*
`

func TestParseScript(t *testing.T) {
	got, err := ParseScript(everyWord)
	if err != nil {
		t.Fatal(err)
	}
	want := []Answer{
		Join(Say("hello there"), Think("a | b", "sig"), Think("plain words", "sig2"), Redacted("AAAA"),
			Call("read_file", `{"path":"a.go"}`), CallID("id-1", "list_files", ""), CallID("", "nameless", "{}"), Malformed("broken", `{"a":`),
			Refuse("not this"), Usage(llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5})),
		Status(529, map[string][]string{"Retry-After-Ms": {"1"}, "X-Request-Id": {"r"}}, "BODY of it"),
		Fail(&llm.Error{Kind: llm.ErrOverloaded, Message: "slow down", RetryAfter: 2 * time.Second}),
		Join(TooLong(), Expect("some text"), ExpectNew("new\ttext"), ExpectRegexp("a+b"), ExpectNot("bad text"), When("the child"), Repeat(3)),
		Join(Delay(10*time.Millisecond), Pieces(1), Bytes(3), Stall(time.Second), Hang()),
		Join(Raw(": keep alive\n\n"), Raw("data: {}\n\n"), After(`{"error":1}`), CRLF(), Cut()),
		Join(Say("first\n\n  third | x"), CutAt(100)),
		Join(Reset(), MaxInput(9000), Repeat(Forever)),
	}
	if d := compare(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	again, err := ParseScript(printAll(got))
	if err != nil {
		t.Fatal(err)
	}
	if d := compare(got, again); d != "" {
		t.Errorf("printed and read again (-before +after)\n%s", d)
	}
}

func TestParseScriptCRLF(t *testing.T) {
	got, err := ParseScript("say a\r\n\r\nsay b\r\n*\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if d := compare([]Answer{Say("a"), Join(Say("b"), Repeat(Forever))}, got); d != "" {
		t.Error(d)
	}
}

func compare(a, b []Answer) string {
	return cmp.Diff(a, b, cmp.AllowUnexported(Step{}), cmp.Comparer(func(a, b *llm.Error) bool {
		if a == nil || b == nil {
			return a == b
		}
		return errors.Is(a.Kind, b.Kind) && a.Message == b.Message && a.RetryAfter == b.RetryAfter
	}))
}

func printAll(answers []Answer) string {
	var all []string
	for _, a := range answers {
		all = append(all, a.String())
	}
	return strings.Join(all, "---\n")
}

func TestParseScriptErrors(t *testing.T) {
	for text, want := range map[string]string{
		"say a\n\nspeak b\nsay c\nhush": `line 3: unknown word "speak"` + "\n" + `line 5: unknown word "hush"`,
		"call":                          "line 1: call wants the name of a tool",
		`call x {"a":}`:                 "line 1: the arguments of x are not a JSON object (badcall sends such ones): {\"a\":}",
		"call x []":                     "line 1: the arguments of x are not a JSON object (badcall sends such ones): []",
		"stop":                          "line 1: stop wants a reason, such as max_tokens",
		"usage in=x":                    `line 1: usage: "in=x" is not NAME=NUMBER`,
		"usage tokens=1":                `line 1: usage: "tokens" is not in, out, cache_read, cache_write or reasoning`,
		"fail":                          `line 1: fail: "" is neither a status nor one of auth, rate-limited, overloaded, server, unreachable, stream, stalled, too-long, request`,
		"fail 99":                       "line 1: fail: 99 is not an HTTP status",
		"fail auth x-y=1":               "line 1: fail: only a status can have headers other than retry-after and retry-after-ms",
		"stall soon":                    `line 1: stall wants a duration, such as 20ms, not "soon"`,
		"repeat 0":                      `line 1: repeat wants a number above 0, not "0"`,
		"cut here":                      `line 1: cut wants a number above 0, not "here"`,
		"hang 3s":                       "line 1: hang takes nothing after it",
		"expect":                        "line 1: expect wants a text",
		"expect-re (":                   "line 1: error parsing regexp: missing closing ): `(`",
		"*":                             "line 1: * stands before any answer",
		"say <<EOF\ntext":               "line 1: there is no line EOF that ends the text",
	} {
		_, err := ParseScript(text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		// The second line of a text without its end is read as a step.
		if first, _, _ := strings.Cut(got, "\nline 2"); first != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// FuzzParseScript checks that what can be read prints as something that reads
// the same.
func FuzzParseScript(f *testing.F) {
	f.Add(everyWord)
	f.Add("say \"\nthink | \nthink a |  | b\nthink `x` | \"\nstop x \"\nfail 500 a=\"b c\nfail 200 = <<A\nA\ncall #\ncall #a b c\nsay \xff\nsay \u2028x")
	f.Fuzz(func(t *testing.T, text string) {
		answers, err := ParseScript(text)
		if err != nil {
			return
		}
		again, err := ParseScript(printAll(answers))
		if err != nil {
			t.Fatalf("what was printed cannot be read: %v\n%s", err, printAll(answers))
		}
		if d := compare(answers, again); d != "" {
			t.Fatalf("printed and read again (-before +after)\n%s", d)
		}
	})
}
