package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/inbox"
	"github.com/minicode-go/minicode/internal/outbox"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/provider"
	"github.com/minicode-go/minicode/internal/recall"
	"github.com/minicode-go/minicode/internal/ruleset"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/internal/subagent"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// ErrBusy is given when a turn runs already.
var ErrBusy = errors.New("a turn is running; wait for it, interrupt it, or queue the message")

// Interrupt is the cause of a context that a signal ended.
type Interrupt struct {
	Signal string // such as "SIGINT"
	Exit   int    // the exit code it asks for
}

func (i *Interrupt) Error() string { return "interrupted by " + i.Signal }

// Is makes what the person's own Ctrl+C stopped say so.
func (i *Interrupt) Is(target error) bool { return target == agent.ErrByPerson && i.Signal == "SIGINT" }

// Task is a background task.
type Task struct {
	ID      string `json:"id"`
	Command string `json:"command"`
}

// Info is what a front end shows of the conversation.
type Info struct {
	Session, Path, Title, Model, Mode, Cwd string
	Root                                   string // of the project that Cwd is in
	Resumed                                bool
	Window, MaxOutput                      int
	Saved                                  bool          // false while the session cannot be written
	Waited                                 time.Duration // spent waiting for the model
	Usage                                  llm.Usage     // of the whole session
	Tasks                                  []Task        // running in the background
	Price                                  func(model string) llm.Price
	ModelInfo                              func(model string) llm.Info // of any model, by its "provider/name"
}

// Conversation is one conversation, open.
type Conversation struct {
	o        Options
	settings config.Loaded
	models   *provider.Directory
	store    *session.Store
	space    *builtin.Workspace
	tasks    *builtin.Tasks
	rules    *ruleset.Set
	gate     *permission.Gate
	meter    account.Meter
	ext      *extension.Set
	spent    subagent.Spent
	spawn    tool.Tool // starts sub-agents
	talk     extension.Talk
	out      outbox.Outbox
	beside   inbox.Asides
	notices  compact.Told

	// busy is held by a turn, and by what goes to another session. Only its
	// holder uses reminder, notices and bill, or sets log, resumed and inbox.
	busy     atomic.Bool
	reminder recall.Reminder
	bill     provider.Bill // of this process

	mu           sync.Mutex // guards what follows
	log          *session.Log
	model        llm.Model
	mode         permission.Mode
	resumed      bool
	inbox        *inbox.Inbox
	system       string
	instructions string // of the system prompt
	windowTold   bool
	waited       time.Duration
}

// Now is the time, from the same clock that the records use.
func (c *Conversation) Now() time.Time { return c.o.Now() }

// Head is where a signal of the person's doings stands among the records.
func (c *Conversation) Head() event.Head {
	head := c.currentLog().Head()
	head.ID, head.Parent = "", ""
	return head
}

// Prompt sends what was queued and not sent, then what the person said ("" for
// nothing more) with the images that go with it, and yields what happens until
// control goes back. Facts are on disk before they are yielded.
func (c *Conversation) Prompt(ctx context.Context, text string, images ...llm.Image) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if !c.busy.CompareAndSwap(false, true) {
			yield(event.Record{}, ErrBusy)
			return
		}
		defer c.busy.Store(false)
		defer c.inbox.Settle()
		if err := c.tellModel(); err != nil {
			yield(event.Record{}, err)
			return
		}
		notes, title, err := c.ext.BeforePrompt(ctx, &c.talk, text, c.current().Info().ID())
		if err == nil && title != "" && c.Info().Title == "" {
			err = c.SetTitle(title)
		}
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		c.note(notes...)
		a := c.agent()
		c.lookAround(ctx)
		c.note(c.beside.Take()...)
		messages := c.steer(false)
		messages = append(messages, inbox.Said(text, images...)...)
		for record, err := range a.Turn(ctx, messages...) {
			for _, aside := range c.out.Asides(record.Head) {
				if !yield(aside, nil) {
					return
				}
			}
			c.follow(record)
			if !yield(record, err) {
				return
			}
		}
	}
}

// follow keeps account of what was recorded.
func (c *Conversation) follow(record event.Record) {
	switch e := record.Event.(type) {
	case event.Message:
		c.inbox.Recorded(e.Message)
		c.talk.Add(e.Message)
		c.bill.Add(e.Model, e.Usage)
		if e.Usage != nil {
			c.tellWindow()
		}
		if r, ok := e.Result(); ok {
			c.note(c.reminder.Reached(c.known(), r.Meta.Read))
		}
	case event.Edited:
		c.madeRoom(record.ID, e)
	}
}

