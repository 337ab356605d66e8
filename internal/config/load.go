package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxFile  = 1 << 20 // bytes of a settings file
	maxNamed = 24      // keys that a notice names
)

// errUnreachable says that a file lies where this user may not look at all.
var errUnreachable = errors.New("unreachable")

// Input is what [Load] looks at.
type Input struct {
	Home, Cwd   string            // absolute
	ProjectRoot string            // "": Cwd
	GOOS        string            // such as runtime.GOOS
	Env         map[string]string // the process environment; see [Environ]

	// OwnProjectFile is a file of the person's own, outside of the
	// repository, with settings for this project; "": none.
	OwnProjectFile string
	SettingsFiles  []string // of --settings: paths, or JSON that begins with {

	// Trusted says whether the person trusts the project for what its files
	// would set. It is called once at most, and not for files that only
	// narrow; nil trusts none.
	Trusted func([]Brought) bool
	Flags   []Flag
}

// Flag is one setting from the command line.
type Flag struct {
	Name  string // as it was written, such as --model
	Key   string // dotted, such as permissions.allow
	Value any    // what the key takes
}

// RuleEntry is one permission rule of one layer.
type RuleEntry struct {
	Text     string
	Decision string // allow, ask or deny
	Origin   Origin
	Own      bool // from the person's own settings of MiniCode, or flags

	// By is the setting that the rule follows from, such as sandbox.mode; ""
	// when it stands in a list of rules.
	By string
}

// Loaded is the settings in force.
type Loaded struct {
	Config   Config
	Dirs     Dirs
	Origins  map[string]Origin // by dotted key, as [Loaded.Effective] lists them
	Rules    []RuleEntry       // of all layers, weakest first
	Warnings []string          // for the person, each a sentence or two
	Brought  []Brought         // what the project's files would set, trusted or not
	Trusted  bool              // the project is, for all of Brought

	variables map[string]string // ANTHROPIC_* and the like that settings set
	tree      *node
}

