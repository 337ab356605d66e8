package compact_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

// broken gives the ids of calls that do not have exactly one result directly
// after them, and of results without their call.
func broken(messages []llm.Message) map[string]bool {
	out := map[string]bool{}
	for _, s := range segments(messages) {
		count := map[string]int{}
		for _, c := range messages[s.from].Calls() {
			count[c.ID]--
		}
		for _, m := range messages[s.from:s.to] {
			if r, ok := m.Result(); ok {
				if _, called := count[r.Call]; !called {
					count[r.Call] = 100
				}
				count[r.Call]++
			}
		}
		for id, n := range count {
			if n != 0 {
				out[id] = true
			}
		}
	}
	return out
}

// repairs is how many results had to be made up or left out for sending, and
// whether something had to be put before all.
func repairs(h *history, messages []llm.Message) (n int) {
	results := 0
	for _, m := range messages {
		if m.Role == llm.ToolRole {
			results++
		}
	}
	for _, m := range llm.Mend(messages, h.model.Info()) {
		switch {
		case m.ID == "":
			n++
		case m.Role == llm.ToolRole:
			results--
		}
	}
	return n + results
}

func pairsWhole(c change) (bool, error) {
	calls := 0
	for _, m := range c.after {
		calls += len(m.Calls())
	}
	was := broken(c.before)
	for id := range broken(c.after) {
		if !was[id] {
			return true, fmt.Errorf("%s was parted from its other half", id)
		}
	}
	if before, after := repairs(c.history, c.before), repairs(c.history, c.after); after > before {
		return true, fmt.Errorf("%d repairs for sending, before it %d", after, before)
	}
	return changed(c) && calls > 0, nil
}

func changed(c change) bool { return c.err == nil && len(c.work.Edits) > 0 }

// places is where the messages of an id stand.
func places(messages []llm.Message) map[string]int {
	out := map[string]int{}
	for i, m := range messages {
		out[m.ID] = i
	}
	return out
}

func answersWhole(c change) (bool, error) {
	at, last, seen := places(c.before), -1, false
	for i, m := range c.after {
		if m.Role != llm.Assistant {
			continue
		}
		old, ok := at[m.ID]
		switch {
		case !ok:
			return true, errors.New("an answer was put in")
		case c.was[old] != c.now[i]:
			return true, fmt.Errorf("an answer was changed:\n%s\n%s", c.was[old], c.now[i])
		case old < last:
			return true, errors.New("answers changed places")
		}
		last, seen = old, true
	}
	return changed(c) && seen, nil
}

// prompts gives the prompts by what marks them, in order.
func prompts(messages []llm.Message) (order []string, by map[string]llm.Message) {
	by = map[string]llm.Message{}
	for _, m := range messages {
		if m.Kind == llm.Prompt {
			mark, _, _ := strings.Cut(m.Text(), ">")
			order, by[mark] = append(order, mark), m
		}
	}
	return order, by
}

// kept says whether the second prompt is the first, or head and tail of it
// if it is long. Then its pictures are still there.
func kept(c change, old, now llm.Message) error {
	if c.stage.Name() == "images" { // a picture makes room for a mark
		old.Parts, now.Parts = marked(old.Parts), marked(now.Parts)
	}
	if old.Text() == now.Text() && len(pictures(old.Parts)) == len(pictures(now.Parts)) {
		return nil
	}
	text := llm.NewText(llm.User, llm.Prompt, old.Text())
	tokens := func(m llm.Message) float64 {
		return float64(account.Estimate(llm.Request{Messages: []llm.Message{m}})) * account.Ratio(c.before, c.model.Info().ID())
	}
	short := now.Text()
	switch {
	case c.stage.Name() == "images":
		return errors.New("more of a prompt is gone than its pictures")
	case tokens(text) < 2000:
		return fmt.Errorf("a prompt of %.0f tokens was changed", tokens(text))
	case len(short) < 1000 || !strings.HasPrefix(old.Text(), short[:400]) || !strings.HasSuffix(old.Text(), short[len(short)-400:]):
		return errors.New("a long prompt has not its head and tail")
	case tokens(llm.NewText(llm.User, llm.Prompt, short)) > 2002:
		return fmt.Errorf("a long prompt still has %.0f tokens", tokens(now))
	case len(pictures(old.Parts)) != len(pictures(now.Parts)):
		return errors.New("a prompt has lost its pictures")
	}
	return nil
}

