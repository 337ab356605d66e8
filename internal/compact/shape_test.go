package compact_test

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// drawn is a history built from words, one for a message or a round, and read
// back as words. The first letter of a word says what it is:
//
//	p  prompt                        r  a read: call and result, about 500 tokens
//	l  prompt of about 4,000 tokens  b  a read of about 4,000 tokens
//	k  note                          x  three reads in one answer
//	u  nudge                         w  a write     f  a call that failed
//	a  final answer                  o  a call without result
//	s  summary                       d  a result without call
//	n  snip note                     c  a read that was cleared before
type drawn struct {
	*history
	words map[string]string // by message id
	count map[string]int    // of the messages of a word
}

func draw(window int, words string) drawn {
	d := drawn{emptyHistory(window), map[string]string{}, map[string]int{}}
	d.more(words)
	return d
}

func (d drawn) more(words string) {
	for _, word := range strings.Fields(words) {
		before := len(d.log.Messages())
		d.one(word)
		for _, m := range d.log.Messages()[before:] {
			d.words[m.ID] = word
			d.count[word]++
		}
	}
}

// chars is how many characters of text take so many tokens.
func (d drawn) chars(tokens int) int {
	const sample = 40_000
	return tokens * sample / account.Estimate(llm.Request{System: d.text(sample)})
}

func (d drawn) one(word string) {
	round := func(is func(*llm.ToolResult), tokens ...int) {
		var calls []llm.ToolCall
		for range tokens {
			calls = append(calls, d.call("read_file"))
		}
		d.answer(calls...)
		for i, c := range calls {
			d.result(c, d.text(d.chars(tokens[i])), is)
		}
	}
	switch word[0] {
	case 'p':
		d.add(event.Message{Message: d.prompt(20)})
	case 'l':
		d.add(event.Message{Message: d.prompt(d.chars(4000))})
	case 'k':
		d.say(llm.User, llm.Note, "note "+word)
	case 'u':
		d.say(llm.User, llm.Nudge, "go on "+word)
	case 'a':
		d.say(llm.Assistant, llm.Final, "done "+word)
	case 's':
		d.say(llm.User, llm.Summary, "[Context Summary from earlier conversation]\n"+word)
	case 'n':
		d.say(llm.User, llm.Snipped, "a cut")
	case 'r':
		round(again, 420)
	case 'b':
		round(again, 4000)
	case 'x':
		round(again, 180, 180, 180)
	case 'w':
		round(wrote, 30)
	case 'f':
		round(failed, 30)
	case 'o':
		d.answer(d.call("read_file"))
	case 'd':
		d.result(d.call("read_file"), "from nowhere", again)
	case 'c':
		c := d.call("read_file")
		d.answer(c)
		d.result(c, "[Output cleared for context space]", again)
	default:
		panic("no such word: " + word)
	}
}

// shape is a view in words. A message that was put in is "#" for a note, "~"
// for a shorter prompt and "-" for a result; a round that is not whole has a
// "!".
func (d drawn) shape(messages []llm.Message) string {
	left := map[string]int{}
	for _, m := range messages {
		left[d.words[m.ID]]++
	}
	var out []string
	for _, m := range messages {
		word, ok := d.words[m.ID]
		switch {
		case !ok && m.Kind == llm.Prompt:
			word = "~"
		case !ok && m.Role == llm.ToolRole:
			word = "-"
		case !ok:
			word = "#"
		case left[word] < d.count[word]:
			word += "!"
		}
		if len(out) == 0 || out[len(out)-1] != word || !ok {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

func TestShape(t *testing.T) {
	d := draw(8000, "p1 r1 x1 a1 o1 k1")
	if got := d.shape(d.log.Messages()); got != "p1 r1 x1 a1 o1 k1" {
		t.Errorf("got %q", got)
	}
	if got := d.shape(d.log.Messages()[2:]); got != "r1! x1 a1 o1 k1" {
		t.Errorf("of a part: %q", got)
	}
}
