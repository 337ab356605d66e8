package shell

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/event"
)

// fragments are what the programs of this test are made of: pieces on which
// shells and parsers of shells are known to differ.
func fragments() []string {
	return []string{
		"m1", "m2", "m3", "m4 a", "m5", "m6 x y", " ", " ", " ", "  ", "\n", "\n", ";", "&&", "||", "|", "&", "!", "! ", "|&",
		"'", "'", "\"", "\"", "`", "`", "\\", "\\\n", "\\ ", "$(", ")", "(", ")", "{ ", "}", "; }", "$((", "))", "((", "${x:-", "}", "$'", "$\"",
		"#", " #", " # \\\n", "# it's\n", "\t", "<<E\n", "\nE\n", "$@E\n", "${x}E\n", "`m3`E\n", "x=1; ", "${x:+", "${x/1/", "${x%", "<(m4)", "$x", "\"${x:+", "<<'E'\n", "<<-E\n", "<<\\E\n", "<<<", " <<< ", "<(", ">(", ">/dev/null", "2>&1", "<&0",
		"if ", "then ", "; then ", "else ", "fi", "; fi", "while ", "do ", "; do ", "done", "; done", "for i in ", "case x in ", "x) ", ";;", " esac", "in",
		"[[ ", " ]]", "[ ", " ]", "f() ", "function f ", "f", "x=1 ", "x=", "a[", "]", "=(", "$x", "$@", "{a,b}", "~", "*", "?", "!(", "@(", "\r", "\r\n", "\v", "\f",
		"time ", "coproc ", "eval ", "exec ", "trap ", "0", "-n", "--", "select i in ", "until ", "E", "E\n", "\\\\", "\\'", "\\\"", "\\$(", "\\`", "$[", "&>", ">|", "<>", "\u00a0",
	}
}

// programs are whole programs on which parsers could differ.
func programs() []string {
	return []string{
		"echo a # \\\nm1", "m1 # it's\nm2", "echo \"$(m1)\"", "echo `m1 \\`m2\\``", "cat <<E\n$(m1)\nE\n", "cat <<'E'\n$(m1)\nE\nm2",
		"echo $((1 + $(m1; echo 1)))", "f() { m1; }; f", "((m1); m2)", "!(m1)", "m1\\\n a", "m\\\n1", "x=$(m1) m2", "{ m1; }", "m1&m2", "m1|m2",
		"case $(m1) in *) m2;; esac", "for i in $(m1); do m2 $i; done", "[[ $(m1) ]] && m2", "eval 'm1;m2'", "echo <(m1)", "a[$(m1)]=1", "echo ${x:-$(m1)}",
		"echo \"${x:-\"$(m1)\"}\"", "echo '#' ; m1", "echo a#b ; m1", "echo \\# ; m1", "cat <<-E\n\tx\n\tE\nm1", "cat <<E; m1\nx\nE\nm2", "if m1; then m2; fi",
		"cat <<E\nx$@E\ncat <<'E'\n$(m1)\nE\n", "cat <<-E\n\t$@E\nm1cat <<'E'\n$(m1)\nE\nm2", "x=1; echo ${x:+<(m1)}", "cat <<E\na \\\nE\nE\nm1",
		"x=1; echo \"${x:+$(m1)}\" ${x/1/`m2`}", "cat <<A <<B\n$(m1)\nA\n$(m2)\nB\nm3", "echo $(cat <<E\n$(m1)\nE\n)",
		"coproc m1x=$(m1) m2 x |& m3", "trap m1 EXIT", "m1 \\\r\nm2", "echo \"a\\\nb\"; m1", "echo $'a\\'b'; m1", "time m1", "! m1", "coproc m1", "cat << E\\\nF\nx\nEF\nm1",
	}
}

// A program may run what the analysis does not show only if it asks for
// another reason: bash itself is the judge of what runs.
func TestNothingRunsUnseen(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	n, _ := strconv.Atoi(os.Getenv("SHELL_DIFFERENCES"))
	n = max(n, 150)
	seed := uint64(1)
	if n > 150 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	pieces, whole := fragments(), programs()
	calls := 0
	dir := t.TempDir()
	for i := range n {
		program := whole[r.IntN(len(whole))] + whole[r.IntN(len(whole))]
		if i%3 == 0 {
			program = ""
		}
		for range 1 + r.IntN(3) + (12-i%3*6)*r.IntN(2) {
			at := r.IntN(len(program) + 1)
			program = program[:at] + pieces[r.IntN(len(pieces))] + program[at:]
		}
		calls += compare(t, bash, filepath.Join(dir, "log"+strconv.Itoa(i)), program)
	}
	t.Logf("%d calls", calls)
}

func TestSeenByBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	dir := t.TempDir()
	for i, program := range programs() {
		compare(t, bash, filepath.Join(dir, "log"+strconv.Itoa(i)), program)
	}
}

// compare runs a program in which m1 to m6 note their arguments, and looks for
// each call among the parts.
func compare(t *testing.T, bash, log, program string) (calls int) {
	t.Helper()
	a := Analyse(program, workspace())
	asks := a.Failed || slices.ContainsFunc(a.Effects(), func(e event.Effect) bool { return e.Target == Unparsed })
	if asks {
		return 0
	}
	prelude := "m1(){ __note m1 \"$@\";}; m2(){ __note m2 \"$@\";}; m3(){ __note m3 \"$@\";}; m4(){ __note m4 \"$@\";}; m5(){ __note m5 \"$@\";}; m6(){ __note m6 \"$@\";}\n" +
		"__note(){ printf '%s\\0' \"$#\" \"$@\" >>" + log + ";}; PATH=/nowhere; cat(){ :;}; ulimit -t 1\n"
	cmd := exec.Command(bash, "--noprofile", "--norc", "-c", prelude+`eval "$P"`)
	cmd.Env = []string{"P=" + program}
	cmd.Dir = filepath.Dir(log)
	_ = cmd.Run() // most programs fail, which is no matter
	out, _ := os.ReadFile(log)
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for len(fields) > 0 && len(fields[0]) > 0 {
		n, err := strconv.Atoi(string(fields[0]))
		if err != nil || n >= len(fields) {
			t.Fatalf("%q: a log that is cut: %q", program, out)
		}
		name := string(fields[1])
		calls++
		fields = fields[1+n:]
		if !slices.ContainsFunc(a.Parts, func(p Part) bool { return runs(p, name) }) {
			t.Errorf("%q runs %s, which is not among %q", program, name, texts(a.Parts))
		}
		if a.Class == "read_only" {
			t.Errorf("%q runs %s, but is read_only", program, name)
		}
	}
	return calls
}

// runs reports whether a part is a call of name, or hides what it calls and
// says so.
func runs(p Part, name string) bool {
	if len(p.Args) > 0 && p.Args[0] == name {
		return true
	}
	return p.Class != "read_only" && len(p.Args) > 0 && strings.ContainsAny(p.Args[0], "$`*?~\u2026(")
}
