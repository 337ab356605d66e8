//go:build unix

package builtin

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
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

const smallDisk = "MINICODE_TEST_SMALL_DISK"

// TestSmallDisk is the process of TestField_E14_FullDisk that may write no
// large file.
func TestSmallDisk(t *testing.T) {
	dir := os.Getenv(smallDisk)
	if dir == "" {
		t.Skip("only run by TestField_E14_FullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 10_000, Max: 10_000}); err != nil {
		t.Skip(err)
	}
	s := newFileSpace(t)
	s.Cwd, s.Root = dir, dir
	wantAll(t, s.fails("edit_file", args{"path": "f", "search": "old", "replace": "new"}), "was not changed", "too large")
	wantAll(t, s.fails("write_file", args{"path": "g", "content": strings.Repeat("x", 20_000)}), "was not changed")
}

func TestField_E14_FullDisk(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "old\n"+strings.Repeat("x\n", 10_000))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSmallDisk$")
	cmd.Env = append(os.Environ(), smallDisk+"="+s.Cwd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	s.wantContent("f", "old\n"+strings.Repeat("x\n", 10_000))
	if _, err := os.Stat(s.path("g")); err == nil {
		t.Error("a part of a new file is there")
	}
	noLeftovers(t, s.Cwd)
}
