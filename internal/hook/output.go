package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

const mostText = 10_000 // characters of one text of a hook

// output is what a hook says on standard output, as JSON.
type output struct {
	Continue      *bool  `json:"continue"`
	StopReason    string `json:"stopReason"`
	SystemMessage string `json:"systemMessage"`
	Decision      string `json:"decision"`
	Reason        string `json:"reason"`

	Specific specific `json:"hookSpecificOutput"`
}

type specific struct {
	Decision          json.RawMessage `json:"decision"` // of PermissionRequest
	Permission        string          `json:"permissionDecision"`
	PermissionReason  string          `json:"permissionDecisionReason"`
	UpdatedInput      json.RawMessage `json:"updatedInput"`
	UpdatedOutput     json.RawMessage `json:"updatedToolOutput"`
	AdditionalContext string          `json:"additionalContext"`
	SessionTitle      string          `json:"sessionTitle"`
}

var errUnreadable = errors.New("its answer looks like JSON and cannot be read")

// read gives the JSON that a hook has printed. Text before or after it is
// passed over: shells print greetings, and tools warnings. What holds no JSON
// is plain text.
func read(stdout string) (out output, text string, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(stdout, "\ufeff"))
	first := strings.IndexByte(text, '{')
	if first < 0 {
		return output{}, clip(text), nil
	}
	begins := first == 0
	for at := first; at >= 0; {
		d := json.NewDecoder(bytes.NewReader([]byte(text[at:])))
		var whole json.RawMessage
		if d.Decode(&whole) == nil {
			if err := json.Unmarshal(whole, &out); err != nil {
				return output{}, "", fmt.Errorf("%w: %w", errUnreadable, err)
			}
			return out.clipped(), "", nil
		}
		next := strings.Index(text[at+1:], "\n{")
		if next < 0 {
			break
		}
		at += 1 + next + 1
	}
	if begins {
		return output{}, "", errUnreadable
	}
	return output{}, clip(text), nil
}

func (o output) clipped() output {
	for _, s := range []*string{&o.StopReason, &o.SystemMessage, &o.Reason, &o.Specific.PermissionReason, &o.Specific.AdditionalContext} {
		*s = clip(*s)
	}
	return o
}

// clip keeps as much of a text as a model is told.
func clip(text string) string {
	if utf8.RuneCountInString(text) <= mostText {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.ToValidUTF8(string([]rune(text)[:mostText]), "\ufffd") + "\n... the rest was left out"
}

// stopped says why a hook wants an end of everything, if it does.
func (o output) stopped() (why string, ok bool) {
	if o.Continue == nil || *o.Continue {
		return "", false
	}
	return orElse(o.StopReason, "it wants no more work to be done"), true
}

func orElse(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}
