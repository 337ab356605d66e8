package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// IDs brings call ids into the form that a provider takes. The same history
// gets the same ids every time, each of them once, and an id never depends on
// what comes after it.
type IDs struct {
	Max   int               // the longest id
	Exact bool              // ids are of just that length, letters and digits only
	Any   bool              // any character may be in an id
	sent  map[string]string // by the id in the history
	used  map[string]bool
}

// Call gives the id to send for a call of that id, whose provider's own id,
// if it is that of the provider asked now, is own.
func (x *IDs) Call(id, own string) string {
	if x.sent == nil {
		x.sent, x.used = map[string]string{}, map[string]bool{}
	}
	fit := own
	if fit == "" || x.used[fit] || !x.fits(fit) {
		fit = id
	}
	for n := 0; x.used[fit] || !x.fits(fit); n++ {
		fit = x.shape(id, n)
	}
	x.sent[id], x.used[fit] = fit, true
	return fit
}

// Result gives the id that was sent for the call.
func (x *IDs) Result(id string) string { return x.sent[id] }

func (x *IDs) fits(id string) bool {
	if id == "" || len(id) > x.Max || x.Exact && len(id) != x.Max {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool { return !x.takes(r) }) < 0
}

func (x *IDs) takes(r rune) bool {
	alnum := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return alnum || !x.Exact && (r == '_' || r == '-' || x.Any)
}

// shape makes an id out of one that does not fit: what can stay of it, and a
// piece of its hash, so that two that look alike stay apart.
func (x *IDs) shape(id string, n int) string {
	sum := sha256.Sum256([]byte(id + "\x00" + strconv.Itoa(n)))
	hash := hex.EncodeToString(sum[:])
	if x.Exact {
		return hash[:x.Max]
	}
	clean := cleaned(id, x.takes)
	return clean[:min(len(clean), x.Max-9)] + "_" + hash[:8]
}

// Name brings a tool's name into the form ^[a-zA-Z0-9_-]{1,64}$. Names of
// tools that exist have it already; what a model made up may not.
func Name(name string) string {
	name = cleaned(name, (&IDs{}).takes)
	return name[:min(len(name), 64)]
}

func cleaned(s string, takes func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && takes(r) {
			return r
		}
		return '_'
	}, s)
}
