package provider_test

import (
	"slices"
	"testing"
)

func TestNamesToChooseFrom(t *testing.T) {
	names := directory(t, map[string]string{"ANTHROPIC_API_KEY": "k"}, `{"models": {"lab/big": {"context": 9000}}}`).Names()
	if len(names) < 3 || names[0] != "lab/big" || !slices.Contains(names, "anthropic/claude-sonnet-4-5") {
		t.Errorf("the names are %v", names)
	}
	for _, name := range names[1:] {
		if name[:10] != "anthropic/" {
			t.Errorf("%s is offered without a key", name)
		}
	}
}
