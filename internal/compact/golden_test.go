package compact_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/recall"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A file in testdata/views is a conversation and, under it, what the stages
// make of it. The upper part is lines "key: value", of which these say how it
// is run:
//
//	window  of the model, in tokens; a quarter of it, 8,192 at most, is for the answer
//	ratio   tokens that the provider counts for one that is estimated
//	run     how, one after the other: threshold (as before a request), forced (the
//	        provider said that it is too long), limit (it refused the request), or
//	        hand: each stage by itself and without its line
//	digest  what the model answers that is asked for one, for each time it is asked
//	keep    a note that is told again behind a summary
//	result-limit, batch-limit  characters from which on results go to files; else those of the window
//
// and these are what was said, in order, by kind: prompt, note, nudge, work,
// progress, final, question; or "stage: snip" for a stage that ran by hand at
// that point. "work ×9" says it nine times, with {n} counted from 1.
//
// In a text {900 chars} and {900 字} are filled with numbered sentences,
// {image} is a picture, and {mode plan}, {surroundings} and {instructions lib}
// are the notes of the program. An answer with calls is made of pieces between
// bars: text, the word "thinking", and calls, such as
//
//	read_file lexer.go → 3000 chars again
//
// whose result has so many characters, or is a quoted text, "nothing" for a
// call that has no result, or "image"; then come any of again, wrote, failed.
type script struct {
	*history
	path     string
	window   int
	runs     []string
	digests  []llmtest.Answer
	keep     []string
	results  int // limits in characters; 0: those of the window
	batch    int
	lines    []keyed
	calls    map[string]int // numbers, by id
	reported map[string]bool
	out      strings.Builder
}

// keyed is a line "key: value".
type keyed struct{ key, value string }

// TestViews compares the view after each stage with the golden files.
func TestViews(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "views", "*.txt"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for i := range paths {
		if paths[i], err = filepath.Abs(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir()) // so that the paths in the view are the same everywhere
			upper, _, _ := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n== ")
			s := script{path: path, calls: map[string]int{}, reported: map[string]bool{}}
			s.read(t, upper)
			s.play(t)
			if want := strings.TrimRight(upper, "\n") + "\n\n" + s.out.String(); *update {
				if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.ReplaceAll(string(data), "\r\n", "\n"), want); diff != "" {
				t.Errorf("%s differs; -update writes it anew:\n%s", filepath.Base(path), diff)
			}
		})
	}
}

// read takes in the upper part of a file.
func (s *script) read(t *testing.T, text string) {
	ratio := 1.0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("no key in %q", line)
		}
		number, err := strconv.Atoi(value)
		switch key {
		case "window":
			s.window = number
		case "result-limit":
			s.results = number
		case "batch-limit":
			s.batch = number
		case "ratio":
			ratio, err = strconv.ParseFloat(value, 64)
		case "run":
			s.runs, err = strings.Split(value, ", "), nil
		case "digest":
			s.digests, err = append(s.digests, llmtest.Say("<summary>\n"+strings.ReplaceAll(value, " ⏎ ", "\n")+"\n</summary>")), nil
		case "keep":
			s.keep, err = append(s.keep, value), nil
		default:
			s.lines, err = append(s.lines, keyed{key, value}), nil
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	s.history = emptyHistory(s.window, s.digests...)
	s.ratio = ratio
}

// play says what was said, and runs the stages.
func (s *script) play(t *testing.T) {
	for _, l := range s.lines {
		key, count, _ := strings.Cut(l.key, " ×")
		times, err := strconv.Atoi(cmp.Or(count, "1"))
		if err != nil {
			t.Fatalf("%q: %v", l.key, err)
		}
		for n := range times {
			value := strings.ReplaceAll(l.value, "{n}", strconv.Itoa(n+1))
			switch kind := llm.Kind(key); kind {
			case llm.Prompt, llm.Note, llm.Nudge:
				s.add(event.Message{Message: llm.Message{Role: llm.User, Kind: kind, Parts: s.parts(t, value)}})
			case llm.Progress:
				s.reply(kind, llm.StopLength, s.parts(t, value))
			case llm.Final, llm.Questioned:
				s.reply(kind, llm.StopEnd, s.parts(t, value))
			case llm.Work:
				s.work(t, value)
			case "stage":
				s.rules(t, s.named(value), event.Manual)
			default:
				t.Fatalf("no such line: %s", l.key)
			}
		}
	}
	if s.out.Len() == 0 {
		s.start()
	}
	for _, how := range s.runs {
		switch how {
		case "hand":
			for _, name := range []string{"offload", "clear", "snip", "collapse", "summarize"} {
				s.rules(t, s.named(name), event.Manual)
			}
		case "threshold", "forced", "limit":
			s.rules(t, s.table(), event.Why(how))
		default:
			t.Fatalf("cannot be run by %q", how)
		}
	}
}

