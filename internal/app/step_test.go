package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/openai"
	"github.com/minicode-go/minicode/tool"
)

// answerer stands where the network begins. It answers every request at once,
// with a call to read one file after the other and then with a text, and
// keeps what passed between the last byte of an answer and the next request.
type answerer struct {
	steps int
	sse   func(n int) string // the answer with the call number n, or with the text when n is steps
	start time.Time
	count bool // objects are counted as well; that takes time

	asked    int
	bytes    int64 // of the newest request
	answered mark
	inTool   mark // what tools took since
	taken    []mark
}

// mark is a moment or a span: time, and objects made.
type mark struct {
	time    time.Duration
	objects uint64
}

func (m mark) since(start mark) mark {
	return mark{m.time - start.time, m.objects - start.objects}
}

func (a *answerer) now() mark {
	m := mark{time: time.Since(a.start)}
	if a.count {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		m.objects = s.Mallocs
	}
	return m
}

// RoundTrip answers a request.
func (a *answerer) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.asked > 0 {
		a.taken = append(a.taken, a.now().since(a.answered).since(a.inTool))
	}
	a.bytes = r.ContentLength
	r.Body.Close()
	body := &lastByte{Reader: strings.NewReader(a.sse(a.asked)), gone: func() { a.answered, a.inTool = a.now(), mark{} }}
	a.asked++
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: body}, nil
}

// lastByte calls gone when all was read.
type lastByte struct {
	*strings.Reader
	gone func()
}

func (b *lastByte) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 && b.Len() == 0 {
		b.gone()
	}
	return n, err
}

func (b *lastByte) Close() error { return nil }

// call is the call number n: four files are read, and one is written.
func call(n int) (name, args string) {
	if n%5 != 4 {
		return "read_file", fmt.Sprintf(`{"path":"%04d.go"}`, n)
	}
	args = `{"path":"` + fmt.Sprintf("new-%04d.go", n) + `","content":"` + strings.Repeat(`\tif a < b && b > c {\n\t\treturn \"a & b\"\n\t}\n`, 40) + `"}`
	return "write_file", args
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// messagesSSE is an answer of the Messages API, which thinks before it speaks.
func (a *answerer) messagesSSE(n int) string {
	name, args := call(n)
	block := fmt.Sprintf(`{"type":"tool_use","id":"toolu_%04d","name":%q,"input":{}}`, n, name)
	delta, stop := `{"type":"input_json_delta","partial_json":`+quote(args)+`}`, "tool_use"
	if n == a.steps {
		block, delta, stop = `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	}
	events := []string{fmt.Sprintf(`{"type":"message_start","message":{"model":"claude","content":[],"usage":{"input_tokens":%d,"output_tokens":1}}}`, 3000+1000*n)}
	for i, b := range [][]string{
		{`{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"` + strings.Repeat("What next? ", 30) + `"}`, `{"type":"signature_delta","signature":"` + strings.Repeat("c2ln", 150) + `"}`},
		{`{"type":"text","text":""}`, `{"type":"text_delta","text":"I look at the next file."}`},
		{block, delta},
	} {
		events = append(events, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, b[0]))
		for _, d := range b[1:] {
			events = append(events, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d))
		}
		events = append(events, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
	}
	events = append(events, `{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},"usage":{"output_tokens":40}}`, `{"type":"message_stop"}`)
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

// chatSSE is an answer of the Chat Completions API.
func (a *answerer) chatSSE(n int) string {
	name, args := call(n)
	delta, stop := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%04d","type":"function","function":{"name":%q,"arguments":%s}}]}`, n, name, quote(args)), "tool_calls"
	if n == a.steps {
		delta, stop = `{"content":" Done."}`, "stop"
	}
	chunk := func(rest string) string {
		return `data: {"id":"c","object":"chat.completion.chunk","model":"gpt",` + rest + "}\n\n"
	}
	choice := func(delta, finish string) string {
		return chunk(`"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]`)
	}
	return choice(`{"role":"assistant","content":"I look at the next file."}`, "null") + choice(delta, "null") + choice("{}", `"`+stop+`"`) +
		chunk(fmt.Sprintf(`"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":40}`, 3000+1000*n)) + "data: [DONE]\n\n"
}

