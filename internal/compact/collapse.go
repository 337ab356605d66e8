package compact

import (
	"cmp"
	"context"
	_ "embed"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

//go:embed collapse.md
var collapsePrompt string

// Collapse puts digests in the place of older parts of the conversation. What
// the person said in them stays before the digest, word for word.
type Collapse struct {
	Meter   *account.Meter
	History History
	Digest  Digest
}

const digestSays = "An older part of the conversation was replaced by this digest of it. What the user said in that part stands before it.\n\n"

const (
	collapseTo  = 0.65 // of the window, which is enough
	maxSpans    = 2    // in a pass
	newestKept  = 12   // messages that are never digested
	leastSaving = 2000 // tokens that a pass must save
)

// span is messages that one digest is to stand for. Neither end is a prompt.
type span struct {
	from, to int // to is the first message after it
	tokens   int // of what goes
}

// saves is how much is expected to be saved, since nobody knows how long a
// digest will be.
func (s span) saves() int { return s.tokens - min(maxDigest, max(128, s.tokens*15/100)) }

// Name is the stage's name in the log.
func (Collapse) Name() string { return "collapse" }

// Edits digests up to two spans: all of them or none.
func (c Collapse) Edits(ctx context.Context, v event.View, tell func(event.Signal)) (Work, error) {
	if v.Why == event.Threshold && c.History.of(c.Name()).Strikes >= MaxStrikes {
		return Work{}, Nothing("switched off after 3 failures in a row; /collapse or another model switches it on again")
	}
	size := sizesOf(c.Meter, v)
	if err := hopeless(size, v); err != nil {
		return Work{}, err
	}
	messages := v.Request.Messages
	spans := planSpans(size, messages, max(leastSaving, v.Used.Tokens-int(collapseTo*float64(v.Used.Window))))
	expected := 0
	for _, s := range spans {
		expected += s.saves()
	}
	if len(spans) == 0 {
		return Work{}, Nothing("nothing that can be digested lies before the newest 12 messages")
	}
	if expected < leastSaving {
		return Work{}, Nothing("a digest would free fewer than 2,000 tokens")
	}
	var work Work
	for _, s := range spans {
		text, asked, err := c.Digest.Ask(ctx, v, Order{Stage: c.Name(), Prompt: collapsePrompt, Messages: messages[s.from:s.to]}, tell)
		work.Usage, work.Model = work.Usage.Add(asked.Usage), asked.Model
		if err != nil {
			work.Edits = nil
			return work, err
		}
		note := llm.NewText(llm.User, llm.Summary, summaryHead+digestSays+text)
		if size.of(note) >= s.tokens {
			work.Edits = nil
			return work, Strike("the digest is not shorter than what it stands for")
		}
		work.Edits = append(work.Edits, cut(size, messages, s.from, s.to, note)...)
	}
	if saving(size, v, work.Edits) < leastSaving {
		work.Edits = nil
		return work, Strike("the digests free fewer than 2,000 tokens")
	}
	return work, nil
}

// planSpans is the spans to digest so that so many tokens are saved, in the
// order of the messages: the oldest run of rounds that is enough, or else the
// largest, and then another one for what is missing.
func planSpans(size sizes, messages []llm.Message, need int) []span {
	runs := digestible(messages)
	var spans []span
	for len(spans) < maxSpans && need > 0 && len(runs) > 0 {
		best, at := span{}, 0
		for i, run := range runs {
			s := spanOf(size, messages, run, need)
			if i == 0 || best.saves() < need && s.saves() > best.saves() {
				best, at = s, i
			}
		}
		if best.saves() <= 0 {
			break
		}
		need -= best.saves()
		spans = append(spans, best)
		runs = slices.Delete(runs, at, at+1)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return spans
}

// digestible is the runs of rounds that may be digested: none that is among
// the newest messages or open, that stands for older messages, or that holds
// the newest prompt.
func digestible(messages []llm.Message) [][]round {
	newest := len(messages) - 1
	for newest >= 0 && messages[newest].Kind != llm.Prompt {
		newest--
	}
	var runs [][]round
	all := rounds(messages)
	from, more := 0, false // where a run begins, and whether there is more in it than prompts
	for i, r := range all {
		kind := messages[r.from].Kind
		if r.open || r.from == newest || kind == llm.Summary || kind == llm.Snipped || r.to > len(messages)-newestKept {
			if more {
				runs = append(runs, all[from:i])
			}
			from, more = i+1, false
			continue
		}
		more = more || kind != llm.Prompt
	}
	if more {
		runs = append(runs, all[from:])
	}
	return runs
}

// spanOf takes rounds from the start of a run until so many tokens are saved.
func spanOf(size sizes, messages []llm.Message, run []round, need int) span {
	var s span
	from := run[0].from
	for _, r := range run {
		for i := r.from; i < r.to; i++ {
			if messages[i].Kind != llm.Prompt {
				s.tokens += size.at(messages, i)
			}
		}
		s.from, s.to = trim(messages, from, r.to)
		if s.saves() >= need {
			break
		}
	}
	return s
}
