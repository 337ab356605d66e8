package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/headless"
	"github.com/minicode-go/minicode/internal/nearest"
	"github.com/minicode-go/minicode/internal/permission"
)

// flags is what the command line says.
type flags struct {
	print, resumeLatest, fork, skipPermissions, partial, bare, noPersistence, verbose, line bool

	model, provider, mode, effort, resume, sessionID string
	outputFormat, inputFormat, system, append        string
	timeout                                          string
	allowed, disallowed, tools, addDirs, settings    []string
	maxTurns                                         int
	maxBudget                                        float64
}

// later are the flags whose part is not built yet.
func later() []string {
	return []string{"fallback-model", "json-schema", "mcp-config", "strict-mcp-config", "debug-file"}
}

func (f *flags) register(s *pflag.FlagSet) {
	s.SortFlags = false
	s.BoolVarP(&f.print, "print", "p", false, "answer one prompt, print the answer, exit")
	s.StringVar(&f.model, "model", "", "the model, as provider/model or a name from the catalogue")
	s.StringVar(&f.provider, "provider", "", "the provider of the model")
	s.StringVar(&f.effort, "effort", "", "how hard the model thinks: low, medium or high")
	s.StringVar(&f.mode, "permission-mode", "", "plan, read-only, default, accept-edits, auto, dont-ask or full-access")
	s.BoolVar(&f.skipPermissions, "dangerously-skip-permissions", false, "the same as --permission-mode full-access")
	s.StringArrayVar(&f.allowed, "allowed-tools", nil, "rules for what needs no approval, such as 'run_command(go test:*)'")
	s.StringArrayVar(&f.disallowed, "disallowed-tools", nil, "rules for what is never done")
	s.StringArrayVar(&f.tools, "tools", nil, "the only tools that the model is given")
	s.StringArrayVar(&f.addDirs, "add-dir", nil, "another directory that belongs to the workspace")
	s.BoolVarP(&f.resumeLatest, "continue", "c", false, "go on with the newest session of this directory")
	s.StringVarP(&f.resume, "resume", "r", "", "go on with a session: its id, the beginning of it, or its title")
	s.BoolVar(&f.fork, "fork-session", false, "with --continue or --resume: go on in a copy")
	s.StringVar(&f.sessionID, "session-id", "", "the id (a UUID) of the new session")
	s.BoolVar(&f.noPersistence, "no-session-persistence", false, "keep the session in memory only")
	s.IntVar(&f.maxTurns, "max-turns", 0, "steps that one turn may have (default 200)")
	s.Float64Var(&f.maxBudget, "max-budget-usd", 0, "US dollars that the run may cost")
	s.StringVar(&f.timeout, "timeout", "", "how long the run may take, such as 90s or 10m")
	s.StringVar(&f.outputFormat, "output-format", headless.Text, "with --print: text, json or events")
	s.StringVar(&f.inputFormat, "input-format", "text", "with --print: text")
	s.BoolVar(&f.partial, "include-partial-messages", false, "with --output-format events: the answer as it comes, too")
	s.StringVar(&f.system, "system-prompt", "", "in the place of the built-in system prompt")
	s.StringVar(&f.append, "append-system-prompt", "", "after the system prompt")
	s.StringArrayVar(&f.settings, "settings", nil, "another settings file, or JSON")
	s.BoolVar(&f.bare, "bare", false, "read no instruction files")
	s.BoolVar(&f.line, "line", false, "talk line by line, without drawing on the terminal")
	s.BoolVar(&f.verbose, "verbose", false, "tell more on standard error")
	for _, name := range later() {
		s.String(name, "", "not built yet")
		s.Lookup(name).NoOptDefVal = "true"
		s.Lookup(name).Hidden = true
	}
}

