package app

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
)

const (
	longWindow = 32_000
	longOutput = 4_000
)

// longRun is one session from its first prompt to its last, in a world that
// is the same each time.
type longRun struct {
	t      *testing.T
	home   string
	cwd    string
	ids    int
	server *messagesServer
	model  llm.Model
	c      *Conversation

	prompts  int            // said so far
	view     []llm.Message  // folded here as well
	stages   map[string]int // edited facts by stage, and strikes
	rounds   int            // automatic summaries since the last answer
	persists int            // results that were too large by themselves
	steps    int
	plain    int     // tokens of the request, had nothing been edited, but for what is fixed
	bound    float64 // the sum of these, each at most 0.60 of the effective input
	ended    event.Ended
	said     string // the last final answer
	failed   bool
	compared int       // requests that were held against those of another run
	snipped  int       // the step of the last snip, -1 before the first
	guess    int       // what the view takes after the last edit, estimated; 0 when a request was made since
	errors   []float64 // of such guesses, in shares of the truth
}

// newLongRun makes the world anew under base, at the same paths each time.
func newLongRun(t *testing.T, base string, script longScript, known *blocks) *longRun {
	t.Helper()
	if _, err := exec.LookPath("seq"); err != nil {
		t.Skip("no seq")
	}
	r := &longRun{
		t: t, home: filepath.Join(base, "home"), cwd: filepath.Join(base, "project"), stages: map[string]int{}, snipped: -1,
		server: newMessagesServer(longWindow, script, known),
	}
	for _, dir := range []string{r.home, r.cwd} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeWorld(r.cwd); err != nil {
		t.Fatal(err)
	}
	r.open("")
	t.Cleanup(func() { r.c.Close() })
	return r
}

