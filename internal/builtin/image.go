package builtin

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
	largestImage = 3_750_000 // bytes; as base64 5 MB
	longestSide  = 8000      // pixels
)

// imageMedia is the media type of the kinds of images that models take.
func imageMedia(head []byte) string {
	h := string(head[:min(16, len(head))])
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

// checkImage says why providers would refuse the image. One that was sent
// stays in the conversation, and every later request would be refused with it.
func checkImage(media string, data []byte) error {
	var (
		c   image.Config
		err error
	)
	switch media {
	case "image/png":
		if c, err = png.DecodeConfig(bytes.NewReader(data)); err == nil && !bytes.Contains(data, []byte("IEND")) {
			err = errCutImage
		}
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(bytes.NewReader(data))
	case "image/gif":
		if len(data) < 13 {
			return errCutImage
		}
		c.Width, c.Height = int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case "image/webp":
		if len(data) < 30 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data)) {
			return errCutImage
		}
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("it is damaged: %w", err)
	case c.Width == 0 || c.Height == 0:
		return errors.New("it has no pixels")
	case c.Width > longestSide || c.Height > longestSide:
		return fmt.Errorf("it has %d x %d pixels and at most %d each way can be sent, make it smaller", c.Width, c.Height, longestSide)
	}
	return nil
}

// errCutImage says that a file begins like an image and is not a whole one.
var errCutImage = errors.New("it is not whole")
