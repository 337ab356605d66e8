package subagent

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/nearest"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// ToolName is the name of the tool.
const ToolName = "spawn_agent"

//go:embed spawn_agent.md
var texts embed.FS

// Kind is what a sub-agent can be.
type Kind struct {
	Name        string
	Description string   // when to use it
	Tools       []string // by our names; nil for all that its parent has
	Not         []string // but these
	Model       string   // "" for its parent's
	Mode        string   // a permission mode no wider than its parent's; "" for that
	Effort      string   // "" for its parent's
	MaxSteps    int      // 0 for its parent's
	Prompt      string   // what it is told besides what every agent is told
}

// BuiltIn is the kinds that are always there.
func BuiltIn() []Kind {
	return []Kind{
		{
			Name: "explore", Description: "reads and searches, and changes nothing: for finding out how something works, or where it is",
			Tools: []string{"glob_files", "grep_files", "list_files", "read_file", "run_command", "web_fetch", "web_search"}, Mode: "read-only",
			Prompt: "You explore: find out what was asked, and report it with the files and lines that show it. You change nothing.",
		},
		{Name: "general", Description: "everything else: work of several steps with all tools", Prompt: "You do what was asked, all of it, and report what you did and what you found."},
	}
}

// withheld is the tools that no sub-agent has.
func withheld() []string { return []string{ToolName, "ask_user", "propose_plan"} }

// Has says whether a sub-agent of this kind has a tool, by its name, when the
// call asked for only some (none: for all).
func (k Kind) Has(name string, only []string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool {
			prefix, wild := strings.CutSuffix(pattern, "*")
			return pattern == name || wild && strings.HasPrefix(name, prefix)
		})
	}
	return !slices.Contains(withheld(), name) && !in(k.Not) && (k.Tools == nil || in(k.Tools)) && (len(only) == 0 || in(only))
}

// Child is a sub-agent, ready to run.
type Child struct {
	Agent   *agent.Agent
	Session string // of its own log
	Close   func() error
}

// Options is what the tool needs.
type Options struct {
	Kinds func() []Kind

	// Make makes a sub-agent. The error is read by the model.
	Make func(ctx context.Context, k Kind, only []string) (Child, error)

	// Background runs work as a background task, and gives its id; nil is
	// where there are none.
	Background func(ctx context.Context, shown string, do func(ctx context.Context, out io.Writer) int) string

	// OwnName is our name for a tool, however it is called; nil takes names as
	// they are.
	OwnName func(name string) string
}

type input struct {
	Task       string   `json:"task"`
	Agent      string   `json:"agent"`
	Tools      []string `json:"tools"`
	Background bool     `json:"background"`
}

type spawn struct {
	o    Options
	spec llm.ToolSpec
}

// Tool is the tool spawn_agent, for the kinds that there are now.
func Tool(o Options) tool.Tool { return spawn{o, specOf(o.Kinds())} }

// Spec is what a model is told.
func (s spawn) Spec() llm.ToolSpec { return s.spec }

func specOf(kinds []Kind) llm.ToolSpec {
	text, err := texts.ReadFile(ToolName + ".md")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	description := strings.TrimSpace(string(text)) + " Agents:"
	for _, k := range kinds {
		names = append(names, k.Name)
		description += "\n- " + k.Name + ": " + shorten(k.Description, 200)
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"task"}, "additionalProperties": false,
		"properties": map[string]any{
			"task":       map[string]any{"type": "string", "description": "everything that it needs to know"},
			"agent":      map[string]any{"type": "string", "enum": names, "description": "default: general"},
			"tools":      map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "only these tools; default: all of that agent's"},
			"background": map[string]any{"type": "boolean", "description": "return at once, run as a task"},
		},
	})
	if err != nil {
		panic(err) // it is made of texts
	}
	return llm.ToolSpec{Name: ToolName, Description: description, Schema: schema}
}

func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// Prepare finds the kind.
func (s spawn) Prepare(_ context.Context, args json.RawMessage) (tool.Action, error) {
	var in input
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Action{}, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	if strings.TrimSpace(in.Task) == "" {
		return tool.Action{}, errors.New("task is empty: say everything that the sub-agent needs to know")
	}
	if in.Agent == "" {
		in.Agent = "general"
	}
	var names []string
	var kind Kind
	for _, k := range s.o.Kinds() {
		names = append(names, k.Name)
		if strings.EqualFold(k.Name, in.Agent) {
			kind = k
		}
	}
	if kind.Name == "" {
		return tool.Action{}, fmt.Errorf("there is no agent %q%s; there are %s", in.Agent, meant(in.Agent, names), strings.Join(names, ", "))
	}
	if s.o.OwnName != nil {
		for i, name := range in.Tools {
			in.Tools[i] = s.o.OwnName(name)
		}
	}
	if in.Background && s.o.Background == nil {
		return tool.Action{}, errors.New("background: there are no background tasks here; leave it out")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(in.Task), "\n")
	title := fmt.Sprintf("Agent %s: %s", kind.Name, shorten(first, 80))
	return tool.Action{
		Title:   title,
		Effects: []event.Effect{{Kind: event.Spawn, Target: kind.Name}},
		Preview: event.Preview{Kind: event.PreviewText, Text: in.Task},
		Run: func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
			if in.Background {
				return s.begin(ctx, kind, in, title)
			}
			return s.run(ctx, kind, in, emit)
		},
	}, nil
}

