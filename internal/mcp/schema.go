package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	mostSchema  = 48 << 10 // bytes of a schema without its descriptions
	plainSchema = 16 << 10 // bytes from which on descriptions are left out
	deepest     = 12       // levels of a schema; what is deeper takes anything
	mostParts   = 1_500    // parts of a schema; those after them take anything
	unfolded    = 2        // times that a definition is put into itself
)

// clean makes a schema that every provider takes of one that a server has
// sent: an object at the top, without references, recursion and what only
// older drafts know. The error says why that cannot be.
func clean(schema any) (json.RawMessage, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var whole any
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	top, ok := whole.(map[string]any)
	if !ok {
		if whole == nil {
			return json.RawMessage(`{"type":"object","properties":{}}`), nil
		}
		return nil, errors.New("its input schema is no object")
	}
	c := &cleaner{root: top, within: map[string]int{}, budget: mostParts}
	out, ok := c.schema(top, 0).(map[string]any)
	if !ok {
		return nil, errors.New("its input schema takes no arguments at all")
	}
	if out, err = object(out); err != nil {
		return nil, err
	}
	if err := properties(out); err != nil {
		return nil, err
	}
	return sized(out)
}

// sized leaves descriptions out of what is too large with them.
func sized(schema map[string]any) (json.RawMessage, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	if len(data) <= plainSchema {
		return data, nil
	}
	plain, err := json.Marshal(undescribed(schema))
	if err != nil {
		return nil, err
	}
	if len(plain) > mostSchema {
		return nil, fmt.Errorf("its input schema has %d bytes", len(plain))
	}
	return plain, nil
}

func undescribed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if _, text := x.(string); text && (k == "description" || k == "title" || k == "$comment") {
				continue
			}
			if k == "examples" {
				continue
			}
			out[k] = undescribed(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = undescribed(v[i])
		}
		return out
	}
	return v
}

// object makes the top an object with properties: alternatives are put
// together, so that each of them still fits.
func object(s map[string]any) (map[string]any, error) {
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		parts, ok := s[word].([]any)
		if !ok {
			continue
		}
		s = merged(s, parts, word == "allOf")
		delete(s, word)
	}
	switch kind := s["type"].(type) {
	case string:
		if kind != "object" {
			return nil, fmt.Errorf("its input schema is for %s, not for an object", kind)
		}
	case []any:
		if !slices.Contains(kind, any("object")) {
			return nil, errors.New("its input schema is not for an object")
		}
	}
	s["type"] = "object"
	if _, ok := s["properties"].(map[string]any); !ok {
		s["properties"] = map[string]any{}
	}
	return s, nil
}

// merged is a schema with the properties of its alternatives. What only some
// of them require is required by none.
func merged(s map[string]any, parts []any, all bool) map[string]any {
	out := maps.Clone(s)
	props, _ := out["properties"].(map[string]any)
	props = maps.Clone(props)
	if props == nil {
		props = map[string]any{}
	}
	required := texts(out["required"])
	var common []string
	first := true
	for _, p := range parts {
		one, ok := p.(map[string]any)
		if !ok {
			continue
		}
		if inner, ok := one["properties"].(map[string]any); ok {
			for name, prop := range inner {
				if _, there := props[name]; !there {
					props[name] = prop
				}
			}
		}
		needs := texts(one["required"])
		switch {
		case all:
			required = append(required, needs...)
		case first:
			common = needs
		default:
			common = slices.DeleteFunc(common, func(n string) bool { return !slices.Contains(needs, n) })
		}
		first = false
	}
	out["properties"] = props
	delete(out, "required")
	if required = append(required, common...); len(required) > 0 {
		slices.Sort(required)
		out["required"] = slices.Compact(required)
	}
	return out
}

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, x := range list {
		if text, ok := x.(string); ok {
			out = append(out, text)
		}
	}
	if own, ok := v.([]string); ok {
		return slices.Clone(own)
	}
	return out
}

// properties looks whether every provider takes the names.
func properties(s map[string]any) error {
	name := regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	props, _ := s["properties"].(map[string]any)
	for p := range props {
		if !name.MatchString(p) {
			return fmt.Errorf("its argument %.80q has a name that providers refuse", p)
		}
	}
	return nil
}

