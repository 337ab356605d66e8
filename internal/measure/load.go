package main

import "time"

// load is what a process has used so far, all zero where the system does not
// tell.
type load struct {
	cpu      time.Duration
	switches int     // how often a thread slept and woke up
	resident float64 // bytes
}