func meant(name string, names []string) string {
	if near := nearest.Close(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// run runs a sub-agent to its end.
func (s spawn) run(ctx context.Context, kind Kind, in input, emit tool.Emit) (tool.Result, error) {
	child, err := s.o.Make(ctx, kind, in.Tools)
	if err != nil {
		return tool.Result{}, err
	}
	r := follow(ctx, child, in.Task, emit)
	if err := child.Close(); err != nil && r.fault == nil {
		r.fault = err
	}
	return r.result(child.Session), nil
}

// begin runs a sub-agent in the background.
func (s spawn) begin(ctx context.Context, kind Kind, in input, title string) (tool.Result, error) {
	child, err := s.o.Make(ctx, kind, in.Tools)
	if err != nil {
		return tool.Result{}, err
	}
	id := s.o.Background(ctx, title, func(ctx context.Context, out io.Writer) int {
		r := follow(ctx, child, in.Task, func(e event.Signal) {
			if n, ok := e.(event.Nested); ok {
				fmt.Fprint(out, lineOf(n.Event)) // a task's output never fails
			}
		})
		if err := child.Close(); err != nil && r.fault == nil {
			r.fault = err
		}
		end := r.result(child.Session)
		fmt.Fprintf(out, "\n%s\n", end.Parts.Text())
		if end.Error {
			return 1
		}
		return 0
	})
	res := tool.TextResult(fmt.Sprintf("TASK: %s\n\nStarted in the background. task_output reads what it does and its answer, task_stop ends it; you are told when it ends.", id))
	res.Meta.Child = child.Session
	return res, nil
}

// lineOf is what a background sub-agent prints of an event: its calls.
func lineOf(record json.RawMessage) string {
	var e struct{ Type, Title string }
	if json.Unmarshal(record, &e) == nil && e.Type == "started" {
		return "- " + e.Title + "\n"
	}
	return ""
}

// report is what came of a sub-agent.
type report struct {
	denied []string
	text   string // its newest answer
	ended  event.Ended
	fault  error
}

// follow runs a turn of the child, and shows what happens in it.
func follow(ctx context.Context, child Child, task string, emit tool.Emit) (r report) {
	for record, err := range child.Agent.Turn(ctx, llm.NewText(llm.User, llm.Prompt, task)) {
		if err != nil {
			r.fault = err
			break
		}
		switch e := record.Event.(type) {
		case event.TextDelta, event.ThinkingDelta, event.CallDelta:
			continue // what it says comes whole
		case event.Message:
			if text := strings.TrimSpace(e.Parts.Text()); e.Role == llm.Assistant && text != "" {
				r.text = text
			}
		case event.Decided:
			if !e.Allow {
				r.denied = append(r.denied, e.Title+": "+e.Reason)
			}
		case event.Ended:
			r.ended = e
		}
		var line bytes.Buffer
		if emit != nil && event.Encode(&line, record) == nil {
			emit(event.Nested{Event: bytes.TrimSpace(line.Bytes())})
		}
	}
	return r
}

const mostDenied = 10

// result is what the parent reads: first what was denied, then why it did not
// come to its end if it did not, then what the child said.
func (r report) result(session string) tool.Result {
	var b strings.Builder
	if len(r.denied) > 0 {
		fmt.Fprintf(&b, "DENIED: %d calls of the sub-agent, which can ask nobody:\n", len(r.denied))
		for _, d := range r.denied[:min(len(r.denied), mostDenied)] {
			b.WriteString("- " + d + "\n")
		}
		if more := len(r.denied) - mostDenied; more > 0 {
			fmt.Fprintf(&b, "- and %d more\n", more)
		}
		b.WriteString("\n")
	}
	text := r.text
	why := ""
	switch {
	case r.fault != nil:
		why = r.fault.Error()
	case r.ended.Reason != event.Done:
		why = strings.Trim(string(r.ended.Reason)+": "+r.ended.Error, ": ")
	}
	if why != "" {
		fmt.Fprintf(&b, "NOT FINISHED: the sub-agent ended before its work was done (%s).", why)
		if text != "" {
			b.WriteString(" The newest of what it said:")
		}
		b.WriteString("\n\n")
	} else if text == "" {
		text = "(the sub-agent said nothing)"
	}
	res := tool.TextResult(strings.TrimSpace(b.String() + text))
	res.Error = why != ""
	res.Meta.Child = session
	return res
}
