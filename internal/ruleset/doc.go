// Package ruleset holds the permission policy of a conversation: what the
// settings and flags make it, and what the person changes in it meanwhile.
//
//	set, problems, err := ruleset.New(ruleset.Input{Settings: loaded, Root: root, Cwd: cwd, Home: home, Project: own})
//	err = set.Add(event.AlwaysProject, "allow", "run_command(make test)")
//	policy := set.Policy()
//
// Invariant: a rule that the person added or took away is in its file before
// it is in force, and what stands around it in the file stays as it is. Files
// that come with a repository are never written.
//
// The package judges nothing; that is for internal/permission. Nor does it know
// the mode, which is the conversation's.
package ruleset
