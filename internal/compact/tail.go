package compact

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

const (
	leastTail = 6      // messages that a summary leaves alone
	maxTail   = 40_000 // tokens that it leaves alone at most, if the least is not more
)

// tailOf is the first round of the tail that a summary leaves alone: the
// newest answer with what follows it, at least so many messages, and as many
// whole rounds more as the limit, in tokens, lets be.
func tailOf(size sizes, messages []llm.Message, rs []round, limit int) int {
	tokens, answered := 0, false
	for i, r := range slices.Backward(rs) {
		tokens += size.of(r.of(messages)...)
		if tokens > limit && answered && len(messages)-r.to >= leastTail {
			return i + 1
		}
		answered = answered || messages[r.from].Role == llm.Assistant
	}
	return 0
}

// shrink makes the largest messages of the tail smaller until it takes no more
// than limit tokens: results go to files, pictures in results are left out, and
// of prompts that are too long, but the newest, head and tail stay. What cannot
// be made smaller stays as it is.
func shrink(size sizes, o *Offload, tail []llm.Message, limit int) []event.Edit {
	over := size.of(tail...) - limit
	if over <= 0 {
		return nil
	}
	largest := make([]int, len(tail)) // the places in the tail
	for i := range tail {
		largest[i] = i
	}
	slices.SortStableFunc(largest, func(a, b int) int { return size.of(tail[b]) - size.of(tail[a]) })
	edits := map[int]event.Edit{}
	for _, i := range largest {
		if over <= 0 {
			break
		}
		short, ok := shorter(size, tail, i)
		if !ok {
			short, ok = o.persisted(tail[i])
		}
		if saved := size.of(tail[i]) - size.of(short); ok && saved > 0 {
			edits[i] = event.Edit{From: tail[i].ID, To: tail[i].ID, With: []llm.Message{short}}
			over -= saved
		}
	}
	var out []event.Edit
	for i := range tail {
		if e, ok := edits[i]; ok {
			out = append(out, e)
		}
	}
	return out
}

// pictureGone is what stands in the place of a picture in a result that had to
// become smaller.
const pictureGone = "(an image was left out here to make room: read it again by itself)"

// persisted is the message of a result that is made smaller: its text goes to a
// file, or it loses its pictures. It is false when there is no result, or
// nothing of it can go.
func (o *Offload) persisted(m llm.Message) (llm.Message, bool) {
	r, ok := m.Result()
	if !ok {
		return m, false
	}
	parts, pictures := withoutImages(r.Parts, pictureGone)
	r.Parts = parts
	out := llm.Message{Role: m.Role, Kind: m.Kind, Parts: llm.Parts{r}}
	text := r.Parts.Text()
	if pictures || o == nil || strings.HasPrefix(text, persistedHead) {
		return out, pictures
	}
	r = o.persist(r, text)
	out.Parts = llm.Parts{r}
	return out, r.Meta.Saved != ""
}

// keptPrompts is the prompts before the tail that a summary leaves word for
// word, oldest first: the first one, the newest of all, and of those before it
// the newest ones as far as the limit, in tokens, goes.
func keptPrompts(size sizes, messages []llm.Message, tail, limit int) []llm.Message {
	var before []int // the places of the prompts before the tail
	newest := -1
	for i, m := range messages {
		if m.Kind != llm.Prompt {
			continue
		}
		newest = i
		if i < tail {
			before = append(before, i)
		}
	}
	var kept []llm.Message
	for n, i := range slices.Backward(before) {
		m := prompt(size, messages[i], i == newest)
		limit -= size.of(m)
		if limit < 0 && i != newest {
			if n > 0 {
				m = prompt(size, messages[before[0]], false)
			}
			return slices.Insert(kept, 0, m)
		}
		kept = slices.Insert(kept, 0, m)
	}
	return kept
}

// prompt is a prompt as it stands beside a summary: word for word, or head and
// tail of one that is too long. Only the newest keeps its pictures.
func prompt(size sizes, m llm.Message, newest bool) llm.Message {
	var parts, images llm.Parts
	for _, p := range m.Parts {
		if _, ok := p.(llm.Image); ok {
			images = append(images, p)
			if newest {
				continue
			}
			p = llm.Text{Text: "(an image was here)"}
		}
		parts = append(parts, p)
	}
	out, _ := abridge(size, llm.Message{Time: m.Time, Role: m.Role, Kind: m.Kind, Parts: parts})
	if newest {
		out.Parts = append(slices.Clone(out.Parts), images...)
	}
	return out
}