func (r *longRun) open(session string) {
	r.t.Helper()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	info := llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: longWindow, MaxOutput: longOutput, Known: true, Images: true, Thinking: true}
	r.model = anthropic.New(anthropic.Options{Info: info, Key: "key", HTTP: &http.Client{Transport: r.server}})
	c, err := Open(r.t.Context(), Options{
		Cwd: r.cwd, Home: r.home, Environ: []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH")}, MaxSteps: 3000, Model: r.model, Resume: session,
		Now:   func() time.Time { return now },
		NewID: func() string { r.ids++; return fmt.Sprintf("01950000-0000-7000-8000-%012x", r.ids) },
		Flags: []config.Flag{
			{Name: "test", Key: "mode", Value: "accept-edits"},
			{Name: "test", Key: "effort", Value: "low"},
			{Name: "test", Key: "permissions.allow", Value: []string{"run_command(seq:*)"}},
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.c = c
}

// say sends the next prompt. stop is called with each record; true breaks off.
func (r *longRun) say(stop func(event.Record) bool) {
	r.t.Helper()
	r.prompts++
	r.server.expect = r.prompts
	r.ended, r.said = event.Ended{}, ""
	for rec, err := range r.c.Prompt(r.t.Context(), promptText(r.prompts)) {
		if err != nil {
			r.t.Fatal(err)
		}
		r.follow(rec)
		if stop != nil && stop(rec) {
			break
		}
	}
	for _, f := range r.server.faults {
		r.bad("%s", f)
	}
	if r.server.tooLong > 0 && r.server.window == longWindow {
		r.bad("%d requests were too long", r.server.tooLong)
	}
	if r.failed {
		r.report()
		r.t.FailNow()
	}
}

// bad is a fault after which the run does not go on for long.
func (r *longRun) bad(format string, args ...any) {
	r.t.Helper()
	r.failed = true
	r.t.Errorf("prompt %d, step %d: "+format, append([]any{r.prompts, r.steps}, args...)...)
}

// whole sends the next prompt and wants its final answer.
func (r *longRun) whole() {
	r.t.Helper()
	r.say(nil)
	if r.ended.Reason != event.Done {
		r.report()
		r.t.Fatalf("prompt %d ended after %d steps: %+v", r.prompts, r.steps, r.ended)
	}
	if !strings.Contains(r.said, constraint) || !strings.Contains(r.said, promptText(r.prompts)) {
		r.t.Fatalf("the answer to prompt %d does not quote it and the first one's constraint:\n%s", r.prompts, r.said)
	}
	if got, want := idsOf(r.c.log.Messages()), idsOf(r.view); !slices.Equal(got, want) {
		r.t.Fatalf("after prompt %d the view holds\n%v, but the edits make it\n%v", r.prompts, got, want)
	}
}

func idsOf(messages []llm.Message) (ids []string) {
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// follow keeps account of what is recorded.
func (r *longRun) follow(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.Message:
		if slices.ContainsFunc(r.view, func(m llm.Message) bool { return m.ID == e.ID }) {
			return // it was recorded when the session was opened
		}
		r.view = append(r.view, e.Message)
		if e.Role == llm.Assistant {
			r.steps++
			r.rounds = 0
			if truth := r.server.steps[len(r.server.steps)-1].total; r.guess > 0 {
				r.errors = append(r.errors, math.Abs(float64(r.guess-truth)/float64(truth)))
			}
			r.guess = 0
			r.bound += min(float64(scaled(r.server.fixed+r.plain)), 0.60*(longWindow-longOutput))
		}
		if e.Kind == llm.Final {
			r.said = e.Text()
		}
		if res, ok := e.Result(); ok && strings.HasPrefix(res.Parts.Text(), "<persisted-output>") {
			r.persists++
		}
		r.plain += messageTokens(e.Message)
	case event.Edited:
		r.edited(e)
	case event.Ended:
		r.ended = e
	case event.Notice:
		if e.Level != event.InfoLevel && !strings.HasPrefix(e.Text, "Session repaired") {
			r.t.Logf("step %d: %s: %s", r.steps, e.Level, e.Text)
		}
	}
}

// messageTokens is what the server counts for the message.
func messageTokens(m llm.Message) int {
	n := 3
	for _, p := range m.Parts {
		n += 4
		switch p := p.(type) {
		case llm.Text:
			n += tokensIn(p.Text)
		case llm.Thinking:
			n += tokensIn(p.Text) + len(p.Signature)/8
		case llm.ToolCall:
			n += tokensIn(p.Name) + tokensIn(string(p.Args))
		case llm.ToolResult:
			n += tokensIn(p.Parts.Text())
		}
	}
	return n
}

// edited holds an edit of the view against what it must leave.
func (r *longRun) edited(e event.Edited) {
	if e.Error != "" {
		r.stages[e.Stage+" strike"]++
		r.bad("a strike of %s: %s", e.Stage, e.Error)
		return
	}
	r.stages[e.Stage]++
	before, digested := r.view, r.server.digested
	r.view = event.Apply(r.view, e.Edits)
	r.server.edited, r.server.digested = true, ""
	r.server.doubt = r.server.doubt || e.Stage != "clear"
	lost := difference(canariesIn(r.server.script, before), canariesIn(r.server.script, r.view))
	if len(lost) > 0 {
		r.bad("%s lost %v", e.Stage, lost)
	}
	r.bounded(e, before)
	if slices.ContainsFunc(e.Edits, func(e event.Edit) bool {
		return slices.ContainsFunc(e.With, func(m llm.Message) bool { return e.From == before[0].ID && m.Kind == llm.Summary })
	}) && e.Stage == "summarize" {
		r.summarized(before, digested)
	} else if lost := difference(promptsIn(before), promptsIn(r.view)); len(lost) > 0 {
		r.bad("%s changed the prompts %q", e.Stage, lost)
	}
}

// bounded holds an edit against the limits of its stage.
func (r *longRun) bounded(e event.Edited, before []llm.Message) {
	bad := func(format string, args ...any) { r.bad(e.Stage+": "+format, args...) }
	const input = longWindow - longOutput
	lines := map[string]float64{"clear": 0.50, "snip": 0.70, "collapse": 0.75, "summarize": 0.85}
	least := map[string]int{"clear": input / 20, "snip": 2000, "collapse": 2000, "summarize": input / 20}[e.Stage]
	keeps := 0 // newest messages
	switch e.Stage {
	case "clear": // the two newest rounds
		for at, rounds := len(before)-1, 0; at >= 0 && rounds < 2; at-- {
			if keeps++; before[at].Role == llm.Assistant && len(before[at].Calls()) > 0 {
				rounds++
			}
		}
	case "snip":
		if keeps = 12; r.snipped >= 0 && r.steps-r.snipped < 20 {
			bad("the last one was %d steps ago", r.steps-r.snipped)
		}
		r.snipped = r.steps
	case "collapse":
		keeps = 12
	}
	if e.Why == event.Threshold && float64(e.Before) < lines[e.Stage]*input {
		bad("it began at %d tokens of %d", e.Before, input)
	}
	if e.Why == event.Threshold && e.Before-e.After < least-len(e.Edits) { // each is rounded
		bad("it saved %d tokens, fewer than %d", e.Before-e.After, least)
	}
	if e.After >= e.Before {
		bad("%d tokens became %d", e.Before, e.After)
	}
	if n := len(before) - keeps; n >= 0 && !slices.Equal(idsOf(before[n:]), idsOf(r.view[max(0, len(r.view)-keeps):])) {
		bad("it changed one of the newest %d messages", keeps)
	}
	r.guess = e.After
}

// summarized holds a summary against what it must leave, and what was sent for
// it against what it replaced.
func (r *longRun) summarized(before []llm.Message, digested string) {
	if r.rounds++; r.rounds > 2 {
		r.bad("%d summaries without a step between them", r.rounds)
	}
	if !noted(r.view, openTodo) {
		r.bad("the summary lost the open todo")
	}
	if noted(before, localRule) && !noted(r.view, localRule) {
		r.bad("the summary lost the instructions of a directory")
	}
	if lost := difference([]string{promptText(1), promptText(r.prompts)}, promptsIn(r.view)); len(lost) > 0 {
		r.bad("the summary lost the prompts %q", lost)
	}
	replaced := slices.DeleteFunc(slices.Clone(before), func(m llm.Message) bool { return slices.Contains(idsOf(r.view), m.ID) })
	for _, text := range append(promptsIn(replaced), canariesIn(r.server.script, replaced)...) {
		if !strings.Contains(digested, text) {
			r.bad("the summary replaced %q, which was not shown to the model that wrote it", text)
		}
	}
}

func noted(messages []llm.Message, text string) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool { return m.Kind == llm.Note && strings.Contains(m.Text(), text) })
}

