package headless_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/headless"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// run sends a prompt to a new conversation and gives both outputs.
func run(t *testing.T, prompt string, answers ...llmtest.Answer) (out, err string) {
	t.Helper()
	home := t.TempDir()
	conv, openErr := app.Open(t.Context(), app.Options{
		Cwd: t.TempDir(), Home: home, Environ: []string{"HOME=" + home}, Now: time.Now, Bare: true,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Model: llmtest.New(t, answers...),
		Flags: []config.Flag{{Name: "test", Key: "mode", Value: "full-access"}},
	})
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer conv.Close()
	var o, e bytes.Buffer
	headless.Run(t.Context(), conv, prompt, headless.Options{Format: headless.Text, Verbose: true, Out: &o, Err: &e})
	return o.String(), e.String()
}

// TestHarmless: what is told on stderr and by commands cannot act on a
// terminal; the answer itself is given as it is.
func TestHarmless(t *testing.T) {
	const evil = "\x1b]0;pwn\x07\u009b2J"
	out, told := run(t, "hi", llmtest.Join(llmtest.Say("I look "+evil), llmtest.Call("no_such", `{"a":"`+"\\u001b[2J"+`"}`)), llmtest.Say("Done "+evil))
	if out != "Done "+evil+"\n" {
		t.Errorf("%q", out)
	}
	for _, want := range []string{"I look ]0;pwn2J\n", "no_such"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in %q", want, told)
		}
	}
	if strings.ContainsFunc(told, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
		t.Errorf("%q", told)
	}
}
