package app

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/internal/ruleset"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/internal/shell"
	"github.com/minicode-go/minicode/internal/stages"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Asker answers questions for the person, or as the person.
type Asker interface {
	Ask(context.Context, event.Question) (event.Answer, error)
}

// Options says which conversation to open, and how. Cwd, Home, Environ, Now
// and NewID are required.
type Options struct {
	Cwd, Home string // absolute
	Version   string // of this program
	Environ   []string
	Now       func() time.Time
	NewID     func() string // UUIDv7
	Asker     Asker         // nil: nobody can be asked

	Continue   bool   // go on with the newest session of this directory
	Resume     string // id, unique prefix, or title
	Fork       bool   // of the session that is resumed
	SessionID  string // for a new one
	NotOnDisk  bool   // keep the session in memory only
	OnlyTools  []string
	SystemText string // in the place of the built-in system prompt
	AppendText string // after it

	Provider      string // of the model, where its name has none
	AddDirs       []string
	SettingsFiles []string
	Flags         []config.Flag // settings given as flags
	Bare          bool          // no instruction files
	MaxSteps      int
	MaxBudgetUSD  float64
	Timeout       time.Duration

	Model llm.Model // in the place of any that the settings name; for the demo
}

// Open puts the conversation together. Its error is for the person: a usage
// or configuration mistake, or a session that cannot be opened.
func Open(ctx context.Context, o Options) (*Conversation, error) {
	c := &Conversation{o: o, bill: provider.Bill{}}
	if err := c.loadSettings(); err != nil {
		return nil, err
	}
	if err := builtin.CheckNames(extension.BuiltInNames(o.OnlyTools), permission.TheirName); err != nil {
		return nil, err
	}
	if name := c.settings.Config.Context.SummaryModel; name != "" {
		if _, err := c.models.Model(name); err != nil {
			c.warn("context.summaryModel: " + err.Error() + "; the model in use writes the summaries")
		}
	}
	c.store = c.newStore()
	if err := c.openSession(); err != nil {
		return nil, err
	}
	c.o.SessionID = "" // it was for this session alone
	c.prune()
	c.makeWorkspace()
	c.plug()
	c.buildSystem()
	go process.EndOrphans() // of a run that was killed; nothing waits for it
	return c, nil
}

func (c *Conversation) loadSettings() error {
	root, env := session.ProjectOf(c.o.Cwd), config.Environ(c.o.Environ)
	dirs, err := config.Directories(env, c.o.Home, c.o.Cwd, runtime.GOOS)
	if err != nil {
		return err
	}
	// What is allowed for ever in a project is kept outside of it: what a
	// repository brings can only narrow.
	own := filepath.Join((&session.Store{Root: dirs.Projects()}).ProjectDir(c.o.Cwd), "settings.json")
	loaded, err := config.Load(config.Input{
		Home: c.o.Home, Cwd: c.o.Cwd, ProjectRoot: root, GOOS: runtime.GOOS, Env: env,
		OwnProjectFile: own, SettingsFiles: c.o.SettingsFiles, Flags: c.o.Flags,
		Trusted: extension.Trusts(root, c.o.Cwd, c.o.Home, dirs, c.o.Now, c.warn),
	})
	if err != nil {
		return err
	}
	c.settings = loaded
	c.models = &provider.Directory{Settings: loaded, Env: env, Provider: c.o.Provider}
	c.out.Warn(loaded.Warnings...)
	var problems []string
	c.rules, problems, err = ruleset.New(ruleset.Input{Settings: loaded, Root: root, Cwd: c.o.Cwd, Home: c.o.Home, AddDirs: c.o.AddDirs, Project: own})
	if err != nil {
		return err
	}
	c.out.Warn(problems...)
	c.gate = &permission.Gate{Policy: c.policy, Grants: c.Grants, Save: c.rules.Save}
	return nil
}

func (c *Conversation) newStore() *session.Store {
	secrets := c.settings.Config.SecretValues(config.Environ(c.o.Environ))
	store := &session.Store{Root: c.settings.Dirs.Projects(), Now: c.o.Now, NewID: c.o.NewID}
	if len(secrets) > 0 {
		store.Redact = session.Redactor(secrets)
	}
	return store
}