// manySteps runs one turn of so many steps in a new conversation: the real
// session on disk, gate, tools and adapter. Most steps read a file of 2.8 kB,
// every fifth writes one.
func manySteps(t testing.TB, wire string, steps int, count bool) *answerer {
	t.Helper()
	a := &answerer{steps: steps, count: count, start: time.Now()}
	a.sse = a.messagesSSE
	info := llm.Info{Provider: wire, Name: "claude-sonnet-4-5", Window: 2_000_000, MaxOutput: 64_000, Known: true, Images: true, Thinking: true}
	client := &http.Client{Transport: a}
	var model llm.Model = anthropic.New(anthropic.Options{Info: info, Key: "key", HTTP: client})
	if wire == "openai" {
		a.sse = a.chatSSE
		info.Name = "gpt-4.1"
		model = openai.New(openai.Options{Info: info, Key: "key", HTTP: client})
	}
	home, project := t.TempDir(), t.TempDir()
	for n := range steps {
		text := strings.Repeat(fmt.Sprintf("\tif err != nil { return %q, err }\n", fmt.Sprint(n)), 80)
		if err := os.WriteFile(filepath.Join(project, fmt.Sprintf("%04d.go", n)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open(context.Background(), Options{
		Cwd: project, Home: home, Environ: []string{"HOME=" + home}, Now: time.Now, MaxSteps: steps + 1, Model: model,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Flags: []config.Flag{{Name: "test", Key: "mode", Value: "accept-edits"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	loop := c.agent()
	tools := loop.Tools
	loop.Tools = func() []tool.Tool {
		all := slices.Clone(tools())
		for i := range all {
			all[i] = timedTool{all[i], a}
		}
		return all
	}
	for r, err := range loop.Turn(context.Background(), llm.NewText(llm.User, llm.Prompt, "Look at all files.")) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := r.Event.(event.Ended); ok && e.Reason != event.Done {
			t.Fatalf("%+v", e)
		}
	}
	if len(a.taken) != steps {
		t.Fatalf("%d of %d steps", len(a.taken), steps)
	}
	return a
}

// timedTool keeps the time that running took out of the count.
type timedTool struct {
	tool.Tool
	a *answerer
}

func (t timedTool) Prepare(ctx context.Context, args json.RawMessage) (tool.Action, error) {
	action, err := t.Tool.Prepare(ctx, args)
	if run := action.Run; run != nil {
		action.Run = func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
			start := t.a.now()
			r, err := run(ctx, emit)
			t.a.inTool = t.a.now().since(start)
			return r, err
		}
	}
	return action, err
}

// TestStepsCostTheSame counts objects made, in the place of time: a step makes
// as many with a long history as with a short one.
func TestStepsCostTheSame(t *testing.T) {
	for _, wire := range []string{"anthropic", "openai"} {
		taken := manySteps(t, wire, 300, true).taken
		median := func(steps []mark) int {
			var all []uint64
			for _, m := range steps {
				all = append(all, m.objects)
			}
			slices.Sort(all)
			return int(all[len(all)/2])
		}
		early, late := median(taken[30:50]), median(taken[280:])
		t.Logf("%s: %d objects at step 40, %d at step 290", wire, early, late)
		if late > early+early/20 {
			t.Errorf("%s: a step makes %d objects at step 40 and %d at step 290", wire, early, late)
		}
	}
}

// BenchmarkStep is a step's own time, from the last byte of an answer to the
// next request, without the time of the tool: at the first step, and at step
// 500 with 1.7 MB of history. Machines are noisy, so the best is told.
func BenchmarkStep(b *testing.B) {
	for _, wire := range []string{"anthropic", "openai"} {
		b.Run(wire, func(b *testing.B) {
			var first, last []time.Duration
			for b.Loop() {
				taken := manySteps(b, wire, 500, false).taken
				first = append(first, taken[0].time, taken[1].time)
				for _, m := range taken[480:] {
					last = append(last, m.time)
				}
			}
			for at, all := range map[string][]time.Duration{"1": first, "500": last} {
				slices.Sort(all)
				b.ReportMetric(float64(all[0].Nanoseconds())/1e3, at+"-best-µs")
				b.ReportMetric(float64(all[len(all)/2].Nanoseconds())/1e3, at+"-median-µs")
			}
		})
	}
}
