package app

import (
	"fmt"
	"slices"

	"github.com/minicode-go/minicode/internal/builtin"
	"github.com/minicode-go/minicode/internal/config"
)

// Settings is the settings in force, as they were read.
func (c *Conversation) Settings() config.Loaded { return c.settings }

// Models is the names of the models that could be chosen: see
// [provider.Directory.Names].
func (c *Conversation) Models() []string { return c.models.Names() }

// Todos is the todo list.
func (c *Conversation) Todos() []builtin.Todo { return builtin.Todos(c.currentLog().Todos()) }

// Tasks is what was started in the background.
func (c *Conversation) Tasks() *builtin.Tasks { return c.tasks }

// Effort is how hard the model is asked to think; "" leaves it to the model.
func (c *Conversation) Effort() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings.Config.Effort
}

// SetEffort changes it from the next turn on; the settings stay as they are.
func (c *Conversation) SetEffort(effort string) error {
	if !slices.Contains([]string{"", "low", "medium", "high"}, effort) {
		return fmt.Errorf("the effort %q is not known: low, medium or high, or default for what the model does by itself", effort)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settings.Config.Effort = effort
	return nil
}

// CommandEnv is the environment that commands get.
func (c *Conversation) CommandEnv() []string { return c.settings.CommandEnv(c.o.Environ) }

// Memory is a report for the person on the instruction files, as they are now.
// Like a change of the session, it is not for two goroutines at a time.
func (c *Conversation) Memory() string { return c.reminder.Report() }
