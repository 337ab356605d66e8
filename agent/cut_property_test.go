package agent_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// copyOf opens what the session's file had in its first bytes, as after a
// crash. The files beside it are those of the session.
func (w *world) copyOf(data []byte) (*session.Log, session.Report, string, error) {
	dir := filepath.Join(filepath.Dir(w.dir), "cut")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, session.Report{}, "", err
	}
	path := filepath.Join(dir, filepath.Base(w.disk.path))
	if _, err := os.Lstat(strings.TrimSuffix(path, ".jsonl") + ".d"); err != nil {
		if err := os.Symlink(w.log.Dir(), strings.TrimSuffix(path, ".jsonl")+".d"); err != nil {
			return nil, session.Report{}, "", err
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, session.Report{}, "", err
	}
	log, report, err := w.store.Open(path, w.dir)
	return log, report, path, err
}

// checkRebuilt: whoever opens the file as it was when a request was made
// makes the same request, byte for byte, on either wire.
func (w *world) checkRebuilt(c *counts) {
	w.disk.read()
	for i, a := range w.asked {
		if i > 0 && a.size == w.asked[i-1].size {
			continue // tried again
		}
		log, _, _, err := w.copyOf(w.disk.data[:a.size])
		if err != nil {
			w.blame(sameBytes, "the file as it was at request %d: %v", i+1, err)
			continue
		}
		again := a.request
		again.Messages = log.Messages()
		log.Close()
		c.add("requests rebuilt from disk", 1)
		for _, wire := range []llmtest.Wire{llmtest.Anthropic, llmtest.OpenAI} {
			if x, y := bodyOf(wire, a.request), bodyOf(wire, again); !bytes.Equal(x, y) {
				at := 0
				for at < min(len(x), len(y)) && x[at] == y[at] {
					at++
				}
				w.blame(sameBytes, "request %d on the %s wire was at byte %d\n\t%s and is now\n\t%s", i+1, wire, at, short(x[max(0, at-100):]), short(y[max(0, at-100):]))
			}
		}
	}
}

// checkCuts cuts the file at random bytes and around its lines' ends.
func (w *world) checkCuts(c *counts) {
	r := rand.New(rand.NewPCG(w.plan.seed, 3))
	data := w.disk.data
	for range 4 {
		w.checkCut(r.IntN(len(data)+1), c)
		end := w.disk.starts[r.IntN(len(w.disk.starts))]
		w.checkCut(max(0, end+r.IntN(3)-1), c)
	}
}

// checkCut opens the file cut after n bytes: nothing that was recorded as a
// whole is lost, the view is one that a provider takes, and no call that was
// allowed is said not to have run.
func (w *world) checkCut(n int, c *counts) {
	data := w.disk.data[:n]
	log, report, path, err := w.copyOf(data)
	now := func() []byte { b, _ := os.ReadFile(path); return b }
	whole := w.disk.whole(n)
	if err != nil {
		if len(whole) > 0 || !bytes.Equal(now(), data) {
			w.blame(oneResult, "cut at %d: cannot be opened with %d records: %v", n, len(whole), err)
		}
		return
	}
	defer log.Close()
	c.add("cut files", 1)
	w.intact = ""
	if !bytes.HasPrefix(now(), data) {
		w.blame(oneResult, "cut at %d: what was in the file is not there any more", n)
	}
	i := 0
	for r, err := range log.Records() {
		if err != nil {
			w.blame(oneResult, "cut at %d: %v", n, err)
		}
		if i < len(whole) && encoded(r) != w.disk.line(i) {
			w.blame(oneResult, "cut at %d: record %d is another", n, i)
		}
		i++
	}
	if i < len(whole) {
		w.blame(oneResult, "cut at %d: %d records of %d are left", n, i, len(whole))
	}
	view := log.Messages()
	if err := paired(view); err != nil {
		w.blame(oneResult, "cut at %d: %v", n, err)
	}
	kept := foldOf(whole)
	if len(view) < len(kept) {
		w.blame(oneResult, "cut at %d: %d messages of %d are left", n, len(view), len(kept))
	} else if diff := differ(kept, view[:len(kept)]); diff != "" {
		w.blame(oneResult, "cut at %d: %s", n, diff)
	}
	if report.ClosedCalls > 0 {
		c.add("cut between call and result", 1)
	}
	w.intact = gist(report, view)
	w.checkClosing(n, whole, view[min(len(kept), len(view)):])
	w.checkAccepted(n, view)
	log.Close()
	log, report, err = w.store.Open(path, w.dir)
	if err != nil {
		w.blame(oneResult, "cut at %d: opened and not a second time: %v", n, err)
		return
	}
	defer log.Close()
	if diff := differ(view, log.Messages()); diff != "" || report.ClosedCalls > 0 || report.Crashed {
		w.blame(oneResult, "cut at %d: opened a second time (%+v): %s", n, report, diff)
	}
}

