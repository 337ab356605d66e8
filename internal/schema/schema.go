// Package schema checks the arguments of a call against the JSON Schema of
// its tool, and tells all faults at once: they are read by a model that must
// mend them.
//
//	err := schema.Validate(spec.Schema, arguments)
//	// Invalid arguments:
//	// path: required, but missing
//
// It checks types, required and unknown fields, enums, bounds and lengths;
// what else a schema says is for the model alone.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// schema is the part of JSON Schema that arguments are checked against; what
// else a schema says is for the model only.
type schema struct {
	Type                 types              `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	MinLength            *int               `json:"minLength"`
	MinItems             *int               `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
}

// UnmarshalJSON reads a schema; true and false stand for "anything".
func (s *schema) UnmarshalJSON(b []byte) error {
	if string(b) == "true" || string(b) == "false" {
		return nil
	}
	type plain schema
	return json.Unmarshal(b, (*plain)(s))
}

// types is "type", which may be one name or several.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// Validate checks arguments against a schema. Its error has one line for each
// fault, with the path of the field.
func Validate(schemaJSON, args json.RawMessage) error {
	var s schema
	if err := json.Unmarshal(schemaJSON, &s); err != nil {
		return fmt.Errorf("the tool's schema cannot be read: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("the arguments are not JSON: %w", err)
	}
	var faults []string
	s.check("", v, &faults)
	if len(faults) == 0 {
		return nil
	}
	return errors.New("Invalid arguments:\n" + strings.Join(faults, "\n"))
}

func (s *schema) check(path string, v any, faults *[]string) {
	if s == nil {
		return
	}
	fault := func(format string, args ...any) {
		where := path
		if where == "" {
			where = "arguments"
		}
		*faults = append(*faults, where+": "+fmt.Sprintf(format, args...))
	}
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return is(t, v) }) {
		fault("want %s, got %s", strings.Join(s.Type, " or "), kindOf(v))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(v) }) {
		fault("want one of %s, got %s", list(s.Enum), brief(v))
	}
	switch v := v.(type) {
	case map[string]any:
		s.checkObject(path, v, faults)
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems {
			fault("want at least %d items, got %d", *s.MinItems, len(v))
		}
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			fault("want at most %d items, got %d", *s.MaxItems, len(v))
		}
		for i := range v {
			s.Items.check(fmt.Sprintf("%s[%d]", path, i), v[i], faults)
		}
	case string:
		if s.MinLength != nil && len([]rune(v)) < *s.MinLength {
			fault("must not be empty")
		}
	case json.Number:
		f, _ := v.Float64()
		if s.Minimum != nil && f < *s.Minimum {
			fault("want at least %v, got %s", *s.Minimum, v)
		}
		if s.Maximum != nil && f > *s.Maximum {
			fault("want at most %v, got %s", *s.Maximum, v)
		}
	}
}

func (s *schema) checkObject(path string, v map[string]any, faults *[]string) {
	at := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			*faults = append(*faults, at(name)+": required, but missing")
		}
	}
	closed := string(s.AdditionalProperties) == "false" || isNot(s.AdditionalProperties)
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if p, ok := s.Properties[name]; ok {
			p.check(at(name), v[name], faults)
		} else if closed {
			*faults = append(*faults, at(name)+": unknown; the fields are "+strings.Join(fields(s.Properties), ", "))
		}
	}
}

// isNot recognises {"not":{}}, which also says "nothing".
func isNot(raw json.RawMessage) bool {
	var n struct{ Not *struct{} }
	return len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &n) == nil && n.Not != nil
}

func is(t string, v any) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	case json.Number:
		if t == "number" {
			return true
		}
		f, err := v.Float64()
		return t == "integer" && err == nil && f == math.Trunc(f)
	}
	return false
}

func kindOf(v any) string {
	for _, t := range []string{"null", "boolean", "string", "array", "object", "number"} {
		if is(t, v) {
			return t
		}
	}
	return fmt.Sprintf("%T", v)
}

func brief(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > 60 {
		return string(b[:57]) + "..."
	}
	return string(b)
}

func list(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = brief(v)
	}
	return strings.Join(out, ", ")
}

func fields(properties map[string]*schema) []string {
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