func newestPrompt(c change) (bool, error) {
	order, before := prompts(c.before)
	if len(order) == 0 {
		return false, nil
	}
	newest := order[len(order)-1]
	left, after := prompts(c.after)
	if n := count(left, newest); n != 1 {
		return true, fmt.Errorf("the newest prompt is there %d times", n)
	}
	old, now := before[newest], after[newest]
	if c.stage.Name() == "summarize" || c.stage.Name() == "images" {
		return changed(c), kept(c, old, now)
	}
	if old.ID != now.ID || old.Text() != now.Text() || len(old.Parts) != len(now.Parts) {
		return true, errors.New("the newest prompt was changed")
	}
	return changed(c), nil
}

// firstPrompt looks at the order as well.
func firstPrompt(c change) (bool, error) {
	order, before := prompts(c.before)
	left, after := prompts(c.after)
	if len(order) == 0 {
		return false, nil
	}
	if !slices.Equal(left, slices.DeleteFunc(slices.Clone(order), func(mark string) bool { return !slices.Contains(left, mark) })) {
		return true, fmt.Errorf("prompts were %v and are %v", order, left)
	}
	old, now := before[order[0]], after[order[0]]
	if c.stage.Name() == "summarize" && len(order) > 1 && now.ID != old.ID { // its pictures may go, with a mark
		said := func(m llm.Message) llm.Parts {
			return llm.Parts{llm.Text{Text: strings.ReplaceAll(m.Text(), "(an image was here)", "")}}
		}
		old.Parts, now.Parts = said(old), said(now)
	}
	return changed(c) && len(order) > 1, kept(c, old, now)
}

func count(all []string, s string) (n int) {
	for _, a := range all {
		if a == s {
			n++
		}
	}
	return n
}

func promptsStay(c change) (bool, error) {
	order, before := prompts(c.before)
	left, after := prompts(c.after)
	if !slices.Equal(order, left) {
		return true, fmt.Errorf("prompts were %v and are %v", order, left)
	}
	for mark, old := range before {
		if err := kept(c, old, after[mark]); err != nil {
			return true, err
		}
	}
	return changed(c) && len(order) > 1, nil
}

func newestStay(c change) (bool, error) {
	n := min(12, len(c.before))
	if len(c.after) < n || !slices.Equal(c.was[len(c.was)-n:], c.now[len(c.now)-n:]) {
		return true, fmt.Errorf("the newest %d messages were changed", n)
	}
	return changed(c), nil
}

// stay wants messages before to be there, as they were.
func stay(c change, s segment, what string) error {
	for i := s.from; i < s.to; i++ {
		if !slices.Contains(c.now, c.was[i]) {
			return fmt.Errorf("%s was changed (message %d)", what, i)
		}
	}
	return nil
}

func protectedStays(c change) (bool, error) {
	if !changed(c) {
		return false, nil
	}
	all, seen := segments(c.before), false
	acts := func(s segment) bool { return c.before[s.from].Role != llm.User }
	for i, s := range all {
		var effect bool
		for _, m := range c.before[s.from:s.to] {
			r, _ := m.Result()
			effect = effect || r.Error || len(r.Meta.Wrote) > 0
		}
		if !effect {
			continue
		}
		seen = true
		near := []int{i}
		for _, step := range []int{-1, 1} {
			j := i + step
			for near = append(near, j); j >= 0 && j < len(all) && !acts(all[j]); j += step {
				near = append(near, j+step)
			}
		}
		for _, j := range near {
			if j >= 0 && j < len(all) {
				if err := stay(c, all[j], "a round that wrote or failed, or its neighbour,"); err != nil {
					return true, err
				}
			}
		}
	}
	return seen, nil
}

func cutsStay(c change) (bool, error) {
	seen := false
	for i, m := range c.before {
		if m.Kind == llm.Summary || m.Kind == llm.Snipped {
			seen = true
			if err := stay(c, segment{i, i + 1}, "what stands for an earlier cut"); err != nil {
				return true, err
			}
		}
	}
	return changed(c) && seen, nil
}

// gone gives the places of the messages that are not there any more, prompts
// aside.
func gone(c change) (out []int) {
	now := places(c.after)
	for i, m := range c.before {
		if _, ok := now[m.ID]; !ok && m.Kind != llm.Prompt {
			out = append(out, i)
		}
	}
	return out
}

func oneRun(c change) (bool, error) {
	if !changed(c) {
		return false, nil
	}
	out := gone(c)
	if len(out) < 6 {
		return true, fmt.Errorf("%d messages were cut", len(out))
	}
	first, last := out[0], out[len(out)-1]
	for i := first; i <= last; i++ {
		if c.before[i].Kind != llm.Prompt && !slices.Contains(out, i) {
			return true, fmt.Errorf("message %d is left in the run from %d to %d", i, first, last)
		}
	}
	was := places(c.before)
	var notes []int
	for i, m := range c.after {
		if _, old := was[m.ID]; !old && m.Kind == llm.Snipped {
			notes = append(notes, i)
		}
	}
	if len(notes) != 1 {
		return true, fmt.Errorf("%d notes were put in", len(notes))
	}
	// Before the run, the prompts in it, and after them the note.
	inside := last - first + 1 - len(out)
	if want := first + inside; notes[0] != want {
		return true, fmt.Errorf("the note stands at %d, want %d", notes[0], want)
	}
	if note := c.after[notes[0]]; note.Role != llm.User || strings.ContainsFunc(note.Text(), unicode.IsDigit) {
		return true, fmt.Errorf("the note is %q", note.Text())
	}
	return true, nil
}

