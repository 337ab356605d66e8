package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ schema, want, fault string }{
		"plain":       {`{"type":"object","properties":{"a":{"type":"string","description":"x"}},"required":["a"]}`, `{"properties":{"a":{"description":"x","type":"string"}},"required":["a"],"type":"object"}`, ""},
		"none":        {`null`, `{"type":"object","properties":{}}`, ""},
		"empty":       {`{}`, `{"properties":{},"type":"object"}`, ""},
		"no object":   {`[]`, "", "no object"},
		"a string":    {`{"type":"string"}`, "", "for string"},
		"references":  {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"integer"}}}`, `{"properties":{"a":{"type":"integer"}},"type":"object"}`, ""},
		"definitions": {`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","type":"object","properties":{"a":{"$ref":"#/definitions/A","description":"mine"}},"definitions":{"A":{"type":"integer","minimum":1,"exclusiveMinimum":true}}}`, `{"properties":{"a":{"description":"mine","exclusiveMinimum":1,"type":"integer"}},"type":"object"}`, ""},
		"itself":      {`{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"properties":{"next":{"properties":{"next":{"properties":{"next":{}},"type":"object"}},"type":"object"}},"type":"object"}`, ""},
		"elsewhere":   {`{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json","description":"d"}}}`, `{"properties":{"a":{"description":"d"}},"type":"object"}`, ""},
		"any of":      {`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a","b"]},{"type":"object","properties":{"c":{"type":"string"},"b":{}},"required":["c","b"]}]}`, `{"properties":{"a":{"type":"string"},"b":{},"c":{"type":"string"}},"required":["b"],"type":"object"}`, ""},
		"all of":      {`{"type":"object","allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`, ""},
		"draft 3":     {`{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
		"demands":     {`{"type":"object","properties":{"a":{}},"required":["a","gone"]}`, `{"properties":{"a":{}},"required":["a"],"type":"object"}`, ""},
		"tuple":       {`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"},true]}}}`, `{"properties":{"a":{"prefixItems":[{"type":"string"},{}],"type":"array"}},"type":"object"}`, ""},
		"named id":    {`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, `{"properties":{"id":{"type":"string"}},"required":["id"],"type":"object"}`, ""},
		"odd name":    {`{"type":"object","properties":{"a b":{}}}`, "", "refuse"},
		"deep":        {strings.Repeat(`{"type":"object","properties":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40), "", ""},
		"bomb":        {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/B"},{"$ref":"#/$defs/B"},{"$ref":"#/$defs/B"},{"$ref":"#/$defs/B"}]},"B":{"anyOf":[{"$ref":"#/$defs/C"},{"$ref":"#/$defs/C"},{"$ref":"#/$defs/C"},{"$ref":"#/$defs/C"}]},"C":{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}}}`, "", ""},
		"long":        {`{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("x", 60_000) + `"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
		"huge":        {`{"type":"object","properties":{"a":{"enum":["` + strings.Repeat("x", 60_000) + `"]}}}`, "", "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := clean(json.RawMessage(c.schema))
			if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Fatalf("%.2000s, %v", got, err)
			}
			if len(got) > mostSchema {
				t.Errorf("%d bytes", len(got))
			}
			if c.want != "" && string(got) != c.want {
				t.Errorf("got  %.2000s\nwant %s", got, c.want)
			}
		})
	}
}

// Whatever a server sends, what becomes of it is a schema for an object, and
// it is the same for the same.
func FuzzClean(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`)
	f.Add(`{"anyOf":[{"$ref":"#"},{"required":["x"]}]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		got, err := clean(json.RawMessage(schema))
		if err != nil {
			return
		}
		var s map[string]any
		err = json.Unmarshal(got, &s)
		if _, ok := s["properties"].(map[string]any); err != nil || !ok || s["type"] != "object" || len(got) > mostSchema {
			t.Fatalf("%.2000s became %.2000s", schema, got)
		}
		if again, err := clean(json.RawMessage(schema)); err != nil || string(again) != string(got) {
			t.Fatalf("%s, then %s, %v", got, again, err)
		}
	})
}

func TestNames(t *testing.T) {
	got := names("My Server!", []string{"a.b", "a_b", "a..b", strings.Repeat("x", 80), "ok"})
	if got["a_b"] == got["a.b"] || got["ok"] != "mcp__my_server__ok" || len(got[strings.Repeat("x", 80)]) != mostName {
		t.Errorf("%v", got)
	}
	again := names("My Server!", []string{"ok", strings.Repeat("x", 80), "a..b", "a_b", "a.b"})
	for own, name := range got {
		if again[own] != name {
			t.Errorf("%s is %s, and in another order %s", own, name, again[own])
		}
	}
}
