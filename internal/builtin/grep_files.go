package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

const (
	defaultHits = 250 // entries of one result where none are asked for
	mostContext = 100 // lines before or after
)

type grepFilesIn struct {
	Pattern    string `json:"pattern" jsonschema:"regular expression"`
	Path       string `json:"path,omitempty" jsonschema:"file or directory"`
	Glob       string `json:"glob,omitempty" jsonschema:"such as *.go or !*_test.go; several with blanks between"`
	Type       string `json:"type,omitempty" jsonschema:"such as go, py, ts"`
	Mode       string `json:"mode,omitempty"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Before     int    `json:"before,omitempty" jsonschema:"lines of context"`
	After      int    `json:"after,omitempty"`
	Multiline  bool   `json:"multiline,omitempty" jsonschema:"matches may span lines"`
	HeadLimit  int    `json:"head_limit,omitempty" jsonschema:"default 250"`
	Offset     int    `json:"offset,omitempty" jsonschema:"entries to pass over"`
	Ignored    bool   `json:"ignored,omitempty" jsonschema:"also what .gitignore leaves out"`
}

func grepFiles(w *Workspace) tool.Tool {
	return tool.New(spec("grep_files"), func(_ context.Context, in grepFilesIn) (tool.Action, error) {
		q, err := w.query(in)
		if err != nil {
			return tool.Action{}, err
		}
		return tool.Action{
			Title:   fmt.Sprintf("Search %s for %q", w.show(q.path), clip(in.Pattern, 80)),
			Effects: []event.Effect{{Kind: event.Read, Target: q.path}},
			Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
				if now, err := resolve(q.path); err != nil || now != q.real {
					return tool.Result{}, fmt.Errorf("%s no longer leads to %s: call again", q.path, q.real)
				}
				return w.grep(ctx, q)
			},
		}, nil
	})
}

// query is a search, checked and ready.
type query struct {
	in      grepFilesIn
	pattern string // in the dialect that both searchers read
	path    string // as asked for
	real    string // with links resolved
	single  bool   // it is one file
	filter  filter
	need    int // how many entries the result can have, those passed over included
}

func (w *Workspace) query(in grepFilesIn) (query, error) {
	q := query{in: in, path: w.existing(in.Path, plain)}
	if in.Pattern == "" {
		return q, errors.New("pattern is empty")
	}
	if in.Before < 0 || in.After < 0 || in.HeadLimit < 0 || in.Offset < 0 {
		return q, errors.New("before, after, head_limit and offset must not be negative")
	}
	q.in.Before, q.in.After = min(in.Before, mostContext), min(in.After, mostContext)
	if q.in.HeadLimit == 0 {
		q.in.HeadLimit = defaultHits
	}
	q.need = q.in.Offset + q.in.HeadLimit + 1
	q.pattern = withoutLooseBraces(in.Pattern)
	if !in.Multiline && hasLineBreak(in.Pattern) {
		return q, errors.New("pattern has a line break in it: set multiline")
	}
	info, err := os.Stat(q.path)
	if errors.Is(err, os.ErrNotExist) {
		return q, w.missing(q.path)
	}
	if err != nil {
		return q, plainError(err)
	}
	if q.single = !info.IsDir(); q.single {
		if err := regular(w.show(q.path), info.Mode()); err != nil {
			return q, err
		}
	}
	if q.real, err = resolve(q.path); err != nil {
		return q, plainError(err)
	}
	if q.filter, err = newFilter(in.Glob, in.Type); err != nil {
		return q, err
	}
	if w.RgPath == "" {
		if _, err := compile(q); err != nil {
			return q, err
		}
	}
	return q, nil
}

// matchedFile is a file in which something was found.
type matchedFile struct {
	path  string // absolute, as asked for
	real  string
	count int // lines, or matches of a multiline search; 0 when they were not counted
}

// foundFiles is what the first step of a search gives: the files, in the
// order of their paths, at least as many as are needed.
type foundFiles struct {
	files   []matchedFile
	trouble []string
	stopped bool // time ran out
}

// hit is a line of a result.
type hit struct {
	number int
	text   []byte // without its end
	match  bool   // else it is context
	column int    // where the match begins in it, in bytes
}

// searcher finds things in files. There are two, with the same answers.
type searcher interface {
	// files finds the files that match. With count all their matches are
	// counted, else a search may end at the first.
	files(ctx context.Context, q query, count bool) (foundFiles, error)
	// hits gives the first lines that match in each file, at least most of
	// them if there are as many, with context.
	hits(ctx context.Context, q query, files []matchedFile, most int) ([][]hit, error)
}

func (w *Workspace) searcher() searcher {
	if w.RgPath != "" {
		return ripgrep{w}
	}
	return ownSearcher{w}
}

func (w *Workspace) grep(ctx context.Context, q query) (tool.Result, error) {
	if q.single {
		if binary, err := isBinaryFile(q.real); err != nil || binary {
			if err == nil {
				err = fmt.Errorf("%s is a binary file: it is not searched", w.show(q.path))
			}
			return tool.Result{}, err
		}
	}
	limited, stop := context.WithTimeout(ctx, longestWalk)
	defer stop()
	s := w.searcher()
	found, err := s.files(limited, q, q.in.Mode == "count")
	if errors.Is(err, errNoRipgrep) {
		s = ownSearcher{w}
		found, err = s.files(limited, q, q.in.Mode == "count")
	}
	var r *report
	if err == nil {
		r, err = w.report(limited, s, q, found)
	}
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Result{}, err
	}
	return searchResult(r.String()), nil
}

// isBinaryFile looks at a file's beginning.
func isBinaryFile(path string) (bool, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, sniffHead)
	n, _ := readFull(f, head)
	return isBinary(head[:n]), nil
}

// isBinary is the rule of both searchers: a NUL near the beginning, but for
// UTF-16 with its mark.
func isBinary(head []byte) bool {
	s := string(head[:min(len(head), 2)])
	return s != "\xFF\xFE" && s != "\xFE\xFF" && strings.IndexByte(string(head), 0) >= 0
}