// cleaner follows references within one schema.
type cleaner struct {
	root   map[string]any
	within map[string]int // references that are being followed
	budget int            // parts that may still be made
}

func (c *cleaner) schema(v any, depth int) any {
	if c.budget--; depth > deepest || c.budget <= 0 {
		return map[string]any{}
	}
	s, ok := v.(map[string]any)
	if !ok {
		if yes, ok := v.(bool); ok && !yes {
			return false
		}
		return map[string]any{} // true, and what is no schema, take anything
	}
	if ref, ok := s["$ref"].(string); ok {
		return c.follow(ref, s, depth)
	}
	out := map[string]any{}
	for key, value := range s {
		c.keyword(out, key, value, depth)
	}
	c.numbers(out, s)
	c.demands(out)
	return out
}

// keyword takes over one keyword of a schema.
func (c *cleaner) keyword(out map[string]any, key string, value any, depth int) {
	switch key {
	case "$schema", "$id", "id", "$defs", "definitions", "$anchor", "$comment", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "x-mcp-header":
		if text, ok := value.(string); key != "id" || !ok || text == "" {
			return
		}
	case "properties", "patternProperties", "dependentSchemas":
		if all, ok := value.(map[string]any); ok {
			inner := map[string]any{}
			for name, p := range all {
				inner[name] = c.schema(p, depth+1)
			}
			out[key] = inner
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "additionalItems", "unevaluatedItems":
		if list, ok := value.([]any); ok { // items of the older drafts
			out["prefixItems"] = c.list(list, depth)
			return
		}
		if yes, ok := value.(bool); ok {
			out[key] = yes
			return
		}
		out[key] = c.schema(value, depth+1)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if list, ok := value.([]any); ok && len(list) > 0 {
			out[key] = c.list(list, depth)
		}
	case "required":
		// Draft 3 says so of each property by itself.
		if list := texts(value); len(list) > 0 {
			out[key] = list
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if _, older := value.(bool); !older {
			out[key] = value
		}
	default:
		if value != nil || key == "const" || key == "default" {
			out[key] = value
		}
	}
}

// numbers turns the exclusive bounds of draft 4 into those of later ones.
func (c *cleaner) numbers(out, s map[string]any) {
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if yes, ok := s[exclusive].(bool); ok && yes && out[bound] != nil {
			out[exclusive] = out[bound]
			delete(out, bound)
		}
	}
}

// demands drops demands for properties that are not there.
func (c *cleaner) demands(out map[string]any) {
	props, ok := out["properties"].(map[string]any)
	required, has := out["required"].([]string)
	if !ok || !has {
		return
	}
	required = slices.DeleteFunc(slices.Clone(required), func(n string) bool { _, there := props[n]; return !there })
	if len(required) == 0 {
		delete(out, "required")
		return
	}
	out["required"] = required
}

func (c *cleaner) list(list []any, depth int) []any {
	out := make([]any, 0, len(list))
	for _, x := range list {
		out = append(out, c.schema(x, depth+1))
	}
	return out
}

// follow puts what a reference names in its place; what names itself takes
// anything after some rounds, and so does what names nothing here.
func (c *cleaner) follow(ref string, s map[string]any, depth int) any {
	target, ok := c.find(ref)
	if !ok || c.within[ref] >= unfolded {
		out := map[string]any{}
		if text, ok := s["description"].(string); ok {
			out["description"] = text
		}
		return out
	}
	c.within[ref]++
	defer func() { c.within[ref]-- }()
	out := c.schema(target, depth+1)
	if m, ok := out.(map[string]any); ok {
		for _, key := range []string{"description", "title", "default"} {
			if value, there := s[key]; there {
				m[key] = value
			}
		}
	}
	return out
}

// find looks a reference up that begins at the root, as a JSON pointer.
// https://www.rfc-editor.org/rfc/rfc6901
func (c *cleaner) find(ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	var at any = c.root
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if step == "" && path == "" {
			break
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%24", "$").Replace(step)]; !ok {
			return nil, false
		}
	}
	return at, true
}
