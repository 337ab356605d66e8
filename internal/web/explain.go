package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// failure is an answer that is none.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// statusError is an answer with a status that is no success.
func statusError(resp *http.Response, t target) error {
	text := fmt.Sprintf("HTTP %s: %s", status(resp), t.shown())
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusProxyAuthRequired:
		text += ". The server wants a login, or does not serve programs; nothing is sent to it that could be one"
	case code == http.StatusNotFound || code == http.StatusGone:
		text += ". There is no such page: check the address, or look for it with web_search"
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		text += ". The server asks to be left alone for now"
		if after := resp.Header.Get("Retry-After"); after != "" {
			text += ", for " + shorten(after)
			if strings.Trim(after, "0123456789") == "" {
				text += " seconds"
			}
		}
	case code >= 500:
		text += ". The server has a fault; the same call may succeed later"
	case code/100 == 3:
		text += ". The server redirects, and does not say where"
	}
	return &failure{text}
}

// status is the status of an answer, in our words and not the server's.
func status(resp *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
}

// explain says what happened to a request, and what would succeed.
func (c *client) explain(t target, err error) error {
	var fail *failure
	var no *refused
	var dns *net.DNSError
	var cut *brokenOff
	switch {
	case errors.As(err, &fail):
		return fail
	case errors.As(err, &no):
		return no
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		if errors.As(err, &cut) {
			return fmt.Errorf("%s sent %s in %s and was not done. It may be a stream without end; with run_command: curl --max-time 5 %s",
				t.host, size(cut.after), c.limit(), t.quoted())
		}
		return fmt.Errorf("%s did not answer within %s; the same call may succeed later", t.host, c.limit())
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return fmt.Errorf("there is no host %s: check the spelling, or look for the page with web_search", t.host)
		}
		return fmt.Errorf("the address of %s could not be found: %s; the same call may succeed later", t.host, dns.Err)
	case errors.Is(err, syscall.ECONNREFUSED) && !isProxyFault(err):
		return fmt.Errorf("nothing listens at %s", t.url.Host)
	}
	if text := certificateFault(err); text != "" {
		return fmt.Errorf("%s: %s", t.host, text)
	}
	if isProxyFault(err) {
		return fmt.Errorf("the proxy could not be used for %s: %w; it is set by network.proxy or HTTPS_PROXY", t.host, err)
	}
	return fmt.Errorf("%s could not be fetched: %w", t.shown(), err)
}

func (c *client) limit() string { return fmt.Sprint(c.Timeout.Round(time.Millisecond)) }

func isProxyFault(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "proxyconnect"
}

// certificateFault says what is wrong with a server's certificate.
func certificateFault(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return "the certificate is signed by an authority that is not trusted here. Where a proxy or a company signs certificates, its authority goes into the setting network.caFile"
	case errors.As(err, &name):
		return "the certificate is for another host: " + name.Error()
	case errors.As(err, &invalid):
		return "the certificate does not hold: " + invalid.Error()
	case errors.As(err, &record):
		return "the server speaks no TLS at that port; try the address with http://"
	}
	return ""
}