// Environ makes a map of os.Environ().
func Environ(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, pair := range environ {
		// Windows keeps variables whose names begin with "=".
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// Env is the process environment with the providers' variables added that
// settings set and the process did not have. It is for [ResolveKey], not for
// commands.
func (l Loaded) Env(process map[string]string) map[string]string {
	env := maps.Clone(l.variables)
	if env == nil {
		env = map[string]string{}
	}
	for name, value := range process {
		if value != "" || env[name] == "" {
			env[name] = value
		}
	}
	return env
}

// Load reads all layers. A file that is there and cannot be used is an error,
// a *[FileError].
func Load(in Input) (Loaded, error) {
	if in.ProjectRoot == "" {
		in.ProjectRoot = in.Cwd
	}
	dirs, err := Directories(in.Env, in.Home, in.Cwd, in.GOOS)
	if err != nil {
		return Loaded{}, err
	}
	l := loader{in: in, spec: describe(), out: Loaded{Dirs: dirs, variables: map[string]string{}}, variables: map[string]*node{}}
	for _, step := range []func() error{l.claudeHome, l.miniCode, l.user, l.project, l.environment, l.flags} {
		if err := step(); err != nil {
			return Loaded{}, err
		}
	}
	tree := l.fallbacks()
	for _, layer := range l.layers {
		tree = merge(tree, layer, l.spec)
	}
	l.out.tree = withDefaults(l.spec, tree)
	if err := decode(l.out.tree, &l.out.Config); err != nil {
		return Loaded{}, fmt.Errorf("settings do not fit together: %w", err)
	}
	l.out.Origins = map[string]Origin{}
	for _, s := range l.out.Effective() {
		l.out.Origins[s.Key] = s.Origin
	}
	l.notice()
	l.unbuilt()
	if wrong := l.out.Config.Context.disorder(); wrong != "" {
		l.out.Warnings = append(l.out.Warnings, wrong)
	}
	return l.out, nil
}

// loader gathers the layers, weakest first.
type loader struct {
	in        Input
	spec      *field
	layers    []*node
	read      []os.FileInfo // the person's files, not to be read again as the project's
	variables map[string]*node
	ignored   []ignored
	out       Loaded
}

// file reads and parses one settings file; nil without an error when there is
// none.
func (l *loader) file(path string, layer Layer, explicit bool) (*node, error) {
	content, info, err := readFile(path, explicit)
	if errors.Is(err, errUnreachable) && layer == LayerUser {
		// A home that belongs to someone else: whatever is in it never was
		// in force for this user.
		l.out.Warnings = append(l.out.Warnings, err.Error()+"; going on without it")
		return nil, nil
	}
	if content == nil || err != nil {
		return nil, err
	}
	if layer == LayerUser {
		l.read = append(l.read, info)
	} else if layer == LayerProject && slices.ContainsFunc(l.read, func(i os.FileInfo) bool { return os.SameFile(i, info) }) {
		return nil, nil
	}
	return parse(content, Origin{Layer: layer, File: path})
}

// readFile reads a regular file of at most maxFile bytes; an explicit one may
// be a pipe as well.
func readFile(path string, explicit bool) ([]byte, os.FileInfo, error) {
	fail := func(what string, err error) ([]byte, os.FileInfo, error) {
		return nil, nil, &FileError{Path: path, What: what, Err: err}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if _, err := os.Lstat(path); err == nil {
			return fail("this is a symbolic link to a file that is not there", nil)
		}
		if explicit {
			return fail("there is no such file", err)
		}
		return nil, nil, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return fail("the directory may not be searched", errUnreachable)
	}
	if err != nil {
		return fail("cannot be read, so what it would forbid is unknown: "+reason(err), err)
	}
	if !info.Mode().IsRegular() && (!explicit || info.IsDir()) {
		return fail("this is not a regular file", nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return fail("cannot be read, so what it would forbid is unknown: "+reason(err), err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fail("cannot be read, so what it would forbid is unknown: "+reason(err), err)
	}
	if len(content) > maxFile {
		return fail("the file is larger than 1 MiB, too large for settings", nil)
	}
	if content == nil {
		content = []byte{}
	}
	return content, info, nil
}

// reason is the system's word without the path that stands before it.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// add checks a layer that may set everything and puts it on top. Of foreign
// files the unknown keys are not told: they are for another program.
func (l *loader) add(n *node, own, foreign bool) error {
	if n == nil {
		return nil
	}
	var c checker
	c.check(n, l.spec, "")
	if c.err != nil {
		return c.err
	}
	if !foreign {
		l.unknown(n.from, c)
	}
	l.hookNames(n, foreign)
	if env := n.get("env"); env != nil {
		for _, m := range slices.Clone(env.members) {
			if providerVariable(m.name) {
				l.variables[m.name] = m.value
				l.out.variables[m.name] = m.value.text()
				env.remove(m.name)
			}
		}
	}
	l.rules(n, own)
	l.layers = append(l.layers, n)
	return nil
}

func (l *loader) unknown(from Origin, c checker) {
	if len(c.unknown) == 0 {
		return
	}
	names := strings.Join(c.unknown, ", ")
	if c.more > 0 {
		names += fmt.Sprintf(" and %d more", c.more)
	}
	from.Line = 0
	l.out.Warnings = append(l.out.Warnings, from.String()+": unknown settings are kept but have no effect: "+names)
}

// hookNames writes a file's hooks.names into each of its groups, since the
// groups of several files are joined. Claude Code's files see its names.
func (l *loader) hookNames(n *node, foreign bool) {
	hooks := n.get("hooks")
	if hooks == nil {
		return
	}
	names := hooks.get("names")
	if names == nil || foreign {
		names = &node{kind: '"', literal: []byte(`"claude"`), from: hooks.from}
	}
	hooks.remove("names")
	for _, event := range hooks.members {
		for _, group := range event.value.items {
			if own := group.get("names"); own.text() == "" || foreign {
				group.set("names", names)
			}
		}
	}
}

func (l *loader) rules(n *node, own bool) {
	for _, decision := range []string{"deny", "ask", "allow"} {
		rules := n.get("permissions").get(decision)
		if rules == nil {
			continue
		}
		for _, item := range rules.items {
			l.out.Rules = append(l.out.Rules, RuleEntry{Text: item.text(), Decision: decision, Origin: item.from, Own: own})
		}
	}
}

func (l *loader) user() error {
	for _, path := range []string{l.out.Dirs.Settings(), l.in.OwnProjectFile} {
		if path == "" {
			continue
		}
		n, err := l.file(path, LayerUser, false)
		if err == nil {
			err = l.add(n, true, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// environment is the variables that are settings.
func (l *loader) environment() error {
	if model := l.in.Env["MINICODE_MODEL"]; model != "" {
		if err := l.variable("MINICODE_MODEL", model, "model"); err != nil {
			return err
		}
	}
	for _, provider := range BuiltinProviders() {
		name := urlVariable(provider)
		if url := l.in.Env[name]; name != "" && url != "" {
			if provider == "ollama" {
				url = ollamaURL(url)
			}
			if err := l.variable(name, url, "providers", provider, "baseUrl"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) variable(name, value string, path ...string) error {
	n, err := valueNode(value, Origin{Layer: LayerEnvironment, Name: name})
	if err != nil {
		return err
	}
	return l.add(nest(n, path...), true, false)
}

// fallbacks are what holds when no layer says anything: what the settings' env
// says of providers, and ANTHROPIC_MODEL.
func (l *loader) fallbacks() *node {
	var tree *node
	if model := l.in.Env["ANTHROPIC_MODEL"]; model != "" {
		n, err := valueNode(model, Origin{Layer: LayerEnvironment, Name: "ANTHROPIC_MODEL"})
		if err == nil {
			l.variables["ANTHROPIC_MODEL"] = n
		}
	}
	if n := l.variables["ANTHROPIC_MODEL"]; n.text() != "" {
		tree = nest(anthropicModel(n), "model")
	}
	for _, provider := range BuiltinProviders() {
		n := l.variables[urlVariable(provider)]
		if n.text() == "" {
			continue
		}
		if provider == "ollama" {
			n, _ = valueNode(ollamaURL(n.text()), n.from)
		}
		tree = merge(tree, nest(n, "providers", provider, "baseUrl"), l.spec)
	}
	return tree
}

// anthropicModel puts the provider before the model's name, since a variable
// or a file that is made for Anthropic's API means its models.
func anthropicModel(n *node) *node {
	name := n.text()
	if !strings.HasPrefix(name, "anthropic/") {
		name = "anthropic/" + name
	}
	made, err := valueNode(name, n.from)
	if err != nil {
		return n
	}
	made.from.Line = n.from.Line
	return made
}

func providerVariable(name string) bool {
	switch name {
	case "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_MODEL", "GOOGLE_API_KEY":
		return true
	}
	return slices.ContainsFunc(BuiltinProviders(), func(provider string) bool {
		p, _ := BuiltinProvider(provider)
		return name == p.APIKey.Variable || name == urlVariable(provider)
	})
}

// flags are the files of --settings, then the flags themselves.
func (l *loader) flags() error {
	for _, file := range l.in.SettingsFiles {
		var n *node
		var err error
		if strings.HasPrefix(strings.TrimSpace(file), "{") {
			n, err = parse([]byte(file), Origin{Layer: LayerFlag, File: "--settings"})
		} else {
			if !filepath.IsAbs(file) {
				file = filepath.Join(l.in.Cwd, file)
			}
			n, err = l.file(file, LayerFlag, true)
		}
		if err == nil {
			err = l.add(n, true, false)
		}
		if err != nil {
			return err
		}
	}
	for _, flag := range l.in.Flags {
		n, err := valueNode(flag.Value, Origin{Layer: LayerFlag, Name: flag.Name})
		if err == nil {
			err = l.add(nest(n, strings.Split(flag.Key, ".")...), true, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
