package shell

import (
	"slices"
	"strings"
	"testing"
)

// Every line of the table is of a known kind, and says nothing that is not
// understood.
func TestTableIsUnderstood(t *testing.T) {
	tab := &table{}
	tab.load()
	kinds := []string{"none", "text", "any", "files", "file", "pattern", "script", "revs", "out", "mode", "inplace", "copy", "move", "special"}
	attrs := []string{"open", "cwd", "plain", "vars", "more", "ask", "text"}
	for verb, lines := range tab.lines {
		if !slices.Contains([]string{"read", "write", "wrap", "run", "danger", "critical", "fetch", "decode", "send", "var", "system", "gitkey", "flags"}, verb) {
			t.Errorf("lines of the kind %q", verb)
		}
		for _, line := range lines {
			fields := strings.Split(line, "|")
			switch verb {
			case "danger", "critical":
				if len(fields) != 2 || strings.TrimSpace(fields[1]) == "" {
					t.Errorf("%s %q has no reason", verb, line)
				}
			case "read", "write":
				if len(fields) != 3 {
					t.Errorf("%s %q has %d fields", verb, line, len(fields))
					continue
				}
				words := strings.Fields(fields[1])
				if len(words) == 0 || !slices.Contains(kinds, words[0]) {
					t.Errorf("%s %q: operands %q", verb, line, words)
				}
				for _, a := range words[min(1, len(words)):] {
					if k, _, has := strings.Cut(a, "="); !slices.Contains(attrs, a) && (!has || !slices.Contains([]string{"max", "must", "list"}, k)) {
						t.Errorf("%s %q: attribute %q", verb, line, a)
					}
				}
				for flag := range strings.FieldsSeq(fields[2]) {
					if flag[0] == '@' && len(tab.rows("flags", flag)) != 1 {
						t.Errorf("%q: %s is not defined", line, flag)
					}
					if flag[0] != '-' && flag[0] != '+' && flag[0] != '@' {
						t.Errorf("%q: flag %q", line, flag)
					}
				}
				for name := range strings.SplitSeq(fields[0], ",") {
					if verb == "read" && len(tab.rows("wrap", strings.TrimSpace(name))) > 0 {
						t.Errorf("%s only reads, and runs what follows", name)
					}
				}
			}
		}
	}
	for _, list := range []string{"system", "gitkey", "var harmless", "var ask", "var danger", "var shown"} {
		if len(tab.words(list)) == 0 {
			t.Errorf("%s is empty", list)
		}
	}
}

// Flags that make readers write or run something must not be on the list,
// whoever adds to it.
func TestReadersHaveNoTeeth(t *testing.T) {
	for command, flags := range map[string][]string{
		"sort":       {"-o", "--output", "--compress-program", "-T", "--files0-from"},
		"rg":         {"--pre", "--pre-glob", "--hostname-bin", "-z", "--search-zip"},
		"fd":         {"-x", "-X", "--exec", "--exec-batch", "-l"},
		"tree":       {"-o", "-R"},
		"date":       {"-s", "--set", "-f"},
		"file":       {"-m", "-C", "-f", "--compile", "-z"},
		"sed":        {"-i", "-f", "--in-place"},
		"awk":        {"-f", "-i", "-l", "-e", "-E"},
		"jq":         {"-f", "--from-file", "-L"},
		"yq":         {"-i", "-s", "--inplace", "--split-exp"},
		"tail":       {"-f", "-F", "--follow", "--pid"},
		"hostname":   {"-F", "-b"},
		"base64":     {"-o", "--output"},
		"diff":       {"-l", "--paginate"},
		"xxd":        {"-r"},
		"gofmt":      {"-w", "-r", "-cpuprofile"},
		"git log":    {"--output", "--ext-diff", "--textconv", "--show-signature", "-O"},
		"git diff":   {"--output", "--ext-diff", "--textconv", "--no-index"},
		"git show":   {"--output", "--ext-diff", "--textconv"},
		"git grep":   {"-O", "--open-files-in-pager", "--no-index", "-f"},
		"git branch": {"-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "--edit-description", "--set-upstream-to"},
		"git tag":    {"-d", "-a", "-s", "-f", "-v", "-m", "-F"},
		"git config": {"--add", "--unset", "-e", "--edit", "--replace-all", "-f", "--file"},
		"git":        {"-c", "-C", "-p", "--paginate", "--git-dir", "--work-tree", "--exec-path", "--config-env"},
	} {
		words := strings.Fields(command)
		tab := &table{}
		for _, r := range tab.rows("read", words[0]) {
			if !slices.Equal(r.head, words) {
				continue
			}
			s := tab.spec("read", r)
			for _, flag := range flags {
				if kind, ok := s.flags[flag]; ok {
					t.Errorf("%s %s (%q) counts as reading", command, flag, kind)
				}
			}
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, word string
		want          bool
	}{
		{"*", "", true},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"*b*", "abc", true},
		{"a*c*e", "abcde", true},
		{"a*d", "abc", false},
		{"?", "", false},
		{"a?c", "abc", true},
		{"[ab]c", "bc", true},
		{"[!ab]c", "bc", false},
		{"[a-c]", "b", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{"**a", "bca", true},
		{"", "", true},
		{"", "a", false},
		{"[a", "[a", true},
		{strings.Repeat("*a", 50) + "b", strings.Repeat("a", 200), false},
	} {
		if got := glob(c.pattern, c.word); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.word, got)
		}
	}
}
