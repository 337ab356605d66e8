package raster_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/raster"
)

func TestImagesThatWouldBeRefusedAreNotSent(t *testing.T) {
	encoded := func(encode func(*bytes.Buffer, image.Image) error, width int) string {
		var b bytes.Buffer
		if err := encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	pngOf := func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }
	jpegOf := func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
	gifOf := func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }
	dot := encoded(pngOf, 3)
	for _, c := range []struct{ name, media, data, want string }{
		{"png", "image/png", dot, ""},
		{"jpeg", "image/jpeg", encoded(jpegOf, 3), ""},
		{"gif", "image/gif", encoded(gifOf, 3), ""},
		{"webp", "image/webp", "RIFF\x16\x00\x00\x00WEBPVP8 " + strings.Repeat("x", 14), ""},
		{"png in name only", "image/png", "\x89PNG\r\n\x1a\n and words", "damaged"},
		{"png cut in the middle", "image/png", dot[:len(dot)-12], "not whole"},
		{"jpeg in name only", "image/jpeg", "\xff\xd8\xff and words", "damaged"},
		{"gif cut at its head", "image/gif", "GIF89a\x01\x00", "not whole"},
		{"gif of nothing", "image/gif", "GIF89a" + strings.Repeat("\x00", 20), "no pixels"},
		{"webp cut in the middle", "image/webp", "RIFF\xff\x00\x00\x00WEBPVP8 " + strings.Repeat("x", 14), "not whole"},
		{"too wide", "image/png", encoded(pngOf, 8001), "8001 x 2 pixels"},
	} {
		err := raster.Check(c.media, []byte(c.data))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
