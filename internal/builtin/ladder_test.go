package builtin

import (
	"strings"
	"testing"
)

func TestLadder(t *testing.T) {
	cases := []struct{ name, before, search, replace, after string }{
		{"LF given, CRLF there, mixed file", "x\na\r\nb\r\ny\n", "a\nb", "a\nn\nb", "x\na\r\nn\r\nb\r\ny\n"},
		{"CRLF given, LF there", "a\nb\nc\n", "a\r\nb", "a\r\nx\r\nb", "a\nx\nb\nc\n"},
		{"one line, more lines come, CRLF file", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"},
		{"begins with a line end, CRLF file", "a\r\nb\r\n", "\nb", "\nc\nd", "a\r\nc\r\nd\r\n"},
		{"a line end goes, CRLF file", "a\r\nb\r\n", "\nb", "b", "ab\r\n"},
		{"line end changed on purpose", "a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"},
		{"trailing blanks of lines that stay are kept", "f() \t\ng()\n", "f()\ng()", "f()\nh()\ng()", "f() \t\nh()\ng()\n"},
		{"trailing blanks in both", "f()  \ng()\n", "f() \ng() ", "f() \nh() ", "f()  \nh()\n"},
		{"four blanks a tab", "func a() {\n\tif x {\n\t\treturn 1\n\t}\n}\n", "    if x {\n        return 1\n    }", "    if x {\n        y()\n        return 2\n    }\n    z()", "func a() {\n\tif x {\n\t\ty()\n\t\treturn 2\n\t}\n\tz()\n}\n"},
		{"eight blanks a tab", "a:\n\tb\n\t\tc\n", "        b\n                c", "        b\n                d", "a:\n\tb\n\t\td\n"},
		{"two blanks a tab", "a:\n\tb\n\t\tc\n", "  b\n    c", "  b\n    c\n      d", "a:\n\tb\n\t\tc\n\t\t\td\n"},
		{"tabs given, blanks there", "a:\n  b\n    c\n", "\tb\n\t\tc", "\tb\n\t\tc\n\t\t\td", "a:\n  b\n    c\n      d\n"},
		{"alignment after tabs stays", "\tfoo(a,\n\t    b)\n", "    foo(a,\n        b)", "    foo(a,\n        c)", "\tfoo(a,\n\t    c)\n"},
		{"new lines already in the file's style", "x:\n\ty\n", "    y", "\ty\n\tz", "x:\n\ty\n\tz\n"},
		{"curly quotes stay where nothing changes", "say “hi” — now\n", "say \"hi\" - now", "say \"ho\" - now", "say “ho” — now\n"},
		{"only the first quote pair is edited", "“a” “b” “c”\n", "\"a\" \"b\"", "\"x\" \"b\"", "“x” “b” “c”\n"},
		{"no-break space stays", "10\u00a0km far\n", "10 km far", "10 km near", "10\u00a0km near\n"},
		{"decomposed in the file", "cafe\u0301 bar\n", "caf\u00e9 bar", "caf\u00e9 baz", "cafe\u0301 baz\n"},
		{"composed in the file", "caf\u00e9 bar\n", "cafe\u0301 bar", "tea bar", "tea bar\n"},
		{"Hangul in pieces", "\u1112\u1161\u11ab x\n", "\ud55c x", "\ud55c y", "\u1112\u1161\u11ab y\n"},
		{"full width", "ＡＢＣ１ x\n", "ABC1 x", "ABC1 y", "ＡＢＣ１ y\n"},
		{"quotes and tabs at once", "f:\n\tsay(“a”)\n", "    say(\"a\")", "    say(\"a\")\n    done()", "f:\n\tsay(“a”)\n\tdone()\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newFileSpace(t)
			s.file("f", c.before)
			s.must("edit_file", args{"path": "f", "search": c.search, "replace": c.replace})
			s.wantContent("f", c.after)
		})
	}
}

