package config

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// field is one place in the settings, made from the tags of [Config].
type field struct {
	name     string
	kind     kind
	help     string
	def      string // JSON; "" for an object, whose members have defaults
	enum     []string
	min, max *float64
	join     bool     // the lists of all layers are joined
	secret   bool     // the values are not shown
	members  []*field // of an object, in order
	elem     *field   // of a table or a list
}

// kind is the shape of a value.
type kind string

const (
	object   kind = "an object"
	table    kind = "an object of named entries"
	list     kind = "a list"
	text     kind = "text in double quotes"
	integer  kind = "a whole number"
	number   kind = "a number"
	boolean  kind = "true or false"
	key      kind = `a key: text, "$VARIABLE" or {"command": ["program", "argument"]}`
	anything kind = "a value"
)

// describe makes the tree of all settings. It takes some 50 microseconds, so
// nothing keeps it.
func describe() *field { return describeType(reflect.TypeFor[Config]()) }

func describeType(t reflect.Type) *field {
	switch {
	case t == reflect.TypeFor[KeySource]():
		return &field{kind: key}
	case t.Kind() == reflect.Pointer:
		return describeType(t.Elem())
	}
	switch t.Kind() {
	case reflect.Struct:
		f := &field{kind: object}
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("json"); name != "-" {
				f.members = append(f.members, describeField(name, t.Field(i)))
			}
		}
		return f
	case reflect.Map:
		return &field{kind: table, elem: describeType(t.Elem())}
	case reflect.Slice:
		return &field{kind: list, elem: describeType(t.Elem())}
	case reflect.String:
		return &field{kind: text}
	case reflect.Int:
		return &field{kind: integer}
	case reflect.Float64:
		return &field{kind: number}
	case reflect.Bool:
		return &field{kind: boolean}
	}
	return &field{kind: anything}
}

func describeField(name string, sf reflect.StructField) *field {
	f := describeType(sf.Type)
	f.name, f.help, f.def = name, sf.Tag.Get("help"), sf.Tag.Get("default")
	f.join, f.secret = sf.Tag.Get("merge") == "join", sf.Tag.Get("secret") == "yes" || f.kind == key
	if words, ok := sf.Tag.Lookup("enum"); ok {
		f.enum = strings.Split(words, ",")
	}
	bound := func(tag string) *float64 {
		n, err := strconv.ParseFloat(sf.Tag.Get(tag), 64)
		if err != nil {
			return nil
		}
		return &n
	}
	f.min, f.max = bound("min"), bound("max")
	return f
}

// member is the field of that name in an object, or nil.
func (f *field) member(name string) *field {
	for _, m := range f.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// jsonSchema is the part of JSON Schema that describes settings.
type jsonSchema struct {
	Draft       string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        any                    `json:"type,omitempty"`
	Default     json.RawMessage        `json:"default,omitempty"`
	Enum        []any                  `json:"enum,omitempty"`
	Minimum     *float64               `json:"minimum,omitempty"`
	Maximum     *float64               `json:"maximum,omitempty"`
	Items       *jsonSchema            `json:"items,omitempty"`
	Properties  map[string]*jsonSchema `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Additional  any                    `json:"additionalProperties,omitempty"`
	AnyOf       []*jsonSchema          `json:"anyOf,omitempty"`
}

// Schema is the JSON Schema (draft 2020-12) of a settings file, indented.
func Schema() []byte {
	s := describe().schema()
	s.Draft, s.Title = "https://json-schema.org/draft/2020-12/schema", "Settings of MiniCode"
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("config: the schema cannot be written: " + err.Error())
	}
	return append(out, '\n')
}

func (f *field) schema() *jsonSchema {
	s := &jsonSchema{Description: f.help, Minimum: f.min, Maximum: f.max}
	if f.def != "" {
		s.Default = json.RawMessage(f.def)
	}
	for _, word := range f.enum {
		s.Enum = append(s.Enum, word)
	}
	switch f.kind {
	case object:
		s.Type, s.Additional, s.Properties = "object", false, map[string]*jsonSchema{}
		for _, m := range f.members {
			s.Properties[m.name] = m.schema()
		}
	case table:
		s.Type, s.Additional = "object", f.elem.schema()
	case list:
		s.Type, s.Items = "array", f.elem.schema()
	case text:
		s.Type = "string"
	case integer:
		s.Type = "integer"
	case number:
		s.Type = "number"
	case boolean:
		s.Type = "boolean"
	case key:
		words := &jsonSchema{Type: "array", Items: &jsonSchema{Type: "string"}}
		s.AnyOf = []*jsonSchema{
			{Type: "string"},
			{Type: "object", Properties: map[string]*jsonSchema{"command": words}, Required: []string{"command"}, Additional: false},
		}
	}
	if f.def == "null" {
		s.Type = []any{s.Type, "null"}
	}
	return s
}

// dotted is the dotted path of a setting. A name that holds a dot or a slash,
// such as a model's, is quoted.
func dotted(path, name string) string {
	if strings.ContainsAny(name, "./[]\"") || name == "" || show(name) != name {
		name = strconv.Quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
