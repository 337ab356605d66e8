package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		ended event.Ended
		asked bool
		cause error
		exit  int
		sub   string
	}{
		{event.Ended{Reason: event.Done}, false, nil, 0, "success"},
		{event.Ended{Reason: event.Done}, true, nil, 3, "error_during_execution"},
		{event.Ended{Reason: event.AwaitUser}, false, nil, 9, "success"},
		{event.Ended{Reason: event.Stopped}, false, nil, 3, "error_during_execution"},
		{event.Ended{Reason: event.Interrupted}, false, nil, 130, "error_during_execution"},
		{event.Ended{Reason: event.Interrupted}, false, &app.Interrupt{Signal: "SIGTERM", Exit: 143}, 143, "error_during_execution"},
		{event.Ended{Reason: event.Refusal}, false, nil, 1, "error_during_execution"},
		{event.Ended{Reason: event.Empty}, false, nil, 1, "error_during_execution"},
		{event.Ended{Reason: event.Truncated}, false, nil, 1, "error_during_execution"},
		{event.Ended{Reason: event.StepLimit}, false, nil, 4, "error_max_turns"},
		{event.Ended{Reason: event.Loop}, false, nil, 4, "error_during_execution"},
		{event.Ended{Reason: event.Budget}, false, nil, 5, "error_max_budget_usd"},
		{event.Ended{Reason: event.Context}, false, nil, 7, "error_during_execution"},
		{event.Ended{Reason: event.Failed}, false, nil, 1, "error_during_execution"},
		{event.Ended{Reason: event.Failed, Fault: "auth"}, false, nil, 2, "error_during_execution"},
		{event.Ended{Reason: event.Failed, Fault: "rate_limited"}, false, nil, 6, "error_during_execution"},
		{event.Ended{Reason: event.Failed, Fault: "overloaded"}, false, nil, 6, "error_during_execution"},
		{event.Ended{Reason: event.Failed, Fault: "unreachable"}, false, nil, 10, "error_during_execution"},
	} {
		exit := exitCode(c.ended, c.asked, c.cause)
		if exit != c.exit {
			t.Errorf("%+v: exit %d, want %d", c.ended, exit, c.exit)
		}
		if sub := subtype(c.ended.Reason, exit != 0 && c.ended.Reason != event.AwaitUser); sub != c.sub {
			t.Errorf("%+v: subtype %s, want %s", c.ended, sub, c.sub)
		}
		if describe(c.ended.Reason) == "" {
			t.Errorf("%s has no words", c.ended.Reason)
		}
	}
}

// TestPiecesAreOneText checks that an answer that was cut off and went on is
// one text for the reader, and that a new prompt begins anew.
func TestPiecesAreOneText(t *testing.T) {
	r := &report{calls: map[string]llm.ToolCall{}, titles: map[string]string{}, usages: map[string]llm.Usage{}}
	say := func(kind llm.Kind, stop llm.Stop, text string) {
		r.add(event.Record{Event: event.Message{Message: llm.Message{Role: llm.Assistant, Kind: kind, Stop: stop, Parts: llm.Parts{llm.Text{Text: text}}}}})
	}
	say(llm.Progress, llm.StopLength, "one ")
	say(llm.Progress, llm.StopLength, "two ")
	say(llm.Final, llm.StopEnd, "three")
	if got := *r.result.Result; got != "one two three" {
		t.Errorf("%q", got)
	}
}

func TestFailWritesOneResult(t *testing.T) {
	var out bytes.Buffer
	Fail(&out, errors.New("settings are broken"), 2)
	var res struct {
		Type     string
		Errors   []string
		ExitCode int  `json:"exit_code"`
		IsError  bool `json:"is_error"`
	}
	if err := json.Unmarshal(out.Bytes(), &res); err != nil || res.Type != "result" || res.ExitCode != 2 || !res.IsError || len(res.Errors) != 1 {
		t.Errorf("%s (%v)", out.String(), err)
	}
}
