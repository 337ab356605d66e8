// Package clipboard takes an image from the system's clipboard, by whichever
// program is there to read it: wl-paste, xclip, pngpaste, osascript or
// PowerShell.
//
//	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
//	defer cancel()
//	data, err := clipboard.Image(ctx, clipboard.System{OS: runtime.GOOS, Env: os.Environ()})
//
// Invariant: when Image has returned, no program that it started is left, and
// it has returned when ctx is done. Its errors say what a person can do.
//
// It reads no text, which terminals paste by themselves, and writes nothing.
// Whether the bytes are an image that can be sent is for its caller to find
// out.
package clipboard
