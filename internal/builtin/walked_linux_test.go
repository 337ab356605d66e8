package builtin

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestField_R01_NotWalked: what is ignored is not even looked into. The time
// of a directory's last reading tells.
func TestField_R01_NotWalked(t *testing.T) {
	searchers(t, func(t *testing.T, s *fileSpace) {
		s.file(".git/HEAD", "ref: refs/heads/main\n")
		s.file(".gitignore", "node_modules/\n")
		s.file("src/lib/uri.js", "needle\n")
		s.file("node_modules/p/f.js", "needle\n")
		old := []unix.Timespec{{Sec: 1_000_000_000}, {Sec: 1_000_000_000}}
		for _, dir := range []string{"src/lib", "node_modules", "node_modules/p"} {
			if err := unix.UtimesNanoAt(unix.AT_FDCWD, s.path(dir), old, 0); err != nil {
				t.Fatal(err)
			}
		}
		wasRead := func(dir string) bool {
			var st unix.Stat_t
			if err := unix.Stat(s.path(dir), &st); err != nil {
				t.Fatal(err)
			}
			return time.Unix(st.Atim.Unix()).Year() > 2001
		}
		for name, in := range map[string]args{
			"glob_files": {"pattern": "**/uri.js"},
			"grep_files": {"pattern": "needle"},
		} {
			s.must(name, in)
			if wasRead("node_modules") || wasRead("node_modules/p") {
				t.Errorf("%s looked into what is ignored", name)
			}
		}
		if !wasRead("src/lib") {
			t.Skip("this file system does not note when it is read")
		}
		s.must("grep_files", args{"pattern": "needle", "ignored": true})
		if !wasRead("node_modules/p") {
			t.Error("the ignored files were not searched when they were asked for")
		}
	})
}
