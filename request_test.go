package minicode_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/llm/llmtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// saysLittle holds the first request to its budget, on both wires: what every
// conversation pays before a word of it is said. The listing in testdata shows
// which part grew.
func saysLittle(t *testing.T, binary string) {
	const most = 12_000
	var listing strings.Builder
	for wire, env := range map[llmtest.Wire][]string{
		llmtest.Anthropic: {"MINICODE_MODEL=anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY=key", "ANTHROPIC_BASE_URL="},
		llmtest.OpenAI:    {"MINICODE_MODEL=openai/gpt-4.1", "OPENAI_API_KEY=key", "OPENAI_BASE_URL="},
	} {
		t.Run(string(wire), func(t *testing.T) {
			server := llmtest.NewServer(llmtest.New(t, llmtest.Say("hi")))
			home, project := t.TempDir(), t.TempDir()
			env[2] += server.BaseURL(wire)
			cmd := exec.Command(binary, "-p", "hi")
			cmd.Dir, cmd.Env = project, append(env, "HOME="+home, "USERPROFILE="+home, "PATH="+os.Getenv("PATH"), "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			body := server.Requests()[0].Body
			t.Logf("%d bytes", len(body))
			if len(body) > most {
				t.Errorf("the first request has %d bytes, over %d", len(body), most)
			}
			if wire == llmtest.Anthropic {
				listing.WriteString(partsOf(t, body))
			}
		})
	}
	path := filepath.Join("testdata", "first-request.txt")
	if *update {
		if err := os.WriteFile(path, []byte(listing.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), listing.String()); diff != "" {
		t.Errorf("%s changed; if that is meant, run the test with -update:\n%s", path, diff)
	}
}

// partsOf lists the bytes of a request's parts that are the same everywhere.
func partsOf(t *testing.T, body []byte) string {
	t.Helper()
	var request struct {
		System json.RawMessage
		Tools  []json.RawMessage
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	total := len(request.System)
	fmt.Fprintf(&out, "%6d system prompt\n", total)
	for _, raw := range request.Tools {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		total += len(raw)
		fmt.Fprintf(&out, "%6d %s\n", len(raw), tool.Name)
	}
	fmt.Fprintf(&out, "%6d bytes together\n", total)
	return out.String()
}
