// Package builtin is the tools that come with MiniCode: they read, find and
// change files, run commands, and put questions to the person.
//
// [Tools] gives the tools of a [Workspace], one turn at a time:
//
//	w := &builtin.Workspace{Root: root, Cwd: cwd, Home: home, Now: time.Now}
//	set := tool.Set(builtin.Tools(w))
//	read, _ := set.Find("read_file")
//	action, err := read.Prepare(ctx, json.RawMessage(`{"path":"go.mod"}`))
//	if err != nil {
//		return err // the model reads it
//	}
//	// show action.Title, judge action.Effects, then:
//	result, err := action.Run(ctx, emit)
//
// Invariants: a call touches nothing before Run and nothing but its effects
// in Run; what Run writes is what the preview showed, on the file as it is
// then; a file's bytes outside an edit never change, and a reader of the file
// sees the old content or the new, never a part of either; the same call on
// the same files gives the same bytes, with no times in them.
//
// The package keeps no state besides the running background tasks: what the
// model knows of files is told by the session, through Workspace.Stamps. It
// does not decide what is allowed.
package builtin
