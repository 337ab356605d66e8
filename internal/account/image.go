package account

import (
	"bytes"
	"encoding/binary"

	"github.com/minicode-go/minicode/llm"
)

// What a picture costs, by what providers say of their models: an edge of
// about 27 pixels square is a token, large ones are scaled down first, and none
// is for nothing.
const (
	pixelsPerToken = 750
	leastImage     = 85
	mostImage      = 1600
	usualImage     = 1500 // a screenshot, where the size cannot be seen
)

// imageTokens is about what the picture takes.
func imageTokens(p llm.Image) tokens {
	width, height := dimensions(p.Data)
	if width <= 0 || height <= 0 {
		return usualImage * whole
	}
	width, height = min(width, 1<<14), min(height, 1<<14) // larger ones are scaled down anyway
	return tokens(min(max(width*height/pixelsPerToken, leastImage), mostImage)) * whole
}

// dimensions reads the size of a PNG, GIF or JPEG in pixels from its head;
// 0, 0 for anything else.
func dimensions(data []byte) (width, height int) {
	switch {
	case len(data) >= 24 && bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	case len(data) >= 10 && bytes.HasPrefix(data, []byte("GIF8")):
		return int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		return jpegDimensions(data[2:])
	}
	return 0, 0
}

// jpegDimensions looks for the frame header among the segments.
func jpegDimensions(data []byte) (width, height int) {
	for len(data) >= 9 && data[0] == 0xff {
		marker, size := data[1], int(binary.BigEndian.Uint16(data[2:]))
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			return int(binary.BigEndian.Uint16(data[7:])), int(binary.BigEndian.Uint16(data[5:]))
		}
		if size < 2 || len(data) < 2+size {
			break
		}
		data = data[2+size:]
	}
	return 0, 0
}
