package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// now is what a process has used so far.
func now(pid int) load {
	var l load
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)) // the pattern is right
	for _, task := range tasks {
		if data, err := os.ReadFile(filepath.Join(task, "schedstat")); err == nil {
			ran, _, _ := strings.Cut(string(data), " ")
			n, _ := strconv.ParseInt(ran, 10, 64)
			l.cpu += time.Duration(n)
		}
		status, err := os.ReadFile(filepath.Join(task, "status"))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(status)) {
			fields := strings.Fields(line)
			if len(fields) < 2 {
				continue
			}
			n, _ := strconv.Atoi(fields[1])
			switch fields[0] {
			case "voluntary_ctxt_switches:":
				l.switches += n
			case "VmRSS:":
				l.resident = float64(n) * 1024
			}
		}
	}
	return l
}
