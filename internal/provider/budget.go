package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/minicode-go/minicode/llm"
)

// Bill is what requests used, by the model that was asked ("provider/name").
type Bill map[string]llm.Usage

// Add puts what a request used on the bill; nil where none was made.
func (b Bill) Add(model string, used *llm.Usage) {
	if used != nil {
		b[model] = b[model].Add(*used)
	}
}

// OverBudget says why nothing more may be spent, with next as the model to be
// asked; "" while there is something left. Each request costs what its own
// model does, by what info knows of it, and where one price is not known, nor
// is the sum. limit is in US dollars; 0 is none.
func (b Bill) OverBudget(limit float64, next string, info func(model string) llm.Info) string {
	if limit == 0 {
		return ""
	}
	models := slices.Sorted(maps.Keys(b))
	if _, asked := b[next]; !asked {
		models = append(models, next)
	}
	total := 0.0
	for _, id := range models {
		cost, known := info(id).Price.Cost(b[id])
		if !known {
			return fmt.Sprintf("a budget of $%.2f is set, but the price of %s is not known; set models.%q.price in the settings", limit, id, id)
		}
		total += cost
	}
	if total >= limit {
		return fmt.Sprintf("the budget of $%.2f is used up: this run cost $%.4f so far", limit, total)
	}
	return ""
}
