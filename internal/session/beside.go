package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// dirOf is the directory beside a session's file.
func dirOf(path string) string { return strings.TrimSuffix(path, ".jsonl") + ".d" }

// picture is an image that is to be saved beside the session.
type picture struct{ media, sha256 string }

// name is the picture's file; "" when the reference, which may come from a
// damaged file, is none.
func (p picture) name() string {
	if len(p.sha256) != 64 || strings.Trim(p.sha256, "0123456789abcdef") != "" {
		return ""
	}
	ext := "bin"
	switch p.media {
	case "image/png":
		ext = "png"
	case "image/jpeg":
		ext = "jpg"
	case "image/gif":
		ext = "gif"
	case "image/webp":
		ext = "webp"
	}
	return p.sha256 + "." + ext
}

// keepPictures holds the bytes of a fact's images until they are saved.
func (l *Log) keepPictures(f event.Fact) []work {
	var out []work
	keep := func(img llm.Image) {
		if _, held := l.pictures[img.SHA256]; held || img.Data == nil {
			return
		}
		l.pictures[img.SHA256] = img.Data
		out = append(out, work{picture: &picture{img.Media, img.SHA256}})
	}
	switch f := f.(type) {
	case event.Message:
		images(f.Parts, keep)
	case event.Edited:
		for _, e := range f.Edits {
			for _, m := range e.With {
				images(m.Parts, keep)
			}
		}
	}
	return out
}

// images calls do with each image of the parts, those in results included,
// and says whether there are any.
func images(ps llm.Parts, do func(llm.Image)) (found bool) {
	for _, p := range ps {
		switch p := p.(type) {
		case llm.Image:
			found = true
			do(p)
		case llm.ToolResult:
			found = images(p.Parts, do) || found
		}
	}
	return found
}

func (l *Log) savePicture(p *picture) error {
	path := filepath.Join(dirOf(l.out.path), "images", p.name())
	data := l.pictures[p.sha256]
	if info, err := os.Stat(path); err != nil || info.Size() != int64(len(data)) {
		if err := replace(path, data); err != nil {
			return err
		}
	}
	delete(l.pictures, p.sha256)
	return nil
}

// load is the parts with the bytes of their images. An image that is gone is
// left without bytes or, for the model, replaced by a text that says so.
func (l *Log) load(ps llm.Parts, stub bool) llm.Parts {
	if !images(ps, func(llm.Image) {}) {
		return ps
	}
	out := make(llm.Parts, len(ps))
	for i, p := range ps {
		switch q := p.(type) {
		case llm.Image:
			if q.Data == nil {
				q.Data = l.picture(picture{q.Media, q.SHA256})
			}
			p = q
			if q.Data == nil && stub {
				p = llm.Text{Text: "[An image was here; its file is gone.]"}
			}
		case llm.ToolResult:
			q.Parts = l.load(q.Parts, stub)
			p = q
		}
		out[i] = p
	}
	return out
}

// picture finds the bytes of an image, here or with the sessions that this
// one was forked from.
func (l *Log) picture(p picture) []byte {
	if data, held := l.pictures[p.sha256]; held {
		return data
	}
	name := p.name()
	if name == "" {
		return nil
	}
	if !l.memory {
		if data, err := os.ReadFile(filepath.Join(dirOf(l.out.path), "images", name)); err == nil {
			return data
		}
	}
	from := l.now.opened.From
	for range 64 {
		if from == "" || !plainName(from) {
			return nil
		}
		found, _ := filepath.Glob(filepath.Join(globQuote(l.store.Root), "*", from+".d", "images", name))
		for _, path := range found {
			if data, err := os.ReadFile(path); err == nil {
				return data
			}
		}
		from = l.store.originOf(from)
	}
	return nil
}

func globQuote(path string) string {
	if filepath.Separator == '\\' {
		return path // the pattern has no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// present is the message as the model gets it, images loaded.
func (l *Log) present(m llm.Message) llm.Message {
	m.Parts = l.load(m.Parts, true)
	return m
}

func (l *Log) presentEdits(f event.Edited) event.Edited {
	edits := make([]event.Edit, len(f.Edits))
	for i, e := range f.Edits {
		edits[i] = event.Edit{From: e.From, To: e.To, With: make([]llm.Message, len(e.With))}
		for j, m := range e.With {
			edits[i].With[j] = l.present(m)
		}
	}
	f.Edits = edits
	return f
}

// Queue is the prompts that wait to be sent, as they were last set, by this
// process or by one that died.
func (l *Log) Queue() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.queue...)
}

// SetQueue keeps the prompts that wait, so that a kill does not lose them. An
// error means that they are kept in memory only.
func (l *Log) SetQueue(prompts []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append([]string(nil), prompts...)
	if l.memory || l.closed {
		return nil
	}
	path := filepath.Join(l.Dir(), "queue")
	if len(prompts) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(l.Dir()) // only if nothing else is in it
		return nil
	}
	var b []byte
	for _, p := range prompts {
		b = append(appendJSON(b, valid(p)), '\n')
	}
	if l.store.Redact != nil {
		if clean := redactStrings(b, 0, l.store.Redact); clean != nil {
			b = clean
		}
	}
	return replace(path, b)
}

func readQueue(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var out []string
	for line := range bytes.Lines(data) {
		var s string
		if json.Unmarshal(line, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// noteTitle keeps the title beside the session as well, so that a list need
// not read the whole file. It is a copy: the file's own records are right.
func (l *Log) noteTitle() {
	if l.memory || l.held {
		return
	}
	path := filepath.Join(l.Dir(), "title")
	there, err := os.ReadFile(path)
	if string(there) == l.now.title && (err == nil || l.now.title == "") || err != nil && l.now.title == l.now.opened.Title {
		return
	}
	_ = replace(path, []byte(l.now.title))
}

// replace writes a file as a whole: it is there with all of its bytes or as
// it was before.
func replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// plainName says whether an id can be a file's name.
func plainName(id string) bool {
	if id == "" || len(id) > 100 || strings.Trim(id, ".") == "" {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