// tellWindow tells the person once, in a new session and after a change of
// model, that the window of the model is not known.
func (c *Conversation) tellWindow() {
	c.mu.Lock()
	told := c.windowTold
	c.windowTold = true
	c.mu.Unlock()
	if note := c.models.WindowNote(c.current().Info()); note != "" && !told {
		c.warn(note)
	}
}

// known is what the model knows, and what is about to be told.
func (c *Conversation) known() recall.Known {
	return recall.Known{Messages: c.log.Messages(), Waiting: c.inbox.Notes(), Todos: c.log.Todos}
}

// note tells the model of texts, as far as they are not empty.
func (c *Conversation) note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			c.inbox.Note(text)
		}
	}
}

// state records what the person made happen outside of a turn. c.mu is not
// held: the log may have a trouble to tell.
func (c *Conversation) state(f event.Fact) error {
	r, err := c.log.Append(f)
	if err == nil {
		c.out.State(r)
	}
	return err
}

// Queue says something while a turn runs: it goes in after the results of the
// current batch. It is kept on disk until it is sent.
func (c *Conversation) Queue(text string) error { return c.inbox.Queue(text) }

// Queued is what was queued and not sent, oldest first.
func (c *Conversation) Queued() []string { return c.inbox.Queued() }

// DropQueue forgets what was queued and not sent.
func (c *Conversation) DropQueue() error { return c.inbox.Drop() }

// steer is what goes in next.
func (c *Conversation) steer(ending bool) []llm.Message {
	for _, t := range c.tasks.Ended() {
		if c.beside.Private(t.ID) {
			continue
		}
		c.inbox.Note(fmt.Sprintf("Background task %s ended: %s. Command: %s. Read its output with task_output.", t.ID, t.Status, t.Command))
	}
	if !ending {
		c.note(c.reminder.Due(c.known(), c.policy().Mode)...)
	}
	return c.inbox.Take(ending)
}

func (c *Conversation) warn(text string) { c.out.Warn(text) }

// Warnings takes what the person should be told before the first prompt.
func (c *Conversation) Warnings() []string { return c.out.Warnings() }

// Redact takes the values of keys out of a text that is about to be shown
// elsewhere than to the person.
func (c *Conversation) Redact(text []byte) []byte {
	if c.store.Redact == nil {
		return text
	}
	return c.store.Redact(text)
}

// Tail is the last n records of the conversation, for replay: who asks for them
// has seen what mended the session, too.
func (c *Conversation) Tail(n int) iter.Seq2[event.Record, error] {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Reset()
	return c.log.Tail(n)
}

// Info is the state of the conversation.
func (c *Conversation) Info() Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.model.Info()
	return Info{
		Session: c.log.ID(), Path: c.log.Path(), Title: c.log.Title(), Model: m.ID(), Mode: string(c.mode), Cwd: c.o.Cwd, Root: c.rules.Policy().Root, Resumed: c.resumed,
		Window: m.Window, MaxOutput: m.MaxOutput, Saved: c.log.Saved(), Waited: c.waited, Usage: c.log.Usage(), Tasks: running(c.tasks),
		Price: c.models.Price, ModelInfo: c.modelInfo,
	}
}

func running(tasks *builtin.Tasks) []Task {
	var out []Task
	for _, t := range tasks.List() {
		if t.Status == builtin.TaskRunning {
			out = append(out, Task{t.ID, t.Command})
		}
	}
	return out
}

// Rules is the permission rules in force: those of the settings and flags, and
// those that the person chose to keep since.
func (c *Conversation) Rules() []permission.Rule { return c.rules.Policy().Rules }

// AddRule keeps a rule in the person's own settings: see [ruleset.Set.Add].
func (c *Conversation) AddRule(scope event.Choice, decision, rule string) error {
	return c.rules.Add(scope, decision, rule)
}

// DropRule takes a rule out of the person's own settings: see
// [ruleset.Set.Drop].
func (c *Conversation) DropRule(r permission.Rule) error { return c.rules.Drop(r) }

