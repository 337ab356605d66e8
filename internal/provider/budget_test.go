package provider_test

import (
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/llm"
)

// TestOverBudget prices each request with the model that was asked.
func TestOverBudget(t *testing.T) {
	info := func(id string) llm.Info {
		price := map[string]llm.Price{"a/dear": {Known: true, Input: 100}, "a/cheap": {Known: true, Input: 1, Output: 2}}[id]
		return llm.Info{Price: price}
	}
	million := &llm.Usage{Input: 1e6}
	for _, c := range []struct {
		name  string
		limit float64
		next  string
		asked []string // for a million tokens each
		want  string   // in what is said; "" for nothing
	}{
		{"no budget", 0, "a/strange", []string{"a/dear", "a/strange"}, ""},
		{"nothing spent", 1, "a/dear", nil, ""},
		{"a cheap one", 3, "a/cheap", []string{"a/cheap", "a/cheap"}, ""},
		{"a cheap one, used up", 2, "a/cheap", []string{"a/cheap", "a/cheap"}, "this run cost $2.0000 so far"},
		{"a summary by a dear one", 50, "a/cheap", []string{"a/cheap", "a/dear"}, "this run cost $101.0000 so far"},
		{"the dear one was left", 50, "a/cheap", []string{"a/dear"}, "the budget of $50.00 is used up"},
		{"a dear one comes next", 50, "a/dear", []string{"a/cheap", "a/cheap"}, ""},
		{"nobody knows the next", 1, "a/strange", nil, `the price of a/strange is not known; set models."a/strange".price`},
		{"nobody knew the last", 1000, "a/dear", []string{"b/strange", "a/dear"}, "the price of b/strange is not known"},
	} {
		bill := provider.Bill{}
		bill.Add("a/nobody", nil)
		for _, id := range c.asked {
			bill.Add(id, million)
		}
		got := bill.OverBudget(c.limit, c.next, info)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
