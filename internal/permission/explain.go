package permission

import (
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// Explanation is what a command would be met with, as "minicode permissions
// explain --json" prints it.
type Explanation struct {
	Command  string      `json:"command"`
	Mode     Mode        `json:"mode"`
	Parse    string      `json:"parse"`    // ok, failed
	Verdict  event.Class `json:"verdict"`  // the command's own: read_only, needs_ask, dangerous
	Decision Decision    `json:"decision"` // of the mode and the rules
	Parts    []Part      `json:"parts"`
	Writes   []string    `json:"writes"`
}

// Part is one simple command of an [Explanation], with the files it names.
type Part struct {
	Command  string      `json:"command"`
	Verdict  event.Class `json:"verdict"`
	Decision Decision    `json:"decision"`
	By       string      `json:"by"`
	Reason   string      `json:"reason"`
}

// Explain judges a command line by its effects, as they are declared for
// run_command. Writes are the redirections as the analysis spells them. What
// asks is told as "ask", also where nobody would be there to answer.
func Explain(p Policy, line string, effects []event.Effect, writes []string, grants []event.Grant) Explanation {
	v := Decide(p, "run_command", effects, grants, tool.Advice{})
	x := Explanation{Command: line, Mode: p.Mode, Parse: "ok", Verdict: plainClass(v.Class), Decision: v.Decision, Parts: []Part{}, Writes: writes}
	if x.Mode == "" {
		x.Mode = Default
	}
	if x.Writes == nil {
		x.Writes = []string{}
	}
	for from := 0; from < len(effects); {
		to := from + 1
		for to < len(effects) && effects[to].Kind != event.Exec {
			to++
		}
		var part Verdict
		part.settle(v.PerEffect[from:to])
		worst := event.ReadOnly
		for _, d := range v.PerEffect[from:to] {
			if classRank(d.Class) > classRank(worst) {
				worst = d.Class
			}
		}
		if e := effects[from]; e.Kind == event.Exec {
			if e.Target == "?" {
				x.Parse = "failed"
			}
			x.Parts = append(x.Parts, Part{e.Target, plainClass(worst), part.Decision, part.By, part.Reason})
		}
		from = to
	}
	return x
}

// plainClass is the class in the three words of an explanation.
func plainClass(c event.Class) event.Class {
	switch c {
	case event.Critical:
		return event.Dangerous
	case "":
		return event.NeedsAsk
	}
	return c
}
