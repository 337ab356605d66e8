package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/process"
)

const (
	mostOutput = 1 << 20 // bytes of one stream that are read; the rest is drained
	usualTime  = 10 * time.Minute
	promptTime = 30 * time.Second
	endTime    = 1500 * time.Millisecond // for all hooks at the end of a session together
)

// exits with a meaning.
const (
	exitBlock   = 2
	exitRefused = 126 // as shells say "cannot be run"
	exitMissing = 127 // as shells say "no such program"
)

// outcome is what came of one hook.
type outcome struct {
	hook   Hook
	code   int
	stdout string
	stderr string
	fault  error // it could not be run, or not to its end
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	mu   sync.Mutex
	b    bytes.Buffer
	lost int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	take := min(len(p), mostOutput-b.b.Len())
	b.b.Write(p[:take])
	b.lost += len(p) - take
	return len(p), nil
}

func (b *bounded) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// all runs the hooks side by side, each that is there twice once, and gives
// what came of them in the order of the settings.
func (r *Runner) all(ctx context.Context, hooks []Hook, input map[string]any, limit time.Duration) []outcome {
	data, err := json.Marshal(input)
	if err != nil {
		return []outcome{{fault: err}}
	}
	hooks = distinct(hooks)
	out := make([]outcome, len(hooks))
	var wait sync.WaitGroup
	for i, h := range hooks {
		if h.Async {
			r.async.Add(1)
			go func() {
				defer r.async.Done()
				r.one(context.WithoutCancel(ctx), h, data, limit) // nobody waits for what it says
			}()
			continue
		}
		if h.Status != "" {
			r.tell(h.Status)
		}
		wait.Go(func() { out[i] = r.one(ctx, h, data, limit) })
	}
	wait.Wait()
	return slices.DeleteFunc(out, func(o outcome) bool { return o.hook.Type == "" && o.hook.Command == "" && o.fault == nil })
}

func distinct(hooks []Hook) (out []Hook) {
	seen := map[string]bool{}
	for _, h := range hooks {
		key := strings.Join(append([]string{h.Type, h.Command, h.URL, h.If}, h.Args...), "\x00")
		if !seen[key] {
			seen[key] = true
			out = append(out, h)
		}
	}
	return out
}

// one runs one hook.
func (r *Runner) one(ctx context.Context, h Hook, input []byte, limit time.Duration) (out outcome) {
	if h.Timeout > 0 {
		limit = h.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch h.Type {
	case "", "command":
		out = r.program(ctx, h, input)
	case "http":
		out = r.post(ctx, h, input)
	default:
		out.fault = fmt.Errorf("hooks of type %q are not supported", h.Type)
	}
	out.hook = h
	if out.fault != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.fault = fmt.Errorf("it took longer than %v and was ended", limit)
	}
	return out
}

// program runs a hook of type command.
func (r *Runner) program(ctx context.Context, h Hook, input []byte) (out outcome) {
	c, err := r.command(h)
	if err != nil {
		return outcome{fault: err}
	}
	var stdout, stderr bounded
	c.In, c.Err = bytes.NewReader(input), &stderr
	p, err := process.Start(c, &stdout)
	if err != nil {
		return outcome{fault: err}
	}
	select {
	case <-p.Exited():
		p.Drain(process.DrainTime, ctx.Done())
	case <-ctx.Done():
		p.End(process.StopGrace, nil)
		out.fault = ctx.Err()
	}
	if !process.Closed(p.Exited()) {
		p.End(process.StopGrace, nil)
	}
	p.Close()
	out.code = -1
	if process.Closed(p.Exited()) {
		out.code = p.Code()
	}
	out.stdout, out.stderr = stdout.String(), stderr.String()
	if out.fault == nil && (out.code == exitMissing || out.code == exitRefused) {
		out.fault = fmt.Errorf("it could not be run: %s", firstLine(out.stderr, "no such program"))
	}
	if out.fault == nil && out.code > 128 {
		out.fault = fmt.Errorf("it was ended by signal %d", out.code-128)
	}
	return out
}

func (r *Runner) command(h Hook) (process.Command, error) {
	s := r.Session()
	var env []string
	if r.Env != nil {
		env = r.Env()
	}
	env = append(slices.Clip(env), "CLAUDE_PROJECT_DIR="+s.Root, "MINICODE_PROJECT_DIR="+s.Root)
	if s.Effort != "" {
		env = append(env, "CLAUDE_EFFORT="+s.Effort)
	}
	r.mu.Lock()
	r.started++
	c := process.Command{Dir: s.Cwd, Env: env, Marker: fmt.Sprintf("%s%d", r.prefix(), r.started)}
	r.mu.Unlock()
	if h.Shell != "" && h.Shell != "bash" {
		return c, fmt.Errorf("the shell %q is not supported", h.Shell)
	}
	if _, err := os.Stat(c.Dir); err != nil {
		return c, err
	}
	if len(h.Args) > 0 {
		program := process.Look(h.Command, env, s.Cwd)
		if program == "" {
			return c, fmt.Errorf("it could not be run: no program %q", h.Command)
		}
		c.Argv = append([]string{program}, h.Args...)
		return c, nil
	}
	argv, err := process.Shell(env)
	c.Argv = append(argv, h.Command)
	return c, err
}

// prefix is what the markers of all processes of r begin with.
func (r *Runner) prefix() string { return fmt.Sprintf("%shook%p.", process.Owner(), r) }

// post runs a hook of type http.
func (r *Runner) post(ctx context.Context, h Hook, input []byte) outcome {
	if r.Client == nil {
		return outcome{fault: errors.New("hooks of type http are not supported here")}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(input))
	if err != nil {
		return outcome{fault: err}
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		req.Header.Set(name, value)
	}
	res, err := r.Client.Do(req)
	if err != nil {
		return outcome{fault: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostOutput))
	if err != nil {
		return outcome{fault: err}
	}
	if res.StatusCode/100 != 2 {
		return outcome{fault: fmt.Errorf("it answered %s", res.Status)}
	}
	return outcome{stdout: string(body)}
}

// Close ends what hooks have left running.
func (r *Runner) Close() {
	process.EndMarked(r.prefix())
	r.async.Wait()
}

func firstLine(text, otherwise string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return otherwise
}
