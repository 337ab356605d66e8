package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/minicode-go/minicode/internal/process"
	"github.com/minicode-go/minicode/tool"
)

// Servers is all servers of a conversation. It is safe for concurrent use.
type Servers struct {
	all     []*server
	came    atomic.Int32
	started atomic.Int32
	begun   sync.Once
}

// New is the servers of these settings. Nothing is started yet.
func New(configs []Config, o Options) *Servers {
	v := &Servers{}
	for _, c := range configs {
		s := &server{Config: c, o: o, status: Waiting, order: func() int { return int(v.came.Add(1)) }, marker: v.marker}
		if c.Disabled {
			s.status = Disabled
		}
		v.all = append(v.all, s)
	}
	return v
}

func (v *Servers) prefix() string { return fmt.Sprintf("%smcp%p.", process.Owner(), v) }

func (v *Servers) marker() string { return fmt.Sprintf("%s%d", v.prefix(), v.started.Add(1)) }

// Start begins to connect to all servers, side by side, and returns at once.
// A second call does nothing.
func (v *Servers) Start() {
	v.begun.Do(func() {
		for _, s := range v.all {
			s.begin()
		}
	})
}

// Wait waits until every server that was started is there or has failed, or
// ctx ends. It names those that it did not wait for.
func (v *Servers) Wait(ctx context.Context) (late []string) {
	for _, s := range v.all {
		s.mu.Lock()
		ready := s.ready
		s.mu.Unlock()
		if ready == nil {
			continue
		}
		select {
		case <-ready:
		case <-ctx.Done():
			late = append(late, s.Name)
		}
	}
	return late
}

// Tools is the tools of the servers that are there by now: those of each
// sorted by name, the servers in the order in which they came, so that what is
// late stands behind what the model has seen.
func (v *Servers) Tools() []tool.Tool {
	type group struct {
		place int
		tools []tool.Tool
	}
	var groups []group
	helpers := false
	for _, s := range v.all {
		s.mu.Lock()
		if s.place > 0 && s.status != Disabled {
			groups = append(groups, group{s.place, s.offered.tools})
			helpers = helpers || s.offered.helps()
		}
		s.mu.Unlock()
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.place, b.place) })
	var out []tool.Tool
	for _, g := range groups {
		out = append(out, g.tools...)
	}
	if helpers {
		out = append(out, v.helpers()...)
	}
	return out
}

// States is every server as a person is shown it, in the order of the
// settings.
func (v *Servers) States() []State {
	out := make([]State, len(v.all))
	for i, s := range v.all {
		out[i] = s.state()
	}
	return out
}

// Names is the names of all servers.
func (v *Servers) Names() []string {
	out := make([]string, len(v.all))
	for i, s := range v.all {
		out[i] = s.Name
	}
	return out
}

func (v *Servers) find(name string) (*server, error) {
	for _, s := range v.all {
		if s.Name == name {
			return s, nil
		}
	}
	if len(v.all) == 0 {
		return nil, fmt.Errorf("no MCP server %q: none is configured", name)
	}
	return nil, fmt.Errorf("no MCP server %q; there are %s", name, strings.Join(v.Names(), ", "))
}

// Reconnect ends the session of a server and makes a new one, also where it
// was disabled or has failed for good. It waits for what comes of it.
func (v *Servers) Reconnect(ctx context.Context, name string) error {
	s, err := v.find(name)
	if err != nil {
		return err
	}
	s.hangUp()
	s.mu.Lock()
	s.fails, s.told = 0, nil
	if s.status != Connecting {
		s.status = Waiting
	}
	s.mu.Unlock()
	_, err = s.active(ctx)
	return err
}

// Disable ends a server until it is connected again by [Servers.Reconnect].
func (v *Servers) Disable(name string) error {
	s, err := v.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.status, s.fault = Disabled, ""
	s.mu.Unlock()
	s.hangUp()
	return nil
}

// Close ends all servers, and all that they have started.
func (v *Servers) Close() {
	var wait sync.WaitGroup
	for _, s := range v.all {
		wait.Go(s.close)
	}
	wait.Wait()
	process.EndMarked(v.prefix())
}

// fileURI is a path as an address.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
