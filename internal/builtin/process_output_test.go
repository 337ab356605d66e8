package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab\n日🙂")), 0, 40, -1), 0, 40).Draw(t, "pieces")
		keep := rapid.IntRange(1, 200).Draw(t, "keep")
		limit := rapid.Int64Range(0, 600).Draw(t, "limit")
		file := filepath.Join(dir, "f")
		c := &capture{keep: keep, limit: limit, ends: 64, open: func() (*os.File, error) { return os.Create(file) }}
		for _, p := range pieces {
			_, _ = c.Write([]byte(p))
		}
		c.finish()
		c.close()
		all := strings.Join(pieces, "")
		if c.bytes != int64(len(all)) || c.chars != int64(utf8.RuneCountInString(all)) {
			t.Fatalf("counted %d bytes, %d characters of %q", c.bytes, c.chars, all)
		}
		if !strings.HasPrefix(all, string(c.head)) {
			t.Fatalf("head %q is not the beginning of %q", c.head, all)
		}
		if !strings.HasSuffix(all, string(c.tail)) || len(c.tail) < min(64, len(all)) || len(c.tail) > 2*64 {
			t.Fatalf("tail %q of %q", c.tail, all)
		}
		if int(c.chars) <= keep {
			if c.file != nil || string(c.head) != all {
				t.Fatalf("%d characters of %d: head %q, file %v", c.chars, keep, c.head, c.file != nil)
			}
			return
		}
		saved, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(all, string(saved)) || !utf8.Valid(saved) || int64(len(saved)) > limit || c.full != (len(saved) < len(all)) {
			t.Fatalf("saved %q of %q, limit %d, full %v", saved, all, limit, c.full)
		}
		if int64(len(saved)) < min(limit, int64(len(all)))-utf8.UTFMax {
			t.Fatalf("saved only %d bytes of %d, limit %d", len(saved), len(all), limit)
		}
	})
}

func TestCaptureSince(t *testing.T) {
	c := &capture{ends: 16, failed: errNoFiles}
	read := int64(0)
	next := func(n int, wantText string, wantMissing int64) {
		t.Helper()
		text, missing, total := c.since(read, n)
		if text != wantText || missing != wantMissing {
			t.Errorf("since(%d, %d) = %q, %d missing; want %q, %d", read, n, text, missing, wantText, wantMissing)
		}
		read = total
	}
	next(100, "", 0)
	_, _ = c.Write([]byte("one\n"))
	next(100, "one\n", 0)
	next(100, "", 0)
	_, _ = c.Write([]byte("two\nthree\n"))
	next(3, "ee\n", 7)
	_, _ = c.Write(bytes.Repeat([]byte("0123456789"), 10))
	next(100, "4567890123456789", 84)
}

func TestCaptureWithoutRoom(t *testing.T) {
	c := &capture{keep: 4, limit: 100, ends: 8, open: func() (*os.File, error) { return nil, os.ErrPermission }}
	for range 1000 {
		_, _ = c.Write([]byte("0123456789"))
	}
	if c.failed == nil || c.bytes != 10_000 || len(c.head) > previewChars || !strings.HasSuffix(string(c.tail), "23456789") {
		t.Errorf("failed %v, %d bytes, head %d, tail %q", c.failed, c.bytes, len(c.head), c.tail)
	}
}
