package complete

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const (
	mostFiles     = 200_000
	firstAnnounce = 128   // entries known; then at each doubling
	smallestPart  = 8_192 // entries worth a goroutine
)

// Walk visits what is below a directory and not ignored, what is nearer
// first, until visit gives false or ctx is done: paths below root, with
// slashes.
type Walk func(ctx context.Context, root string, visit func(path string, isDir bool) bool)

// Files is the files and directories of a workspace, to be found by a few
// letters of their path. It is safe for concurrent use.
type Files struct {
	root    string
	walk    Walk
	updated chan struct{}

	mu     sync.Mutex
	known  []file
	state  State
	ever   bool // a walk came to its end
	closed bool
	cancel context.CancelFunc // of the walk that runs
	done   chan struct{}      // closed when it has ended
}

type file struct {
	path string // of a directory with a slash at its end
	mask uint64
}

// State says how much is known.
type State struct {
	Known   int  // files and directories
	Walking bool // a walk is under way
	Capped  bool // there are more than 200,000, and the rest is left out
}

// NewFiles is the files below root, an absolute path, of which nothing is
// known before the first [Files.Refresh].
func NewFiles(root string, walk Walk) *Files {
	return &Files{root: root, walk: walk, updated: make(chan struct{}, 1)}
}

// Refresh begins to look in the background for what is there now, unless that
// is going on. What the first walk finds can be found at once; a later one
// replaces what was known when it ends. It ends early with ctx, which is to
// last as long as the program does, and with [Files.Close].
func (f *Files) Refresh(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.state.Walking {
		return
	}
	ctx, f.cancel = context.WithCancel(ctx)
	f.done = make(chan struct{})
	f.state.Walking = true
	go f.run(ctx, f.done, f.ever)
}

func (f *Files) run(ctx context.Context, done chan struct{}, apart bool) {
	defer close(done)
	var fresh []file
	capped := false
	announce := firstAnnounce
	f.walk(ctx, f.root, func(path string, isDir bool) bool {
		if len(fresh) == mostFiles {
			capped = true
			return false
		}
		if isDir {
			path += "/"
		}
		fresh = append(fresh, file{path, maskOf(path)})
		if !apart {
			f.mu.Lock()
			f.known = fresh
			f.state.Known = len(fresh)
			f.mu.Unlock()
			if len(fresh) == announce {
				announce *= 2
				f.announce()
			}
		}
		return ctx.Err() == nil
	})
	f.mu.Lock()
	if whole := ctx.Err() == nil; whole || !apart {
		f.known, f.ever = fresh, f.ever || whole
		f.state.Known, f.state.Capped = len(fresh), capped
	}
	f.state.Walking = false
	f.cancel()
	f.mu.Unlock()
	f.announce()
}

func (f *Files) announce() {
	select {
	case f.updated <- struct{}{}:
	default: // one is waiting
	}
}

// Updated has an element when more is known than when the last was taken. It
// is for one reader, which asks Find again.
func (f *Files) Updated() <-chan struct{} { return f.updated }

// State says how much is known at the moment.
func (f *Files) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// Find is the n best matches among what is known so far, as [Match] gives
// them, for "" the nearest to the root. Directories end with a slash. It
// waits for nothing.
func (f *Files) Find(query string, n int) []Scored {
	f.mu.Lock()
	known := f.known // it only grows, or is replaced
	f.mu.Unlock()
	query = strings.TrimPrefix(query, "./")
	if strings.TrimSpace(query) == "" {
		var nearest []Scored
		for i, file := range known[:min(n, len(known))] {
			nearest = append(nearest, Scored{file.path, i, 0})
		}
		return nearest
	}
	parts := make([][]Scored, min(runtime.GOMAXPROCS(0), len(known)/smallestPart+1))
	var all sync.WaitGroup
	for p := range parts {
		from, to := p*len(known)/len(parts), (p+1)*len(known)/len(parts)
		all.Go(func() { parts[p] = bestOf(known[from:to], from, query, n) })
	}
	all.Wait()
	best := slices.Concat(parts...)
	slices.SortFunc(best, better)
	return best[:min(n, len(best))]
}

// bestOf is the n best matches among files, the first of which is number
// first of all.
func bestOf(files []file, first int, query string, n int) []Scored {
	m := newMatcher(query)
	var best []Scored
	for i, file := range files {
		if m.mask&^file.mask != 0 {
			continue
		}
		score, ok := m.score(file.path)
		if !ok {
			continue
		}
		s := Scored{file.path, first + i, score}
		at, _ := slices.BinarySearchFunc(best, s, better)
		if at == n {
			continue
		}
		if len(best) == n {
			best = best[:n-1]
		}
		best = slices.Insert(best, at, s)
	}
	return best
}

// Close ends the walk that is under way and waits for it. Find goes on
// answering from what is known.
func (f *Files) Close() {
	f.mu.Lock()
	f.closed = true
	done := f.done
	if f.cancel != nil {
		f.cancel()
	}
	f.mu.Unlock()
	if done != nil {
		<-done
	}
}
