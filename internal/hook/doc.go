// Package hook runs the user's own programs around tools, prompts and turns,
// by the contract of Claude Code: JSON on standard input, an exit code and
// JSON on standard output back.
//
// The invariant: a hook can only narrow. What it denies is denied; what it
// allows still has to pass every deny and ask rule; arguments that it changes
// are prepared and judged anew. A hook before a tool that cannot be run, or
// whose answer cannot be read, stops the call and says so.
//
//	r := &hook.Runner{Groups: groups, Session: session, Env: env, Tell: notice}
//	defer r.Close()
//	advice, err := r.Before(ctx, call)
//
// It does not read settings, and it does not know which of them are trusted:
// whoever makes a Runner gives it only what may run.
package hook
