package provider

import (
	"fmt"

	"github.com/minicode-go/minicode/llm"
)

// OverBudget says why nothing more may be spent, "" while there is something
// left. limit is in US dollars; 0 is none.
func OverBudget(limit float64, info llm.Info, spent llm.Usage) string {
	cost, known := info.Price.Cost(spent)
	switch {
	case limit == 0:
		return ""
	case !known:
		return fmt.Sprintf("a budget of $%.2f is set, but the price of %s is not known; set models.%q.price in the settings", limit, info.ID(), info.ID())
	case cost >= limit:
		return fmt.Sprintf("the budget of $%.2f is used up: this run cost $%.4f so far", limit, cost)
	}
	return ""
}
