package ruleset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/permission"
)

// Input is what a set is made from.
type Input struct {
	Settings config.Loaded
	Root     string   // of the workspace, absolute
	Cwd      string   // absolute
	Home     string   // absolute
	AddDirs  []string // that count as the workspace besides those of the settings
	Project  string   // the person's own settings file for this project
}

// Set is the policy. It is safe for concurrent use.
type Set struct {
	user, project string // the files that are written

	mu      sync.Mutex
	policy  permission.Policy // its rules are those of entries
	entries []entry
}

// entry is a rule and where it stands.
type entry struct {
	permission.Rule
	file string // "" when it stands in none
	text string // as it is spelled there
}

// New reads the policy from the settings. The problems are rules of the
// person's own that can have no effect.
func New(in Input) (s *Set, problems []string, err error) {
	c := in.Settings.Config
	s = &Set{user: in.Settings.Dirs.Settings(), project: in.Project, policy: permission.Policy{
		Root: in.Root, Cwd: in.Cwd, Home: in.Home,
		Protected:  append([]string{"/" + filepath.ToSlash(in.Settings.Dirs.Config) + "/**", "/" + filepath.ToSlash(in.Project)}, c.Permissions.Protected...),
		Secrets:    c.Permissions.Secrets,
		Additional: slices.Concat(in.AddDirs, c.Permissions.AdditionalDirectories),
	}}
	for i, dir := range s.policy.Additional {
		if !filepath.IsAbs(dir) {
			s.policy.Additional[i] = filepath.Join(in.Cwd, dir)
		}
	}
	for name, server := range c.MCPServers {
		if in.Settings.Origins["mcpServers."+name+".readOnlyTools"].Layer == config.LayerProject {
			continue // a repository does not say what only reads
		}
		for _, t := range server.ReadOnlyTools {
			s.policy.ReadOnlyTools = append(s.policy.ReadOnlyTools, name+"/"+t)
		}
	}
	for _, r := range in.Settings.Rules {
		rule, err := permission.SettingsRule(r.Text, r.Decision, r.Origin.String(), r.Own)
		if err != nil {
			return nil, nil, err
		}
		if problem := rule.Problem(); problem != "" && rule.Own {
			problems = append(problems, problem)
		}
		e := entry{rule, r.Origin.File, r.Text}
		if r.By != "" {
			e.file, e.Origin = "", e.Origin+" ("+r.By+")"
		}
		s.entries = append(s.entries, e)
	}
	s.publish()
	return s, problems, nil
}

// publish puts the rules into the policy, as a slice of their own: one that
// was given out does not change. s.mu is held, or s is new.
func (s *Set) publish() {
	s.policy.Rules = make([]permission.Rule, len(s.entries))
	for i, e := range s.entries {
		s.policy.Rules[i] = e.Rule
	}
}

// Policy is the policy as it is now, without a mode. What it holds must not be
// changed.
func (s *Set) Policy() permission.Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy
}

// Save adds rules as the gate spells them: see [permission.Gate].
func (s *Set) Save(scope event.Choice, decision string, rules []string) error {
	for _, text := range rules {
		if err := s.add(scope, decision, text); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a rule that the person wrote to their own settings, for this
// project with [event.AlwaysProject] or for all with [event.AlwaysUser];
// decision is allow, ask or deny. Its error says what is wrong with the rule,
// or why the file could not be written; then nothing has changed.
func (s *Set) Add(scope event.Choice, decision, text string) error {
	if scope != event.AlwaysProject && scope != event.AlwaysUser {
		return fmt.Errorf("a rule is kept for the project or for the user, not for %q", scope)
	}
	rule, err := permission.ParseRule(text)
	if err != nil {
		return err
	}
	rule.Decision = permission.Decision(decision)
	if problem := rule.Problem(); problem != "" {
		return errors.New(problem)
	}
	return s.add(scope, decision, rule.String())
}

func (s *Set) add(scope event.Choice, decision, text string) error {
	path := s.user
	if scope == event.AlwaysProject {
		path = s.project
	}
	rule, err := permission.SettingsRule(text, decision, path, true)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := config.AppendRule(path, decision, text); err != nil {
		return err
	}
	there := func(e entry) bool { return e.file == path && e.text == text && e.Decision == rule.Decision }
	if !slices.ContainsFunc(s.entries, there) {
		s.entries = append(s.entries, entry{rule, path, text})
	}
	s.moved(path)
	return nil
}

// ErrNotOurs is wrapped by the error for a rule that stands where only the
// person may change it.
var ErrNotOurs = errors.New("it is changed where it stands")

// Drop takes a rule out of the person's own settings, for the user or for this
// project. Its error, which leaves all as it was, says where a rule stands that
// came from elsewhere.
func (s *Set) Drop(rule permission.Rule) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.entries, func(e entry) bool { return e.Rule == rule })
	if at < 0 {
		return fmt.Errorf("the %s rule %s is not in force any more", rule.Decision, rule)
	}
	e := s.entries[at]
	if e.file == "" || e.file != s.user && e.file != s.project {
		return fmt.Errorf("the %s rule %s comes from %s: %w", rule.Decision, rule, rule.Origin, ErrNotOurs)
	}
	var kept []entry
	for _, o := range s.entries {
		if o.file != e.file || o.text != e.text || o.Decision != e.Decision {
			kept = append(kept, o)
			continue
		}
		if err := (config.File{Path: e.file}).RemoveRule(string(rule.Decision), e.text); err != nil {
			return err
		}
	}
	s.entries = kept
	s.moved(e.file)
	return nil
}

// moved takes the lines out of the origins of a file's rules, for a write has
// moved them. s.mu is held.
func (s *Set) moved(file string) {
	for i := range s.entries {
		if s.entries[i].file == file {
			s.entries[i].Origin = file
		}
	}
	s.publish()
}
