package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"sitemend/crawler/answers"
	"sitemend/crawler/fetch/internal/http1"
)

// A failing is an error, by one of its codes or by part of its text, and what it means: net/http has
// types for few of the errors of its protocols.
type failing struct {
	codes  []error
	texts  []string
	fault  answers.Fault
	detail string // in plain words; that of the error follows one that ends in a space, or takes the place of ""
}

var failings = []failing{
	{texts: []string{"unknown authority"}, fault: answers.FaultTLS, detail: "the certificate is signed by an unknown authority (--ca trusts one)"},
	{codes: []error{http.ErrSchemeMismatch}, texts: []string{"first record does not look like a TLS"}, fault: answers.FaultTLS, detail: "the server does not speak TLS on this port"},
	{texts: []string{"remote error: tls: "}, fault: answers.FaultTLS, detail: "the server refused the TLS handshake: "},
	{texts: []string{"x509: ", "tls: "}, fault: answers.FaultTLS},
	{codes: codesRefused, fault: answers.FaultRefused, detail: "the port is closed"},
	{texts: []string{"response headers exceeded", "header list larger", "header list too large"}, fault: answers.FaultHeader, detail: "more than 1 MB of headers"},
	{texts: []string{"malformed", "bad Content-Length", "invalid Content-Length", "unsupported transfer encoding",
		"too many transfer encodings", "message cannot contain multiple Content-Length",
		"invalid header", "too many 1xx", "invalid byte in chunk length", "chunked encoding",
		"invalid trailer", "chunk length", "connection error: PROTOCOL_ERROR", "header line too long",
		"unexpected trailer", "frame too large", "connection error: COMPRESSION_ERROR",
		"missing status pseudo header", "1xx informational response with END_STREAM"}, fault: answers.FaultNotHTTP, detail: "the answer is not HTTP: "},
	{codes: append(codesReset, http1.ErrStale, io.EOF, io.ErrUnexpectedEOF), texts: []string{
		"server closed idle connection", "stream error", "GOAWAY", "connection reset", "broken pipe",
		"transport connection broken", "use of closed network connection", "client connection lost",
		"http2: client conn", "unexpected EOF"}, fault: answers.FaultReset, detail: "the connection was closed before the answer was whole"},
	{codes: codesNoRoute, fault: answers.FaultUnreachable, detail: "no route to the host"},
	{codes: []error{context.Canceled}, fault: answers.FaultUnreachable, detail: "stopped"},
}

// faultOf returns why no whole answer came, with a detail in plain words. The detail contains no
// address or port of this machine.
func faultOf(err error) (answers.Fault, string) {
	var (
		none    *noAnswer
		dns     *net.DNSError
		op      *net.OpError
		timeout net.Error
		invalid x509.CertificateInvalidError
	)
	isOp := errors.As(err, &op)
	switch {
	case errors.As(err, &none):
		return none.fault, none.detail
	case isOp && op.Op == "proxyconnect":
		return answers.FaultUnreachable, "the proxy does not answer"
	case errors.As(err, &dns) && dns.IsNotFound:
		return answers.FaultDNS, "no such host"
	case dns != nil:
		return answers.FaultDNS, "the name server failed"
	case errors.Is(err, errIdle):
		return answers.FaultTimeout, "the answer stopped"
	case isAny(err, codesTimeout), errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		if isOp && op.Op == "dial" {
			return answers.FaultTimeout, "no connection in time"
		}
		return answers.FaultTimeout, "no whole answer in time"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil: // the error has the time of this moment
		return answers.FaultTLS, "the certificate is valid from " + invalid.Cert.NotBefore.UTC().Format("2006-01-02") + " to " + invalid.Cert.NotAfter.UTC().Format("2006-01-02")
	}
	text := err.Error()
	for _, f := range failings {
		if isAny(err, f.codes) || slices.ContainsFunc(f.texts, func(part string) bool { return strings.Contains(text, part) }) {
			if f.detail == "" || strings.HasSuffix(f.detail, " ") {
				return f.fault, f.detail + brief(text)
			}
			return f.fault, f.detail
		}
	}
	return answers.FaultUnreachable, brief(text)
}

// brief returns the last part of an error's text, truncated, without the socket addresses before
// it.
func brief(text string) string {
	if i := strings.LastIndex(text, "->"); i >= 0 {
		if _, rest, ok := strings.Cut(text[i:], ": "); ok {
			text = rest
		}
	}
	for _, prefix := range []string{"net/http: ", "HTTP/1.x transport connection broken: ", "tls: failed to verify certificate: ", "x509: ", "remote error: tls: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return cutBytes(strings.ToValidUTF8(text, "\uFFFD"), 120)
}
