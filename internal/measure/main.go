package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// figure is one row of the table.
type figure struct {
	name    string
	unit    string
	budget  float64 // 0: it has none
	samples []float64
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "launch" {
		launch(os.Args[2:])
		return
	}
	n := flag.Int("n", 30, "how often the program is started for each figure")
	only := flag.String("only", "", "a regular expression; only the figures whose names match are taken")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err == nil {
		err = run(context.Background(), *n, wanted, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// run takes the figures and prints each as soon as it is there.
func run(ctx context.Context, n int, wanted *regexp.Regexp, out io.Writer) error {
	dir, err := os.MkdirTemp("", "measure")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it lies in the temporary directory
	binary := filepath.Join(dir, "minicode")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./cmd/minicode")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the program cannot be built: %w\n%s", err, text)
	}
	fmt.Fprintf(out, row, "", "budget", "best", "median", "")
	take := func(name string, get func() ([]figure, error)) error {
		if !wanted.MatchString(name) {
			return nil
		}
		figures, err := get()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range figures {
			fmt.Fprint(out, f)
		}
		return nil
	}
	for _, s := range scenarios() {
		if err := take(s.name, func() ([]figure, error) { return s.measure(ctx, dir, binary, n) }); err != nil {
			return err
		}
	}
	for _, b := range benchmarks() {
		if err := take(b.name, func() ([]figure, error) { return b.measure(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// row is name, budget, best, median, verdict.
const row = "%-48s %12s %12s %12s  %s\n"

// String is the figure's row.
func (f figure) String() string {
	slices.Sort(f.samples)
	best, median := f.samples[0], f.samples[len(f.samples)/2]
	budget, verdict := "", ""
	if f.budget > 0 {
		budget, verdict = "< "+amount(f.budget)+" "+f.unit, "ok"
		if best >= f.budget {
			verdict = "OVER"
		}
	}
	return fmt.Sprintf(row, f.name, budget, amount(best)+" "+f.unit, amount(median)+" "+f.unit, verdict)
}

func amount(v float64) string {
	switch {
	case v == float64(int64(v)) || v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
