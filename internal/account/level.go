package account

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// Level is how urgent it is to make room.
type Level string

// The levels, by the share of the effective input that is in use.
const (
	Normal   Level = "normal"   // below 0.50
	Warning  Level = "warning"  // from 0.50 on
	Critical Level = "critical" // from 0.85 on
	Blocked  Level = "blocked"  // from 0.95 on
)

// LevelOf is the level of a share of the effective input.
func LevelOf(share float64) Level {
	switch {
	case share < 0.50:
		return Normal
	case share < 0.85:
		return Warning
	case share < 0.95:
		return Critical
	}
	return Blocked
}

// Badge is the count in one short line: "[ctx] 62% ▓▓▓▓▓▓░░░░ usage+est".
func Badge(c llm.Count) string {
	share := max(c.Share(), 0)
	return fmt.Sprintf("[ctx] %d%% %s %s", int(min(share, 1)*100+0.5), bar(share, 10), c.Source)
}

// bar shows a share in so many cells.
func bar(share float64, cells int) string {
	filled := int(min(max(share, 0), 1)*float64(cells) + 0.5)
	return strings.Repeat("▓", filled) + strings.Repeat("░", cells-filled)
}
