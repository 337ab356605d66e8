package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// toolArgs is what every tool of a world takes.
type toolArgs struct {
	Key  string `json:"key"`            // names the call, whatever id it gets
	Path string `json:"path,omitempty"` // of a file
	Text string `json:"text,omitempty"` // for the file, or for the result
	Size int    `json:"size,omitempty"` // characters more in the result
	Gate string `json:"gate,omitempty"` // what the gate does with the call
}

const toolSchema = `{"type":"object","properties":{"key":{"type":"string"},"path":{"type":"string"},"text":{"type":"string"},` +
	`"size":{"type":"integer"},"gate":{"type":"string"}},"required":["key"],"additionalProperties":false}`

func specOf(name string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: "Does what " + name + " does.", Schema: json.RawMessage(toolSchema)}
}

// tools is all of a world's tools. Each checks at its first step that its
// call was decided, as anybody would who can only read the disk.
func (w *world) tools() []tool.Tool {
	file := func(in toolArgs) string { return filepath.Join(w.dir, in.Path) }
	reads := func(in toolArgs) []event.Effect { return []event.Effect{{Kind: event.Read, Target: file(in)}} }
	writes := func(in toolArgs) []event.Effect { return []event.Effect{{Kind: event.Write, Target: file(in)}} }
	command := func(class event.Class) func(in toolArgs) []event.Effect {
		return func(in toolArgs) []event.Effect {
			return append(reads(in), event.Effect{Kind: event.Exec, Target: "cat " + in.Path, Class: class})
		}
	}
	nothing := func(toolArgs) []event.Effect { return nil }
	return []tool.Tool{
		w.tool("asks", nothing, func(_ context.Context, in toolArgs, _ tool.Emit) (tool.Result, error) {
			r := tool.TextResult("asked")
			r.Question = "What of " + in.Key + "?"
			return r, nil
		}),
		w.tool("fails", reads, func(_ context.Context, in toolArgs, _ tool.Emit) (tool.Result, error) {
			return tool.Result{}, errors.New("it did not work: " + in.Text)
		}),
		w.tool("hangs", writes, func(ctx context.Context, in toolArgs, emit tool.Emit) (tool.Result, error) {
			emit(event.Output{Text: hangWord})
			<-ctx.Done()
			if in.Size > 0 {
				return tool.ErrorResult("what there was: " + in.Text), nil
			}
			return tool.Result{}, ctx.Err()
		}),
		w.tool("look", reads, func(_ context.Context, in toolArgs, _ tool.Emit) (tool.Result, error) {
			data, err := os.ReadFile(file(in))
			if err != nil {
				data = []byte("nothing there \xff\x00\x1b[31m")
			}
			r := tool.TextResult(string(data) + filler(in))
			r.Meta.Read = []llm.FileRead{{Path: file(in), SHA256: "00", Whole: true}}
			return r, nil
		}),
		tool.New(specOf("mine"), func(context.Context, toolArgs) (tool.Action, error) { panic("in Prepare") }),
		w.tool("panics", writes, func(context.Context, toolArgs, tool.Emit) (tool.Result, error) { panic("in Run") }),
		w.tool("peek", command(event.ReadOnly), func(_ context.Context, in toolArgs, emit tool.Emit) (tool.Result, error) {
			emit(event.Output{Text: in.Text})
			return tool.TextResult(in.Text + filler(in)), nil
		}),
		w.tool("picture", reads, func(context.Context, toolArgs, tool.Emit) (tool.Result, error) {
			return tool.Result{Parts: llm.Parts{llm.Text{Text: "a picture"}, llm.NewImage("image/png", []byte("\x89PNG\r\n\x1a\n0000"))}}, nil
		}),
		w.tool("quiet", reads, func(context.Context, toolArgs, tool.Emit) (tool.Result, error) { return tool.Result{}, nil }),
		tool.New(specOf("refuses"), func(_ context.Context, in toolArgs) (tool.Action, error) {
			return tool.Action{}, fmt.Errorf("%s cannot be done; try another", in.Key)
		}),
		w.tool("run", command(event.NeedsAsk), func(_ context.Context, in toolArgs, emit tool.Emit) (tool.Result, error) {
			for range 5 {
				emit(event.Output{Text: in.Text})
			}
			r := tool.TextResult(in.Text + filler(in))
			exit := len(in.Key) % 2
			r.Meta.Exit, r.Error = &exit, exit != 0
			return r, nil
		}),
		w.tool("spawn", func(in toolArgs) []event.Effect { return []event.Effect{{Kind: event.Spawn, Target: "helper"}} },
			func(_ context.Context, in toolArgs, emit tool.Emit) (tool.Result, error) {
				emit(event.Nested{Call: in.Key, Event: json.RawMessage(`{"type":"notice"}`)})
				return tool.TextResult("helped " + in.Text), nil
			}),
		w.tool("stuck", writes, func(_ context.Context, _ toolArgs, emit tool.Emit) (tool.Result, error) {
			emit(event.Output{Text: hangWord})
			<-w.end
			return tool.TextResult("too late"), nil
		}),
		w.tool("sum", nothing, func(_ context.Context, in toolArgs, _ tool.Emit) (tool.Result, error) {
			return tool.TextResult(fmt.Sprint(len(in.Text))), nil
		}),
		w.tool("write", writes, func(_ context.Context, in toolArgs, _ tool.Emit) (tool.Result, error) {
			if err := os.WriteFile(file(in), []byte(in.Text), 0o600); err != nil {
				return tool.Result{}, err
			}
			r := tool.TextResult("wrote " + in.Path)
			r.Meta.Wrote = []llm.FileWrite{{Path: file(in), SHA256: "11", Added: 1}}
			return r, nil
		}),
	}
}

