package demo

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// files is the scratch project. Its names end in .txt so that it is no part
// of this module.
//
//go:embed project
var files embed.FS

// Project copies the scratch project into a new directory under parent and
// returns its path.
func Project(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "minicode-demo-")
	if err != nil {
		return "", err
	}
	entries, err := fs.ReadDir(files, "project")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		data, err := files.ReadFile("project/" + e.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(e.Name(), ".txt")), data, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// Prompt is what the person is shown to have asked.
const Prompt = "The test in this project fails. Find out why, fix it, and run the tests again."
