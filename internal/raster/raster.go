package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
)

// What providers take at least.
const (
	Largest = 3_750_000 // bytes; as base64, which is how it is sent, 5 MB
	Longest = 8000      // pixels each way
)

// Media is the media type of the kinds of images that models take, by their
// first bytes; "" for all else.
func Media(data []byte) string {
	h := string(data[:min(16, len(data))])
	switch {
	case strings.HasPrefix(h, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(h, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(h, "GIF87a"), strings.HasPrefix(h, "GIF89a"):
		return "image/gif"
	case strings.HasPrefix(h, "RIFF") && len(h) >= 12 && h[8:12] == "WEBP":
		return "image/webp"
	}
	return ""
}

// Check says why providers would refuse the whole image; size apart, which is
// known before it is read.
func Check(media string, data []byte) error {
	var (
		c   image.Config
		err error
	)
	switch media {
	case "image/png":
		if c, err = png.DecodeConfig(bytes.NewReader(data)); err == nil && !bytes.Contains(data, []byte("IEND")) {
			err = errCut
		}
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(bytes.NewReader(data))
	case "image/gif":
		if len(data) < 13 {
			return errCut
		}
		c.Width, c.Height = int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case "image/webp":
		if len(data) < 30 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data)) {
			return errCut
		}
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("it is damaged: %w", err)
	case c.Width == 0 || c.Height == 0:
		return errors.New("it has no pixels")
	case c.Width > Longest || c.Height > Longest:
		return fmt.Errorf("it has %d x %d pixels and at most %d each way can be sent, make it smaller", c.Width, c.Height, Longest)
	}
	return nil
}

// errCut says that a file begins like an image and is not a whole one.
var errCut = errors.New("it is not whole")
