// Package permission decides whether a call may run.
//
// A tool declares effects ([event.Effect]) and decides nothing; [Decide]
// judges each effect by the same eight steps, in this order, and the
// strictest answer is the call's:
//
//	1  a deny rule, a hook's deny                    no
//	2  plan and read-only: a write, a command        what the mode says; nothing lifts it
//	3  a critical command                            ask; nothing lifts it
//	4  an ask rule, a hook's ask                     ask
//	5  a protected path, a secret, dangerous         ask, unless it is spelled out by the person
//	6  an allow rule, a grant, a hook's allow        yes
//	7  the ladder: the effect's level and the mode   yes, ask or no
//	8  "ask" in dont-ask, and with nobody to ask     no
//
// The invariant: a deny rule holds for every spelling of a file and for every
// tool that could reach it, and no rule, grant, hook or mode outranks it.
// Paths are judged by what they lead to, after all symbolic links.
//
// [Gate] adds the person. It puts the question, turns the answer into an
// [event.Decided], and that fact is the grant: there is no other store of
// grants, so resume and replay restore them.
//
//	gate := &permission.Gate{
//		Policy: func() permission.Policy {
//			return permission.Policy{Mode: permission.AcceptEdits, Rules: rules, Root: root, Home: home}
//		},
//		Grants: log.Grants,
//		Asker:  front,
//		Save:   settings.AddRules,
//	}
//	decided, err := gate.Check(ctx, call, action, advice, emit)
//
// What it does not do: it parses no shell (internal/shell declares what a
// command does), keeps no settings, and enforces nothing. An action must do
// no more than it declared, and looks again at where a path leads at the
// moment of use.
package permission