// checkTorn opens the file cut inside the line after those that checkCut had
// last: but for the torn line it is the same.
func (w *world) checkTorn(n int, c *counts) {
	log, report, path, err := w.copyOf(w.disk.data[:n])
	if err != nil {
		w.blame(oneResult, "cut at %d: %v", n, err)
		return
	}
	defer log.Close()
	c.add("cut files", 1)
	if report.ClosedCalls > 0 {
		c.add("cut between call and result", 1)
	}
	if now := gist(report, log.Messages()); now != w.intact {
		w.blame(oneResult, "cut at %d: the view is %s where the whole lines gave %s", n, now, w.intact)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(now, w.disk.data[:n]) {
		w.blame(oneResult, "cut at %d: what was in the file is not there any more (%v)", n, err)
	}
}

// gist is what there is to tell two opened sessions apart by, the ids of what
// was made up aside.
func gist(report session.Report, view []llm.Message) string {
	var b strings.Builder
	fmt.Fprintln(&b, report.ClosedCalls, report.Crashed)
	for i, m := range view {
		if r, ok := m.Result(); ok && i >= len(view)-report.ClosedCalls {
			fmt.Fprintln(&b, r.Call, r.Parts.Text())
		} else {
			fmt.Fprintln(&b, m.ID, m.Kind, len(m.Parts))
		}
	}
	return b.String()
}

// checkClosing: the results that the opening made up tell what is known.
func (w *world) checkClosing(n int, whole []event.Record, made []llm.Message) {
	allowed := map[string]bool{}
	for _, r := range whole {
		if d, ok := r.Event.(event.Decided); ok && d.Allow {
			allowed[d.Call] = true
		}
	}
	for _, m := range made {
		r, ok := m.Result()
		text := r.Parts.Text()
		switch {
		case !ok || !r.Error:
			w.blame(oneResult, "cut at %d: the opening made up a %s message", n, m.Kind)
		case allowed[r.Call] && (strings.Contains(text, "nothing was done") || !strings.Contains(text, "may be done in part")):
			w.blame(oneResult, "cut at %d: call %s was allowed and is told as %q", n, r.Call, text)
		case !allowed[r.Call] && !strings.Contains(text, "nothing was done"):
			w.blame(oneResult, "cut at %d: call %s was not allowed and is told as %q", n, r.Call, text)
		}
	}
}

// foldOf is the view, by the words of the specification.
func foldOf(records []event.Record) (view []llm.Message) {
	for _, r := range records {
		switch f := r.Event.(type) {
		case event.Message:
			view = append(view[:len(view):len(view)], f.Message)
		case event.Edited:
			view = event.Apply(view, f.Edits)
		}
	}
	return view
}

// checkAccepted sends what would be asked next to the strict server, in
// either provider's form.
func (w *world) checkAccepted(n int, view []llm.Message) {
	req := llm.Request{System: "s", Messages: append(slices.Clone(view), llm.NewText(llm.User, llm.Prompt, afterCut))}
	for _, t := range w.tools() {
		req.Tools = append(req.Tools, t.Spec())
	}
	for _, wire := range []llmtest.Wire{llmtest.Anthropic, llmtest.OpenAI} {
		body := bodyOf(wire, req)
		sum := sha256.Sum256(body)
		if w.accepted[string(sum[:])] {
			continue
		}
		w.accepted[string(sum[:])] = true
		path := "/v1/messages"
		if wire == llmtest.OpenAI {
			path = "/v1/chat/completions"
		}
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		answer := httptest.NewRecorder()
		w.server.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			w.blame(oneResult, "cut at %d: the %s server says %d %s", n, wire, answer.Code, answer.Body.String())
		}
	}
}

