// Package shell says what a shell program would do, without running it: which
// simple commands it holds, how far each can be trusted, and which files they
// name.
//
// [Analyse] parses the program as bash does and follows it: into lists, pipes,
// substitutions, loops, functions and here-documents, through wrappers such as
// timeout and "sh -c", and from directory to directory along cd. Each simple
// command is looked up in one table, commands.txt, which is an allow-list of
// commands and of their flags. The invariant: what is not understood asks.
// Nothing is added to a program by which it asks less, and the class of a
// program is that of its strictest part.
//
//	env := shell.Env{Cwd: dir, Root: dir, Home: home}
//	a := shell.Analyse("git log -3 && rm -rf build > log.txt", env)
//	for _, part := range a.Parts {
//		fmt.Println(part.Text, part.Class, part.Reason)
//	}
//	// git log -3      read_only
//	// rm -rf build    needs_ask  rm removes files
//	fmt.Println(a.Class, a.Writes) // needs_ask [> log.txt]
//	effects := a.Effects()         // what the gate judges
//	shell.Match("git log:*", "git log -3") // true
//
// A class says what a command is, not whether it may run: that is for the gate
// to decide, from the effects, the rules and the mode. Nothing here looks at
// the disk, so links are for the gate to resolve. And effects are a
// declaration: what make or a script does is known to nobody before it runs,
// and only a sandbox can hold it.
package shell
