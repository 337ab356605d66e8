package builtin

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/tool"
)

var update = flag.Bool("update", false, "write golden files anew")

func everyTool(t *testing.T) []tool.Tool {
	t.Helper()
	s := newFileSpace(t)
	s.Plan = func() bool { return true }
	return Tools(s.Workspace)
}

// TestCosts holds what the tools cost in every request.
func TestCosts(t *testing.T) {
	var b strings.Builder
	sum := 0
	var names []string
	for _, tl := range everyTool(t) {
		spec := tl.Spec()
		n := len(spec.Name) + len(spec.Description) + len(spec.Schema)
		fmt.Fprintf(&b, "%-14s %5d\n", spec.Name, n)
		names = append(names, spec.Name)
		sum += n
	}
	fmt.Fprintf(&b, "%-14s %5d\n", "all", sum)
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	if sum > 8000 {
		t.Errorf("all tools together have %d bytes", sum)
	}
	const golden = "testdata/costs.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("costs changed (%v): run with -update\n%s", err, b.String())
	}
}

func TestToolsByMode(t *testing.T) {
	s := newFileSpace(t)
	if _, ok := tool.Set(Tools(s.Workspace)).Find("propose_plan"); ok {
		t.Error("propose_plan outside plan mode")
	}
	set := tool.Set(everyTool(t))
	if _, ok := set.Find("propose_plan"); !ok {
		t.Error("no propose_plan in plan mode")
	}
	if tl, ok := set.Find("modify_file"); !ok || tl.Spec().Name != "write_file" {
		t.Error("modify_file is not understood")
	}
}

// TestSchemas compares the embedded schemas of the file tools with the types
// that their arguments are read into.
func TestSchemas(t *testing.T) {
	for name, in := range map[string]reflect.Type{
		"edit_file": reflect.TypeFor[editFileIn](), "glob_files": reflect.TypeFor[globFilesIn](), "grep_files": reflect.TypeFor[grepFilesIn](),
		"list_files": reflect.TypeFor[listFilesIn](), "patch_file": reflect.TypeFor[patchFileIn](), "read_file": reflect.TypeFor[readFileIn](),
		"write_file": reflect.TypeFor[writeFileIn](),
	} {
		var schema map[string]any
		if err := json.Unmarshal(spec(name).Schema, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantSchema(t, name, schema, in)
	}
}

func wantSchema(t *testing.T, where string, schema map[string]any, in reflect.Type) {
	t.Helper()
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean", reflect.Slice: "array", reflect.Struct: "object"}
	if got := schema["type"]; got != kinds[in.Kind()] {
		t.Errorf("%s: type %v for a %s", where, got, in)
	}
	if in.Kind() == reflect.Slice {
		wantSchema(t, where+"[]", schema["items"].(map[string]any), in.Elem())
	}
	if in.Kind() != reflect.Struct {
		return
	}
	if schema["additionalProperties"] != false {
		t.Errorf("%s takes unknown fields", where)
	}
	properties := schema["properties"].(map[string]any)
	var required []any
	for f := range fieldsOf(in) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if rest == "" {
			required = append(required, name)
		}
		p, ok := properties[name].(map[string]any)
		if !ok {
			t.Errorf("%s has no %s", where, name)
			continue
		}
		delete(properties, name)
		if description, _ := p["description"].(string); description != f.Tag.Get("jsonschema") {
			t.Errorf("%s.%s: %q, but the type says %q", where, name, description, f.Tag.Get("jsonschema"))
		}
		wantSchema(t, where+"."+name, p, f.Type)
	}
	if len(properties) > 0 {
		t.Errorf("%s has fields that the type has not: %v", where, properties)
	}
	if got, _ := schema["required"].([]any); !slices.Equal(got, required) {
		t.Errorf("%s: required %v, want %v", where, got, required)
	}
}

func fieldsOf(in reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range in.NumField() {
			if !yield(in.Field(i)) {
				return
			}
		}
	}
}

// TestField_F07: all spellings of a file on a Windows drive are one path.
func TestField_F07(t *testing.T) {
	for spelled, want := range map[string]string{
		`D:\p\f`:           `D:\p\f`,
		`D:/p/f`:           `D:\p\f`,
		`d:\p/f`:           `D:\p\f`,
		`/d/p/f`:           `D:\p\f`,
		`/mnt/d/p/f`:       `D:\p\f`,
		`/cygdrive/d/p/f`:  `D:\p\f`,
		`/d`:               `D:\`,
		`d:`:               `D:\`,
		`src/a.go`:         `src\a.go`,
		`/tmp/x`:           `\tmp\x`,
		`\\server\share\f`: `\\server\share\f`,
		`//server/share/f`: `\\server\share\f`,
		`\\?\D:\p\f`:       `\\?\D:\p\f`,
		`/mnt/data/p`:      `\mnt\data\p`,
		`~/x`:              `~\x`,
	} {
		if got := windowsPath(spelled); got != want {
			t.Errorf("%s: %s, want %s", spelled, got, want)
		}
	}
}
