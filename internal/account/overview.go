package account

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

// Part is what one part of a request takes.
type Part struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// Section is a piece of a system prompt that is told apart from the rest.
type Section struct {
	Name string // "instruction files" or "skills"; any other belongs to the system prompt
	Text string
}

// Overview is what takes how much of the model's window. Parts are always the
// same, in the same order, and add up to Tokens; Messages add up to the last
// of them, "messages".
type Overview struct {
	Model     string  `json:"model"` // "provider/name"
	llm.Count         // tokens, source, stale, window, known
	Share     float64 `json:"share"`   // of the effective input that is in use
	Level     Level   `json:"level"`   //
	Reserve   int     `json:"reserve"` // tokens of the window that are kept for the answer
	Free      int     `json:"free"`    // tokens of the effective input that are left
	Parts     []Part  `json:"parts"`
	Messages  []Part  `json:"messages"` // by kind, the biggest first; only kinds that take anything
}

// Overview measures the request and divides the result among its parts by
// what each is estimated at.
func (m *Meter) Overview(req llm.Request, info llm.Info, sections []Section) Overview {
	o := Overview{Model: info.ID(), Count: m.Measure(req, info)}
	o.Share = o.Count.Share()
	o.Level = LevelOf(o.Share)
	o.Reserve = llm.FallbackMaxOutput
	if info.Window > 0 {
		o.Reserve = info.Window - o.Window
	}
	o.Free = max(0, o.Window-o.Tokens)
	kinds := byKind(req.Messages)
	o.Parts = divide(o.Tokens, m.parts(req, sections, kinds))
	o.Messages = divide(o.Parts[len(o.Parts)-1].Tokens, kinds)
	o.Messages = slices.DeleteFunc(o.Messages, func(p Part) bool { return p.Tokens == 0 })
	slices.SortStableFunc(o.Messages, func(a, b Part) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return o
}

// weight is what a part of the request is estimated at.
type weight struct {
	name string
	tokens
}

func (m *Meter) parts(req llm.Request, sections []Section, kinds []weight) []weight {
	m.mu.Lock()
	defer m.mu.Unlock()
	system, tools, mcp := m.text(req.System), tokens(0), tokens(0)
	for i := range req.Tools {
		if t := m.tool(&req.Tools[i]); strings.HasPrefix(req.Tools[i].Name, "mcp__") {
			mcp += t
		} else {
			tools += t
		}
	}
	section := func(name string) (sum tokens) {
		for _, s := range sections {
			if s.Name == name {
				sum += textTokens(s.Text)
			}
		}
		sum = min(sum, system)
		system -= sum
		return sum
	}
	instructions, skills := section("instruction files"), section("skills")
	messages := tokens(0)
	for _, k := range kinds {
		messages += k.tokens
	}
	return []weight{
		{"system prompt", system},
		{"tools", tools},
		{"MCP tools", mcp},
		{"instruction files", instructions},
		{"skills", skills},
		{"messages", messages},
	}
}

// byKind is what the messages are estimated at, by what they are.
func byKind(messages []llm.Message) []weight {
	const thinking, images = 2, 6 // which stand inside messages of other kinds
	kinds := []weight{{name: "prompts"}, {name: "answers"}, {name: "thinking"}, {name: "tool results"}, {name: "summaries"}, {name: "notes and nudges"}, {name: "images"}}
	for _, msg := range messages {
		at := 1
		switch msg.Kind {
		case llm.Prompt:
			at = 0
		case llm.Resulted:
			at = 3
		case llm.Summary, llm.Snipped:
			at = 4
		case llm.Note, llm.Nudge:
			at = 5
		}
		kinds[at].tokens += perMessage
		for _, p := range msg.Parts {
			t := partTokens(p)
			if _, ok := p.(llm.Thinking); ok {
				kinds[thinking].tokens += t
				continue
			}
			seen := picturesIn(p)
			kinds[images].tokens += seen
			kinds[at].tokens += t - seen
		}
	}
	return kinds
}

// picturesIn is what the pictures of a part take.
func picturesIn(p llm.Part) (t tokens) {
	switch p := p.(type) {
	case llm.Image:
		return imageTokens(p)
	case llm.ToolResult:
		for _, inner := range p.Parts {
			t += picturesIn(inner)
		}
	}
	return t
}

// divide gives each its share of the total, so that the shares add up to it:
// all are rounded down, and what is left goes to those that lost the most.
func divide(total int, weights []weight) []Part {
	var sum tokens
	for _, w := range weights {
		sum += w.tokens
	}
	out := make([]Part, len(weights))
	lost := make([]int, len(weights))
	left := total
	for i, w := range weights {
		out[i].Name = w.name
		if sum > 0 {
			share := int64(total) * int64(w.tokens)
			out[i].Tokens, lost[i] = int(share/int64(sum)), int(share%int64(sum))
			left -= out[i].Tokens
		}
	}
	for range left {
		most := slices.Index(lost, slices.Max(lost))
		if lost[most] <= 0 {
			break // nothing weighs anything
		}
		out[most].Tokens++
		lost[most] = 0
	}
	return out
}

// String is the overview as a table of at most 80 columns.
func (o Overview) String() string {
	var b strings.Builder
	head := fmt.Sprintf("%s  %s of %s tokens", Badge(o.Count), grouped(o.Tokens), grouped(o.Window))
	fmt.Fprintf(&b, "%s (%s)\n\n", head, shortened(o.Model, 80-utf8.RuneCountInString(head)-len(" ()")))
	row := func(indent string, p Part) {
		fmt.Fprintf(&b, "%s%-*s %12s  %5.1f%%  %s\n", indent, 20-len(indent), p.Name, grouped(p.Tokens), o.percent(p.Tokens), bar(o.percent(p.Tokens)/100, 24))
	}
	for _, p := range o.Parts {
		row("", p)
	}
	row("", Part{"free", o.Free})
	fmt.Fprintf(&b, "%-20s %12s  kept for the answer\n", "reserve", grouped(o.Reserve))
	if len(o.Messages) > 0 {
		b.WriteString("\nmessages by kind\n")
	}
	for _, p := range o.Messages {
		row("  ", p)
	}
	for _, line := range []string{o.why(), o.assumed()} {
		if line != "" {
			b.WriteString("\n" + line + "\n")
		}
	}
	return b.String()
}

func (o Overview) percent(n int) float64 {
	if o.Window <= 0 {
		return 0
	}
	return 100 * float64(n) / float64(o.Window)
}

// why says why the tokens are an estimate, where they are nothing else.
func (o Overview) why() string {
	if o.Source != "est" {
		return ""
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(o.Messages, func(p Part) bool { return p.Name == kind })
	}
	why := "nothing was sent yet"
	switch {
	case o.Stale == "another model":
		why = "the provider's count is another model's"
	case o.Stale == "implausible":
		why = "the provider's count is implausible"
	case o.Stale != "":
		why = "the provider's count is stale (" + o.Stale + ")"
	case has("answers"):
		why = "the provider gave no count"
	case has("summaries"):
		why = "nothing was sent since the conversation was summarized"
	}
	return "All of it is estimated: " + why + "."
}

func (o Overview) assumed() string {
	if o.Known {
		return ""
	}
	return "The window of this model is not known; this one is assumed."
}

// shortened leaves the provider out of a model's id that is too wide, and then
// cuts it.
func shortened(model string, width int) string {
	if utf8.RuneCountInString(model) > width {
		_, name, _ := strings.Cut(model, "/")
		model = cmp.Or(name, model)
	}
	if r := []rune(model); len(r) > width {
		model = string(r[:max(0, width-1)]) + "…"
	}
	return model
}

// grouped writes 62400 as 62,400.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