// filler is lines of the size that the call wants.
func filler(in toolArgs) string {
	return strings.Repeat("a line of the result 0123456789 日本\n", in.Size/34)
}

type runner func(context.Context, toolArgs, tool.Emit) (tool.Result, error)

func (w *world) tool(name string, effects func(toolArgs) []event.Effect, run runner) tool.Tool {
	return tool.New(specOf(name), func(_ context.Context, in toolArgs) (tool.Action, error) {
		return tool.Action{
			Title: name + " " + in.Path, Effects: effects(in), Preview: event.Preview{Kind: event.PreviewText, Text: in.Text},
			Run: func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
				w.starts(in.Key, effects(in))
				return run(ctx, in, emit)
			},
		}, nil
	})
}

// starts checks that an action that begins to run was allowed before, for
// what it does, and that this can be read from the disk.
func (w *world) starts(key string, effects []event.Effect) {
	w.disk.read()
	allowed := w.disk.decisions(key)
	w.mu.Lock()
	w.begun[key]++
	w.ran++
	n, judged := w.begun[key], w.judged[key]
	w.mu.Unlock()
	for _, e := range effects {
		if !slices.Contains(judged, e) {
			w.blame(permitted, "call %s does %v, which the gate has not seen", key, e)
		}
	}
	if n > len(allowed) {
		w.blame(permitted, "call %s runs %d times, %d times it was allowed", key, n, len(allowed))
		return
	}
	if !slices.Equal(allowed[n-1].Effects, effects) {
		w.blame(permitted, "call %s was allowed for %v and does %v", key, allowed[n-1].Effects, effects)
	}
}

// gate decides as the call itself says.
type gate struct{ w *world }

func (g gate) Check(ctx context.Context, call llm.ToolCall, action tool.Action, advice tool.Advice, emit tool.Emit) (event.Decided, error) {
	var in toolArgs
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return event.Decided{}, err
	}
	g.w.mu.Lock()
	g.w.judged[in.Key] = append(g.w.judged[in.Key], action.Effects...)
	g.w.mu.Unlock()
	if advice.Verdict == tool.Deny {
		return event.Decided{By: "hook", Reason: advice.Reason}, nil
	}
	yes := event.Decided{Allow: true, By: "user"}
	changed := in
	changed.Gate, changed.Text = "", in.Text+" changed"
	switch in.Gate {
	case "deny":
		return event.Decided{By: "rule", Reason: "a rule says no"}, nil
	case "stop":
		return event.Decided{By: "user", Reason: "stop it", Stop: true}, nil
	case "fail":
		return event.Decided{}, errors.New("the gate cannot be reached")
	case "panic":
		panic("in the gate")
	case "grant":
		yes.Grant = &event.Grant{Scope: event.ForTurn, Rules: []string{call.Name}}
	case "wait":
		emit(event.Waiting{Question: event.Question{Call: call.ID, Title: hangWord}})
		<-ctx.Done()
		return event.Decided{}, ctx.Err()
	case "widen": // the person names another file: it is judged again
		changed.Path += "-other"
		fallthrough
	case "change":
		args, err := json.Marshal(changed)
		if err != nil {
			return event.Decided{}, err
		}
		yes.Args = args
	}
	return yes, nil
}

// hooks do by a call's key, so that the same call meets the same.
type hooks struct{ w *world }

func (h hooks) Before(_ context.Context, c llm.ToolCall) (tool.Advice, error) {
	var in toolArgs
	if json.Unmarshal(c.Args, &in) != nil {
		return tool.Advice{}, nil
	}
	switch len(in.Text) % 7 {
	case 0:
		return tool.Advice{Verdict: tool.Deny, Reason: "a hook says no"}, nil
	case 1:
		in.Text += " by a hook"
		args, err := json.Marshal(in)
		return tool.Advice{Args: args}, err
	case 2:
		return tool.Advice{}, errors.New("the hook failed")
	}
	return tool.Advice{Verdict: tool.Allow}, nil
}

func (h hooks) After(_ context.Context, c llm.ToolCall, r tool.Result) (tool.Result, error) {
	switch len(c.Args) % 5 {
	case 0:
		r.Parts = append(r.Parts, llm.Text{Text: "\nseen by a hook"})
	case 1:
		return r, errors.New("the hook failed")
	case 2:
		panic("in the hook")
	}
	return r, nil
}

func (h hooks) Stop(_ context.Context, m llm.Message) (string, error) {
	if len(m.Text())%3 == 0 {
		return "not yet", nil
	}
	return "", nil
}

var (
	_ agent.Gate  = gate{}
	_ agent.Hooks = hooks{}
)
