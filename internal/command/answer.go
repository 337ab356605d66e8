package command

import "github.com/minicode-go/minicode/event"

// KeyOf is the key that answers a question with the choice in every front end;
// "" for those that are for good, which each front end guards in its own way.
func KeyOf(c event.Choice) string {
	switch c {
	case event.Once:
		return "y"
	case event.ThisTurn:
		return "t"
	case event.EditsThisTurn:
		return "a"
	case event.ThisSession:
		return "s"
	case event.AlwaysProject:
		return "p"
	case event.AlwaysUser:
		return "u"
	case event.No:
		return "n"
	case event.NoWithGuidance:
		return "g"
	}
	return ""
}
