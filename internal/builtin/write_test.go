package builtin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
)

func TestWriteFile(t *testing.T) {
	s := newFileSpace(t)
	action, err := s.prepare("write_file", args{"path": "a/b/new.txt", "content": "one\ntwo\n"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "--- /dev/null\n+++ b/a/b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"; action.Preview.Text != want || action.Preview.Kind != event.PreviewDiff {
		t.Errorf("preview %q", action.Preview.Text)
	}
	if len(action.Effects) != 1 || action.Effects[0] != (event.Effect{Kind: event.Write, Target: s.path("a/b/new.txt")}) {
		t.Errorf("effects %v", action.Effects)
	}
	if _, err := os.Stat(s.path("a")); err == nil {
		t.Error("preparing made a directory")
	}
	r, err := s.run(action)
	if err != nil || r.Parts.Text() != "Created a/b/new.txt (2 lines)." || r.Meta.Wrote[0].Added != 2 {
		t.Errorf("%v %+v", err, r)
	}
	s.wantContent("a/b/new.txt", "one\ntwo\n")

	s.must("write_file", args{"path": "a/b/new.txt", "content": "one\n2\n"}) // written here: known
	if out := s.must("write_file", args{"path": "a/b/new.txt", "content": "one\n2\n"}); out != "No changes needed for a/b/new.txt." {
		t.Error(out)
	}

	s.file("old.txt", "old\n")
	wantAll(t, s.fails("write_file", args{"path": "old.txt", "content": "x"}), "not read in this session")
	s.must("read_file", args{"path": "old.txt"})
	s.file("old.txt", "changed\n")
	wantAll(t, s.fails("write_file", args{"path": "old.txt", "content": "x"}), "changed since it was read")
	s.wantContent("old.txt", "changed\n")
	s.must("read_file", args{"path": "old.txt"})
	s.must("write_file", args{"path": "old.txt", "content": "x"})
	s.wantContent("old.txt", "x")
	wantAll(t, s.fails("write_file", args{"path": "a", "content": "x"}), "is a directory")
}

// TestWriteFileKeepsStyle: what the file is written in stays.
func TestWriteFileKeepsStyle(t *testing.T) {
	for _, c := range []struct{ before, content, after string }{
		{"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"a\r\nb\n", "a\nc\n", "a\nc\n"},
		{"\xEF\xBB\xBFa\n", "b\n", "\xEF\xBB\xBFb\n"},
		{"\xFF\xFEa\x00\n\x00", "é\n", "\xFF\xFE\xe9\x00\n\x00"},
		{"na\xefve\nvoil\xe0\n", "na\u00efve\n\u20ac\n", "na\xefve\n\x80\n"},
	} {
		s := newFileSpace(t)
		s.file("f", c.before)
		s.must("read_file", args{"path": "f"})
		s.must("write_file", args{"path": "f", "content": c.content})
		s.wantContent("f", c.after)
	}
	s := newFileSpace(t)
	s.file("f", "na\xefve\n")
	s.must("read_file", args{"path": "f"})
	wantAll(t, s.fails("write_file", args{"path": "f", "content": "日本\n"}), "U+65E5", "windows-1252")
	s.wantContent("f", "na\xefve\n")
}

func TestField_E11(t *testing.T) {
	for name, line := range map[string]string{
		"windows-1252": "Widget\x99 v1 - caf\xe9",
		"gbk":          "// \xce\xc4\xbc\xfe\xb4\xa6\xc0\xed\xa3\xac\xb2\xe2\xca\xd4",
		"shift_jis":    "// \x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x58\x83\x67",
	} {
		s := newFileSpace(t)
		before := "the word here\n" + strings.Repeat("line\n", 997) + line + "\nlast\n"
		s.file("f", before)
		s.must("edit_file", args{"path": "f", "search": "word", "replace": "thing"})
		s.wantContent("f", strings.Replace(before, "word", "thing", 1))
		wantAll(t, s.must("read_file", args{"path": "f", "offset": 998}), "ENCODING: "+name)
	}
}

func TestField_E13(t *testing.T) {
	s := newFileSpace(t)
	s.file("f.c", "// caf\xe9 noir\nint x;\n")
	wantAll(t, s.must("read_file", args{"path": "f.c"}), "1\t// café noir\n")
	s.must("edit_file", args{"path": "f.c", "search": "café noir", "replace": "café très noir"})
	s.wantContent("f.c", "// caf\xe9 tr\xe8s noir\nint x;\n")
	wantAll(t, s.fails("edit_file", args{"path": "f.c", "search": "int x;", "replace": "int x; // Ω"}), "U+03A9", "windows-1252")
	s.wantContent("f.c", "// caf\xe9 tr\xe8s noir\nint x;\n")
}

func TestField_E14(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links of Unix")
	}
	s := newFileSpace(t)
	edit := func(name string) args { return args{"path": name, "search": "old", "replace": "new"} }
	for _, mode := range []os.FileMode{0o755, 0o600, 0o664, 0o755 | os.ModeSetuid} {
		path := s.file("script.sh", "old\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		s.must("edit_file", edit("script.sh"))
		if info, _ := os.Stat(path); info.Mode() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode())
		}
	}
	s.file("dir/target.txt", "old\n")
	if err := os.Symlink("dir/target.txt", s.path("link.txt")); err != nil {
		t.Fatal(err)
	}
	r, err := s.use("edit_file", edit("link.txt"))
	if err != nil || r.Meta.Wrote[0].Path != s.path("dir/target.txt") {
		t.Errorf("%v %+v", err, r.Meta)
	}
	s.wantContent("dir/target.txt", "new\n")
	if info, _ := os.Lstat(s.path("link.txt")); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := os.Symlink("nowhere", s.path("broken")); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.fails("write_file", args{"path": "broken", "content": "x"}), "link to nowhere")

	path := s.file("ro.txt", "old\n")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.fails("edit_file", edit("ro.txt")), "read-only (mode 0444)")
	s.wantContent("ro.txt", "old\n")
	noLeftovers(t, s.Cwd)
}

