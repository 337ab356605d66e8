//go:build race

package builtin

// raceDetector says that memory and time are not those of the program.
const raceDetector = true
