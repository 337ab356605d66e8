package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/minicode-go/minicode/internal/headless"
)

// completeFlags tells the shell what may follow a flag.
func completeFlags(root *cobra.Command) {
	words := func(flag string, values ...string) {
		// It fails only for a flag that is not there.
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	words("permission-mode", "plan", "read-only", "default", "accept-edits", "auto", "dont-ask", "full-access")
	words("effort", "low", "medium", "high")
	words("output-format", headless.Text, headless.JSON, headless.Events)
	words("input-format", headless.Text)
	_ = root.RegisterFlagCompletionFunc("resume", sessionIDs)
}

// sessionIDs is the sessions of this project, with what they are about.
func sessionIDs(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	if o, err := surroundings(); err == nil && len(args) == 0 {
		rows, _ := stored(o, false) // without a list there is nothing to offer
		for _, s := range rows {
			if strings.HasPrefix(s.ID, typed) {
				about := s.Title
				if about == "" {
					about = s.FirstPrompt
				}
				out = append(out, cobra.CompletionWithDesc(s.ID, about))
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
