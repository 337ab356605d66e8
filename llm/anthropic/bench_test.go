package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/wire"
	"github.com/minicode-go/minicode/llm"
)

// steps is a turn of so many steps, of 3 kB each.
func steps(n int) []llm.Message {
	messages := []llm.Message{text(llm.User, llm.Prompt, "go")}
	for i := range n {
		id := fmt.Sprintf("toolu_%d", i)
		messages = append(messages, work(llm.Text{Text: "next"}, call(id, "read_file", `{"path":"a.go","offset":1}`)),
			result(id, false, llm.Text{Text: strings.Repeat("\tif err != nil { return \"x\", err }\n", 80)}))
	}
	return messages
}

// BenchmarkBody writes the request of step 500 of a turn, some 1.6 MB: going on
// from the request before, and from nothing, as after a resume.
func BenchmarkBody(b *testing.B) {
	messages := steps(500)
	for name, before := range map[string]int{"next": len(messages) - 2, "first": 0} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				m := New(Options{Info: claude("claude-sonnet-4-5")})
				m.body(llm.Request{System: "s", Messages: messages[:before]})
				b.StartTimer()
				b.SetBytes(int64(len(m.body(llm.Request{System: "s", Messages: messages}))))
			}
		})
	}
}

// BenchmarkDeltas reads 10,000 deltas of 20 bytes.
func BenchmarkDeltas(b *testing.B) {
	one := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"twenty bytes of text"}}`)
	for b.Loop() {
		a := answer{yield: func(llm.Chunk, error) bool { return true }}
		a.start(0, []byte(`{"type":"text","text":""}`))
		for range 10_000 {
			if err := a.take(wire.Event{Data: one}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
