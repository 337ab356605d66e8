package app

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// longScript is a model that works through prompts, each in so many steps of
// which the last one is its final answer. Where it stands it reads off the
// request: it remembers nothing.
type longScript struct {
	steps  int // of each prompt
	canary *regexp.Regexp
}

func newLongScript(steps int) longScript {
	return longScript{steps: steps, canary: regexp.MustCompile(`KQ\d{4}`)}
}

// constraint is what the first prompt asks for ever.
const constraint = "Constraint KQ0000: never touch the directory called keep, whatever a later request says"

// canaryOf is a word that is said in one prompt only.
func canaryOf(n int) string { return fmt.Sprintf("KQ%04d", n) }

// promptText is the prompt of that number, from 1.
func promptText(n int) string {
	topics := []string{"the reader", "the ledger", "the index", "the printer", "the parser", "the archive", "the mailer"}
	text := fmt.Sprintf("Request %03d (%s). Look at %s and at %s, note what does not fit, and bring the %d reports about it up to date. "+
		"Leave the wording of headings alone & keep lines \"short\".\nSay at the end what you changed.", n, canaryOf(n), topics[n%7], topics[(n/7+3)%7], n%5+2)
	if n == 1 {
		text += "\n" + constraint + "."
	}
	return text
}

// promptNumber is the number of the prompt that the text is, or 0.
func promptNumber(text string) int {
	var n int
	if _, err := fmt.Sscanf(text, "Request %03d (KQ", &n); err != nil {
		return 0
	}
	return n
}

// callID is the id of one call; it says where the script stands.
func callID(prompt, step, call int) string {
	return fmt.Sprintf("toolu_%03d_%04d_%d", prompt, step, call)
}

func standsAt(id string) (prompt, step int) {
	var call int
	if n, err := fmt.Sscanf(id, "toolu_%03d_%04d_%d", &prompt, &step, &call); n != 3 || err != nil {
		return 0, 0
	}
	return prompt, step
}

// thinkingOf is what was thought before a call of the script's, "" for other
// calls. The signature is one that the strict server knows.
func thinkingOf(id string) (text, signature string) {
	prompt, step := standsAt(id)
	if step == 0 {
		return "", ""
	}
	text = fmt.Sprintf("Step %d of request %d. ", step, prompt) + strings.Repeat("What fits, and what comes next? ", 1+(prompt+step)%6)
	sum := sha256.Sum256([]byte("llmtest thinking\n" + text))
	return text, "llmtest" + base64.StdEncoding.EncodeToString(sum[:])
}

// scripted is an answer.
type scripted struct {
	parts []scriptedPart
	stop  string
}

// scriptedPart is a thought, a text or a call.
type scriptedPart struct{ thinking, signature, text, id, name, args string }

func (p scriptedPart) tokens() int {
	return 4 + tokensIn(p.thinking) + len(p.signature)/8 + tokensIn(p.text) + tokensIn(p.name) + tokensIn(p.args)
}

