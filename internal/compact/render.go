package compact

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// input is messages as text that a model is to digest, in pieces that can be
// made shorter where its window is too small for all of them.
type input struct {
	pieces []piece
	ratio  float64 // tokens that the asked model counts for one that is estimated
}

// piece is one message, or one call in it.
type piece struct {
	head, text string
	rank       rank
	tokens     int
}

// rank is in which order pieces are made shorter.
type rank int

const (
	ofResult rank = iota
	ofOther
	ofSummary
	ofPrompt
)

// leastPiece is how many tokens are left of any piece that is made shorter.
const leastPiece = 60

// render makes text of the messages. Thinking is left out, and a picture is
// named only.
func render(messages []llm.Message, ratio float64) input {
	in := input{ratio: ratio}
	for _, m := range messages {
		switch {
		case m.Role == llm.Assistant:
			in.add("assistant", plain(m.Parts), ofOther)
			for _, c := range m.Calls() {
				in.add("assistant calls "+c.Name, string(c.Args)+c.Malformed, ofOther)
			}
		case m.Role == llm.ToolRole:
			r, _ := m.Result()
			head := "result of " + r.Name
			if r.Error {
				head += ", an error"
			}
			in.add(head, plain(r.Parts), ofResult)
		case m.Kind == llm.Prompt:
			in.add("user", plain(m.Parts), ofPrompt)
		case m.Kind == llm.Summary:
			in.add("summary of an earlier part", plain(m.Parts), ofSummary)
		default:
			in.add("note by the program", plain(m.Parts), ofOther)
		}
	}
	return in
}

func (in *input) add(head, text string, r rank) {
	if strings.TrimSpace(text) != "" {
		// What is quoted must not look like the end of the material.
		text = strings.ReplaceAll(text, "</conversation>", `<\/conversation>`)
		in.pieces = append(in.pieces, in.measured(piece{head: head, text: text, rank: r}))
	}
}

func plain(parts llm.Parts) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			b.WriteString(p.Text)
		case llm.Image:
			b.WriteString("(image)")
		}
	}
	return b.String()
}

func (p piece) String() string { return "[" + p.head + "]\n" + p.text + "\n\n" }

func (in input) measured(p piece) piece {
	p.tokens = calibrated(p.String(), in.ratio)
	return p
}

// calibrated is about how many tokens the text takes.
func calibrated(text string, ratio float64) int {
	return int(float64(account.Estimate(llm.Request{System: text}))*ratio + 0.5)
}

func (in input) tokens() (sum int) {
	for _, p := range in.pieces {
		sum += p.tokens
	}
	return sum
}

func (in input) String() string {
	var b strings.Builder
	for _, p := range in.pieces {
		b.WriteString(p.String())
	}
	return b.String()
}

// fit makes the input shorter until it takes no more than limit tokens: first
// the largest results, then the largest of everything else, then the oldest of
// both go, and only then summaries and prompts give way. It is false when that
// is not enough. The input that it is called on does not change.
func (in input) fit(limit int) (input, bool) {
	in.pieces = slices.Clone(in.pieces)
	for _, shorten := range []func(){
		func() { in.lower(ofResult, limit) },
		func() { in.lower(ofOther, limit) },
		func() { in.drop(limit) },
		func() { in.lower(ofSummary, limit) },
		func() { in.lower(ofPrompt, limit) },
	} {
		if in.tokens() <= limit {
			break
		}
		shorten()
	}
	return in, in.tokens() <= limit
}

// lower cuts the largest pieces of the rank down to one size, as large as the
// limit for the whole input lets it be.
func (in *input) lower(r rank, limit int) {
	var sizes []int
	rest := limit // for the pieces of the rank
	for _, p := range in.pieces {
		if p.rank == r {
			sizes = append(sizes, p.tokens)
		} else {
			rest -= p.tokens
		}
	}
	slices.Sort(sizes)
	level := leastPiece
	for i, n := range sizes { // the smaller ones stay whole
		if share := rest / (len(sizes) - i); n > share {
			level = max(level, share)
			break
		}
		rest -= n
	}
	for i, p := range in.pieces {
		if p.rank == r && p.tokens > level {
			in.pieces[i] = in.cut(p, level)
		}
	}
}

// cut leaves of a piece a head and a tail that take no more than limit tokens.
func (in input) cut(p piece, limit int) piece {
	chars := utf8.RuneCountInString(p.text)
	short := p
	for keep := chars; keep > 0 && short.tokens > limit; {
		keep = min(keep-1, int(float64(keep)*float64(limit)/float64(short.tokens)*0.97))
		short = in.measured(piece{head: p.head, text: headAndTail(p.text, chars, keep), rank: p.rank})
	}
	return short
}

// headAndTail keeps so many of the characters of a text, and says how many are
// gone.
func headAndTail(text string, chars, keep int) string {
	tail := keep / 2
	return firstChars(text, keep-tail) + fmt.Sprintf("\n[... %d characters left out ...]\n", chars-keep) + lastChars(text, tail)
}

// drop leaves out the oldest pieces that are neither a summary nor a prompt.
func (in *input) drop(limit int) {
	mark := in.measured(piece{head: "note by the program", text: "Much of the older part does not fit and is left out here.", rank: ofOther})
	over, before := in.tokens()+mark.tokens-limit, len(in.pieces)
	in.pieces = slices.DeleteFunc(in.pieces, func(p piece) bool {
		gone := over > 0 && p.rank <= ofOther
		if gone {
			over -= p.tokens
		}
		return gone
	})
	if len(in.pieces) < before {
		in.pieces = slices.Insert(in.pieces, 0, mark)
	}
}
