package schema

import (
	"encoding/json"
	"testing"
)

const spec = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
	"path":{"type":"string","minLength":1},
	"lines":{"type":"integer","minimum":1,"maximum":9},
	"mode":{"type":"string","enum":["a","b"]},
	"deep":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["x"],"properties":{"x":{"type":["null","number"]}}}}}}`

func TestValidate(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"a"}`: "",
		`{"path":"a","lines":3,"mode":"b","deep":[{"x":null},{"x":1.5,"y":true}]}`: "",
		`{"path":"a","lines":3.0}`:         "",
		`{}`:                               "Invalid arguments:\npath: required, but missing",
		`{"path":""}`:                      "Invalid arguments:\npath: must not be empty",
		`{"path":7,"lines":"3","extra":1}`: "Invalid arguments:\nextra: unknown; the fields are deep, lines, mode, path\nlines: want integer, got string\npath: want string, got number",
		`{"path":"a","lines":0}`:           "Invalid arguments:\nlines: want at least 1, got 0",
		`{"path":"a","lines":10}`:          "Invalid arguments:\nlines: want at most 9, got 10",
		`{"path":"a","lines":1.5}`:         "Invalid arguments:\nlines: want integer, got number",
		`{"path":"a","mode":"c"}`:          `Invalid arguments:` + "\n" + `mode: want one of "a", "b", got "c"`,
		`{"path":"a","deep":[]}`:           "Invalid arguments:\ndeep: want at least 1 items, got 0",
		`{"path":"a","deep":[{},{"x":"y"},1]}`: "Invalid arguments:\ndeep: want at most 2 items, got 3\ndeep[0].x: required, but missing\n" +
			"deep[1].x: want null or number, got string\ndeep[2]: want object, got number",
		`[]`:   "Invalid arguments:\narguments: want object, got array",
		`null`: "Invalid arguments:\narguments: want object, got null",
		`{`:    "the arguments are not JSON: unexpected EOF",
	} {
		got := ""
		if err := Validate(json.RawMessage(spec), json.RawMessage(args)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", args, got, want)
		}
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(spec, `{"path":"a"}`)
	f.Add(`{"type":["object"],"properties":{"a":null}}`, `{"a":1}`)
	f.Add(`{"items":{}}`, `[1]`)
	f.Add(`{"properties":{"a":true,"b":false},"items":null}`, `{"a":[1],"b":2}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		if Validate(json.RawMessage(schema), json.RawMessage(args)) == nil && !json.Valid([]byte(args)) {
			// One value with something behind it is left to the caller, who decodes it.
			var v any
			if err := json.Unmarshal([]byte(args), &v); err == nil {
				t.Errorf("%q passed", args)
			}
		}
	})
}
