package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// step is the calls of one answer with their results, as far as telling
// repetition needs.
type step struct {
	sum   [sha256.Size]byte
	names string
}

// longestCycle is how many steps a repeated pattern may have.
const longestCycle = 3

// remember adds the calls of one answer, with what they gave before anything
// was cut or saved. The call's own id, which stands in file names, is no
// difference.
func (c *tally) remember(calls []llm.ToolCall, results []string) {
	h := sha256.New()
	var names []string
	for i, call := range calls {
		args := call.Malformed
		var compact bytes.Buffer
		if json.Compact(&compact, call.Args) == nil {
			args += compact.String()
		}
		for _, s := range []string{call.Name, args, strings.ReplaceAll(results[i], call.ID, "")} {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
		if len(names) == 0 || names[len(names)-1] != call.Name {
			names = append(names, call.Name)
		}
	}
	c.repeated = c.repeats()
	s := step{names: strings.Join(names, ", ")}
	h.Sum(s.sum[:0])
	c.steps = append(c.steps, s)
	if keep := 5 * longestCycle; len(c.steps) > keep {
		c.steps = c.steps[len(c.steps)-keep:]
	}
}

// repeats is how many times in a row the newest cycle, of one to three steps,
// has come.
func (c *tally) repeats() int {
	most := 1
	for period := 1; period <= longestCycle; period++ {
		n := 1
		for (n+1)*period <= len(c.steps) && c.same(period, n) {
			n++
		}
		most = max(most, n)
	}
	return most
}

// same says whether the cycle n cycles back is the newest one again.
func (c *tally) same(period, n int) bool {
	end := len(c.steps)
	for i := range period {
		if c.steps[end-period+i].sum != c.steps[end-(n+1)*period+i].sum {
			return false
		}
	}
	return true
}

// toolNames is the tools of the newest cycle.
func (c *tally) toolNames() string {
	end := len(c.steps)
	var names []string
	for i := end - 1; i >= 0 && i >= end-longestCycle; i-- {
		if i < end-1 && c.steps[i].sum == c.steps[end-1].sum {
			break
		}
		names = append([]string{c.steps[i].names}, names...)
	}
	return strings.Join(names, ", ")
}
