package web

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestZoneOf(t *testing.T) {
	for want, addresses := range map[zone][]string{
		public:  {"8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "2606:2800:220:1::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1"},
		machine: {"127.0.0.1", "127.255.255.254", "::1", "0.0.0.0", "0.1.2.3", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1", "2002:7f00:1::"},
		private: {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "198.18.0.1", "192.0.0.8", "fd12::1", "fc00::1", "fec0::1", "::ffff:10.1.2.3", "64:ff9b::a01:203", "64:ff9b:1::1", "2002:c0a8:101::1"},
		never: {
			"169.254.169.254", "169.254.170.2", "169.254.1.1", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "100.100.100.200", "168.63.129.16",
			"192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "224.0.0.1", "255.255.255.255", "240.0.0.1", "ff02::1", "192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::1", "2001:0:1::1", "100::1", "5f00::1",
		},
	} {
		for _, a := range addresses {
			if got, what := zoneOf(netip.MustParseAddr(a)); got != want || what == "" {
				t.Errorf("zoneOf(%s) = %d (%s), want %d", a, got, what, want)
			}
		}
	}
}

func TestReach(t *testing.T) {
	r, err := newReach([]string{"10.0.0.0/8", "192.168.1.7", "fd00::/8", "[fd99::1]"})
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[string]bool{"10.9.9.9": true, "::ffff:10.9.9.9": true, "192.168.1.7": true, "192.168.1.8": false, "fd01::1": true, "127.0.0.1": false, "::1": false} {
		if got := r.has(netip.MustParseAddr(a)); got != want {
			t.Errorf("has(%s) = %v", a, got)
		}
	}
	r, err = newReach([]string{"localhost"})
	if err != nil || !r.has(netip.MustParseAddr("127.0.0.9")) || !r.has(netip.MustParseAddr("::1")) || r.has(netip.MustParseAddr("10.0.0.1")) {
		t.Errorf("localhost: %+v, %v", r, err)
	}
	for _, bad := range []string{"", "example.com", "10.0.0.0/99", "*"} {
		if _, err := newReach([]string{bad}); err == nil || !strings.Contains(err.Error(), "10.0.0.0/8") {
			t.Errorf("newReach(%q): %v", bad, err)
		}
	}
}

func TestSplitAllowed(t *testing.T) {
	hosts, reach := SplitAllowed([]string{"Docs.example.com", "*.go.dev", "localhost", "10.1.2.3", "10.0.0.0/8", "fd00::1", "10.1.2.3/32"})
	if diff := cmp.Diff([]string{"docs.example.com", "*.go.dev", "localhost", "10.1.2.3", "fd00::1"}, hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"localhost", "10.1.2.3", "10.0.0.0/8", "fd00::1", "10.1.2.3/32"}, reach); diff != "" {
		t.Errorf("reach (-want +got):\n%s", diff)
	}
	if _, err := newReach(reach); err != nil {
		t.Errorf("what is split off cannot be used: %v", err)
	}
}

// TestTarget is of the one name that a host has whatever way it is written.
func TestTarget(t *testing.T) {
	for raw, want := range map[string]string{
		"https://example.com":                         "https://example.com example.com",
		" HTTPS://Example.COM./a?b=c#d ":              "https://example.com/a?b=c#d example.com",
		"http://example.com:80/":                      "http://example.com/ example.com",
		"https://example.com:443/":                    "https://example.com/ example.com",
		"http://example.com:8080/":                    "http://example.com:8080/ example.com",
		"https://bücher.example/ü":                    "https://xn--bcher-kva.example/%C3%BC xn--bcher-kva.example",
		"https://ＥＸＡＭＰＬＥ．com/":                        "https://example.com/ example.com",
		"http://１２７.0.0.1/":                           "http://127.0.0.1/ 127.0.0.1",
		"http://2130706433/":                          "http://127.0.0.1/ 127.0.0.1",
		"http://0x7f000001/":                          "http://127.0.0.1/ 127.0.0.1",
		"http://0177.0.0.01/":                         "http://127.0.0.1/ 127.0.0.1",
		"http://127.1/":                               "http://127.0.0.1/ 127.0.0.1",
		"http://127.0.1/":                             "http://127.0.0.1/ 127.0.0.1",
		"http://0x/":                                  "http://0.0.0.0/ 0.0.0.0",
		"http://0/":                                   "http://0.0.0.0/ 0.0.0.0",
		"http://127.0.0.1.:81/":                       "http://127.0.0.1:81/ 127.0.0.1",
		"http://[::1]:8080/":                          "http://[::1]:8080/ ::1",
		"http://[0:0:0:0:0:0:0:1]/":                   "http://[::1]/ ::1",
		"http://[::FFFF:127.0.0.1]/":                  "http://[::ffff:127.0.0.1]/ ::ffff:127.0.0.1",
		"http://foo_bar.example/":                     "http://foo_bar.example/ foo_bar.example",
		"http://localhost./":                          "http://localhost/ localhost",
		"https://docs.site.com.evil.example/a":        "https://docs.site.com.evil.example/a docs.site.com.evil.example",
		"https://example.com/?u=https://other.test/@": "https://example.com/?u=https://other.test/@ example.com",
	} {
		got, err := newTarget(raw)
		if err != nil {
			t.Errorf("%q %v", raw, err)
			continue
		}
		if text := got.url.String() + " " + got.host; text != want {
			t.Errorf("%q = %s, want %s", raw, text, want)
		}
	}
	for raw, want := range map[string]string{
		"":                                     "no scheme",
		"example.com/x":                        "write https://example.com/x",
		"//example.com/x":                      "write https://example.com/x",
		"example.com:8080/x":                   "write https://example.com:8080/x",
		"localhost:3000":                       "write https://localhost:3000",
		"file:///etc/passwd":                   "use read_file",
		"ftp://example.com/":                   "only http and https",
		"javascript:alert(1)":                  "only http and https",
		"data:text/html,x":                     "only http and https",
		"https://":                             "no host",
		"https:///path":                        "no host",
		"https://:80/":                         "no host",
		"https://good.example@evil.example/":   "the host is evil.example",
		"https://good.example\\@evil.example/": "is not an address",
		"https://a b/":                         "is not an address",
		"https://exa\x00mple.com/":             "is not an address",
		"https://example.com:0/":               "port",
		"https://example.com:65536/":           "port",
		"https://example.com:x/":               "is not an address",
		"https://a..b/":                        "no name of a host",
		"https://exa$mple.com/":                "no name of a host",
		"https://" + strings.Repeat("a", 64) + ".com/":     "no name of a host",
		"https://256.1.1.1/":                               "is none",
		"https://1.2.3.4.5/":                               "is none",
		"https://4294967296/":                              "is none",
		"https://0x100000000/":                             "is none",
		"https://09.1.1.1/":                                "is none",
		"https://[::1":                                     "is not an address",
		"https://[zz]/":                                    "",
		"https://example.com/" + strings.Repeat("a", 9000): "over 8000",
		"https://\u2100.example/\u202e\u0000":              "is not an address",
	} {
		if got, err := newTarget(raw); err == nil {
			t.Errorf("%q was taken as %s", raw, got.url)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
	}
}

func TestFollows(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.test/", "http://a.test/x", true},
		{"http://a.test/", "https://a.test/", true},
		{"http://A.test:80/", "https://a.test.:443/", true},
		{"https://a.test/", "http://a.test/", false},
		{"https://a.test/", "https://www.a.test/", false},
		{"https://a.test/", "https://a.test:8443/", false},
		{"http://a.test:8080/", "https://a.test/", false},
		{"http://a.test:8080/", "http://a.test:8080/y", true},
		{"http://127.0.0.1/", "http://2130706433/", true},
		{"http://127.0.0.1/", "http://localhost/", false},
	} {
		from, err1 := newTarget(c.from)
		to, err2 := newTarget(c.to)
		if err1 != nil || err2 != nil || from.follows(to) != c.want {
			t.Errorf("%s to %s: %v, want %v (%v, %v)", c.from, c.to, from.follows(to), c.want, err1, err2)
		}
	}
}

func FuzzTarget(f *testing.F) {
	for _, s := range []string{"https://example.com/a#b", "http://0x7f.1", "http://[fe80::1%25a]/", "https://ｅ.com", "http://a@b", "http://1.2.3", "http://%00/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := newTarget(raw)
		if err != nil {
			return
		}
		again, err := newTarget(got.url.String())
		if err != nil || again.host != got.host || again.url.String() != got.url.String() {
			t.Fatalf("%q is %s, and that is %v, %v", raw, got.url, again.url, err)
		}
		// What is judged must be what net/http would connect to.
		u, err := url.Parse(got.url.String())
		if err != nil || u.Hostname() != got.host {
			t.Fatalf("%q: host %q, and of the address %q", raw, got.host, u.Hostname())
		}
		if a, err := netip.ParseAddr(got.host); err == nil && got.addr != a {
			t.Fatalf("%q: the address %s was not seen as one", raw, a)
		}
	})
}
