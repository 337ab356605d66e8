package app

import (
	"encoding/json"
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
	for _, m := range slices.Backward(messages) {
		if m.Kind != llm.Work {
			continue
		}
		for _, call := range m.Calls() {
			switch call.Name {
			case "propose_plan":
				return Pending{Plan: true, Options: []string{"Carry it out, edits need no approval", "Carry it out, ask before each edit"}}, true
			case "ask_user":
				var args struct{ Options []string }
				if json.Unmarshal(call.Args, &args) == nil {
					p.Options = append(p.Options, args.Options...)
				}
			}
		}
		break
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
	if n == 2 {
		mode = permission.Default
	}
	if err := c.SetMode(string(mode)); err != nil {
		return "", err
	}
	return fmt.Sprintf("The plan is approved (%s). Carry it out.", strings.ToLower(p.Options[n-1])), nil
}
