package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creack/pty"

	"github.com/minicode-go/minicode/llm/llmtest"
)

// scenario is a way to run the program, and what is taken of it.
type scenario struct {
	name    string
	measure func(ctx context.Context, dir, binary string, n int) ([]figure, error)
}

const (
	kB = 1000
	mB = 1000 * kB
)

func scenarios() []scenario {
	return []scenario{
		{"binary", binarySize},
		{"first request", firstRequest},
		{"--version", func(ctx context.Context, dir, binary string, n int) ([]figure, error) {
			return repeat(ctx, newPlace(dir, nil), n, "--version", 20, 0, binary, "--version")
		}},
		{"--help", func(ctx context.Context, dir, binary string, n int) ([]figure, error) {
			return repeat(ctx, newPlace(dir, nil), n, "--help", 20, 0, binary, "--help")
		}},
		{"-p hi", sayHi},
		{"interactive", interactive},
		{"stream", stream},
		{"command output", commandOutput},
		{"resume", resume},
		{"terminal start", terminalStart},
		{"terminal stream", terminalStream},
		{"terminal rest", terminalRest},
		{"terminal resume", terminalResume},
		{"terminal interrupt", terminalInterrupt},
	}
}

// place is a home, a project and a server that a program is run with.
type place struct {
	home, project string
	env           []string
	server        *llmtest.Server // nil: nothing listens where the model should be
}

