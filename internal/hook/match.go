package hook

import (
	"fmt"
	"regexp"
	"strings"
)

// plainMatcher says whether a matcher is a list of names rather than a regular
// expression.
func plainMatcher(m string) bool {
	return strings.IndexFunc(m, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-,| ", r))
	}) < 0
}

// matches says whether a matcher is for something with one of these names. A
// matcher that cannot be read is for everything, and the error says so.
func matches(matcher string, names []string) (bool, error) {
	matcher = strings.TrimSpace(matcher)
	if matcher == "" || matcher == "*" {
		return true, nil
	}
	if plainMatcher(matcher) {
		for _, want := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
			for _, name := range names {
				if strings.TrimSpace(want) == name {
					return true, nil
				}
			}
		}
		return false, nil
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return true, fmt.Errorf("the matcher %q of a hook cannot be read (%w), so the hook runs for everything", matcher, err)
	}
	for _, name := range names {
		if re.MatchString(name) {
			return true, nil
		}
	}
	return false, nil
}
