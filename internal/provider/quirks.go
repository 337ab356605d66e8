package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/minicode-go/minicode/llm/openai"
)

// quirksOf reads the quirks of a provider's settings.
func quirksOf(settings map[string]any) (openai.Quirks, error) {
	var q openai.Quirks
	if len(settings) == 0 {
		return q, nil
	}
	data, err := json.Marshal(settings)
	if err != nil {
		return q, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, fmt.Errorf("quirks: %w; there are maxTokens, system, effort, reasoning, ids, noUsage, noEnd and turns", err)
	}
	return q, nil
}
