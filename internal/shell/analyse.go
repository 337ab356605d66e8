package shell

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/minicode-go/minicode/event"
)

// Env is where a program would run.
type Env struct {
	Cwd  string // absolute; it starts here
	Root string // of the workspace, absolute
	Home string // what "~" stands for; "" if not known

	Additional []string // further directories of the workspace

	Protected func(path string) bool // paths that must not be changed unasked; nil: none
	Secrets   func(path string) bool // paths that must not be read unasked; nil: none

	// Met is the files, of those that a command comes upon in a directory,
	// that it may not read unasked, and false if there are too many to tell;
	// nil: it is not looked for them.
	Met func(Sweep) (paths []string, complete bool)
}

// Analysis is what a program would do, as far as it can be known before.
type Analysis struct {
	Parts  []Part      // every simple command, in the order of the text
	Writes []string    // the redirections to files, as spelled: "> out.txt"
	Failed bool        // it could not be parsed: there are no parts
	Why    string      // the reason of Class, "" for a program that only reads
	Class  event.Class // the strictest of all parts and of where their paths lie

	loose []event.Effect // what belongs to no part
}

// Part is one simple command.
type Part struct {
	Text string   // as written, without assignments before it and redirections
	Args []string // decoded words; what is not known before the run is as written

	// Class is what the command is, wherever its paths lie; a command that
	// only reads is read_only also when a redirection writes its output.
	Class   event.Class
	Verdict event.Class // Class, or stricter because of where the paths lie
	Reason  string      // why Verdict is not read_only

	Reads  []string // absolute, cleaned; of a pattern the directory
	Writes []string // the same, redirections included
	Plain  bool     // it does nothing but Reads and Writes (mkdir, touch, cp, mv)

	sets string // the assignments before it, as written, if not all are harmless
}

// Target is how an effect names the part and what a rule is compared with: the
// text, with the assignments before it unless they are harmless.
func (p Part) Target() string {
	if p.sets == "" {
		return p.Text
	}
	return p.sets + " " + p.Text
}

// Effects are those of the part alone.
func (p Part) Effects() []event.Effect {
	e := event.Effect{Kind: event.Exec, Target: p.Target(), Class: p.Class, Plain: p.Plain}
	if p.Class != event.ReadOnly {
		e.Reason = p.Reason
	}
	return append([]event.Effect{e}, pathEffects(p.Reads, p.Writes)...)
}

func pathEffects(reads, writes []string) []event.Effect {
	var out []event.Effect
	for _, path := range reads {
		out = append(out, event.Effect{Kind: event.Read, Target: path})
	}
	for _, path := range writes {
		out = append(out, event.Effect{Kind: event.Write, Target: path})
	}
	return out
}

// Unparsed is the target of the exec effect of what could not be understood,
// and of what asks but is no simple command, such as an assignment that changes
// what follows. No allow rule matches it.
const Unparsed = "?"

// Effects is what the gate judges: one exec effect for each simple command,
// each followed by the reads and writes that the command names. Paths that
// belong to no command come first, what could not be understood comes last.
func (a Analysis) Effects() []event.Effect {
	var out []event.Effect
	for _, e := range a.loose {
		if e.Kind != event.Exec { // before any command, so that it is nobody's
			out = append(out, e)
		}
	}
	for _, p := range a.Parts {
		out = append(out, p.Effects()...)
	}
	for _, e := range a.loose {
		if e.Kind == event.Exec {
			out = append(out, e)
		}
	}
	return out
}

// rank orders classes.
func rank(c event.Class) int {
	return slices.Index([]event.Class{event.ReadOnly, event.NeedsAsk, event.Dangerous, event.Critical}, c)
}

