package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/headless"
	"github.com/minicode-go/minicode/internal/line"
	"github.com/minicode-go/minicode/internal/tui"
)

// version is what --version prints. A release changes it here.
const version = "0.1.0-dev"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// usageError is a mistake of the person who started the program; it ends with
// code 2.
type usageError struct{ err error }

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// exitError carries an exit code out of a command that has said everything
// already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// run is main with its edges passed in.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	hideMemory()
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(joinOptional(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	code := 2
	var by *app.Interrupt
	if errors.As(err, &by) {
		code = by.Exit
	}
	if structured(args) {
		headless.Fail(stdout, err, code)
	}
	fmt.Fprintf(stderr, "minicode: %s\n", strings.TrimPrefix(err.Error(), "minicode: "))
	return code
}

// newRoot is the command tree. Nothing in it is opened before a command runs.
func newRoot(stdin *os.File, stdout, stderr io.Writer) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "minicode [flags] [prompt]",
		Short:         "A coding agent for the terminal",
		Long:          "MiniCode works on your repository with a language model: it reads, edits and runs, and asks before it does what it may not.\nWithout -p it talks with you; with -p it answers one prompt and exits.",
		Version:       version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			if cmd.Flags().Changed("resume") && f.resume == "" && len(args) == 0 {
				args = []string{"/resume"} // which lists what could be resumed
			}
			return start(cmd.Context(), &f, strings.Join(args, " "), stdin, stdout, stderr)
		},
	}
	root.SetVersionTemplate("minicode {{.Version}}\n")
	f.register(root.Flags())
	root.Flags().SetNormalizeFunc(kebab)
	completeFlags(root)
	root.SetFlagErrorFunc(suggest)
	root.AddCommand(demoCommand(stdin, stdout), permissionsCommand(stdout), sessionsCommand(stdout), configCommand(stdout), versionCommand(stdout),
		trustCommand(stdout), mcpCommand(stdout, stderr), skillsCommand(stdout), doctorCommand(stdout))
	for _, name := range []string{"models"} {
		root.AddCommand(notYet(name))
	}
	return root
}

func notYet(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return usagef("%s is not built yet", name) },
	}
}

// start opens the conversation and hands it to a front end.
func start(ctx context.Context, f *flags, prompt string, stdin *os.File, stdout, stderr io.Writer) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if f.print {
		return startPrint(ctx, f, o, prompt, stdin, stdout, stderr)
	}
	if f.outputFormat != headless.Text {
		return usagef("--output-format %s goes with --print", f.outputFormat)
	}
	out, isFile := stdout.(*os.File)
	onTerminal := isFile && term.IsTerminal(int(stdin.Fd())) && term.IsTerminal(int(out.Fd()))
	var loaded config.Loaded
	if onTerminal {
		if loaded, err = app.LoadSettings(o); err != nil {
			return &usageError{err}
		}
		askTrust(o, loaded, stdin, out) // before signals are caught: Ctrl+C leaves
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // as in startPrint
	if onTerminal && !f.line && drawable(stdin, out, o.Environ) && !loaded.Config.Terminal.ScreenReader {
		return startDrawn(ctx, o, loaded.Config.Terminal, prompt, stdin, out, signals)
	}
	l := line.New(line.Options{
		In: stdin, Out: stdout, Signals: signals, Terminal: term.IsTerminal(int(stdin.Fd())),
		Color: isFile && term.IsTerminal(int(out.Fd())) && colors(o.Environ),
	})
	o.Asker = l
	conv, err := app.Open(ctx, o)
	if err != nil {
		return &usageError{err}
	}
	return exitError(l.Run(ctx, conv, prompt))
}

// drawable says whether there is a terminal that can be drawn on.
func drawable(in, out *os.File, environ []string) bool {
	return term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && !slices.Contains(environ, "TERM=dumb")
}

// startDrawn talks in the full terminal program.
func startDrawn(ctx context.Context, o app.Options, terminal config.Terminal, prompt string, in, out *os.File, signals <-chan os.Signal) error {
	t := tui.New(tui.Options{In: in, Out: out, Environ: o.Environ, Signals: signals, Theme: terminal.Theme, Keys: terminal.Keys, Notify: terminal.Notify, Walk: builtin.Walk})
	o.Asker = t
	conv, err := app.Open(ctx, o)
	if err != nil {
		return &usageError{err}
	}
	return exitError(t.Run(ctx, conv, prompt))
}

