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
		{"prompts stay", "clear snip collapse offload images", 40, promptsStay},
		{"the newest messages stay", "snip collapse", 20, newestStay},
		{"what is protected stays", "snip", 15, protectedStays},
		{"open rounds stay", "snip collapse", 10, openStay},
		{"earlier cuts stay", "snip collapse", 10, cutsStay},
		{"long prompts in the run are shortened", "snip collapse", 1, longShortened},
		{"one run is cut", "snip", 15, oneRun},
		{"no more is cut than needed", "snip", 5, noMoreThanNeeded},
		{"only old results are cleared", "clear", 30, onlyOldCleared},
		{"all old results are cleared", "clear", 30, allOldCleared},
		{"two digests at most in a pass", "collapse", 2, twoDigests},
		{"the newest prompt parts digests", "collapse", 5, newestPromptParts},
		{"a summary leaves the newest rounds", "summarize", 20, tailStays},
		{"a batch fits", "offload", 20, batchFits},
		{"the largest results of a batch go", "offload", 20, largestGo},
		{"what leaves a batch is in its file", "offload", 10, inItsFile},
		{"no picture is left", "images", 20, noPictures},
		{"it gets smaller", "", 50, smaller},
		{"what is before the edits keeps its bytes", "", 20, prefixStays},
		{"the same view gives the same edits", "", 50, sameEdits},
		{"there is nothing to do twice", "", 50, notTwice},
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
	orders map[[2]string]int // where the second stage worked on what the first had left
}

func newTally() tally {
	return tally{map[string]int{}, map[string][]string{}, map[[2]string]int{}}
}

// check looks at one run.
func (t tally) check(c change) {
	for _, p := range properties() {
		if p.holds == nil || !wanted(p.name) || p.stages != "" && !slices.Contains(strings.Fields(p.stages), c.stage.Name()) {
			continue
		}
		seen, err := p.holds(c)
		if seen {
			t.seen[p.name]++
			t.seen[p.name+" "+c.stage.Name()]++
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
	t := newTally()
	requests := func(*history) {}
	if seed%5 == 0 && wanted(growing) { // it takes long
		requests = t.requests()
	}
	h := randomHistory(seed, acts, t.check, requests)
	var did []string
	for _, c := range h.anyOrder() {
		if changed(c) {
			for _, before := range did {
				t.orders[[2]string{before, c.stage.Name()}]++
			}
			did = append(did, c.stage.Name())
		}
	}
	if seed%3 == 0 && wanted(replaying) { // this too
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
// MINICODE_PROPERTY is the only one looked at, and makes the first history that
// breaks it the last one.
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

// wanted says whether the property is looked at.
func wanted(property string) bool {
	only := os.Getenv("MINICODE_PROPERTY")
	return only == "" || only == property
}

// enough says whether a test has failed that is only to show that it can.
func enough(t *testing.T) bool { return t.Failed() && os.Getenv("MINICODE_PROPERTY") != "" }

func TestProperties(t *testing.T) {
	cases := 130
	if raceDetector {
		cases = 50
	}
	all := seeds(t, cases)
	t.Chdir(t.TempDir()) // where results go to files
	sum := newTally()
	for _, seed := range all {
		one := oneHistory(seed, allActs)
		for name, n := range one.seen {
			sum.seen[name] += n
		}
		for order, n := range one.orders {
			sum.orders[order] += n
		}
		for name, faults := range one.faults {
			sum.faults[name] = append(sum.faults[name], fmt.Sprintf("seed %d: %s", seed, faults[0]))
		}
		if len(sum.faults[os.Getenv("MINICODE_PROPERTY")]) > 0 {
			break
		}
	}
	t.Run("every order", func(t *testing.T) { sum.everyOrder(t, len(all)) })
	for _, p := range properties() {
		t.Run(p.name, func(t *testing.T) {
			faults := sum.faults[p.name]
			if len(faults) > 0 {
				t.Errorf("%d of %d histories fail; keep the seed in testdata/seeds.\n%s\n%s", len(faults), len(all), faults[0], smallest(p.name, faults[0]))
			}
			t.Logf("%d runs in which it could have failed%s", sum.seen[p.name], sum.byStage(p.name))
			if len(all) >= 100 && sum.seen[p.name] < p.least*len(all)/100 {
				t.Errorf("only %d runs could have failed, want %d", sum.seen[p.name], p.least*len(all)/100)
			}
		})
	}
}

// everyStage is all that have edits to propose.
func everyStage() []string {
	return []string{"offload", "clear", "snip", "collapse", "summarize", "images"}
}

// everyOrder wants each stage to have worked on what each other left.
func (t tally) everyOrder(test *testing.T, histories int) {
	for _, first := range everyStage() {
		line := ""
		for _, then := range everyStage() {
			n := t.orders[[2]string{first, then}]
			line += fmt.Sprintf(" %s %d", then, n)
			if n == 0 && first != then && histories >= 100 {
				test.Errorf("%s never worked on what %s had left", then, first)
			}
		}
		test.Logf("after %s:%s", first, line)
	}
}

// byStage tells of which stages the runs were.
func (t tally) byStage(property string) (out string) {
	for _, stage := range everyStage() {
		if n := t.seen[property+" "+stage]; n > 0 {
			out += fmt.Sprintf(", %s %d", stage, n)
		}
	}
	return out
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
					if e.After > e.Before || len(e.Edits) > 0 && e.After == e.Before { // without edits it is what a fault cost
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
