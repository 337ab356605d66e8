package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// A tool in fifteen lines: its arguments are a struct, its schema comes from
// it, and it says what it would touch before it does.
func Example() {
	type args struct {
		Path string `json:"path" jsonschema:"the file to measure"`
	}
	size := tool.New(llm.ToolSpec{Name: "file_size", Description: "Tells how large a file is."},
		func(_ context.Context, in args) (tool.Action, error) {
			return tool.Action{
				Title:   "Measure " + in.Path,
				Effects: []event.Effect{{Kind: event.Read, Target: in.Path}},
				Run: func(context.Context, tool.Emit) (tool.Result, error) {
					info, err := os.Stat(in.Path)
					if err != nil {
						return tool.Result{}, err
					}
					return tool.TextResult(fmt.Sprintf("%d bytes", info.Size())), nil
				},
			}, nil
		})

	action, err := size.Prepare(context.Background(), json.RawMessage(`{"path":"testdata/hello.txt"}`))
	fmt.Println(action.Title, err)
	result, err := action.Run(context.Background(), func(event.Signal) {})
	fmt.Println(result.Parts.Text(), err)

	_, err = size.Prepare(context.Background(), json.RawMessage(`{"file":"x"}`))
	fmt.Println(err)
	// Output:
	// Measure testdata/hello.txt <nil>
	// 6 bytes <nil>
	// Invalid arguments:
	// path: required, but missing
	// file: unknown; the fields are path
}
