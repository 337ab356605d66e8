package tool

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/minicode-go/minicode/internal/schema"
	"github.com/minicode-go/minicode/llm"
)

// New gives a Tool from a function of typed arguments. Arguments are checked
// against the schema, all faults at once, before prepare sees them. Where
// spec has no schema it is made from In, whose fields are named by their json
// tags, are required unless omitempty, and are described by their jsonschema
// tags.
func New[In any](spec llm.ToolSpec, prepare func(context.Context, In) (Action, error)) Tool {
	return &typed[In]{prepare: prepare, spec: sync.OnceValue(func() llm.ToolSpec {
		if spec.Schema == nil {
			spec.Schema = SchemaOf[In]()
		}
		return spec
	})}
}

type typed[In any] struct {
	spec    func() llm.ToolSpec
	prepare func(context.Context, In) (Action, error)
}

func (t *typed[In]) Spec() llm.ToolSpec { return t.spec() }

func (t *typed[In]) Prepare(ctx context.Context, args json.RawMessage) (Action, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := schema.Validate(t.spec().Schema, args); err != nil {
		return Action{}, err
	}
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return Action{}, err
	}
	return t.prepare(ctx, in)
}
