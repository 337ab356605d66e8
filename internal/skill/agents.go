package skill

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Agent is the definition of a sub-agent: a Markdown file whose text is its
// system prompt.
type Agent struct {
	Name        string
	Description string   // one line, at most 1,024 characters: when to use it
	Tools       []string // those that it may use, as written; nil for all that there are
	Not         []string // those that it may not use, as written
	Model       string   // "" for its parent's
	Mode        string   // a permission mode, as written; "" for its parent's
	MaxSteps    int      // 0 for its parent's
	Effort      string   // "" for its parent's
	Text        string
	File        string // absolute
	Root        Root
	Faults      []string // what is wrong with it and was put up with
}

// Agents are the definitions that were found.
type Agents struct {
	All     []Agent  // names are unique, whatever their case
	Trouble []string // what could not be used and why, a line each, for the person
}

const maxAgents = 100 // of one root

// Agents is the roots of definitions of sub-agents, those that win first.
func (p Places) Agents() []Root { return p.roots("agents", ".minicode", ".claude") }

// FindAgents looks for definitions in the roots, of which the first wins where
// names collide. Roots that are not trusted have none: a definition says what
// a model is told. A root that does not exist has none either.
func FindAgents(roots []Root) Agents {
	var out Agents
	taken := map[string]string{}
	for _, root := range roots {
		found := &finder{root: root}
		for _, a := range found.agents() {
			key := strings.ToLower(a.Name)
			switch {
			case !root.Trusted:
				found.tell("the agent %s is left out because the project is not trusted", a.Name)
			case taken[key] != "":
				found.tell("the agent %s in %s is hidden by %s", a.Name, a.File, taken[key])
			default:
				taken[key] = a.File
				out.All = append(out.All, a)
			}
		}
		out.Trouble = append(out.Trouble, found.told()...)
	}
	return out
}

func (f *finder) agents() []Agent {
	base, err := f.root.openDirectory(f.root.Dir)
	if err != nil {
		return nil // most projects have none
	}
	defer base.close()
	var out []Agent
	for _, e := range f.list(base, ".") {
		if e.IsDir() || passedOver(e.Name()) || !strings.EqualFold(filepath.Ext(e.Name()), ".md") {
			continue
		}
		if len(out) == maxAgents {
			f.tell("%s has more than %d agents: the rest is left out", f.root.Dir, maxAgents)
			break
		}
		a, err := newAgent(f.root, base, e.Name())
		if err != nil {
			f.tell("the agent in %s is left out: %v", filepath.Join(base.path, e.Name()), err)
			continue
		}
		out = append(out, a)
	}
	return out
}

func newAgent(root Root, base directory, file string) (Agent, error) {
	a := Agent{Root: root, File: filepath.Join(base.path, file)}
	f, info, err := base.openFile(file)
	if err != nil {
		return a, unwrapped(file, err)
	}
	defer f.Close()
	if info.Size() > maxCommandText {
		return a, fmt.Errorf("it has %d bytes, more than the %d of a prompt", info.Size(), maxCommandText)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxCommandText))
	if err != nil {
		return a, unwrapped(file, err)
	}
	doc, err := read(raw)
	if err != nil {
		return a, err
	}
	if a.Name = doc.text("name"); a.Name == "" {
		a.Name = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if !usable(a.Name) || strings.ContainsAny(a.Name, ":/ ") {
		return a, fmt.Errorf("%s is no name for it: use letters, digits and hyphens", show(a.Name))
	}
	if a.Text = strings.TrimSpace(doc.body); a.Text == "" {
		return a, errors.New("there is nothing in it to tell a model")
	}
	if a.Description = doc.text("description"); a.Description == "" {
		a.Description = doc.summary()
	}
	a.Description = clip(a.Description, 1024)
	if a.Tools = doc.tools("tools"); len(a.Tools) == 1 && a.Tools[0] == "*" {
		a.Tools = nil
	}
	a.Not = doc.tools("disallowedtools")
	if a.Model = clip(doc.text("model"), 200); a.Model == "inherit" {
		a.Model = ""
	}
	a.Mode, a.Effort = doc.text("permissionmode"), doc.text("effort")
	if n, err := strconv.Atoi(doc.text("maxturns")); err == nil && n > 0 {
		a.MaxSteps = n
	}
	a.Faults = doc.faults
	return a, nil
}
