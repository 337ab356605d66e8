package compact

import (
	"context"
	_ "embed"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

//go:embed summarize.md
var summarizePrompt string

// Summarize puts a summary in the place of all but the newest part of the
// conversation. What the person said first and last stays word for word, and
// what Keep gives stands after the summary.
type Summarize struct {
	Meter      *account.Meter
	History    History
	Digest     Digest
	Keep       func(v event.View) []llm.Message // notes that the model must not lose; may be nil
	Offload    *Offload                         // where results go that are too large to stay; may be nil
	TailTokens int                              // of the part left alone; 0 means 40,000, which is the most
	Focus      string                           // what the person wants this summary to mind
}

// summaryHead is the first line of every message of kind summary.
const summaryHead = "[Context Summary from earlier conversation]\n"

const summarySays = "The conversation up to here was replaced by this summary. The user's messages before it are the first one and the newest ones of that part, word for word but for the middle of very long ones; what was done about them is in the summary. What follows it is the conversation as it went on.\n\n"

const (
	leastRounds = 2    // that are worth a summary
	leastShare  = 0.05 // of the window that one must free when nobody asked for it
	promptShare = 0.1  // of the window that prompts may have which stay beside it
	inRow       = 2    // summaries that are made by themselves without an answer between them
)

// Name is the stage's name in the log, where its edit is a boundary.
func (Summarize) Name() string { return "summarize" }

// Edits replaces everything before the tail by one edit.
func (s Summarize) Edits(ctx context.Context, v event.View, tell func(event.Signal)) (Work, error) {
	past := s.History.of(s.Name())
	switch {
	case v.Why == event.Threshold && past.Strikes >= MaxStrikes:
		return Work{}, Nothing("switched off after 3 failures in a row; /compact or another model switches it on again")
	case v.Why != event.Manual && past.Row >= inRow:
		return Work{}, Nothing("2 summaries were made since the newest answer, which is all that is done without one")
	}
	size := sizesOf(s.Meter, v)
	if err := hopeless(size, v); err != nil {
		return Work{}, err
	}
	messages := v.Request.Messages
	rs := rounds(messages)
	limit := s.tailLimit(v)
	tail := tailOf(size, messages, rs, limit)
	if answers(messages, rs[:tail]) < leastRounds {
		// All there is may be a few results or prompts that are too large.
		if edits := shrink(size, s.Offload, messages, limit); len(edits) > 0 {
			return Work{Edits: edits}, nil
		}
		return Work{}, Nothing("not enough conversation to summarize")
	}
	at := rs[tail].from
	with := keptPrompts(size, messages, at, int(promptShare*float64(v.Used.Window)))
	notes := s.notes(v)
	boundary := func(summary string) event.Edit {
		said := llm.NewText(llm.User, llm.Summary, summaryHead+summarySays+summary)
		return event.Edit{From: messages[0].ID, To: messages[at-1].ID, With: slices.Concat(with, []llm.Message{said}, notes)}
	}
	least := 1
	if v.Why == event.Threshold {
		least = max(1, int(leastShare*float64(v.Used.Window)))
	}
	if saving(size, v, []event.Edit{boundary("")}) < least {
		return Work{}, Nothing("a summary would free too little")
	}
	text, work, err := s.Digest.Ask(ctx, v, Order{s.Name(), summarizePrompt, s.Focus, messages[:at]}, tell)
	if err != nil {
		return work, err
	}
	edit := boundary(text)
	if saving(size, v, []event.Edit{edit}) < least {
		return work, Strike("the summary is not enough shorter than what it stands for")
	}
	work.Edits = append([]event.Edit{edit}, shrink(size, s.Offload, messages[at:], limit)...)
	return work, nil
}

// Boundary says whether an edit put a summary in the place of all that stood
// before, and not only large results into files.
func Boundary(e event.Edited) bool {
	return e.Stage == Summarize{}.Name() && slices.ContainsFunc(e.Edits, func(edit event.Edit) bool {
		return slices.ContainsFunc(edit.With, func(m llm.Message) bool { return m.Kind == llm.Summary })
	})
}

// tailLimit is how many tokens the tail may have.
func (s Summarize) tailLimit(v event.View) int {
	limit := min(maxTail, v.Used.Window*3/10)
	if s.TailTokens > 0 {
		limit = min(limit, s.TailTokens)
	}
	return limit
}

// notes is what Keep gives, as messages that are not in the log yet.
func (s Summarize) notes(v event.View) []llm.Message {
	if s.Keep == nil {
		return nil
	}
	notes := slices.Clone(s.Keep(v))
	for i := range notes {
		notes[i].ID = ""
	}
	return notes
}

// answers is how many rounds hold an answer.
func answers(messages []llm.Message, rs []round) (n int) {
	for _, r := range rs {
		if messages[r.from].Role == llm.Assistant {
			n++
		}
	}
	return n
}