// tokens is the calibrated size of messages, as of the view before.
func (c change) tokens(messages ...llm.Message) int {
	return int(float64(c.meter.Estimate(llm.Request{Messages: messages})) * account.Ratio(c.before, c.model.Info().ID()))
}

func longShortened(c change) (seen bool, err error) {
	out := gone(c)
	if !changed(c) || len(out) == 0 {
		return false, nil
	}
	order, before := prompts(c.before)
	_, after := prompts(c.after)
	at := places(c.before)
	for _, mark := range order[:max(0, len(order)-1)] { // not the newest
		m := before[mark]
		i := at[m.ID]
		inside := i > out[0] && i < out[len(out)-1]
		if c.stage.Name() == "collapse" { // of several spans
			inside = slices.Contains(out, i-1) && slices.Contains(out, i+1)
		}
		if !inside || c.tokens(llm.NewText(llm.User, llm.Prompt, m.Text())) <= 2010 {
			continue
		}
		if seen = true; after[mark].ID == m.ID {
			return true, errors.New("a long prompt in the run is whole")
		}
	}
	return seen, nil
}

func noMoreThanNeeded(c change) (bool, error) {
	out := gone(c)
	if !changed(c) || len(out) == 0 {
		return false, nil
	}
	var round segment // the last that was cut
	for _, s := range segments(c.before) {
		if s.from <= out[len(out)-1] {
			round = s
		}
	}
	need := max(2000, c.view.Used.Tokens-int(0.6*float64(c.view.Used.Window)))
	saved := c.tokens(c.before...) - c.tokens(c.after...)
	without := saved - c.tokens(c.before[round.from:round.to]...)
	left := len(out) - (round.to - round.from)
	_, after := prompts(c.after)
	for i := round.from - 1; i > 0 && c.before[i].Kind == llm.Prompt; i-- { // it would not lie in the run
		mark, _, _ := strings.Cut(c.before[i].Text(), ">")
		without -= c.tokens(c.before[i]) - c.tokens(after[mark])
	}
	slack := 2*len(out) + 10 // tokens are counted whole
	if without >= need+slack && left >= 6 {
		return true, fmt.Errorf("%d tokens came free and %d would have with a round less, where %d are needed", saved, without, need)
	}
	return saved >= need && left > 6, nil
}

// mayClear gives the places of the results that may be cleared.
func mayClear(messages []llm.Message) map[int]bool {
	out := map[int]bool{}
	var results []int
	for i, m := range messages {
		r, ok := m.Result()
		if ok && r.Meta.Again && r.Parts.Text() != "[Output cleared for context space]" {
			results = append(results, i)
		}
	}
	all := segments(messages)
	for _, i := range results[:max(0, len(results)-3)] {
		rounds, answer := 0, false
		for _, s := range all {
			if s.from <= i {
				continue
			}
			answer = answer || messages[s.from].Role == llm.Assistant
			if s.to-s.from > 1 {
				rounds++
			}
		}
		if answer && rounds >= 2 {
			out[i] = true
		}
	}
	return out
}

func onlyOldCleared(c change) (bool, error) {
	if len(c.before) != len(c.after) {
		return true, fmt.Errorf("%d messages became %d", len(c.before), len(c.after))
	}
	may := mayClear(c.before)
	for i := range c.before {
		if c.was[i] == c.now[i] {
			continue
		}
		old, _ := c.before[i].Result()
		now, ok := c.after[i].Result()
		now.Parts, old.Parts = llm.Parts{llm.Text{Text: now.Parts.Text()}}, llm.Parts{llm.Text{Text: "[Output cleared for context space]"}}
		want, got := c.before[i], c.after[i]
		want.Parts, got.Parts, want.ID, got.ID = llm.Parts{old}, llm.Parts{now}, "", ""
		switch {
		case !may[i]:
			return true, fmt.Errorf("message %d of %d was changed", i, len(c.before))
		case !ok || digest(want) != digest(got):
			return true, fmt.Errorf("a cleared result is %s", c.now[i])
		}
	}
	return changed(c) && len(may) > 0, nil
}

