package fleet_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"sitemend/crawler/fleet"
)

// file writes a file for a test and returns its name.
func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, text, 0o600))
	return path
}

// user creates the key of a user.
func user(t *testing.T) (public string, seed []byte) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	must(t, err)
	public, err = pair.PublicKey()
	must(t, err)
	seed, err = pair.Seed()
	must(t, err)
	return public, seed
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
	public, seed := user(t)
	_, otherSeed := user(t)
	nkey, otherNkey := file(t, "worker.nk", seed), file(t, "other.nk", otherSeed)
	users := []*server.NkeyUser{{Nkey: public, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{"sitemend.>", "$JS.API.>", "$JS.ACK.>"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"sitemend.>"}},
	}}}
	certified, ca := certificate(t)
	_, otherCA := certificate(t)
	encrypted := &tls.Config{Certificates: []tls.Certificate{certified}}
	for name, c := range map[string]struct {
		server *server.Options
		in     fleet.Options
		out    []fleet.Options
		want   string
	}{
		"an nkey": {&server.Options{Nkeys: users}, fleet.Options{Creds: nkey}, []fleet.Options{{}, {Creds: otherNkey}}, "does not let us in"},
		"TLS":     {&server.Options{TLS: true, TLSConfig: encrypted}, fleet.Options{CA: ca}, []fleet.Options{{}, {CA: otherCA}}, "is not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := start(t, c.server).ClientURL()
			for _, o := range c.out {
				o.URL = url
				_, err := fleet.Connect(t.Context(), o)
				hinted(t, err, c.want)
			}
			locs, answer := manySites(100)
			s := newWeb(t, 0, answer)
			c.in.URL, c.in.Timing = url, steady
			working(t, "w1", c.in, nil)
			store := newMemory(locs...)
			crawl(t, connect(t, c.in), "in", how{Addr: s.Listener.Addr().String(), Parallel: 2}, store)
			store.complete(t)
		})
	}
}

// hinted checks an error that a user sees.
func hinted(t *testing.T, err error, what string) {
	t.Helper()
	var e *fleet.Error
	if !errors.As(err, &e) || !strings.Contains(e.Error(), what) || e.Hint() == "" {
		t.Errorf("%v, want %q and a hint", err, what)
	}
}

// A server at an address that is not known to be of this machine is used with credentials alone. No
// error repeats a password, a token, or the text given in place of the name of a file.
func TestOnlyServersThatAreTrusted(t *testing.T) {
	const secret = "SUADD-secret"
	for _, c := range []struct {
		o    fleet.Options
		want string
	}{
		{fleet.Options{URL: "nats://192.0.2.1:4222"}, "is not on this machine, and no credentials are given"},
		{fleet.Options{URL: "nats://127.0.0.1:4222,nats://example.org"}, "is not on this machine, and no credentials are given"},
		{fleet.Options{URL: "no address"}, "names no NATS server"},
		{fleet.Options{URL: "nats://127.0.0.1:1"}, "no NATS server answers at nats://127.0.0.1:1"},
		{fleet.Options{URL: "nats://me:" + secret + "@127.0.0.1:1"}, "no NATS server answers at nats://127.0.0.1:1"},
		{fleet.Options{URL: "nats://me:" + secret + "@127.0.0.1:1x"}, "names no NATS server"},
		{fleet.Options{URL: "me:" + secret + "@127.0.0.1:1"}, ""},
		{fleet.Options{URL: "nats://" + secret + "@127.0.0.1:1"}, ""},
		{fleet.Options{URL: "nats://127.0.0.1:1", Creds: secret}, "names no file"},
		{fleet.Options{URL: "nats://127.0.0.1:1", Creds: "-----BEGIN NATS USER JWT-----\n" + secret + "\n"}, "names no file"},
		{fleet.Options{URL: "nats://127.0.0.1:1", Creds: strings.Repeat(secret, 500)}, "names no file"},
	} {
		_, err := fleet.Connect(t.Context(), c.o)
		hinted(t, err, c.want)
		if said := fmt.Sprintf("%v %+v", err, err); strings.Contains(said, secret) {
			t.Errorf("%q is told: %s", secret, said)
		}
	}
}

// Servers that are too old, or have no room, are refused by name.
func TestServersOfNoUse(t *testing.T) {
	t.Parallel()
	_, err := fleet.Connect(t.Context(), fleet.Options{URL: start(t, &server.Options{JetStreamMaxStore: 1 << 20}).ClientURL()})
	hinted(t, err, "does not take the stream")
	old, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer old.Close()
	go func() { // as Debian's greets, and answers the first PING
		conn, err := old.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, `INFO {"server_id":"old","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576,"jetstream":true}`+"\r\n")
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if lines.Text() == "PING" {
				fmt.Fprint(conn, "PONG\r\n")
			}
		}
	}()
	_, err = fleet.Connect(t.Context(), fleet.Options{URL: "nats://" + old.Addr().String()})
	hinted(t, err, "nats-server 2.9.10, which is too old")
}
