//go:build linux || darwin

package clipboard_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/internal/clipboard"
)

const picture = "\x89PNG\r\n\x1a\n and the rest\n"

// with is a PATH on which there are these programs, each a shell script.
func with(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "picture"), []byte(picture), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, script := range programs {
		script = "#!/bin/sh\n" + strings.ReplaceAll(script, "PICTURE", filepath.Join(dir, "picture")) + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir + ":/bin:/usr/bin"
}

func TestImage(t *testing.T) {
	const (
		wayland = `case "$*" in --list-types) printf 'text/html\nimage/jpeg\nimage/png\n';; "--no-newline --type image/png") cat PICTURE;; *) exit 9;; esac`
		x11     = `case "$*" in *TARGETS) printf 'TIMESTAMP\nimage/jpeg\n';; "-selection clipboard -out -target image/jpeg") cat PICTURE;; *) exit 9;; esac`
		fails   = `echo "Error: Can't open display: :7" >&2; exit 1`
	)
	encoded := base64.StdEncoding.EncodeToString([]byte(picture))
	apple := "«data PNGf" + strings.ToUpper(hex.EncodeToString([]byte(picture))) + "»"
	for name, c := range map[string]struct {
		system   string
		env      string
		programs map[string]string
		want     string // of the error
	}{
		"wayland":                 {"linux", "WAYLAND_DISPLAY=w", map[string]string{"wl-paste": wayland}, ""},
		"x11, and another type":   {"linux", "DISPLAY=:0", map[string]string{"xclip": x11}, ""},
		"x11 where wayland fails": {"linux", "WAYLAND_DISPLAY=w DISPLAY=:0", map[string]string{"wl-paste": fails, "xclip": x11}, ""},
		"freebsd":                 {"freebsd", "DISPLAY=:0", map[string]string{"xclip": x11}, ""},
		"within windows":          {"linux", "WSL_DISTRO_NAME=d", map[string]string{"powershell.exe": "echo " + encoded}, ""},
		"windows":                 {"windows", "", map[string]string{"powershell.exe": "echo " + encoded}, ""},
		"pngpaste":                {"darwin", "", map[string]string{"pngpaste": "cat PICTURE"}, ""},
		"osascript":               {"darwin", "", map[string]string{"osascript": "echo '" + apple + "'"}, ""},
		"osascript after pngpaste": {"darwin", "", map[string]string{
			"pngpaste": "echo 'pngpaste: No image data found on the clipboard' >&2; exit 1", "osascript": "echo '" + apple + "'",
		}, ""},

		"text":                {"linux", "WAYLAND_DISPLAY=w", map[string]string{"wl-paste": "echo text/plain"}, "there is no image"},
		"nothing":             {"linux", "WAYLAND_DISPLAY=w", map[string]string{"wl-paste": "echo Nothing is copied >&2; exit 1"}, "there is no image"},
		"text, and a failure": {"linux", "WAYLAND_DISPLAY=w DISPLAY=:0", map[string]string{"wl-paste": "echo text/plain", "xclip": fails}, "there is no image"},
		"no selection":        {"linux", "DISPLAY=:0", map[string]string{"xclip": "echo 'Error: target TARGETS not available' >&2; exit 1"}, "there is no image"},
		"failure":             {"linux", "DISPLAY=:7", map[string]string{"xclip": fails}, "xclip ended with exit code 1: Error: Can't open display: :7"},
		"no program":          {"linux", "WAYLAND_DISPLAY=w DISPLAY=:0", nil, "install wl-paste or xclip, or paste the path"},
		"no display":          {"linux", "", map[string]string{"xclip": x11}, "no display here"},
		"powershell, nothing": {"windows", "", map[string]string{"powershell.exe": "echo"}, "there is no image"},
		"powershell, junk":    {"windows", "", map[string]string{"powershell.exe": "echo 'not base64!'"}, "powershell.exe: illegal base64"},
		"osascript, nothing":  {"darwin", "", map[string]string{"osascript": "echo 'execution error: (-1700)' >&2; exit 1"}, "there is no image"},
		"osascript, junk":     {"darwin", "", map[string]string{"osascript": "echo words"}, "something else than an image"},
		"far too large":       {"darwin", "", map[string]string{"pngpaste": "head -c 34000000 /dev/zero"}, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append(strings.Fields(c.env), with(t, c.programs))
			if c.programs == nil {
				env = append(strings.Fields(c.env), "PATH="+t.TempDir())
			}
			data, err := clipboard.Image(t.Context(), clipboard.System{OS: c.system, Env: env})
			switch {
			case c.want == "" && (err != nil || string(data) != picture):
				t.Errorf("%q, %v", data, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A program that hangs, and what it started, is ended in time.
func TestHangs(t *testing.T) {
	env := []string{"WAYLAND_DISPLAY=w", with(t, map[string]string{"wl-paste": "sleep 600 & sleep 600"})}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := clipboard.Image(ctx, clipboard.System{OS: "linux", Env: env})
	if err == nil || !strings.Contains(err.Error(), "wl-paste gives no answer") || errors.Is(err, clipboard.ErrNone) {
		t.Error(err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
