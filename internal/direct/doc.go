// Package direct runs a tool for the person, without the model: what is typed
// as /ls, /cmd or with an exclamation mark.
//
//	caller := direct.Caller{Tools: tools, Policy: policy, Asker: frontEnd, Record: record}
//	result, err := caller.Call(ctx, llm.ToolCall{ID: id, Name: "list_files", Args: args}, show)
//
// Invariant: the call goes the way that all calls go: it is prepared, permitted,
// and then run. Whoever types it has allowed it by that, so it is judged as in
// the mode full-access, whatever the mode is: deny rules refuse, ask rules and
// what is critical, protected or secret ask, and the answer is for this call
// alone.
//
// Nothing of it goes into a conversation. The package records the decision by a
// function that is passed in, and knows no session.
package direct
