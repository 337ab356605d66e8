package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// row is what an answer is, and so what happens next. The rows, their limits
// and their words are specified in docs/design/turn.md.
type row int

const (
	final   row = iota // text, unmarked or marked final: the turn ends
	working            // text marked progress
	calling            // tool calls: they are run
	cutOff             // tool calls in an answer that was cut off or refused: none is run
	paused             // text, pause_turn
	severed            // text, max_tokens
	hollow             // nothing, pause_turn or max_tokens
	blank              // nothing, for no reason given
	refused            // refusal, content filter, safety stop
	rowCount
)

// idleLimit is how many answers in a row may come without a tool that ran.
const idleLimit = 8

// rowOf finds the row of an answer. A stop reason decides before a marker.
func rowOf(m llm.Message, mark marker) row {
	stopped := m.Stop == llm.StopRefusal || m.Stop == llm.StopFilter
	empty := strings.TrimSpace(m.Text()) == ""
	switch {
	case len(m.Calls()) > 0 && (stopped || m.Stop == llm.StopLength):
		return cutOff
	case len(m.Calls()) > 0:
		return calling
	case stopped:
		return refused
	case empty && (m.Stop == llm.StopPause || m.Stop == llm.StopLength):
		return hollow
	case empty:
		return blank
	case m.Stop == llm.StopPause:
		return paused
	case m.Stop == llm.StopLength:
		return severed
	case mark == progressMarker:
		return working
	}
	return final
}

// limit is how many answers of the row are followed by another request.
func (r row) limit() int {
	switch r {
	case working:
		return 5
	case paused, severed, hollow:
		return 3
	case blank:
		return 2
	case cutOff:
		return 1
	}
	return 0
}

// kind is what an answer of the row is recorded as.
func (r row) kind(spent bool) llm.Kind {
	switch r {
	case calling, cutOff:
		return llm.Work
	case hollow, blank:
		return llm.Progress
	case working, paused, severed:
		if !spent {
			return llm.Progress
		}
	}
	return llm.Final
}

// tally is what the answer table counts.
type tally struct {
	// A step that ran a tool sets these to zero.
	rows  [rowCount]int
	idle  int // answers in a row without a tool that ran
	stops int // times in a row that a hook kept the turn going

	malformed int // answers with calls in a row whose arguments were no JSON object
	steps     []step
	repeated  int // what repeats gave before the newest step
}

// count adds an answer and says whether its row is used up.
func (c *tally) count(r row, m llm.Message) (spent bool) {
	if r == calling {
		bad := false
		for _, call := range m.Calls() {
			bad = bad || call.Malformed != ""
		}
		if bad {
			c.malformed++
		} else {
			c.malformed = 0
		}
		return false
	}
	c.rows[r]++
	c.idle++
	return c.rows[r] > r.limit() || c.idle >= idleLimit
}

// ranTool starts the counting anew, as a step that ran a tool does.
func (c *tally) ranTool() {
	c.rows, c.idle, c.stops = [rowCount]int{}, 0, 0
}

