package skill

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Skill is what is known of a skill without loading it.
type Skill struct {
	Name        string // what it is loaded by
	Description string // what it is for and when to use it, one line, at most 1,024 characters
	Dir         string // absolute, links resolved; paths in its text are relative to it
	File        string // its SKILL.md, absolute; links not resolved in the file itself
	Root        Root   // where it was found

	// Tools is its allowed-tools, each in the syntax of permission rules, as
	// written: whoever makes rules of them finds out whether they are any.
	Tools         []string
	Compatibility string
	// Manual is whether only the person may choose it, so that the model is
	// not told of it.
	Manual bool
	// Faults is what is wrong with it and was put up with, a sentence each.
	Faults []string

	entry string   // its path below Root.Dir, links not resolved
	sum   [32]byte // of the beginning of its file
}

// maxHead is how many bytes of a file are read to find its front matter.
const maxHead = 64 << 10

const (
	maxName        = 64
	maxDescription = 1024
)

// newSkill makes a skill of the beginning of its file.
func newSkill(root Root, d directory, entry, file string, raw []byte) (Skill, error) {
	s := Skill{Dir: d.path, File: filepath.Join(d.path, file), Root: root, entry: entry, sum: sha256.Sum256(raw)}
	doc, err := read(raw)
	if err != nil {
		return s, err
	}
	if file != skillFile {
		doc.faults = append(doc.faults, "its file is called "+file+", which other programs do not find: rename it to "+skillFile)
	}
	s.name(&doc, filepath.Base(entry))
	s.Description = doc.text("description")
	if when := doc.text("when_to_use"); when != "" {
		s.Description = strings.TrimSpace(s.Description + " " + when)
	}
	if s.Description == "" {
		doc.faults = append(doc.faults, "it has no description; what its text says first stands for it")
		s.Description = doc.summary()
	}
	if utf8.RuneCountInString(s.Description) > maxDescription {
		doc.faults = append(doc.faults, fmt.Sprintf("its description has more than %d characters and is cut", maxDescription))
		s.Description = clip(s.Description, maxDescription)
	}
	s.Compatibility = clip(doc.text("compatibility"), 500)
	s.Tools = doc.tools("allowed-tools")
	s.Manual = doc.is("disable-model-invocation")
	s.Faults = doc.faults
	switch {
	case s.Name == "":
		return s, fmt.Errorf("neither its front matter nor its directory gives it a name of letters, digits and hyphens")
	case s.Description == "":
		return s, fmt.Errorf("nothing says what it is for: give it a description in its front matter")
	}
	return s, nil
}

// name is the front matter's, or the directory's where that is no name.
func (s *Skill) name(doc *document, dir string) {
	name := doc.text("name")
	switch {
	case name == "":
		doc.faults = append(doc.faults, "it has no name; its directory's is used")
	case !usable(name):
		doc.faults = append(doc.faults, fmt.Sprintf("%s is no name of a skill; its directory's is used", show(name)))
	default:
		if norm.NFC.String(name) != norm.NFC.String(dir) {
			doc.faults = append(doc.faults, fmt.Sprintf("its name %s is not its directory's, %s", show(name), show(dir)))
		}
		s.Name = name
		return
	}
	if usable(dir) {
		s.Name = dir
	}
}

// usable is whether a name can stand in a list and be typed: it may be longer
// on signs than the specification allows, but has none that mean something in
// a path or cannot be seen.
func usable(name string) bool {
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.TrimSpace(name) != name || name[0] == '.' || name[0] == '-' && len(name) == 1 {
		return false
	}
	for _, r := range name {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("-_.: +", r) {
			return false
		}
	}
	return true
}

// Prompt is what the person's wish to use the skill is told the model as,
// with what they typed after its name.
func (s Skill) Prompt(arguments string) string {
	text := fmt.Sprintf("Use the skill %q: call load_skill with this name first, then do what it says.", s.Name)
	if arguments = strings.TrimSpace(arguments); arguments != "" {
		text += "\n\nARGUMENTS: " + arguments
	}
	return text
}
