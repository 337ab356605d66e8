package compact

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Snip takes the best safe run out of the middle of the conversation and
// leaves a note in its place. No model is asked. What the person said stays.
type Snip struct {
	Meter   *account.Meter
	History History
}

// snipNote is the same for every run, so that it never changes the bytes of
// a request again.
const snipNote = "[Snipped earlier conversation segment]\nSome older steps were taken out here to make room. What the user said in them is kept above; the answers to it went with the steps. The conversation goes on below from where they ended."

const (
	snipRecent   = 12   // the newest messages are kept
	snipMessages = 6    // fewer are not worth a cut
	snipTokens   = 2000 // less is not worth a cut
	snipTarget   = 0.60 // of the effective input may stay in use
	snipSteps    = 20   // answers between two cuts
)

// Name is the stage's name in the log.
func (Snip) Name() string { return "snip" }

// Edits cuts the run that frees most, from its start only as far as needed.
func (s Snip) Edits(_ context.Context, v event.View, _ func(event.Signal)) (Work, error) {
	if n := s.History.of(s.Name()).Steps; v.Why == event.Threshold && n >= 0 && n < snipSteps {
		return Work{}, Nothing(fmt.Sprintf("it was done %d steps ago, and is done once in %d at most", n, snipSteps))
	}
	messages, size := v.Request.Messages, sizesOf(s.Meter, v)
	if len(messages) < snipMessages+snipRecent {
		return Work{}, Nothing(fmt.Sprintf("fewer than %d messages lie before the newest %d", snipMessages, snipRecent))
	}
	var best middle
	for m := range middles(size, messages) {
		if m.messages >= snipMessages && (m.tokens > best.tokens || m.tokens == best.tokens && m.messages > best.messages) {
			best = m
		}
	}
	note := llm.NewText(llm.User, llm.Snipped, snipNote)
	need := max(snipTokens, v.Used.Tokens-int(snipTarget*float64(v.Used.Window))) + size.of(note)
	m := weigh(size, messages, best.run, need)
	edits := cut(size, messages, m.from, m.to, note)
	if saving(size, v, edits) < snipTokens {
		return Work{}, Nothing(fmt.Sprintf("no %d messages in a row that can go free 2,000 tokens", snipMessages))
	}
	return Work{Edits: edits}, nil
}

// middle is a run of whole rounds that may go, with no prompt at its ends.
type middle struct {
	run      []round // what it is taken from
	from, to int
	messages int // that would go: prompts stay
	tokens   int // that would come free, rounded down
}

// middles gives the longest runs that hold nothing protected and end before
// the newest messages.
func middles(size sizes, messages []llm.Message) iter.Seq[middle] {
	return func(yield func(middle) bool) {
		all := rounds(messages)
		kept := protected(all, messages)
		from := 0
		for i, r := range all {
			if !kept[i] && r.to <= len(messages)-snipRecent {
				continue
			}
			if from < i && !yield(weigh(size, messages, all[from:i], math.MaxInt)) {
				return
			}
			from = i + 1
		}
	}
}

// protected marks the rounds that stay: what stands for earlier cuts, what is
// open, and what wrote or failed with the rounds next to it.
func protected(all []round, messages []llm.Message) []bool {
	kept := make([]bool, len(all))
	for i, r := range all {
		first := messages[r.from]
		if r.open || first.Kind == llm.Summary || first.Kind == llm.Snipped {
			kept[i] = true
		}
		if !r.wrote && !r.failed {
			continue
		}
		// Next to it is the nearest answer; what the user's side said between
		// them belongs to either.
		kept[i] = true
		for j := i - 1; j >= 0; j-- {
			if kept[j] = true; messages[all[j].from].Role != llm.User {
				break
			}
		}
		for j := i + 1; j < len(all); j++ {
			if kept[j] = true; messages[all[j].from].Role != llm.User {
				break
			}
		}
	}
	return kept
}

// weigh takes rounds of a run, from the first on that is no prompt, until they
// would free so many tokens and are enough messages.
func weigh(size sizes, messages []llm.Message, run []round, need int) middle {
	if len(run) == 0 {
		return middle{}
	}
	from, to := trim(messages, run[0].from, run[len(run)-1].to)
	m := middle{run: run, from: from, to: from}
	for _, r := range run {
		if r.from < from || r.from >= to {
			continue
		}
		if m.tokens >= need && m.messages >= snipMessages && messages[m.to-1].Kind != llm.Prompt {
			break
		}
		m.to = r.to
		if messages[r.from].Kind != llm.Prompt {
			m.messages += r.to - r.from
			m.tokens += size.of(r.of(messages)...) - 1
		} else if short, ok := shorter(size, messages, r.from); ok {
			m.tokens += size.of(messages[r.from]) - size.of(short)
		}
	}
	return m
}
