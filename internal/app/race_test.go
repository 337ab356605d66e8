//go:build race

package app

// raceDetector says that everything takes ten times as long.
const raceDetector = true
