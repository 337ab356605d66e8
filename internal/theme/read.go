package theme

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Read reads a person's own theme: a JSON object, comments allowed, whose
// "base" names a theme that is built in (dark if there is none), whose "name"
// names the new one, and whose other members are styles in place of those of
// the base:
//
//	{
//	  "base": "light",
//	  "accent": "#005f87",          // colours as in web pages
//	  "heading": "bold underline",  // words, see below
//	  "comment": "3;38;5;245",      // or the parameters of an SGR sequence
//	  "addedWord": "black on green"
//	}
//
// Words are bold, dim, italic, underline, reverse and strike, and the colours
// black, red, green, yellow, blue, magenta, cyan and white, bright or not
// ("bright red"); what follows "on" is the background. "" is no style.
//
// The error names everything that is wrong; the theme is the base with all
// that was right.
func Read(data []byte) (Theme, error) {
	standard, err := hujson.Standardize(data)
	if err != nil {
		return Dark(), fmt.Errorf("the theme is not JSON: %w", err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(standard, &members); err != nil {
		return Dark(), fmt.Errorf("the theme must be an object such as {\"base\": \"dark\", \"accent\": \"#5fafff\"}: %w", err)
	}
	t := Dark()
	var faults []error
	text := func(key string) (string, bool) {
		var s string
		raw, ok := members[key]
		if !ok {
			return "", false
		}
		if err := json.Unmarshal(raw, &s); err != nil || string(raw) == "null" {
			faults = append(faults, fmt.Errorf("%q must be a text, not %s", key, raw))
			return "", false
		}
		return s, true
	}
	if base, ok := text("base"); ok {
		if t, ok = Named(base); !ok {
			t = Dark()
			faults = append(faults, fmt.Errorf("there is no theme %q to begin with; there are %s", base, strings.Join(Names(), ", ")))
		}
	}
	if name, ok := text("name"); ok {
		t.Name = name
	}
	known := []string{"base", "name"}
	for _, n := range t.styles() {
		known = append(known, n.name)
		value, ok := text(n.name)
		if !ok {
			continue
		}
		style, err := parse(value)
		if err != nil {
			faults = append(faults, fmt.Errorf("%q: %w", n.name, err))
			continue
		}
		*n.style = style
	}
	var unknown []string
	for key := range members {
		if !slices.Contains(known, key) {
			unknown = append(unknown, strconv.Quote(key))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		faults = append(faults, fmt.Errorf("no style is called %s; there are %s", strings.Join(unknown, ", "), strings.Join(known[2:], ", ")))
	}
	return t, errors.Join(faults...)
}

// parse reads one style: SGR parameters, or words and colours.
func parse(value string) (Style, error) {
	if value = strings.TrimSpace(value); value == "" {
		return "", nil
	}
	if strings.Trim(value, "0123456789;") == "" {
		return parameters(value)
	}
	var out Style
	ground, bright := 30, 0
	for _, word := range strings.Fields(strings.ToLower(value)) {
		switch {
		case word == "on":
			ground = 40
		case word == "bright":
			bright = 60
			continue
		case attribute(word) != "":
			out = out.With(attribute(word))
		case strings.HasPrefix(word, "#"):
			style, err := hex(word, ground)
			if err != nil {
				return "", err
			}
			out = out.With(style)
		default:
			i := slices.Index(colours(), word)
			if i < 0 {
				return "", fmt.Errorf("%q is not a colour: write #rrggbb, one of %s (bright or not), or SGR parameters such as 38;5;75", word, strings.Join(colours(), ", "))
			}
			out = out.With(Style(strconv.Itoa(ground + bright + i)))
		}
		if bright > 0 {
			if !slices.Contains(colours(), word) {
				return "", fmt.Errorf("%q must be followed by one of %s", "bright", strings.Join(colours(), ", "))
			}
			bright = 0
		}
	}
	if bright > 0 || strings.HasSuffix(strings.ToLower(value), " on") || out == "" {
		return "", fmt.Errorf("%q ends where a colour should follow", value)
	}
	return out, nil
}

func parameters(value string) (Style, error) {
	for p := range strings.SplitSeq(value, ";") {
		if n, err := strconv.Atoi(p); err != nil || n > 255 {
			return "", fmt.Errorf("%q is not a list of SGR parameters: numbers from 0 to 255, separated by semicolons", value)
		}
	}
	var out Style
	for _, set := range Style(value).settings() {
		out = out.With(Style(set.text))
	}
	return out, nil
}

func attribute(word string) Style {
	switch word {
	case "bold":
		return "1"
	case "dim":
		return "2"
	case "italic":
		return "3"
	case "underline":
		return "4"
	case "reverse":
		return "7"
	case "strike":
		return "9"
	}
	return ""
}

func colours() []string {
	return []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
}

// hex reads #rrggbb or #rgb.
func hex(word string, ground int) (Style, error) {
	digits := word[1:]
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 24)
	if err != nil || len(digits) != 6 {
		return "", fmt.Errorf("%q is not a colour: write # and six hexadecimal digits", word)
	}
	return Style(fmt.Sprintf("%d;2;%d;%d;%d", ground+8, n>>16, n>>8&255, n&255)), nil
}
