// Package command is what can be typed: the slash commands, as data that every
// front end reads.
//
//	if command.Is(line) {
//		out, err := command.Run(ctx, conv, line, show)
//		switch {
//		case errors.Is(err, command.ErrExit): // leave
//		case err != nil: // tell the person
//		case out.Prompt != "": // send it
//		default: // show out.Text, and put out.Draft into the prompt
//		}
//	}
//
// A command does nothing that the exported methods of [app.Conversation] do
// not do: it reads its arguments, calls them, and puts into words what came of
// it. So a front end may offer the same in another way, with keys or menus.
//
// Nothing is drawn here, and nothing is sent: what a command has to say to the
// model is in its result.
package command
