package builtin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

type editCase struct {
	ID        string
	Before    *string
	BeforeB64 []byte `json:"before_b64"`
	Old       string `json:"old_string"`
	New       string `json:"new_string"`
	All       bool   `json:"replace_all"`
	Expect    string
	After     *string
	AfterB64  []byte `json:"after_b64"`
	Why       string
}

func editCases(t testing.TB) []editCase {
	t.Helper()
	data, err := os.ReadFile("testdata/edit.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []editCase
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c editCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.BeforeB64 == nil && c.Before != nil {
			c.BeforeB64 = []byte(*c.Before)
		}
		if c.AfterB64 == nil && c.After != nil {
			c.AfterB64 = []byte(*c.After)
		}
		cases = append(cases, c)
	}
	return cases
}

// laddered is the cases that the plain contract does not find and that the
// ladder does, with the bytes that it must write.
func laddered(id string) (after string, ok bool) {
	switch id {
	case "e044": // a tab given, blanks in the file
		return "    return 2\n", true
	case "e047": // a blank at a line's end in the search text only
		return "z()\n", true
	case "e058": // eight blanks given, a tab in the file
		return "all:\n\tgcc b.c\n", true
	case "e092": // a blank given, a no-break space in the file
		return "c\n", true
	}
	return "", false
}

func TestEditCases(t *testing.T) {
	cases := editCases(t)
	if len(cases) != 104 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			s := newFileSpace(t)
			if c.BeforeB64 != nil {
				s.file("f.txt", string(c.BeforeB64))
			}
			r, err := s.use("edit_file", args{"path": "f.txt", "search": c.Old, "replace": c.New, "replaceAll": c.All})
			want, expect := string(c.AfterB64), c.Expect
			if after, ok := laddered(c.ID); ok {
				want, expect = after, "ok"
				wantAll(t, r.Parts.Text(), "was not there exactly")
			}
			if expect != "ok" {
				if got := kindOfError(err); got != expect {
					t.Errorf("%s: got %s (%v), want %s", c.Why, got, err, expect)
				}
				if c.BeforeB64 != nil {
					s.wantContent("f.txt", string(c.BeforeB64))
				} else if _, err := os.Stat(s.path("f.txt")); err == nil {
					t.Error("the file was made")
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", c.Why, err)
			}
			s.wantContent("f.txt", want)
			if len(r.Meta.Wrote) != 1 || r.Meta.Wrote[0].SHA256 != sum([]byte(want)) {
				t.Errorf("meta: %+v", r.Meta)
			}
		})
	}
}

func kindOfError(err error) string {
	var m *matchError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &m):
		return string(m.kind)
	case strings.Contains(err.Error(), "does not exist"):
		return "file_not_found"
	case strings.Contains(err.Error(), "no text"):
		return "binary"
	}
	return "other"
}