func strictest(a, b event.Class) event.Class {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Analyse says what a program would do in env. What it cannot follow, for
// whatever reason, has failed and asks.
func Analyse(command string, env Env) (out Analysis) {
	defer func() {
		if p := recover(); p != nil {
			out = failure(fmt.Sprintf("the command could not be followed: %v", p))
		}
	}()
	return analyse(command, env)
}

// failure is the analysis of what could not be parsed.
func failure(why string) Analysis {
	return Analysis{
		Failed: true, Why: why, Class: event.NeedsAsk,
		loose: []event.Effect{{Kind: event.Exec, Target: Unparsed, Class: event.NeedsAsk, Reason: why}},
	}
}

func analyse(command string, env Env) Analysis {
	env = env.clean()
	a := &analyser{
		env: env, table: &table{}, byKey: map[key]*found{}, files: map[fileKey]*parsed{}, fetched: map[string]bool{},
		written: map[*syntax.Redirect]bool{},
	}
	failed := ""
	switch {
	case len(command) > maxBytes:
		failed = "the command is too long"
	case strings.TrimSpace(command) == "":
		a.unclear(event.NeedsAsk, "the command is empty")
	default:
		failed = a.program(command)
	}
	if failed != "" {
		return failure(failed)
	}
	if why := hidden(command); why != "" {
		a.conceal(why)
	}
	return a.result()
}

// conceal makes every part of a command that hides text ask. Where none of the
// parts shows what is hidden, so that a rule may cover it, the whole does.
func (a *analyser) conceal(why string) {
	shown := false
	for _, f := range a.parts {
		f.raise(event.NeedsAsk, why)
		shown = shown || hidden(f.text) != ""
	}
	if !shown {
		a.unclear(event.NeedsAsk, why)
	}
}

// clean returns env with its paths cleaned; without a root it is where the
// program starts.
func (e Env) clean() Env {
	if e.Root == "" {
		e.Root = e.Cwd
	}
	e.Cwd, e.Root = filepath.Clean(e.Cwd), filepath.Clean(e.Root)
	if e.Home != "" {
		e.Home = filepath.Clean(e.Home)
	}
	e.Additional = slices.Clone(e.Additional)
	for i, dir := range e.Additional {
		e.Additional[i] = filepath.Clean(dir)
	}
	return e
}

// result puts together what was found.
func (a *analyser) result() Analysis {
	out := Analysis{Class: event.ReadOnly, loose: a.loose}
	slices.SortStableFunc(a.parts, func(x, y *found) int { return slices.Compare(x.at, y.at) })
	slices.SortStableFunc(a.writes, func(x, y redirection) int { return slices.Compare(x.at, y.at) })
	raise := func(class event.Class, why string) {
		if rank(class) > rank(out.Class) {
			out.Class, out.Why = class, why
		}
	}
	for _, e := range a.loose {
		raise(e.Class, e.Reason)
		if e.Kind == event.Write {
			raise(a.writing(e.Target))
		}
		if e.Kind == event.Read {
			raise(a.reading(e.Target))
		}
	}
	for _, f := range a.parts {
		p := a.finish(f)
		raise(p.Verdict, p.Reason)
		out.Parts = append(out.Parts, p)
	}
	for _, w := range a.writes {
		out.Writes = append(out.Writes, w.text)
		raise(event.NeedsAsk, "writes a file: "+w.text)
	}
	return out
}

// finish makes the part of what was found of a command.
func (a *analyser) finish(f *found) Part {
	p := Part{Text: f.text, Args: f.args, Class: f.class, Verdict: f.class, Reason: f.reason, sets: f.sets}
	p.Plain = f.plain && f.class == event.NeedsAsk
	p.Reads, p.Writes = sorted(f.reads), sorted(f.writes)
	for _, path := range p.Reads {
		if class, why := a.reading(path); rank(class) > rank(p.Verdict) {
			p.Verdict, p.Reason = class, why
		}
	}
	for _, path := range p.Writes {
		if class, why := a.writing(path); rank(class) > rank(p.Verdict) {
			p.Verdict, p.Reason = class, why
		}
	}
	p.Reason = scope{}.unmask(p.Reason)
	return p
}

func sorted(set map[string]bool) []string {
	var out []string
	for path := range set {
		out = append(out, path)
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

// reading is the class of reading a path, because of where it lies.
func (a *analyser) reading(path string) (event.Class, string) {
	switch {
	case a.env.Secrets != nil && a.env.Secrets(path):
		return event.NeedsAsk, "reads " + path + ", which may hold secrets"
	case !a.env.inside(path):
		return event.NeedsAsk, "reads " + path + ", which is outside the workspace"
	}
	return event.ReadOnly, ""
}

// writing is the class of writing a path, because of where it lies.
func (a *analyser) writing(path string) (event.Class, string) {
	switch {
	case a.env.Protected != nil && a.env.Protected(path):
		return event.Dangerous, "writes " + path + ", which is protected"
	case a.system(path):
		return event.Dangerous, "writes " + path + ", which belongs to the system"
	case !a.env.inside(path):
		return event.NeedsAsk, "writes " + path + ", which is outside the workspace"
	}
	return event.NeedsAsk, "writes " + path
}

// unclear notes something that no allow rule may cover.
func (a *analyser) unclear(class event.Class, why string) {
	e := event.Effect{Kind: event.Exec, Target: Unparsed, Class: class, Reason: why}
	if !slices.Contains(a.loose, e) {
		a.loose = append(a.loose, e)
	}
}