func promptsIn(messages []llm.Message) (out []string) {
	for _, m := range messages {
		if m.Kind == llm.Prompt {
			out = append(out, m.Text())
		}
	}
	return out
}

// canariesIn leaves out what answers quote.
func canariesIn(script longScript, messages []llm.Message) []string {
	var b strings.Builder
	for _, m := range messages {
		if m.Role == llm.User {
			b.WriteString(m.Text() + "\n")
		}
	}
	return script.canaries(b.String())
}

// difference is what is in the first list only.
func difference(all, without []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(without, s) })
}

// read is how much of the requests came from the cache: of those that no edit
// came before, or of all.
func (r *longRun) read(all bool) float64 {
	read, total := 0, 1
	for i, a := range r.server.steps {
		if i > 0 && (all || !a.edited) {
			read, total = read+a.read, total+a.total
		}
	}
	return float64(read) / float64(total)
}

// report says what came of it.
func (r *longRun) report() {
	s, edited := r.server, 0
	for _, a := range s.steps {
		if a.edited {
			edited++
		}
	}
	slices.Sort(r.errors)
	median, worst := 0.0, 0.0
	if n := len(r.errors); n > 0 {
		median, worst = r.errors[n/2], r.errors[n-1]
	}
	r.t.Logf("%d prompts, %d steps; edits by stage %v; %d requests right after an edit, %d too long, %d for a summary; %d results persisted by themselves",
		r.prompts, r.steps, r.stages, edited, s.tooLong, s.digests, r.persists)
	r.t.Logf("system and tools %d tokens of %d; input of all requests %d tokens, the sum of min(uncompacted, 0.60) is %.0f: %.2f of it, at most 1.50",
		scaled(s.fixed), longWindow-longOutput, s.input, r.bound, float64(s.input)/max(1, r.bound))
	r.t.Logf("cache reads %.1f %% of all, %.1f %% outside of edits, at the price of %.0f tokens; estimates after edits wrong by %.1f %%, at worst %.1f %%",
		100*r.read(true), 100*r.read(false), s.price, 100*median, 100*worst)
}

// judge holds the whole run against what a long session may cost.
func (r *longRun) judge() {
	r.t.Helper()
	r.report()
	for _, stage := range []string{"offload", "clear", "snip", "collapse", "summarize"} {
		if r.stages[stage] == 0 {
			r.t.Errorf("%s was never seen at work", stage)
		}
	}
	if r.persists == 0 {
		r.t.Error("no result was persisted")
	}
	if float64(r.server.input) > 1.5*r.bound {
		r.t.Errorf("%d tokens were sent, over %.0f", r.server.input, 1.5*r.bound)
	}
	if share := r.read(false); share < 0.90 {
		r.t.Errorf("%.1f %% was read from the cache outside of edits, below 90", 100*share)
	}
	if n := len(r.errors); r.errors[n/2] > 0.10 || r.errors[n-1] > 0.25 {
		r.t.Errorf("estimates after edits were wrong by %.1f %%, at worst %.1f %%", 100*r.errors[n/2], 100*r.errors[n-1])
	}
}

// longSteps is how many steps a long session has.
func longSteps() int {
	if raceDetector {
		return 600
	}
	return 2000
}

// TestLongTurn is one prompt with very many steps in a small window.
func TestLongTurn(t *testing.T) {
	r := newLongRun(t, t.TempDir(), newLongScript(longSteps()), nil)
	r.whole()
	if r.steps != longSteps() {
		t.Errorf("%d steps", r.steps)
	}
	r.judge()
}

