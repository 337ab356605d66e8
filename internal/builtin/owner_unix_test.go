//go:build unix

package builtin

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestOwnerIsKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	s := newFileSpace(t)
	path := s.file("f", "old\n")
	if err := os.Chown(path, 1234, 4321); err != nil {
		t.Skip(err)
	}
	s.must("edit_file", args{"path": "f", "search": "old", "replace": "new"})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

func TestField_R04_Pipe(t *testing.T) {
	s := newFileSpace(t)
	if err := syscall.Mkfifo(s.path("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"pipe", "/dev/zero", "/dev/tty"} {
		for tool, in := range map[string]args{
			"read_file":  {"path": name},
			"grep_files": {"path": name, "pattern": "x"},
			"edit_file":  {"path": name, "search": "a", "replace": "b"},
			"write_file": {"path": name, "content": "x"},
		} {
			if msg := s.fails(tool, in); !strings.Contains(msg, "pipe") && !strings.Contains(msg, "device") {
				t.Errorf("%s %s: %s", tool, name, msg)
			}
		}
	}
	wantAll(t, s.must("list_files", args{}), "special pipe")
	s.file("a", "x\n")
	wantAll(t, s.must("grep_files", args{"pattern": "x"}), "a:1:x") // passes the pipe by
}
