package tool

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf is the JSON Schema of In, which must be a struct of plain data. It
// takes about a millisecond: tools that come with the program embed theirs.
func SchemaOf[In any]() json.RawMessage {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool: no schema for %T: %v", *new(In), err))
	}
	out, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return out
}
