package catalog

import (
	_ "embed"
	"iter"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/llm"
)

//go:embed models.tsv
var models string

// Entry is one model of one provider.
type Entry struct {
	Provider  string
	Name      string   // the name the provider knows it by
	Aliases   []string // short names, such as "sonnet"
	Responses bool     // it answers on OpenAI's Responses API only
	Window    int      // tokens, input and output together
	MaxOutput int      // tokens
	Price     llm.Price
	Images    bool
	Thinking  bool
}

// Info is the entry as adapters take it.
func (e Entry) Info() llm.Info {
	return llm.Info{
		Provider: e.Provider, Name: e.Name, Window: e.Window, MaxOutput: e.MaxOutput, Known: true,
		Images: e.Images, Thinking: e.Thinking, Price: e.Price,
	}
}

// All yields every model, in the order of the table.
func All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for f := range rows(models) {
			if !yield(entry(f)) {
				return
			}
		}
	}
}

// Find finds a model by "provider/name", by a bare name or by an alias;
// capitals, and dots for dashes, do not matter. A dated or "-latest" form of a
// name in the table is found too, and keeps the name that was asked for. A
// bare name goes to the first provider that has it.
func Find(name string) (Entry, bool) {
	wanted := plain(name)
	for f := range rows(models) {
		if answers(f, wanted) {
			return entry(f), true
		}
	}
	short := undated(wanted)
	for f := range rows(models) {
		if short != wanted && answers(f, short) {
			e := entry(f)
			e.Name = strings.TrimPrefix(name, e.Provider+"/")
			return e, true
		}
	}
	return Entry{}, false
}

// answers says whether the row is the one for the name, which is plain.
func answers(f []string, wanted string) bool {
	if name := plain(f[1]); wanted == name || wanted == f[0]+"/"+name {
		return true
	}
	for _, alias := range list(f[2]) {
		if a := plain(alias); wanted == a || wanted == f[0]+"/"+a {
			return true
		}
	}
	return false
}

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '@' {
			return '-'
		}
		return r
	}, strings.ToLower(name))
}

// undated takes "-latest", "-20250929" or "-2025-08-07" off.
func undated(name string) string {
	name = strings.TrimSuffix(name, "-latest")
	for _, n := range []int{len("-20250929"), len("-2025-08-07")} {
		at := len(name) - n
		if at > 0 && name[at] == '-' && strings.Trim(name[at+1:], "0123456789-") == "" {
			return name[:at]
		}
	}
	return name
}

// rows yields the fields of a table's rows. Lines that begin with # are for
// people.
func rows(table string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\r\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(strings.Split(line, "\t")) {
				return
			}
		}
	}
}

func entry(f []string) Entry {
	e := Entry{
		Provider: f[0], Name: f[1], Aliases: list(f[2]), Window: count(f[3]), MaxOutput: count(f[4]),
		Images: strings.Contains(f[5], "i"), Thinking: strings.Contains(f[5], "t"), Responses: strings.Contains(f[5], "r"),
	}
	if f[6] != "" {
		e.Price = llm.Price{Known: true, Input: dollars(f[6]), Output: dollars(f[7]), CacheRead: dollars(f[8]), CacheWrite: dollars(f[9])}
	}
	return e
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// count and dollars read fields that a test has read before.
func count(s string) int { n, _ := strconv.Atoi(s); return n }

func dollars(s string) float64 { d, _ := strconv.ParseFloat(s, 64); return d }
