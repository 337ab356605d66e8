package mcp

import (
	"context"
	"net/http"
	"time"
)

// Config is one server: a program to start, or the address of one that runs.
type Config struct {
	Name string

	Command string // a program, found in PATH or relative to Cwd
	Args    []string
	Env     map[string]string // in addition to Options.Env
	Cwd     string            // "" is Options.Root

	URL     string
	Headers map[string]string
	SSE     bool // the older transport with two addresses; it is also tried where the newer one is not known

	StartTimeout time.Duration // for the start to be over; 0 is 30 seconds
	Timeout      time.Duration // for one call without a sign of progress; 0 is 60 seconds
	Disabled     bool          // not started
}

const (
	usualStart = 30 * time.Second
	usualCall  = time.Minute
)

func (c Config) startTimeout() time.Duration { return orElse(c.StartTimeout, usualStart) }
func (c Config) timeout() time.Duration      { return orElse(c.Timeout, usualCall) }

func orElse(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Options is what all servers share. The zero value works.
type Options struct {
	Version string          // of this program
	Root    string          // the workspace, told to servers as their root; "" tells none
	Env     func() []string // what programs get; keys of providers must not be in it
	Client  *http.Client    // nil is one of its own
	Now     func() time.Time
	Tokens  *Tokens // of servers that need a login; nil keeps none

	// Ask puts what a server wants to know to the person; nil declines all.
	Ask func(ctx context.Context, e Elicitation) (Reply, error)

	// Tell tells the person, in one line, of a server that does not work or
	// leaves something out. It may be called from any goroutine.
	Tell func(text string)
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (o Options) tell(text string) {
	if o.Tell != nil {
		o.Tell(text)
	}
}

func (o Options) client() *http.Client {
	if o.Client != nil {
		return o.Client
	}
	return &http.Client{}
}
