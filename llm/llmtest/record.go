package llmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// recorded is a request's file. The body stands in it byte for byte where it
// is JSON, else as a string.
type recorded struct {
	Number  int                 `json:"number"`
	Time    time.Time           `json:"time,omitzero"`
	Wire    Wire                `json:"wire,omitempty"`
	Method  string              `json:"method"`
	Path    string              `json:"path"`
	Refused string              `json:"refused,omitempty"`
	Header  map[string][]string `json:"header"`
	Body    json.RawMessage     `json:"body"`
}

// writeRecord writes NNN.json, and a line to refused.log if the request was
// refused.
func writeRecord(dir string, r *Received) error {
	body := json.RawMessage(r.Body)
	if !json.Valid(r.Body) {
		body = encode(string(r.Body))
	}
	data := encode(recorded{r.Number, r.Time, r.Wire, r.Method, r.Path, r.Refused, r.Header, body})
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.json", r.Number)), append(data, '\n'), 0o600); err != nil {
		return err
	}
	if r.Refused == "" {
		return nil
	}
	log, err := os.OpenFile(filepath.Join(dir, "refused.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(log, "%03d %s %s: %s\n", r.Number, r.Method, r.Path, strings.ReplaceAll(r.Refused, "\n", " "))
	if err2 := log.Close(); err == nil {
		err = err2
	}
	return err
}
