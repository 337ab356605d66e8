package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/raster"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const pageLines = 2000 // lines of one page

type readFileIn struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"lines, at most 2000"`
	Column int    `json:"column,omitempty" jsonschema:"where to begin in the line at offset, from 1"`
}

func readFile(w *Workspace) tool.Tool {
	return tool.New(spec("read_file"), func(_ context.Context, in readFileIn) (tool.Action, error) {
		path := w.existing(in.Path, plain)
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return tool.Action{}, w.missing(path)
		}
		if err != nil {
			return tool.Action{}, plainError(err)
		}
		if err := regular(w.show(path), info.Mode()); err != nil {
			return tool.Action{}, err
		}
		if in.Offset < 0 || in.Limit < 0 || in.Column < 0 {
			return tool.Action{}, errors.New("offset, limit and column count from 1")
		}
		real, err := resolve(path)
		if err != nil {
			return tool.Action{}, plainError(err)
		}
		return tool.Action{
			Title:   "Read " + w.show(path),
			Effects: []event.Effect{{Kind: event.Read, Target: path}},
			Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
				if now, err := resolve(path); err != nil || now != real {
					return tool.Result{}, fmt.Errorf("%s no longer leads to %s: call again", path, real)
				}
				return w.read(ctx, path, real, in)
			},
		}, nil
	})
}

func (w *Workspace) read(ctx context.Context, path, real string, in readFileIn) (tool.Result, error) {
	f, info, err := openRegular(real)
	if err != nil {
		return tool.Result{}, err
	}
	defer f.Close()
	offset, column := max(1, in.Offset), max(1, in.Column)
	limit := pageLines
	if in.Limit > 0 {
		limit = min(limit, in.Limit)
	}
	s, err := surveyFile(ctx, f, info.Size(), offset)
	if err != nil {
		return tool.Result{}, err
	}
	if !s.text {
		return w.readBinary(f, info.Size(), path, real, s)
	}
	if s.whole && offset > max(1, s.lines) {
		return tool.Result{}, fmt.Errorf("%s has %d lines: there is no line %d", w.show(path), s.lines, offset)
	}
	p := page{
		in:     newLineReader(io.NewSectionReader(f, s.start, 1<<62), s.enc),
		from:   offset,
		column: column,
		limit:  limit,
		room:   max(500, w.pageChars()-400-len(path)),
	}
	if err := p.fill(ctx); err != nil {
		return tool.Result{}, err
	}
	return w.pageResult(path, real, s, &p), nil
}

// pageResult is the page under its header.
func (w *Workspace) pageResult(path, real string, s survey, p *page) tool.Result {
	last, total := p.from+p.shown-1, fmt.Sprint(s.lines)
	more := last < s.lines
	if !s.whole {
		more = !p.ended
		total = fmt.Sprintf("more than %d", last)
		if p.ended {
			total = fmt.Sprint(last)
		}
	}
	first := p.from
	if p.shown == 0 {
		first = last
	}
	var b strings.Builder
	fmt.Fprintf(&b, "FILE: %s\nLINES: %d-%d of %s\n", w.show(path), first, last, total)
	if !s.enc.isUTF8() {
		fmt.Fprintf(&b, "ENCODING: %s\n", s.enc.name)
	}
	switch {
	case p.cut > 0:
		fmt.Fprintf(&b, "TRUNCATED: yes - call read_file again with offset %d and column %d\n", last, p.cut)
	case more:
		fmt.Fprintf(&b, "TRUNCATED: yes - call read_file again with offset %d\n", last+1)
	default:
		b.WriteString("TRUNCATED: no\n")
	}
	b.WriteString(p.text.String())
	r := tool.TextResult(b.String())
	r.Meta.Again = true
	if s.whole {
		whole := p.from == 1 && p.column == 1 && !more && p.cut == 0
		r.Meta.Read = []llm.FileRead{{Path: real, SHA256: s.sum, Whole: whole}}
	}
	return r
}

// readBinary gives an image to a model that takes them, and refuses the rest
// by name.
func (w *Workspace) readBinary(f *os.File, size int64, path, real string, s survey) (tool.Result, error) {
	media := raster.Media(s.head)
	switch {
	case media == "":
		kind := magic(s.head)
		if kind == "" {
			kind = "binary data"
		}
		return tool.Result{}, fmt.Errorf("%s is a binary file (%s, %s): it cannot be read as text", w.show(path), kind, bytesText(size))
	case !w.imagesOK():
		return tool.Result{}, fmt.Errorf("%s is an image (%s, %s), and this model takes no images", w.show(path), media, bytesText(size))
	case size > raster.Largest:
		return tool.Result{}, fmt.Errorf("%s is an image (%s, %s): images above %s cannot be sent, make it smaller", w.show(path), media, bytesText(size), bytesText(raster.Largest))
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, raster.Largest))
	if err != nil {
		return tool.Result{}, plainError(err)
	}
	if err := raster.Check(media, data); err != nil {
		return tool.Result{}, fmt.Errorf("%s cannot be sent as an image (%s, %s): %w", w.show(path), media, bytesText(size), err)
	}
	r := tool.TextResult(fmt.Sprintf("FILE: %s\nIMAGE: %s, %d bytes", w.show(path), media, len(data)))
	r.Parts = append(r.Parts, llm.NewImage(media, data))
	r.Meta = llm.Meta{Again: true, Read: []llm.FileRead{{Path: real, SHA256: sum(data), Whole: true}}}
	return r, nil
}
