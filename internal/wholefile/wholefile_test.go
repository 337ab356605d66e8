package wholefile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one, which is longer", "two"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// A directory in its place cannot be replaced: nothing is left behind.
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "taken"), nil); err == nil {
		t.Error("a directory was replaced")
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".new-*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
