package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/fetch/internal/http1"
)

// faultOf returns why no whole answer came, with a detail in plain words. The detail contains no
// address or port of this machine.
func faultOf(err error) (audit.Fault, string) {
	var (
		block *BlockedError
		proxy *proxyError
		dns   *net.DNSError
		code  *codingError
	)
	switch {
	case errors.As(err, &block):
		return audit.FaultAddress, block.Error()
	case errors.As(err, &proxy):
		return audit.FaultUnreachable, proxy.Error()
	case isProxyDown(err):
		return audit.FaultUnreachable, ProxyDown
	case errors.As(err, &code):
		return audit.FaultEncoding, code.Error()
	case errors.As(err, &dns):
		return audit.FaultDNS, dnsWords(dns)
	case isTimeout(err):
		return audit.FaultTimeout, timeoutWords(err)
	}
	if words := tlsWords(err); words != "" {
		return audit.FaultTLS, words
	}
	return networkFault(err)
}

// networkFault classifies the errors of sockets and of the HTTP protocol. net/http has types for
// few of them, so it recognizes some by their text.
func networkFault(err error) (audit.Fault, string) {
	text := err.Error()
	switch {
	case isAny(err, codesRefused):
		return audit.FaultRefused, "connection refused"
	case hasAny(text, "response headers exceeded", "header list larger", "header list too large"):
		return audit.FaultHeader, "more than 1 MB of headers"
	case hasAny(text, malformed...):
		return audit.FaultNotHTTP, "the answer is not HTTP: " + brief(text)
	case isAny(err, codesReset),
		errors.Is(err, http1.ErrStale), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		hasAny(text, cutOff...):
		return audit.FaultReset, "the connection was closed before the answer was whole"
	case isAny(err, codesNoRoute):
		return audit.FaultUnreachable, "no route to the host"
	case errors.Is(err, context.Canceled):
		return audit.FaultUnreachable, "stopped"
	}
	return audit.FaultUnreachable, brief(text)
}

// ProxyDown is the detail of a FaultUnreachable where the proxy gives no answer; it says nothing about the site.
const ProxyDown = "the proxy does not answer"

// isProxyDown reports whether err concerns the connection to a proxy, which tells nothing about the
// host behind it.
func isProxyDown(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "proxyconnect"
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errIdle) ||
		errors.Is(err, errSlow) || isAny(err, codesTimeout) || errors.As(err, &t) && t.Timeout()
}

func timeoutWords(err error) string {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return "no connection in time"
	case errors.Is(err, errIdle):
		return "the answer stopped"
	case errors.Is(err, errSlow):
		return "the answer drips: " + errSlow.Error()
	}
	return "no whole answer in time"
}

func dnsWords(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "no such host"
	case err.IsTimeout:
		return "the name server did not answer in time"
	}
	return "the name server failed"
}

// PlainServer is the detail of the fault where a port answers a TLS handshake in plain HTTP.
const PlainServer = "the server does not speak TLS on this port"

// tlsWords returns what is wrong with a TLS connection, or "" where err is not about TLS.
func tlsWords(err error) string {
	var (
		invalid x509.CertificateInvalidError
		host    x509.HostnameError
		unknown x509.UnknownAuthorityError
		alert   tls.AlertError
	)
	text := err.Error()
	switch {
	case errors.As(err, &invalid):
		return invalidWords(invalid)
	case errors.As(err, &host):
		return hostWords(host)
	case errors.As(err, &unknown):
		return "the certificate is signed by an unknown authority (--ca trusts one)"
	case errors.Is(err, http.ErrSchemeMismatch),
		strings.Contains(text, "first record does not look like a TLS"):
		return PlainServer
	case errors.As(err, &alert):
		return "the server refused the TLS handshake: " + strings.TrimPrefix(alert.Error(), "tls: ")
	case strings.Contains(text, "remote error: tls: "):
		_, why, _ := strings.Cut(text, "remote error: tls: ")
		return "the server refused the TLS handshake: " + brief(why)
	case strings.Contains(text, "x509: "), strings.Contains(text, "tls: "):
		return brief(text)
	}
	return ""
}

func invalidWords(err x509.CertificateInvalidError) string {
	if err.Reason == x509.Expired && err.Cert != nil {
		if now := err.Cert.NotBefore; err.Detail != "" && strings.Contains(err.Detail, "before") {
			return "the certificate is not valid before " + now.UTC().Format("2006-01-02")
		}
		return "the certificate expired on " + err.Cert.NotAfter.UTC().Format("2006-01-02")
	}
	return strings.TrimPrefix(err.Error(), "x509: ")
}

func hostWords(err x509.HostnameError) string {
	names := ""
	if err.Certificate != nil {
		names = strings.Join(err.Certificate.DNSNames[:min(3, len(err.Certificate.DNSNames))], ", ")
	}
	return fmt.Sprintf("the certificate is for %s, not for %s", cmp.Or(names, "another host"),
		err.Host)
}

// malformed are texts of net/http's errors for an answer that breaks the protocol.
var malformed = []string{
	"malformed", "bad Content-Length", "invalid Content-Length", "unsupported transfer encoding",
	"too many transfer encodings", "message cannot contain multiple Content-Length",
	"invalid header", "too many 1xx", "invalid byte in chunk length", "chunked encoding",
	"invalid trailer", "chunk length", "connection error: PROTOCOL_ERROR", "header line too long",
	"unexpected trailer", "frame too large", "connection error: COMPRESSION_ERROR",
	"missing status pseudo header",
	"1xx informational response with END_STREAM",
}

// cutOff are texts of errors for an answer that ended too early.
var cutOff = []string{
	"server closed idle connection", "stream error", "GOAWAY", "connection reset", "broken pipe",
	"transport connection broken", "use of closed network connection", "client connection lost",
	"http2: client conn", "unexpected EOF",
}

// hasAny reports whether a text contains one of parts.
func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(text, s) })
}

// brief returns the last part of an error's text, truncated, without the socket addresses before
// it.
func brief(text string) string {
	if i := strings.LastIndex(text, "->"); i >= 0 {
		if _, rest, ok := strings.Cut(text[i:], ": "); ok {
			text = rest
		}
	}
	text = strings.TrimPrefix(text, "net/http: ")
	text = strings.TrimPrefix(text, "HTTP/1.x transport connection broken: ")
	return cutBytes(strings.ToValidUTF8(text, "\uFFFD"), 120)
}

// A proxyError is the answer of a proxy that did not connect.
type proxyError struct{ status string }

func (e *proxyError) Error() string { return "the proxy made no connection: " + e.status }
