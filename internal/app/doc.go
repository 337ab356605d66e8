// Package app puts one conversation together and drives it. Beside the
// slash commands, it is all that a front end sees of the program:
//
//	conv, err := app.Open(ctx, app.Options{Cwd: dir, Home: home, Environ: os.Environ(), Asker: frontEnd})
//	if err != nil {
//		return err
//	}
//	defer conv.Close()
//	for record, err := range conv.Prompt(ctx, "fix the failing test") {
//		...
//	}
//
// One turn runs at a time; [Conversation.Queue] is how one speaks meanwhile.
// The package holds no rules of its own: what may be done, said or remembered
// is decided in the packages that it joins. Nor does it know what can be typed:
// the slash commands are made of its exported methods, in internal/command.
package app
