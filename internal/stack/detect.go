package stack

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	mostRead  = 1 << 20 // bytes of one file that are looked at
	mostParts = 12      // directories below the root that are looked into
)

// Part is one project in the repository.
type Part struct {
	Dir       string // relative to the root, "." for the root itself
	Language  string
	Details   []string // such as frameworks and tools
	Commands  []Command
	manifests []string
}

// Command is something to run in a part.
type Command struct {
	What string // "build", "test", "lint", "format", "types"
	Line string
}

// Detect is what the repository is made of: what stands at its root, then
// what stands in directories of the first and second level.
func Detect(root string) []Part {
	dirs := []string{"."}
	for _, one := range below(root, ".") {
		dirs = append(dirs, one)
		dirs = append(dirs, below(root, one)...)
	}
	var parts []Part
	for _, dir := range dirs {
		for _, p := range detect(repository{root, dir}) {
			// What a workspace at the root runs is not told again for its members.
			if dir != "." && slices.ContainsFunc(parts, func(q Part) bool { return q.Language == p.Language && covers(q, p) }) {
				continue
			}
			if parts = append(parts, p); len(parts) == mostParts {
				return parts
			}
		}
	}
	return parts
}

// covers says whether what q runs reaches p as well.
func covers(q, p Part) bool {
	if q.Dir == "." {
		return q.Language != "Go" || !slices.Contains(p.manifests, "go.mod")
	}
	return strings.HasPrefix(p.Dir, q.Dir+"/")
}

// below is the directories in one, without those that hold no work of the
// repository's own.
func below(root, dir string) (out []string) {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "target", "dist", "build", "out", "testdata", "third_party", "venv", "env"}, name) {
			continue
		}
		if out = append(out, filepath.ToSlash(filepath.Join(dir, name))); len(out) == 40 {
			break
		}
	}
	return out
}

// repository is one directory of it.
type repository struct{ root, dir string }

func (r repository) path(name string) string { return filepath.Join(r.root, r.dir, name) }

// has says whether there is a regular file.
func (r repository) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Lstat(r.path(name))
		return err == nil && info.Mode().IsRegular()
	})
}

// read is the beginning of a regular file, "" where there is none.
func (r repository) read(name string) string {
	if !r.has(name) {
		return ""
	}
	f, err := os.Open(r.path(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	data := make([]byte, mostRead)
	n, _ := f.Read(data)
	return strings.ToValidUTF8(string(data[:n]), "")
}

// any says whether a file has one of these endings, at this level.
func (r repository) any(endings ...string) bool {
	entries, err := os.ReadDir(filepath.Join(r.root, r.dir))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && slices.Contains(endings, filepath.Ext(e.Name()))
	})
}

func detect(r repository) (parts []Part) {
	for _, find := range []func(repository) (Part, bool){golang, rust, node, python, java, native} {
		if p, ok := find(r); ok {
			p.Dir = r.dir
			parts = append(parts, p)
		}
	}
	return parts
}

func golang(r repository) (Part, bool) {
	text := r.read("go.mod")
	if text == "" {
		return Part{}, false
	}
	p := Part{Language: "Go", manifests: []string{"go.mod"}, Commands: []Command{
		{"build", "go build ./..."}, {"test", "go test ./..."}, {"lint", "go vet ./..."}, {"format", "gofmt -l -w ."},
	}}
	if m := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindStringSubmatch(text); m != nil {
		p.Details = append(p.Details, "module `"+m[1]+"`")
	}
	if m := regexp.MustCompile(`(?m)^go\s+(\S+)`).FindStringSubmatch(text); m != nil {
		p.Details = append(p.Details, "Go "+m[1])
	}
	if r.has(".golangci.yml", ".golangci.yaml", ".golangci.toml") {
		p.Commands[2].Line = "golangci-lint run"
	}
	return p, true
}

func rust(r repository) (Part, bool) {
	text := r.read("Cargo.toml")
	if text == "" {
		return Part{}, false
	}
	p := Part{Language: "Rust", Commands: []Command{
		{"build", "cargo build"}, {"test", "cargo test"}, {"lint", "cargo clippy --all-targets"}, {"format", "cargo fmt"},
	}}
	if strings.Contains(text, "[workspace]") {
		p.Details = append(p.Details, "a workspace")
		for i := range 3 {
			p.Commands[i].Line += " --workspace"
		}
	}
	return p, true
}