// reply says an answer, with what the provider counted.
func (s *script) reply(kind llm.Kind, stop llm.Stop, parts llm.Parts) {
	estimate := s.meter.Estimate(s.view("").Request)
	counted := int(float64(estimate) * s.ratio)
	s.add(event.Message{Message: llm.Message{
		Role: llm.Assistant, Kind: kind, Parts: parts, Model: s.model.Info().ID(), Stop: stop, Estimate: estimate,
		Usage: &llm.Usage{Input: counted / 10, CacheRead: counted - counted/10, Output: tokens(llm.Message{Parts: parts})},
	}})
}

// parts is a text, and the pictures in it.
func (s *script) parts(t *testing.T, text string) (parts llm.Parts) {
	for i, piece := range strings.Split(text, "{image}") {
		if i > 0 {
			parts = append(parts, llm.NewImage("image/png", []byte(piece)))
		}
		if piece = strings.TrimSpace(piece); piece != "" {
			parts = append(parts, llm.Text{Text: filled(t, piece)})
		}
	}
	return parts
}

// filled is a text with what stands for others in braces put in.
func filled(t *testing.T, text string) string {
	return regexp.MustCompile(`\{[a-z0-9][^{}"]*\}`).ReplaceAllStringFunc(text, func(m string) string {
		word, rest, _ := strings.Cut(strings.Trim(m, "{}"), " ")
		chars, err := strconv.Atoi(word)
		switch {
		case err == nil && rest == "字":
			return numbered(chars, "这是第%d句话，说明哪里出了错。")
		case err == nil && rest == "chars":
			return numbered(chars, "This is sentence %d of it. ")
		case word == "mode":
			return permission.Mode(rest).Note()
		case word == "surroundings":
			return "Date: Friday, 2 January 2026\nWorking directory: /work\nGit: branch main, clean\nSystem: linux/amd64\nShell: bash"
		case word == "instructions":
			return "# Instructions\n\n## " + rest + "/AGENTS.md\n\nIn " + rest + ", names are lower case, and each change has a test."
		}
		t.Fatalf("nothing stands for %s", m)
		return ""
	})
}

// numbered is so many characters, of sentences that are told apart by their
// number.
func numbered(chars int, sentence string) string {
	var b strings.Builder
	for n := 1; utf8.RuneCountInString(b.String()) < chars; n++ {
		fmt.Fprintf(&b, sentence, n)
	}
	return strings.TrimSpace(string([]rune(b.String())[:chars]))
}

// work says an answer with calls, and the results of them.
func (s *script) work(t *testing.T, value string) {
	var parts llm.Parts
	var calls []llm.ToolCall
	var results []string
	for _, piece := range strings.Split(value, " | ") {
		call, result, ok := strings.Cut(piece, " → ")
		switch {
		case !ok && piece == "thinking":
			parts = append(parts, llm.Thinking{Text: "How does this hang together?", Signature: "signed"})
		case !ok:
			parts = append(parts, s.parts(t, piece)...)
		default:
			name, arg, _ := strings.Cut(call, " ")
			c := s.call(name)
			s.calls[c.ID] = len(s.calls) + 1
			if c.Args = json.RawMessage(arg); !strings.HasPrefix(arg, "{") {
				args, err := json.Marshal(map[string]string{map[string]string{"run_command": "command", "grep_files": "pattern", "web_fetch": "url"}[name]: arg})
				if err != nil {
					t.Fatal(err)
				}
				c.Args = json.RawMessage(strings.Replace(string(args), `""`, `"path"`, 1))
			}
			parts, calls, results = append(parts, c), append(calls, c), append(results, result)
		}
	}
	s.reply(llm.Work, llm.StopTools, parts)
	for i, c := range calls {
		s.answered(t, c, results[i])
	}
}

