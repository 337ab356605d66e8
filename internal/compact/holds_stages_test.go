package compact_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// anew runs the stage again, as if it had never run. A stage that asks a model
// asks one that always answers the same, and what that was asked comes too.
func (c change) anew(v event.View) ([]event.Edit, []string, error) {
	model := llmtest.New(nil, llmtest.Join(llmtest.Say("<summary>Short.</summary>"), llmtest.Repeat(llmtest.Forever)))
	model.Model = c.model.Model
	stage := c.stage
	switch s := stage.(type) {
	case compact.Collapse:
		s.History, v.Model, stage = nil, model, s
	case compact.Summarize:
		s.History, v.Model, stage = nil, model, s
	}
	work, err := stage.Edits(context.Background(), v, func(event.Signal) {})
	var asked []string
	for _, req := range model.Requests() {
		asked = append(asked, fmt.Sprint(req.System, req.MaxOutput, req.Tools, texts(req.Messages)))
	}
	return work.Edits, asked, err
}

// alike is what edits say, with or without the words of summaries.
func alike(edits []event.Edit, words bool) (out []string) {
	for _, e := range edits {
		out = append(out, e.From+" "+e.To)
		for _, m := range e.With {
			if m.Kind == llm.Summary && !words {
				m.Parts = nil
			}
			out = append(out, texts([]llm.Message{m})...)
		}
	}
	return out
}

func sameEdits(c change) (bool, error) {
	if !changed(c) {
		return false, nil
	}
	v := c.view
	if c.past(c.stage.Name()).Steps == 0 && c.stage.Name() == "snip" { // what it did counts already
		v.Why = event.Forced
	}
	first, asked, err := c.anew(v)
	if err != nil {
		return true, err
	}
	if !slices.Equal(alike(first, len(asked) == 0), alike(c.work.Edits, len(asked) == 0)) {
		return true, errors.New("the same view gave other edits")
	}
	if len(asked) == 0 {
		return true, nil
	}
	second, again, err := c.anew(v)
	switch {
	case err != nil:
		return true, err
	case !slices.Equal(asked, again):
		return true, errors.New("of the same view a model was asked in other words")
	case !slices.Equal(alike(first, true), alike(second, true)):
		return true, errors.New("the same answers of the model gave other edits")
	}
	return true, nil
}

// notTwice is, for a stage whose one run may leave work for another, that the
// other leaves alone what the first put in.
func notTwice(c change) (bool, error) {
	if !changed(c) || c.stage.Name() == "snip" && c.why != event.Threshold {
		return false, nil // a person may have more cut each time
	}
	if c.stage.Name() == "snip" {
		again, err := c.stage.Edits(context.Background(), c.history.view(c.why), func(event.Signal) {})
		if err == nil || len(again.Edits) > 0 {
			return true, fmt.Errorf("%d edits and then %d more at once", len(c.work.Edits), len(again.Edits))
		}
		return true, nil
	}
	again, asked, err := c.anew(c.history.view(c.why))
	switch name := c.stage.Name(); {
	case name == "collapse":
		at, was := places(c.after), places(c.before)
		for _, e := range again {
			for _, m := range c.after[at[e.From] : at[e.To]+1] {
				if _, old := was[m.ID]; !old {
					return true, fmt.Errorf("a %s message that it put in went in the next run", m.Kind)
				}
			}
		}
	case name == "summarize":
		if len(putIn(c)) == 0 {
			return false, nil
		}
		// Answers that are gone tell no more how far the estimate is off.
		tail := c.after[putIn(c)[0]+1:]
		now := float64(account.Estimate(llm.Request{Messages: tail})) * account.Ratio(c.after, c.model.Info().ID())
		fits := int(now)+len(tail) < min(40_000, c.view.Used.Window*3/10)
		if fits && len(asked) > 0 {
			return true, errors.New("the same was summarized twice")
		}
		return fits, nil
	case len(again) > 0 || err == nil && name == "clear":
		return true, fmt.Errorf("%d edits and then %d more at once", len(c.work.Edits), len(again))
	}
	return true, nil
}

