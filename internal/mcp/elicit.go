package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Elicitation is what a server wants to know of the person.
type Elicitation struct {
	Server  string
	Message string
	URL     string  // to be opened, instead of a form
	Fields  []Field // of a form, those that must be given first
}

// Field is one thing that a form asks for.
type Field struct {
	Name     string // as it is called in Reply
	Title    string
	Help     string
	Type     string   // "string", "number", "integer", "boolean"
	Options  []string // what may be chosen, nil for anything
	Many     bool     // several of Options, separated by commas
	Required bool
	Default  string
}

// Reply is what the person says. The zero value declines.
type Reply struct {
	Accept bool
	Cancel bool // neither yes nor no: the dialog was closed
	Values map[string]string
}

// elicit puts a server's question to the person.
func (s *server) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p := req.Params
	e := Elicitation{Server: s.Name, Message: p.Message, URL: p.URL}
	if p.URL == "" {
		var err error
		if e.Fields, err = fields(p.RequestedSchema); err != nil {
			return nil, err
		}
	}
	s.asking.Add(1)
	reply, err := s.o.Ask(ctx, e)
	s.asking.Add(-1)
	switch {
	case err != nil || reply.Cancel:
		return &sdk.ElicitResult{Action: "cancel"}, nil
	case !reply.Accept:
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	content := map[string]any{}
	for _, f := range e.Fields {
		value, given := reply.Values[f.Name]
		if !given {
			value = f.Default
		}
		if value == "" && !f.Required {
			continue
		}
		v, err := f.Parse(value)
		if err != nil {
			return &sdk.ElicitResult{Action: "cancel"}, nil
		}
		content[f.Name] = v
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// Parse is the value of what was typed for the field. The error says what
// would be one.
func (f Field) Parse(typed string) (any, error) {
	typed = strings.TrimSpace(typed)
	name := orText(f.Title, f.Name)
	if f.Many {
		chosen := []any{}
		for _, one := range strings.Split(typed, ",") {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			if !slices.Contains(f.Options, one) {
				return nil, fmt.Errorf("%s: %q is none of %s", name, one, strings.Join(f.Options, ", "))
			}
			chosen = append(chosen, one)
		}
		return chosen, nil
	}
	if len(f.Options) > 0 && !slices.Contains(f.Options, typed) {
		return nil, fmt.Errorf("%s must be one of %s", name, strings.Join(f.Options, ", "))
	}
	switch f.Type {
	case "boolean":
		switch strings.ToLower(typed) {
		case "y", "yes", "true", "1":
			return true, nil
		case "n", "no", "false", "0":
			return false, nil
		}
		return nil, fmt.Errorf("%s must be yes or no", name)
	case "integer":
		n, err := strconv.ParseInt(typed, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s must be a whole number", name)
		}
		return n, nil
	case "number":
		n, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			return nil, fmt.Errorf("%s must be a number", name)
		}
		return n, nil
	}
	if f.Required && typed == "" {
		return nil, fmt.Errorf("%s must be given", name)
	}
	return typed, nil
}

// fields reads the form of a question: the flat subset of JSON Schema that the
// protocol allows.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
func fields(schema any) ([]Field, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the form cannot be read: %w", err)
	}
	out := make([]Field, 0, len(s.Properties))
	for name, p := range s.Properties {
		f := p.field(name)
		f.Required = slices.Contains(s.Required, name)
		out = append(out, f)
	}
	// The order in which the server has them does not come through: what must
	// be given goes first.
	slices.SortFunc(out, func(a, b Field) int {
		if a.Required != b.Required {
			return map[bool]int{true: -1, false: 1}[a.Required]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Enum        []any           `json:"enum"`
	OneOf       []constant      `json:"oneOf"`
	Default     json.RawMessage `json:"default"`
	Items       struct {
		Enum  []any      `json:"enum"`
		AnyOf []constant `json:"anyOf"`
	} `json:"items"`
}

type constant struct {
	Const any    `json:"const"`
	Title string `json:"title"`
}

func (p property) field(name string) Field {
	f := Field{Name: name, Title: p.Title, Help: p.Description, Type: orText(p.Type, "string"), Many: p.Type == "array"}
	if p.Format != "" {
		f.Help = strings.TrimSpace(f.Help + " (" + p.Format + ")")
	}
	for _, v := range append(p.Enum, p.Items.Enum...) {
		f.Options = append(f.Options, fmt.Sprint(v))
	}
	for _, c := range append(p.OneOf, p.Items.AnyOf...) {
		f.Options = append(f.Options, fmt.Sprint(c.Const))
	}
	var text string
	var list []any
	switch {
	case len(p.Default) == 0 || string(p.Default) == "null":
	case json.Unmarshal(p.Default, &text) == nil:
		f.Default = text
	case json.Unmarshal(p.Default, &list) == nil:
		for i, v := range list {
			if i > 0 {
				f.Default += ", "
			}
			f.Default += fmt.Sprint(v)
		}
	default:
		f.Default = string(p.Default)
	}
	return f
}
