package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/theme"
)

func effort(_ context.Context, conv *app.Conversation, level string) (string, error) {
	if level != "" {
		if level == "default" {
			level = ""
		}
		if err := conv.SetEffort(level); err != nil {
			return "", err
		}
	}
	return "effort: " + cmp.Or(conv.Effort(), "default"), nil
}

func cost(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	i := conv.Info()
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %10d tokens\n%-12s %10d\n%-12s %10d\n%-12s %10d\n", "input", i.Usage.Input, "cache write", i.Usage.CacheWrite, "cache read", i.Usage.CacheRead, "output", i.Usage.Output)
	if dollars, known := i.Price(i.Model).Cost(i.Usage); known {
		fmt.Fprintf(&b, "%-12s    $%.4f at the price of %s", "cost", dollars, i.Model)
	} else {
		fmt.Fprintf(&b, "%-12s unknown: there is no price for %s; models.%s.price in the settings sets one", "cost", i.Model, i.Model)
	}
	return b.String(), nil
}

func memory(_ context.Context, conv *app.Conversation, _ string) (string, error) {
	return strings.TrimRight(conv.Memory(), "\n"), nil
}

// settings prints those whose name has the word.
func settings(_ context.Context, conv *app.Conversation, word string) (string, error) {
	var b strings.Builder
	for _, s := range conv.Settings().Effective() {
		if strings.Contains(strings.ToLower(s.Key), strings.ToLower(word)) {
			fmt.Fprintf(&b, "%s = %s  (%s)\n", s.Key, s.Value, s.Origin)
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no setting has %q in its name", word)
	}
	return b.String() + "They are changed in " + conv.Settings().Dirs.Settings(), nil
}

// ThemeNamed is the theme that a setting names: one that is built in, "16",
// "none", or a file in the directory of the settings. "" and "auto" give the
// dark one.
func ThemeNamed(name string, dirs config.Dirs) (theme.Theme, error) {
	switch name {
	case "", "auto":
		return theme.Dark(), nil
	case "16":
		return theme.Sixteen(), nil
	case "none":
		return theme.Plain(), nil
	}
	if t, ok := theme.Named(name); ok {
		return t, nil
	}
	path := dirs.In(filepath.Base(name))
	data, err := os.ReadFile(path)
	if err == nil && filepath.Base(name) != name {
		err = errors.New("a name, and no path")
	}
	if err != nil {
		return theme.Dark(), fmt.Errorf("there is no theme %q: it is auto, dark, light, 16, none, or a file in %s (%w)", name, dirs.Config, err)
	}
	t, err := theme.Read(data)
	if err != nil {
		return t, fmt.Errorf("the theme in %s: %w", path, err)
	}
	return t, nil
}

// setTheme saves the theme in the person's settings.
func setTheme(_ context.Context, conv *app.Conversation, name string) (string, error) {
	s := conv.Settings()
	if name == "" {
		return "theme: " + cmp.Or(s.Config.Terminal.Theme, "auto") + "\nthemes: auto, dark, light, 16, none, or a file in " + s.Dirs.Config, nil
	}
	if _, err := ThemeNamed(name, s.Dirs); err != nil {
		return "", err
	}
	if err := config.Patch(s.Dirs.Settings(), []string{"terminal", "theme"}, name); err != nil {
		return "", fmt.Errorf("the theme could not be saved: %w", err)
	}
	return "theme: " + name + " (saved in " + s.Dirs.Settings() + ")", nil
}
