package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/webpage"
)

// kind is what can be made of a document.
type kind int

const (
	plainText kind = iota
	markup
	portable // PDF
	picture
	binary
)

// read reads the body of an answer, and only its beginning where nothing can
// be made of it.
func (c *client) read(resp *http.Response, t target) (d document, refresh string, err error) {
	if e := resp.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return d, "", fmt.Errorf("the page is compressed with %s, which was not asked for. With run_command: curl --compressed %s", shorten(e), t.quoted())
	}
	body := &counted{r: resp.Body}
	head := make([]byte, 1024)
	n, err := io.ReadFull(body, head)
	if head = head[:n]; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return d, "", body.broken(err)
	}
	media, params, k := kindOf(resp.Header.Get("Content-Type"), head)
	if k >= portable {
		return d, "", unreadable(k, media, resp.ContentLength, t)
	}
	d = document{target: t, status: status(resp), media: media, html: k == markup}
	rest, err := io.ReadAll(io.LimitReader(body, int64(c.MaxBytes-len(head)+1)))
	if err != nil {
		return d, "", body.broken(err)
	}
	all := append(head, rest...)
	if len(all) > c.MaxBytes {
		all, d.cut = all[:c.MaxBytes], true
	}
	d.body, d.charset = decode(all, params["charset"], d.html, d.cut)
	if d.html && len(d.body) < 64<<10 { // one that sends on is short
		refresh = webpage.Read(d.body, webpage.Options{URL: t.url}).Refresh
	}
	return d, refresh, nil
}

// counted counts what is read, to tell it where the reading breaks off.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// broken is an answer that stopped before its end.
func (c *counted) broken(err error) error { return &brokenOff{after: c.n, err: err} }

type brokenOff struct {
	after int64
	err   error
}

func (b *brokenOff) Error() string {
	return fmt.Sprintf("the answer broke off after %s: %v", size(b.after), b.err)
}
func (b *brokenOff) Unwrap() error { return b.err }

// kindOf is what a document is, by what the server says of it and by how it
// begins.
func kindOf(contentType string, head []byte) (media string, params map[string]string, k kind) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
		media = strings.TrimSpace(media)
	}
	media = shorten(media)
	looks := sniff(head)
	if strings.HasPrefix(strings.ToLower(params["charset"]), "utf-16") || len(head) == 0 {
		looks.binary = false
	}
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")) || media == "application/pdf":
		return "application/pdf", params, portable
	case strings.HasPrefix(media, "image/") && media != "image/svg+xml":
		return media, params, picture
	case media == "text/html" || media == "application/xhtml+xml":
		if looks.binary {
			return looks.media, params, binary
		}
		return media, params, markup
	case isText(media):
		if looks.binary {
			return looks.media, params, binary
		}
		return media, params, plainText
	case media == "" || strings.HasSuffix(media, "/octet-stream") || media == "application/unknown" || strings.HasPrefix(media, "application/") && !looks.binary && !isArchive(media):
		if media == "" || looks.binary {
			media = looks.media
		}
		switch {
		case looks.media == "text/html":
			return media, params, markup
		case strings.HasPrefix(looks.media, "image/"):
			return media, params, picture
		case looks.binary:
			return media, params, binary
		}
		return media, params, plainText
	}
	return media, params, binary
}

type look struct {
	media  string
	binary bool
}

func sniff(head []byte) look {
	media, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case strings.HasPrefix(media, "text/"):
		return look{media, false}
	case bytes.IndexByte(head, 0) < 0 && utf8.Valid(trimRune(head)):
		return look{"text/plain", false}
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return look{"text/plain", false}
	}
	return look{media, true}
}

// trimRune cuts a character off that the end of b cut in two.
func trimRune(b []byte) []byte {
	for i := 1; i <= 3 && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") {
		return true
	}
	switch media {
	case "application/json", "application/ld+json", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript",
		"application/typescript", "application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql",
		"application/x-sh", "application/x-httpd-php", "application/x-ndjson", "application/jsonl", "application/json-seq", "application/x-tex",
		"application/rtf", "application/x-www-form-urlencoded", "message/rfc822":
		return true
	}
	return false
}

func isArchive(media string) bool {
	switch media {
	case "application/zip", "application/gzip", "application/x-gzip", "application/x-tar", "application/x-7z-compressed", "application/wasm", "application/msword":
		return true
	}
	return strings.HasPrefix(media, "application/vnd.")
}

// unreadable says what a document is, and what can be done with it instead.
func unreadable(k kind, media string, length int64, t target) error {
	if length > 0 {
		media += ", " + size(length)
	}
	download := fmt.Sprintf("With run_command: curl -L -o FILE %s", t.quoted())
	switch k {
	case portable:
		return fmt.Errorf("it is a PDF (%s), and only text is read. %s, then pdftotext FILE - where that is installed; or look for the same as a web page", media, download)
	case picture:
		return fmt.Errorf("it is an image (%s), and only text is read. %s, then look at it with read_file", media, download)
	}
	return fmt.Errorf("it is binary (%s), and only text is read. %s", media, download)
}

func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
