package skill

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	update    = flag.Bool("update", false, "write testdata/validate.jsonl anew, with -skills-ref")
	skillsRef = flag.String("skills-ref", "", "directory of the npm module skills-ref, to compare with; needs node")
	random    = flag.Int("random", 400, "how many random skills to compare")
	seed      = flag.Uint64("seed", 1, "of the random skills")
)

// sample is a skill, and what skills-ref says of it.
type sample struct {
	Dir     string   `json:"dir"`
	File    string   `json:"file"`
	Content []byte   `json:"content"`
	Want    []string `json:"want,omitempty"`
}

// TestValidate holds Validate against what skills-ref answered, which is kept
// in testdata. With -skills-ref it is asked again, and random skills besides.
func TestValidate(t *testing.T) {
	const kept = "testdata/validate.jsonl"
	if *skillsRef == "" {
		samples := readSamples(t, kept)
		if len(samples) < 300 {
			t.Fatalf("only %d skills in %s", len(samples), kept)
		}
		valid := 0
		for _, s := range samples {
			s.compare(t)
			if len(s.Want) == 0 {
				valid++
			}
		}
		if valid < 50 || valid > len(samples)-50 {
			t.Errorf("%d of %d skills are valid: such samples show little", valid, len(samples))
		}
		return
	}
	samples := append(handmade(), randomSkills(*seed, *random)...)
	ask(t, samples)
	for _, s := range samples {
		s.compare(t)
	}
	if *update {
		var b bytes.Buffer
		for _, s := range samples {
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(kept, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestValidatePaths: a directory or its file may be named, and what is neither
// is told.
func TestValidatePaths(t *testing.T) {
	p, top := world(t)
	put(t, p.Project, map[string]string{"a-skill/SKILL.md": skillText("a-skill", "Does it."), "b/skill.md": skillText("b", ""), "c/README.md": ""})
	for path, want := range map[string]string{
		"a-skill": "", "a-skill/SKILL.md": "", "a-skill/": "",
		"b":           "description: it has no value; the file is called skill.md, which not every program finds: call it SKILL.md",
		"b/skill.md":  "description: it has no value; the file is called skill.md, which not every program finds: call it SKILL.md",
		"c":           "there is no SKILL.md in TOP/project/c",
		"c/README.md": "TOP/project/c/README.md is no directory; give the directory of a skill",
		"d":           "TOP/project/d does not exist",
	} {
		problems := Validate(filepath.Join(p.Project, filepath.FromSlash(path)))
		var lines []string
		for _, problem := range problems {
			lines = append(lines, problem.String())
		}
		if got := strings.ReplaceAll(strings.Join(lines, "; "), top, "TOP"); filepath.ToSlash(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if valid := strings.HasPrefix(path, "a") || strings.HasPrefix(path, "b"); Valid(problems) != valid {
			t.Errorf("%s: valid %v", path, !valid)
		}
	}
}

// TestWarnings: what skills-ref lets pass and the specification does not.
func TestWarnings(t *testing.T) {
	for fields, want := range map[string]string{
		"name: a\ndescription: Does it.":                        "",
		"name: a\ndescription:":                                 "description: it has no value",
		"name: a\ndescription: 5":                               "description: it is no text; put it in quotes",
		"name: a\ndescription: [x]":                             "description: it is no text; put it in quotes",
		"name: a\ndescription: x\ncompatibility: ''":            "compatibility: it is empty; leave it out",
		"name: a\ndescription: x\nmetadata: y":                  "metadata: it is no mapping",
		"name: a\ndescription: x --- y":                         "three hyphens inside the front matter end it for some programs: no value may have them",
		"name: a\ndescription: x\nallowed-tools: [Read, Write]": "",
	} {
		var lines []string
		for _, p := range validate("a", "---\n"+fields+"\n---\nDo it.\n") {
			if lines = append(lines, p.String()); !p.Warning {
				t.Errorf("%q: %v is no warning", fields, p)
			}
		}
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("%q: %q, want %q", fields, got, want)
		}
	}
	if got := validate("a", "---\nname: a\ndescription: x\n---\n \n"); len(got) != 1 || got[0].String() != "there are no instructions after the front matter" {
		t.Errorf("%v", got)
	}
}

func readSamples(t *testing.T, path string) (out []sample) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var s sample
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// ask lets skills-ref judge the samples.
func ask(t *testing.T, samples []sample) {
	t.Helper()
	var in bytes.Buffer
	for _, s := range samples {
		fmt.Fprintf(&in, `{"dir":%q,"file":%q,"content":%q}`+"\n", s.Dir, s.File, base64.StdEncoding.EncodeToString(s.Content))
	}
	cmd := exec.Command("node", "testdata/skills_ref.mjs", *skillsRef)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for i := range samples {
		if !lines.Scan() {
			t.Fatalf("%d answers for %d skills", i, len(samples))
		}
		samples[i].Want = nil
		if err := json.Unmarshal(lines.Bytes(), &samples[i].Want); err != nil {
			t.Fatal(err)
		}
	}
}

func (s sample) compare(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), s.Dir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, s.File), s.Content, 0o644); err != nil {
		t.Fatal(err)
	}
	problems := Validate(dir)
	got := []string{}
	for _, p := range problems {
		if !p.Warning {
			got = append(got, p.kind)
		}
	}
	want := slices.Clone(s.Want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s/%s: got %q, skills-ref says %q\n%v\n%q", s.Dir, s.File, got, want, problems, s.Content)
	}
	if Valid(problems) != (len(want) == 0) {
		t.Errorf("valid: %v", Valid(problems))
	}
}

// handmade are skills that are right, and skills that are wrong in one way.
func handmade() []sample {
	var out []sample
	add := func(dir, content string) {
		out = append(out, sample{Dir: dir, File: "SKILL.md", Content: []byte(content)})
	}
	front := func(dir, fields string) { add(dir, "---\n"+fields+"\n---\n\n# Do it\n") }
	named := func(name string) { front("a-skill", "name: "+name+"\ndescription: Does it.") }
	described := func(text string) { front("a-skill", "name: a-skill\ndescription: "+text) }

	described("Does it.")
	described("Use when: the person asks") // an unquoted colon
	described(`"Use when: the person asks"`)
	described("'it''s'")
	described("'it's'")
	described("|\n  Does it.\n  Twice.")
	described(">-\n  Does it.\n  Twice.")
	described("> Does it.")
	described("Does it\n  in two lines")
	described("Does it\nin two lines")
	described("|\n  \tDoes it.")
	described("|# so\n  Does it.")
	described("| # so\n  Does it.")
	described("Does it.\nallowed-tools:\n  -\tRead")
	described("\n|\n  Does it.")
	described("\n  |\n  Does it.")
	described("Does it.\n\t\nlicense: MIT")
	described("Does it # or not")
	described("#nothing")
	described("")
	described("null")
	described("~")
	described(`""`)
	described(`"   "`)
	described("5")
	described("true")
	described("2024-01-01")
	described("[a, b]")
	described("[]")
	described("{a: b}")
	described("{}")
	described("\n  - a\n  - b")
	described("*bold* text")
	described("**bold** text")
	described("&anchor text")
	described("!tag text")
	described("!!str 5")
	described("!!int text")
	described("!!int 5")
	described("!<tag:yaml.org,2002:str> text")
	described("@user does it")
	described("`code` does it")
	described("%percent")
	described("- item")
	described("-item")
	described("? what")
	described("a, b")
	described("a] b")
	described("[a")
	described("{a")
	described(`"a`)
	described(`"a" b`)
	described(`"\q"`)
	described(`"it\'s"`)
	described(`!!str "it\'s"`)
	described(`"it\\'s"`)
	described(`"it's" # "it\'s"`)
	described("\"in two\n  lines: it\\'s\"")
	described(`"\u00e9\x41\U0001F600"`)
	described("a\tb")
	described("a: ")
	described("a:b")
	described("http://example.com/#x")
	described("it does this -- and that")
	described("it does this --- and that")
	described("it does this\u2028and that")
	described("it does this\u0085and that")
	described("it does this\ufeffand that")
	described("it does this\x01and that")
	described("it does this\x7fand that")
	described("it does this \U0001F600 and that")
	described("it does this \xff and that")
	described("it does this\x00and that")
	described("'\u3000'")
	described(strings.Repeat("a", 1024))
	described(strings.Repeat("a", 1025))
	described(strings.Repeat("é", 1024))
	described(strings.Repeat("\U0001F600", 512))
	described(strings.Repeat("\U0001F600", 513))
	described(strings.Repeat("\xe2\x82", 1024))
	described(strings.Repeat("\xe2\x82", 1025))
	described(strings.Repeat("\xf0\x9f", 512) + strings.Repeat("\xed\xa0", 257))
	described("Does it.\ndescription: Does it again.")
	described("Does it.\nextra: yes")
	described("Does it.\nlicense: MIT\nmetadata:\n  author: me\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Read\ncompatibility: git")
	described("Does it.\nlicense: [MIT]\nmetadata: none\nallowed-tools: [Read, Write]")
	described("Does it.\nmetadata:\n  a: 1\n  a: 2")
	described("Does it.\nmetadata:\n\ta: 1")
	described("Does it.\nmetadata: &m {a: 1}\nlicense: *m")
	described("Does it.\nlicense: *m")
	described("Does it.\nmetadata: {<<: {a: 1}, b: 2}")
	described("Does it.\nmetadata: {<<: 5}")
	described("Does it.\n<<: {license: MIT}")
	described("Does it.\n<<: {other: MIT}")
	described("Does it.\n<<: [{license: MIT}, {license: MIT}]")
	described("Does it.\nmetadata: " + strings.Repeat("[", 98) + strings.Repeat("]", 98))
	described("Does it.\nmetadata: " + strings.Repeat("[", 99) + strings.Repeat("]", 99))
	described("Does it.\nmetadata: " + strings.Repeat("[", 100) + strings.Repeat("]", 100))
	for _, text := range []string{"git", "5", "1.0", "yes", "true", "null", "", "2024-01-01", "[git]", "{}", `"5"`, `""`, "0x1F", "0o17", "1e3", "1_000", ".inf", "12:30", "!!str 5", "+", "-", "--", ".", "1.2.3", strings.Repeat("a", 500), strings.Repeat("a", 501)} {
		described("Does it.\ncompatibility: " + text)
	}
	for _, name := range []string{"a-skill", "A-skill", "a_skill", "a skill", "a.skill", "../a-skill", "a/skill", "other", "", "null", "5", "[a-skill]", "[a, skill]", "{}", "'a-skill '", `"a-skill\n"`, "'\ufeffa-skill'", `""`, "-a", "a-", "a--b", "ａ-ｓｋｉｌｌ", strings.Repeat("a", 65), "~", "a-skill # comment", "&x a-skill", "\u00a0a-skill"} {
		named(name)
	}
	for _, name := range []string{"a", "7", "42", "0x10", "16", "1e3", "1000", "1.0", "1", "0o17", "15", "true", "false", "null", "+7", "007", "-7", "0", "-0", "1e21", "1e-7", "01", "0b11", "3", "12345678901234567890", "12345678901234567000", "2024-01-01", "ünïcode", "навык", "技能", "τεχνη", "ß", "ǆ", strings.Repeat("a", 64), strings.Repeat("é", 64), "yes", "no", "on", "1_000", "Infinity", ".inf", "nan"} {
		if !strings.ContainsRune(name, '/') {
			front(name, "name: "+name+"\ndescription: Does it.")
		}
	}
	front("16", "name: 0x10\ndescription: Does it.")
	front("1000", "name: 1e3\ndescription: Does it.")
	front("15", "name: 0o17\ndescription: Does it.")
	front("1", "name: 1.0\ndescription: Does it.")
	front("1", "name: 0b01\ndescription: Does it.")
	front("12345678901234567000", "name: 12345678901234567890\ndescription: Does it.")
	front("a-skill", "name: a-skill")
	front("a-skill", "description: Does it.")
	front("a-skill", "")
	front("a-skill", "# nothing")
	front("a-skill", "just text")
	front("a-skill", "- name: a-skill\n- description: Does it.")
	front("a-skill", "name:a-skill\ndescription:Does it.")
	front("a-skill", "\"name\": a-skill\n'description': Does it.")
	front("a-skill", "Name: a-skill\nDescription: Does it.")
	front("a-skill", "{name: a-skill, description: Does it.}")
	front("a-skill", "{name: a-skill, description: Does it.")
	front("a-skill", "name: a-skill\n description: Does it.")
	front("a-skill", "  name: a-skill\n  description: Does it.")
	front("a-skill", "\tname: a-skill\n\tdescription: Does it.")
	front("a-skill", "name: a-skill\n...\ndescription: Does it.")
	front("a-skill", "name: a-skill\ndescription: Does it.\n...")
	front("a-skill", "%YAML 1.2\nname: a-skill\ndescription: Does it.")
	front("a-skill", "? name\n: a-skill\n? description\n: Does it.")
	front("a-skill", "[name]: a-skill\ndescription: Does it.")
	front("a-skill", "name: a-skill\ndescription: Does it.\n: x")
	front("a-skill", "name: a-skill\ndescription: Does it.\n5: x")

	const right = "---\nname: a-skill\ndescription: Does it.\n---\n\n# Do it\n"
	add("a-skill", "\ufeff"+right)
	add("a-skill", strings.ReplaceAll(right, "\n", "\r\n"))
	add("a-skill", strings.ReplaceAll(right, "\n", "\r"))
	add("a-skill", "\n"+right)
	add("a-skill", " "+right)
	add("a-skill", "-"+right)
	add("a-skill", strings.TrimSuffix(right, "---\n\n# Do it\n"))
	add("a-skill", strings.TrimSuffix(right, "\n\n# Do it\n"))
	add("a-skill", "--- \nname: a-skill\ndescription: Does it.\n--- \nDo it\n")
	add("a-skill", "---name: a-skill\ndescription: Does it.\n---\nDo it\n")
	add("a-skill", "--- # front matter\nname: a-skill\ndescription: Does it.\n---\nDo it\n")
	add("a-skill", "---\n\ufeffname: a-skill\ndescription: Does it.\n---\nDo it\n")
	add("a-skill", "# Do it\n")
	add("a-skill", "")
	add("a-skill", "---")
	add("a-skill", "------")
	add("a-skill", "+++\nname = \"a-skill\"\n+++\n")
	for _, file := range []string{"skill.md", "Skill.md", "SKILL.MD", "README.md"} {
		out = append(out, sample{Dir: "a-skill", File: file, Content: []byte(right)})
	}
	out = append(out, sample{Dir: "A-Skill", File: "SKILL.md", Content: []byte(right)}, sample{Dir: "ａ-ｓｋｉｌｌ", File: "SKILL.md", Content: []byte(right)})
	return out
}

// randomSkills are skills put together of pieces that are right or nearly so,
// some of them damaged. Anchors, tags and keys without end are left to
// handmade: in these the parsers differ (see strict.go).
func randomSkills(seed uint64, n int) []sample {
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	words := []string{
		"does", "PDF", "files", "use when", "a: b", "it's", `"quoted"`, "# x", "- y", "[z]", "{z}", "5", "1.5", "true", "null", "~", "*", "*a", "@", "`", "%", "|", ">", "?",
		":", ",", "é", "\U0001F600", "\u2028", "--", "---", "\t", "  ", "\\", "\\n", "..", "=", "'", `"`, "\n  more", "\nmore", "\n\n  more",
	}
	text := func() string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(pick(words...))
			b.WriteString(pick(" ", " ", " ", ""))
		}
		s := b.String()
		switch r.IntN(8) {
		case 0:
			return `"` + s + `"`
		case 1:
			return "'" + s + "'"
		case 2:
			return pick("|", ">", "|-", ">+", "|2") + "\n  " + s
		case 3:
			return strings.Repeat(pick("word ", "é", "\U0001F600"), 1+r.IntN(700)) + "."
		case 4:
			return "Does it."
		}
		return s
	}
	var out []sample
	for range n {
		dir := pick("a-skill", "a-skill", "pdf", "a", "7", "ünïcode", "A", "a--b", "a_b")
		name := dir
		if r.IntN(4) == 0 {
			name = pick("a-skill", "A-Skill", " ", `"a-skill"`, "'pdf'", "7", "0x7", "7.0", "-a", "a-", "a b", text())
		}
		lines := []string{"name: " + name, "description: " + pick("Does it.", text(), text(), text())}
		for range r.IntN(3) {
			lines = append(lines, pick("license: MIT", "license: ", "compatibility: "+text(), "allowed-tools: Bash(git:*) Read", "allowed-tools:\n  - Read\n  - Bash(git add *)", "metadata:\n  a: b\n  c: 5", "metadata:\n    a: "+text(), "# "+text(), "version: 1", "", pick(words...)+": "+text()))
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		content := "---\n" + strings.Join(lines, "\n") + "\n" + pick("---", "---", "---", "--- ", "...", "") + "\n" + pick("", "\nDo it.\n", "# Do it\n---\nmore\n")
		if r.IntN(8) == 0 {
			content = strings.ReplaceAll(content, "\n", "\r\n")
		}
		raw := []byte(content)
		if r.IntN(4) == 0 {
			for range 1 + r.IntN(3) {
				switch i := r.IntN(len(raw)); r.IntN(3) {
				case 0:
					raw = slices.Delete(raw, i, i+1)
				case 1:
					raw = slices.Insert(raw, i, pick(" ", "\t", "\n", ":", "-", "'", `"`, "#", "\xff", "[", "}", ",", "*")[0])
				case 2:
					raw[i] = pick(" ", "\n", ":", "-", "'", `"`, "\xc3", "x", "\r")[0]
				}
			}
		}
		out = append(out, sample{Dir: dir, File: pick("SKILL.md", "SKILL.md", "SKILL.md", "skill.md"), Content: raw})
	}
	return out
}
