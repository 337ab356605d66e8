// Package prompt makes the system prompt and gathers what feeds it: the
// instruction files of the person and of the project. It also words what the
// model is told of its surroundings, which goes into notes and not into the
// system prompt.
//
//	places := prompt.Places{Root: root, Cwd: cwd, Home: home, Config: dirs.Config}
//	files := prompt.Instructions(places)
//	system := prompt.Build(prompt.System{Instructions: prompt.Render(files), Skills: skills})
//
//	where := prompt.Where{Now: now, Cwd: cwd, Root: root, System: "linux/amd64", Git: prompt.GitIn(cwd, environ)}
//	state := prompt.Observe(ctx, where)
//	note := prompt.Environment(state) // the first note of a session
//	fmt.Println(prompt.Report(files)) // /memory
//
// Invariants. The same input gives the same bytes: there is no clock, no git
// state and no directory listing in the system prompt, since providers cache
// by prefix. The instruction files never take more than their budget, and a
// closer file is never cut before a farther one.
//
// The package starts no program but git, and that through a function that is
// passed in; it does not watch files, and does not decide when a prompt is
// made anew.
package prompt
