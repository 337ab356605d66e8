package compact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/llm"
)

func TestReferenceToolResultStorage(t *testing.T) {
	const big = 50_000
	wide := 1_000_000 // a window whose share is more than the fixed limits
	here := func(t *testing.T) compact.Offload {
		return offload(filepath.Join(t.TempDir(), "results"), compact.ResultLimit(wide), compact.BatchLimit(wide))
	}
	// batch gives the ids of the calls whose results are replaced, in order.
	batch := func(t *testing.T, o compact.Offload, v event.View) (ids, texts []string) {
		t.Helper()
		work, err := o.Edits(t.Context(), v, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range work.Edits {
			r, _ := e.With[0].Result()
			ids, texts = append(ids, r.Call), append(texts, r.Parts.Text())
		}
		return ids, texts
	}
	replaces := func(want string, sizes ...int) func(t *testing.T) {
		return func(t *testing.T) {
			if got, _ := batch(t, here(t), results(sizes...)); strings.Join(got, " ") != want {
				t.Errorf("of %v %v are replaced, want %q", sizes, got, want)
			}
		}
	}
	runReference(t, 10, []referenceCase{
		{"01_one_character_more_is_persisted", "", func(t *testing.T) {
			text := strings.Repeat("é", big+1)
			r := clean(here(t), "a", text, llm.Meta{})
			saved, err := os.ReadFile(r.Meta.Saved)
			if err != nil || string(saved) != text {
				t.Errorf("%d bytes are saved: %v", len(saved), err)
			}
			got := r.Parts.Text()
			if !strings.HasPrefix(got, "<persisted-output>\nOutput too large (50K chars). Full output saved to: "+r.Meta.Saved+"\n\nPreview (first 2K chars):\né") ||
				!strings.HasSuffix(got, "é\n...\n</persisted-output>") || strings.Count(got, "é") != 2000 {
				t.Errorf("%.200q", got)
			}
		}},
		{"02_exactly_the_limit_passes", "", func(t *testing.T) {
			text := strings.Repeat("é", big)
			if r := clean(here(t), "a", text, llm.Meta{}); r.Parts.Text() != text || r.Meta.Saved != "" {
				t.Error("it was replaced")
			}
		}},
		{"03_short_results_stay", "empty ones are named by the loop", func(t *testing.T) {
			for _, text := range []string{"0", "false", "[]"} {
				if r := clean(here(t), "a", text, llm.Meta{}); r.Parts.Text() != text {
					t.Errorf("%q became %q", text, r.Parts.Text())
				}
			}
		}},
		{"04_the_limit_of_a_batch", "", func(t *testing.T) {
			replaces("", big, big, big, big)(t)
			replaces("b", 1, big, big, big, big)(t)
		}},
		{"05_largest_first_until_it_fits", "", replaces("c b", 40_000, 50_000, 60_000, 45_000, 49_000, 50_000)},
		{"06_of_two_as_large_the_smaller_id", "", replaces("a", 50_000, 50_000, 50_000, 50_000, 1)},
		{"07_the_same_bytes_again", "", func(t *testing.T) {
			o := here(t)
			text := strings.Repeat("a line\n", big)
			if first, second := clean(o, "a", text, llm.Meta{}), clean(o, "a", text, llm.Meta{}); first.Parts.Text() != second.Parts.Text() {
				t.Error("they differ")
			}
		}},
		{"08_the_same_bytes_again_in_a_batch", "what was replaced is in the log, so that nothing is left to be done", func(t *testing.T) {
			o, v := here(t), results(big, big, big, big, 1)
			_, first := batch(t, o, v)
			if _, second := batch(t, o, v); len(first) != 1 || first[0] != second[0] {
				t.Errorf("%.99q and %.99q", first, second)
			}
			work, _ := o.Edits(t.Context(), v, nil)
			v.Request.Messages = event.Apply(v.Request.Messages, work.Edits)
			if ids, _ := batch(t, o, v); len(ids) > 0 {
				t.Errorf("%v are replaced again", ids)
			}
		}},
		{"09_a_preview_is_not_persisted", "", func(t *testing.T) {
			text := "<persisted-output>\n" + strings.Repeat("x", big) + "\n</persisted-output>"
			if r := clean(here(t), "a", text, llm.Meta{}); r.Parts.Text() != text {
				t.Error("it was replaced")
			}
		}},
		{"10_ids_stay_under_the_directory", "", func(t *testing.T) {
			o := here(t)
			for _, id := range []string{"../../etc/passwd", "..", ".", "", "a/b", `a\b`, "/root", "x\x00y"} {
				r := clean(o, id, strings.Repeat("x", big+1), llm.Meta{})
				if dir := filepath.Dir(r.Meta.Saved); dir != o.Dir() {
					t.Errorf("%q is saved in %q, not in %q", id, dir, o.Dir())
				}
			}
		}},
	})
}
