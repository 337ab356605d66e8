package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/process"
)

// Largest is how many bytes an image may have.
const Largest = 32 << 20

var (
	// ErrNone says that there is no image on the clipboard.
	ErrNone = errors.New("there is no image on the clipboard")
	// ErrLarge says that the image has more than [Largest] bytes.
	ErrLarge = errors.New("the image on the clipboard is too large")
)

// System is where the clipboard is.
type System struct {
	OS  string   // as in runtime.GOOS
	Env []string // with the PATH that programs are looked for in
}

// reader is a program that can give the image.
type reader struct {
	program string
	types   []string // arguments that make it list what there is; nil: it gives PNG or nothing
	take    []string // arguments that make it give the image; a %s is the media type
	decode  func([]byte) ([]byte, error)
}

// readers is the programs that are worth trying, the best first.
func (s System) readers() (all []reader) {
	switch s.OS {
	case "darwin":
		return []reader{
			{program: "pngpaste", take: []string{"-"}},
			{program: "osascript", take: []string{"-e", "the clipboard as «class PNGf»"}, decode: fromAppleScript},
		}
	case "windows":
		return []reader{windows()}
	}
	if process.Value(s.Env, "WAYLAND_DISPLAY") != "" {
		all = append(all, reader{program: "wl-paste", types: []string{"--list-types"}, take: []string{"--no-newline", "--type", "%s"}})
	}
	if process.Value(s.Env, "DISPLAY") != "" {
		all = append(all, reader{
			program: "xclip", types: []string{"-selection", "clipboard", "-out", "-target", "TARGETS"}, take: []string{"-selection", "clipboard", "-out", "-target", "%s"},
		})
	}
	if process.Value(s.Env, "WSL_DISTRO_NAME") != "" { // Linux within Windows, which has the clipboard
		all = append(all, windows())
	}
	return all
}

func windows() reader {
	const script = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing
$image = [Windows.Forms.Clipboard]::GetImage()
if ($image) { $bytes = New-Object IO.MemoryStream; $image.Save($bytes, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($bytes.ToArray()) }`
	return reader{
		program: "powershell.exe", take: []string{"-NoProfile", "-NonInteractive", "-STA", "-Command", script},
		decode: func(out []byte) ([]byte, error) {
			return base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
		},
	}
}

// fromAppleScript takes the bytes out of «data PNGf89504E47…».
func fromAppleScript(out []byte) ([]byte, error) {
	_, digits, found := strings.Cut(string(out), "PNGf")
	digits, _, closed := strings.Cut(digits, "»")
	if !found || !closed {
		return nil, errors.New("osascript gave something else than an image")
	}
	return hex.DecodeString(digits)
}

// Image is the image on the clipboard. Its error is [ErrNone], [ErrLarge], or
// says what is missing; when ctx is done, it says which program hung.
func Image(ctx context.Context, s System) ([]byte, error) {
	readers := s.readers()
	none := false
	var failed error
	for _, r := range readers {
		path := process.Look(r.program, s.Env, "/")
		if path == "" {
			continue
		}
		data, err := r.image(ctx, path, s.Env)
		switch {
		case err == nil:
			return data, nil
		case ctx.Err() != nil, errors.Is(err, ErrLarge):
			return nil, err
		case errors.Is(err, ErrNone):
			none = true
		default:
			failed = err
		}
	}
	switch {
	case none:
		return nil, ErrNone
	case failed != nil:
		return nil, failed
	case len(readers) == 0:
		return nil, errors.New("there is no display here whose clipboard could be read; paste the path of an image's file instead")
	}
	var names []string
	for _, r := range readers {
		names = append(names, r.program)
	}
	return nil, fmt.Errorf("no program is here that reads images from the clipboard: install %s, or paste the path of an image's file", strings.Join(names, " or "))
}

// image asks one program.
func (r reader) image(ctx context.Context, path string, env []string) ([]byte, error) {
	media := ""
	if r.types != nil {
		listed, err := r.run(ctx, path, env, r.types)
		if err != nil {
			return nil, err
		}
		if media = best(strings.Fields(string(listed))); media == "" {
			return nil, ErrNone
		}
	}
	args := slices.Clone(r.take)
	for i := range args {
		args[i] = strings.Replace(args[i], "%s", media, 1)
	}
	out, err := r.run(ctx, path, env, args)
	if err == nil && r.decode != nil && len(bytes.TrimSpace(out)) > 0 {
		if out, err = r.decode(out); err != nil {
			err = fmt.Errorf("%s: %w", r.program, err)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(out)) == 0:
		return nil, ErrNone
	case len(out) > Largest:
		return nil, ErrLarge
	}
	return out, nil
}

// best is the type that is asked for; "" where there is no image.
func best(types []string) string {
	for _, media := range []string{"image/png", "image/jpeg", "image/webp", "image/gif"} {
		if slices.Contains(types, media) {
			return media
		}
	}
	return ""
}

// bounded keeps the beginning of what is written.
type bounded struct {
	bytes.Buffer
	most int
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(0, b.most-b.Len())
	b.more = b.more || len(p) > room
	b.Buffer.Write(p[:min(len(p), room)])
	return len(p), nil
}

const (
	coded    = 2*Largest + 1024 // bytes of an image as a program writes it
	grace    = 50 * time.Millisecond
	draining = 100 * time.Millisecond
)

// run runs the program and gives what it writes.
func (r reader) run(ctx context.Context, path string, env, args []string) ([]byte, error) {
	out, complaint := &bounded{most: coded}, &bounded{most: 4096}
	p, err := process.Start(process.Command{
		Argv: append([]string{path}, args...), Dir: "/", Env: env, Marker: fmt.Sprintf("%sclipboard-%p", process.Owner(), out), Err: complaint,
	}, out)
	if err != nil {
		return nil, fmt.Errorf("the clipboard cannot be read by %s: %w", r.program, err)
	}
	select {
	case <-p.Exited():
		p.Drain(draining, ctx.Done())
	case <-ctx.Done():
	}
	p.End(grace, nil)
	p.Close()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the clipboard was not read: %s gives no answer", r.program)
	case out.more:
		return nil, ErrLarge
	case p.Code() != 0:
		return nil, r.fault(p.Code(), complaint.String())
	}
	return out.Bytes(), nil
}

// fault is what a program means by its exit code: mostly that there is no
// image.
func (r reader) fault(code int, complaint string) error {
	first, _, _ := strings.Cut(strings.TrimSpace(complaint), "\n")
	low := strings.ToLower(complaint)
	for _, words := range []string{"nothing is copied", "no selection", "no suitable type", "not available", "no image data", "-1700"} {
		if strings.Contains(low, words) {
			return ErrNone
		}
	}
	return fmt.Errorf("the clipboard cannot be read: %s ended with exit code %d: %s", r.program, code, first)
}
