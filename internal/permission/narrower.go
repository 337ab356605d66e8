package permission

import (
	"slices"
	"strings"
)

// Narrower is the mode of a sub-agent that wants one of its own: never wider
// than its parent's. What is no mode, and "", is the parent's.
func Narrower(parent Mode, wanted string) Mode {
	mode, err := ParseMode(wanted)
	if err != nil || slices.Index(Modes(), mode) > slices.Index(Modes(), parent) {
		return parent
	}
	return mode
}

// OwnName is our name for a tool that may be called by Claude Code's.
func OwnName(name string) string {
	switch strings.ToLower(name) {
	case "write":
		return "write_file"
	case "multiedit":
		return "patch_file"
	case "edit_file", "patch_file", "write_file", "modify_file":
		return strings.ToLower(name)
	}
	_, own := familyOf(name)
	return own
}
