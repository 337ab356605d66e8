package shell

import "testing"

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		rule, command  string
		match, catches bool
	}{
		{"npm run test:*", "npm run test", true, true},
		{"npm run test:*", "npm run test --watch", true, true},
		{"npm run test:*", "npm run tests", false, false},
		{"npm run test:*", "npm run test:unit", false, false},
		{"npm run test*", "npm run test:unit --watch", true, true},
		{"git log:*", "git log -3", true, true},
		{"git log:*", "git logout", false, false},
		{"git log *", "git log", true, true},
		{"git *", "git push", true, true},
		{"git *", "gitk", false, false},
		{"ls*", "ls -la", true, true},
		{"ls*", "lsof -i", false, false},
		{"ls:*", "lsof", false, false},
		{"git * main", "git push origin main", true, true},
		{"git * main", "git main", true, true},
		{"git * main", "git push origin dev", false, false},
		{"*", "anything at all", true, true},
		{"*", "?", false, true},
		{"?", "?", false, true},
		{"", "ls", false, false},
		{"npm test", "npm test", true, true},
		{"npm test", "npm test x", false, false},
		{"npm test", "npm  'test'", true, true},
		{"npm *.js", "npm a.js", true, true},
		{"npm *.js", "npm a b.js", false, false},
		// quotes are no way around
		{"rm:*", `r\m x`, true, true},
		{"rm:*", `"rm" x`, true, true},
		{"rm:*", `$'\x72m' x`, true, true},
		{"rm:*", "/bin/rm x", true, true},
		{"rm:*", "/usr/bin/rm x", true, true},
		{"rm:*", "/tmp/rm x", false, true},
		{"rm:*", "./rm x", false, true},
		{"rm:*", "RM x", false, true},
		{"rm:*", "sudo rm x", false, true},
		{"rm:*", "sudo -u me env A=1 rm x", false, true},
		{"rm:*", "timeout 5 rm x", false, true},
		{"rm:*", "bash -c 'ls; rm x'", false, true},
		{"rm:*", "find . -exec rm {} +", false, true},
		{"rm:*", "FOO=1 rm x", false, true},
		{"rm:*", "echo rm x", false, false},
		{"rm:*", "rmdir x", false, false},
		{"rm:*", "$X rm", false, false},
		{"/tmp/rm:*", "/bin/rm x", false, false},
		{"git push:*", "git -C sub push", false, true},
		{"git push:*", "git -c a.b=c --no-pager push -f", false, true},
		{"git push:*", "git status", false, false},
		// assignments
		{"ls", "LANG=C ls", true, true},
		{"ls", "PATH=/x ls", false, true},
		{"LANG=C ls", "ls", true, true},
		{"FOO=1 bar --baz", "FOO=1 bar --baz", true, true},
		{"FOO=1 bar --baz", "FOO=2 bar --baz", false, false},
		{"FOO=1 bar --baz", "bar --baz", false, false},
		{"FOO=1 bar:*", "FOO=1 bar --qux", true, true},
		// a wildcard of the shell is not one of the rule
		{`rm \*.o`, "rm *.o", true, true},
		{`rm \*.o`, "rm '*.o'", false, false},
		{`rm \*.o`, "rm a.o", false, false},
		{"rm '*.o'", "rm '*.o'", true, true},
		{"rm *.o", "rm *.o", true, true},
		{"rm *.o", "rm a.o", true, true},
		{"rm *.o", "rm a b.o", false, false},
		{"echo $X", "echo $X", true, true},
		{"echo '$X'", "echo $X", false, false},
		{"echo ~", "echo '~'", false, false},
		// what find does must be named
		{"find *", "find . -name x", true, true},
		{"find *", "find . -delete", false, true},
		{"find *", "find . -exec touch {} +", false, true},
		{"find *", `find . "-fprint" x`, false, true},
		{"find * -delete", "find . -name x -delete", true, true},
		// the name of a program in a directory
		{"./scripts/*", "./scripts/a.sh x", true, true},
		{"./scripts/*", "./scripts/../evil.sh", false, false},
		{"./scripts/*", "./scripts/a/b.sh", false, false},
		// more than words
		{"ls && pwd", "ls && pwd", true, true},
		{"ls && *", "ls && pwd", false, false},
		{"git *", "git log; rm x", false, true},
		{"git *", "git log \u202e", false, true},
		{"echo \"", "echo \"", true, true},
		{"echo:*", "echo safe\r", false, true},
		{"rm:*", "rm \x02", false, true},
		{"declare:*", "declare -a x=(1 2)", false, true},
		{"export *", "export PATH=/x", true, true},
		{"[ *", "[ -f x ]", true, true},
	} {
		if got := Match(c.rule, c.command); got != c.match {
			t.Errorf("Match(%q, %q) = %v", c.rule, c.command, got)
		}
		if got := Catches(c.rule, c.command); got != c.catches {
			t.Errorf("Catches(%q, %q) = %v", c.rule, c.command, got)
		}
	}
}

// The rule that is saved for a command must cover that command when it comes
// again, and no other.
func TestExactCoversItself(t *testing.T) {
	commands := []string{"FOO=1 bar --baz", "rm *.o", "rm '*'", `rm \*`, `rm \\*`, `rm \\\*`, `echo "a * b"`, "ls a:*", "echo $X *", "npm run test:*", "ls ?", "echo {a,b}*", "make -j4 'a b'"}
	for _, c := range cases(t, "shell.jsonl") {
		for _, p := range Analyse(c.Command, workspace()).Parts {
			commands = append(commands, p.Target())
		}
	}
	for _, command := range commands {
		rule := Exact(command)
		if !IsExact(rule) {
			t.Errorf("Exact(%q) = %q has a wildcard", command, rule)
		}
		if hidden(command) == "" && !Match(rule, command) {
			t.Errorf("%q does not match %q", rule, command)
		}
		if !Catches(rule, command) {
			t.Errorf("%q does not catch %q", rule, command)
		}
		for _, other := range commands[:40] {
			if other != command && Match(rule, other) && rule != Exact(other) && !sameWords(command, other) {
				t.Errorf("%q matches %q as well", rule, other)
			}
		}
	}
	for _, rule := range []string{"ls:*", "ls *", "*", "a * b", "a*"} {
		if IsExact(rule) {
			t.Errorf("%q counts as exact", rule)
		}
	}
}

func sameWords(a, b string) bool {
	x, ok := decode(a, false)
	y, ok2 := decode(b, false)
	if !ok || !ok2 {
		return false
	}
	x, y = relevant(x), relevant(y)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func TestQuote(t *testing.T) {
	words := []string{"ls", "a b", "", "-x", "$HOME", "it's", "*", "a;b", "~", "é\n", "{a,b}", "\\", "#", "!x"}
	a := Analyse(Quote(words...), workspace())
	if len(a.Parts) != 1 {
		t.Fatalf("%q: %q", Quote(words...), texts(a.Parts))
	}
	for i, w := range a.Parts[0].Args {
		if w != words[i] {
			t.Errorf("word %d of %q is %q, want %q", i, Quote(words...), w, words[i])
		}
	}
}