// viewBytes is the view without what is given anew each time.
func (r *longRun) viewBytes() string {
	messages := slices.Clone(r.c.log.Messages())
	for i := range messages {
		messages[i].ID, messages[i].Time = "", time.Time{}
	}
	out, err := json.MarshalIndent(messages, "", " ")
	if err != nil {
		r.t.Fatal(err)
	}
	return string(out)
}

// file is the bytes of the session as they are now.
func (r *longRun) file() []byte {
	r.t.Helper()
	data, err := os.ReadFile(r.c.Info().Path)
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

// resume closes the session and takes it up again; where it was killed, as its
// file was then.
func (r *longRun) resume(killed []byte) {
	r.t.Helper()
	info := r.c.Info()
	if err := r.c.Close(); err != nil {
		r.t.Fatal(err)
	}
	if killed != nil {
		if err := os.WriteFile(info.Path, killed, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.open(info.Session)
}

// TestLongConversation is many prompts of ten steps each; then the same
// session, left and taken up again between them.
func TestLongConversation(t *testing.T) {
	const steps, resumes = 10, 50
	prompts := longSteps() / steps
	base := t.TempDir()
	first := newLongRun(t, base, newLongScript(steps), nil)
	for range prompts {
		first.whole()
	}
	if first.steps != longSteps() {
		t.Errorf("%d steps", first.steps)
	}
	first.judge()
	want := first.viewBytes()
	first.c.Close()

	again := newLongRun(t, base, newLongScript(steps), first.server.known)
	done := 0
	for n := range prompts {
		again.whole()
		if k := (n + 1) * resumes / prompts; k > done {
			done++
			var killed []byte
			if k%2 == 0 {
				killed = again.file()
			}
			again.resume(killed)
		}
		if at := again.firstDifference(first); at != "" {
			t.Fatalf("after %d prompts and %d resumes: %s", n+1, done, at)
		}
	}
	if done < resumes {
		t.Errorf("resumed %d times", done)
	}
	if got := again.viewBytes(); got != want {
		t.Errorf("the view of the session that was resumed %d times differs from the other's: %s", done, firstLine(want, got))
	}
}

// firstDifference is where the requests for steps that were not compared yet
// differ, "" if nowhere.
func (r *longRun) firstDifference(other *longRun) string {
	for ; r.compared < len(r.server.steps); r.compared++ {
		i := r.compared
		a, b := r.server.steps[i], other.server.steps[i]
		if slices.Equal(a.blocks, b.blocks) {
			continue
		}
		for j := range max(len(a.blocks), len(b.blocks)) {
			x, y := "nothing", "nothing"
			if j < len(a.blocks) {
				x = r.server.known.all[a.blocks[j]-1].describe()
			}
			if j < len(b.blocks) {
				y = r.server.known.all[b.blocks[j]-1].describe()
			}
			if x != y {
				return fmt.Sprintf("request %d differs in block %d of %d and %d:\n%s\nwhere it was\n%s", i, j, len(a.blocks), len(b.blocks), x, y)
			}
		}
	}
	return ""
}

func (b *block) describe() string {
	return fmt.Sprintf("%s %s %s %q", b.kind, b.call, b.name, b.text[:min(len(b.text), 300)])
}

func firstLine(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %.300s\nwas %.300s", i, b[i], a[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(b), len(a))
}

// TestKilledInTheMiddle kills the session at some record of a turn, again and
// again: what is sent after each is valid and holds what it must.
func TestKilledInTheMiddle(t *testing.T) {
	const prompts = 50
	r := newLongRun(t, t.TempDir(), newLongScript(12), nil)
	for n := range prompts {
		if n%2 == 0 {
			r.whole()
			continue
		}
		left := 4 + n*7%31
		var killed []byte
		r.say(func(rec event.Record) bool {
			if _, fact := rec.Event.(event.Fact); fact {
				left--
			}
			if left <= 0 {
				killed = r.file()
				killed = killed[:len(killed)-n%3*11] // some in the middle of a line
			}
			return left <= 0
		})
		r.resume(killed)
		r.view = slices.Clone(r.c.log.Messages())
	}
	r.report()
}

// TestLongTurnInASmallerWindow is what is left where the window is smaller than
// what is known of the model: the provider's "too long" is the truth, and the
// turn goes on.
func TestLongTurnInASmallerWindow(t *testing.T) {
	r := newLongRun(t, t.TempDir(), newLongScript(300), nil)
	r.server.window = 20_000
	r.whole()
	r.report()
	if r.server.tooLong == 0 {
		t.Error("no request was too long")
	}
}
