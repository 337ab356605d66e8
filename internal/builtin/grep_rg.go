package builtin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ripgrep searches by running rg.
type ripgrep struct{ w *Workspace }

// largestEvent is the longest line of rg's own that is looked at: a match in
// a longer one is left out.
const largestEvent = 8 << 20

var errNoRipgrep = errors.New("ripgrep cannot be run")

func (g ripgrep) args(q query) []string {
	args := []string{"--no-config", "--color=never", "--hidden", "--no-require-git", "--no-ignore-global", "--no-mmap"}
	for _, name := range []string{".git", ".hg", ".svn", ".jj"} {
		args = append(args, "--glob=!"+name)
	}
	if q.in.Ignored {
		args = append(args, "--no-ignore")
	}
	if q.in.IgnoreCase {
		args = append(args, "--ignore-case")
	} else {
		args = append(args, "--case-sensitive")
	}
	if q.in.Multiline {
		args = append(args, "--multiline", "--multiline-dotall")
	} else {
		args = append(args, "--crlf")
	}
	return args
}

// run starts rg and lets read take its output. What it complains of is
// returned; a pattern that it cannot read is an error.
func (g ripgrep) run(ctx context.Context, args []string, read func(io.Reader) error) (trouble []string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, g.w.RgPath, args...)
	cmd.Dir = g.w.Cwd
	if g.w.Env != nil {
		cmd.Env = g.w.Env()
	}
	var complaints limitedBuffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRipgrep, err)
	}
	readErr := read(out)
	if readErr != nil {
		stop() // nobody reads the rest
	}
	waitErr := cmd.Wait()
	if readErr != nil {
		return nil, readErr
	}
	text := strings.TrimSpace(complaints.String())
	var exit *exec.ExitError
	if errors.As(waitErr, &exit) && exit.ExitCode() == 2 && isPatternError(text) {
		return nil, fmt.Errorf("the pattern is not valid: %s", clip(text, 600))
	}
	if text != "" {
		trouble = strings.Split(text, "\n")
	}
	return trouble, nil
}

func isPatternError(text string) bool {
	return strings.HasPrefix(text, "regex parse error") || strings.HasPrefix(text, "the literal ") ||
		strings.HasPrefix(text, "Compiled regex exceeds") || strings.HasPrefix(text, "error parsing")
}

func (g ripgrep) files(ctx context.Context, q query, count bool) (foundFiles, error) {
	args := g.args(q)
	switch {
	case !count:
		args = append(args, "--files-with-matches")
	case q.in.Multiline:
		args = append(args, "--count-matches", "--with-filename")
	default:
		args = append(args, "--count", "--with-filename")
	}
	args = append(args, "--null", "--regexp="+rgDialect(q.pattern), "--", q.real)
	var found foundFiles
	trouble, err := g.run(ctx, args, func(r io.Reader) error {
		in := bufio.NewReader(r)
		for {
			name, err := in.ReadString(0)
			if err != nil {
				return nil // the end, or time ran out
			}
			f := matchedFile{real: strings.TrimSuffix(name, "\x00")}
			if count {
				n, _ := in.ReadString('\n')
				f.count, _ = strconv.Atoi(strings.TrimSpace(n))
			}
			f.path = q.asAsked(f.real)
			if q.filter.ok(q, f.path) {
				found.files = append(found.files, f)
			}
		}
	})
	if err != nil {
		return found, err
	}
	found.trouble = trouble
	found.stopped = ctx.Err() != nil
	slices.SortFunc(found.files, func(a, b matchedFile) int { return comparePaths(a.path, b.path) })
	return found, nil
}

// asAsked is a real path below the searched one as the model spells it.
func (q query) asAsked(real string) string {
	rel, ok := below(q.real, real)
	if !ok {
		return real
	}
	return filepath.Join(q.path, rel)
}

// rgEvent is a line of rg's JSON.
type rgEvent struct {
	Type string `json:"type"`
	Data struct {
		Path       rgText `json:"path"`
		Lines      rgText `json:"lines"`
		LineNumber int    `json:"line_number"`
		Submatches []struct {
			Start int `json:"start"`
			End   int `json:"end"`
		} `json:"submatches"`
	} `json:"data"`
}

// rgText is text as rg writes it: as such, or in base64 where it is no UTF-8.
type rgText struct {
	Text  *string `json:"text"`
	Bytes []byte  `json:"bytes"`
}

func (t rgText) bytes() []byte {
	if t.Text != nil {
		return []byte(*t.Text)
	}
	return t.Bytes
}

func (g ripgrep) hits(ctx context.Context, q query, files []matchedFile, most int) ([][]hit, error) {
	args := append(g.args(q), "--json", "--max-count="+strconv.Itoa(most), "--before-context="+strconv.Itoa(q.in.Before),
		"--after-context="+strconv.Itoa(q.in.After), "--regexp="+rgDialect(q.pattern), "--")
	at := map[string]int{}
	for i, f := range files {
		args = append(args, f.real)
		at[f.real] = i
	}
	hits := make([][]hit, len(files))
	_, err := g.run(ctx, args, func(r io.Reader) error {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := readBounded(in, largestEvent)
			if err != nil {
				return ctx.Err()
			}
			var e rgEvent
			if json.Unmarshal(line, &e) != nil || e.Type != "match" && e.Type != "context" {
				continue
			}
			if i, ok := at[string(e.Data.Path.bytes())]; ok {
				hits[i] = append(hits[i], e.hits()...)
			}
		}
	})
	return hits, err
}

// hits is the lines of one event: more than one where a match spans lines.
func (e rgEvent) hits() []hit {
	text := e.Data.Lines.bytes()
	column := 0
	if len(e.Data.Submatches) > 0 {
		column = e.Data.Submatches[0].Start
	}
	var out []hit
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		h := hit{number: e.Data.LineNumber + i, text: bytes.TrimSuffix(line, []byte("\r")), match: e.Type == "match"}
		if i == 0 {
			h.column = column
		}
		out = append(out, h)
	}
	return out
}

// readBounded is the next line; of one that is longer than most it is
// nothing.
func readBounded(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		piece, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(piece) > most; tooLong {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, err
	}
}

// limitedBuffer keeps the first bytes that are written to it.
type limitedBuffer struct{ b bytes.Buffer }

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if room := 16<<10 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *limitedBuffer) String() string { return l.b.String() }

// readFull reads until b is full or the file ends.
func readFull(f *os.File, b []byte) (int, error) {
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
