package compact_test

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

// property is what holds of every run of the stages named, or of all. It
// says whether the run was one in which it could have failed.
type property struct {
	name   string
	stages string // separated by blanks
	least  int    // in a hundred random histories, so many runs in which it could have failed
	holds  func(change) (seen bool, err error)
}

func properties() []property {
	return []property{
		{"pairs stay whole", "", 100, pairsWhole},
		{"thinking stays with its calls", "", 100, answersWhole},
		{"the newest prompt stays", "", 100, newestPrompt},
		{"the first prompt stays", "", 100, firstPrompt},
		{"prompts stay", "clear snip collapse", 40, promptsStay},
		{"the newest messages stay", "snip collapse", 20, newestStay},
		{"what is protected stays", "snip", 15, protectedStays},
		{"earlier cuts stay", "snip collapse", 10, cutsStay},
		{"long prompts in the run are shortened", "snip collapse", 1, longShortened},
		{"one run is cut", "snip", 15, oneRun},
		{"no more is cut than needed", "snip", 5, noMoreThanNeeded},
		{"only old results are cleared", "clear", 30, onlyOldCleared},
		{"all old results are cleared", "clear", 30, allOldCleared},
		{"it gets smaller", "", 50, smaller},
		{"what is before the edits keeps its bytes", "", 20, prefixStays},
		{"the same view gives the same edits", "clear snip", 50, sameEdits},
		{"there is nothing to do twice", "clear snip", 50, notTwice},
		{"nothing done changes nothing", "", 30, leftAlone},
		{"edits stand in order", "", 50, inOrder},
		{growing, "", 300, nil},
		{replaying, "", 30, nil},
	}
}

// What is looked at between the runs and at the end.
const (
	growing   = "requests between edits only grow"
	replaying = "the same records give the same view"
)

// tally is what came of the properties.
type tally struct {
	seen   map[string]int
	faults map[string][]string
}

// check looks at one run.
func (t tally) check(c change) {
	for _, p := range properties() {
		if p.holds == nil || p.stages != "" && !slices.Contains(strings.Fields(p.stages), c.stage.Name()) {
			continue
		}
		seen, err := p.holds(c)
		if seen {
			t.seen[p.name]++
		}
		if err != nil {
			t.faults[p.name] = append(t.faults[p.name], fmt.Sprintf("%s (%s) with %d messages: %v", c.stage.Name(), c.why, len(c.before), err))
		}
	}
}

// requests gives a function that wants each request to begin with the one
// before it, unless there was an edit between them.
func (t tally) requests() func(*history) {
	var last []string
	edits := 0
	return func(h *history) {
		now := digests(llm.Mend(h.log.Messages(), h.model.Info()))
		if last != nil && edits == h.edits {
			t.seen[growing]++
			if len(now) < len(last) || !slices.Equal(now[:len(last)], last) {
				t.faults[growing] = append(t.faults[growing], fmt.Sprintf("that of %d messages does not begin with the one before it, of %d", len(now), len(last)))
			}
		}
		last, edits = now, h.edits
	}
}

// oneHistory checks all that happens in a random history.
func oneHistory(seed uint64, acts int) tally {
	t := tally{map[string]int{}, map[string][]string{}}
	requests := func(*history) {}
	if seed%5 == 0 { // it takes long
		requests = t.requests()
	}
	h := randomHistory(seed, acts, t.check, requests)
	h.anyOrder()
	if seed%3 == 0 { // this too
		t.seen[replaying]++
		if err := replays(h); err != nil {
			t.faults[replaying] = append(t.faults[replaying], err.Error())
		}
	}
	return t
}

const allActs = 1000

