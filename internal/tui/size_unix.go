//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSize tells when the terminal has another size.
func (t *terminal) watchSize(resized chan<- struct{}, over <-chan struct{}) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	defer signal.Stop(signals)
	for {
		select {
		case <-over:
			return
		case <-signals:
		}
		select {
		case resized <- struct{}{}:
		default: // it is known already
		}
	}
}