func openStay(c change) (seen bool, err error) {
	if !changed(c) {
		return false, nil
	}
	bad := broken(c.before)
	for _, s := range segments(c.before) {
		open := false
		for _, m := range c.before[s.from:s.to] {
			r, ok := m.Result()
			open = open || ok && bad[r.Call]
			for _, call := range m.Calls() {
				open = open || bad[call.ID]
			}
		}
		if !open {
			continue
		}
		seen = true
		if err := stay(c, s, "an open round"); err != nil {
			return true, err
		}
	}
	return seen, nil
}

// putIn gives the places after of the summaries that were not there before.
func putIn(c change) (out []int) {
	was := places(c.before)
	for i, m := range c.after {
		if _, old := was[m.ID]; !old && m.Kind == llm.Summary {
			out = append(out, i)
		}
	}
	return out
}

func twoDigests(c change) (bool, error) {
	n := len(putIn(c))
	if changed(c) && n == 0 || n > 2 {
		return true, fmt.Errorf("%d digests were put in", n)
	}
	return n == 2, nil
}

// newestPromptParts wants what was done before the newest prompt and what was
// done about it in digests of their own.
func newestPromptParts(c change) (bool, error) {
	out := gone(c)
	newest, left := -1, -1
	for i, m := range c.before {
		if m.Kind == llm.Prompt {
			newest = i
		}
	}
	for i, m := range c.after {
		if m.Kind == llm.Prompt {
			left = i
		}
	}
	if !changed(c) || newest < 0 || len(out) == 0 {
		return false, nil
	}
	digests := putIn(c)
	before, after := out[0] < newest, out[len(out)-1] > newest
	switch {
	case before && (len(digests) == 0 || digests[0] > left):
		return true, errors.New("what was done before the newest prompt is in a digest that stands after it")
	case after && (len(digests) == 0 || digests[len(digests)-1] < left):
		return true, errors.New("what was done after the newest prompt is in a digest that stands before it")
	}
	return len(out) > 0 && newest > 0, nil
}

// tailStays wants whole rounds as far as the limit goes, and no more unless
// they are the least.
func tailStays(c change) (bool, error) {
	if !changed(c) || len(putIn(c)) == 0 {
		return false, nil
	}
	if err := goodSummary(c); err != nil {
		return true, err
	}
	from := len(c.before) - (len(c.after) - putIn(c)[0] - 1)
	tail := segments(c.before[from:])
	limit := min(40_000, c.view.Used.Window*3/10)
	rest := c.before[from+tail[0].to:]
	answer := slices.ContainsFunc(rest, func(m llm.Message) bool { return m.Role == llm.Assistant })
	if n := c.tokens(c.before[from:]...); n > limit+len(tail) && len(rest) >= 6 && answer {
		return true, fmt.Errorf("%d tokens in %d messages are left alone, where %d are enough", n, len(c.before)-from, limit)
	}
	return true, nil
}

// batchOf gives the results of the newest answer by call: their characters, and
// whether they stand in a file.
func batchOf(messages []llm.Message) (chars map[string]int, filed map[string]bool, total int) {
	chars, filed = map[string]int{}, map[string]bool{}
	for _, m := range messages {
		if m.Role == llm.Assistant {
			clear(chars)
			clear(filed)
			total = 0
		}
		if r, ok := m.Result(); ok {
			n := utf8.RuneCountInString(r.Parts.Text())
			chars[r.Call], filed[r.Call] = n, strings.HasPrefix(r.Parts.Text(), "<persisted-output>")
			total += n
		}
	}
	return chars, filed, total
}

// leastPreview is what no preview with its frame is shorter than, but for
// those that end at a line.
const leastPreview = 2100