// TestFullDisk: a write that fails leaves the old content whole.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(path)
	for _, stop := range []func() error{
		func() error { return errMoved },
		func() error { return errors.New("no space left on device") },
	} {
		if err := replaceFile(path, []byte("new\n"), info, stop); err == nil {
			t.Error("no error")
		}
	}
	if b, _ := os.ReadFile(path); string(b) != "old\n" {
		t.Errorf("holds %q", b)
	}
	noLeftovers(t, filepath.Dir(path))
	if err := replaceFile("/dev/full/f", []byte("x"), nil, func() error { return nil }); err == nil {
		t.Error("wrote below a device")
	}
}

func noLeftovers(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, ".minicode-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestChangedBetween: what others write between the preview and the write is
// kept, or the write is refused.
func TestChangedBetween(t *testing.T) {
	for _, c := range []struct{ name, meanwhile, after, says string }{
		{"elsewhere", "zero\none\ntwo\nthree\n", "zero\none\nTWO\nthree\n", ""},
		{"in the span", "one\ntwo!\ntoo\n", "one\ntwo!\ntoo\n", "no longer fits"},
		{"twice now", "two\none\ntwo\n", "two\none\ntwo\n", "no longer fits"},
		{"done already", "one\nTWO\n", "one\nTWO\n", "no longer fits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFileSpace(t)
			s.file("f", "one\ntwo\nthree\n")
			search := "two"
			if c.name == "in the span" {
				search = "two\n"
			}
			action, err := s.prepare("edit_file", args{"path": "f", "search": search, "replace": strings.ToUpper(search)})
			if err != nil {
				t.Fatal(err)
			}
			s.file("f", c.meanwhile)
			_, err = s.run(action)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
			s.wantContent("f", c.after)
		})
	}
	s := newFileSpace(t)
	s.file("f", "a a\n")
	action, _ := s.prepare("edit_file", args{"path": "f", "search": "a", "replace": "b", "replaceAll": true})
	s.file("f", "a a a\n")
	if _, err := s.run(action); err == nil || !strings.Contains(err.Error(), "changed at this place") {
		t.Error(err)
	}
	s.must("read_file", args{"path": "f"})
	action, _ = s.prepare("write_file", args{"path": "f", "content": "x"})
	s.file("f", "b\n")
	if _, err := s.run(action); err == nil {
		t.Error("overwrote what it had not seen")
	}
	action, _ = s.prepare("write_file", args{"path": "g", "content": "x"})
	s.file("g", "b\n")
	if _, err := s.run(action); err == nil {
		t.Error("overwrote a new file")
	}
	s.wantContent("g", "b\n")
}

