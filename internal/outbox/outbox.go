// Package outbox keeps what the person is to be shown at the next chance: facts
// that were stated while nobody was reading, and troubles.
//
// The invariant: each is given once, in the order in which it came.
//
//	out.Warn("the disk is full")
//	for _, r := range out.Asides(head) { … }
//
// What waits to be said to the model is in internal/inbox.
package outbox

import (
	"sync"

	"github.com/minicode-go/minicode/event"
)

// Outbox is safe for concurrent use; the zero value is empty.
type Outbox struct {
	mu      sync.Mutex
	trouble []string
	facts   []event.Record
}

// Warn keeps something that the person should know; "" is nothing.
func (o *Outbox) Warn(texts ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range texts {
		if text != "" {
			o.trouble = append(o.trouble, text)
		}
	}
}

// State keeps facts that were stated.
func (o *Outbox) State(facts ...event.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.facts = append(o.facts, facts...)
}

// Reset puts these facts in the place of those that wait.
func (o *Outbox) Reset(facts ...event.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.facts = facts
}

// Warnings takes the troubles.
func (o *Outbox) Warnings() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := o.trouble
	o.trouble = nil
	return out
}

// Facts takes the facts.
func (o *Outbox) Facts() []event.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := o.facts
	o.facts = nil
	return out
}

// Asides takes all of it, the troubles as notices with that head: what is to be
// shown before the next event.
func (o *Outbox) Asides(head event.Head) []event.Record {
	out := o.Facts()
	head.ID, head.Parent = "", ""
	for _, text := range o.Warnings() {
		out = append(out, event.Record{Head: head, Event: event.Notice{Level: event.WarnLevel, Text: text}})
	}
	return out
}
