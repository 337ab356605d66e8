package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		name            string
		known           bool
		tokens, counted int
		why             event.Why
		refused         bool
		notices         int
	}{
		{"sure", true, 96, 96, event.Threshold, true, 0},
		{"sure but for the end", true, 96, 94, event.Threshold, true, 0},
		{"over the line by what is estimated alone", true, 96, 60, event.Threshold, false, 1},
		{"far over it by that", true, 140, 60, event.Threshold, false, 1},
		{"far over it, and mostly counted", true, 140, 80, event.Threshold, true, 0},
		{"an estimate", true, 96, 0, event.Threshold, false, 1},
		{"a window that nobody told", false, 96, 96, event.Threshold, false, 1},
		{"under the line", true, 94, 94, event.Threshold, false, 0},
		{"forced", true, 96, 96, event.Forced, false, 0},
	} {
		v := event.View{Used: llm.Count{Tokens: c.tokens, Counted: c.counted, Window: 100, Known: c.known, Source: "usage+est"}}
		v.Request = llm.Request{System: "be brief", Messages: []llm.Message{said(long("x", 500)), resulted("read_file", text(long("x", 300)))}}
		p := compact.Pipeline{Rules: []compact.Rule{{Above: 0.95, Stage: compact.Refuse{Above: 0.95}}}, Told: new(compact.Told)}
		notices := 0
		for range 2 { // a notice is given once
			var failed error
			for e, err := range p.Compact(t.Context(), func() event.View { return v }, c.why) {
				if n, ok := e.(event.Notice); ok && strings.HasPrefix(n.Text, "The request may be too long for the model") {
					notices++
				}
				failed = errors.Join(failed, err)
			}
			if errors.Is(failed, llm.ErrContextTooLong) != c.refused || !c.refused && failed != nil {
				t.Errorf("%s: %v", c.name, failed)
			}
			for _, want := range []string{" of 100 tokens", "a prompt message (about 5", "a result of read_file (about 3", "/compact", "/model", "/new"} {
				if c.refused && !strings.Contains(failed.Error(), want) {
					t.Errorf("%s: %q is not in %v", c.name, want, failed)
				}
			}
		}
		if notices != c.notices {
			t.Errorf("%s: %d notices, want %d", c.name, notices, c.notices)
		}
	}
	_, err := compact.Refuse{}.Edits(t.Context(), event.View{Why: event.Manual}, nil)
	var nothing compact.Nothing
	if !errors.As(err, &nothing) {
		t.Errorf("by hand: %v", err)
	}
}
