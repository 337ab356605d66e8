//go:build !race

package agent_test

// raceDetector says that everything takes ten times as long.
const raceDetector = false
