package fleet_test

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
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"sitemend/crawler/fleet"
)

// guarded starts a server that accepts only the users in o.
func guarded(t *testing.T, o *server.Options) (url string) {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs, o.JetStream, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, true, t.TempDir()
	s, err := server.NewServer(o)
	must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s.ClientURL()
}

// file writes a file for a test and returns its name.
func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, text, 0o600))
	return path
}

// keys creates the keys of a user, an account or an operator.
func keys(t *testing.T, make func() (nkeys.KeyPair, error)) (pair nkeys.KeyPair, public string, seed []byte) {
	t.Helper()
	pair, err := make()
	must(t, err)
	public, err = pair.PublicKey()
	must(t, err)
	seed, err = pair.Seed()
	must(t, err)
	return pair, public, seed
}

// operated returns the options of a server whose operator has one account, and a file with
// credentials of a user of that account.
func operated(t *testing.T) (o *server.Options, creds string) {
	t.Helper()
	op, opPublic, _ := keys(t, nkeys.CreateOperator)
	acc, accPublic, _ := keys(t, nkeys.CreateAccount)
	_, system, _ := keys(t, nkeys.CreateAccount)
	accounts := &server.MemAccResolver{}
	systemToken, err := jwt.NewAccountClaims(system).Encode(op)
	must(t, err)
	must(t, accounts.Store(system, systemToken))
	_, userPublic, seed := keys(t, nkeys.CreateUser)
	a := jwt.NewAccountClaims(accPublic)
	a.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	accountToken, err := a.Encode(op)
	must(t, err)
	must(t, accounts.Store(accPublic, accountToken))
	token, err := jwt.NewUserClaims(userPublic).Encode(acc)
	must(t, err)
	text, err := jwt.FormatUserConfig(token, seed)
	must(t, err)
	return &server.Options{TrustedKeys: []string{opPublic}, SystemAccount: system, AccountResolver: accounts}, file(t, "worker.creds", text)
}

// certificate makes a self-signed certificate of 127.0.0.1, in the form that a server takes and as
// a PEM file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		file(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// A server that demands credentials, or whose certificate has an authority of its own, accepts
// workers and audits that have the right ones, for a whole audit; the others get an error with a
// hint.
func TestCredentials(t *testing.T) {
	t.Parallel()
	_, public, seed := keys(t, nkeys.CreateUser)
	_, _, otherSeed := keys(t, nkeys.CreateUser)
	nkey, otherNkey := file(t, "worker.nk", seed), file(t, "other.nk", otherSeed)
	least := &server.Permissions{ // what docs/fleet.md lists
		Publish:   &server.SubjectPermission{Allow: []string{"sitemend.>", "$JS.API.>", "$JS.ACK.>"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"sitemend.>", "_INBOX.>"}},
	}
	account, creds := operated(t)
	_, otherCreds := operated(t)
	certified, ca := certificate(t)
	_, otherCA := certificate(t)
	for name, c := range map[string]struct {
		server *server.Options
		in     fleet.Options
		out    []fleet.Options
		want   string
	}{
		"an nkey": {&server.Options{Nkeys: []*server.NkeyUser{{Nkey: public, Permissions: least}}},
			fleet.Options{Creds: nkey}, []fleet.Options{{}, {Creds: otherNkey}, {Creds: creds}}, "does not let us in"},
		"credentials of a user": {account,
			fleet.Options{Creds: creds}, []fleet.Options{{}, {Creds: otherCreds}, {Creds: nkey}}, "does not let us in"},
		"TLS": {&server.Options{TLS: true, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certified}}},
			fleet.Options{CA: ca}, []fleet.Options{{}, {CA: otherCA}}, "is not trusted"},
		"TLS with an nkey": {&server.Options{TLS: true, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certified}},
			Nkeys: []*server.NkeyUser{{Nkey: public, Permissions: least}}},
			fleet.Options{CA: ca, Creds: nkey}, []fleet.Options{{CA: ca, Creds: otherNkey}}, "does not let us in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := guarded(t, c.server)
			for _, o := range c.out {
				o.URL = url
				_, err := fleet.Connect(t.Context(), o)
				hinted(t, err, c.want)
			}
			locs, answer := manyHosts(200)
			s := newWeb(t, 0, answer)
			c.in.Timing = calm
			working(t, connect(t, url, c.in), "w1")
			store := newMemory(locs...)
			crawl(t, connect(t, url, c.in), "in", how{Addr: s.Listener.Addr().String(), Parallel: 2}, store)
			if len(store.hops) != len(locs) || store.twice > 0 {
				t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
			}
		})
	}
}