// startPrint runs one prompt and ends.
func startPrint(ctx context.Context, f *flags, o app.Options, prompt string, stdin *os.File, stdout, stderr io.Writer) error {
	// A reader that goes away is an error of the write, not the end of us:
	// what was started must be ended first. The signal is caught rather than
	// ignored, as what is ignored stays so in the commands that we run.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := interruptible(ctx)
	defer stop()
	piped, err := readStdin(ctx, stdin, prompt != "", stderr)
	if err != nil {
		return &usageError{err}
	}
	if prompt = strings.TrimSpace(strings.TrimSpace(prompt) + "\n\n" + piped); prompt == "" {
		return usagef("there is no prompt: give it after -p or on standard input")
	}
	conv, err := app.Open(ctx, o)
	if err != nil {
		return &usageError{err}
	}
	if late := conv.Extensions().Ready(ctx); len(late) > 0 {
		fmt.Fprintf(stderr, "warning: these MCP servers are slow, and the first prompt goes without their tools: %s\n", strings.Join(late, ", "))
	}
	for _, w := range conv.Warnings() {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	exit := headless.Run(ctx, conv, prompt, headless.Options{
		Format: f.outputFormat, Partial: f.partial, Verbose: f.verbose, Out: stdout, Err: stderr,
	})
	if err := conv.Close(); err != nil { //nolint:contextcheck // what runs must be ended although ctx may be over
		fmt.Fprintf(stderr, "minicode: the session could not be closed: %v\n", err)
	}
	return exitError(exit)
}

// patience is how long after a signal others count as the same one: the keys of
// a terminal and a program between it and us may both send it.
const patience = time.Second

// interruptible ends the context by the first signal; a second one ends the
// program, where it did not end by itself.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		exit, since := 0, time.Time{}
		for s := range signals {
			switch {
			case exit != 0 && time.Since(since) < patience:
				continue
			case exit != 0:
				os.Exit(exit)
			}
			by := &app.Interrupt{Signal: "SIGINT", Exit: 130}
			switch s {
			case syscall.SIGTERM:
				by = &app.Interrupt{Signal: "SIGTERM", Exit: 143}
			case syscall.SIGHUP:
				by = &app.Interrupt{Signal: "SIGHUP", Exit: 129}
			}
			exit, since = by.Exit, time.Now()
			// A reader of our output that takes nothing must not keep us.
			time.AfterFunc(longestEnd, func() { os.Exit(by.Exit) })
			cancel(by)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// longestEnd is how long an interrupted run may take to end by itself.
const longestEnd = 10 * time.Second

// quietStdin is how long a pipe that says nothing is waited for when there is
// a prompt already.
const quietStdin = 3 * time.Second

// maxStdin bounds what is read from a pipe, in bytes.
const maxStdin = 64 << 20

// readStdin reads what was piped in. A pipe on which nothing comes does not
// hold up a prompt that is complete without it.
func readStdin(ctx context.Context, stdin *os.File, optional bool, stderr io.Writer) (string, error) {
	info, err := stdin.Stat()
	if err != nil || term.IsTerminal(int(stdin.Fd())) {
		return "", nil //nolint:nilerr // a closed standard input is an empty one
	}
	type outcome struct {
		data []byte
		err  error
	}
	began := make(chan struct{})
	all := make(chan outcome, 1)
	go func() {
		first := make([]byte, 1)
		n, err := io.ReadFull(stdin, first)
		close(began)
		if err != nil {
			all <- outcome{first[:n], nil}
			return
		}
		rest, err := io.ReadAll(io.LimitReader(stdin, maxStdin))
		all <- outcome{append(first, rest...), err}
	}()
	if optional && !info.Mode().IsRegular() {
		select {
		case <-began:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(quietStdin):
			fmt.Fprintln(stderr, "warning: nothing came on standard input; going on with the prompt alone")
			return "", nil
		}
	}
	var got outcome
	select {
	case got = <-all:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if len(got.data) > maxStdin {
		return "", fmt.Errorf("standard input is larger than %d MiB", maxStdin>>20)
	}
	return string(got.data), got.err
}

func colors(environ []string) bool {
	for _, pair := range environ {
		if pair == "TERM=dumb" || strings.HasPrefix(pair, "NO_COLOR=") && pair != "NO_COLOR=" {
			return false
		}
	}
	return true
}

// surroundings is the part of the options that comes from the process.
func surroundings() (app.Options, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return app.Options{}, usagef("the working directory cannot be found: %w", err)
	}
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return app.Options{}, usagef("the home directory cannot be found; set HOME: %w", err)
	}
	return app.Options{
		Cwd: cwd, Home: home, Environ: os.Environ(), Now: time.Now,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}, nil
}
