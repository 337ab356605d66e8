package session

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// TestSkimming: what is found in a line without parsing it is what parsing it
// finds.
func TestSkimming(t *testing.T) {
	t.Parallel()
	skimmed := 0
	for seed := range uint64(6) {
		s := newStore(t)
		l := conversation(t, s, seed, 8, seed%3 == 0)
		for line := range bytes.Lines(readFile(t, l.Path())) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			r, err := event.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			env, ok := scanEnvelope(line)
			if !ok {
				t.Fatalf("no envelope in %s", line)
			}
			same(t, "head", r.Head, env.head())
			fast, err := decodeLine(line)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "record", r, fast)
			if sc := (scan{line: line, at: env.body}); r.Type == "message" {
				if sc.message(); sc.failed {
					t.Errorf("not the shape of what is written: %s", line)
				}
			}
			var e entry
			if r.Type == "message" && e.skim(line, env.body) {
				skimmed++
			}
			got, err := readEntry(line)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entryOf(r), got, cmp.AllowUnexported(entry{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s\n%s", line, diff)
			}
		}
	}
	if skimmed < 200 {
		t.Errorf("only %d messages were skimmed", skimmed)
	}
}

// TestOtherOrder: lines whose keys stand in another order, or that hold more
// than this program knows, are read as well.
func TestOtherOrder(t *testing.T) {
	want := entry{id: "i", parent: "p", turn: 3, form: message, said: llm.Work, answer: true, calls: []string{"c"}, usage: llm.Usage{Input: 4}}
	body := `"role":"assistant","kind":"work","parts":[{"type":"tool_call","id":"c","name":"n"}]`
	for name, line := range map[string]string{
		"order":         `{"turn":3,"id":"i","type":"message","parent":"p",` + body + `,"usage":{"input":4}}`,
		"blanks":        `{ "type": "message", "id": "i", "parent": "p", "turn": 3, ` + body + `, "usage": { "input": 4 } }`,
		"later field":   `{"type":"message","id":"i","parent":"p","turn":3,"time":"x","session":"","cwd":"",` + body + `,"usage":{"input":4},"later":{}}`,
		"usage earlier": `{"type":"message","id":"i","parent":"p","turn":3,"time":"0001-01-01T00:00:00Z","session":"","cwd":"","usage":{"input":4},` + body + `}`,
		"escapes":       `{"type":"message","id":"i","parent":"p","turn":3,"time":"0001-01-01T00:00:00Z","session":"","cwd":"\u002f\"",` + strings.Replace(body, `"c"`, `"\u0063"`, 1) + `,"usage":{"input":4}}`,
	} {
		got, err := readEntry([]byte(line))
		if name == "later field" {
			got, err = readEntry([]byte(strings.Replace(line, `"x"`, `"0001-01-01T00:00:00Z"`, 1)))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzEntry(f *testing.F) {
	f.Add(`{"type":"message","id":"i","parent":"p","turn":3,"time":"0001-01-01T00:00:00Z","session":"","cwd":"/","role":"tool","kind":"result","parts":[{"type":"tool_result","call":"c","name":"n","parts":[],"meta":{"read":[{"path":"/a","sha256":"x"}]}}]}`)
	f.Add(`{"type":"decided","id":"i","parent":null,"turn":0,"time":"","session":"","cwd":"","call":"c","tool":"t","allow":true,"by":"","grant":{"scope":"turn","rules":["a"]}}`)
	f.Add(`{"type":"message","id":"i","parent":"p","turn":3,"time":"2026-01-01T00:00:00.123Z","session":"","cwd":"/\u00e9","role":"assistant","kind":"work","parts":[{"type":"text","text":"a\n\ud83d\ude00\ud83d"},{"type":"thinking","text":"x","signature":"s","raw":"{\"a\": [\"}\"]}"},{"type":"image","media":"m","sha256":"x"},{"type":"tool_call","id":"c","name":"n","args":{"a":"\"{"},"malformed":"m","wire":"w","signature":"s"}],"model":"m","stop":"s","usage":{"input":1,"output":2}}`)
	f.Add(`{"type":"message","id":"i","parent":"p","turn":3,"time":"2026-01-01T00:00:00.123Z","session":"","cwd":"/","role":"assistant","kind":"work","parts":[],"estimate":1200,"usage":{"input":1,"output":2}}`)
	f.Add(`{"type":"message","id":"i","parent":"p","turn":3,"time":"2026-01-01T00:00:00.123Z","session":"","cwd":"/","role":"assistant","kind":"work","parts":[],"estimate":007}`)
	f.Add(`{"type":"edited","id":"i","parent":"p","turn":3,"time":"2026-01-01T00:00:00.123Z","session":"","cwd":"/","stage":"summarize","why":"manual","before":1,"after":1,"error":"empty"}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, err := readEntry([]byte(line))
		r, full := event.Decode([]byte(line))
		if fast, err := decodeLine([]byte(line)); (err == nil) != (full == nil) {
			t.Fatalf("%v, decoded %v", err, full)
		} else if diff := cmp.Diff(r, fast, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if full != nil {
			return // damaged within a body that is passed over
		}
		if r.ID == "" || r.Type == "" {
			return
		}
		if err != nil {
			t.Fatalf("%v, but it decodes", err)
		}
		if e := entryOf(r); e.id != got.id || e.parent != got.parent || e.turn != got.turn || e.said != got.said {
			t.Errorf("%+v, decoded %+v", got, e)
		}
		if out, err := rewrite([]byte(line), "p2", "s2"); err != nil {
			t.Errorf("rewrite: %v", err)
		} else if again, err := event.Decode(out); err != nil || again.ID != r.ID || again.Parent != "p2" || again.Session != "s2" {
			t.Errorf("rewritten to %s: %v", out, err)
		}
	})
}
