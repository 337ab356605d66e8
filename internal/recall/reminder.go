package recall

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/llm"
)

// Reminder finds what the model does not know, or no longer: where it is, the
// mode, the plan, the todo list, and the instruction files of directories that
// it came to. All of it follows from what the model has, so nothing is told
// twice. It is not safe for concurrent use.
type Reminder struct {
	Guide  *prompt.Guide // of this conversation
	Bare   bool          // instruction files are not used
	Place  prompt.State  // the surroundings, as of the newest prompt; zero before the first
	Edited bool          // the view was, since it was last looked at for the todo list

	// Elsewhere says that the conversation goes on from another place than it
	// was left at, and that nobody has looked at what was reached there.
	Elsewhere bool

	again string
}

// Known is what the model knows, and what is about to be told.
type Known struct {
	Messages []llm.Message
	Waiting  []string               // notes that are not sent yet
	Todos    func() json.RawMessage // the newest arguments of todo_write
}

func (k Known) notes() []string { return append(Told(k.Messages), k.Waiting...) }

// Due is what must be told before the next request, in a conversation that is
// in this mode.
func (r *Reminder) Due(k Known, mode permission.Mode) (texts []string) {
	notes := k.notes()
	if r.Place.Cwd != "" {
		texts = append(texts, prompt.News(notes, r.Place))
	}
	if r.Edited {
		r.Edited = false
		texts = append(texts, LostTodos(k.Messages, notes, k.Todos()))
	}
	if mode != Mode(notes) {
		texts = append(texts, mode.Note())
	}
	return texts
}

// Reached is the text on instruction files in the directories of files that
// were read; "" when there are none that the model does not know.
func (r *Reminder) Reached(k Known, files []llm.FileRead) string {
	if r.Bare || len(files) == 0 {
		return ""
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return r.Guide.Reached(k.notes(), paths...)
}

// ReachedAgain is [Reminder.Reached] for all files that the model knows, given
// by their paths.
func (r *Reminder) ReachedAgain(k Known, stamps map[string]llm.FileRead) string {
	var files []llm.FileRead
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(stamps)) {
		if dir := filepath.Dir(path); !seen[dir] {
			seen[dir] = true
			files = append(files, stamps[path])
		}
	}
	return r.Reached(k, files)
}

// Lost is what must be told again when these messages were taken out of the
// view.
func (r *Reminder) Lost(k Known, gone []llm.Message, stamps map[string]llm.FileRead) (texts []string) {
	if Instructions(gone) {
		texts = append(texts, r.ReachedAgain(k, stamps))
	}
	return append(texts, LostPlan(k.Messages, gone))
}

// Keep is what is told again behind a summary of all that the model knows. It
// reads the instruction files anew: see [Reminder.Again].
func (r *Reminder) Keep(k Known) []llm.Message {
	var place, mode, nested string
	if r.Place.Cwd != "" {
		place = prompt.Environment(r.Place)
	}
	notes := Told(k.Messages)
	if m := Mode(notes); m != permission.Default {
		mode = m.Note()
	}
	if !r.Bare {
		r.again, nested = r.Guide.Again(notes)
	}
	return Notes(place, mode, Plan(k.Messages), Todos(k.Todos()), nested)
}

// Report tells a person of the instruction files, as they are now.
func (r *Reminder) Report() string {
	if r.Bare {
		return "Instruction files are not used (--bare)."
	}
	return prompt.Report(prompt.Instructions(r.Guide.Places))
}

// Again is the instruction files for the system prompt, as they were read when
// Keep was called last.
func (r *Reminder) Again() string { return r.again }
