package theme

// Theme is a style for each purpose.
type Theme struct {
	Name string

	Text     Style // what is neither of the following
	Dim      Style // what matters less: hints, addresses, times
	Accent   Style // what stands out: the prompt's mark, names of tools
	Person   Style // what the person said
	Progress Style // what the model says while it works
	Thinking Style // what the model thinks

	Ok       Style
	Warn     Style
	Error    Style
	Critical Style // what must not be overlooked

	Added       Style // lines of a diff
	Removed     Style
	AddedWord   Style // what differs within such lines
	RemovedWord Style

	Heading  Style // Markdown
	Strong   Style
	Emphasis Style
	Code     Style
	Link     Style
	Quote    Style
	Rule     Style // thin lines: rules, tables, the bar of a quote

	Selected Style // the chosen entry of a list
	Border   Style // of boxes

	Keyword  Style // highlighted code
	Literal  Style // strings
	Comment  Style
	Number   Style
	Function Style
	Type     Style
}

// Dark is for dark backgrounds, in the 256-colour palette.
func Dark() Theme {
	return Theme{
		Name: "dark",

		Dim:      "38;5;246",
		Accent:   "38;5;75",
		Person:   "38;5;153",
		Progress: "38;5;109",
		Thinking: "3;38;5;246",

		Ok:       "38;5;114",
		Warn:     "38;5;214",
		Error:    "38;5;203",
		Critical: "1;38;5;231;48;5;124",

		Added:       "38;5;114",
		Removed:     "38;5;210",
		AddedWord:   "38;5;194;48;5;22",
		RemovedWord: "38;5;224;48;5;88",

		Heading:  "1;38;5;75",
		Strong:   "1",
		Emphasis: "3",
		Code:     "38;5;180",
		Link:     "4;38;5;110",
		Quote:    "38;5;249",
		Rule:     "38;5;240",

		Selected: "38;5;255;48;5;238",
		Border:   "38;5;240",

		Keyword:  "38;5;140",
		Literal:  "38;5;150",
		Comment:  "3;38;5;246",
		Number:   "38;5;180",
		Function: "38;5;110",
		Type:     "38;5;115",
	}
}

// Light is for light backgrounds, in the 256-colour palette.
func Light() Theme {
	return Theme{
		Name: "light",

		Dim:      "38;5;242",
		Accent:   "38;5;25",
		Person:   "38;5;24",
		Progress: "38;5;60",
		Thinking: "3;38;5;242",

		Ok:       "38;5;22",
		Warn:     "1;38;5;94",
		Error:    "38;5;124",
		Critical: "1;38;5;231;48;5;124",

		Added:       "38;5;22",
		Removed:     "38;5;124",
		AddedWord:   "38;5;22;48;5;194",
		RemovedWord: "38;5;88;48;5;224",

		Heading:  "1;38;5;25",
		Strong:   "1",
		Emphasis: "3",
		Code:     "38;5;94",
		Link:     "4;38;5;25",
		Quote:    "38;5;240",
		Rule:     "38;5;248",

		Selected: "38;5;16;48;5;253",
		Border:   "38;5;248",

		Keyword:  "38;5;90",
		Literal:  "38;5;22",
		Comment:  "3;38;5;242",
		Number:   "38;5;94",
		Function: "38;5;25",
		Type:     "38;5;23",
	}
}

// Sixteen uses the foreground colours that every terminal has and lets people
// choose, and no background.
func Sixteen() Theme {
	return Theme{
		Name: "sixteen",

		Dim:      "90",
		Accent:   "36",
		Person:   "1;36",
		Progress: "36",
		Thinking: "3;90",

		Ok:       "32",
		Warn:     "33",
		Error:    "31",
		Critical: "1;7;31",

		Added:       "32",
		Removed:     "31",
		AddedWord:   "7;32",
		RemovedWord: "7;31",

		Heading:  "1;36",
		Strong:   "1",
		Emphasis: "3",
		Code:     "33",
		Link:     "4;36",
		Quote:    "3",
		Rule:     "90",

		Selected: "7",
		Border:   "90",

		Keyword:  "35",
		Literal:  "32",
		Comment:  "3;90",
		Number:   "33",
		Function: "36",
		Type:     "36",
	}
}

// Plain has no styles at all.
func Plain() Theme { return Theme{Name: "plain"} }

// Names are the names of the themes that are built in.
func Names() []string { return []string{"dark", "light", "sixteen", "plain"} }

// Named is the theme of that name, and whether there is one.
func Named(name string) (Theme, bool) {
	switch name {
	case "dark":
		return Dark(), true
	case "light":
		return Light(), true
	case "sixteen":
		return Sixteen(), true
	case "plain":
		return Plain(), true
	}
	return Theme{}, false
}

// styles are the styles of t by the names that a theme file has for them.
func (t *Theme) styles() []named {
	return []named{
		{"text", &t.Text},
		{"dim", &t.Dim},
		{"accent", &t.Accent},
		{"person", &t.Person},
		{"progress", &t.Progress},
		{"thinking", &t.Thinking},
		{"ok", &t.Ok},
		{"warn", &t.Warn},
		{"error", &t.Error},
		{"critical", &t.Critical},
		{"added", &t.Added},
		{"removed", &t.Removed},
		{"addedWord", &t.AddedWord},
		{"removedWord", &t.RemovedWord},
		{"heading", &t.Heading},
		{"strong", &t.Strong},
		{"emphasis", &t.Emphasis},
		{"code", &t.Code},
		{"link", &t.Link},
		{"quote", &t.Quote},
		{"rule", &t.Rule},
		{"selected", &t.Selected},
		{"border", &t.Border},
		{"keyword", &t.Keyword},
		{"literal", &t.Literal},
		{"comment", &t.Comment},
		{"number", &t.Number},
		{"function", &t.Function},
		{"type", &t.Type},
	}
}

type named struct {
	name  string
	style *Style
}
