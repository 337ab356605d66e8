package llm_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// lines is a whole provider: its wire is the conversation's texts as JSON, and
// an answer of one JSON string a line that ends in a null.
type lines struct{ url string }

func (l lines) Info() llm.Info {
	return llm.Info{Provider: "lines", Name: "parrot", Window: 8_000, MaxOutput: 1_000, Known: true}
}

func (l lines) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		resp, err := l.send(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer resp.Body.Close()
		var text strings.Builder
		scan := bufio.NewScanner(resp.Body)
		for scan.Scan() {
			var piece *string
			if err := json.Unmarshal(scan.Bytes(), &piece); err != nil {
				break
			}
			if piece == nil { // the terminal event: now the answer counts
				yield(llm.Done{Parts: llm.Parts{llm.Text{Text: text.String()}}, Stop: llm.StopEnd, Model: "parrot"}, nil)
				return
			}
			text.WriteString(*piece)
			if !yield(llm.TextDelta{Text: *piece}, nil) {
				return
			}
		}
		yield(nil, l.fault(ctx, llm.ErrStream, scan.Err()))
	}
}

func (l lines) send(ctx context.Context, req llm.Request) (*http.Response, error) {
	texts := []string{req.System}
	for _, m := range llm.Mend(req.Messages, l.Info()) {
		texts = append(texts, m.Text())
	}
	body, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(post)
	if err != nil {
		return nil, l.fault(ctx, llm.ErrUnreachable, err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, &llm.Error{Kind: llm.ErrServer, Provider: "lines", Status: resp.StatusCode}
	}
	return resp, nil
}

// fault tells the end of ctx as it is, and all else as the provider's.
func (l lines) fault(ctx context.Context, kind, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &llm.Error{Kind: kind, Provider: "lines", Err: err}
}

// A provider in 60 lines: implement [llm.Model].
func ExampleModel() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "\"Hello\"\n\", world.\"\nnull\n")
	}))
	defer server.Close()

	var model llm.Model = lines{server.URL}
	req := llm.Request{Messages: []llm.Message{llm.NewText(llm.User, llm.Prompt, "Say hello.")}}
	for chunk, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			fmt.Printf("%q\n", c.Text)
		case llm.Done:
			fmt.Println(c.Stop, c.Parts.Text())
		}
	}
	// Output:
	// "Hello"
	// ", world."
	// end_turn Hello, world.
}

// A history that was interrupted in the middle of a call is mended before it
// is sent.
func ExampleMend() {
	history := []llm.Message{
		llm.NewText(llm.User, llm.Prompt, "List the files."),
		{Role: llm.Assistant, Kind: llm.Work, Parts: llm.Parts{llm.ToolCall{ID: "call_1", Name: "list_files"}}},
		llm.NewText(llm.User, llm.Prompt, "Never mind."),
	}
	for _, m := range llm.Mend(history, llm.Info{}) {
		if r, ok := m.Result(); ok {
			fmt.Println(m.Role, r.Call, r.Parts.Text())
			continue
		}
		for _, c := range m.Calls() {
			fmt.Println(m.Role, "calls", c.Name)
		}
		if text := m.Text(); text != "" {
			fmt.Println(m.Role, text)
		}
	}
	// Output:
	// user List the files.
	// assistant calls list_files
	// tool call_1 Interrupted before it ran: nothing was done.
	// user Never mind.
}
