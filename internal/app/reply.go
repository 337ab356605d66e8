package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/llm"
)

// Pending is a question that the last turn ended with.
type Pending struct {
	Plan    bool     // a plan waits to be approved
	Options []string // what can be chosen by number, from 1
}

// Pending is the question that waits for the next prompt, if one does.
func (c *Conversation) Pending() (Pending, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages := c.log.Messages()
	if len(messages) == 0 || messages[len(messages)-1].Kind != llm.Questioned {
		return Pending{}, false
	}
	var p Pending
	var asked int
	for _, m := range slices.Backward(messages) {
		if m.Kind != llm.Work {
			continue
		}
		for _, call := range m.Calls() {
			var args struct{ Options []string }
			switch call.Name {
			case "propose_plan":
				return Pending{Plan: true, Options: []string{"Go on, accepting edits", "Go on, asking before each edit", "Keep planning"}}, true
			case "ask_user":
				asked++
				_ = json.Unmarshal(call.Args, &args) // checked when the call was prepared
				for _, o := range args.Options {
					if o = strings.TrimSpace(o); o != "" {
						p.Options = append(p.Options, o)
					}
				}
			}
		}
		break
	}
	if asked > 1 {
		p.Options = nil // a number could mean either question's
	}
	return p, true
}

// Reply turns what the person typed into the next prompt: the number of an
// option into its text, the approval of a plan into the mode to go on in.
func (c *Conversation) Reply(typed string) (string, error) {
	p, ok := c.Pending()
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if !ok || err != nil || n < 1 || n > len(p.Options) {
		return typed, nil
	}
	if !p.Plan {
		return p.Options[n-1], nil
	}
	mode := permission.AcceptEdits
	switch n {
	case 2:
		mode = permission.Default
	case 3:
		return "", errors.New("say in words what the plan should do differently")
	}
	if err := c.SetMode(string(mode)); err != nil {
		return "", err
	}
	return fmt.Sprintf("The plan is approved (%s). Carry it out.", strings.ToLower(p.Options[n-1])), nil
}