func batchFits(c change) (bool, error) {
	limit := c.stage.(compact.Offload).BatchLimit()
	was, _, before := batchOf(c.before)
	chars, filed, after := batchOf(c.after)
	if before <= limit {
		if changed(c) {
			return true, fmt.Errorf("a batch of %d characters was made smaller, where %d may be", before, limit)
		}
		return before > 0, nil
	}
	for call, n := range chars {
		if after > limit && !filed[call] && n > 2*leastPreview && len(broken(c.before)) == 0 {
			return true, fmt.Errorf("%d characters are left, of %d where %d may be, and a result of %d", after, before, limit, n)
		}
	}
	saved := 0 // by the smallest that went
	for call, n := range was {
		if n != chars[call] && (saved == 0 || n-chars[call] < saved) {
			saved = n - chars[call]
		}
	}
	if changed(c) && after+saved <= limit && len(c.work.Edits) > 1 {
		return true, fmt.Errorf("%d characters are left, and %d would be with one result more, where %d may be", after, after+saved, limit)
	}
	return changed(c), nil
}

func largestGo(c change) (bool, error) {
	at, smallest := places(c.before), 1<<30
	for i, e := range c.work.Edits {
		r, ok := c.before[at[e.From]].Result()
		n := utf8.RuneCountInString(r.Parts.Text())
		if !ok || e.From != e.To || n > smallest {
			return true, fmt.Errorf("edit %d is of a result of %d characters, after one of %d", i, n, smallest)
		}
		smallest = n
	}
	if !changed(c) {
		return false, nil
	}
	was, old, _ := batchOf(c.before)
	_, filed, _ := batchOf(c.after)
	left := false
	for call, n := range was {
		if filed[call] || old[call] {
			continue
		}
		if left = true; n > smallest {
			return true, fmt.Errorf("a result of %d characters is left, where one of %d went", n, smallest)
		}
	}
	return left, nil
}

// inItsFile wants of each result that went nothing but its text to be another,
// and that to be in the file, or that it is said that there is none.
func inItsFile(c change) (bool, error) {
	if len(c.before) != len(c.after) {
		return true, fmt.Errorf("%d messages became %d", len(c.before), len(c.after))
	}
	for i := range c.before {
		if c.was[i] == c.now[i] {
			continue
		}
		old, _ := c.before[i].Result()
		now, _ := c.after[i].Result()
		text, preview := old.Parts.Text(), now.Parts.Text()
		file := "" // that was written
		if c.stage.(compact.Offload).Dir() != "" {
			data, err := os.ReadFile(now.Meta.Saved)
			if file = string(data); err != nil || file != text || !strings.Contains(preview, now.Meta.Saved) {
				return true, fmt.Errorf("the file %q does not hold the result (%w)", now.Meta.Saved, err)
			}
		} else if !strings.Contains(preview, "It is not kept") {
			return true, fmt.Errorf("where the result is: %.200q", preview)
		}
		old.Meta.Saved, old.Meta.Size = now.Meta.Saved, now.Meta.Size
		old.Parts, now.Parts = pictures(old.Parts), pictures(now.Parts)
		if fmt.Sprint(old) != fmt.Sprint(now) {
			return true, fmt.Errorf("the result became %+v", now)
		}
	}
	return changed(c), nil
}

// pictures is the parts that are no text.
func pictures(parts llm.Parts) llm.Parts {
	return slices.DeleteFunc(slices.Clone(parts), func(p llm.Part) bool { _, text := p.(llm.Text); return text })
}

// marked is parts with the mark of a picture that is gone in the place of
// each.
func marked(parts llm.Parts) (out llm.Parts) {
	for _, p := range parts {
		switch q := p.(type) {
		case llm.Image:
			p = llm.Text{Text: "(an image was left out here: the provider did not take the request with it)"}
		case llm.ToolResult:
			q.Parts = marked(q.Parts)
			p = q
		}
		out = append(out, p)
	}
	return out
}

// noPictures wants all to be as it was, but for a mark in the place of each
// picture.
func noPictures(c change) (bool, error) {
	want := slices.Clone(c.before)
	for i, m := range want {
		want[i].Parts = marked(m.Parts)
	}
	if len(want) != len(c.after) {
		return true, fmt.Errorf("%d messages became %d", len(want), len(c.after))
	}
	if had := texts(want); !slices.Equal(had, texts(c.after)) {
		return true, errors.New("more than the pictures is another")
	}
	return changed(c), nil
}
