package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Named is those of the tools that one of the names means. theirs gives what
// others call one of our tools, or "".
func Named(tools []tool.Tool, names []string, theirs func(own string) string) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return means(name, t.Spec(), theirs) })
	})
}

// CheckNames refuses a name that none of the tools has. Its error names them
// all.
func CheckNames(names []string, theirs func(own string) string) error {
	all := Tools(&Workspace{Plan: func() bool { return true }})
	for _, name := range names {
		if len(Named(all, []string{name}, theirs)) > 0 {
			continue
		}
		var known []string
		for _, t := range all {
			known = append(known, t.Spec().Name)
		}
		return fmt.Errorf("there is no tool %q; there are %s", name, strings.Join(known, ", "))
	}
	return nil
}

func means(name string, spec llm.ToolSpec, theirs func(own string) string) bool {
	return name == spec.Name || slices.Contains(spec.Aliases, name) || strings.EqualFold(name, theirs(spec.Name))
}