// node is JavaScript and TypeScript, by the scripts that the package has.
func node(r repository) (Part, bool) {
	text := r.read("package.json")
	if text == "" {
		return Part{}, false
	}
	var m struct {
		Scripts         map[string]string `json:"scripts"`
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
		PackageManager  string            `json:"packageManager"`
	}
	p := Part{Language: "JavaScript"}
	if json.Unmarshal([]byte(text), &m) != nil {
		return p, true
	}
	uses := func(name string) bool { return m.Dependencies[name] != "" || m.DevDependencies[name] != "" }
	if r.has("tsconfig.json") || uses("typescript") {
		p.Language = "TypeScript"
	}
	for _, f := range [][2]string{
		{"next", "Next.js"},
		{"react", "React"},
		{"vue", "Vue"},
		{"svelte", "Svelte"},
		{"@angular/core", "Angular"},
		{"@nestjs/core", "NestJS"},
		{"express", "Express"},
		{"vite", "Vite"},
		{"vitest", "Vitest"},
		{"jest", "Jest"},
		{"playwright", "Playwright"},
	} {
		if uses(f[0]) {
			p.Details = append(p.Details, f[1])
		}
	}
	manager := "npm"
	for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if r.has(lock[0]) || strings.HasPrefix(m.PackageManager, lock[1]+"@") {
			manager = lock[1]
		}
	}
	p.Details = append(p.Details, manager)
	for _, what := range [][]string{{"build", "build"}, {"test", "test"}, {"lint", "lint"}, {"format", "format", "fmt"}, {"types", "typecheck", "type-check", "check-types"}} {
		for _, script := range what[1:] {
			if body := m.Scripts[script]; body != "" && !strings.Contains(body, "no test specified") {
				p.Commands = append(p.Commands, Command{what[0], manager + " run " + script})
				break
			}
		}
	}
	return p, true
}

func python(r repository) (Part, bool) {
	project := r.read("pyproject.toml")
	if project == "" && !r.has("setup.py", "setup.cfg", "requirements.txt") {
		return Part{}, false
	}
	p := Part{Language: "Python"}
	run := ""
	switch {
	case r.has("uv.lock"):
		run, p.Details = "uv run ", append(p.Details, "uv")
	case r.has("poetry.lock"):
		run, p.Details = "poetry run ", append(p.Details, "Poetry")
	}
	for _, f := range [][2]string{{"django", "Django"}, {"fastapi", "FastAPI"}, {"flask", "Flask"}} {
		if strings.Contains(strings.ToLower(project+r.read("requirements.txt")), f[0]) {
			p.Details = append(p.Details, f[1])
		}
	}
	test := "pytest"
	if !strings.Contains(project+r.read("setup.cfg")+r.read("requirements.txt")+r.read("requirements-dev.txt"), "pytest") && !r.has("pytest.ini", "conftest.py", "tests/conftest.py") {
		test = "python -m unittest"
	}
	p.Commands = append(p.Commands, Command{"test", run + test})
	if strings.Contains(project, "ruff") || r.has("ruff.toml", ".ruff.toml") {
		p.Commands = append(p.Commands, Command{"lint", run + "ruff check ."}, Command{"format", run + "ruff format ."})
	} else if strings.Contains(project, "black") {
		p.Commands = append(p.Commands, Command{"format", run + "black ."})
	}
	if strings.Contains(project, "mypy") || r.has("mypy.ini") {
		p.Commands = append(p.Commands, Command{"types", run + "mypy ."})
	}
	return p, true
}

func java(r repository) (Part, bool) {
	p := Part{Language: "Java"}
	switch {
	case r.has("pom.xml"):
		tool := "mvn"
		if r.has("mvnw") {
			tool = "./mvnw"
		}
		p.Details = []string{"Maven"}
		p.Commands = []Command{{"build", tool + " -q package"}, {"test", tool + " -q test"}}
	case r.has("build.gradle", "build.gradle.kts"):
		tool := "gradle"
		if r.has("gradlew") {
			tool = "./gradlew"
		}
		p.Details = []string{"Gradle"}
		p.Commands = []Command{{"build", tool + " build"}, {"test", tool + " test"}}
		if strings.Contains(r.read("build.gradle.kts")+r.read("build.gradle"), "kotlin") {
			p.Language = "Kotlin"
		}
	default:
		return Part{}, false
	}
	return p, true
}

// native is C and C++, by what builds them.
func native(r repository) (Part, bool) {
	p := Part{Language: "C/C++"}
	switch {
	case r.has("CMakeLists.txt"):
		p.Details = []string{"CMake"}
		p.Commands = []Command{{"build", "cmake -B build && cmake --build build"}, {"test", "ctest --test-dir build"}}
	case r.has("meson.build"):
		p.Details = []string{"Meson"}
		p.Commands = []Command{{"build", "meson setup build && meson compile -C build"}, {"test", "meson test -C build"}}
	case r.has("Makefile", "makefile", "configure.ac") && r.any(".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"):
		p.Details = []string{"Make"}
		p.Commands = []Command{{"build", "make"}}
	default:
		return Part{}, false
	}
	return p, true
}

// Targets is the targets of the root's Makefile that people run by hand.
func Targets(root string) (out []string) {
	r := repository{root, "."}
	text := r.read("Makefile") + r.read("makefile")
	for _, m := range regexp.MustCompile(`(?m)^([A-Za-z][A-Za-z0-9_-]*)\s*:(?:[^=]|$)`).FindAllStringSubmatch(text, -1) {
		if slices.Contains([]string{"all", "build", "test", "check", "lint", "fmt", "format", "run", "bench", "clean", "install"}, m[1]) && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}