// seeds are those that failed once, and the first so many others.
// MINICODE_SEED names a single one, MINICODE_CASES how many there are.
// MINICODE_PROPERTY makes the first history that breaks it the last one.
func seeds(t *testing.T, cases int) (out []uint64) {
	if one, err := strconv.ParseUint(os.Getenv("MINICODE_SEED"), 10, 64); err == nil {
		return []uint64{one}
	}
	if many, err := strconv.Atoi(os.Getenv("MINICODE_CASES")); err == nil {
		cases = many
	}
	f, err := os.Open("testdata/seeds")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if seed, err := strconv.ParseUint(strings.TrimSpace(strings.Split(lines.Text(), "#")[0]), 10, 64); err == nil {
			out = append(out, seed)
		}
	}
	for i := range cases {
		out = append(out, uint64(i))
	}
	return out
}

func TestProperties(t *testing.T) {
	cases := 150
	if raceDetector {
		cases = 50
	}
	all := seeds(t, cases)
	sum := tally{map[string]int{}, map[string][]string{}}
	for _, seed := range all {
		one := oneHistory(seed, allActs)
		for name, n := range one.seen {
			sum.seen[name] += n
		}
		for name, faults := range one.faults {
			sum.faults[name] = append(sum.faults[name], fmt.Sprintf("seed %d: %s", seed, faults[0]))
		}
		if len(sum.faults[os.Getenv("MINICODE_PROPERTY")]) > 0 {
			break
		}
	}
	for _, p := range properties() {
		t.Run(p.name, func(t *testing.T) {
			faults := sum.faults[p.name]
			if len(faults) > 0 {
				t.Errorf("%d of %d histories fail; keep the seed in testdata/seeds.\n%s\n%s", len(faults), len(all), faults[0], smallest(p.name, faults[0]))
			}
			t.Logf("%d runs in which it could have failed", sum.seen[p.name])
			if len(all) >= 100 && sum.seen[p.name] < p.least*len(all)/100 {
				t.Errorf("only %d runs could have failed, want %d", sum.seen[p.name], p.least*len(all)/100)
			}
		})
	}
}

// smallest looks for the shortest beginning of the history that fails too.
func smallest(name, fault string) string {
	if os.Getenv("MINICODE_PROPERTY") != "" {
		return ""
	}
	var seed uint64
	fmt.Sscanf(fault, "seed %d:", &seed)
	for acts := range 200 {
		if f := oneHistory(seed, acts).faults[name]; len(f) > 0 {
			return fmt.Sprintf("with the first %d acts: %s", acts, f[0])
		}
	}
	return ""
}

// TestPropertiesAreNamed keeps two properties from sharing a name, which the
// planted faults go by.
func TestPropertiesAreNamed(t *testing.T) {
	names := map[string]int{}
	for _, p := range properties() {
		names[p.name]++
	}
	if len(names) != len(properties()) {
		t.Errorf("%d properties have %d names", len(properties()), len(slices.Collect(maps.Keys(names))))
	}
}

// TestPipelineRests: however full a conversation is, and whatever the model
// says that is to summarize it, the stages together stop asking for more.
func TestPipelineRests(t *testing.T) {
	edits, full := 0, 0
	cases := 60
	if raceDetector {
		cases = 15
	}
	for _, seed := range seeds(t, cases) {
		h := randomHistory(seed, allActs, nil, func(*history) {})
		p := compact.Pipeline{Meter: h.meter}
		for i, s := range h.stages() {
			p.Rules = append(p.Rules, compact.Rule{Above: []float64{0.50, 0.70, 0.75, 0.85}[i], Stage: s})
		}
		if h.view("").Used.Share() >= 0.5 {
			full++
		}
		passes, more := 0, true
		for ; more; passes++ {
			more = false
			for e, err := range p.Compact(t.Context(), func() event.View { return h.view("") }, event.Threshold) {
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := e.(event.Edited); ok {
					h.add(e)
					more = true
					edits++
					if e.After > e.Before || e.Error == "" && e.After == e.Before {
						t.Errorf("seed %d: %s made %d tokens of %d", seed, e.Stage, e.After, e.Before)
					}
				}
			}
			if passes > 10 {
				t.Fatalf("seed %d: it does not rest", seed)
			}
		}
	}
	t.Logf("%d edits in %d histories that were full", edits, full)
	if edits < full || full < cases/3 {
		t.Error("too few were full")
	}
}
