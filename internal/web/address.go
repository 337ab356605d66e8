package web

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// zone is where an address is.
type zone int

const (
	public  zone = iota
	machine      // this machine
	private      // a network that is not the internet
	never        // not fetched from, whatever is set
)

// zoneOf is where the address is, and what it is called there. Addresses that
// carry an IPv4 address within them are what that one is.
func zoneOf(a netip.Addr) (zone, string) {
	a = a.WithZone("").Unmap()
	if inner, ok := embedded(a); ok {
		a = inner
	}
	if isMetadata(a) {
		return never, "where a cloud keeps the credentials of a machine"
	}
	switch {
	case a.IsLoopback():
		return machine, "this machine"
	case a.IsUnspecified(), in(a, "0.0.0.0/8"):
		return machine, "this machine"
	case a.IsLinkLocalUnicast():
		return never, "a link-local address, as clouds use them for credentials"
	case a.IsMulticast(), in(a, "240.0.0.0/4"):
		return never, "no address of one machine"
	case a.IsPrivate(), in(a, "fec0::/10"):
		return private, "an address in a private network"
	case in(a, "100.64.0.0/10"):
		return private, "an address in a provider's own network"
	case in(a, "198.18.0.0/15", "192.0.0.0/24", "64:ff9b:1::/48"):
		return private, "an address in a private network"
	case in(a, "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20", "2001::/32"):
		return never, "no address of the internet"
	case a.Is6() && !in(a, "2000::/3"):
		return never, "no address of the internet"
	}
	return public, "a public address"
}

func in(a netip.Addr, networks ...string) bool {
	return slices.ContainsFunc(networks, func(n string) bool { return netip.MustParsePrefix(n).Contains(a) })
}

// embedded is the IPv4 address that an IPv6 address stands for: by NAT64,
// 6to4, or one of the old ways to write one.
func embedded(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return a, false
	}
	b := a.As16()
	switch {
	case in(a, "64:ff9b::/96", "::ffff:0:0:0/96"):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case in(a, "::/96") && !a.IsLoopback() && !a.IsUnspecified():
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case in(a, "2002::/16"):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return a, false
}

// isMetadata is whether a machine in some cloud gets its credentials there.
// The link-local ones are refused as such.
func isMetadata(a netip.Addr) bool {
	switch a.String() {
	case "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42":
		return true
	}
	return false
}

// reach is what may be fetched from besides public addresses.
type reach struct {
	networks []netip.Prefix
	machine  bool // this machine, by whatever address
}

func (r reach) has(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if z, _ := zoneOf(a); z == machine && r.machine {
		return true
	}
	return slices.ContainsFunc(r.networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// newReach reads entries: "localhost", addresses, networks.
func newReach(entries []string) (reach, error) {
	var r reach
	for _, e := range entries {
		n, ok := network(e)
		switch {
		case isLocalName(e):
			r.machine = true
		case ok:
			r.networks = append(r.networks, n)
		default:
			return r, fmt.Errorf("%q is no address: write localhost, an address such as 10.1.2.3, or a network such as 10.0.0.0/8", e)
		}
	}
	return r, nil
}

func network(s string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked(), true
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Prefix{}, false
	}
	a = a.WithZone("").Unmap()
	return netip.PrefixFrom(a, a.BitLen()), true
}

// SplitAllowed takes the entries of the setting web.fetch.allow apart: hosts,
// as the rule web_fetch(domain:HOST) names them, which need no question, and
// what goes into Options.Reach: localhost, addresses and networks. An address
// and localhost are both.
func SplitAllowed(entries []string) (hosts, reachable []string) {
	for _, e := range entries {
		e = strings.ToLower(strings.TrimSpace(e))
		n, isNetwork := network(e)
		if isNetwork || isLocalName(e) {
			reachable = append(reachable, e)
		}
		if !isNetwork || n.IsSingleIP() && !strings.Contains(e, "/") {
			hosts = append(hosts, e)
		}
	}
	return hosts, reachable
}

// isLocalName is whether a name means this machine wherever it is used.
func isLocalName(host string) bool {
	switch host {
	case "localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(host, ".localhost")
}

// isMetadataName is whether a name means a cloud's own server of
// credentials.
func isMetadataName(host string) bool {
	switch host {
	case "metadata.google.internal", "metadata.goog", "metadata", "instance-data", "instance-data.ec2.internal":
		return true
	}
	return false
}

// numeric reads a host that browsers take for an IPv4 address: 127.1,
// 2130706433 and 0x7f.0.0.1 are all 127.0.0.1. Looks is whether it looks like
// one.
func numeric(host string) (a netip.Addr, looks bool, err error) {
	parts := strings.Split(host, ".")
	if last := parts[len(parts)-1]; !isNumber(last) {
		return a, false, nil
	}
	bad := fmt.Errorf("the host %q looks like an address, and is none", host)
	if len(parts) > 4 {
		return a, true, bad
	}
	var value uint64
	for i, part := range parts {
		n, ok := number(part)
		room := uint64(256)
		if i == len(parts)-1 {
			room = 1 << (8 * (5 - len(parts)))
		}
		if !ok || n >= room {
			return a, true, bad
		}
		value = value*room + n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true, nil
}

func isNumber(s string) bool {
	if s == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(s, "0123456789") == ""
}

func number(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 33)
	return n, err == nil
}
