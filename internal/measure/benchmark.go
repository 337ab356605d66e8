package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// benchmark is a benchmark of a package, whose output becomes figures.
type benchmark struct {
	name    string // also what -only looks at
	in      string // the package
	run     string // the pattern for go test -bench
	args    []string
	figures []reading
}

// reading is one number in a benchmark's output.
type reading struct {
	benchmark string // its name, or the end of it
	metric    string // its unit in the output
	median    string // the unit of the median, where the benchmark tells it itself
	figure    figure // without samples
	per       float64
}

func benchmarks() []benchmark {
	step := func(wire, at string, budget float64) reading {
		return reading{"Step/" + wire, at + "-best-µs", at + "-median-µs", figure{name: "own time of step " + at + ", " + wire, unit: "ms", budget: budget}, 1e3}
	}
	body := func(pkg string) benchmark {
		return benchmark{name: "encoding", in: "./llm/" + pkg, run: "^BenchmarkBody$", args: []string{"-count=10", "-benchtime=50x"}, figures: []reading{
			{"Body/next", "ns/op", "", figure{name: "request of step 500, 1.6 MB, " + pkg, unit: "ms", budget: 2}, 1e6},
			{"Body/first", "ns/op", "", figure{name: "the same from nothing, as after a resume", unit: "ms", budget: 10}, 1e6},
		}}
	}
	decide := func(what, name string) reading {
		return reading{"Decide/" + what, "ns/op", "", figure{name: "nothing to compact in 5,000, " + name, unit: "ms", budget: 2}, 1e6}
	}
	return []benchmark{
		{name: "step", in: "./internal/app", run: "^BenchmarkStep$", args: []string{"-benchtime=10x"}, figures: []reading{
			step("anthropic", "1", 2), step("anthropic", "500", 3), step("openai", "1", 2), step("openai", "500", 3),
		}},
		{name: "session", in: "./internal/session", run: "^Benchmark(Append|Fold|FoldAppend)$", args: []string{"-count=10", "-benchtime=0.2s"}, figures: []reading{
			{"BenchmarkAppend", "ns/op", "", figure{name: "append of a fact of 4 kB", unit: "µs", budget: 200}, 1e3},
			{"Fold", "ns/op", "", figure{name: "fold of 10,000 facts", unit: "ms", budget: 100}, 1e6},
			{"FoldAppend", "ns/op", "", figure{name: "fold of one more, 10,000 messages in view", unit: "µs", budget: 50}, 1e3},
		}},
		{name: "compaction", in: "./internal/app", run: "^BenchmarkDecide$", args: []string{"-count=10", "-benchtime=0.1s"}, figures: []reading{
			decide("below-every-line", "0.30"), decide("nothing-to-clear", "0.60"), decide("too-little-to-clear", "little to clear"),
			decide("nothing-to-snip", "0.72"), decide("snip-rests-and-nothing-to-collapse", "0.80"),
		}},
		body("anthropic"),
		body("openai"),
	}
}

func (b benchmark) measure(ctx context.Context) ([]figure, error) {
	args := append([]string{"test", "-run=^$", "-bench=" + b.run}, b.args...)
	cmd := exec.CommandContext(ctx, "go", append(args, b.in)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
	var figures []figure
	for _, r := range b.figures {
		f := r.figure
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 4 || !strings.HasSuffix(strings.TrimRight(fields[0], "-0123456789"), r.benchmark) {
				continue
			}
			for i := 2; i+1 < len(fields); i += 2 {
				if fields[i+1] != r.metric && fields[i+1] != r.median {
					continue
				}
				value, err := strconv.ParseFloat(fields[i], 64)
				if err != nil {
					return nil, err
				}
				f.samples = append(f.samples, value/r.per)
			}
		}
		if len(f.samples) == 0 {
			return nil, fmt.Errorf("no %s of %s in\n%s", r.metric, r.benchmark, out)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
