package builtin

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	xencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/minicode-go/minicode/llm"
)

func TestReadFile(t *testing.T) {
	s := newFileSpace(t)
	s.file("f", "one\n\ttwo \r\nthree")
	r, err := s.use("read_file", args{"path": "f"})
	if want := "FILE: f\nLINES: 1-3 of 3\nTRUNCATED: no\n1\tone\n2\t\ttwo \n3\tthree\n"; err != nil || r.Parts.Text() != want {
		t.Errorf("%v %q", err, r.Parts.Text())
	}
	want := llm.Meta{Again: true, Read: []llm.FileRead{{Path: s.path("f"), SHA256: sum([]byte("one\n\ttwo \r\nthree")), Whole: true}}}
	if fmt.Sprint(r.Meta) != fmt.Sprint(want) {
		t.Errorf("meta %+v", r.Meta)
	}
	r, _ = s.use("read_file", args{"path": "f", "offset": 2, "limit": 1})
	if want := "FILE: f\nLINES: 2-2 of 3\nTRUNCATED: yes - call read_file again with offset 3\n2\t\ttwo \n"; r.Parts.Text() != want {
		t.Errorf("%q", r.Parts.Text())
	}
	if r.Meta.Read[0].Whole {
		t.Error("a part counts as the whole")
	}
	s.file("empty", "")
	if got := s.must("read_file", args{"path": "empty"}); got != "FILE: empty\nLINES: 0-0 of 0\nTRUNCATED: no\n" {
		t.Errorf("%q", got)
	}
	wantAll(t, s.fails("read_file", args{"path": "f", "offset": 4}), "f has 3 lines")
	wantAll(t, s.fails("read_file", args{"path": "f.tx"}), "f.tx does not exist")
	s.file("home/notes.md", "x\n")
	wantAll(t, s.must("read_file", args{"path": "~/notes.md"}), "FILE: home/notes.md")
	wantAll(t, s.fails("read_file", args{"path": "nots.md"}), "does not exist")
	wantAll(t, s.fails("read_file", args{"path": "home/note.md"}), "There is home/notes.md")
}

func TestField_R04(t *testing.T) {
	s := newFileSpace(t)
	long := strings.Repeat("0123456789", 500_000) // 5 MB
	s.file("long", long)
	out := s.must("read_file", args{"path": "long"})
	if n := utf8.RuneCountInString(out); n > 45_000 || n < 40_000 {
		t.Errorf("%d characters", n)
	}
	m := regexp.MustCompile(`offset 1 and column (\d+)\n`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal(out[:200])
	}
	column, _ := strconv.Atoi(m[1])
	out = s.must("read_file", args{"path": "long", "column": column})
	if want := "\n1\t" + long[column-1:column+99]; !strings.Contains(out, want) {
		t.Error("the next page does not go on")
	}
	out = s.must("read_file", args{"path": "long", "column": 4_999_991})
	wantAll(t, out, "TRUNCATED: no\n1\t0123456789\n")

	s.file("mixed", "a\n"+strings.Repeat("x", 100_000)+"\nb\n")
	wantAll(t, s.must("read_file", args{"path": "mixed"}), "LINES: 1-1 of 3\nTRUNCATED: yes - call read_file again with offset 2\n1\ta\n")
	wantAll(t, s.must("read_file", args{"path": "mixed", "offset": 2}), "LINES: 2-2 of 3\nTRUNCATED: yes - call read_file again with offset 2 and column ")
	wantAll(t, s.must("read_file", args{"path": "mixed", "offset": 2, "column": 100_000}), "LINES: 2-3 of 3\nTRUNCATED: no\n2\tx\n3\tb\n")

	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "line %d\n", i+1)
	}
	s.file("many", many.String())
	wantAll(t, s.must("read_file", args{"path": "many"}), "LINES: 1-2000 of 100000\n", "offset 2001\n", "\n2000\tline 2000\n")
	wantAll(t, s.must("read_file", args{"path": "many", "offset": 99_999, "limit": 50}), "LINES: 99999-100000 of 100000\nTRUNCATED: no\n", "100000\tline 100000\n")

	s.file("bin", "\x7fELF\x00\x01\x02")
	wantAll(t, s.fails("read_file", args{"path": "bin"}), "binary file", "ELF executable")
	wantAll(t, s.fails("read_file", args{"path": "."}), "is a directory")
	if runtime.GOOS != "windows" {
		wantAll(t, s.fails("read_file", args{"path": "/dev/zero"}), "is a device")
	}

	png, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	s.file("dot.png", string(png))
	wantAll(t, s.fails("read_file", args{"path": "dot.png"}), "takes no images")
	s.ImagesOK = func() bool { return true }
	r, err := s.use("read_file", args{"path": "dot.png"})
	if err != nil || len(r.Parts) != 2 {
		t.Fatal(err, r.Parts)
	}
	if img := r.Parts[1].(llm.Image); img.Media != "image/png" || !bytes.Equal(img.Data, png) {
		t.Errorf("%+v", img)
	}
}