// next carries out the answer's row: it says what goes in before the next
// request, or gives the reason why there is none.
func (t *turn) next(ctx context.Context, a *answer) (event.Reason, error) {
	if reason, err := t.over(a); reason != "" || err != nil {
		return reason, err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	ending := a.ends()
	said, person := t.steer(ending)
	if err := t.say(said...); err != nil {
		return "", err
	}
	if person {
		t.tally = tally{}
		return "", nil
	}
	if ending {
		return t.finish(ctx, a)
	}
	if a.row == hollow {
		t.notice(event.InfoLevel, "The answer ended early (%s) before it said anything. Asking it to go on.", a.Stop)
	}
	if text := t.nudge(a); text != "" {
		return "", t.say(llm.NewText(llm.User, llm.Nudge, text))
	}
	return "", nil
}

// ends says whether the answer ends the turn with reason done.
func (a *answer) ends() bool { return a.row == final || a.row == working && a.spent }

// over is the rows that end a turn whatever else waits.
func (t *turn) over(a *answer) (event.Reason, error) {
	switch {
	case a.stopped:
		return event.Stopped, nil
	case a.question != "":
		return event.AwaitUser, t.say(llm.NewText(llm.Assistant, llm.Questioned, a.question))
	case a.row == refused:
		return event.Refusal, nil
	case a.row == cutOff && a.spent:
		t.notice(event.WarnLevel, "Stopped: two answers in a row with tool calls were cut off (%s). None of their calls was run.", a.Stop)
		return event.Truncated, nil
	case a.row == calling && t.tally.malformed >= 3:
		t.detail = "three answers in a row had arguments that are not a JSON object"
		return event.Loop, nil
	case a.row == calling && t.tally.repeats() >= 5:
		t.detail = fmt.Sprintf("the same call of %s gave the same result five times", t.tally.toolNames())
		t.notice(event.WarnLevel, "Stopped: %s.", t.detail)
		return event.Loop, nil
	case (a.row == paused || a.row == severed) && a.spent:
		t.notice(event.WarnLevel, "The answer is not whole: the model stopped early (%s) too many times.", a.Stop)
		return event.Truncated, nil
	case (a.row == hollow || a.row == blank) && a.spent:
		return event.Empty, t.fallback(a)
	}
	return "", nil
}

// steer takes what waits to go in, and says whether the person is among it.
func (t *turn) steer(ending bool) (said []llm.Message, person bool) {
	if t.Steer == nil {
		return nil, false
	}
	said = t.Steer(ending)
	for _, m := range said {
		person = person || m.Kind == llm.Prompt
	}
	return said, person
}

// finish ends the turn, unless a hook wants it to go on.
func (t *turn) finish(ctx context.Context, a *answer) (event.Reason, error) {
	if t.Hooks == nil || t.tally.stops >= 8 {
		return event.Done, nil
	}
	note := ""
	err := guard(func() (err error) { note, err = t.Hooks.Stop(ctx, a.Message); return err })
	if err != nil || note == "" {
		return event.Done, nil
	}
	t.tally.stops++
	return "", t.say(llm.NewText(llm.User, llm.Note, note))
}

// fallback is the answer given in the place of one that never came.
func (t *turn) fallback(a *answer) error {
	blocks := make([]string, 0, len(a.Parts))
	for _, p := range a.Parts {
		switch p.(type) {
		case llm.Thinking:
			blocks = append(blocks, "thinking")
		case llm.Text:
			blocks = append(blocks, "text")
		default:
			blocks = append(blocks, "other")
		}
	}
	if len(blocks) == 0 {
		blocks = []string{"none"}
	}
	text := fmt.Sprintf("The model gave no answer, %d times in a row. Tools that failed in this turn: %d. Last answer: stop reason %s, blocks: %s.",
		max(t.tally.idle, 1), t.failed, orElse(string(a.Stop), "none"), strings.Join(blocks, ", "))
	return t.say(llm.NewText(llm.Assistant, llm.Final, text))
}

// nudge is the continuation that the answer's row calls for.
func (t *turn) nudge(a *answer) string {
	switch a.row {
	case working:
		return nudgeProgress
	case severed:
		return nudgeContinue
	case paused:
		return nudgePause
	case hollow:
		if a.Stop == llm.StopPause {
			return nudgePause
		}
		return nudgeThinking
	case blank:
		if t.ranAny {
			return nudgeEmptyAfterTools
		}
		return nudgeEmpty
	case calling:
		if n := t.tally.repeats(); n >= 3 && t.tally.repeated < 3 {
			return fmt.Sprintf(nudgeSameCall, n, t.tally.toolNames())
		}
	}
	return ""
}

const (
	nudgeProgress        = "Continue immediately from your <progress> update with concrete tool calls, code changes, or an explicit <final> answer only if the task is complete."
	nudgeThinking        = "Your previous response hit max_tokens during thinking before producing the next actionable step. Resume immediately and continue with the next concrete tool call, code change, or an explicit <final> answer only if the task is complete. Do not repeat the earlier plan."
	nudgePause           = "Resume from the previous pause_turn and continue the task immediately. Produce the next concrete tool call, code change, or an explicit <final> answer only if the task is complete."
	nudgeEmpty           = "Your last response was empty. Continue immediately with concrete tool calls, code changes, or an explicit <final> answer only if the task is complete."
	nudgeEmptyAfterTools = "Your last response was empty after recent tool results. Continue immediately by trying the next concrete step, adapting to any tool errors, or giving an explicit <final> answer only if the task is complete."
	nudgeContinue        = "Your previous response was cut off at the output limit. Continue exactly where you stopped. Do not repeat anything."
	nudgeSameCall        = "The last %d calls of %s had the same arguments and the same result. Do not repeat the call. Change the approach, or give a <final> answer that says what is in the way."
)
