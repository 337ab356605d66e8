// Package config reads MiniCode's settings from their layers and writes them
// back, as plain data.
//
// A setting is looked for in the defaults, the person's own files, the
// project's files, the environment, the files of --settings and the flags; the
// later one wins, lists that collect (rules, directories) grow:
//
//	loaded, err := config.Load(config.Input{Home: home, Cwd: cwd, ProjectRoot: root, GOOS: runtime.GOOS, Env: env})
//	if err != nil {
//		return err // a *config.FileError names file, line, column and fault
//	}
//	for _, text := range loaded.Warnings {
//		fmt.Fprintln(os.Stderr, text)
//	}
//	fmt.Println(loaded.Config.Model, loaded.Origins["model"])
//	err = config.AppendRule(loaded.Dirs.Settings(), "allow", "Bash(go test:*)")
//
// Invariants. Files of a repository only narrow: of them, deny rules, ask
// rules and the look of the terminal count, all else is named in one notice.
// A file that cannot be understood is an error and never an absent file: what
// it would have denied is unknown. Writing changes the bytes of the setting
// that is written and no others, and what another program wrote meanwhile
// stays.
//
// The package does not judge rules, does not know models, opens no
// connections, and reads neither the process environment nor the clock: both
// are passed in. The one program that it may run is a command that prints a
// key, in [ResolveKey], and then only one that the person's own settings name.
package config