// everyByte is the plan of the session that is cut at every byte: calls side
// by side and alone, a refused one, a cut answer, edits of the view.
func everyByte() plan {
	call := func(name, key, more string) llmtest.Answer {
		return llmtest.Call(name, fmt.Sprintf(`{"key":%q%s}`, key, more))
	}
	return plan{
		seed: 1, wire: llmtest.Anthropic, resultLimit: 5_000, batchLimit: 20_000, spans: 100,
		turns: []turnPlan{{prompt: []llm.Message{llm.NewText(llm.User, llm.Prompt, "look: 日本 \"}")}}},
		answers: []llmtest.Answer{
			llmtest.Join(llmtest.Say("Looking."), call("look", "k1", ""), call("picture", "k2", "")),
			llmtest.Join(call("write", "k3", `,"path":"f","text":"日本"`), call("write", "k4", `,"gate":"deny"`), call("run", "k5", `,"gate":"change"`)),
			llmtest.Join(llmtest.Think("hm", ""), call("sum", "k6", ""), llmtest.StopWith(llm.StopLength)),
			llmtest.Malformed("look", `{"key`),
			llmtest.Join(llmtest.Say("<final>Over."), llmtest.Repeat(llmtest.Forever)),
		},
	}
}

// TestCutAtEveryByte cuts one session with tools at every byte; whatever is
// left, it can be gone on with.
func TestCutAtEveryByte(t *testing.T) {
	w, err := newWorld(memoryDir(t), everyByte())
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.live(); err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 13
	}
	var c counts
	seen := -1
	for n := 0; n <= len(w.disk.data) && len(w.faults) == 0; n += step {
		if k := len(w.disk.whole(n)); k != seen {
			seen = k
			w.checkCut(n, &c)
		} else if k > 0 {
			w.checkTorn(n, &c)
		}
	}
	resumed := 0
	for i, start := range w.disk.starts[1:] {
		if err := w.resume(start - i%2); err != nil {
			t.Errorf("cut at %d: %v", start-i%2, err)
		}
		resumed++
	}
	for _, r := range w.server.Requests() {
		if r.Refused != "" {
			w.blame(oneResult, "the server refused a request: %s", r.Refused)
		}
	}
	for _, f := range w.faults[:min(5, len(w.faults))] {
		t.Error(f)
	}
	t.Logf("%d bytes, %d cuts opened, %d of them with open calls, %d different requests taken, %d turns gone on with",
		len(w.disk.data), c.n["cut files"], c.n["cut between call and result"], len(w.accepted), resumed)
	if open := c.n["cut between call and result"] * step; open < len(w.disk.data)/10 || len(w.accepted) < 30 {
		t.Errorf("too few cuts say something")
	}
}

// resume goes on with a file that was cut, with the loop and the server.
func (w *world) resume(n int) error {
	log, _, _, err := w.copyOf(w.disk.data[:n])
	if err != nil {
		return err
	}
	defer log.Close()
	a := &agent.Agent{
		Model: adapter(w.plan.wire, w.server.BaseURL(w.plan.wire), w.client), Log: log, Gate: gate{w}, Tools: w.tools,
		Retry: agent.Retry{Tries: 1},
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var last event.Event
	for rec, err := range a.Turn(ctx, llm.NewText(llm.User, llm.Prompt, afterCut)) {
		if err != nil {
			return err
		}
		last = rec.Event
	}
	if e, ok := last.(event.Ended); !ok || e.Reason != event.Done {
		return fmt.Errorf("the turn ended with %+v", last)
	}
	return nil
}