func TestLadderRefuses(t *testing.T) {
	cases := []struct {
		name, before, search, replace string
		says                          []string
	}{
		{"two places but for indentation", "a {\n\tx()\n}\nb {\n\tx()\n}\n", "    x()\n}", "    y()\n}", []string{"fits at 2 places", "line 2: x()", "line 5: x()", "tabs against spaces"}},
		{"indentation is the change", "\tx()\n", "    x()", "\tx()", []string{"already there (line 1)", "only in its indentation (file: 1 tabs, search: 4 spaces)", "→x()", "····x()"}},
		{"trailing blanks are the change", "a  \nb\n", "a \nb", "a\nb", []string{"only in blanks at its end", "a··", "a·"}},
		{"width of indentation", "def f():\n    return 1\n", "def f():\n  return 1", "def f():\n    return 2", []string{"line 2 differs only in its indentation (file: 4 spaces, search: 2 spaces)"}},
		{"zero-width", "a\u200bb c\n", "ab c", "x", []string{"look alike", "U+200B", "<U+200B>"}},
		{"letter case", "Name := 1\n", "name := 1", "x", []string{"only in the case of letters"}},
		{"inner blanks", "a  = 1\n", "a = 1", "x", []string{"only in blanks"}},
		{"line numbers", "func a() {\n\treturn\n}\n", "1\tfunc a() {\n2\t\treturn", "x", []string{"line numbers"}},
		{"a fence", "a\nb\n", "```go\na\nb\n```", "x", []string{"code fence"}},
		{"marks of a diff", "a\nb\n", " a\n-b", "x", []string{"marks of a diff"}},
		{"characters for sequences", `print("\n")` + "\n", "print(\"\n\")", "x", []string{"backslash sequences"}},
		{"sequences for characters", "a\nb\n", `a\nb`, "x", []string{"characters themselves"}},
		{"entities", "a & b\n", "a &amp; b", "x", []string{"entities"}},
		{"no final newline", "a\nb", "b\n", "c\n", []string{"does not end with a line break"}},
		{"nothing like it", "alpha\nbeta\n", "zzzz qqqq wwww", "x", []string{"Nothing in the file is like it", "zzzz"}},
		{"a word differs", "one\ntotal := compute(a, b)\nthree\n", "total := compute(a, c)", "x", []string{"line 2 differs", "compute(a, b)", "compute(a, c)"}},
		{"typography is the change and there", "say “hi”\n", "say \"hi\"", "say “hi”", []string{"already there (line 1)"}},
		{"done before, a short line", "a\nB\nc\n", "b", "B", []string{"already there (line 2)"}},
		{"places that overlap", "aaa\n", "aa", "b", []string{"stands at 2 places"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newFileSpace(t)
			s.file("f", c.before)
			wantAll(t, s.fails("edit_file", args{"path": "f", "search": c.search, "replace": c.replace}), c.says...)
			s.wantContent("f", c.before)
		})
	}
}

func TestField_E01(t *testing.T) {
	for _, width := range []int{4, 8} {
		s := newFileSpace(t)
		s.file("main.go", "package main\n\nfunc main() {\n\tfor {\n\t\tstep(1)\n\t}\n}\n")
		indent := func(n int) string { return strings.Repeat(" ", n*width) }
		out := s.must("edit_file", args{"path": "main.go", "search": indent(2) + "step(1)", "replace": indent(2) + "step(2)\n" + indent(2) + "stop()"})
		s.wantContent("main.go", "package main\n\nfunc main() {\n\tfor {\n\t\tstep(2)\n\t\tstop()\n\t}\n}\n")
		wantAll(t, out, "tabs against spaces", "lines 5-6")
	}
}

func TestField_E02(t *testing.T) {
	s := newFileSpace(t)
	s.file("Makefile", "all:\n\tgcc a.c\n")
	s.file("m.py", "def a():\n\tx = 1\ndef b():\n    x = 1\n")
	wantAll(t, s.must("read_file", args{"path": "Makefile"}), "\n2\t\tgcc a.c\n")
	out := s.must("read_file", args{"path": "m.py"})
	wantAll(t, out, "\n2\t\tx = 1\n", "\n4\t    x = 1\n")
	line := strings.TrimPrefix(strings.Split(strings.SplitAfterN(out, "TRUNCATED: no\n", 2)[1], "\n")[1], "2\t")
	s.must("edit_file", args{"path": "m.py", "search": line, "replace": "\tx = 2"})
	s.wantContent("m.py", "def a():\n\tx = 2\ndef b():\n    x = 1\n")
}

