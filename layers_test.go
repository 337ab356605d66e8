package minicode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/minicode-go/minicode"

// layer is one row of the package table in ARCHITECTURE.md.
type layer struct {
	ours   []string // packages of ours that it may import
	theirs []string // third-party modules that it may import
}

// table reads the package table: rows whose first cell is a package in
// backquotes, with "may import (ours)" in the third and "third-party" in the
// fourth cell.
func table(t *testing.T) map[string]layer {
	t.Helper()
	data, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([^`]+)`")
	out := map[string]layer{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		names := func(cell string) (all []string) {
			for _, m := range name.FindAllStringSubmatch(cell, -1) {
				all = append(all, m[1])
			}
			return all
		}
		out[names(cells[1])[0]] = layer{ours: names(cells[3]), theirs: names(cells[4])}
	}
	if len(out) < 10 {
		t.Fatalf("the package table of ARCHITECTURE.md has %d rows; it cannot be read", len(out))
	}
	return out
}

type listed struct {
	ImportPath string
	Name       string
	Doc        string
	Dir        string
	Imports    []string
	GoFiles    []string
}

// packages lists the module's packages for one system.
func packages(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Doc,Dir,Imports,GoFiles", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestLayers(t *testing.T) {
	rows := table(t)
	seen := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, goos) {
			short := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
			if short == "" {
				continue // the root holds this test only
			}
			row, ok := rows[short]
			if !ok {
				t.Errorf("%s is not in the package table of ARCHITECTURE.md", short)
				continue
			}
			seen[short] = true
			for _, imported := range p.Imports {
				own, isOwn := strings.CutPrefix(imported, module+"/")
				switch {
				case isOwn && !slices.Contains(row.ours, own):
					t.Errorf("%s (%s) imports %s, which its row does not allow", short, goos, own)
				case !isOwn && strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") && !under(imported, row.theirs):
					t.Errorf("%s (%s) imports %s, which its row does not allow", short, goos, imported)
				}
			}
			if p.Doc == "" {
				t.Errorf("%s has no package comment", short)
			}
		}
	}
	for name := range rows {
		if !seen[name] {
			t.Errorf("the package table names %s, which is not there", name)
		}
	}
}

func under(path string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}

func TestPackageNames(t *testing.T) {
	forbidden := regexp.MustCompile(`^(util.*|common|types|helpers?|misc|shared|base|core|manager|service)$`)
	for _, p := range packages(t, "linux") {
		if forbidden.MatchString(p.Name) {
			t.Errorf("%s: a package name must say what is in it", p.ImportPath)
		}
	}
}

// TestNeverLinked lists what costs too much at start-up to be in the binary.
func TestNeverLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/minicode").Output()
	if err != nil {
		t.Fatal(err)
	}
	never := []string{
		"github.com/charmbracelet/glamour", "github.com/alecthomas/chroma/v2/lexers", "github.com/alecthomas/chroma/v2/styles",
		"github.com/alecthomas/chroma/v2/formatters", "github.com/santhosh-tekuri/jsonschema", "github.com/mark3labs/mcp-go", "charm.land/fantasy",
		"google.golang.org/genai", "go.opentelemetry.io/otel/exporters", "github.com/go-git/go-git", "github.com/anthropics/anthropic-sdk-go",
		"github.com/openai/openai-go", "testing", module + "/llm/llmtest",
	}
	for dep := range strings.Lines(string(out)) {
		if dep = strings.TrimSpace(dep); under(dep, never) {
			t.Errorf("the binary links %s", dep)
		}
	}
}

// source walks the module's own Go files.
func source(t *testing.T, visit func(path string, file *ast.File, set *token.FileSet, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "bin" || path == filepath.Join("internal", "oracle")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(path), file, set, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// codeLines marks the lines of a file that are neither blank nor comment.
func codeLines(file *ast.File, set *token.FileSet, text []byte) []bool {
	lines := bytes.Split(text, []byte("\n"))
	code := make([]bool, len(lines)+2)
	blanked := slices.Clone(text)
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i := set.Position(c.Pos()).Offset; i < set.Position(c.End()).Offset; i++ {
				if blanked[i] != '\n' {
					blanked[i] = ' '
				}
			}
		}
	}
	for i, line := range bytes.Split(blanked, []byte("\n")) {
		code[i+1] = len(bytes.TrimSpace(line)) > 0
	}
	return code
}

func count(code []bool, from, to int) (n int) {
	for i := from; i <= to && i < len(code); i++ {
		if code[i] {
			n++
		}
	}
	return n
}

func TestBudgets(t *testing.T) {
	sums := map[string]int{}
	source(t, func(path string, file *ast.File, set *token.FileSet, text []byte) {
		code := codeLines(file, set, text)
		total := count(code, 1, len(code))
		dir := filepath.ToSlash(filepath.Dir(path))
		sums[dir] += total
		if dir == "llm/llmtest" {
			return
		}
		if total > 600 {
			t.Errorf("%s has %d lines of code, over 600", path, total)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := count(code, set.Position(f.Pos()).Line, set.Position(f.End()).Line); n > 80 {
				t.Errorf("%s: %s has %d lines of code, over 80", path, f.Name.Name, n)
			}
		}
	})
	loop := sums["llm"] + sums["event"] + sums["tool"] + sums["agent"]
	t.Logf("llm %d + event %d + tool %d + agent %d = %d lines; app %d", sums["llm"], sums["event"], sums["tool"], sums["agent"], loop, sums["internal/app"])
	if loop > 2500 {
		t.Errorf("llm, event, tool and agent have %d lines together, over 2,500", loop)
	}
	if sums["internal/app"] > 1000 {
		t.Errorf("internal/app has %d lines, over 1,000: a noun is missing", sums["internal/app"])
	}
}

func TestExportedNames(t *testing.T) {
	names := map[string][]string{}
	source(t, func(path string, file *ast.File, _ *token.FileSet, _ []byte) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(dir, "internal") || strings.HasPrefix(dir, "cmd") || dir == "llm/llmtest" {
			return
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					names[dir] = append(names[dir], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						names[dir] = append(names[dir], s.Name.Name)
					}
				}
			}
		}
	})
	for dir, all := range names {
		if len(all) > 45 {
			t.Errorf("%s exports %d types and functions, over 45", dir, len(all))
		}
	}
}

// TestNoGlobals allows package variables only for errors, embedded files and
// the tables of sealed interfaces.
func TestNoGlobals(t *testing.T) {
	source(t, func(path string, file *ast.File, set *token.FileSet, _ []byte) {
		if strings.HasPrefix(path, "llm/llmtest/") {
			return
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", path)
			}
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if !allowedVar(g, v) {
					t.Errorf("%s: package variable %s", set.Position(v.Pos()), v.Names[0].Name)
				}
			}
		}
	})
}

func allowedVar(g *ast.GenDecl, v *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{g.Doc, v.Doc} {
		if doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed") }) {
			return true
		}
	}
	for _, name := range v.Names {
		if name.Name == "_" || strings.HasPrefix(name.Name, "Err") || strings.HasPrefix(name.Name, "err") {
			return true
		}
	}
	if len(v.Values) != 1 {
		return false
	}
	call, ok := v.Values[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && (from.Name == "tagged" && selector.Sel.Name == "New" || from.Name == "errors" && selector.Sel.Name == "New")
}
