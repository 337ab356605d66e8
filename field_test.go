package minicode_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fieldCase is one row of docs/field.md.
type fieldCase struct{ id, area, tests, state string }

// fieldCases reads docs/field.md: a heading for each area with the number of
// its cases, then a table.
func fieldCases(t *testing.T) map[string]fieldCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("docs", "field.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`^## (\w+): (\d+) cases$`)
	out, area, promised := map[string]fieldCase{}, "", map[string]int{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if m := heading.FindStringSubmatch(line); m != nil {
			area = m[1]
			promised[area], _ = strconv.Atoi(m[2])
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") || strings.TrimSpace(cells[0]) == "id" {
			continue
		}
		if len(cells) != 4 {
			t.Fatalf("docs/field.md: a row has %d cells: %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if _, twice := out[cells[0]]; twice {
			t.Errorf("docs/field.md: %s stands twice", cells[0])
		}
		out[cells[0]] = fieldCase{cells[0], area, cells[2], cells[3]}
		promised[area]--
	}
	for area, n := range promised {
		if n != 0 {
			t.Errorf("docs/field.md: the number of rows of %s differs from its heading by %d", area, n)
		}
	}
	return out
}

// fieldTests is every test that the page may name, and the ids that are in
// their names.
func fieldTests(t *testing.T) (known map[string]bool, named map[string]string) {
	t.Helper()
	known, named = map[string]bool{}, map[string]string{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	inName := regexp.MustCompile(`(?:TestField_|/field-)([A-Z]\d\d)`)
	add := func(name string) {
		known[name] = true
		if m := inName.FindStringSubmatch("/" + name); m != nil {
			named[name] = m[1]
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			add(filepath.Base(path))
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				add(filepath.ToSlash(filepath.Dir(path)) + " " + m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known, named
}

// TestFieldCases holds docs/field.md to the tests.
func TestFieldCases(t *testing.T) {
	cases := fieldCases(t)
	known, named := fieldTests(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	listed, states := map[string]bool{}, map[string]int{}
	for _, c := range cases {
		tests := quoted.FindAllStringSubmatch(c.tests, -1)
		for _, m := range tests {
			listed[m[1]] = true
			if !known[m[1]] {
				t.Errorf("%s: there is no test %s", c.id, m[1])
			}
			if id, ok := named[m[1]]; ok && id != c.id {
				t.Errorf("%s names the test of %s", c.id, id)
			}
		}
		state, why, _ := strings.Cut(c.state, ":")
		states[state]++
		switch kind, _, _ := strings.Cut(state, ","); {
		case kind == "held" && len(tests) > 0:
		case (kind == "differs on purpose" || kind == "not yet") && strings.TrimSpace(why) != "":
		default:
			t.Errorf("%s: the state %q with %d tests says too little", c.id, c.state, len(tests))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !listed[name] {
			t.Errorf("docs/field.md does not name %s", name)
		}
	}
	waiting := states["not yet"]
	t.Logf("%d cases: %d differ on purpose, %d not yet", len(cases), states["differs on purpose"], waiting)
	if waiting*10 > len(cases) {
		t.Errorf("%d of %d cases are not yet held, more than one in ten", waiting, len(cases))
	}
}

// TestFieldCasesAreWhole compares docs/field.md with the collection that it is
// taken from, where that is at hand.
func TestFieldCasesAreWhole(t *testing.T) {
	path := os.Getenv("MINICODE_FIELD")
	if path == "" {
		path = filepath.Join("..", "shared", "cases", "field.jsonl")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the collection of cases is not here; MINICODE_FIELD says where it is: %v", err)
	}
	cases := fieldCases(t)
	areas := map[string]bool{}
	for _, c := range cases {
		areas[c.area] = true
	}
	for line := range strings.Lines(string(data)) {
		var c struct{ ID, Area string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if !areas[c.Area] {
			continue
		}
		if cases[c.ID].area != c.Area {
			t.Errorf("docs/field.md does not have %s in %s", c.ID, c.Area)
		}
		delete(cases, c.ID)
	}
	for id := range cases {
		t.Errorf("docs/field.md has %s, which is no case of the collection", id)
	}
}
