package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

func edited(t *testing.T, content string, change func(*editor) error) string {
	t.Helper()
	e, err := newEditor("settings.json", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := change(e); err != nil {
		t.Fatal(err)
	}
	return string(e.bytes())
}

func TestEditing(t *testing.T) {
	set := func(value any, keys ...string) func(*editor) error {
		return func(e *editor) error { return e.set(keys, value) }
	}
	push := func(value string, keys ...string) func(*editor) error {
		return func(e *editor) error { return e.push(keys, value) }
	}
	remove := func(keys ...string) func(*editor) error { return func(e *editor) error { return e.remove(keys) } }
	pull := func(value string, keys ...string) func(*editor) error {
		return func(e *editor) error { return e.pull(keys, value) }
	}
	for _, c := range []struct {
		name, before, after string
		change              func(*editor) error
	}{
		{"nothing there", "", "{\n  \"model\": \"a/b\"\n}\n", set("a/b", "model")},
		{"a value", "{\n  \"model\": \"a\", // mine\n  \"x\": 1\n}\n", "{\n  \"model\": \"b\", // mine\n  \"x\": 1\n}\n", set("b", "model")},
		{"a new key after a comment", "{\n  \"x\": 1 // one\n}\n", "{\n  \"x\": 1, // one\n  \"model\": \"b\"\n}\n", set("b", "model")},
		{"after a trailing comma", "{\n\t\"x\": 1, // one\n}", "{\n\t\"x\": 1, // one\n\t\"model\": \"b\",\n}", set("b", "model")},
		{"mark and CRLF", "\ufeff{\r\n  \"x\": 1\r\n}\r\n", "\ufeff{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"b\": 2\r\n  }\r\n}\r\n", set(2, "a", "b")},
		{"on one line", `{"x":1}`, `{"x":1, "a":{"b":2}}`, set(2, "a", "b")},
		{"markup stays readable", `{"x": 1}`, `{"x": "a && b <c>"}`, set("a && b <c>", "x")},
		{"a key with a dot", `{"models": {"a/b.c": {"context": 1}}}`, `{"models": {"a/b.c": {"context": 2}}}`, set(2, "models", "a/b.c", "context")},
		{"an escaped key", `{"m\u006fdel": 1}`, `{"m\u006fdel": 2}`, set(2, "model")},
		{"the first rule", "{\n  \"x\": 1\n}", "{\n  \"x\": 1,\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ]\n  }\n}", push("Bash(ls)", "permissions", "allow")},
		{"another rule", "{\n  \"p\": {\"a\": [\n    \"x\", // why\n    \"y\"   // because\n    // the end\n  ]}\n}", "{\n  \"p\": {\"a\": [\n    \"x\", // why\n    \"y\",   // because\n    \"z\"\n    // the end\n  ]}\n}", push("z", "p", "a")},
		{"the same rule", `{"p": {"a": ["x"]}}`, `{"p": {"a": ["x"]}}`, push("x", "p", "a")},
		{"rules on one line", `{"p": {"a": ["x"]}}`, `{"p": {"a": ["x", "y"]}}`, push("y", "p", "a")},
		{"an empty list with a comment", "{\"a\": [ // none\n]}", "{\"a\": [ // none\n  \"x\"\n]}", push("x", "a")},
		{"a comment ends the file", "{}\n// end", "{\n  \"a\": 1\n}\n// end", set(1, "a")},
		{"remove", "{\n  // about x\n  \"x\": 1, // x\n  \"y\": 2\n}", "{\n  // about x\n  \"y\": 2\n}", remove("x")},
		{"remove the last", "{\n  \"x\": 1, // x\n  \"y\": 2 // y\n}", "{\n  \"x\": 1 // x\n}", remove("y")},
		{"remove the only one", `{"x": 1}`, `{}`, remove("x")},
		{"remove on one line", `{"x": 1, "y": 2, "z": 3}`, `{"x": 1, "z": 3}`, remove("y")},
		{"remove what is not there", `{"x": 1}`, `{"x": 1}`, remove("a", "b")},
		{"pull", `{"a": ["x", "y"]}`, `{"a": ["x"]}`, pull("y", "a")},
		{"pull the first", "{\"a\": [\n  \"x\",\n  \"y\",\n]}", "{\"a\": [\n  \"y\",\n]}", pull("x", "a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.after, edited(t, c.before, c.change)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPatchKeepsAFileThatItCannotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, content := range []string{`{"a": 1 "b": 2}`, `["a"]`, `{"permissions": 5}`, `{"permissions": {"allow": "x"}}`, `{"a": 1, "a": 2}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := AppendRule(path, "allow", "Bash(ls)"); err == nil {
			t.Errorf("%s: no error", content)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%s became %s", content, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPatchKeepsModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are other things there")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "a", "settings.json")
	if err := os.WriteFile(real, []byte(`{"x": 1}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../real.json", link); err != nil {
		t.Fatal(err)
	}
	if err := Patch(link, []string{"x"}, 2); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != "../real.json" {
		t.Errorf("the link is %q, %v", target, err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(real); string(got) != `{"x": 2}` {
		t.Errorf("content %s", got)
	}
	err = File{Path: link, Within: filepath.Dir(link)}.AppendRule("allow", "Bash(ls)")
	if err == nil || !strings.Contains(err.Error(), "outside of") {
		t.Errorf("a link that leaves the project: %v", err)
	}
	if got, _ := os.ReadFile(real); string(got) != `{"x": 2}` {
		t.Errorf("content %s", got)
	}
}

func TestPatchMakesThePrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "settings.json")
	if err := Patch(path, []string{"terminal", "theme"}, "dark"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	f := File{Path: path}
	for _, err := range []error{f.AppendRule("deny", "Read(/x)"), f.RemoveRule("deny", "Read(/x)"), f.Remove([]string{"terminal"}), f.RemoveRule("ask", "x")} {
		if err != nil {
			t.Error(err)
		}
	}
	if f.AppendRule("maybe", "x") == nil || f.Patch(nil, 1) == nil || f.Remove(nil) == nil {
		t.Error("no error for a call that means nothing")
	}
	if got, _ := os.ReadFile(path); string(got) != "{\n  \"permissions\": {\n    \"deny\": [\n    ]\n  }\n}\n" {
		t.Errorf("content %q", got)
	}
}

func TestWritersDoNotLoseEachOthersRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("\ufeff{\n  // mine\n  \"odd\": [1, 2,],\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const writers, each = 6, 4
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := AppendRule(path, "allow", fmt.Sprintf("Bash(w%d n%d)", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(content, []byte("\ufeff{\n  // mine\n  \"odd\": [1, 2,],\n")) {
		t.Errorf("the rest changed:\n%s", content)
	}
	n, err := parse(content, Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(n.get("permissions").get("allow").items); got != writers*each {
		t.Errorf("%d rules of %d", got, writers*each)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplaceSeesWhatAnotherProgramWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"x": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	first := true
	err := File{Path: path}.edit(func(e *editor) error {
		if first { // an editor without our lock saves between reading and replacing
			first = false
			if err := os.WriteFile(path, []byte(`{"x": 1, "theirs": true}`), 0o600); err != nil {
				return err
			}
		}
		return e.set([]string{"x"}, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != `{"x": 2, "theirs": true}` {
		t.Errorf("content %s", got)
	}
}

func TestAHeldLockIsWaitedForAndNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json.lock")
	unlock, err := lock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(path, 1); err == nil || !strings.Contains(err.Error(), "another MiniCode") {
		t.Errorf("a held lock: %v", err)
	}
	unlock()
	again, err := lock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// comments are all comments of a text, in order.
func comments(text []byte) []string {
	var out []string
	v, err := hujson.Parse(append(bytes.TrimPrefix(bytes.Clone(text), []byte("\ufeff")), '\n'))
	if err != nil {
		return nil
	}
	extra := func(e hujson.Extra) {
		for i := 0; i < len(e); i++ {
			if e[i] == '/' {
				end := skipComment(e, i)
				out = append(out, strings.TrimSpace(string(e[i:end+1])))
				i = end
			}
		}
	}
	var walk func(v hujson.Value)
	walk = func(v hujson.Value) {
		extra(v.BeforeExtra)
		switch value := v.Value.(type) {
		case *hujson.Object:
			for _, m := range value.Members {
				walk(m.Name)
				walk(m.Value)
			}
			extra(value.AfterExtra)
		case *hujson.Array:
			for _, item := range value.Elements {
				walk(item)
			}
			extra(value.AfterExtra)
		}
		extra(v.AfterExtra)
	}
	walk(v)
	slices.Sort(out)
	return out
}

func plain(t *testing.T, text []byte) map[string]any {
	t.Helper()
	n, err := parse(text, Origin{})
	if err != nil {
		t.Fatalf("the result cannot be read: %v\n%s", err, text)
	}
	var m map[string]any
	if err := json.Unmarshal(n.write(nil), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{ /* c */ }", "{\"a\":1}", "\ufeff{\r\n \"k\": 1, // c\r\n}\r\n", "{\"k\": {\"a\": [1,] /* x */ , /* y */ } /* z */\n// w\n}",
		"{\n\t\"permissions\": {\"allow\": [\"x\" // a\n, /*b*/ \"y\"/*c*/,/*d*/]}}", "// top\n{\"a\": \"//\", \"b\": \"/*\"\n}// end", "{\"a\":[[],{}],\"k\":null}",
		"{\"a\"/*1*/:/*2*/1/*3*/,/*4*/\"k\"/*5*/:/*6*/2/*7*/}",
	} {
		f.Add([]byte(seed), "k", "v")
	}
	f.Fuzz(func(t *testing.T, content []byte, key, value string) {
		e, err := newEditor("f", content)
		if err != nil {
			if fault := (*FileError)(nil); !errors.As(err, &fault) || fault.What == "" {
				t.Fatalf("not a plain error: %v", err)
			}
			return
		}
		key, value = strings.ToValidUTF8(key, "?"), strings.ToValidUTF8(value, "?")
		want := plain(t, e.bytes())
		said := comments(content)
		if err := e.set([]string{key}, value); err != nil {
			t.Fatal(err)
		}
		_, was := want[key]
		want[key] = value
		if diff := cmp.Diff(want, plain(t, e.bytes())); diff != "" {
			t.Fatalf("set: %s\n%s", diff, e.bytes())
		}
		if diff := cmp.Diff(said, comments(e.bytes())); diff != "" && !was {
			t.Fatalf("comments: %s\n%s", diff, e.bytes())
		}
		if err := e.set([]string{key, "b"}, 1); err == nil {
			t.Fatal("set a key inside a text")
		}
		if err := e.remove([]string{key}); err != nil {
			t.Fatalf("remove: %v\n%s", err, e.bytes())
		}
		delete(want, key)
		if diff := cmp.Diff(want, plain(t, e.bytes())); diff != "" {
			t.Fatalf("remove: %s\n%s", diff, e.bytes())
		}
		list := []string{key + "list", "allow"}
		for _, rule := range []string{value, value + "2", value, value + "3"} {
			if err := e.push(list, rule); err != nil {
				return // what is there is no list
			}
		}
		if err := e.pull(list, value+"2"); err != nil {
			t.Fatalf("pull: %v\n%s", err, e.bytes())
		}
	})
}
