package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExplainCases runs "permissions explain --json" over the judged commands
// of internal/shell: what is not read-only must never pass silently, and what
// is must.
func TestExplainCases(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "internal", "shell", "testdata", "shell.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("MINICODE_HOME", "")
	cases, silent, readOnly := 0, 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			ID, Command, Verdict, Parse string
			Parts, Writes               []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases++
		var stdout, stderr bytes.Buffer
		if exit := run([]string{"permissions", "explain", "--json", "--", c.Command}, os.Stdin, &stdout, &stderr); exit != 0 {
			t.Fatalf("%s: exit %d: %s", c.ID, exit, stderr.String())
		}
		var got struct {
			Verdict, Decision, Parse string
			Parts                    []struct{ Command string }
			Writes                   []string
		}
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if c.Verdict != "read_only" && got.Decision == "allow" {
			t.Errorf("%s: %q passes silently; it is %s", c.ID, c.Command, c.Verdict)
		}
		c.Parse = strings.Replace(c.Parse, "error", "failed", 1)
		if got.Verdict != c.Verdict || got.Parse != c.Parse {
			t.Errorf("%s: %q: %s, parse %s; want %s, parse %s", c.ID, c.Command, got.Verdict, got.Parse, c.Verdict, c.Parse)
		}
		if c.Verdict == "read_only" {
			readOnly++
			if got.Decision == "allow" {
				silent++
			}
		}
		var parts []string
		for _, p := range got.Parts {
			parts = append(parts, p.Command)
		}
		if c.Parse == "ok" && !cmp.Equal(strings.Join(c.Parts, "\n"), strings.Join(parts, "\n")) {
			t.Errorf("%s: %q: parts %q, want %q", c.ID, c.Command, parts, c.Parts)
		}
		if strings.Join(c.Writes, "\n") != strings.Join(got.Writes, "\n") {
			t.Errorf("%s: %q: writes %q, want %q", c.ID, c.Command, got.Writes, c.Writes)
		}
	}
	t.Logf("%d commands; %d of %d read-only ones pass silently", cases, silent, readOnly)
	if silent*100 < readOnly*85 {
		t.Errorf("only %d of %d read-only commands pass silently", silent, readOnly)
	}
}
