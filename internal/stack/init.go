package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guideName is the page that is written, and others are those that make it
// unneeded.
const guideName = "AGENTS.md"

func others() []string { return []string{guideName, "CLAUDE.md", "MINI.md", ".claude/CLAUDE.md"} }

// ignored is what should not be in version control.
const ignored = ".minicode/settings.local.json"

// Guide is the page for a repository.
func Guide(root string) string {
	parts := Detect(root)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nNotes for agents, and people, who work here. This page was begun from the files of the repository: what it is for,\nand what cannot be seen in them, is to be added.\n", filepath.Base(root))
	if len(parts) > 0 {
		b.WriteString("\n## What it is made of\n\n")
		for _, p := range parts {
			line := "- " + p.Language
			if p.Dir != "." {
				line += " in `" + p.Dir + "/`"
			}
			if len(p.Details) > 0 {
				line += ": " + strings.Join(p.Details, ", ")
			}
			b.WriteString(line + "\n")
		}
	}
	b.WriteString(commands(root, parts))
	if dirs := below(root, "."); len(dirs) > 0 {
		b.WriteString("\n## Where things are\n\n")
		for _, d := range dirs[:min(len(dirs), 20)] {
			b.WriteString("- `" + d + "/`\n")
		}
	}
	b.WriteString(`
## Working here

- Run what concerns a change from the list above before saying that it is done, and say what was run.
- Keep to the style of the file that is changed, and changes to what was asked for.
- New dependencies, and changes of interfaces that others use, are agreed on first.
`)
	return b.String()
}

// commands is the list of what can be run.
func commands(root string, parts []Part) string {
	var lines []string
	if targets := Targets(root); len(targets) > 0 {
		for _, t := range targets {
			lines = append(lines, "- `make "+t+"`")
		}
	}
	for _, p := range parts {
		for _, c := range p.Commands {
			line := "- " + c.What + ": `" + c.Line + "`"
			if p.Dir != "." {
				line += " in `" + p.Dir + "/`"
			}
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n## What to run\n\n" + strings.Join(lines, "\n") + "\n"
}

// Init writes the page into a repository that has none, and keeps the
// person's own settings out of version control. It says what it did, a line
// each; what is there stays as it is.
func Init(root string) (report []string, err error) {
	there := ""
	for _, name := range others() {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			there = name
			break
		}
	}
	if there != "" {
		report = append(report, there+" is there already, and stays as it is")
	} else {
		f, err := os.OpenFile(filepath.Join(root, guideName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return nil, err
		}
		_, err = f.WriteString(Guide(root))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		report = append(report, guideName+" was written; look it over and add what is missing")
	}
	line, err := ignore(root)
	if err != nil {
		return report, err
	}
	return append(report, line), nil
}

// ignore adds the line to .gitignore, if it is a repository of git's and does
// not have it.
func ignore(root string) (string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		return "this is no git repository, so there is no .gitignore to change", nil
	}
	path := filepath.Join(root, ".gitignore")
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return ".gitignore is no plain file, and stays as it is", nil
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if slices.Contains([]string{ignored, "/" + ignored, ".minicode/", ".minicode", "/.minicode/", "/.minicode"}, strings.TrimSpace(line)) {
			return ".gitignore has " + strings.TrimSpace(line) + " already", nil
		}
	}
	text := ignored + "\n"
	if len(data) > 0 && data[len(data)-1] != '\n' {
		text = "\n" + text
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return ".gitignore: added " + ignored, nil
}
