package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// watch is an answer's body with a watchdog: it cancels the request when no
// byte came for too long. Only waiting counts; a reader that takes its time
// between two reads is not the provider's fault.
type watch struct {
	body   io.Reader
	cancel context.CancelCauseFunc
	timer  *time.Timer // nil while there is no limit
	idle   time.Duration
	began  bool // a byte came
}

// stall is the cause of a request's end when the watchdog bit.
type stall struct {
	limit time.Duration
	began bool
}

func (s stall) Error() string {
	if s.began {
		return fmt.Sprintf("nothing came for %v", s.limit)
	}
	return fmt.Sprintf("no answer began within %v", s.limit)
}

// limit is d, or the default for 0; below 0 it is 0, no limit.
func limit(d, byDefault time.Duration) time.Duration {
	if d == 0 {
		return byDefault
	}
	return max(d, 0)
}

// newWatch begins to wait for the first byte.
func newWatch(cancel context.CancelCauseFunc, first, idle time.Duration) *watch {
	w := &watch{cancel: cancel, idle: idle}
	if first > 0 {
		w.timer = time.AfterFunc(first, func() { cancel(stall{limit: first}) })
	}
	return w
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Read reads from the body while the watchdog waits.
func (w *watch) Read(p []byte) (int, error) {
	if w.began && w.idle > 0 {
		w.timer.Reset(w.idle)
	}
	n, err := w.body.Read(p)
	if n > 0 || err != nil {
		w.stop()
	}
	if n > 0 && !w.began {
		w.began = true
		if w.idle > 0 {
			w.timer = time.AfterFunc(w.idle, func() { w.cancel(stall{w.idle, true}) })
			w.timer.Stop()
		}
	}
	return n, err
}

// drain reads what little may be left, so that the connection can be used
// again, and gives up soon.
func (w *watch) drain() {
	w.stop()
	t := time.AfterFunc(50*time.Millisecond, func() { w.cancel(nil) })
	defer t.Stop()
	_, _ = io.CopyN(io.Discard, w.body, 64<<10)
}

// badCertificate says whether the way there is barred by a certificate, or by
// a server that has none, which asking again does not change.
func badCertificate(err error) bool {
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &name) ||
		errors.As(err, &invalid) || errors.As(err, &plain) || errors.Is(err, http.ErrSchemeMismatch)
}
