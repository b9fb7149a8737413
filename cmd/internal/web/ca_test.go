package web

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestCertificates(t *testing.T) {
	ca, err := NewCA()
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"shop.example", "xn--wgv71a.example", "127.0.0.1", "::1", "a_b.example"} {
		c, err := ca.Certificate(host)
		if err != nil {
			t.Fatalf("%s: %v", host, err)
		}
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: ca.Pool()}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if again, _ := ca.Certificate(host); again != c {
			t.Errorf("%s: the second certificate is another", host)
		}
	}
}

func TestCertificatesInPEM(t *testing.T) {
	ca, err := NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.CertificatePEM("shop.example", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca.PEM()) {
		t.Fatal("PEM has no certificate")
	}
	for _, host := range []string{"shop.example", "127.0.0.1"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: pool}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	other, err := NewCA()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: "shop.example", Roots: other.Pool()}); err == nil {
		t.Error("another authority vouches for it, too")
	}
}
