package account

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

func TestImageTokens(t *testing.T) {
	for _, c := range []struct{ width, height, want int }{{16, 16, 85}, {750, 400, 400}, {1000, 800, 1066}, {4000, 3000, 1600}, {1, 4000, 85}} {
		var p, j, g bytes.Buffer
		canvas := image.NewGray(image.Rect(0, 0, c.width, c.height))
		for _, err := range []error{png.Encode(&p, canvas), jpeg.Encode(&j, canvas, nil), gif.Encode(&g, canvas, nil)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, data := range map[string][]byte{"png": p.Bytes(), "jpeg": j.Bytes(), "gif": g.Bytes()} {
			if got := imageTokens(llm.Image{Data: data}).round(); got != c.want {
				t.Errorf("%s of %d x %d: %d tokens, want %d", name, c.width, c.height, got, c.want)
			}
		}
	}
	for _, data := range [][]byte{nil, []byte("no picture"), []byte("\x89PNG\r\n\x1a\n"), append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 16)...), []byte("\xff\xd8\xff\xe0\x00\x01")} {
		if got := imageTokens(llm.Image{Data: data}).round(); got != usualImage {
			t.Errorf("%q: %d tokens", data, got)
		}
	}
	huge := append([]byte("\x89PNG\r\n\x1a\n12345678"), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	if got := imageTokens(llm.Image{Data: huge}).round(); got != mostImage {
		t.Errorf("a huge one: %d tokens", got)
	}
}