// newPlace makes the place for a script; without answers nothing listens.
func newPlace(dir string, answers []llmtest.Answer) *place {
	p := &place{home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	url := "http://127.0.0.1:1"
	if answers != nil {
		p.server = llmtest.NewServer(llmtest.New(nil, answers...))
		url = p.server.BaseURL(llmtest.Anthropic)
	}
	p.env = []string{
		"HOME=" + p.home, "USERPROFILE=" + p.home, "MINICODE_HOME=" + filepath.Join(p.home, "minicode"), "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TERM=xterm",
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=key", "MINICODE_MODEL=anthropic/claude-sonnet-4-5",
	}
	return p
}

// fresh removes what the last run left.
func (p *place) fresh(ctx context.Context) error {
	for _, d := range []string{p.home, p.project} {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	git := exec.CommandContext(ctx, "git", "init", "-q", p.project)
	git.Env = p.env
	if out, err := git.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w\n%s", err, out)
	}
	return nil
}

func (p *place) close() {
	if p.server != nil {
		p.server.Close()
	}
}

func repeat(ctx context.Context, p *place, n int, name string, wall, rss float64, command ...string) ([]figure, error) {
	defer p.close()
	elapsed := figure{name: name + ", start to exit", unit: "ms", budget: wall}
	memory := figure{name: name + ", peak memory", unit: "MB", budget: rss}
	for range n {
		if err := p.fresh(ctx); err != nil {
			return nil, err
		}
		u, err := runOnce(ctx, p.project, p.env, command...)
		if err != nil {
			return nil, err
		}
		elapsed.samples = append(elapsed.samples, ms(u.Wall))
		memory.samples = append(memory.samples, float64(u.RSS)/mB)
	}
	if rss == 0 || memory.samples[0] == 0 {
		return []figure{elapsed}, nil
	}
	return []figure{elapsed, memory}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func binarySize(_ context.Context, _, binary string, _ int) ([]figure, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	return []figure{{name: "binary", unit: "MB", budget: 30, samples: []float64{float64(info.Size()) / mB}}}, nil
}

func hi() []llmtest.Answer {
	return []llmtest.Answer{llmtest.Join(llmtest.Say("hi"), llmtest.Repeat(llmtest.Forever))}
}

func firstRequest(ctx context.Context, dir, binary string, _ int) ([]figure, error) {
	p := newPlace(dir, hi())
	defer p.close()
	if err := p.fresh(ctx); err != nil {
		return nil, err
	}
	if _, err := runOnce(ctx, p.project, p.env, binary, "-p", "hi"); err != nil {
		return nil, err
	}
	size := float64(len(p.server.Requests()[0].Body)) / kB
	return []figure{{name: "first request", unit: "kB", budget: 12, samples: []float64{size}}}, nil
}

func sayHi(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	return repeat(ctx, newPlace(dir, hi()), n, "-p hi in a git repository", 60, 40, binary, "-p", "hi")
}

func interactive(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	p := newPlace(dir, nil)
	f := figure{name: "first prompt in line mode, network dead", unit: "ms", budget: 80}
	for range n {
		if err := p.fresh(ctx); err != nil {
			return nil, err
		}
		took, err := untilShown(ctx, p.project, p.env, "\n> ", binary, "--line")
		if errors.Is(err, pty.ErrUnsupported) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		f.samples = append(f.samples, ms(took))
	}
	return []figure{f}, nil
}

// stream is an answer of 200 kB in deltas of 20 bytes.
func stream(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	text := strings.Repeat("Twenty bytes a delta\n", 200*kB/21)
	p := newPlace(dir, []llmtest.Answer{llmtest.Join(llmtest.Say(text), llmtest.Pieces(20), llmtest.Repeat(llmtest.Forever))})
	defer p.close()
	f := figure{name: "200 kB answer in 20-byte deltas, CPU", unit: "ms", budget: 150}
	for range max(1, n/3) {
		if err := p.fresh(ctx); err != nil {
			return nil, err
		}
		u, err := runOnce(ctx, p.project, p.env, binary, "-p", "hi")
		if err != nil {
			return nil, err
		}
		f.samples = append(f.samples, ms(u.CPU))
	}
	return []figure{f}, nil
}

// commandOutput is how much more memory a command takes for writing 20 MB.
func commandOutput(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	little, err := peaks(ctx, dir, binary, max(1, n/6), "echo hi")
	if err != nil {
		return nil, err
	}
	much, err := peaks(ctx, dir, binary, max(1, n/6), "yes 'a line of some output of a build that says much' | head -c 20000000")
	if err != nil {
		return nil, err
	}
	for i := range much {
		much[i] = max(0, much[i]-slices.Min(little))
	}
	return []figure{{name: "20 MB of command output, growth of peak memory", unit: "MB", budget: 30, samples: much}}, nil
}

// peaks is the memory that runs with the command took at most.
func peaks(ctx context.Context, dir, binary string, n int, command string) (all []float64, err error) {
	for range n {
		p := newPlace(dir, []llmtest.Answer{llmtest.Call("run_command", fmt.Sprintf(`{"command":%q}`, command)), llmtest.Say("done")})
		if err = p.fresh(ctx); err == nil {
			var u usage
			u, err = runOnce(ctx, p.project, p.env, binary, "-p", "go", "--permission-mode", "full-access")
			all = append(all, float64(u.RSS)/mB)
		}
		p.close()
		if err = errors.Join(err, p.server.Verify()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// resume goes on with a session of 50 MB.
func resume(ctx context.Context, dir, binary string, n int) ([]figure, error) {
	p := newPlace(dir, hi())
	defer p.close()
	if err := p.fresh(ctx); err != nil {
		return nil, err
	}
	if _, err := runOnce(ctx, p.project, p.env, binary, "-p", "hi"); err != nil {
		return nil, err
	}
	small, err := filepath.Glob(filepath.Join(p.home, "minicode", "projects", "*", "*.jsonl"))
	if err != nil || len(small) != 1 {
		return nil, fmt.Errorf("%d session files: %w", len(small), err)
	}
	large := filepath.Join(dir, "large.jsonl")
	if err := writeSession(large, 50*mB); err != nil {
		return nil, err
	}
	elapsed := figure{name: "-p hi --continue, 50 MB session", unit: "ms", budget: 1000}
	memory := figure{name: "the same, peak memory", unit: "MB", budget: 150}
	for range max(1, n/6) {
		if err := copyFile(small[0], large); err != nil {
			return nil, err
		}
		u, err := runOnce(ctx, p.project, p.env, binary, "-p", "hi", "--continue")
		if err != nil {
			return nil, err
		}
		elapsed.samples = append(elapsed.samples, ms(u.Wall))
		memory.samples = append(memory.samples, float64(u.RSS)/mB)
	}
	return []figure{elapsed, memory}, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}
