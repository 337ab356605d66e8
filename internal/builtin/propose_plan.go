package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/minicode-go/minicode/tool"
)

type planInput struct {
	Plan string `json:"plan" jsonschema:"Markdown"`
}

// proposePlan shows a plan to the person, which ends the turn. What the
// person may answer is up to the front end; the words here are for those that
// have no dialog for it.
func proposePlan(w *Workspace) tool.Tool {
	return tool.New(spec("propose_plan"), func(_ context.Context, in planInput) (tool.Action, error) {
		plan := strings.TrimSpace(in.Plan)
		switch {
		case !w.planning():
			return tool.Action{}, errors.New("propose_plan is for plan mode only, which is off: go on with the work, or ask with ask_user")
		case plan == "":
			return tool.Action{}, errors.New("plan: must not be empty")
		}
		return asking("Propose a plan", withOptions(plan, []string{
			"Go on, accepting edits",
			"Go on, asking before each edit",
			"Keep planning: say what to change",
		})), nil
	})
}
