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
	"strings"
	"sync"
	"time"
)

// A CA is a certificate authority that lives in memory and signs for any host. Only clients that
// were given its PEM or Pool trust it. It is safe for concurrent use.
type CA struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	mu   sync.Mutex
	made map[string]*tls.Certificate // by host
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
	t, err := template("sitemend test authority")
	if err != nil {
		return nil, err
	}
	t.IsCA, t.BasicConstraintsValid, t.MaxPathLenZero = true, true, true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &CA{cert: cert, key: key, made: map[string]*tls.Certificate{}}, nil
}

// template returns the fields that all certificates have in common.
func template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	start := time.Now().Add(-time.Hour)
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    start,
		NotAfter:     start.Add(validity),
	}, nil
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
	host = strings.ToLower(host)
	ca.mu.Lock()
	defer ca.mu.Unlock()
	if c := ca.made[host]; c != nil {
		return c, nil
	}
	c, err := ca.sign(host)
	if err == nil {
		ca.made[host] = c
	}
	return c, err
}

// CertificatePEM returns a new certificate for hosts and its key, both in PEM,
// for servers that read them from files.
func (ca *CA) CertificatePEM(hosts ...string) (cert, key []byte, err error) {
	c, err := ca.sign(hosts...)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return nil, nil, err
	}
	return encodePEM("CERTIFICATE", c.Certificate[0]), encodePEM("PRIVATE KEY", der), nil
}

func (ca *CA) sign(hosts ...string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t, err := template("sitemend test host")
	if err != nil {
		return nil, err
	}
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, ca.cert, &key.PublicKey, ca.key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
