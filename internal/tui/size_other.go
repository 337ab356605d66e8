//go:build !unix

package tui

import "time"

// watchSize tells when the terminal has another size.
func (t *terminal) watchSize(resized chan<- struct{}, over <-chan struct{}) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	width, height := t.size()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if w, h := t.size(); w != width || h != height {
			width, height = w, h
			select {
			case resized <- struct{}{}:
			default: // it is known already
			}
		}
	}
}
