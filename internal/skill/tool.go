package skill

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/nearest"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// ToolName is the name of the tool that loads a skill.
const ToolName = "load_skill"

//go:embed load_skill.md
var toolText string

//go:embed load_skill.json
var toolSchema string

type loadInput struct {
	Name string `json:"name"`
}

const (
	resultChars = 50_000 // of a result, where the caller knows no other limit
	maxFiles    = 40     // of a skill that are listed
	maxLooked   = 2_000  // names that are looked at for it
)

// Tool gives the model the skills; none where there are none to load. A result
// has at most nine tenths of limit characters (0: 50,000), so that it is never
// persisted: what is longer is read on with read_file.
//
// A skill that is for the person to choose is loaded only if its name is among
// those chosen. The tool declares the read of the skill's file. That it also names the files
// beside it needs no other permission than that one.
func (c Catalog) Tool(limit int, chosen ...string) (tool.Tool, bool) {
	if len(c.Skills) == 0 {
		return nil, false
	}
	if limit <= 0 {
		limit = resultChars
	}
	spec := llm.ToolSpec{Name: ToolName, Description: strings.TrimSpace(toolText), Schema: json.RawMessage(strings.TrimSpace(toolSchema))}
	return tool.New(spec, func(_ context.Context, in loadInput) (tool.Action, error) {
		s, ok := c.Get(strings.TrimSpace(in.Name))
		if !ok {
			return tool.Action{}, errors.New(c.unknown(in.Name))
		}
		if s.Manual && !s.in(chosen) {
			return tool.Action{}, fmt.Errorf("only the user may choose the skill %s, by typing /%s", s.Name, s.Name)
		}
		return tool.Action{
			Title:   "Load the skill " + s.Name,
			Effects: []event.Effect{{Kind: event.Read, Target: s.File}},
			Run: func(context.Context, tool.Emit) (tool.Result, error) {
				text, err := s.load(limit * 9 / 10)
				if err != nil {
					return tool.Result{}, err
				}
				return tool.TextResult(text), nil
			},
		}, nil
	}), true
}

func (c Catalog) unknown(name string) string {
	var all []string
	for _, s := range c.Skills {
		if !s.Manual {
			all = append(all, s.Name)
		}
	}
	text := "Unknown skill: " + clip(plain(name), maxName)
	if len(all) > 0 {
		text += ". The nearest are: " + strings.Join(nearest.Names(clip(name, maxName), all, 3), ", ")
	}
	return text
}

// load reads the skill as it is now.
func (s Skill) load(limit int) (string, error) {
	d, err := s.Root.openDirectory(s.Dir)
	if err != nil {
		return "", fmt.Errorf("the skill %s is not there any more: %w", s.Name, err)
	}
	defer d.close()
	f, info, err := d.openFile(filepath.Base(s.File))
	if err != nil {
		return "", fmt.Errorf("the skill %s cannot be read: %w", s.Name, unwrapped(s.File, err))
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxHead+int64(limit)*utf8.UTFMax))
	if err != nil {
		return "", fmt.Errorf("the skill %s cannot be read: %w", s.Name, err)
	}
	doc, err := read(whole(raw, info.Size()))
	if err != nil {
		return "", fmt.Errorf("the skill %s cannot be read: %w", s.Name, unwrapped(s.File, err))
	}
	cut := int64(len(raw)) < info.Size()
	head := s.head(d)
	body := strings.ReplaceAll(strings.Trim(doc.body, "\n"), "${CLAUDE_SKILL_DIR}", s.Dir)
	first := doc.line + strings.Count(doc.body[:len(doc.body)-len(strings.TrimLeft(doc.body, "\n"))], "\n")
	// Room for the line that says where to go on, which is shorter than this.
	room := limit - utf8.RuneCountInString(head) - len(s.File) - 100
	if !cut && utf8.RuneCountInString(body) <= room {
		return head + "\n" + body, nil
	}
	body, lines := firstLines(body, max(room, 0))
	return head + fmt.Sprintf("TRUNCATED: yes - call read_file with the path %s and offset %d for the rest\n\n", s.File, first+lines) + body, nil
}

// head is what precedes the skill's text.
func (s Skill) head(d directory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "SKILL: %s\nSOURCE: %s\nPATH: %s\n", s.Name, s.Root.Scope, s.File)
	if s.Compatibility != "" {
		fmt.Fprintf(&b, "COMPATIBILITY: %s\n", s.Compatibility)
	}
	fmt.Fprintf(&b, "DIRECTORY: %s (paths in the skill are relative to it)\n", s.Dir)
	if files, more := d.companions(filepath.Base(s.File)); len(files) > 0 {
		b.WriteString("FILES: (read one when the skill says so)\n")
		for _, name := range files {
			b.WriteString(filepath.Join(s.Dir, name) + "\n")
		}
		if more > 0 {
			fmt.Fprintf(&b, "and %d more\n", more)
		}
	}
	return b.String()
}

// companions are the files beside the skill's own, those nearer first, and
// how many more were seen. Links and what is hidden are left out.
func (d directory) companions(own string) (files []string, more int) {
	looked := 0
	level := []string{"."}
	for depth := 0; depth <= maxDepth && len(level) > 0; depth++ {
		var next []string
		for _, rel := range level {
			entries, _, _ := d.list(rel, maxLooked-looked) // what cannot be read is not listed
			looked += len(entries)
			for _, e := range entries {
				name := filepath.Join(rel, e.Name())
				switch {
				case passedOver(e.Name()) || name == own || plain(name) != name:
				case e.IsDir():
					next = append(next, name)
				case !e.Type().IsRegular():
				case len(files) < maxFiles:
					files = append(files, name)
				default:
					more++
				}
			}
		}
		level = next
	}
	return files, more
}

// firstLines is as many whole lines as have at most limit characters, and
// their number.
func firstLines(text string, limit int) (string, int) {
	size, chars, lines := 0, 0, 0
	for line := range strings.Lines(text) {
		chars += utf8.RuneCountInString(line)
		if chars > limit {
			break
		}
		size += len(line)
		lines++
	}
	return text[:size], lines
}

// Loads is a fold over messages: which skills were loaded in them. The zero
// value has seen none. It is not safe for concurrent use.
type Loads struct {
	asked map[string]string // names by the ids of calls that have no result yet
	names []string
}

// Add takes the next message.
func (l *Loads) Add(m llm.Message) {
	for _, call := range m.Calls() {
		var in loadInput
		if call.Name == ToolName && json.Unmarshal(call.Args, &in) == nil {
			if l.asked == nil {
				l.asked = map[string]string{}
			}
			l.asked[call.ID] = strings.TrimSpace(in.Name)
		}
	}
	r, ok := m.Result()
	if !ok {
		return
	}
	name := l.asked[r.Call]
	delete(l.asked, r.Call)
	if name != "" && !r.Error && !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
}

// Names are those of the skills that were loaded, in their order.
func (l *Loads) Names() []string { return slices.Clone(l.names) }

// Loaded are the names of the skills that were loaded in these messages, in
// their order. Of the messages of one turn, they are those whose allowances
// hold; of all, those whose directories are free to read.
func Loaded(messages []llm.Message) []string {
	var l Loads
	for _, m := range messages {
		l.Add(m)
	}
	return l.Names()
}
