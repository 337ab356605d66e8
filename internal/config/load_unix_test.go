//go:build unix

package config

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestFilesThatAreNoFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"project/.minicode/x": ""})
	path := w.path("project/.minicode/settings.json")
	for what, make := range map[string]func() error{
		"a pipe":         func() error { return syscall.Mkfifo(path, 0o600) },
		"a directory":    func() error { return os.Mkdir(path, 0o700) },
		"a dangling one": func() error { return os.Symlink("nowhere", path) },
		"an endless one": func() error { return os.Symlink("/dev/zero", path) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(w.in); err == nil {
			t.Errorf("%s was taken", what)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	w.in.SettingsFiles = []string{"missing.json"}
	if _, err := Load(w.in); err == nil || !strings.Contains(err.Error(), "missing.json: there is no such file") {
		t.Errorf("a missing --settings file: %v", err)
	}
}
