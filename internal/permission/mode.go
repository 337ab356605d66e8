package permission

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// Mode says how much passes without asking, and what happens above that.
type Mode string

// The modes, from the narrowest.
const (
	Plan        Mode = "plan"         // reads; nothing is changed whatever the rules say
	ReadOnly    Mode = "read-only"    // reads; edits ask, the rest is refused
	DontAsk     Mode = "dont-ask"     // reads and what allow rules allow; the rest is refused
	Default     Mode = "default"      // reads; the rest asks
	AcceptEdits Mode = "accept-edits" // reads and changes in the workspace; the rest asks
	Auto        Mode = "auto"         // the same, and commands inside the sandbox
	FullAccess  Mode = "full-access"  // everything but what asks in every mode
)

// Modes are all modes, from the narrowest.
func Modes() []Mode {
	return []Mode{Plan, ReadOnly, DontAsk, Default, AcceptEdits, Auto, FullAccess}
}

// ParseMode reads a mode by its own name or by another that is in use.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Plan, ReadOnly, DontAsk, Default, AcceptEdits, Auto, FullAccess:
		return m, nil
	case "manual", "prompt":
		return Default, nil
	case "acceptEdits", "workspace-write":
		return AcceptEdits, nil
	case "dontAsk":
		return DontAsk, nil
	case "bypassPermissions", "danger-full-access", "allow":
		return FullAccess, nil
	}
	return "", fmt.Errorf("unknown permission mode %q: the modes are %s", name, ModeNames())
}

// ModeNames is the names of [Modes] as a sentence lists them.
func ModeNames() string {
	var names []string
	for _, m := range Modes() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// The levels that an effect can need.
const (
	readLevel  = 1
	writeLevel = 2
	fullLevel  = 3
)

// silent is the highest level that passes unasked.
func (m Mode) silent() int {
	switch m {
	case AcceptEdits, Auto:
		return writeLevel
	case FullAccess:
		return fullLevel
	}
	return readLevel
}

// ladder is the mode's own answer to an effect of that level. What dont-ask
// refuses is an ask here, since allow rules and grants come before it.
func (m Mode) ladder(level int, kind event.EffectKind) Decision {
	if level <= m.silent() {
		return Allow
	}
	switch m {
	case Plan:
		if kind == event.Read || kind == event.Net || kind == event.Tool {
			return Ask
		}
		return Deny
	case ReadOnly:
		if kind == event.Read || level == writeLevel {
			return Ask
		}
		return Deny
	}
	return Ask
}

// fixed is whether the mode's answer stands above every rule that would widen
// it, for an effect of that level.
func (m Mode) fixed(level int, kind event.EffectKind) bool {
	return (m == Plan || m == ReadOnly) && level > readLevel && kind != event.Read && kind != event.Net && kind != event.Tool
}
