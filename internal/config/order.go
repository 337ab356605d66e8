package config

import (
	"fmt"
	"strings"
)

// disorder says which stage begins before one that goes before it, "" where
// none does. A stage that is off, at 0, is left out.
func (c Context) disorder() string {
	type line struct {
		name string
		at   float64
	}
	var last line
	var wrong []string
	for _, l := range []line{{"clearAt", c.ClearAt}, {"snipAt", c.SnipAt}, {"collapseAt", c.CollapseAt}, {"summarizeAt", c.SummarizeAt}, {"refuseAt", c.RefuseAt}} {
		if l.at == 0 {
			continue
		}
		if l.at < last.at {
			wrong = append(wrong, fmt.Sprintf("context.%s (%v) is below context.%s (%v)", l.name, l.at, last.name, last.at))
		}
		last = l
	}
	if wrong == nil {
		return ""
	}
	return strings.Join(wrong, ", and ") + ": what loses less should come first. The thresholds should rise, or stay, from clearAt to snipAt, collapseAt, summarizeAt and refuseAt; 0 switches one off"
}