func allOldCleared(c change) (bool, error) {
	if !changed(c) {
		return false, nil
	}
	if freed := c.tokens(c.before...) - c.tokens(c.after...); c.why == event.Threshold && freed < c.view.Used.Window/20-len(c.before) {
		return true, fmt.Errorf("only %d tokens of %d came free", freed, c.view.Used.Window)
	}
	for i := range mayClear(c.before) {
		m := c.after[i]
		if r, _ := m.Result(); c.tokens(m) > 60 && len(broken(c.before)) == 0 {
			return true, fmt.Errorf("%s of %d tokens was left", r.Call, c.tokens(m))
		}
	}
	return true, nil
}

func smaller(c change) (bool, error) {
	before, after := c.tokens(c.before...), c.tokens(c.after...)
	switch {
	case changed(c) && after >= before:
		return true, fmt.Errorf("%d tokens became %d", before, after)
	case changed(c) && (c.stage.Name() == "snip" || c.stage.Name() == "collapse") && before-after < 1998:
		return true, fmt.Errorf("only %d tokens came free", before-after)
	}
	return changed(c), nil
}

func prefixStays(c change) (bool, error) {
	if !changed(c) {
		return false, nil
	}
	at := places(c.before)
	k := len(c.before)
	for _, e := range c.work.Edits {
		k = min(k, at[e.From])
	}
	if len(c.now) < k || !slices.Equal(c.was[:k], c.now[:k]) {
		return true, fmt.Errorf("the first %d messages were changed", k)
	}
	// What is sent is mended by rounds, from answer to answer.
	for k > 0 && c.before[min(k, len(c.before)-1)].Role != llm.Assistant {
		k--
	}
	sent := digests(llm.Mend(c.before[:k], c.model.Info()))
	if now := digests(llm.Mend(c.after, c.model.Info())); len(now) < len(sent) || !slices.Equal(now[:len(sent)], sent) {
		return true, fmt.Errorf("the request does not begin with the first %d messages any more", k)
	}
	return k > 0, nil
}

// replays wants the records to give the same view in a log that never had it.
func replays(h *history) error {
	fresh := h.fresh()
	for r, err := range h.log.Records() {
		if f, ok := r.Event.(event.Fact); ok && err == nil && r.Type != "opened" {
			if _, err := fresh.Append(f); err != nil {
				return err
			}
		}
	}
	without := func(messages []llm.Message) []string { // times of messages are those of recording
		out := slices.Clone(messages)
		for i := range out {
			out[i].Time = time.Time{}
			out[i].Stop += llm.Stop(" stale: " + out[i].Stale)
		}
		return texts(out)
	}
	if !slices.Equal(without(fresh.Messages()), without(h.log.Messages())) {
		return errors.New("the records give another view in another log")
	}
	return nil
}

func texts(messages []llm.Message) (out []string) {
	for _, m := range messages {
		m.ID = ""
		out = append(out, digest(m))
	}
	return out
}

func leftAlone(c change) (bool, error) {
	if c.mutated {
		return true, errors.New("it wrote into the view it was given")
	}
	if changed(c) {
		return false, nil
	}
	if !slices.Equal(c.was, c.now) {
		return true, fmt.Errorf("the view was changed though it says: %w", c.err)
	}
	var nothing compact.Nothing
	if errors.As(c.err, &nothing) {
		text := string(nothing)
		if text == "" || unicode.IsUpper([]rune(text)[0]) || strings.HasSuffix(text, ".") {
			return true, fmt.Errorf("the reason is %q", text)
		}
	} else if c.err == nil && c.stage.Name() != "offload" && c.stage.Name() != "images" {
		return true, errors.New("no edits and no reason")
	}
	return len(c.before) > 0, nil
}

func inOrder(c change) (bool, error) {
	at, all := places(c.before), segments(c.before)
	next := 0
	for _, e := range c.work.Edits {
		from, okFrom := at[e.From]
		to, okTo := at[e.To]
		begins := slices.ContainsFunc(all, func(s segment) bool { return s.from == from })
		ends := slices.ContainsFunc(all, func(s segment) bool { return s.to == to+1 })
		switch {
		case !okFrom || !okTo || from < next && c.stage.Name() != "offload" || to < from:
			return true, fmt.Errorf("an edit from %d to %d (%v, %v), where the one before ends at %d", from, to, okFrom, okTo, next-1)
		case begins && ends:
		case from == to && len(e.With) == 1 && c.before[from].Role == llm.ToolRole && e.With[0].Role == llm.ToolRole:
		default:
			return true, fmt.Errorf("an edit from %d to %d parts a round", from, to)
		}
		for _, m := range e.With {
			if m.ID != "" {
				return true, errors.New("a message that is put in has the id of another")
			}
		}
		next = to + 1
	}
	return changed(c), nil
}
