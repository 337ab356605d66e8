package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/internal/raster"
)

// TestMain is a server, too: by what MCP_SERVER says.
func TestMain(m *testing.M) {
	if kind := os.Getenv("MCP_SERVER"); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// picture is a small image.
func picture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func serve(kind string) {
	switch kind {
	case "mute":
		select {}
	case "launcher": // hides the real server, which ignores the end of its input
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "MCP_SERVER=stubborn")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		_ = cmd.Run()
		return
	case "junk":
		go func() {
			for {
				fmt.Fprint(os.Stdout, "\nloading {config}...\n\n")
				fmt.Fprint(os.Stderr, strings.Repeat("noise ", 1000)+"\n")
				time.Sleep(time.Millisecond)
			}
		}()
	case "dead":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(7)
	}
	s := newServer(kind)
	err := s.Run(context.Background(), &sdk.StdioTransport{})
	if kind == "stubborn" {
		select {}
	}
	_ = err
}

// newServer has tools that do as their names say.
func newServer(kind string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{
		SupportedProtocolVersions: map[bool][]string{true: {"2025-11-25"}}[kind == "handshake"],
	})
	open := map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}}
	add := func(name string, schema any, do func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Does " + name, InputSchema: schema}, do)
	}
	say := func(text string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	add("echo", open, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Text string }
		_ = json.Unmarshal(r.Params.Arguments, &in)
		return say("echo " + in.Text), nil
	})
	add("environment", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return say(strings.Join(os.Environ(), "\n")), nil
	})
	add("hang", open, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "the call was cancelled")
		return say("late"), nil
	})
	add("die", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of paper")
		os.Exit(9)
		return nil, nil
	})
	add("fail", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := say("that did not work")
		r.IsError = true
		return r, nil
	})
	add("big", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return say(strings.Repeat("0123456789", 1_000_000)), nil
	})
	add("image", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "see"}, &sdk.ImageContent{MIMEType: "image/jpeg", Data: picture()},
			&sdk.ImageContent{MIMEType: "image/png", Data: append(picture(), make([]byte, raster.Largest)...)},
			&sdk.ImageContent{MIMEType: "image/png", Data: picture()[:20]},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("x")},
		}}, nil
	})
	add("progress", open, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 12 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 12, Message: "working",
			})
			time.Sleep(300 * time.Millisecond)
		}
		return say("done"), nil
	})
	add("ask", open, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		p := &sdk.ElicitParams{Message: "Who are you?", RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":3},"tea":{"type":"boolean"},"size":{"type":"string","enum":["s","l"]}},"required":["name"]}`)}
		var got any = r.Params.InputResponses["who"]
		if kind == "handshake" { // by the older protocol, in the middle of the call
			answer, err := r.Session.Elicit(ctx, p)
			if err != nil {
				return say("error " + err.Error()), nil
			}
			got = answer
		} else if r.Params.InputResponses == nil {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": p}, RequestState: "x"}, nil
		}
		data, _ := json.Marshal(got)
		return say(string(data)), nil
	})
	add("grow", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", open, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return say("tall"), nil })
		return say("grown"), nil
	})
	more(s, kind, add, open, say)
	return s
}

type adder = func(string, any, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error))

// more is what single kinds have besides.
func more(s *sdk.Server, kind string, add adder, open any, say func(string) *sdk.CallToolResult) {
	nothing := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return say("x"), nil }
	switch kind {
	case "rich":
		s.AddResource(&sdk.Resource{URI: "memo://one", Name: "one", Description: "The first"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "memo://one", Text: "Remember the milk"}}}, nil
		})
		s.AddPrompt(&sdk.Prompt{Name: "greet", Description: "Greets", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"]}}}}, nil
		})
	case "crowd":
		for i := range 300 {
			add(fmt.Sprintf("tool%03d", i), open, nothing)
		}
	case "odd":
		for _, name := range []string{"a.b/c", "a_b_c", "a.b.c", strings.Repeat("long", 30), "ÄÖ", "read_file"} {
			add(name, open, nothing)
		}
	case "restless":
		go func() {
			for i := 0; ; i++ {
				add(fmt.Sprintf("new%d", i%7), open, nothing)
				s.RemoveTools(fmt.Sprintf("new%d", (i+3)%7))
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
}