// check refuses what is not built or does not go together.
func (f *flags) check(s *pflag.FlagSet) error {
	for _, name := range later() {
		if s.Changed(name) {
			return usagef("--%s is not built yet", name)
		}
	}
	switch f.outputFormat {
	case headless.Text, headless.JSON, headless.Events:
	case "stream-json":
		return usagef("--output-format stream-json is not built yet; events gives one line for each event")
	default:
		return usagef("--output-format %q is not known: it is text, json or events", f.outputFormat)
	}
	switch f.inputFormat {
	case "text":
	case "stream-json":
		return usagef("--input-format stream-json is not built yet")
	default:
		return usagef("--input-format %q is not known: it is text", f.inputFormat)
	}
	switch {
	case f.partial && f.outputFormat != headless.Events:
		return usagef("--include-partial-messages goes with --output-format events")
	case f.resumeLatest && s.Changed("resume"):
		return usagef("--continue and --resume exclude each other")
	case f.fork && !f.resumeLatest && !s.Changed("resume"):
		return usagef("--fork-session goes with --continue or --resume")
	case s.Changed("resume") && f.resume == "" && f.print:
		return usagef("--resume needs the id or title of a session when it goes with --print")
	case f.sessionID != "" && (f.resumeLatest || s.Changed("resume")) && !f.fork:
		return usagef("--session-id names a new session; with --continue or --resume it needs --fork-session")
	case f.maxTurns < 0:
		return usagef("--max-turns must not be negative")
	case !(f.maxBudget >= 0): // NaN, too
		return usagef("--max-budget-usd must be a number that is not negative")
	}
	if f.sessionID != "" {
		if _, err := uuid.Parse(f.sessionID); err != nil {
			return usagef("--session-id must be a UUID")
		}
	}
	return nil
}

// options is the conversation that the flags ask for.
func (f *flags) options() (app.Options, error) {
	o, err := surroundings()
	if err != nil {
		return o, err
	}
	o.Continue, o.Resume, o.Fork, o.SessionID, o.NotOnDisk = f.resumeLatest, f.resume, f.fork, f.sessionID, f.noPersistence
	o.SystemText, o.AppendText, o.Provider, o.Bare = f.system, f.append, f.provider, f.bare
	o.SettingsFiles, o.MaxSteps, o.MaxBudgetUSD = f.settings, f.maxTurns, f.maxBudget
	if f.timeout != "" {
		if o.Timeout, err = duration(f.timeout); err != nil {
			return o, err
		}
	}
	for _, dir := range f.addDirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return o, usagef("--add-dir %s: %w", dir, err)
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return o, usagef("--add-dir %s: there is no such directory", dir)
		}
		o.AddDirs = append(o.AddDirs, abs)
	}
	if f.tools != nil {
		o.OnlyTools = append([]string{}, permission.Split(f.tools...)...)
	}
	set := func(name, key string, value any) {
		o.Flags = append(o.Flags, config.Flag{Name: name, Key: key, Value: value})
	}
	for _, pair := range [][3]string{{"--model", "model", f.model}, {"--effort", "effort", f.effort}, {"--permission-mode", "mode", f.mode}} {
		if pair[2] != "" {
			set(pair[0], pair[1], pair[2])
		}
	}
	if f.skipPermissions {
		if f.mode != "" && f.mode != "full-access" && f.mode != "bypassPermissions" {
			return o, usagef("--dangerously-skip-permissions and --permission-mode %s exclude each other", f.mode)
		}
		set("--dangerously-skip-permissions", "mode", "full-access")
	}
	if rules := permission.Split(f.allowed...); len(rules) > 0 {
		set("--allowed-tools", "permissions.allow", rules)
	}
	if rules := permission.Split(f.disallowed...); len(rules) > 0 {
		set("--disallowed-tools", "permissions.deny", rules)
	}
	return o, nil
}

// duration reads "90s", "10m", or a bare number of seconds.
func duration(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 {
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, usagef("--timeout %q is not a duration such as 90s or 10m", text)
	}
	return d, nil
}

// joinOptional joins a flag whose value may be left out with the value that
// follows it.
func joinOptional(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == "--resume" || args[i] == "-r" {
			value := ""
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
				value = args[i]
			}
			out = append(out, "--resume="+value)
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// structured says whether the output is to be read by a program. It looks at
// the arguments themselves, as one that cannot be understood hides those after
// it.
func structured(args []string) bool {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, joined := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if name == arg || kebab(nil, name) != "output-format" {
			continue
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		return value == headless.JSON || value == headless.Events
	}
	return false
}

// kebab accepts the camelCase spellings of Claude Code.
func kebab(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return pflag.NormalizedName(b.String())
}

// suggest names the flag that an unknown one is nearest to.
func suggest(cmd *cobra.Command, err error) error {
	_, name, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return &usageError{err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest.Close(name, names); near != "" {
		return usagef("unknown flag --%s; did you mean --%s?", name, near)
	}
	return usagef("unknown flag --%s; see %s --help", name, cmd.CommandPath())
}
