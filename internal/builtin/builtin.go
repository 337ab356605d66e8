package builtin

import "github.com/minicode-go/minicode/tool"

// Tools is the tools that work on w, sorted by name. It is called for each
// turn: propose_plan is among them in plan mode only.
func Tools(w *Workspace) []tool.Tool {
	tools := []tool.Tool{
		askUser(w),
		editFile(w),
		globFiles(w),
		grepFiles(w),
		listFiles(w),
		patchFile(w),
	}
	if w.planning() {
		tools = append(tools, proposePlan(w))
	}
	return append(tools,
		readFile(w),
		runCommand(w),
		taskOutput(w),
		taskStop(w),
		todoWrite(w),
		writeFile(w),
	)
}
