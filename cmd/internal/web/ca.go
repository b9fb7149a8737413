package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"time"
)

// A CA is a certificate authority that lives in memory and signs for any host, all with one key.
// Only clients that were given its PEM or Pool trust it. It is safe for concurrent use.
type CA struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	made sync.Map // *tls.Certificate by host
}

// validity is how long certificates are valid, beginning an hour ago, so that a clock that is a
// little slow accepts them.
const validity = 7 * 24 * time.Hour

// NewCA makes an authority with a key of its own.
func NewCA() (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := &CA{key: key}
	der, err := ca.sign(&x509.Certificate{IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign})
	if err != nil {
		return nil, err
	}
	ca.cert, err = x509.ParseCertificate(der)
	return ca, err
}

// sign signs a certificate; the first one is the authority's own.
func (ca *CA) sign(t *x509.Certificate) (der []byte, err error) {
	if t.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, err
	}
	t.NotBefore = time.Now().Add(-time.Hour)
	t.NotAfter = t.NotBefore.Add(validity)
	parent := ca.cert
	if parent == nil {
		t.Subject = pkix.Name{CommonName: "sitemend test authority"}
		parent = t
	}
	return x509.CreateCertificate(rand.Reader, t, parent, &ca.key.PublicKey, ca.key)
}

// PEM returns the certificate of the authority, in the form of curl --cacert and sitemend --ca.
func (ca *CA) PEM() []byte { return encodePEM("CERTIFICATE", ca.cert.Raw) }

// Pool returns a new pool with only the authority.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

// Certificate returns a certificate for host, a name or an IP address without
// brackets. The second call for a host returns the same one.
func (ca *CA) Certificate(host string) (*tls.Certificate, error) {
	if c, ok := ca.made.Load(host); ok {
		return c.(*tls.Certificate), nil
	}
	der, err := ca.forHosts(host)
	if err != nil {
		return nil, err
	}
	c, _ := ca.made.LoadOrStore(host, &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: ca.key})
	return c.(*tls.Certificate), nil
}

// CertificatePEM returns a new certificate for hosts and its key, both in PEM,
// for servers that read them from files.
func (ca *CA) CertificatePEM(hosts ...string) (cert, key []byte, err error) {
	der, err := ca.forHosts(hosts...)
	if err != nil {
		return nil, nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(ca.key)
	return encodePEM("CERTIFICATE", der), encodePEM("PRIVATE KEY", private), err
}

func (ca *CA) forHosts(hosts ...string) (der []byte, err error) {
	t := &x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, h)
		}
	}
	return ca.sign(t)
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
