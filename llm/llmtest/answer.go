package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/minicode-go/minicode/llm"
)

// Answer is what a script gives to one request: steps, done in order. Each
// constructor of this package makes an answer of one step, which is a whole
// answer already; [Join] makes one answer of several.
type Answer []Step

// Step is one thing that an answer does: it says a part, waits, fails, looks
// at the request. Make it with the constructors; it prints as a line of the
// script format.
type Step struct {
	op    op
	part  llm.Part      // of the ops that say something
	fixed bool          // a call's id is as given, even if empty
	text  string        // what to look for, to write, or why it stopped
	stop  llm.Stop      //
	n     int           // a count, a status or a position in bytes
	wait  time.Duration // negative: until the client leaves
	usage llm.Usage
	err   *llm.Error
	head  http.Header
	check func(llm.Request) error
}

// op is what a step does; its value is the word of the script format.
type op string

const (
	opSay       op = "say"
	opThink     op = "think"
	opRedacted  op = "redacted"
	opCall      op = "call"
	opBadCall   op = "badcall"
	opStop      op = "stop"
	opUsage     op = "usage"
	opFail      op = "fail"
	opStatus    op = "status" // printed as "fail"
	opCut       op = "cut"
	opCutAt     op = "cut-at" // printed as "cut"
	opReset     op = "reset"
	opHang      op = "hang"
	opStall     op = "stall"
	opDelay     op = "delay"
	opPieces    op = "pieces"
	opBytes     op = "bytes"
	opRaw       op = "raw"
	opAfter     op = "after"
	opCRLF      op = "crlf"
	opExpect    op = "expect"
	opExpectNew op = "expect-new"
	opExpectRe  op = "expect-re"
	opExpectNot op = "refuse"
	opWhen      op = "when"
	opCheck     op = "check"
	opRepeat    op = "repeat"
	opMaxInput  op = "max-input"
)

// Forever is for [Repeat]: the answer is given to every request from there on.
const Forever = -1

// Join makes one answer of several, in order.
func Join(answers ...Answer) Answer {
	var all Answer
	for _, a := range answers {
		all = append(all, a...)
	}
	return all
}

// Say is some text.
func Say(text string) Answer { return Answer{{op: opSay, part: llm.Text{Text: text}}} }

// Think is some thinking. Over HTTP an empty signature is replaced by one that
// any llmtest server recognises as its own.
func Think(text, signature string) Answer {
	return Answer{{op: opThink, part: llm.Thinking{Text: text, Signature: signature}}}
}

// Redacted is thinking that the provider shows only in encrypted form.
func Redacted(data string) Answer {
	raw, _ := json.Marshal(map[string]string{"type": "redacted_thinking", "data": data})
	return Answer{{op: opRedacted, text: data, part: llm.Thinking{Raw: raw}}}
}

// Call is a tool call with an id made up for it. The arguments must be a JSON
// object; none at all stand for an empty one. It panics if they are not: see
// [Malformed].
func Call(name, args string) Answer {
	if !isObject(args) {
		panic(fmt.Sprintf("llmtest: Call(%q): the arguments are not a JSON object: %s", name, args))
	}
	return Answer{{op: opCall, part: llm.ToolCall{Name: name, Args: json.RawMessage(args)}}}
}

// CallID is a tool call with the id as given, which may be empty or one that
// was used before.
func CallID(id, name, args string) Answer {
	a := Call(name, args)
	c := a[0].part.(llm.ToolCall)
	c.ID = id
	a[0].part, a[0].fixed = c, true
	return a
}

// Malformed is a tool call whose arguments are this text, which need not be
// JSON.
func Malformed(name, text string) Answer {
	return Answer{{op: opBadCall, part: llm.ToolCall{Name: name, Malformed: text}}}
}

// Usage is what the answer is said to have cost. Without it the numbers are
// estimated from the sizes of request and answer.
func Usage(u llm.Usage) Answer { return Answer{{op: opUsage, usage: u}} }

// StopWith is why the answer ends. Without it an answer with calls ends with
// [llm.StopTools] and any other with [llm.StopEnd].
func StopWith(stop llm.Stop) Answer { return Answer{{op: opStop, stop: stop}} }

// Refuse ends the answer with [llm.StopRefusal] and the provider's reason.
func Refuse(why string) Answer { return Answer{{op: opStop, stop: llm.StopRefusal, text: why}} }

// Fail is a fault of the provider. In process the error is yielded as it is.
// Over HTTP it becomes what such an error comes from: before anything was
// said a status with a body in the provider's shape and its own words,
// afterwards an error inside the stream; [llm.ErrUnreachable] is a connection
// that is reset, [llm.ErrStream] is [Cut], [llm.ErrStalled] is [Hang].
func Fail(err *llm.Error) Answer { return Answer{{op: opFail, err: err}} }

// Status is an HTTP answer with this status and body; header may be nil. A
// body that is not JSON and not HTML is wrapped in the provider's error shape,
// and an empty one gets the provider's usual words. After something was said
// it is an error inside the stream.
func Status(status int, header http.Header, body string) Answer {
	return Answer{{op: opStatus, n: status, head: header, text: body}}
}

