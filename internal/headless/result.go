package headless

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// Result is the last line of every structured format.
type Result struct {
	Type              string                `json:"type"` // "result"
	Subtype           string                `json:"subtype"`
	TerminalReason    event.Reason          `json:"terminal_reason"`
	IsError           bool                  `json:"is_error"`
	ExitCode          int                   `json:"exit_code"`
	SessionID         string                `json:"session_id"`
	NumTurns          int                   `json:"num_turns"` // answers of the model
	DurationMS        int64                 `json:"duration_ms"`
	DurationAPIMS     int64                 `json:"duration_api_ms"`
	Result            *string               `json:"result,omitempty"`
	Errors            []string              `json:"errors,omitempty"`
	StopReason        *llm.Stop             `json:"stop_reason"`
	Usage             usage                 `json:"usage"`
	ModelUsage        map[string]modelUsage `json:"modelUsage"`
	TotalCostUSD      *float64              `json:"total_cost_usd"` // null when a price is not known
	PermissionDenials []denial              `json:"permission_denials"`
	Saved             bool                  `json:"saved"`
	TasksEnded        []app.Task            `json:"tasks_ended"`
	Context           *account.Overview     `json:"context,omitempty"` // of /context
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
}

type modelUsage struct {
	Input         int      `json:"inputTokens"`
	Output        int      `json:"outputTokens"`
	CacheRead     int      `json:"cacheReadInputTokens"`
	CacheWrite    int      `json:"cacheCreationInputTokens"`
	CostUSD       *float64 `json:"costUSD"`
	ContextWindow int      `json:"contextWindow"`
	MaxOutput     int      `json:"maxOutputTokens"`
}

type denial struct {
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	ToolInput json.RawMessage `json:"tool_input"`
	Reason    string          `json:"reason"`
}

// report folds the events of a run into its result.
type report struct {
	result Result
	ended  event.Ended
	asked  bool // a call was refused for want of an approval
	start  time.Time
	calls  map[string]llm.ToolCall
	titles map[string]string
	pieces string // text of answers that were cut off at the output limit
	usages map[string]llm.Usage
}

func newReport(conv *app.Conversation) *report {
	return &report{
		start: conv.Now(), calls: map[string]llm.ToolCall{}, titles: map[string]string{}, usages: map[string]llm.Usage{},
		result: Result{Type: "result", PermissionDenials: []denial{}, ModelUsage: map[string]modelUsage{}, TasksEnded: []app.Task{}},
	}
}

func (r *report) fail(err error) {
	r.ended = event.Ended{Reason: event.Failed, Error: err.Error(), Fault: faultOf(err)}
	switch {
	case errors.As(err, new(*app.Interrupt)):
		r.ended = event.Ended{Reason: event.Interrupted}
	case errors.Is(err, app.ErrTimeLimit):
		r.ended.Reason = event.Budget
	}
}

// faultOf is the provider's part in an error, as in [event.Ended].
func faultOf(err error) string {
	for _, f := range []struct {
		kind  error
		fault string
	}{{llm.ErrAuth, "auth"}, {llm.ErrRateLimited, "rate_limited"}, {llm.ErrOverloaded, "overloaded"}, {llm.ErrUnreachable, "unreachable"}} {
		if errors.Is(err, f.kind) {
			return f.fault
		}
	}
	return ""
}

func (r *report) add(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.Message:
		r.addMessage(e.Message)
	case event.Started:
		r.titles[e.Call] = e.Title
	case event.Decided:
		if !e.Allow {
			call := r.calls[e.Call]
			r.asked = r.asked || e.Asked
			r.result.PermissionDenials = append(r.result.PermissionDenials, denial{e.Tool, e.Call, orNull(call.Args), e.Reason})
		}
	case event.Edited:
		if e.Usage != nil {
			r.usages[e.Model] = r.usages[e.Model].Add(*e.Usage)
		}
	case event.Ended:
		r.ended = e
	}
}

func orNull(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("null")
	}
	return args
}

func (r *report) addMessage(m llm.Message) {
	for _, c := range m.Calls() {
		r.calls[c.ID] = c
	}
	if m.Usage != nil {
		r.result.NumTurns++
		r.usages[m.Model] = r.usages[m.Model].Add(*m.Usage)
	}
	if m.Role != llm.Assistant {
		return
	}
	if m.Stop != "" {
		stop := m.Stop
		r.result.StopReason = &stop
	}
	// An answer that was cut off goes on in the next one: for the reader they
	// are one text.
	text := r.pieces + m.Text()
	r.pieces = ""
	if m.Kind == llm.Progress && m.Stop == llm.StopLength {
		r.pieces = text
	}
	if m.Kind == llm.Final || m.Kind == llm.Questioned || m.Stop == llm.StopInterrupted {
		r.result.Result = &text
	}
}

