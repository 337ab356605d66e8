// Package inbox holds what waits to be said to the model: what the person
// typed while a turn runs, and notes of the program.
//
//	b := inbox.New(log.Queue(), log.SetQueue)
//	b.Queue("also mend the docs")     // on disk from here on
//	messages := b.Take(false)         // notes first; they go into the log
//	b.Recorded(message)               // and only then leave the disk
//
// Invariant: what the person typed is either on disk as queued or recorded,
// at every moment. The package does not decide when something goes in.
package inbox

import (
	"slices"
	"sync"

	"github.com/minicode-go/minicode/llm"
)

// Inbox is safe for concurrent use.
type Inbox struct {
	keep func([]string) error

	mu      sync.Mutex
	queue   []string
	sending []string // taken from the queue, and not yet recorded
	notes   []string
}

// New is an inbox that begins with what a former run left queued. keep writes
// the queue down; it is called with all of it at each change.
func New(queue []string, keep func([]string) error) *Inbox {
	return &Inbox{queue: queue, keep: keep}
}

// save is called with mu held.
func (b *Inbox) save() error { return b.keep(slices.Concat(b.sending, b.queue)) }

// Queue adds what the person typed. Its error says that it is not on disk.
func (b *Inbox) Queue(text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, text)
	return b.save()
}

// Note adds what the program has to tell the model.
func (b *Inbox) Note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, text)
}

// Notes is the notes that were not taken, oldest first.
func (b *Inbox) Notes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.notes)
}

// Queued is what the person typed and what was not taken, oldest first.
func (b *Inbox) Queued() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.queue)
}

// Drop forgets what is queued.
func (b *Inbox) Drop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = nil
	return b.save()
}

// Said is what the person said as a message, with its images behind the text;
// none where there is neither.
func Said(text string, images ...llm.Image) []llm.Message {
	m := llm.Message{Role: llm.User, Kind: llm.Prompt}
	if text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: text})
	}
	for _, image := range images {
		m.Parts = append(m.Parts, image)
	}
	if len(m.Parts) == 0 {
		return nil
	}
	return []llm.Message{m}
}

// Take hands over what goes in now: notes, then what the person typed, which
// stays on disk until it is recorded. When the turn is about to end, notes
// alone wait for the next prompt.
func (b *Inbox) Take(ending bool) []llm.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ending && len(b.queue) == 0 {
		return nil
	}
	var out []llm.Message
	for _, n := range b.notes {
		out = append(out, llm.NewText(llm.User, llm.Note, n))
	}
	for _, q := range b.queue {
		out = append(out, llm.NewText(llm.User, llm.Prompt, q))
	}
	b.sending, b.queue, b.notes = append(b.sending, b.queue...), nil, nil
	return out
}

// Recorded says that a message is in the log. What was taken is recorded first
// and in order; its text may have changed on the way, where it holds a key.
func (b *Inbox) Recorded(m llm.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.Kind == llm.Prompt && len(b.sending) > 0 {
		b.sending = b.sending[1:]
		_ = b.save() // what could not be removed is offered once more
	}
}

// Settle ends a turn: what was taken and not recorded waits again.
func (b *Inbox) Settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue, b.sending = slices.Concat(b.sending, b.queue), nil
}
