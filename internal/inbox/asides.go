package inbox

import (
	"maps"
	"strings"
	"sync"
)

// Asides is what the person did beside the conversation: notes for the model
// that wait for the next prompt, and tasks that the model is not told of. The
// zero value has none. It is safe for concurrent use.
type Asides struct {
	mu      sync.Mutex
	notes   []string
	private map[string]bool
}

// Note keeps a note. Tasks that it names are no longer private.
func (a *Asides) Note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes = append(a.notes, text)
	maps.DeleteFunc(a.private, func(task string, _ bool) bool { return strings.Contains(text, task) })
}

// Take gives the notes that wait.
func (a *Asides) Take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	notes := a.notes
	a.notes = nil
	return notes
}

// Hide makes a task private.
func (a *Asides) Hide(task string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.private == nil {
		a.private = map[string]bool{}
	}
	a.private[task] = true
}

// Private says whether the model is not to be told of a task.
func (a *Asides) Private(task string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.private[task]
}
