package event_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

func head(id, parent string) event.Head {
	return event.Head{ID: id, Parent: parent, Turn: 3, Time: time.Date(2026, 3, 1, 9, 10, 4, 250e6, time.UTC), Session: "s", Cwd: "/w <&>"}
}

// every is one event of each kind.
func every() []event.Event {
	exit := 1
	call := llm.ToolCall{ID: "call_1", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`), Wire: "w"}
	result := llm.ToolResult{Call: "call_1", Name: "read_file", Parts: llm.Parts{llm.Text{Text: "x"}}, Error: true, Meta: llm.Meta{Exit: &exit, Saved: "/p", Size: 9}}
	return []event.Event{
		event.Opened{Format: event.Format, Model: "p/m", From: "f", At: "a"},
		event.Message{Message: llm.Message{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{
			llm.Thinking{Text: "t", Signature: "s<>", Raw: llm.Verbatim(`{ "a" : "<b>" }`)}, llm.Text{Text: "<&>\u2028"}, call,
		}, Model: "p/m", Stop: llm.StopTools, Usage: &llm.Usage{Input: 1, Output: 2}}},
		event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{result}}},
		event.Edited{Stage: "offload", Why: event.Threshold, Edits: []event.Edit{{From: "1", To: "2", With: []llm.Message{{ID: "put-in", Role: llm.User, Kind: llm.Snipped, Parts: llm.Parts{}}}}}, Before: 9, After: 4},
		event.Decided{Call: "call_1", Tool: "t", Effects: []event.Effect{{Kind: event.Exec, Target: "ls", Class: event.ReadOnly}}, Allow: true, By: "mode", Grant: &event.Grant{Scope: event.ForTurn, Rules: []string{"Edit"}}},
		event.Changed{Mode: "plan", Rewound: true},
		event.Ended{Reason: event.Done, Usage: llm.Usage{Input: 5}},
		event.TextDelta{Text: "a"},
		event.ThinkingDelta{Text: "b"},
		event.CallDelta{Index: 1, Name: "n", Args: "{"},
		event.Started{Call: "c", Tool: "t", Title: "T", Preview: event.Preview{Kind: event.PreviewDiff, Text: "+a"}},
		event.Output{Call: "c", Text: "o"},
		event.Finished{Call: "c", Error: true},
		event.Waiting{Question: event.Question{Title: "q", Choices: []event.Option{{Choice: event.Once, Label: "once"}}}},
		event.Retrying{Attempt: 1, Of: 10, After: time.Second, Error: "e"},
		event.Compacting{Stage: "s"},
		event.Notice{Level: event.WarnLevel, Text: "n"},
		event.Nested{Call: "c", Event: json.RawMessage(`{"type":"notice"}`)},
	}
}

func TestEveryKindRoundTrips(t *testing.T) {
	seen := map[string]bool{}
	for i, e := range every() {
		r := event.Record{Head: head(fmt.Sprint(i), "p"), Event: e}
		_, fact := e.(event.Fact)
		if !fact {
			r.ID, r.Parent = "", ""
		}
		if m, ok := e.(event.Message); ok {
			m.ID, m.Time = r.ID, r.Time
			r.Event = m
		}
		var line bytes.Buffer
		if err := event.Encode(&line, r); err != nil {
			t.Fatal(err)
		}
		order := `{"type":"` + event.TypeOf(e) + `",`
		if fact {
			order += `"id":"` + r.ID + `","parent":"p",`
		}
		order += `"turn":3,"time":"2026-03-01T09:10:04.250Z","session":"s","cwd":`
		if !strings.HasPrefix(line.String(), order) || strings.Count(line.String(), "\n") != 1 || strings.Count(line.String(), `"id":"`+r.ID+`"`) > 1 {
			t.Errorf("%T is written as %s", e, line.String())
		}
		back, err := event.Decode(line.Bytes())
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		r.Type = event.TypeOf(e)
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("%T came back different:\n%s", e, diff)
		}
		seen[event.TypeOf(e)] = true
	}
	if len(seen) != 17 {
		t.Errorf("%d kinds, want 17", len(seen))
	}
}

func TestFirstRecordAndUnknownKinds(t *testing.T) {
	var line bytes.Buffer
	if err := event.Encode(&line, event.Record{Head: head("1", ""), Event: event.Opened{Format: 1}}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(line.String(), `{"type":"opened","id":"1","parent":null,`) {
		t.Error(line.String())
	}
	r, err := event.Decode([]byte(`{"type":"from_the_future","id":"7","parent":"6","turn":1,"time":"2026-03-01T09:10:04.250Z","session":"s","cwd":"/","x":1}`))
	if err != nil || r.Event != nil || r.ID != "7" || r.Type != "from_the_future" {
		t.Errorf("%+v (%v)", r, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range every() {
		var line bytes.Buffer
		if err := event.Encode(&line, event.Record{Head: head("1", "p"), Event: e}); err != nil {
			f.Fatal(err)
		}
		f.Add(line.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := event.Decode(data)
		if err != nil || r.Event == nil {
			return
		}
		var once, twice bytes.Buffer
		if err := event.Encode(&once, r); err != nil {
			return // a time beyond the calendar, or raw text that is no JSON
		}
		again, err := event.Decode(once.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once.Bytes())
		}
		if err := event.Encode(&twice, again); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("not stable (%v):\n%s\n%s", err, once.Bytes(), twice.Bytes())
		}
	})
}

// TestApply compares edits with what they mean, on random histories.
func TestApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	applied := 0
	for range 2000 {
		var messages []llm.Message
		for i := range rng.IntN(8) {
			messages = append(messages, llm.Message{ID: fmt.Sprint(i)})
		}
		before := append([]llm.Message(nil), messages...)
		from, to := rng.IntN(9), rng.IntN(9)
		got := event.Apply(messages, []event.Edit{{From: fmt.Sprint(from), To: fmt.Sprint(to), With: []llm.Message{{ID: "new"}}}})
		want := messages
		if from <= to && to < len(messages) {
			applied++
			want = append(append(append([]llm.Message{}, messages[:from]...), llm.Message{ID: "new"}), messages[to+1:]...)
		}
		if !reflect.DeepEqual(ids(got), ids(want)) {
			t.Fatalf("edit %d to %d of %v: %v, want %v", from, to, ids(messages), ids(got), ids(want))
		}
		if !reflect.DeepEqual(before, messages) {
			t.Fatal("the messages given were changed")
		}
	}
	if applied < 200 {
		t.Errorf("only %d edits did anything", applied)
	}
}

func ids(messages []llm.Message) []string {
	out := []string{}
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return out
}