// TooLong refuses the prompt as too long, in the provider's words.
func TooLong() Answer {
	return Fail(&llm.Error{Kind: llm.ErrContextTooLong, RetryAfter: -1})
}

// Hang says nothing more until the client leaves or ctx ends.
func Hang() Answer { return Answer{{op: opHang, wait: -1}} }

// Stall says nothing for the duration, once.
func Stall(d time.Duration) Answer { return Answer{{op: opStall, wait: d}} }

// Delay waits this long before each delta from here on.
func Delay(d time.Duration) Answer { return Answer{{op: opDelay, wait: d}} }

// Cut ends the stream here, in good order but without its terminal event.
func Cut() Answer { return Answer{{op: opCut}} }

// CutAt breaks the connection after n bytes of the stream's body. In process
// it is a [Cut] at the end.
func CutAt(n int) Answer { return Answer{{op: opCutAt, n: n}} }

// Reset resets the connection here.
func Reset() Answer { return Answer{{op: opReset}} }

// Pieces sets how many characters a delta has; 12 otherwise.
func Pieces(n int) Answer { return Answer{{op: opPieces, n: n}} }

// Bytes makes the server write the stream n bytes at a time, so that events,
// lines and characters are torn. Without meaning in process.
func Bytes(n int) Answer { return Answer{{op: opBytes, n: n}} }

// Raw puts the text into the stream here, as it is. Without meaning in
// process.
func Raw(text string) Answer { return Answer{{op: opRaw, text: text}} }

// After puts the text after the terminal event, as it is. Without meaning in
// process.
func After(text string) Answer { return Answer{{op: opAfter, text: text}} }

// CRLF ends the stream's lines with CR LF. Without meaning in process.
func CRLF() Answer { return Answer{{op: opCRLF}} }

// Expect checks that the request holds the text, in its body as sent or in
// one of its strings.
func Expect(text string) Answer { return Answer{{op: opExpect, text: text}} }

// ExpectNew is [Expect] for what came after the last assistant message.
func ExpectNew(text string) Answer { return Answer{{op: opExpectNew, text: text}} }

// ExpectRegexp is [Expect] for a regular expression.
func ExpectRegexp(re string) Answer { return Answer{{op: opExpectRe, text: re}} }

// ExpectNot checks that the request does not hold the text.
func ExpectNot(text string) Answer { return Answer{{op: opExpectNot, text: text}} }

// When gives the answer only to requests that hold the text; others pass it
// by. It is how requests that come side by side find their answers.
func When(text string) Answer { return Answer{{op: opWhen, text: text}} }

// Check looks at the request, in process only.
func Check(f func(llm.Request) error) Answer { return Answer{{op: opCheck, check: f}} }

// Repeat gives the answer to n requests, or to all that come if n is
// [Forever]; such an answer may also stay unused.
func Repeat(n int) Answer { return Answer{{op: opRepeat, n: n}} }

// MaxInput makes the script refuse every prompt above this many tokens as too
// long, without using an answer up. It holds for the whole script. A token
// counts as four bytes of the request.
func MaxInput(tokens int) Answer { return Answer{{op: opMaxInput, n: tokens}} }

// find is the last step of that op.
func (a Answer) find(o op) (Step, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].op == o {
			return a[i], true
		}
	}
	return Step{}, false
}

// times is how often the answer is given.
func (a Answer) times() int {
	if s, ok := a.find(opRepeat); ok {
		return s.n
	}
	return 1
}

// ending is why the answer stops, and what is said besides.
func (a Answer) ending() (llm.Stop, string) {
	if s, ok := a.find(opStop); ok {
		return s.stop, s.text
	}
	for _, s := range a {
		if s.op == opCall || s.op == opBadCall {
			return llm.StopTools, ""
		}
	}
	return llm.StopEnd, ""
}

// cost is the usage as scripted, or else estimated for a request of so many
// bytes.
func (a Answer) cost(bytes int) llm.Usage {
	if s, ok := a.find(opUsage); ok {
		return s.usage
	}
	out := 0
	for _, s := range a {
		switch p := s.part.(type) {
		case llm.Text:
			out += len(p.Text)
		case llm.Thinking:
			out += len(p.Text) + len(p.Raw)
		case llm.ToolCall:
			out += len(p.Name) + len(p.Args) + len(p.Malformed)
		}
	}
	return llm.Usage{Input: bytes/4 + 1, Output: out/4 + 1}
}

// pieceSize is how many characters a delta has.
func (a Answer) pieceSize() int {
	if s, ok := a.find(opPieces); ok && s.n > 0 {
		return s.n
	}
	return 12
}

// pieces cuts the text into runs of n characters. A text that is not UTF-8 is
// kept in one.
func pieces(text string, n int) []string {
	var all []string
	start, count := 0, 0
	for i := range text {
		if count == n {
			all = append(all, text[start:i])
			start, count = i, 0
		}
		count++
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// arguments is the text of a call's arguments as a model would stream it.
func arguments(c llm.ToolCall) string {
	if c.Malformed != "" {
		return c.Malformed
	}
	return string(c.Args)
}

// isObject says whether the text is a JSON object, or nothing at all.
func isObject(text string) bool {
	if text == "" {
		return true
	}
	var m map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &m) == nil && m != nil
}
