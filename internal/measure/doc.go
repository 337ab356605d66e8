// Command measure prints the figures of docs/design/budgets.md: what the
// program costs, beside what it may cost. It is no part of the program.
//
//	make bench
//	go run ./internal/measure -n 5 -only 'hi|step'
//
// It builds the program as a release does, runs it against a local server that
// answers from a script, and runs the benchmarks of the packages whose cost
// cannot be seen from outside. Each figure is taken many times, since machines
// are noisy: the best is what the program costs, the median what it cost here.
//
// Nothing fails over a figure. The one gate is startup_test.go.
package main