// TestField_E19: the file changes at the last moment, again and again.
func TestField_E19(t *testing.T) {
	s := newFileSpace(t)
	path := s.file("f", "one\ntwo\n")
	target, err := s.target(path)
	if err != nil {
		t.Fatal(err)
	}
	made, err := replaceIn(target.old, []replacement{{"two", "TWO", false}})
	if err != nil {
		t.Fatal(err)
	}
	loads := 0
	redo := func(now content) (outcome, error) {
		if loads++; loads < 3 { // between this reading and the check before the rename
			s.file("f", fmt.Sprintf("%d\none\ntwo\n", loads))
		}
		return replaceIn(now, []replacement{{"two", "TWO", false}})
	}
	s.file("f", "zero\none\ntwo\n")
	if _, err := target.write(context.Background(), made, redo); err != nil {
		t.Fatal(err)
	}
	s.wantContent("f", "2\none\nTWO\n")
	forever := func(now content) (outcome, error) {
		loads++
		s.file("f", fmt.Sprintf("%d\none\ntwo\n", loads))
		return replaceIn(now, []replacement{{"two", "TWO", false}})
	}
	s.file("f", "two\n")
	if _, err := target.write(context.Background(), made, forever); !errors.Is(err, errMoved) {
		t.Error(err)
	}
	wantAll(t, s.content("f"), "\none\ntwo\n")
	noLeftovers(t, s.Cwd)
}

func TestTwoEditsOfOneFile(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "one\ntwo\n")
	a, err1 := s.prepare("edit_file", args{"path": "f", "search": "one", "replace": "1"})
	b, err2 := s.prepare("edit_file", args{"path": "f", "search": "two", "replace": "2"})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, action := range []func() error{
		func() error { _, err := s.run(a); return err },
		func() error { _, err := s.run(b); return err },
	} {
		if err := action(); err != nil {
			t.Error(err)
		}
	}
	s.wantContent("f", "1\n2\n")
}

// TestLinkMoved: a link that was turned after the call was approved is not
// followed.
func TestLinkMoved(t *testing.T) {
	s := newFileSpace(t)
	s.file("a.txt", "old\n")
	s.file("b.txt", "old\n")
	link := s.path("l.txt")
	turn := func(to string) {
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	for name, in := range map[string]args{
		"edit_file":  {"path": "l.txt", "search": "old", "replace": "new"},
		"read_file":  {"path": "l.txt"},
		"grep_files": {"path": "l.txt", "pattern": "old"},
	} {
		turn("a.txt")
		action, err := s.prepare(name, in)
		if err != nil {
			t.Fatal(err)
		}
		turn("b.txt")
		if _, err := s.run(action); err == nil || !strings.Contains(err.Error(), "no longer leads to") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.wantContent("b.txt", "old\n")
}

// TestFailedEditTellsOnlyReaders: an error that quotes a file is a result of
// reading it, so the gate sees a read before the model sees the quote.
func TestFailedEditTellsOnlyReaders(t *testing.T) {
	s := newFileSpace(t)
	s.file(".env", "PASSWORD=hunter2\n")
	action, err := s.prepare("edit_file", args{"path": ".env", "search": "PASSWORD=x", "replace": "y"})
	if err != nil {
		t.Fatal("told before it was judged:", err)
	}
	if len(action.Effects) != 1 || action.Effects[0].Kind != event.Read {
		t.Errorf("effects %v", action.Effects)
	}
	if _, err := s.run(action); err == nil {
		t.Error("no error")
	}
}

const killedWriter = "MINICODE_TEST_KILLED_WRITER"

// TestKilledWriter is the process that TestKill kills.
func TestKilledWriter(t *testing.T) {
	path := os.Getenv(killedWriter)
	if path == "" {
		t.Skip("only run by TestKill")
	}
	for i := 0; ; i++ {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := replaceFile(path, killContent(byte('a'+i%26)), info, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			fmt.Println("writing")
		}
	}
}

func killContent(c byte) []byte { return []byte(strings.Repeat(string(c), 300_000) + "\n") }

// TestKill kills a writer at any moment: the file is whole, before or after.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, killContent('a'), 0o644); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random, seen := rand.New(rand.NewPCG(1, 2)), map[byte]int{}
	for range 12 {
		cmd := exec.Command(exe, "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), killedWriter+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 1)) // it is at work
		timer := time.NewTimer(time.Duration(random.IntN(20_000)) * time.Microsecond)
		<-timer.C
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		b, err := os.ReadFile(path)
		if err != nil || len(b) != 300_001 || string(b) != string(killContent(b[0])) {
			t.Fatalf("half a file: %d bytes, %v", len(b), err)
		}
		seen[b[0]]++
	}
	t.Logf("12 kills; the file was whole each time, with %d different contents", len(seen))
}