// answered says the result of a call.
func (s *script) answered(t *testing.T, c llm.ToolCall, how string) {
	arg := argument(c)
	r := llm.ToolResult{Call: c.ID, Name: c.Name}
	if strings.HasPrefix(how, `"`) {
		text, err := strconv.QuotedPrefix(how)
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		how = strings.TrimPrefix(how, text)
		text, _ = strconv.Unquote(text)
		r.Parts = llm.Parts{llm.Text{Text: text}}
	}
	for words := strings.Fields(how); len(words) > 0; words = words[1:] {
		chars, err := strconv.Atoi(words[0])
		switch {
		case err == nil:
			r.Parts = llm.Parts{llm.Text{Text: strings.ReplaceAll(numbered(chars, fmt.Sprintf("line %%d of %s;~", strings.ReplaceAll(arg, "%", "%%"))), "~", "\n")}}
		case words[0] == "image":
			r.Parts = append(r.Parts, llm.NewImage("image/png", []byte(c.ID)))
		case words[0] == "again":
			again(&r)
		case words[0] == "wrote":
			wrote(&r)
		case words[0] == "failed":
			failed(&r)
		case words[0] == "nothing":
			return
		case words[0] != "chars":
			t.Fatalf("no such result: %q", how)
		}
	}
	s.add(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{r}}})
}

// argument is what a call is about: its only argument, or all of them.
func argument(c llm.ToolCall) string {
	if one := map[string]string{}; json.Unmarshal(c.Args, &one) == nil && len(one) == 1 {
		return slices.Collect(maps.Values(one))[0]
	}
	return string(c.Args)
}

// table is the rules of the program.
func (s *script) table() []compact.Rule {
	effective := s.model.Info().EffectiveInput()
	offload := compact.Offload{
		Dir:         func() string { return "results" },
		ResultLimit: func() int { return cmp.Or(s.results, compact.ResultLimit(effective)) },
		BatchLimit:  func() int { return cmp.Or(s.batch, compact.BatchLimit(effective)) },
	}
	digest := compact.Digest{Meter: s.meter}
	return []compact.Rule{
		{Stage: offload},
		{Above: 0.50, Stage: compact.Clear{Meter: s.meter}},
		{Above: 0.70, Stage: compact.Snip{Meter: s.meter, History: s.past}},
		{Above: 0.75, Stage: compact.Collapse{Meter: s.meter, History: s.past, Digest: digest}},
		{Above: 0.85, Stage: compact.Summarize{Meter: s.meter, History: s.past, Digest: digest, Keep: s.kept, Offload: &offload}},
		{Above: 0.95, Stage: compact.Refuse{Above: 0.95}},
		{Refused: true, Stage: compact.Images{}},
	}
}

func (s *script) named(stage string) []compact.Rule {
	return slices.DeleteFunc(s.table(), func(r compact.Rule) bool { return r.Stage.Name() != stage })
}

// kept is what is told again behind a summary, as the program does it.
func (s *script) kept(v event.View) []llm.Message {
	var texts []string
	for _, text := range s.keep {
		texts = append(texts, filled(nil, text))
	}
	return recall.Notes(append(texts, recall.Plan(v.Request.Messages), recall.Todos(s.log.Todos()))...)
}

// looked is a stage whose errors are kept.
type looked struct {
	compact.Stage
	err *error
}

func (l looked) Edits(ctx context.Context, v event.View, tell func(event.Signal)) (compact.Work, error) {
	work, err := l.Stage.Edits(ctx, v, tell)
	*l.err = err
	if err == nil && len(work.Edits) == 0 {
		*l.err = compact.Nothing("there is nothing for it")
	}
	return work, err
}

// errUnreached is of a stage that never looked.
var errUnreached = errors.New("not reached")

// rules runs a pipeline of these rules and writes down what each stage did.
func (s *script) rules(t *testing.T, rules []compact.Rule, why event.Why) {
	if s.out.Len() == 0 {
		s.start()
	}
	errs := map[string]*error{}
	for i, r := range rules {
		err := errUnreached
		errs[r.Stage.Name()] = &err
		rules[i].Stage = looked{r.Stage, &err}
	}
	next := 0 // rule that was not told of
	idle := func(upTo string) {
		for ; next < len(rules) && rules[next].Stage.Name() != upTo; next++ {
			r := rules[next]
			if r.Refused == (why == event.Limit) {
				s.idle(r, *errs[r.Stage.Name()], why)
			}
		}
		next++
	}
	pipeline := compact.Pipeline{Rules: rules, Meter: s.meter}
	for e, err := range pipeline.Compact(t.Context(), func() event.View { return s.view("") }, why) {
		if err != nil && !errors.As(err, new(compact.Nothing)) {
			t.Logf("ended with: %v", err)
		}
		switch e := e.(type) {
		case event.Edited:
			idle(e.Stage)
			before, was := s.view("").Used.Tokens, s.log.Messages()
			r := s.add(e)
			s.worked(t, e, r.ID, before, was)
		case event.Notice:
			fmt.Fprintf(&s.out, "   said: %s\n", e.Text)
		}
	}
	idle("")
}

