// Package extension puts together what plugs in: hooks, MCP servers, skills,
// custom commands and the definitions of sub-agents, from settings that are
// plain data.
//
// The invariants: what is missing, broken or slow costs one notice and nothing
// else; nothing is started before [Set.Start]; nothing is left after
// [Set.Close].
//
//	set := extension.Open(extension.Input{Settings: loaded, Root: root, Cwd: cwd, Home: home, Environ: env})
//	set.Start()
//	defer set.Close()
//
// It runs no turn and knows no conversation.
package extension