// sse is the answer as the Messages API streams it.
func (a scripted) sse(u llm.Usage) string {
	usage := func(output int) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}`, u.Input, u.CacheWrite, u.CacheRead, output)
	}
	events := []string{`{"type":"message_start","message":{"id":"msg","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":` + usage(1) + `}}`}
	for i, p := range a.parts {
		start, deltas := `{"type":"text","text":""}`, []string{`{"type":"text_delta","text":` + quote(p.text) + `}`}
		switch {
		case p.thinking != "":
			start = `{"type":"thinking","thinking":"","signature":""}`
			deltas = []string{`{"type":"thinking_delta","thinking":` + quote(p.thinking) + `}`, `{"type":"signature_delta","signature":` + quote(p.signature) + `}`}
		case p.name != "":
			start = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, p.id, p.name)
			deltas = []string{`{"type":"input_json_delta","partial_json":` + quote(p.args) + `}`}
		}
		events = append(events, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, start))
		for _, d := range deltas {
			events = append(events, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d))
		}
		events = append(events, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
	}
	events = append(events, `{"type":"message_delta","delta":{"stop_reason":"`+a.stop+`"},"usage":`+usage(u.Output)+`}`, `{"type":"message_stop"}`)
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

// count is how often the text stands in the request as one of the user's own.
func (q *asked) count(text string) (n int) {
	for _, m := range q.messages {
		for _, b := range m.blocks {
			if m.role == "user" && b.kind == "text" && b.text == text {
				n++
			}
		}
	}
	return n
}

// stands says which prompt the request is at, and how many steps of it were
// made.
func (q *asked) stands() (prompt, made int, wording string) {
	kept := ""
	for _, m := range q.messages {
		for _, b := range m.blocks {
			if n := promptNumber(b.text); m.role == "user" && b.kind == "text" && n > 0 {
				if at := strings.Index(b.text, "Constraint"); n == 1 && at > 0 {
					kept = b.text[at:]
				}
				if n >= prompt {
					prompt, wording = n, b.text
				}
			}
		}
	}
	for _, m := range slices.Backward(q.messages) {
		if m.role == "assistant" {
			for _, b := range m.blocks {
				if p, s := standsAt(b.call); p == prompt {
					made = s
				}
			}
			break
		}
	}
	return prompt, made, "Asked: " + wording + "\nKept: " + kept
}

// newest is the result of the newest answer's first call, "" if there is none.
func (q *asked) newest() string {
	for _, b := range q.messages[len(q.messages)-1].blocks {
		if b.kind == "tool_result" {
			return b.text
		}
	}
	return ""
}

// answer is the next step.
func (s longScript) answer(q *asked) scripted {
	prompt, made, wording := q.stands()
	step := made + 1
	id := callID(prompt, step, 0)
	text, signature := thinkingOf(id)
	a := scripted{stop: "tool_use", parts: []scriptedPart{{thinking: text, signature: signature}}}
	if step >= s.steps {
		a.stop = "end_turn"
		a.parts = append(a.parts, scriptedPart{text: fmt.Sprintf("Answer %03d.\n%s", prompt, wording)})
		return a
	}
	n := (prompt-1)*s.steps + step
	if n%4 == 1 {
		a.parts = append(a.parts, scriptedPart{text: fmt.Sprintf("I go on with part %d.", n)})
	}
	for i, c := range s.calls(n, q) {
		c.id = callID(prompt, step, i)
		a.parts = append(a.parts, c)
	}
	return a
}

func asCall(name string, args map[string]any) scriptedPart {
	text, _ := json.Marshal(args)
	return scriptedPart{name: name, args: string(text)}
}

func reading(path string, args ...any) scriptedPart {
	return asCall("read_file", map[string]any{"path": fmt.Sprintf(path, args...)})
}

const (
	sources = 40 // files of 0.8 to 5 kB
	larges  = 6  // files of 10 kB
)

// calls is the calls of the step of that number.
func (s longScript) calls(n int, q *asked) (calls []scriptedPart) {
	counter := 0
	if _, after, ok := strings.Cut(q.newest(), "counter: "); ok {
		fmt.Sscan(after, &counter)
	}
	switch {
	case n == 3:
		return []scriptedPart{asCall("todo_write", map[string]any{"items": []map[string]string{{"text": openTodo, "status": "pending"}}})}
	case n%151 == 150: // more than one batch may have
		for i := range larges {
			calls = append(calls, reading("large/%d.txt", i))
		}
		return calls
	case n%97 == 96: // more than one result may have
		return []scriptedPart{asCall("run_command", map[string]any{"command": "seq 1 20000"})}
	case n%27 == 12:
		return []scriptedPart{reading("work.txt")}
	case n%27 == 13 && counter > 0:
		return []scriptedPart{asCall("edit_file", map[string]any{
			"path": "work.txt", "search": fmt.Sprintf("counter: %d\n", counter), "replace": fmt.Sprintf("counter: %d\n", counter+1),
		})}
	case n%9 == 0:
		return []scriptedPart{asCall("write_file", map[string]any{"path": fmt.Sprintf("out/%04d.txt", n), "content": prose(n, 900)})}
	case n%11 == 5:
		return []scriptedPart{reading("missing/%04d.txt", n)}
	case n%7 == 3:
		return []scriptedPart{asCall("grep_files", map[string]any{"pattern": fmt.Sprintf("item %d[0-9] ", n%9+1), "path": "src"})}
	case n%13 == 7:
		return []scriptedPart{asCall("run_command", map[string]any{"command": "seq -f 'line %g of the report' 1 120"})}
	case n%10 == 4:
		for i := range 3 {
			calls = append(calls, reading("src/%02d.txt", (n*5+i)%sources))
		}
		return calls
	}
	return []scriptedPart{reading("src/%02d.txt", n*7%sources)}
}

// openTodo is never done.
const openTodo = "tidy up the shelf KQ9999"

// localRule is an instruction of a directory that the model comes to.
const localRule = "Count the items of this directory from one"

// prose is about that many characters of text.
func prose(seed, chars int) string {
	words := strings.Fields("the report says that every item of a list was weighed twice and put back where func main() { return err } begins = 12;")
	var b strings.Builder
	for i := 0; b.Len() < chars; i++ {
		if i%12 == 0 {
			fmt.Fprintf(&b, "\nitem %d ", i/12+seed%17)
		}
		b.WriteString(words[(i*(seed%7+1)+seed)%len(words)] + " ")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// writeWorld makes the files that the script reads.
func writeWorld(dir string) error {
	files := map[string]string{"work.txt": prose(5, 600) + "counter: 1\n" + prose(6, 600), "src/AGENTS.md": localRule + ".\n"}
	for i := range sources {
		files[fmt.Sprintf("src/%02d.txt", i)] = prose(i, 800+i*37%11*400)
	}
	for i := range larges {
		files[fmt.Sprintf("large/%d.txt", i)] = prose(100+i, 10_000)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// canaries is every word of the script's in the text, once.
func (s longScript) canaries(text string) []string {
	all := s.canary.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// digest is the answer to a request for a summary: short, but with every
// canary that stands in it.
func (s longScript) digest(q *asked) scripted {
	var b strings.Builder
	for _, m := range q.messages {
		for _, part := range m.blocks {
			b.WriteString(part.text + "\n")
		}
	}
	text := "<analysis>\nThe reports come first.\n</analysis>\n<summary>\n## Primary Request\nReports are brought up to date: " +
		strings.Join(s.canaries(b.String()), " ") + "\n\n## Current State\nFiles were read and some written.\n</summary>"
	return scripted{stop: "end_turn", parts: []scriptedPart{{text: text}}}
}

func sortedStrings(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return out
}
