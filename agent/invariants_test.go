package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/llmtest"
)

// counts is how many cases of each property were not trivial.
type counts struct {
	mu   sync.Mutex
	n    map[string]int
	keys []string
}

func (c *counts) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	if _, ok := c.n[what]; !ok {
		c.keys = append(c.keys, what)
	}
	c.n[what] += n
}

// seeds is the cases to look at: those that ever failed first. MINICODE_SEED
// names a single one, MINICODE_CASES how many there are.
func seeds(t *testing.T, usual int) (out []uint64) {
	t.Helper()
	if one := os.Getenv("MINICODE_SEED"); one != "" {
		n, err := strconv.ParseUint(one, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return []uint64{n}
	}
	if many, err := strconv.Atoi(os.Getenv("MINICODE_CASES")); err == nil {
		usual = many
	}
	kept, err := os.ReadFile(filepath.Join("testdata", "seeds"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(kept)) {
		number, _, _ := strings.Cut(line, "#")
		if n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64); err == nil {
			out = append(out, n)
		}
	}
	for n := range uint64(usual) {
		out = append(out, n+1)
	}
	return out
}

// TestInvariants runs random conversations and holds them to the six
// invariants of the architecture. Each subtest is one of them; the runs are
// theirs in common.
func TestInvariants(t *testing.T) {
	usual := 120
	if testing.Short() {
		usual = 40
	}
	root := memoryDir(t)
	var c counts
	var mu sync.Mutex
	broken := map[string][]string{}
	all := seeds(t, usual)
	each(all, func(seed uint64) {
		faults := judge(filepath.Join(root, fmt.Sprint(seed)), seed, &c)
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			property, what, _ := strings.Cut(f, ": ")
			broken[property] = append(broken[property], fmt.Sprintf("seed %d: %s", seed, what))
		}
	})
	for _, property := range []struct {
		name string
		want map[string]int // at the least, for a hundred cases
	}{
		{oneResult, map[string]int{"views with calls": 200, "turns interrupted": 40, "calls left open and closed": 100, "cut files": 600, "cut between call and result": 120}},
		{diskFirst, map[string]int{"facts read": 1_500, "messages read by the model": 2_000}},
		{signalFree, map[string]int{"answers streamed": 150, "partial texts kept": 8, "cards": 200}},
		{sameBytes, map[string]int{"requests rebuilt from disk": 300, "requests that go on": 200, "requests after an edit": 10, "turns after reopening": 20}},
		{permitted, map[string]int{"actions run": 150, "actions not allowed": 40}},
		{replayed, map[string]int{"facts replayed": 1_500, "readers that left": 10}},
	} {
		t.Run(property.name, func(t *testing.T) {
			for i, f := range broken[property.name] {
				if i < 5 {
					t.Error(f)
				}
			}
			for _, what := range c.keys {
				if want, ok := property.want[what]; ok {
					t.Logf("%s: %d", what, c.n[what])
					if len(all) >= 100 && c.n[what] < want*len(all)/100 {
						t.Errorf("%s: only %d", what, c.n[what])
					}
				}
			}
			for what := range property.want {
				if len(all) >= 40 && c.n[what] == 0 {
					t.Errorf("%s: none", what)
				}
			}
		})
		delete(broken, property.name)
	}
	for property, faults := range broken {
		t.Errorf("%s: %s", property, strings.Join(faults, "\n"))
	}
}

// each does something for every seed, a few at a time.
func each(seeds []uint64, do func(uint64)) {
	var workers sync.WaitGroup
	next := make(chan uint64)
	for range 4 {
		workers.Go(func() {
			for seed := range next {
				do(seed)
			}
		})
	}
	for _, seed := range seeds {
		next <- seed
	}
	close(next)
	workers.Wait()
}

// judge runs one case and says what is wrong with it.
func judge(root string, seed uint64, c *counts) []string {
	defer os.RemoveAll(root)
	w, err := newWorld(root, planOf(seed))
	if err != nil {
		return []string{"set-up: " + err.Error()}
	}
	if err := w.live(); err != nil {
		w.blame("run", "%v", err)
		w.close()
		return w.faults
	}
	w.countRun(c)
	w.checkRequests(c)
	w.checkScreens(c)
	w.checkReplay(c)
	w.checkRebuilt(c)
	w.checkCuts(c)
	w.close()
	for _, r := range w.server.Requests() {
		if r.Refused != "" {
			w.blame(oneResult, "the server refused a request: %s", r.Refused)
		}
	}
	return w.faults
}

func (w *world) countRun(c *counts) {
	for _, e := range w.endings {
		if e.Reason == event.Interrupted {
			c.add("turns interrupted", 1)
		}
	}
	for _, r := range w.disk.records {
		switch e := r.Event.(type) {
		case event.Decided:
			if !e.Allow {
				c.add("actions not allowed", 1)
			}
		case event.Message:
			if r, ok := e.Result(); ok && strings.HasPrefix(r.Parts.Text(), "Interrupted ") {
				c.add("calls left open and closed", 1)
			}
		}
	}
	c.add("actions run", w.ran)
	c.add("readers that left", w.left)
	c.add("turns after reopening", w.disk.reopened)
}

