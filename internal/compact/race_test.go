//go:build race

package compact_test

// raceDetector says that everything takes ten times as long.
const raceDetector = true
