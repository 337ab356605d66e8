package compose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/raster"
)

const (
	mostDropped    = 20   // files in one paste
	longestDropped = 8192 // bytes of their paths together
	imageLabel     = "[Image #"
)

// Images is the images in it, in order, each once.
func (d Draft) Images() (images []*Image) {
	for _, e := range d.elements {
		if e.object != nil && e.object.image != nil && !slices.Contains(images, e.object.image) {
			images = append(images, e.object.image)
		}
	}
	return images
}

// Words is the text without the placeholders of images: what can be kept when
// the images are not.
func (d Draft) Words() string {
	var text []byte
	behind := false // a placeholder, whose blank goes with it
	for _, e := range d.elements {
		if e.object != nil && e.object.image != nil {
			behind = true
			continue
		}
		before, blank := bytes.CutSuffix(text, []byte(" "))
		switch {
		case behind && blank && e.text != "" && strings.Contains(".,;:!?)", e.text):
			text = before
		case behind && e.text == " " && (blank || len(text) == 0 || text[len(text)-1] == '\n'):
			continue
		}
		text = append(text, e.contents()...)
		behind = false
	}
	return string(text)
}

// Wordless is a text that was sent with images, without their placeholders:
// see [Draft.Words].
func Wordless(text string) string {
	var d Draft
	for {
		at := strings.Index(text, imageLabel)
		if at < 0 {
			break
		}
		digits := strings.TrimLeft(text[at+len(imageLabel):], "0123456789")
		end := len(text) - len(digits)
		if !strings.HasPrefix(digits, "]") || end == at+len(imageLabel) {
			d.elements = append(d.elements, segment(nil, text[:at+len(imageLabel)])...)
			text = text[at+len(imageLabel):]
			continue
		}
		d.elements = append(append(d.elements, segment(nil, text[:at])...), element{object: &object{image: &Image{}}})
		text = text[end+1:]
	}
	d.elements = append(d.elements, segment(nil, text)...)
	return d.Words()
}

// Rewrite replaces everything by text, as [Buffer.Set] does, but where the
// placeholder of an image is in it that was there before, the image stays:
// what came back from another editor.
func (b *Buffer) Rewrite(text string) {
	kept := map[string]*object{}
	for _, e := range b.Draft().elements {
		if e.object != nil && e.object.image != nil {
			kept[e.object.label] = e.object
		}
	}
	var elements []element
	text = normalise(text)
	for {
		at, first := -1, ""
		for label := range kept {
			if i := strings.Index(text, label); i >= 0 && (at < 0 || i < at) {
				at, first = i, label
			}
		}
		if at < 0 {
			break
		}
		elements = append(elements, element{text: text[:at]}, element{object: kept[first]})
		text = text[at+len(first):]
	}
	b.replaceAll(append(elements, element{text: text}))
}

// Dropped is what a pasted text could mean if it is nothing but the paths of
// image files, which is how terminals give files that are dropped on them:
// quoted, with escaped blanks, as file URLs, or as they are. Of several readings
// the first is to be taken whose files are there. Paths that begin with
// neither a root, nor ~/, nor ./ or ../ are words.
func Dropped(text, cwd, home string) (readings [][]string) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestDropped {
		return nil
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	var quoted []string
	for _, line := range lines {
		words, ok := shellWords(line)
		if !ok {
			quoted = nil
			break
		}
		quoted = append(quoted, words...)
	}
	for _, words := range [][]string{lines, quoted} {
		var paths []string
		for _, word := range words {
			paths = append(paths, located(strings.TrimSpace(word), cwd, home))
		}
		if len(paths) > 0 && len(paths) <= mostDropped && !slices.ContainsFunc(paths, isNoImage) {
			readings = append(readings, paths)
		}
	}
	return readings
}

func isNoImage(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return false
	}
	return true
}

// located is the absolute path that a word names; "" for one that is no path.
func located(word, cwd, home string) string {
	switch {
	case strings.HasPrefix(word, "file:"):
		return fromURL(word)
	case filepath.IsAbs(word):
		return word
	case strings.HasPrefix(word, "~/") && home != "":
		return filepath.Join(home, word[2:])
	case strings.HasPrefix(word, "./"), strings.HasPrefix(word, "../"):
		return filepath.Join(cwd, word)
	}
	return ""
}

func fromURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return ""
	}
	path := u.Path
	if drive := strings.TrimPrefix(path, "/"); filepath.VolumeName(drive) != "" {
		path = drive // file:///C:/Users
	}
	return filepath.FromSlash(path)
}

// shellWords is a line as a shell reads it; false when a quote is not closed.
func shellWords(line string) (words []string, ok bool) {
	var word strings.Builder
	quote, begun := rune(0), false
	text := []rune(line)
	for i := 0; i < len(text); i++ {
		r := text[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(text) && (quote == 0 || strings.ContainsRune("\\\"$`", text[i+1])):
			i++
			word.WriteRune(text[i])
			begun = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// errNoImage says that a file holds something else than its name says.
var errNoImage = errors.New("it is not a PNG, JPEG, GIF or WebP image")

// ReadImage is the image in a file. Its error names the file and says why the
// image cannot be sent.
func ReadImage(path string) (Image, error) {
	data, err := readImage(path)
	if err == nil {
		return NewImage(filepath.Base(path), data)
	}
	return Image{}, fmt.Errorf("%s cannot be sent: %w", filepath.Base(path), err)
}

func readImage(path string) ([]byte, error) {
	info, err := os.Stat(path) // a pipe would be waited for
	switch {
	case err != nil:
		return nil, plain(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > raster.Largest:
		return nil, tooLarge(info.Size())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, raster.Largest+1))
	return data, plain(err)
}

// plain is an error without the path, which is told anyway.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

func tooLarge(size int64) error {
	return fmt.Errorf("it has %.1f MB, and at most %.2f MB, which is 5 MB as it is sent, can be sent; make it smaller", float64(size)/1e6, float64(raster.Largest)/1e6)
}

// NewImage is an image of these bytes. Its error begins with the name and says
// why the image cannot be sent.
func NewImage(name string, data []byte) (Image, error) {
	media := raster.Media(data)
	var err error
	switch {
	case media == "":
		err = errNoImage
	case len(data) > raster.Largest:
		err = tooLarge(int64(len(data)))
	default:
		err = raster.Check(media, data)
	}
	if err != nil {
		return Image{}, fmt.Errorf("%s cannot be sent: %w", name, err)
	}
	return Image{Data: data, Media: media}, nil
}
