package provider

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/llm"
)

// window is what a local server tells of the window of one model. It is safe
// for concurrent use.
type window struct {
	told atomic.Pointer[reading] // nil: nothing is known

	mu    sync.Mutex
	asked bool
	again dialect // to be asked once more when the model is loaded; may be nil
	first reading // what holds if that tells nothing
}

// ask asks the server, if nobody has before. A round that was broken off by
// ctx does not count.
func (w *window) ask(ctx context.Context, s server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked {
		return
	}
	r, d := s.ask(ctx)
	if r.window == 0 && ctx.Err() != nil {
		return
	}
	w.asked, w.first = true, r
	if r.certainty != settled {
		w.again = d
	}
	if r.window > 0 && r.certainty != assumed {
		w.told.Store(&r)
	}
}

// answered asks once more, where that was left open: the model has begun to
// answer, so it is loaded, and now the server knows how large.
func (w *window) answered(ctx context.Context, s server) {
	w.mu.Lock()
	d, r := w.again, w.first
	w.again = nil
	w.mu.Unlock()
	if d == nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if now := d(limited, s); now.window > 0 {
		r = now
	} else if ctx.Err() != nil {
		w.mu.Lock()
		w.again = d
		w.mu.Unlock()
		return
	}
	w.told.Store(&r)
}

// over is info with the window that the server told, or that has to be assumed
// of it. The limit of an answer leaves half of the window, as
// [llm.Info.EffectiveInput] does, unless it was set by hand.
func (w *window) over(info llm.Info, limited bool) llm.Info {
	r := w.told.Load()
	if r == nil {
		return info
	}
	info.Window, info.Known = r.window, r.certainty != assumed
	if !limited {
		info.MaxOutput = min(info.MaxOutput, r.window/2)
	}
	return info
}

// windowOf is where the answer of the model's server is kept; nil if it is not
// to be asked: the settings say the window, or the catalogue does, or the
// address is not a local one.
func (d *Directory) windowOf(p config.Provider, info llm.Info) *window {
	if d.Settings.Config.Models[info.ID()].Context > 0 {
		return nil
	}
	if !servesLocally(info.Provider) && (info.Known || !local(p.BaseURL)) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w, ok := d.windows[info.ID()]
	if !ok {
		if d.windows == nil {
			d.windows = map[string]*window{}
		}
		w = &window{}
		d.windows[info.ID()] = w
	}
	return w
}

// servesLocally says that programs of that name run on people's own machines,
// wherever theirs may be.
func servesLocally(provider string) bool {
	switch provider {
	case "ollama", "lmstudio", "llamacpp", "vllm":
		return true
	}
	return false
}

// local says that the address is on this machine or in a private network: a
// loopback, private or link-local IP address, a name that is reserved for such
// networks, or one without a dot, which no public host has.
func local(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	for _, domain := range []string{".localhost", ".local", ".internal"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return host != "" && !strings.ContainsAny(host, ".:")
}

// WindowNote tells the person that the window of a model is not known and how
// to set it; "" if it is known. A local server is asked before the first
// request and may know better once it has begun to answer: the time for the
// note is after the first answer, with the Info of then.
func (d *Directory) WindowNote(info llm.Info) string {
	if info.Known {
		return ""
	}
	in := "the settings"
	if d.Settings.Dirs.Config != "" {
		in = d.Settings.Dirs.Settings()
	}
	return fmt.Sprintf("The context window of %s is not known, so %s tokens are assumed, %s of them for the answer; set models.%q.context (and .maxOutput) in %s to what the model has.",
		info.ID(), grouped(info.Window), grouped(info.MaxOutput), info.ID(), in)
}

// grouped is 128000 as "128,000".
func grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
