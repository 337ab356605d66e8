package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// refused is a connection that was not made.
type refused struct {
	host string
	addr netip.Addr
	what string
	zone zone
}

func (r *refused) Error() string {
	place := r.host + " is at " + r.addr.String()
	if r.host == r.addr.String() {
		place = r.host
	}
	if r.zone == never {
		return fmt.Sprintf("%s, %s; pages there are never fetched", place, r.what)
	}
	entry := r.addr.String()
	if r.zone == machine {
		entry = "localhost"
	}
	return fmt.Sprintf("%s, %s, and a name that leads there is not followed. If the person wants it, they can add %q to web.fetch.allow in their settings",
		place, r.what, entry)
}

// guarded is a transport for one call. It connects to what t names by itself,
// to public addresses, and to what r has; whatever a name means when it is
// used, what counts is the address that the connection is made to.
func guarded(base *http.Transport, resolver *net.Resolver, t target, r reach) *http.Transport {
	tr := own(base)
	dialer := net.Dialer{
		Timeout:  15 * time.Second,
		Resolver: resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			a := to.Addr()
			z, what := zoneOf(a)
			if z == public || z != never && (t.names(a) || r.has(a)) {
				return nil
			}
			return &refused{host: t.host, addr: a.WithZone("").Unmap(), what: what, zone: z}
		},
	}
	tr.DialContext = dialer.DialContext
	tr.Proxy = nil
	return tr
}

// proxied is a transport for one call through a proxy, which may be anywhere.
func proxied(base *http.Transport, proxy *url.URL) *http.Transport {
	tr := own(base)
	tr.Proxy = http.ProxyURL(proxy)
	return tr
}

// own is a copy of a transport with connections of its own.
func own(base *http.Transport) *http.Transport {
	tr := base.Clone()
	tr.DialTLSContext = nil
	tr.DisableCompression = false
	tr.ForceAttemptHTTP2 = true
	tr.MaxResponseHeaderBytes = 256 << 10
	return tr
}