// checkRequests: what the model was sent is paired, and each request goes on
// where the one before it ended, but for edits.
func (w *world) checkRequests(c *counts) {
	for i, a := range w.asked {
		if err := paired(a.request.Messages); err != nil {
			w.blame(oneResult, "request %d: %v", i+1, err)
		}
		if slices.ContainsFunc(a.request.Messages, func(m llm.Message) bool { return len(m.Calls()) > 0 }) {
			c.add("views with calls", 1)
		}
		c.add("messages read by the model", len(a.request.Messages))
		if i == 0 {
			continue
		}
		before := w.asked[i-1]
		if a.edits != before.edits {
			c.add("requests after an edit", 1)
			continue
		}
		n := len(before.request.Messages)
		if len(a.request.Messages) < n {
			w.blame(sameBytes, "request %d has fewer messages than the one before it, with no edit between", i+1)
			continue
		}
		if len(a.request.Messages) > n {
			c.add("requests that go on", 1)
		}
		if diff := differ(before.request.Messages, a.request.Messages[:n]); diff != "" {
			w.blame(sameBytes, "request %d does not begin with the one before it: %s", i+1, diff)
		}
		for _, wire := range []llmtest.Wire{llmtest.Anthropic, llmtest.OpenAI} {
			if diff := beginsWith(bodyOf(wire, a.request), bodyOf(wire, before.request)); diff != "" {
				w.blame(sameBytes, "request %d, on the %s wire, does not begin with the one before it: %s", i+1, wire, diff)
			}
		}
	}
}

// beginsWith says where the body does not begin with the one before it, piece
// of message by piece of message. Cache marks move and do not count.
func beginsWith(body, before []byte) string {
	now, then := pieces(body), pieces(before)
	for i := range then {
		if i >= len(now) || now[i] != then[i] {
			return fmt.Sprintf("piece %d was\n\t%s and is\n\t%s", i, short([]byte(then[i])), short([]byte(strings.Join(now[min(i, len(now)):min(i+1, len(now))], ""))))
		}
	}
	return ""
}

// pieces is all that a body says, in order: what is besides the messages,
// then their blocks.
func pieces(body []byte) (out []string) {
	body = bytes.ReplaceAll(body, []byte(`,"cache_control":{"type":"ephemeral"}`), nil)
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return []string{"not JSON: " + err.Error()}
	}
	for _, key := range []string{"model", "system", "tools", "tool_choice"} {
		out = append(out, key+string(top[key]))
	}
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(top["messages"], &messages); err != nil {
		return []string{"no messages: " + err.Error()}
	}
	for _, m := range messages {
		role := string(m["role"])
		var blocks []json.RawMessage
		if json.Unmarshal(m["content"], &blocks) == nil && blocks != nil {
			for _, b := range blocks {
				out = append(out, role+string(b))
			}
			delete(m, "content")
		}
		rest, err := json.Marshal(m)
		if err == nil && len(m) > 1 {
			out = append(out, string(rest))
		}
	}
	return out
}

// checkScreens: what a reader ends up with is the same with all signals and
// without any.
func (w *world) checkScreens(c *counts) {
	with, without := screenOf(w.records, true), screenOf(w.records, false)
	for _, f := range with.faults {
		w.blame(signalFree, "%s", f)
	}
	if a, b := with.String(), without.String(); a != b {
		w.blame(signalFree, "with signals (-) and without (+):\n%s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
	c.add("answers streamed", with.seen.streamed)
	c.add("partial texts kept", with.seen.partial)
	c.add("cards", with.seen.cards)
}

// checkReplay: the facts that the reader had are those in the file, and both
// make the same transcript.
func (w *world) checkReplay(c *counts) {
	var live []event.Record
	for _, r := range w.records {
		if _, ok := r.Event.(event.Fact); ok {
			live = append(live, r)
		}
	}
	c.add("facts read", len(live))
	c.add("facts replayed", len(live))
	filed := w.disk.records[1:] // opened is read by nobody
	if len(filed) != len(live) {
		w.blame(replayed, "%d facts were read live, %d are in the file", len(live), len(filed))
		return
	}
	for i := range live {
		if a, b := encoded(live[i]), encoded(filed[i]); a != b {
			w.blame(replayed, "fact %d was\n\t%s and is in the file\n\t%s", i, short([]byte(a)), short([]byte(b)))
		}
		if !live[i].Time.Equal(filed[i].Time) {
			w.blame(replayed, "fact %d happened at %s and, by the file, at %s", i, live[i].Time, filed[i].Time)
		}
	}
	var again []event.Record
	for r, err := range w.log.Records() {
		if err != nil {
			w.blame(replayed, "%v", err)
		}
		again = append(again, r)
	}
	if a, b := screenOf(live, false).String(), screenOf(again[1:], false).String(); a != b {
		w.blame(replayed, "live (-), replayed (+):\n%s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
}

func encoded(r event.Record) string {
	var b bytes.Buffer
	if err := event.Encode(&b, r); err != nil {
		return err.Error()
	}
	return b.String()
}
