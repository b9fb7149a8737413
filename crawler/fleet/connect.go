package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
)

// answerTime is how long the servers may take to answer.
const answerTime = 5 * time.Second

// oldest is the oldest version of nats-server that Connect accepts.
var oldest = [...]int{2, 14, 9}

// Options says how to reach the servers.
type Options struct {
	URL  string // nats://HOST:PORT[,nats://...]; tls:// for TLS in any case
	Name string // the name under which the servers list this process
	// Creds names a file with the credentials of a user (.creds) or the seed of an nkey. CA names a
	// PEM file of certificates to trust. "" for none.
	Creds, CA string
	Timing    Timing
	// Warn receives, in plain words, what the process is waiting for; nil for silence.
	Warn func(format string, args ...any)
}

// Timing holds the durations of the protocol. A zero field stands for its default.
type Timing struct {
	Alive  time.Duration // the servers delete a session that was not renewed for this long (15 s)
	Margin time.Duration // its process stops sending this long before that (3 s)
	Slice  time.Duration // a key may go to another worker after this long (10 min)
	Linger time.Duration // how long an answer waits for others before it is sent home, and a worker for requests of a key (1 s)
}

// withDefaults returns t with defaults in place of zeros.
func (t Timing) withDefaults() Timing {
	return Timing{cmp.Or(t.Alive, 15*time.Second), cmp.Or(t.Margin, 3*time.Second), cmp.Or(t.Slice, 10*time.Minute), cmp.Or(t.Linger, time.Second)}
}

// A Fleet is a connection to the servers. It is safe for concurrent use. Its methods Lease and Release
// are those of crawler.Via, for requests that this process sends itself: those for the files of an
// audit. A worker that holds such a key gives it back on request.
type Fleet struct {
	o    Options
	t    Timing
	conn *nats.Conn
	js   jetstream.JetStream

	tickets, results, state jetstream.Stream

	wall func() time.Time // the clock of this machine, which may be wrong and may jump
	keys atomic.Int64     // that the worker or the audit of this process has

	mu      sync.Mutex
	s       *session // of this process; nil until something is leased
	working bool     // this process is a worker
	loans   map[*crawler.Lease]loan
	given   map[string]uint64 // numbers of the leases that this process gave back, by token
}

// An Error is one that the user can correct.
type Error struct {
	What string
	hint string
	Err  error // may be nil
}

// Error returns what is wrong.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

// Hint returns what the user can do about it.
func (e *Error) Hint() string { return e.hint }

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error { return e.Err }

// final reports whether an error is none of the servers, which may pass, but an *Error.
func final(err error) bool { return errors.As(err, new(*Error)) }

// Connect connects to the servers and creates the streams that are missing; it uses existing ones
// as they are. Its errors have a Hint, except that of ctx where ctx ends first.
func Connect(ctx context.Context, o Options) (*Fleet, error) {
	if err := Check(o); err != nil {
		return nil, err
	}
	if o.Warn == nil {
		o.Warn = func(string, ...any) {}
	}
	f := &Fleet{o: o, t: o.Timing.withDefaults(), wall: func() time.Time { return time.Now().Round(0) },
		loans: map[*crawler.Lease]loan{}, given: map[string]uint64{}}
	opts := []nats.Option{nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(answerTime), nats.PingInterval(f.t.Alive / 3), nats.MaxPingsOutstanding(2),
		nats.CustomInboxPrefix("sitemend.inbox")}
	more, err := credentials(o)
	if err != nil {
		return nil, err
	}
	if f.conn, err = nats.Connect(o.URL, append(opts, more...)...); err != nil {
		return nil, cmp.Or(ctx.Err(), unconnected(o, err))
	}
	if err := f.open(ctx); err != nil {
		f.conn.Close()
		return nil, err
	}
	return f, nil
}

// unconnected returns the error for servers that cannot be reached.
func unconnected(o Options, err error) error {
	at := shown(o.URL)
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return &Error{"the certificate of the NATS server at " + at + " is not trusted",
			"--nats-ca FILE trusts the authority that issued it, in PEM", err}
	}
	for _, refused := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired, nats.ErrNkeysNotSupported} {
		if errors.Is(err, refused) {
			return &Error{"the NATS server at " + at + " does not let us in",
				"--nats-creds FILE must hold the credentials, or the seed of the nkey, of a user that the server knows", err}
		}
	}
	return &Error{"no NATS server answers at " + at, "start nats-server -js there (docs/fleet.md), or name another one with --via", err}
}

