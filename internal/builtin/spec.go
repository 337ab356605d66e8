package builtin

import (
	"embed"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// texts holds, for each tool, its description NAME.md and the schema of its
// arguments NAME.json.
//
//go:embed *.md *.json
var texts embed.FS

// spec is what a model is told of the tool. A tool without its two files is a
// mistake in this package, which every test finds at once.
func spec(name string, aliases ...string) llm.ToolSpec {
	description, err := texts.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	schema, err := texts.ReadFile(name + ".json")
	if err != nil {
		panic(err)
	}
	return llm.ToolSpec{
		Name:        name,
		Description: strings.TrimSpace(string(description)),
		Schema:      []byte(strings.TrimSpace(string(schema))),
		Aliases:     aliases,
	}
}
