package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// target is an address that can be fetched.
type target struct {
	url  *url.URL   // host in its plain form
	host string     // without port and brackets, as rules name it
	addr netip.Addr // where the host is an address
}

// maxURL is the longest address that is fetched, in bytes.
const maxURL = 8000

// newTarget reads an address as browsers do, so that a host has one name here
// whatever way it is written.
func newTarget(raw string) (target, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return target{}, fmt.Errorf("is %d bytes long, over %d", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return target{}, fmt.Errorf("is not an address: %w", err)
	}
	switch u.Scheme {
	case "http", "https":
	case "":
		return target{}, fmt.Errorf("has no scheme; write https://%s", strings.TrimLeft(raw, "/"))
	case "file":
		return target{}, errors.New("is a file; use read_file")
	default:
		if u.Opaque != "" && strings.Trim(u.Opaque[:1], "0123456789") == "" { // example.com:8080
			return target{}, fmt.Errorf("has no scheme; write https://%s", raw)
		}
		return target{}, fmt.Errorf("has the scheme %s; only http and https can be fetched", u.Scheme)
	}
	if u.User != nil {
		return target{}, fmt.Errorf("has a name or password before the @, which is not sent; the host is %s", u.Hostname())
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return target{}, fmt.Errorf("has the port %s; ports go from 1 to 65535", port)
		}
	}
	return newHost(u)
}

// newHost brings the host of an address into its plain form.
func newHost(u *url.URL) (target, error) {
	host := strings.ToLower(u.Hostname())
	if host == "" {
		return target{}, errors.New("has no host; write https://HOST/PATH")
	}
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(host)
		if err != nil {
			return target{}, fmt.Errorf("has the host %q, which is no IPv6 address", host)
		}
		return withHost(u, a.String(), a), nil
	}
	if strings.IndexFunc(host, func(r rune) bool { return r >= 0x80 }) >= 0 {
		plain, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return target{}, fmt.Errorf("has the host %q, which is no name of a host", host)
		}
		host = plain
	}
	host = strings.TrimSuffix(host, ".")
	a, looks, err := numeric(host)
	switch {
	case err != nil:
		return target{}, fmt.Errorf("is not an address: %w", err)
	case looks:
		return withHost(u, a.String(), a), nil
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return target{}, fmt.Errorf("has the host %q, which is no name of a host", host)
		}
	}
	if len(host) > 253 {
		return target{}, errors.New("has a host of more than 253 characters")
	}
	return withHost(u, host, netip.Addr{}), nil
}

func withHost(u *url.URL, host string, a netip.Addr) target {
	plain := *u
	plain.Host = host
	if a.Is6() {
		plain.Host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != defaultPort(u.Scheme) {
		plain.Host = net.JoinHostPort(host, port)
	}
	return target{url: &plain, host: host, addr: a}
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// zone is where the host is, as far as its name tells.
func (t target) zone() (zone, string) {
	switch {
	case t.addr.IsValid():
		return zoneOf(t.addr)
	case isMetadataName(t.host):
		return never, "where a cloud keeps the credentials of a machine"
	case isLocalName(t.host):
		return machine, "this machine"
	}
	return public, ""
}

// names is whether the host means the address by itself. All names of this
// machine are one.
func (t target) names(a netip.Addr) bool {
	if z, _ := t.zone(); z == machine {
		z, _ = zoneOf(a)
		return z == machine
	}
	return t.addr.IsValid() && t.addr.WithZone("").Unmap() == a.WithZone("").Unmap()
}

// follows is whether a redirect from t leads to next without another question
// being due: to the same host, and not from TLS to none.
func (t target) follows(next target) bool {
	if t.host != next.host {
		return false
	}
	from, to := port(t.url), port(next.url)
	return t.url.Scheme == next.url.Scheme && from == to || t.url.Scheme == "http" && next.url.Scheme == "https" && from == "80" && to == "443"
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u.Scheme)
}

// shown is the address without its fragment.
func (t target) shown() string {
	u := *t.url
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// quoted is the address as a word of a shell.
func (t target) quoted() string { return "'" + strings.ReplaceAll(t.shown(), "'", "%27") + "'" }