// open checks the server and opens the streams. None is read from a server that does not lead it: the
// others may lag behind.
func (f *Fleet) open(ctx context.Context) (err error) {
	at := shown(f.conn.ConnectedUrl())
	if v := f.conn.ConnectedServerVersion(); older(v) {
		return &Error{What: fmt.Sprintf("the server at %s is nats-server %s, which is too old", at, v),
			hint: fmt.Sprintf("use nats-server %d.%d.%d or newer, with JetStream", oldest[0], oldest[1], oldest[2])}
	}
	if f.js, err = jetstream.New(f.conn, jetstream.WithDefaultTimeout(answerTime)); err != nil {
		return err
	}
	replicas := 1
	if f.conn.ConnectedClusterName() != "" && len(f.conn.Servers())+len(f.conn.DiscoveredServers()) >= 3 {
		replicas = 3
	}
	for _, s := range []struct {
		into *jetstream.Stream
		c    jetstream.StreamConfig
	}{
		{&f.tickets, jetstream.StreamConfig{Name: "SITEMEND_TICKETS", Subjects: []string{subject("t", ">")}, MaxBytes: 128 << 20,
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true}},
		{&f.results, jetstream.StreamConfig{Name: "SITEMEND_RESULTS", Subjects: []string{subject("r", ">")}, MaxBytes: 2 << 30,
			Discard: jetstream.DiscardNew, Compression: jetstream.S2Compression}},
		{&f.state, jetstream.StreamConfig{Name: "SITEMEND_STATE", Subjects: []string{subject("l", ">"), subject("s", ">"), subject("c", ">")},
			MaxBytes: 256 << 20, MaxMsgsPerSubject: 1, AllowMsgTTL: true}},
	} {
		s.c.Replicas = replicas
		err := f.patiently(ctx, 2*answerTime, func() (err error) {
			soon, cancel := context.WithTimeout(ctx, answerTime/5) // a cluster that has just started does not answer
			defer cancel()
			if *s.into, err = f.js.Stream(soon, s.c.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
				*s.into, err = f.js.CreateStream(soon, s.c)
			}
			return err
		})
		if err == nil && s.c.AllowMsgTTL != (*s.into).CachedInfo().Config.AllowMsgTTL {
			err = errors.New("there is one of another version of sitemend")
		}
		if err != nil {
			return &Error{"JetStream of " + at + " does not take the stream " + s.c.Name,
				"JetStream must be on (nats-server -js), with some gigabytes of storage for the account, and without streams of other versions", err}
		}
	}
	return nil
}

// Close gives back what this process has leased, and closes the connection.
func (f *Fleet) Close() {
	f.mu.Lock()
	s := f.s
	f.mu.Unlock()
	if s != nil {
		s.bury()
	}
	f.conn.Close()
}

// Check returns the error that Connect would return whatever the servers answer: an address in
// o.URL that is malformed, or one that is not on loopback, without credentials. It sends nothing
// and reads no file. Its errors do not repeat a malformed address, which may contain a password at a
// place that no parser can tell.
func Check(o Options) error {
	var all []*url.URL
	for server := range strings.SplitSeq(o.URL, ",") {
		u, err := parseServer(server)
		if err != nil {
			return &Error{What: "--via names no NATS server", hint: "as in --via nats://127.0.0.1:4222"}
		}
		all = append(all, u)
	}
	for _, u := range all {
		ip := net.ParseIP(u.Hostname())
		if o.Creds == "" && u.User == nil && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return &Error{What: u.Host + " is not on this machine, and no credentials are given", hint: "--nats-creds FILE gives them"}
		}
	}
	return nil
}

// parseServer reads the address of one server, which may lack its scheme.
func parseServer(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "://") {
		s = "nats://" + s
	}
	u, err := url.Parse(s)
	if err == nil && (u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme)) {
		err = errors.New("it has no host, or another scheme")
	}
	return u, err
}

// credentials returns the connection options for Creds and CA. No error contains the name of the
// file, which may be the secret itself.
func credentials(o Options) (opts []nats.Option, err error) {
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil || !x509.NewCertPool().AppendCertsFromPEM(text) {
			return nil, &Error{"--nats-ca names no file with certificates", "--nats-ca takes a PEM file (-----BEGIN CERTIFICATE-----)", err}
		}
		opts = append(opts, nats.RootCAs(o.CA))
	}
	if o.Creds == "" {
		return opts, nil
	}
	text, err := os.ReadFile(o.Creds)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &Error{"--nats-creds names no file that can be read", "--nats-creds must be the path of a file (.creds, or the seed of an nkey), not what stands in it", err}
	}
	// A file of credentials contains a seed, too, which is useless to a server without the JWT.
	if !bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		if nkey, err := nats.NkeyOptionFromSeed(o.Creds); err == nil {
			return append(opts, nkey), nil
		}
	}
	return append(opts, nats.UserCredentials(o.Creds)), nil
}

// shown returns the address of servers without the secrets in it: a user name alone is a token
// there.
func shown(servers string) string {
	var out []string
	for s := range strings.SplitSeq(servers, ",") {
		if u, err := parseServer(s); err == nil {
			out = append(out, u.Scheme+"://"+u.Host)
		}
	}
	return strings.Join(out, ", ")
}

// older reports whether a version is older than the oldest, or cannot be read.
func older(version string) bool {
	var v [len(oldest)]int
	_, err := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d.%d", &v[0], &v[1], &v[2])
	return err != nil || slices.Compare(v[:], oldest[:]) < 0
}

// subject returns the subject of this package that consists of tokens.
func subject(tokens ...string) string { return "sitemend." + strings.Join(tokens, ".") }
