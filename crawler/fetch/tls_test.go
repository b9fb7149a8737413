package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// signed makes a certificate for a host, signed by itself, that is valid between these days from now.
func signed(t *testing.T, host string, from, to int) (tls.Certificate, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().AddDate(0, 0, from), NotAfter: time.Now().AddDate(0, 0, to), DNSNames: []string{host}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	c, err = x509.ParseCertificate(der)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, c
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
	pool := x509.NewCertPool()
	for name, tt := range map[string]struct {
		host     string
		from, to int
		trusted  bool
		words    string
	}{
		"expired":           {"a.example", -9, -1, true, "the certificate is valid from "},
		"another host":      {"b.example", -1, 1, true, "certificate is valid for b.example, not a.example"},
		"unknown authority": {"a.example", -1, 1, false, "the certificate is signed by an unknown authority (--ca trusts one)"},
		"refused":           {"refused", -1, 1, false, "the server refused the TLS handshake: internal error"},
		"no TLS":            {"", -1, 1, false, "the server does not speak TLS on this port"},
	} {
		cert, parsed := signed(t, tt.host, tt.from, tt.to)
		config := &tls.Config{Certificates: []tls.Certificate{cert}}
		switch tt.host {
		case "":
			config = nil
		case "refused":
			config = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, io.ErrUnexpectedEOF }}
		}
		if tt.trusted {
			pool.AddCert(parsed)
		}
		row := judged(t, leadsTo(t, serveTLS(t, config), Options{RootCAs: pool}, "a.example"), "https://a.example/x")[0]
		if hop := row.Trail.Last().Hop; row.Verdict != audit.Unverified || hop.Fault != answers.FaultTLS || !strings.HasPrefix(hop.Detail, tt.words) {
			t.Errorf("%s: %s %s %q, want %q", name, row.Verdict, hop.Fault, hop.Detail, tt.words)
		}
	}
}

// HTTP/2 has faults of its own.
func TestMisdeedsOverHTTP2(t *testing.T) {
	header := func(f *http2.Framer, stream uint32, end bool) bool {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0x88}, EndHeaders: end}) == nil // :status 200
	}
	for name, tt := range map[string]struct {
		reply func(f *http2.Framer, stream uint32) bool
		fault answers.Fault
	}{
		"a stream reset": {func(f *http2.Framer, s uint32) bool { return f.WriteRSTStream(s, http2.ErrCodeInternal) == nil }, answers.FaultReset},
		"REFUSED_STREAM": {func(f *http2.Framer, s uint32) bool { return f.WriteRSTStream(s, http2.ErrCodeRefusedStream) == nil }, answers.FaultReset},
		"GOAWAY":         {func(f *http2.Framer, _ uint32) bool { _ = f.WriteGoAway(0, http2.ErrCodeNo, nil); return false }, answers.FaultReset},
		"GOAWAY in anger": {func(f *http2.Framer, _ uint32) bool {
			_ = f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("x"))
			return false
		}, answers.FaultReset},
		"silence": {func(*http2.Framer, uint32) bool { return true }, answers.FaultTimeout},
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
			for i, loc := range []string{"https://example.com/ok/0", "https://example.com/x", "https://example.com/ok/1"} {
				row := a.soon(t, i == 1, loc)
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
