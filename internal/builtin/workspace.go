package builtin

import (
	"time"

	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/llm"
)

// Workspace is what the tools work on and with. Its fields are set once,
// before [Tools] is called, and not changed while a tool runs; the functions
// in it must be safe for concurrent use. Root, Cwd and Home are required; a
// nil function stands for "none" or "no".
type Workspace struct {
	Root string // absolute path of the workspace: the directory that was trusted
	Cwd  string // absolute; relative paths are relative to it
	Home string // absolute; what "~/" stands for

	// SessionDir is the directory of the session's own files (spilled output,
	// tasks, images), or "" where nothing may be written to disk.
	SessionDir func() string
	// Stamps is what the model knows of files, by path as in
	// [llm.FileRead].Path.
	Stamps func() map[string]llm.FileRead
	Now    func() time.Time // for listings and tasks; never goes into a result
	Env    func() []string  // the environment of commands, provider keys taken out

	// Analyse says what a command would do when it is run in cwd.
	Analyse func(command, cwd string) shell.Analysis

	// Withheld says of a file, by its absolute path, that reading it would
	// need an approval: searches leave it out and say so.
	Withheld func(path string) bool

	Limits   Limits
	Tasks    *Tasks      // background commands; required for run_command
	Plan     func() bool // whether the mode is plan: propose_plan is offered then only
	ImagesOK func() bool // whether the model takes images

	// RgPath is the absolute path of ripgrep. When it is empty the searcher
	// of this package does the work, with the same answers.
	RgPath string
}

// Limits bounds what tools give back. Zero fields have the stated defaults.
type Limits struct {
	ResultChars       int           // characters of one result: 50,000
	CommandTimeout    time.Duration // of a command that names none: 2 minutes
	CommandMaxTimeout time.Duration // the longest that a command may name: 10 minutes
	SpillBytes        int64         // of a command's output file: 64 MiB
}

// withDefaults is l with its zero fields set.
func (l Limits) withDefaults() Limits {
	if l.ResultChars <= 0 {
		l.ResultChars = 50_000
	}
	if l.CommandTimeout <= 0 {
		l.CommandTimeout = 2 * time.Minute
	}
	if l.CommandMaxTimeout <= 0 {
		l.CommandMaxTimeout = 10 * time.Minute
	}
	if l.SpillBytes <= 0 {
		l.SpillBytes = 64 << 20
	}
	return l
}

// pageChars is how much a tool that pages by itself gives at once: nine
// tenths of a result, so that no page is ever persisted.
func (w *Workspace) pageChars() int { return w.Limits.withDefaults().ResultChars * 9 / 10 }

func (w *Workspace) stamps() map[string]llm.FileRead {
	if w.Stamps == nil {
		return nil
	}
	return w.Stamps()
}

func (w *Workspace) imagesOK() bool { return w.ImagesOK != nil && w.ImagesOK() }

func (w *Workspace) withheld(path string) bool { return w.Withheld != nil && w.Withheld(path) }

func (w *Workspace) planning() bool { return w.Plan != nil && w.Plan() }
