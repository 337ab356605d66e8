// Package question knows what a question that ended a turn wants, and what the
// person's answer to it means.
//
//	if q, ok := question.Of(log.Messages()); ok {
//		text, mode, err := q.Answer("2") // the text of the second option
//	}
//
// It follows from the messages alone. The package asks nobody, changes no mode
// and has nothing to do with permissions, which are asked for inside a turn.
package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// Pending is a question that the last turn ended with.
type Pending struct {
	Plan    bool     // a plan waits to be approved
	Options []string // what can be chosen by number, from 1
}

// Of is the question that waits for the next prompt, if one does.
func Of(messages []llm.Message) (Pending, bool) {
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

// Answer turns what the person typed into the next prompt: the number of an
// option into its text, the approval of a plan into words and the permission
// mode to go on in; "" leaves the mode as it is.
func (p Pending) Answer(typed string) (text, mode string, err error) {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil || n < 1 || n > len(p.Options) {
		return typed, "", nil
	}
	if !p.Plan {
		return p.Options[n-1], "", nil
	}
	mode = "accept-edits"
	switch n {
	case 2:
		mode = "default"
	case 3:
		return "", "", errors.New("say in words what the plan should do differently")
	}
	return fmt.Sprintf("The plan is approved (%s). Carry it out.", strings.ToLower(p.Options[n-1])), mode, nil
}
