package minicode_test

import (
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

// referenceAreas is how many tests MiniCode (TypeScript) has of each area of
// docs/reference-tests.md.
func referenceAreas() map[string]int {
	return map[string]int{
		"auto-compact": 8, "compact": 19, "context-badge": 8, "context-collapse": 19, "microcompact": 5, "model-context": 10,
		"provider-usage-ingestion": 1, "snip-compact": 16, "token-estimator": 16, "tool-result-storage": 10,
	}
}

// referenceTests is every Go test, by "package name", and every subtest in the
// same file whose name begins with the number of a case. Those of tests that
// are named after the reference have the value true.
func referenceTests(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	numbered := regexp.MustCompile(`"(\d+_[a-z0-9_]+)"`)
	out := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		places := declared.FindAllStringSubmatchIndex(text, -1)
		for i, at := range places {
			end := len(text)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			name := filepath.ToSlash(filepath.Dir(path)) + " " + text[at[2]:at[3]]
			out[name] = false
			for _, m := range numbered.FindAllStringSubmatch(text[at[0]:end], -1) {
				out[name+"/"+m[1]] = strings.Contains(name, " TestReference")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReferencePages holds docs/reference-tests.md to the tests.
func TestReferencePages(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "reference-tests.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests, missing := referenceTests(t), referenceAreas()
	heading := regexp.MustCompile(`^## ([a-z-]+): (\d+) cases?$`)
	quoted := regexp.MustCompile("`([^`]+)`")
	listed := map[string]bool{}
	area, next := "", 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if m := heading.FindStringSubmatch(line); m != nil {
			area, next = m[1], 1
			if n, _ := strconv.Atoi(m[2]); missing[area] != n {
				t.Errorf("%s has %d tests, the heading says %d", area, missing[area], n)
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		number, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		if err != nil || !strings.HasPrefix(line, "|") {
			continue
		}
		if number != next || len(cells) != 4 {
			t.Errorf("%s: the row of case %d is missing or has not four cells: %s", area, next, line)
		}
		missing[area]--
		next = number + 1
		named := quoted.FindAllStringSubmatch(cells[2], -1)
		for _, m := range named {
			listed[m[1]] = true
			if _, ok := tests[m[1]]; !ok {
				t.Errorf("%s %d: there is no test %s", area, number, m[1])
			}
		}
		state := strings.TrimSpace(cells[len(cells)-1])
		if why, ok := strings.CutPrefix(state, "differs on purpose: "); len(named) == 0 || state != "held" && (!ok || why == "") {
			t.Errorf("%s %d: the state %q with %d tests says too little", area, number, state, len(named))
		}
	}
	for area, n := range missing {
		if n != 0 {
			t.Errorf("docs/reference-tests.md lacks %d cases of %s", n, area)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if tests[name] && !listed[name] {
			t.Errorf("docs/reference-tests.md does not name %s", name)
		}
	}
}

// TestReferenceTerminal holds docs/reference-terminal.md to the tests: each
// point names one that is there, and its state says enough.
func TestReferenceTerminal(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "reference-terminal.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests, quoted := referenceTests(t), regexp.MustCompile("`([^`]+)`")
	point := regexp.MustCompile(`^\| [A-Z]\d+ \|`)
	seen := 0
	for line := range strings.Lines(string(data)) {
		if !point.MatchString(line) {
			continue
		}
		seen++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 4 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		named := quoted.FindAllStringSubmatch(cells[2], -1)
		for _, m := range named {
			_, err := os.Stat(filepath.Join("cmd", "minicode", "testdata", "script", m[1]))
			if _, ok := tests[m[1]]; !ok && err != nil {
				t.Errorf("there is no test %s", m[1])
			}
		}
		state := strings.TrimSpace(cells[3])
		kind, why, _ := strings.Cut(state, ": ")
		if len(named) == 0 || kind != "held" && (kind != "differs on purpose" || why == "") {
			t.Errorf("the state %q with %d tests says too little", state, len(named))
		}
	}
	if seen < 40 {
		t.Errorf("%d points", seen)
	}
}
