package stack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func repo(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "thing")
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string // dir language: details | commands
	}{
		"Go":         {map[string]string{"go.mod": "module example.com/x\n\ngo 1.26\n", ".golangci.yml": "x"}, []string{". Go: module `example.com/x`, Go 1.26 | go build ./... | go test ./... | golangci-lint run | gofmt -l -w ."}},
		"Rust":       {map[string]string{"Cargo.toml": "[workspace]\n", "a/Cargo.toml": "[package]"}, []string{". Rust: a workspace | cargo build --workspace | cargo test --workspace | cargo clippy --all-targets --workspace | cargo fmt"}},
		"TypeScript": {map[string]string{"package.json": `{"scripts":{"test":"vitest","build":"tsc","lint":"eslint ."},"devDependencies":{"typescript":"5","vitest":"1"},"dependencies":{"react":"18"}}`, "pnpm-lock.yaml": "x"}, []string{". TypeScript: React, Vitest, pnpm | pnpm run build | pnpm run test | pnpm run lint"}},
		"JavaScript": {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, []string{". JavaScript: npm"}},
		"broken":     {map[string]string{"package.json": `{`}, []string{". JavaScript:"}},
		"Python":     {map[string]string{"pyproject.toml": "[tool.ruff]\n[tool.mypy]\ndependencies = ['pytest', 'fastapi']", "uv.lock": "x"}, []string{". Python: uv, FastAPI | uv run pytest | uv run ruff check . | uv run ruff format . | uv run mypy ."}},
		"old Python": {map[string]string{"setup.py": "x"}, []string{". Python: | python -m unittest"}},
		"Maven":      {map[string]string{"pom.xml": "<project/>", "mvnw": "x"}, []string{". Java: Maven | ./mvnw -q package | ./mvnw -q test"}},
		"Gradle":     {map[string]string{"build.gradle.kts": `plugins { kotlin("jvm") }`, "gradlew": "x"}, []string{". Kotlin: Gradle | ./gradlew build | ./gradlew test"}},
		"CMake":      {map[string]string{"CMakeLists.txt": "x"}, []string{". C/C++: CMake | cmake -B build && cmake --build build | ctest --test-dir build"}},
		"Make":       {map[string]string{"Makefile": "all:\n", "a.c": "x"}, []string{". C/C++: Make | make"}},
		"no C":       {map[string]string{"Makefile": "all:\n", "a.txt": "x"}, nil},
		"mixed": {map[string]string{"go.mod": "module m\n", "web/package.json": `{"scripts":{"build":"vite build"}}`, "tools/gen/go.mod": "module g\n", "node_modules/x/package.json": "{}", "vendor/y/Cargo.toml": "x"}, []string{
			". Go: module `m` | go build ./... | go test ./... | go vet ./... | gofmt -l -w .",
			"tools/gen Go: module `g` | go build ./... | go test ./... | go vet ./... | gofmt -l -w .",
			"web JavaScript: npm | npm run build",
		}},
		"nothing": {map[string]string{"README.md": "x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range Detect(repo(t, c.files)) {
				line := strings.TrimSpace(p.Dir + " " + p.Language + ": " + strings.Join(p.Details, ", "))
				for _, c := range p.Commands {
					line += " | " + c.Line
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInit(t *testing.T) {
	root := repo(t, map[string]string{"go.mod": "module m\n", "Makefile": "check: test\ntest:\n\tgo test\nX := 1\n", "cmd/main.go": "x", ".git/HEAD": "x", ".gitignore": "bin"})
	report, err := Init(root)
	if err != nil || len(report) != 2 || !strings.Contains(report[0], "was written") || !strings.Contains(report[1], "added") {
		t.Fatalf("%q, %v", report, err)
	}
	data, err := os.ReadFile(filepath.Join(root, "AGENTS.md"))
	want := `# thing

Notes for agents, and people, who work here. This page was begun from the files of the repository: what it is for,
and what cannot be seen in them, is to be added.

## What it is made of

- Go: module ` + "`m`" + `

## What to run

- ` + "`make check`" + `
- ` + "`make test`" + `
- build: ` + "`go build ./...`" + `
- test: ` + "`go test ./...`" + `
- lint: ` + "`go vet ./...`" + `
- format: ` + "`gofmt -l -w .`" + `

## Where things are

- ` + "`cmd/`" + `

## Working here

- Run what concerns a change from the list above before saying that it is done, and say what was run.
- Keep to the style of the file that is changed, and changes to what was asked for.
- New dependencies, and changes of interfaces that others use, are agreed on first.
`
	if diff := cmp.Diff(want, string(data)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if data, err := os.ReadFile(filepath.Join(root, ".gitignore")); err != nil || string(data) != "bin\n"+ignored+"\n" {
		t.Errorf("%q, %v", data, err)
	}
	again, err := Init(root)
	if err != nil || len(again) != 2 || !strings.Contains(again[0], "there already") || !strings.Contains(again[1], "already") {
		t.Errorf("%q, %v", again, err)
	}
}

// What stands in the way, or leads elsewhere, is left alone.
func TestInitHarmsNothing(t *testing.T) {
	for _, name := range others() {
		root := repo(t, map[string]string{name: "mine", "x": "x"})
		if _, err := Init(root); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(data) != "mine" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	root := repo(t, map[string]string{".git/HEAD": "x"})
	target := filepath.Join(t.TempDir(), "elsewhere")
	for _, link := range []string{"AGENTS.md", ".gitignore"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	if _, err := Init(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("something was written through a link")
	}
}
