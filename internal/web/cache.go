package web

import (
	"net/url"
	"sync"
	"time"
)

// The bounds of what is kept.
const (
	keepFor   = 15 * time.Minute
	keepBytes = 16 << 20
	keepPages = 50
)

// cache keeps documents for a while. It is safe for concurrent use.
type cache struct {
	now     func() time.Time // nil keeps nothing
	mu      sync.Mutex
	entries []entry // oldest first
	bytes   int
}

type entry struct {
	key      string
	until    time.Time
	document document
}

func (c *cache) get(key string) (document, bool) {
	if c.now == nil {
		return document{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	for _, e := range c.entries {
		if e.key == key {
			return e.document, true
		}
	}
	return document{}, false
}

func (c *cache) put(key string, d document) {
	if c.now == nil || len(d.body) > keepBytes/2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key == key {
			c.bytes -= len(e.document.body)
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			break
		}
	}
	c.entries = append(c.entries, entry{key, c.now().Add(keepFor), d})
	c.bytes += len(d.body)
	c.forget()
}

// forget drops what is too old or too much, oldest first.
func (c *cache) forget() {
	now := c.now()
	for len(c.entries) > 0 && (len(c.entries) > keepPages || c.bytes > keepBytes || !now.Before(c.entries[0].until)) {
		c.bytes -= len(c.entries[0].document.body)
		c.entries = append([]entry(nil), c.entries[1:]...)
	}
}

// withFragment is the address of a document with the fragment that is asked
// for now.
func withFragment(u, asked *url.URL) *url.URL {
	out := *u
	if asked.Fragment != "" {
		out.Fragment, out.RawFragment = asked.Fragment, asked.RawFragment
	}
	return &out
}
