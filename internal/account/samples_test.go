package account_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// sample is a text and how many tokens a real tokenizer makes of it.
type sample struct {
	name, text string
	tokens     int
}

func codec(t testing.TB, e tokenizer.Encoding) tokenizer.Codec {
	c, err := tokenizer.Get(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func count(codec tokenizer.Codec, text string) int {
	n, err := codec.Count(text)
	if err != nil {
		panic(err)
	}
	return n
}

// texts are the files that match, each of them cut to its first 12,000 bytes.
func texts(t testing.TB, patterns ...string) (all []sample) {
	t.Helper()
	o200k := codec(t, tokenizer.O200kBase)
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no samples (%v)", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ToValidUTF8(string(data[:min(len(data), 12_000)]), "")
			if len(text) > 600 {
				all = append(all, sample{filepath.Base(file), text, count(o200k, text)})
			}
		}
	}
	return all
}

// The vocabularies of the tokenizer are large; no program may hold them.
func TestTokenizerIsNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "internal/account\n") || strings.Contains(string(out), "tiktoken") {
		t.Errorf("the programs are made of\n%s", out)
	}
}

// heldOut are the samples that the weights were not fitted to.
func heldOut(name string) bool {
	for _, s := range []string{"-chat.txt", "-access.txt", "-package.txt", "-queue.txt", "-component.txt", "-yaml-shell.txt", ".md"} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// The error against a real tokenizer, for texts of each sort and for this
// project's own files.
func TestEstimateOfTexts(t *testing.T) {
	cl100k := codec(t, tokenizer.Cl100kBase)
	var fitted, held errorsOf
	for _, s := range texts(t, "testdata/texts/*.txt", "*.go", "../../agent/*.go", "../../llm/*.go", "../../*.md", "../../docs/*.md") {
		list := &fitted
		if heldOut(s.name) || strings.HasSuffix(s.name, ".go") {
			list = &held
		}
		e := list.add(t, s.name, account.Estimate(llm.Request{System: s.text}), s.tokens, 0)
		if strings.HasSuffix(s.name, ".txt") {
			older := count(cl100k, s.text)
			t.Logf("%-26s %5d tokens, error %+5.1f %% (cl100k %5d, %+5.1f %%)", s.name, s.tokens, 100*e, older, 100*(float64(account.Estimate(llm.Request{System: s.text}))/float64(older)-1))
		}
	}
	fitted.check(t, "fitted")
	held.check(t, "held out")
}

// errorsOf are relative errors.
type errorsOf []float64

// add notes the error of one estimate, and is it. One of fewer tokens than the
// slack is none.
func (e *errorsOf) add(t *testing.T, name string, estimate, real, slack int) float64 {
	t.Helper()
	err := float64(estimate-real) / float64(real)
	if estimate-real < slack && real-estimate < slack {
		err = 0
	}
	*e = append(*e, err)
	if math.Abs(err) > 0.25 {
		t.Errorf("%s: estimated at %d tokens, which are %d: %+.1f %%", name, estimate, real, 100*err)
	}
	return err
}

func (e errorsOf) median() float64 {
	abs := make([]float64, 0, len(e))
	for _, v := range e {
		abs = append(abs, math.Abs(v))
	}
	slices.Sort(abs)
	return abs[len(abs)/2]
}

func (e errorsOf) worst() float64 {
	return slices.MaxFunc(e, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
}

func (e errorsOf) check(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: %d estimates, median error %.1f %%, worst %+.1f %%", what, len(e), 100*e.median(), 100*e.worst())
	if e.median() > 0.10 {
		t.Errorf("%s: the median error is %.1f %%, want 10 %% at most", what, 100*e.median())
	}
}
