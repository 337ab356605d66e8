package openai

import (
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// Quirks is what one server wants differently from the rest. An empty field
// is the ordinary way.
type Quirks struct {
	MaxTokens string `json:"maxTokens,omitempty"` // the member that limits the output: "max_tokens", "max_completion_tokens", "none"
	System    string `json:"system,omitempty"`    // the role of the system prompt: "system", "developer", "user"
	Effort    string `json:"effort,omitempty"`    // how an effort is asked for: "reasoning_effort", "reasoning" (an object), "none"
	Reasoning string `json:"reasoning,omitempty"` // the member in which thinking goes back: "reasoning_content", "reasoning", "none"
	IDs       string `json:"ids,omitempty"`       // the form of call ids: "40" (characters at most), "mistral" (9 letters and digits), "any"
	NoUsage   bool   `json:"noUsage,omitempty"`   // stream_options is refused
	NoEnd     bool   `json:"noEnd,omitempty"`     // neither finish_reason nor [DONE] may come
	Turns     bool   `json:"turns,omitempty"`     // neighbouring messages of the user must be one, and none may follow a tool's directly
}

// QuirksFor is the table's row for the model.
func QuirksFor(info llm.Info) Quirks {
	q := Quirks{MaxTokens: "max_tokens", System: "system", Effort: "reasoning_effort", Reasoning: "reasoning_content", IDs: "any"}
	switch info.Provider {
	case "openai", "azure":
		q.Reasoning, q.IDs = "none", "40"
		if reasons(info.Name) {
			q.MaxTokens, q.System = "max_completion_tokens", "developer"
		}
	case "openrouter":
		q.Effort, q.Reasoning = "reasoning", "reasoning"
	case "groq", "cerebras":
		q.MaxTokens, q.Reasoning = "max_completion_tokens", "reasoning"
	case "mistral":
		q.IDs, q.Reasoning, q.Effort, q.Turns = "mistral", "none", "none", true
	case "xai":
		q.Reasoning = "none"
	case "gemini":
		q.Reasoning, q.IDs = "none", "40"
	}
	return q
}

// reasons knows the names of OpenAI's reasoning models: o1, o3-mini, gpt-5.
func reasons(name string) bool {
	name = name[strings.LastIndexByte(name, '/')+1:]
	return len(name) > 1 && name[0] == 'o' && name[1] >= '0' && name[1] <= '9' || strings.HasPrefix(name, "gpt-5")
}

// over is q with what it leaves open taken from the row.
func (q Quirks) over(row Quirks) Quirks {
	for _, f := range []struct{ own, row *string }{
		{&q.MaxTokens, &row.MaxTokens},
		{&q.System, &row.System},
		{&q.Effort, &row.Effort},
		{&q.Reasoning, &row.Reasoning},
		{&q.IDs, &row.IDs},
	} {
		if *f.own == "" {
			*f.own = *f.row
		}
	}
	q.NoUsage = q.NoUsage || row.NoUsage
	q.NoEnd = q.NoEnd || row.NoEnd
	q.Turns = q.Turns || row.Turns
	return q
}
