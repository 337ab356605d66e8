// Package demo is the built-in offline model and the scratch project that it
// repairs. The model is a script and says so; everything around it (the loop,
// the tools, the gate, the session) is what any other model gets.
//
//	dir, err := demo.Project(tmp) // a Go module with one failing test
//	var model llm.Model = demo.Model{}
//
// The script looks at the results it gets: where a step fails, its last
// answer says so instead of claiming success.
package demo
