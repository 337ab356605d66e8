package compose

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDropped(t *testing.T) {
	for text, want := range map[string][][]string{
		"/tmp/a.png":                   {{"/tmp/a.png"}, {"/tmp/a.png"}},
		" /tmp/a.PNG \r":               {{"/tmp/a.PNG"}, {"/tmp/a.PNG"}},
		"'/tmp/my pic.jpg' ":           {{"/tmp/my pic.jpg"}},
		`"/tmp/my \"pic\".jpeg"`:       {{`/tmp/my "pic".jpeg`}},
		`/tmp/my\ pic\(1\).gif`:        {{`/tmp/my\ pic\(1\).gif`}, {"/tmp/my pic(1).gif"}},
		"/tmp/my pic.webp":             {{"/tmp/my pic.webp"}},
		"/tmp/a.png /tmp/b.png":        {{"/tmp/a.png /tmp/b.png"}, {"/tmp/a.png", "/tmp/b.png"}},
		"/tmp/a.png\n/tmp/b c.png\r\n": {{"/tmp/a.png", "/tmp/b c.png"}},
		"~/a.png":                      {{"/home/p/a.png"}, {"/home/p/a.png"}},
		"./a.png":                      {{"/work/a.png"}, {"/work/a.png"}},
		"../a.png":                     {{"/a.png"}, {"/a.png"}},
		"file:///tmp/my%20pic%E6.png":  {{"/tmp/my pic\xe6.png"}, {"/tmp/my pic\xe6.png"}},
		"file://localhost/tmp/a.png":   {{"/tmp/a.png"}, {"/tmp/a.png"}},
		"file://elsewhere/tmp/a.png":   nil,
		"a.png":                        nil,
		"look at /tmp/a.png":           nil,
		"/tmp/a.png and":               nil,
		"/tmp/a.svg":                   nil,
		"'/tmp/a.png":                  nil,
		"/usr/bin":                     nil,
		"":                             nil,
		"/" + strings.Repeat("a", longestDropped) + ".png": nil,
		strings.Repeat("/a.png ", mostDropped+1):           {{strings.TrimSpace(strings.Repeat("/a.png ", mostDropped+1))}},
	} {
		if diff := cmp.Diff(want, Dropped(text, "/work", "/home/p")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A text is read without harm, whatever it is.
func FuzzDropped(f *testing.F) {
	for _, seed := range []string{"'/a b.png'", `/a\ b.png`, "file:///a%20.png", "~/x.gif ./y.webp", `"\"`, "\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, paths := range Dropped(text, "/work", "/home/p") {
			for _, path := range paths {
				if !filepath.IsAbs(path) {
					t.Errorf("%q is read as %q", text, path)
				}
			}
		}
	})
}

func dot(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadImage(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	got, err := ReadImage(file("dot.jpg", dot(t))) // what it is, its bytes say
	if err != nil || got.Media != "image/png" || !bytes.Equal(got.Data, dot(t)) {
		t.Errorf("%v, %v", got, err)
	}
	for path, want := range map[string]string{
		file("words.png", []byte("words")):         "words.png cannot be sent: it is not a PNG",
		file("empty.png", nil):                     "it is not a PNG",
		file("cut.png", dot(t)[:40]):               "it is not whole",
		file("large.png", make([]byte, 3_750_001)): "large.png cannot be sent: it has 3.8 MB, and at most 3.75 MB",
		filepath.Join(dir, "gone.png"):             "gone.png cannot be sent: no such file",
		dir:                                        "it is no file",
	} {
		if _, err := ReadImage(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// An image is in a text as long as its placeholder is.
func TestImagesInText(t *testing.T) {
	var b Buffer
	b.Insert("see ")
	b.AddImage("", []byte("1"), "image/png")
	b.Insert(" and ")
	b.AddImage("", []byte("2"), "image/gif")
	b.Insert(" now")
	if got := b.Text(); got != "see [Image #1] and [Image #2] now" {
		t.Errorf("%q", got)
	}
	if got := b.Draft().Words(); got != "see and now" {
		t.Errorf("%q", got)
	}
	data := func() (all string) {
		for _, i := range b.Draft().Images() {
			all += string(i.Data)
		}
		return all
	}
	if data() != "12" {
		t.Errorf("images %q", data())
	}
	b.Rewrite("first [Image #2], twice [Image #2], and [Image #3]")
	if b.Text() != "first [Image #2], twice [Image #2], and [Image #3]" || data() != "2" {
		t.Errorf("%q with %q", b.Text(), data())
	}
	if got := b.Draft().Words(); got != "first, twice, and [Image #3]" {
		t.Errorf("%q", got)
	}
	b.Undo()
	if data() != "12" {
		t.Errorf("images %q after undo", data())
	}
	for range 4 {
		b.Backspace() // " now"
	}
	b.Backspace()
	if b.Text() != "see [Image #1] and " || data() != "1" {
		t.Errorf("%q with %q", b.Text(), data())
	}
}

func TestHead(t *testing.T) {
	var b Buffer
	if got := b.Head(); got != "" {
		t.Errorf("%q", got)
	}
	b.Insert("\n !ls ")
	b.Paste(strings.Repeat("x", 5000))
	b.Insert("\n" + strings.Repeat("y\n", 100))
	if got, want := b.Head(), "\n !ls \uFFFC\n"+strings.Repeat("y\n", 30); !strings.HasPrefix(got, "\n !ls \uFFFC\ny\n") || len(got) > len(want) {
		t.Errorf("%q", got)
	}
}

func TestPrepend(t *testing.T) {
	var b Buffer
	b.Insert("see ")
	b.AddImage("", []byte("1"), "image/png")
	sent := b.Clear()
	b.Prepend(sent)
	if b.Text() != "see [Image #1]" {
		t.Errorf("%q", b.Text())
	}
	b.Clear()
	b.Insert("typed")
	b.Prepend(sent)
	b.Insert("!")
	if b.Text() != "see [Image #1]\ntyped!" || len(b.Draft().Images()) != 1 {
		t.Errorf("%q with %d images", b.Text(), len(b.Draft().Images()))
	}
}

func TestWordless(t *testing.T) {
	for text, want := range map[string]string{
		"see [Image #1] and [Image #12] now": "see and now",
		"[Image #1]":                         "",
		"[Image #1] x":                       "x",
		"a\n[Image #1] x":                    "a\nx",
		"[Image #] [Image #1a] [Image":       "[Image #] [Image #1a] [Image",
		"[Image #[Image #1]":                 "[Image #",
		"plain  text":                        "plain  text",
	} {
		if got := Wordless(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
