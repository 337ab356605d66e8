package event_test

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// A line of a session file, or of the headless "events" format, is a record:
// written by Encode, read by Decode, told apart by the type of its event.
func Example() {
	head := event.Head{ID: "1", Turn: 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Session: "s", Cwd: "/w"}
	var file bytes.Buffer
	for _, e := range []event.Event{
		event.Message{Message: llm.NewText(llm.Assistant, llm.Final, "Done.")},
		event.Ended{Reason: event.Done, Usage: llm.Usage{Input: 900, Output: 40}},
	} {
		if err := event.Encode(&file, event.Record{Head: head, Event: e}); err != nil {
			fmt.Println(err)
		}
	}

	for line := range bytes.Lines(file.Bytes()) {
		record, err := event.Decode(line)
		if err != nil {
			fmt.Println(err)
			continue
		}
		switch e := record.Event.(type) {
		case event.Message:
			fmt.Println(e.Role, "said", e.Text())
		case event.Ended:
			fmt.Println("turn", record.Turn, "ended:", e.Reason)
			event.Encode(os.Stdout, record)
		}
	}
	// Output:
	// assistant said Done.
	// turn 1 ended: done
	// {"type":"ended","id":"1","parent":null,"turn":1,"time":"2026-01-02T03:04:05.000Z","session":"s","cwd":"/w","reason":"done","usage":{"input":900,"output":40}}
}

// An edit changes what the model sees and nothing else: it puts other messages
// in the place of a run of them.
func ExampleApply() {
	said := func(id, text string) llm.Message {
		m := llm.NewText(llm.User, llm.Prompt, text)
		m.ID = id
		return m
	}
	messages := []llm.Message{said("1", "one"), said("2", "two"), said("3", "three")}
	for _, m := range event.Apply(messages, []event.Edit{{From: "1", To: "2", With: []llm.Message{said("4", "one and two")}}}) {
		fmt.Println(m.Text())
	}
	// Output:
	// one and two
	// three
}