// idle writes down that a stage did nothing, and why.
func (s *script) idle(r compact.Rule, err error, why event.Why) {
	used := s.view("").Used
	name := r.Stage.Name()
	switch {
	case err == nil:
	case errors.Is(err, errUnreached) && why == event.Threshold:
		fmt.Fprintf(&s.out, "== %s (%s): not reached, %s\n", name, why, percent(used))
	case errors.Is(err, errUnreached):
		fmt.Fprintf(&s.out, "== %s (%s): not reached, half of what was refused is left\n", name, why)
	default:
		fmt.Fprintf(&s.out, "== %s (%s): %v\n", name, why, err)
	}
}

// start writes down the view before any stage.
func (s *script) start() {
	used := s.view("").Used
	fmt.Fprintf(&s.out, "== at first: %d messages, %s of %s tokens, %s\n\n", len(s.log.Messages()), thousands(used.Tokens), thousands(used.Window), percent(used))
}

// worked writes down what a stage did, and the view that it left.
func (s *script) worked(t *testing.T, e event.Edited, id string, before int, was []llm.Message) {
	if e.Error != "" {
		fmt.Fprintf(&s.out, "== %s (%s): strike: %s\n", e.Stage, e.Why, e.Error)
		return
	}
	used := s.view("").Used
	old := map[string]bool{}
	for _, m := range was {
		old[m.ID] = true
	}
	in := 0
	for _, m := range s.log.Messages() {
		if !old[m.ID] {
			in++
		}
	}
	out := len(was) + in - len(s.log.Messages())
	what := fmt.Sprintf("messages: %d out, %d in", out, in)
	if e.Stage == "clear" || e.Stage == "offload" {
		what = fmt.Sprintf("results: %d", out)
	}
	if !strings.HasSuffix(s.out.String(), "\n\n") {
		s.out.WriteString("\n")
	}
	fmt.Fprintf(&s.out, "== %s (%s): %s, %s -> %s tokens, %s\n", e.Stage, e.Why, what, thousands(before), thousands(used.Tokens), percent(used))
	s.show(old)
	if e.Stage == "summarize" {
		return
	}
	gone, err := s.log.Replaced(id)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, m := range gone {
		if m.Kind == llm.Note {
			notes = append(notes, shortened(m.Text(), 240))
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(&s.out, "   notes taken out: %s\n\n", strings.Join(notes, "; "))
	}
}

// show writes the view, a message a line; what is new in it has a plus.
func (s *script) show(old map[string]bool) {
	for i, m := range s.log.Messages() {
		sign := " "
		if !old[m.ID] {
			sign = "+"
		}
		fmt.Fprintf(&s.out, "%s%3d %-9s%s\n", sign, i+1, m.Kind, s.line(m.Parts, 240))
	}
	s.out.WriteString("\n")
}

// line is the parts of a message in one line.
func (s *script) line(parts llm.Parts, width int) string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			if strings.HasPrefix(p.Text, "<persisted-output>") {
				width = 240
			}
			out = append(out, shortened(p.Text, width))
		case llm.Thinking:
			out = append(out, "thinking")
		case llm.Image:
			out = append(out, "(image)")
		case llm.ToolCall:
			out = append(out, fmt.Sprintf("#%d %s %s", s.calls[p.ID], p.Name, shortened(argument(p), 120)))
		case llm.ToolResult:
			is := fmt.Sprintf("#%d", s.calls[p.Call])
			if p.Meta.Again {
				is += " again"
			}
			if len(p.Meta.Wrote) > 0 {
				is += " wrote"
			}
			if p.Error {
				is += " failed"
			}
			out = append(out, is+": "+s.line(p.Parts, width/5))
		}
	}
	return strings.Join(out, " | ")
}

// shortened is a text in one line. Of long ones the middle of each line and
// the lines in the middle are left out, and its length is told.
func shortened(text string, width int) string {
	lines := strings.Split(text, "\n")
	cut := false
	for i, l := range lines {
		if r := []rune(l); len(r) > width {
			lines[i], cut = string(r[:width*3/5])+" … "+string(r[len(r)-width*2/5:]), true
		}
	}
	if n := len(lines) - 4; n > 8 {
		lines, cut = slices.Concat(lines[:2], []string{"…"}, lines[len(lines)-2:]), true
	}
	out := filepath.ToSlash(strings.Join(lines, " ⏎ "))
	if cut {
		out += fmt.Sprintf(" [%s chars]", thousands(utf8.RuneCountInString(text)))
	}
	return out
}

func percent(c llm.Count) string {
	out := fmt.Sprintf("%d %% by %s", int(c.Share()*100+0.5), c.Source)
	if c.Stale != "" {
		out += " (" + c.Stale + ")"
	}
	return out
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
