package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sitemend/crawler/audit"
)

// A signer signs certificates for tests.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	a := &signer{key: key}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "test"}}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &key.PublicKey, key)
	must(t, err)
	a.cert, err = x509.ParseCertificate(der)
	must(t, err)
	return a
}

// sign makes a certificate for a host that is valid between these days from now.
func (a *signer) sign(t *testing.T, host string, from, to int) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().AddDate(0, 0, from), NotAfter: time.Now().AddDate(0, 0, to), DNSNames: []string{host}}
	parent, by := a.cert, a.key
	if host == "self.example" {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serveTLS answers every connection with config; nil sends bytes that are not TLS.
func serveTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var w rawConns
	w.accept(t, ln, func(c net.Conn) {
		if config == nil {
			_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
		} else {
			_ = tls.Server(c, config).Handshake()
		}
	})
	return w.addr
}

// A TLS failure is described in words, and its entry is unverified.
func TestTLSFaultsInWords(t *testing.T) {
	ca, stranger := newSigner(t), newSigner(t)
	only := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	refuses := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, io.ErrUnexpectedEOF }}
	for name, tt := range map[string]struct {
		config *tls.Config
		words  string
	}{
		"expired":           {only(ca.sign(t, "a.example", -9, -1)), "the certificate is valid from "},
		"another host":      {only(ca.sign(t, "b.example", -1, 1)), "certificate is valid for b.example, not a.example"},
		"self-signed":       {only(ca.sign(t, "self.example", -1, 1)), "certificate is valid for self.example"},
		"unknown authority": {only(stranger.sign(t, "a.example", -1, 1)), "the certificate is signed by an unknown authority (--ca trusts one)"},
		"refused":           {refuses, "the server refused the TLS handshake: internal error"},
		"no TLS":            {nil, "the server does not speak TLS on this port"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := x509.NewCertPool()
			pool.AddCert(ca.cert)
			row := judged(t, leadsTo(t, serveTLS(t, tt.config), Options{RootCAs: pool}, "a.example"), "https://a.example/x")[0]
			if hop := row.Trail.Last().Hop; row.Verdict != audit.Unverified || hop.Fault != audit.FaultTLS || !strings.HasPrefix(hop.Detail, tt.words) {
				t.Errorf("%s %s %q, want %q", row.Verdict, hop.Fault, hop.Detail, tt.words)
			}
		})
	}
}

// HTTP/2 has faults of its own.
func TestMisdeedsOverHTTP2(t *testing.T) {
	header := func(f *http2.Framer, stream uint32, end bool) bool {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0x88}, EndHeaders: end}) == nil // :status 200
	}
	for name, tt := range map[string]struct {
		reply func(f *http2.Framer, stream uint32) bool
		fault audit.Fault
	}{
		"a stream reset": {func(f *http2.Framer, s uint32) bool { return f.WriteRSTStream(s, http2.ErrCodeInternal) == nil }, audit.FaultReset},
		"REFUSED_STREAM": {func(f *http2.Framer, s uint32) bool { return f.WriteRSTStream(s, http2.ErrCodeRefusedStream) == nil }, audit.FaultReset},
		"GOAWAY":         {func(f *http2.Framer, _ uint32) bool { _ = f.WriteGoAway(0, http2.ErrCodeNo, nil); return false }, audit.FaultReset},
		"GOAWAY in anger": {func(f *http2.Framer, _ uint32) bool {
			_ = f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("x"))
			return false
		}, audit.FaultReset},
		"silence": {func(*http2.Framer, uint32) bool { return true }, audit.FaultTimeout},
		"a body that stops": {func(f *http2.Framer, s uint32) bool {
			return header(f, s, true) && f.WriteData(s, false, []byte("<title>x")) == nil
		}, ""},
		"data before headers": {func(f *http2.Framer, s uint32) bool { return f.WriteData(s, true, []byte("x")) == nil }, ""},
		"a frame of no stream": {func(f *http2.Framer, _ uint32) bool {
			return f.WriteRawFrame(http2.FrameData, 0, 0, []byte("x")) == nil
		}, ""},
		"endless headers": {func(f *http2.Framer, s uint32) bool {
			block := append([]byte{0x88}, strings.Repeat("\x00\x01x\x7f\x81\x7e"+strings.Repeat("y", 256), 30)...) // x: yyy...
			ok := f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block, EndHeaders: false}) == nil
			for i := 0; ok && i < 1000; i++ {
				ok = f.WriteContinuation(s, false, block[1:]) == nil
			}
			return ok
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveHTTP2(t, func(f *http2.Framer, stream uint32, path string) bool {
				if path == "/x" {
					return tt.reply(f, stream)
				}
				return answer200(f, stream)
			})
			a := leadsTo(t, w.addr, Options{}, "example.com") // a name in httptest's certificate
			a.o.Timeout = 3 * time.Second                     // for a request; pings are sent later
			for i, row := range judged(t, a, "https://example.com/ok/0", "https://example.com/x", "https://example.com/ok/1") {
				if i != 1 && row.Verdict != audit.OK { // it may meet the end of the connection; then another try is answered
					row = judged(t, a, row.Entry.Loc)[0]
				}
				hop := row.Trail.Last().Hop
				switch {
				case i != 1 && row.Verdict != audit.OK:
					t.Errorf("%s: %s, %+v", row.Entry.Loc, row.Verdict, hop)
				case i == 1 && (row.Verdict != audit.Unverified || tt.fault != "" && hop.Fault != tt.fault || hop.Detail == ""):
					t.Errorf("%s, %+v", row.Verdict, hop)
				}
			}
			if n := w.asked("/x"); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}
