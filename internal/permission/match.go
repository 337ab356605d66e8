package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// caller is the tool whose call is judged.
type caller struct {
	name   string // as the call names it
	own    string // our name for it
	family family
}

func newCaller(name string) caller {
	fam, own := familyOf(name)
	return caller{name, own, fam}
}

// compiled is a rule, ready to be held against effects.
type compiled struct {
	Rule
	family   family
	own      string // our name of its tool
	spec     spec
	patterns []pattern
	domain   string
	names    names
}

func (j *judge) compile(r Rule) compiled {
	c := compiled{Rule: r, names: j.names}
	c.family, c.own = familyOf(r.Tool)
	if r.every() {
		return c
	}
	switch c.family {
	case reading, writing, viewing:
		// A rule that ParseRule refuses has no pattern and fits nothing.
		if s, err := parseSpec(r.Spec); err == nil {
			c.spec, c.patterns = s, s.anchored(j.bases, r.Decision != Allow, j.names)
		}
	case fetching, searching:
		c.domain, _ = domainOf(r.Spec)
	}
	return c
}

// named is the rule with where it stands, for messages.
func (c compiled) named() string {
	if c.Origin == "" {
		return c.String()
	}
	return c.String() + " (" + c.Origin + ")"
}

// first is the first rule that says something of the effect, or nil.
func first(rules []compiled, call caller, f facts) *compiled {
	for i := range rules {
		if rules[i].matches(call, f) {
			return &rules[i]
		}
	}
	return nil
}

// matches is whether the rule says something of the effect. A rule that
// narrows holds for every tool that has the effect, and for every spelling of
// a path; one that allows holds for no more than it names.
func (c compiled) matches(call caller, f facts) bool {
	narrows := c.Decision != Allow
	if narrows && c.every() && c.isOf(call) {
		return true
	}
	switch c.family {
	case anyTool:
		return narrows && slices.ContainsFunc([]string{call.name, call.own, TheirName(call.own)}, func(name string) bool { return name != "" && globs(c.Tool, name) })
	case command:
		if f.Kind != event.Exec || f.Target == "?" {
			return f.Kind == event.Exec && narrows && c.every()
		}
		return c.every() || commandFits(c.Spec, f.Target, narrows)
	case reading, writing:
		return c.covers(f.Kind, true) && c.matchesPath(f)
	case viewing:
		return c.isOf(call) && f.Kind == event.Read && c.matchesPath(f)
	case fetching, searching:
		return f.Kind == event.Net && (c.isOf(call) || narrows && c.domain != "") && (c.every() || domainFits(c.domain, f.Target))
	case spawning:
		return f.Kind == event.Spawn && (c.every() || globs(c.Spec, f.Target))
	case mcp:
		return c.matchesServer(call, f)
	}
	return c.isOf(call)
}

// isOf is whether the rule's tool is the call's.
func (c compiled) isOf(call caller) bool {
	return c.family == call.family && c.own == call.own && c.family != anyTool
}

// covers is whether a rule for files says something of this kind of effect.
// Permission to change ordinary files is permission to read them; where
// reading is denied, so is changing.
func (c compiled) covers(kind event.EffectKind, ordinary bool) bool {
	switch {
	case kind == event.Read:
		return c.family == reading || c.family == writing && c.Decision == Allow && ordinary
	case kind == event.Write:
		return c.family == writing || c.family == reading && c.Decision == Deny && !c.every()
	}
	return false
}

// matchesPath is whether the rule fits where the path leads: for one that
// narrows, any spelling; for one that allows, what is really read or changed.
func (c compiled) matchesPath(f facts) bool {
	switch {
	case c.Decision != Allow:
		return c.every() || slices.ContainsFunc(f.place.spellings, func(s string) bool { return c.fits(c.names.split(s)) })
	case !f.place.known:
		return false
	case c.every():
		return true
	}
	return c.fits(c.names.split(f.place.real))
}

func (c compiled) fits(path []string) bool {
	return slices.ContainsFunc(c.patterns, func(p pattern) bool { return p.matches(path) })
}

func globs(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// domainFits compares host names: "*." at the beginning is any subdomain, a
// wildcard elsewhere stays within its label.
func domainFits(pattern, host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.Count(host, ":") == 1 {
		host = strings.TrimSuffix(host[:i], ".")
	}
	if pattern == "" || host == "" {
		return false
	}
	if parent, ok := strings.CutPrefix(pattern, "*."); ok && !strings.Contains(parent, "*") {
		return len(host) > len(parent)+1 && strings.HasSuffix(host, "."+parent)
	}
	want, have := strings.Split(pattern, "."), strings.Split(host, ".")
	return len(want) == len(have) && !slices.ContainsFunc(want, func(label string) bool {
		h := have[0]
		have = have[1:]
		return !globs(label, h)
	})
}

// matchesServer is whether a rule for MCP tools names this tool or its server.
func (c compiled) matchesServer(call caller, f facts) bool {
	if f.Kind != event.Tool && call.family != mcp {
		return false
	}
	server, name, _ := strings.Cut(f.Target, "/")
	server = serverName(server)
	tools := []string{call.name, "mcp__" + server + "__" + serverName(name)}
	if c.Decision != Allow {
		return slices.ContainsFunc(tools, func(t string) bool {
			return globs(c.Tool, t) || strings.HasPrefix(t, strings.TrimSuffix(c.Tool, "__")+"__")
		})
	}
	if f.Kind != event.Tool || !literalServer(c.Tool) {
		return false
	}
	if c.Tool == "mcp__"+server {
		return true
	}
	return strings.HasPrefix(c.Tool, "mcp__"+server+"__") && slices.ContainsFunc(tools, func(t string) bool { return globs(c.Tool, t) })
}

// serverName is a name as it stands in a tool's name.
func serverName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, s)
}