// Grants is what the person allowed for more than one call of this session.
// What was allowed for ever is a rule, and holds as long as that does.
func (c *Conversation) Grants() []event.Grant {
	return slices.DeleteFunc(c.currentLog().Grants(), func(g event.Grant) bool { return g.Scope == event.Always })
}

// ToolSpecs is what the model is told of the tools that it can use, sorted by
// name.
func (c *Conversation) ToolSpecs() []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range c.tools() {
		out = append(out, t.Spec())
	}
	return out
}

// SetModel changes the model from the next request on.
func (c *Conversation) SetModel(name string) error {
	m, err := c.models.Model(name)
	if err != nil {
		return err
	}
	c.useModel(m)
	return c.state(event.Changed{Model: m.Info().ID()})
}

func (c *Conversation) useModel(m llm.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model, c.windowTold = m, false
}

// tellModel records the model when a flag or a setting brought another one
// than the session knows.
func (c *Conversation) tellModel() error {
	id := c.current().Info().ID()
	if known := c.log.Model(); known == "" || known == id {
		return nil
	}
	return c.state(event.Changed{Model: id})
}

// SetMode changes the permission mode at once, for calls that are not yet
// decided, and tells the model at its next step.
func (c *Conversation) SetMode(name string) error {
	mode, err := permission.ParseMode(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	same := mode == c.mode
	c.mode = mode
	c.mu.Unlock()
	if same {
		return nil
	}
	return c.state(event.Changed{Mode: string(mode)})
}

// SetTitle renames the conversation.
func (c *Conversation) SetTitle(title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return errors.New("a title must have at least one character")
	}
	return c.state(event.Changed{Title: title})
}

// EndTasks ends what runs in the background, and names it.
func (c *Conversation) EndTasks() []Task {
	ended := running(c.tasks)
	if err := c.tasks.StopAll(context.Background()); err != nil {
		c.warn("background tasks could not all be ended: " + err.Error())
	}
	return ended
}

// Close ends what runs in the background and closes the session.
func (c *Conversation) Close() error {
	c.EndTasks()
	c.ext.Hooks.Closed(context.Background(), "other")
	c.ext.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Close()
}

// current is the model from the next request on.
func (c *Conversation) current() llm.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.model
}

// agent is the loop, configured for one turn.
func (c *Conversation) agent() *agent.Agent {
	table := c.table()
	a := &agent.Agent{
		Model: table.Model, System: c.systemText, Tools: c.tools,
		Log: c.log, Gate: c.gate, Meter: &c.meter, Compact: table.Pipeline(), Clean: table.Offload(), Steer: c.steer, Hooks: c.ext.Hooks,
		Budget: c.overBudget, MaxSteps: c.maxSteps(), Effort: c.Effort(),
		Retry: agent.Retry{Now: c.o.Now},
	}
	if c.o.Timeout > 0 {
		a.Deadline = c.o.Now().Add(c.o.Timeout)
	}
	return a
}

// timed is the model from the next request on, its time counted.
func (c *Conversation) timed() llm.Model { return c.timing(c.current()) }

func (c *Conversation) timing(m llm.Model) llm.Model {
	return &provider.Timed{Model: m, Add: c.addWait}
}

func (c *Conversation) currentLog() *session.Log {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log
}

func (c *Conversation) addWait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited += d
}

// modelInfo is what is known of any model.
func (c *Conversation) modelInfo(id string) llm.Info {
	if now := c.current().Info(); now.ID() == id {
		return now
	}
	return c.models.Info(id)
}

// overBudget says what is used up. What the turn used is on the bill already.
func (c *Conversation) overBudget(llm.Usage) string {
	for _, s := range c.spent.Take() {
		c.bill.Add(s.Model, &s.Used)
	}
	limit := cmp.Or(c.o.MaxBudgetUSD, c.settings.Config.Limits.MaxBudgetUSD)
	return c.bill.OverBudget(limit, c.current().Info().ID(), c.modelInfo)
}

func (c *Conversation) maxSteps() int {
	return cmp.Or(max(0, c.o.MaxSteps), c.settings.Config.Limits.MaxSteps)
}

// policy is what the gate decides by, as things are now.
func (c *Conversation) policy() permission.Policy {
	p := c.rules.Policy()
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Mode = c.mode
	if dir := c.log.Dir(); dir != "" {
		p.Free = append(slices.Clone(p.Free), dir)
	}
	return c.ext.Widened(p, &c.talk)
}