func TestField_E04(t *testing.T) {
	s := newFileSpace(t)
	before := strings.Repeat("\ta\tb\n", 49) + "\tlast\n"
	s.file("f", before)
	s.must("edit_file", args{"path": "f", "search": "last", "replace": "end"})
	s.wantContent("f", strings.Replace(before, "last", "end", 1))
}

func TestField_E05(t *testing.T) {
	text := "He said “stop it” — twice.\nplain \"x\"\n"
	for _, c := range []struct{ search, replace, after string }{
		{"said \"stop it\" - twice", "said \"go on\" - twice", "He said “go on” — twice.\nplain \"x\"\n"},
		{"said “stop it” — twice", "said “go on” — once", "He said “go on” — once.\nplain \"x\"\n"},
		{"plain \"x\"", "plain “x”", "He said “stop it” — twice.\nplain “x”\n"},
	} {
		s := newFileSpace(t)
		s.file("a.md", text)
		s.must("edit_file", args{"path": "a.md", "search": c.search, "replace": c.replace})
		s.wantContent("a.md", c.after)
	}
}

func TestField_E07(t *testing.T) {
	s := newFileSpace(t)
	before := "def a():\n    debug = True\n\ndef b():\n    debug = True\n"
	s.file("conf.py", before)
	wantAll(t, s.fails("edit_file", args{"path": "conf.py", "search": "    debug = True", "replace": "    debug = False"}),
		"conf.py", "2 places", "line 2: debug = True", "line 5: debug = True")
	s.wantContent("conf.py", before)
}

func TestField_E08(t *testing.T) {
	s := newFileSpace(t)
	s.file("a.py", strings.Repeat("x = np.int(1)\ny = 2\n", 12))
	wantAll(t, s.must("edit_file", args{"path": "a.py", "search": "np.int", "replace": "int", "replaceAll": true}), "12 occurrences", "+12 -12")
	s.wantContent("a.py", strings.Repeat("x = int(1)\ny = 2\n", 12))
}

func TestField_E10(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "one\ntwo\nthree\n")
	edit := func(a, b string) args { return args{"search": a, "replace": b} }
	wantAll(t, s.fails("patch_file", args{"path": "f", "replacements": []args{edit("one", "1"), edit("zwei", "2"), edit("three", "3")}}),
		"replacement 2 of 3", "zwei", "Nothing was written")
	s.wantContent("f", "one\ntwo\nthree\n")
	wantAll(t, s.fails("patch_file", args{"path": "f", "replacements": []args{edit("one", "1"), edit("1", "one")}}), "nothing would change")
	s.must("patch_file", args{"path": "f", "replacements": []args{edit("one", "1"), edit("1\ntwo", "2"), edit("three", "3")}})
	s.wantContent("f", "2\n3\n")
}

func TestField_E16(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "a\nb\nreturn x\n")
	edit := args{"path": "f", "search": "return x", "replace": "return y"}
	s.must("edit_file", edit)
	wantAll(t, s.fails("edit_file", edit), "already there (line 3)")
	s.wantContent("f", "a\nb\nreturn y\n")
}

func TestField_E17(t *testing.T) {
	s := newFileSpace(t)
	nfd := "\u1112\u1161\u11ab\u1100\u1173\u11af.txt"
	s.file(nfd, "ＡＢＣ cafe\u0301 값\n기타 ＡＢＣ\n")
	s.file("shot\u202fPM.txt", "x\n")
	out := s.must("edit_file", args{"path": "\ud55c\uae00.txt", "search": "ABC caf\u00e9", "replace": "ABC tea"})
	wantAll(t, out, "look alike")
	s.wantContent(nfd, "ＡＢＣ tea 값\n기타 ＡＢＣ\n")
	wantAll(t, s.must("read_file", args{"path": "shot PM.txt"}), "1\tx")
}

func TestField_E20(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "alpha := load(config)\n")
	msg := s.fails("edit_file", args{"path": "f", "search": "alpha := load(conf)", "replace": "NEVERSHOWN"})
	wantAll(t, msg, "load(conf)", "load(config)")
	if strings.Contains(msg, "NEVERSHOWN") {
		t.Error(msg)
	}
}
