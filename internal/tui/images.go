package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/clipboard"
	"github.com/minicode-go/minicode/internal/compose"
)

// How long an image is waited for.
const (
	fileTime      = 2 * time.Second
	clipboardTime = 3 * time.Second
	lateTime      = 300 * time.Millisecond // for why it took too long
)

// reading is an image that is being read. What is typed meanwhile waits: it
// comes behind the image, and Enter must not send the text without it.
type reading struct {
	cancel context.CancelFunc
	held   []tea.Msg // keys and pastes
}

// images is what came of reading.
type images struct {
	all  []compose.Image
	none bool // there are no such files: the text is a text
	err  error
}

// read reads images away from the loop. What comes too late does not count.
func (m *model) read(limit time.Duration, slow string, from func(context.Context) images, took func(images)) tea.Cmd {
	ctx, cancel := context.WithTimeout(m.ctx, limit)
	r := &reading{cancel: cancel}
	m.composer.reading = r
	return func() tea.Msg {
		defer cancel()
		there := make(chan images, 1)
		go func() { there <- from(ctx) }()
		i := images{err: errors.New(slow)}
		select {
		case i = <-there:
		case <-ctx.Done():
			select {
			case i = <-there: // it knows more
			case <-time.After(lateTime):
			}
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			i = images{err: errors.New("the image was not put in")}
		}
		return r.over(i, took) //nolint:contextcheck // what is typed then runs as long as the program does
	}
}

// over takes what came of it, and lets what was held be typed.
func (r *reading) over(i images, took func(images)) result {
	return func(m *model) tea.Cmd {
		if m.composer.reading != r {
			return nil
		}
		m.composer.reading = nil
		took(i)
		return m.release(r.held)
	}
}

// release lets what was held be typed.
func (m *model) release(held []tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.composer.changed(m)}
	for _, msg := range held {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			cmds = append(cmds, m.typeKey(msg))
		case tea.PasteMsg:
			cmds = append(cmds, m.typePaste(msg.Content))
		}
	}
	return tea.Batch(cmds...)
}

// holds says whether a key or a paste waits for an image. Esc and Ctrl+C give
// the image up.
func (c *composer) holds(msg tea.Msg) bool {
	if c.reading == nil {
		return false
	}
	if k, ok := msg.(tea.KeyPressMsg); ok && (nameOf(k) == "esc" || nameOf(k) == "ctrl+c") {
		c.reading.cancel()
		return true
	}
	c.reading.held = append(c.reading.held, msg)
	return true
}

// dropped takes images whose paths were pasted, which is what a terminal makes
// of files that are dropped on it. Where they are not there, it was a text.
func (m *model) dropped(text string, readings [][]string) tea.Cmd {
	from := func(context.Context) images {
		for _, paths := range readings {
			if !slices.ContainsFunc(paths, missing) {
				return readAll(paths)
			}
		}
		return images{none: true}
	}
	return m.read(fileTime, "the image could not be read in time", from, func(i images) {
		if i.none || i.err != nil {
			m.pasteText(text)
		}
		m.put(i)
	})
}

func missing(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.IsDir()
}

func readAll(paths []string) (i images) {
	for _, path := range paths {
		image, err := compose.ReadImage(path)
		if err != nil {
			return images{err: fmt.Errorf("%w; its path is put in as text", err)}
		}
		i.all = append(i.all, image)
	}
	return i
}

// pasteImage takes the image from the clipboard.
func (m *model) pasteImage() tea.Cmd {
	if isShell(m.composer.buf.Head()) {
		m.problem("the shell takes no images")
		return nil
	}
	system := clipboard.System{OS: runtime.GOOS, Env: m.o.Environ}
	from := func(ctx context.Context) (i images) {
		data, err := clipboard.Image(ctx, system)
		if err != nil {
			return images{err: err}
		}
		image, err := compose.NewImage("the image on the clipboard", data)
		return images{all: []compose.Image{image}, err: err}
	}
	return m.read(clipboardTime, "the clipboard could not be read in time", from, m.put)
}

// put puts images in at the cursor, and tells at once when the model takes
// none.
func (m *model) put(i images) {
	m.dirty = true
	switch {
	case errors.Is(i.err, clipboard.ErrNone):
		m.problem(i.err.Error() + "; the terminal's own keys paste text")
	case i.err != nil:
		m.problem(i.err.Error())
	}
	if i.err != nil {
		return
	}
	for n, image := range i.all {
		if n > 0 {
			m.composer.buf.Insert(" ")
		}
		m.composer.buf.AddImage("", image.Data, image.Media)
	}
	if len(i.all) == 0 {
		return
	}
	if why := m.blind("the image"); why != "" {
		m.problem(why)
	}
}

// imagesIn is how the paste can be read as image files; nil when it is text,
// as it is in a command that takes a path.
func (m *model) imagesIn(text string) [][]string {
	if wantsPath(m.composer.buf.Head()) {
		return nil
	}
	home := ""
	for _, pair := range m.o.Environ {
		if value, ok := strings.CutPrefix(pair, "HOME="); ok {
			home = value
		}
	}
	return compose.Dropped(text, m.conv.Info().Cwd, home)
}
