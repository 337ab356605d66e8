package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// TooLong says of a view that it does not fit, what takes the most room in it,
// and the ways out. The error wraps [llm.ErrContextTooLong].
func (p Pipeline) TooLong(v event.View) error {
	what := "and nothing more can be taken out"
	if p.Off {
		what = "and making it smaller by itself is switched off (context.auto)"
	}
	return fmt.Errorf("%w, %s. The biggest parts are %s. %s", llm.ErrContextTooLong, what, biggest(v), waysOut)
}

const waysOut = "Make it smaller with /compact, choose a model with a larger window with /model, or begin anew with /new"

// misjudged says of a view that the provider refused as too long, that its
// window must be smaller than is believed; "" where the estimate may be wrong.
func misjudged(v event.View) string {
	if v.Model == nil || v.Used.Share() > 0.75 {
		return ""
	}
	return fmt.Sprintf("%s did not take a prompt of about %d tokens, though it is believed to take %d. Set models.%q.context in the settings to the window that it has.",
		modelOf(v), v.Used.Tokens, v.Used.Window, modelOf(v))
}

// biggest names what takes the most room in a request.
func biggest(v event.View) string {
	type share struct {
		what   string
		tokens int
	}
	ratio := account.Ratio(v.Request.Messages, modelOf(v))
	size := func(req llm.Request) int { return int(float64(account.Estimate(req)) * ratio) }
	shares := []share{
		{"the system prompt with its instruction files", size(llm.Request{System: v.Request.System})},
		{"the tools' descriptions", size(llm.Request{Tools: v.Request.Tools})},
	}
	for _, m := range v.Request.Messages {
		what := "a " + string(m.Kind) + " message"
		if r, ok := m.Result(); ok {
			what = "a result of " + r.Name
		}
		shares = append(shares, share{what, size(llm.Request{Messages: []llm.Message{m}})})
	}
	slices.SortStableFunc(shares, func(a, b share) int { return b.tokens - a.tokens })
	var out []string
	for _, s := range shares[:min(3, len(shares))] {
		out = append(out, fmt.Sprintf("%s (about %d tokens)", s.what, s.tokens))
	}
	return strings.Join(out, ", ")
}
