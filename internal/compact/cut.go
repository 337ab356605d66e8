package compact

import (
	"fmt"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// longPrompt is how many tokens of a prompt are kept when its surroundings go;
// of a longer one its head and tail.
const longPrompt = 2000

// trim takes prompts off both ends of messages[from:to]: they stay anyway.
func trim(messages []llm.Message, from, to int) (int, int) {
	for from < to && messages[from].Kind == llm.Prompt {
		from++
	}
	for to > from && messages[to-1].Kind == llm.Prompt {
		to--
	}
	return from, to
}

// cut takes messages[from:to] out of the view, but for the prompts in it, and
// puts the note after what stays of it. Neither end may be a prompt.
func cut(size sizes, messages []llm.Message, from, to int, note llm.Message) []event.Edit {
	var edits []event.Edit
	for i := from; i < to; {
		if messages[i].Kind == llm.Prompt {
			if short, ok := shorter(size, messages, i); ok {
				edits = append(edits, event.Edit{From: messages[i].ID, To: messages[i].ID, With: []llm.Message{short}})
			}
			i++
			continue
		}
		end := i
		for end+1 < to && messages[end+1].Kind != llm.Prompt {
			end++
		}
		e := event.Edit{From: messages[i].ID, To: messages[end].ID}
		if end+1 == to {
			e.With = []llm.Message{note}
		}
		edits = append(edits, e)
		i = end + 1
	}
	return edits
}

// shorter abridges the message at i if it is a prompt, but not the newest one:
// that is what is being worked on.
func shorter(size sizes, messages []llm.Message, i int) (llm.Message, bool) {
	if messages[i].Kind != llm.Prompt {
		return messages[i], false
	}
	for j := i + 1; j < len(messages); j++ {
		if messages[j].Kind == llm.Prompt {
			return abridge(size, messages[i])
		}
	}
	return messages[i], false
}

// abridge keeps head and tail of a prompt whose text is too long to be kept
// word for word, and the pictures in it. It is false when it is short enough.
func abridge(size sizes, m llm.Message) (llm.Message, bool) {
	if size.of(m) <= longPrompt { // which is remembered, unlike what follows
		return m, false
	}
	text := m.Text()
	tokens := size.of(llm.NewText(m.Role, m.Kind, text))
	if tokens <= longPrompt {
		return m, false
	}
	chars := utf8.RuneCountInString(text)
	short := llm.Message{Role: m.Role, Kind: m.Kind, Time: m.Time}
	// Head and tail may be denser than the whole, so it is measured again.
	for kept := chars; tokens > longPrompt; tokens = size.of(llm.NewText(m.Role, m.Kind, short.Text())) {
		kept = int(float64(kept) * (longPrompt - 100) / float64(tokens))
		short.Parts = withText(m.Parts, fmt.Sprintf("%s\n[... %d characters left out ...]\n%s", firstChars(text, kept/2), chars-kept/2*2, lastChars(text, kept/2)))
	}
	return short, true
}
