package llmtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestRecorded holds the validators against requests that real providers
// answered with 200.
func TestRecorded(t *testing.T) {
	dir := os.Getenv("MINICODE_RECORDED")
	if dir == "" {
		t.Skip("MINICODE_RECORDED is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", dir, err)
	}
	checked := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			API, Provider string
			Stream        bool
			Request       struct{ Body json.RawMessage }
			Response      struct{ Status int }
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		if r.Response.Status != 200 || r.Request.Body == nil {
			continue
		}
		var faults []fault
		switch r.API {
		case "anthropic.messages":
			_, faults = checkMessages(r.Request.Body, false)
		case "openai.chat":
			_, faults = checkChat(r.Request.Body, r.Provider != "openai")
		default:
			continue
		}
		checked++
		if len(faults) > 0 {
			t.Errorf("%s: %s", filepath.Base(file), joinFaults(faults))
		}
	}
	t.Logf("%d requests checked", checked)
}
