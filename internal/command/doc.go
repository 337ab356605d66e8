// Package command is what can be typed: the slash commands, as data that every
// front end reads.
//
//	out, err := command.Run(ctx, conv, "/rename the failing test")
//	switch {
//	case errors.Is(err, command.ErrExit): // leave
//	case err != nil: // tell the person
//	default: // show out
//	}
//
// A command does nothing that the exported methods of [app.Conversation] do
// not do: it reads its arguments, calls them, and puts into words what came of
// it. So a front end may offer the same in another way, with keys or menus.
//
// Nothing is drawn here, and which lines are commands is for the front end to
// say: a path begins with a slash, too.
package command