func (c *Conversation) makeWorkspace() {
	o, limits := c.o, c.settings.Config.Limits
	c.tasks = &builtin.Tasks{}
	c.space = &builtin.Workspace{
		Root: c.rules.Policy().Root, Cwd: o.Cwd, Home: o.Home, Now: o.Now, Env: func() []string { return c.settings.CommandEnv(o.Environ) }, Analyse: permission.Analyser(c.policy), Tasks: c.tasks,
		Withheld:   permission.Withheld(c.policy, c.Grants),
		SessionDir: func() string { return c.log.Dir() },
		Stamps:     func() map[string]llm.FileRead { return c.log.Stamps() },
		Plan:       func() bool { return c.policy().Mode == permission.Plan },
		ImagesOK:   func() bool { return c.current().Info().Images },
		Limits: builtin.Limits{
			CommandTimeout:    time.Duration(limits.CommandTimeoutMs) * time.Millisecond,
			CommandMaxTimeout: time.Duration(limits.CommandMaxTimeoutMs) * time.Millisecond,
		},
	}
	if rg, err := exec.LookPath("rg"); err == nil {
		c.space.RgPath = rg
	}
}

// tools is the tools of a turn.
func (c *Conversation) tools() []tool.Tool { return c.toolsOf(*c.space) }

func (c *Conversation) toolsOf(space builtin.Workspace) []tool.Tool {
	all := c.everyToolOf(space)
	if c.o.OnlyTools == nil {
		return all
	}
	return builtin.Named(all, c.o.OnlyTools, permission.TheirName)
}

// everyTool is all tools: ours sorted by name, then those of servers.
func (c *Conversation) everyTool() []tool.Tool { return c.everyToolOf(*c.space) }

func (c *Conversation) everyToolOf(space builtin.Workspace) []tool.Tool {
	space.Limits.ResultChars = stages.ResultLimit(c.settings.Config.Limits, c.current().Info())
	all := append(builtin.Tools(&space), c.spawn)
	if load, ok := c.ext.Loader(&c.talk, space.Limits.ResultChars); ok {
		all = append(all, load)
	}
	slices.SortFunc(all, func(a, b tool.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	return append(all, c.ext.Tools()...)
}

// buildSystem makes the system prompt. It stays as it is until the session is
// opened again or summarized, so that the request's beginning keeps its bytes.
func (c *Conversation) buildSystem() {
	p := c.policy()
	_, secret := p.Guards()
	c.reminder.Bare, c.reminder.Guide = c.o.Bare, &prompt.Guide{Places: prompt.Places{
		Root: p.Root, Cwd: c.o.Cwd, Home: c.o.Home, Config: c.settings.Dirs.Config, Legacy: filepath.Join(c.o.Home, ".mini-code"),
		Budget: min(40_000, c.current().Info().EffectiveInput()*3/10), Secret: secret,
	}}
	text := ""
	if !c.o.Bare {
		text = c.reminder.Guide.Start()
	}
	c.setSystem(text)
}

// setSystem makes the system prompt anew with the text of the instruction
// files.
func (c *Conversation) setSystem(instructions string) {
	sections := []prompt.Section{{Title: "Skills", Text: c.ext.Catalogue(c.current().Info().EffectiveInput())}}
	system := prompt.Build(prompt.System{Replace: c.o.SystemText, Append: c.o.AppendText, Instructions: instructions, Sections: sections})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.system, c.instructions = system, instructions
}

// lookAround takes notice of the surroundings, which the model is told of as far
// as it does not know them.
func (c *Conversation) lookAround(ctx context.Context) {
	if c.reminder.Elsewhere {
		c.reminder.Elsewhere = false
		c.note(c.reminder.ReachedAgain(c.known(), c.log.Stamps()))
	}
	c.reminder.Place = prompt.Observe(ctx, prompt.Where{
		Now: c.o.Now(), Cwd: c.o.Cwd, Root: c.rules.Policy().Root, System: runtime.GOOS + "/" + runtime.GOARCH, Shell: "bash",
		Git: prompt.GitIn(c.o.Cwd, append(c.settings.CommandEnv(c.o.Environ), shell.SafeEnv()...)),
	})
}