// TestField_R04_Sparse: a file of 3 GB is never read into memory.
func TestField_R04_Sparse(t *testing.T) {
	s := newFileSpace(t)
	path := s.file("huge", "text\n")
	if err := os.Truncate(path, 3<<30); err != nil {
		t.Skip(err)
	}
	s.file("log", strings.Repeat("line\n", 20_000))
	if err := os.Truncate(s.path("log"), 3<<30); err != nil {
		t.Skip(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	wantAll(t, s.fails("read_file", args{"path": "huge"}), "binary file", "3.2 GB")
	out := s.must("read_file", args{"path": "log", "limit": 3})
	wantAll(t, out, "LINES: 1-3 of more than 3\n", "offset 4\n", "3\tline\n")
	wantAll(t, s.fails("edit_file", args{"path": "log", "search": "a", "replace": "b"}), "are not edited")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestField_R05(t *testing.T) {
	s := newFileSpace(t)
	s.Limits.ResultChars = 24_000
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "this is line %d of a long text file of some size\n", i+1)
	}
	s.file("big.txt", text.String())
	out := s.must("read_file", args{"path": "big.txt"})
	if n := utf8.RuneCountInString(out); n > 24_000*9/10 {
		t.Errorf("%d characters", n)
	}
	m := regexp.MustCompile(`^FILE: big.txt\nLINES: 1-(\d+) of 4000\nTRUNCATED: yes - call read_file again with offset (\d+)\n`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal(out[:200])
	}
	last, _ := strconv.Atoi(m[1])
	if next, _ := strconv.Atoi(m[2]); next != last+1 || last < 200 {
		t.Errorf("shown to %d, next %d", last, next)
	}
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		enc        xencoding.Encoding
	}{
		{windows1252, "// Größe der Fläche, “zitiert” – für Müller\nx = 1\n", charmap.Windows1252},
		{windows1252, "# déjà vu, créée à l'été\n", charmap.Windows1252},
		{windows1252, "price: 5 €\n", charmap.Windows1252},
		{gbk, "// 中文注释：读取文件并返回结果\nint x;\n", simplifiedchinese.GBK},
		{gbk, "// 你好\n", simplifiedchinese.GBK},
		{gbk, "# 测试\n", simplifiedchinese.GBK},
		{shiftJIS, "// 日本語のテスト：ファイルを読む\n", japanese.ShiftJIS},
		{shiftJIS, "# テスト\n", japanese.ShiftJIS},
		{eucJP, "// 日本語のテスト、ファイルを読む\n", japanese.EUCJP},
		{eucKR, "// 한국어 주석: 파일을 읽는 함수입니다\n", korean.EUCKR},
		{big5, "// 繁體中文說明：讀取檔案並傳回結果\n", traditionalchinese.Big5},
		{windows1251, "// Русский комментарий: чтение файла\n", charmap.Windows1251},
		{koi8R, "// Русский комментарий: чтение файла\n", charmap.KOI8R},
		{utf16LE, "привет\nx = 1\n", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
		{utf16BE, "汉字 𠮷\nx\n", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		{utf16LE, "plain ASCII without a mark\n", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	} {
		t.Run(c.name+" "+c.text[:8], func(t *testing.T) {
			raw, err := c.enc.NewEncoder().Bytes([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			s := newFileSpace(t)
			s.file("f", string(raw))
			out := s.must("read_file", args{"path": "f"})
			first, _, _ := strings.Cut(c.text, "\n")
			wantAll(t, out, "ENCODING: "+c.name+"\n", "1\t"+first+"\n")
			s.must("edit_file", args{"path": "f", "search": first, "replace": first + first})
			doubled, _ := c.enc.NewEncoder().Bytes([]byte(first + c.text))
			s.wantContent("f", string(doubled))
		})
	}
}

// TestBytesInsideCharacters: an ASCII byte that is half of a character is
// not text.
func TestBytesInsideCharacters(t *testing.T) {
	s := newFileSpace(t)
	raw, _ := japanese.ShiftJIS.NewEncoder().String("// テスト表示ソース\nint e;\n") // has 0x65 "e" and 0x5C "\" in it
	s.file("f", raw)
	s.must("edit_file", args{"path": "f", "search": "e", "replace": "k", "replaceAll": true})
	want, _ := japanese.ShiftJIS.NewEncoder().String("// テスト表示ソース\nint k;\n")
	s.wantContent("f", want)
}

// pagedText reads a file page by page as its headers say and puts it together
// again.
func pagedText(s *fileSpace, in args) string {
	var all strings.Builder
	head := regexp.MustCompile(`^FILE: .*\nLINES: (\d+)-(\d+) of (\d+)\n(?:ENCODING: .*\n)?TRUNCATED: (?:no|yes - call read_file again with offset (\d+)(?: and column (\d+))?)\n`)
	for range 10_000 {
		out := s.must("read_file", in)
		m := head.FindStringSubmatch(out)
		if m == nil {
			s.t.Fatalf("header of %q", out[:min(len(out), 200)])
		}
		first, _ := strconv.Atoi(m[1])
		next, _ := strconv.Atoi(m[4])
		column, _ := strconv.Atoi(m[5])
		lines := strings.Split(strings.TrimSuffix(out[len(m[0]):], "\n"), "\n")
		for i, line := range lines {
			number, text, _ := strings.Cut(line, "\t")
			if m[2] == "0" {
				break
			}
			if number != strconv.Itoa(first+i) {
				s.t.Fatalf("line %d is numbered %s", first+i, number)
			}
			all.WriteString(text)
			if column == 0 || i < len(lines)-1 {
				all.WriteByte('\n')
			}
		}
		if next == 0 {
			return all.String()
		}
		in = args{"path": in["path"], "offset": next}
		if column > 0 {
			in["column"] = column
		}
	}
	s.t.Fatal("no end of pages")
	return ""
}

func FuzzPaging(f *testing.F) {
	f.Add("one\ntwo\n", 1)
	f.Add(strings.Repeat("long ", 3000)+"\n"+strings.Repeat("x", 2000)+"\r\nshort\n", 2000)
	f.Add(strings.Repeat("ü", 7001)+"\n"+strings.Repeat("ab\n", 900), 700)
	f.Add("\n\n\n", 1)
	f.Add(strings.Repeat("x", 1999)+"\r\n"+strings.Repeat("y", 2001)+"\r\n", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\uFEFF") && !strings.Contains(text, "\r\n") || len(text) > 50_000 {
			t.Skip()
		}
		s := newFileSpace(t)
		s.Limits.ResultChars = 1000 + size&0xFFFF
		s.file("f", text)
		if _, ok := firstBytes([]byte(text)); !ok || strings.HasPrefix(text, "\uFEFF") {
			t.Skip()
		}
		want := strings.ReplaceAll(text, "\r\n", "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if got := pagedText(s, args{"path": "f"}); got != want {
			t.Errorf("read back\n%.300q\nwant\n%.300q", got, want)
		}
	})
}

// FuzzEdit: what an edit does, the reverse edit undoes, whatever the bytes
// around it are.
func FuzzEdit(f *testing.F) {
	for _, c := range editCases(f) {
		f.Add(c.BeforeB64, c.Old, c.New, c.All)
	}
	f.Fuzz(func(t *testing.T, before []byte, search, replace string, all bool) {
		if !utf8.ValidString(search) || !utf8.ValidString(replace) {
			t.Skip() // JSON has no such strings
		}
		c := content{raw: before, info: fakeInfo(t)}
		made, err := replaceIn(c, []replacement{{search, replace, all}})
		if err != nil {
			return
		}
		doc, _ := readDocument(before)
		if got, _ := doc.splice(nil); !bytes.Equal(got, before) {
			t.Fatal("no edit changes something")
		}
		var now strings.Builder
		var reverse []edit
		last := 0
		for _, e := range made.edits {
			now.WriteString(doc.text[last:e.start])
			reverse = append(reverse, edit{now.Len(), now.Len() + len(e.text), doc.text[e.start:e.end]})
			now.WriteString(e.text)
			last = e.end
		}
		now.WriteString(doc.text[last:])
		after := document{enc: doc.enc, raw: made.data, text: now.String()}
		if decoded := after.enc.decode(made.data[len(after.enc.bom):]); decoded != after.text {
			t.Fatalf("written %q, meant %q", decoded, after.text)
		}
		if utf8.ValidString(doc.text) {
			wantDiff(t, made.diff, doc.text, after.text)
		}
		back, err := after.splice(reverse)
		if err == nil && !bytes.Equal(back, before) {
			t.Fatalf("reversed: %q\nbefore:   %q", back, before)
		}
	})
}

// wantDiff applies a diff and looks whether it leads to the new text.
func wantDiff(t *testing.T, d lineDiff, old, new string) {
	t.Helper()
	text := d.unified("a", "b")
	if got := patch(t, text, old); got != new {
		t.Fatalf("%s\nleads from\n%q to\n%q, want\n%q", text, old, got, new)
	}
}

// patch applies a unified diff, line by line and strictly.
func patch(t *testing.T, diff, old string) string {
	t.Helper()
	lines := linesOf(old)
	var out strings.Builder
	at := 0
	rows := strings.SplitAfter(diff, "\n")[2:]
	for i, row := range rows {
		if row == "" || strings.HasPrefix(row, `\`) {
			continue
		}
		var from, n int
		if strings.HasPrefix(row, "@@") {
			if c, _ := fmt.Sscanf(row, "@@ -%d,%d", &from, &n); c < 2 {
				n = 1
			}
			if n > 0 {
				from--
			}
			for ; at < from; at++ {
				out.WriteString(lines[at])
			}
			continue
		}
		line := row[1:]
		if i+1 < len(rows) && strings.HasPrefix(rows[i+1], `\ No newline`) {
			line = strings.TrimSuffix(line, "\n")
		}
		if row[0] != '+' {
			if at >= len(lines) || lines[at] != line {
				t.Fatalf("line %d is not %q\n%s", at+1, line, diff)
			}
			at++
		}
		if row[0] != '-' {
			out.WriteString(line)
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String()
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("", "a\n")
	f.Add("a", "")
	f.Add(strings.Repeat("x\ny\n", 30), strings.Repeat("x\nz\ny\n", 30))
	f.Fuzz(func(t *testing.T, old, new string) {
		if utf8.ValidString(old) && utf8.ValidString(new) {
			d := diffTexts(old, new)
			wantDiff(t, d, old, new)
			added, removed := d.counts()
			if strings.Count(d.unified("a", "b"), "\n") < 2+added+removed {
				t.Errorf("+%d -%d", added, removed)
			}
		}
	})
}

func fakeInfo(t *testing.T) os.FileInfo {
	info, err := os.Stat(filepath.Dir(os.Args[0]))
	if err != nil {
		t.Fatal(err)
	}
	return info
}