func (r *report) title(res llm.ToolResult) string {
	if t := r.titles[res.Call]; t != "" {
		return t
	}
	return res.Name
}

// finish fills in what is known only at the end.
func (r *report) finish(ctx context.Context, conv *app.Conversation) {
	res := &r.result
	if r.ended.Reason == "" {
		r.ended.Reason = event.Interrupted
	}
	res.TasksEnded = append(res.TasksEnded, conv.EndTasks()...) //nolint:contextcheck // they must be ended although ctx may be over
	info := conv.Info()
	res.SessionID, res.Saved = info.Session, info.Saved
	res.DurationMS, res.DurationAPIMS = conv.Now().Sub(r.start).Milliseconds(), info.Waited.Milliseconds()
	res.TerminalReason = r.ended.Reason
	res.ExitCode = exitCode(r.ended, r.asked, context.Cause(ctx))
	res.IsError = res.ExitCode != 0 && r.ended.Reason != event.AwaitUser
	res.Subtype = subtype(r.ended.Reason, res.IsError)
	if r.ended.Error != "" {
		res.Errors = append(res.Errors, r.ended.Error)
	}
	if res.IsError && len(res.Errors) == 0 {
		res.Errors = append(res.Errors, describe(r.ended.Reason))
	}
	total, known := 0.0, true
	for model, u := range r.usages {
		of := info.ModelInfo(model)
		cost, ok := of.Price.Cost(u)
		m := modelUsage{u.Input, u.Output, u.CacheRead, u.CacheWrite, nil, of.Window, of.MaxOutput}
		if ok {
			m.CostUSD = &cost
		}
		total, known = total+cost, known && ok
		res.ModelUsage[model] = m
		res.Usage = usage{res.Usage.Input + u.Input, res.Usage.Output + u.Output, res.Usage.CacheWrite + u.CacheWrite, res.Usage.CacheRead + u.CacheRead}
	}
	if known {
		res.TotalCostUSD = &total
	}
}

// exitCode is the code for how the turn ended, as in docs/design/turn.md.
func exitCode(e event.Ended, asked bool, cause error) int {
	switch e.Reason {
	case event.Done:
		if asked {
			return 3
		}
		return 0
	case event.AwaitUser:
		return 9
	case event.Stopped:
		return 3
	case event.Interrupted:
		var by *app.Interrupt
		if errors.As(cause, &by) {
			return by.Exit
		}
		return 130
	case event.StepLimit, event.Loop:
		return 4
	case event.Budget:
		return 5
	case event.Context:
		return 7
	case event.Failed:
		switch e.Fault {
		case "auth", "usage":
			return 2
		case "rate_limited", "overloaded":
			return 6
		case "unreachable":
			return 10
		}
	}
	return 1
}

func subtype(reason event.Reason, isError bool) string {
	switch {
	case reason == event.StepLimit:
		return "error_max_turns"
	case reason == event.Budget:
		return "error_max_budget_usd"
	case isError:
		return "error_during_execution"
	}
	return "success"
}

// describe is what is said of an end that has no words of its own.
func describe(reason event.Reason) string {
	switch reason {
	case event.Done:
		return "calls were refused because nobody was there to approve them"
	case event.Stopped:
		return "stopped by the user"
	case event.Interrupted:
		return "interrupted"
	case event.Refusal:
		return "the model refused to answer"
	case event.Empty:
		return "the model gave no answer"
	case event.Truncated:
		return "the answer is not whole: it was cut off at the output limit"
	case event.StepLimit:
		return "the step limit was reached; raise --max-turns to go on"
	case event.Loop:
		return "the model repeated itself without progress"
	case event.Budget:
		return "the budget is used up"
	case event.Context:
		return "the conversation is too long for the model"
	}
	return "the run failed"
}

// Fail writes the result object of a run that could not begin and ends with
// the exit code.
func Fail(out io.Writer, err error, exit int) {
	r := Result{
		Type: "result", Subtype: "error_during_execution", TerminalReason: event.Failed, IsError: true, ExitCode: exit, Errors: []string{err.Error()},
		ModelUsage: map[string]modelUsage{}, PermissionDenials: []denial{}, TasksEnded: []app.Task{}, Saved: true,
	}
	if by := (*app.Interrupt)(nil); errors.As(err, &by) {
		r.TerminalReason = event.Interrupted
	}
	if line, err := json.Marshal(r); err == nil {
		_, _ = out.Write(append(line, '\n')) // the exit code tells it as well
	}
}
