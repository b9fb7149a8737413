package fleet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// answerTime is how long the servers may take to answer.
const answerTime = 5 * time.Second

// Oldest is the oldest version of nats-server that is used.
const Oldest = "2.14.9"

// Options says how to reach the servers.
type Options struct {
	URL  string // nats://HOST:PORT[,nats://...]; tls:// for TLS in any case
	Name string // as which the servers know this process
	// Creds is a file: credentials of a user (.creds), or the seed of an nkey. CA is a PEM file
	// of certificates that are trusted. "" for none.
	Creds, CA string
	Insecure  bool // a server that is not on loopback is used without Creds, too
	Replicas  int  // of what is created; 0 for 3 where there are three servers or more, else 1
	Timing    Timing
	// Warn reports in plain words what is waited for; nil for silence.
	Warn func(format string, args ...any)
}

// Timing is how long things take. The zero value of a field is its default.
type Timing struct {
	Alive  time.Duration // a session that is not renewed for so long may be declared dead (15 s)
	Margin time.Duration // by which its worker stops sending before that (3 s)
	Ticket time.Duration // a ticket that is not heard of for so long goes to another worker (30 s)
	Slice  time.Duration // after which a key may go to another worker (10 min)
	Gather time.Duration // the longest that an answer waits for others before it is sent home (1 s)
	Linger time.Duration // how long a worker waits for more requests of a key before it gives it back (1 s)
}

// withDefaults returns t with defaults in place of zeros.
func (t Timing) withDefaults() Timing {
	for _, d := range []struct {
		of *time.Duration
		is time.Duration
	}{{&t.Alive, 15 * time.Second}, {&t.Margin, 3 * time.Second}, {&t.Ticket, 30 * time.Second}, {&t.Slice, 10 * time.Minute},
		{&t.Gather, time.Second}, {&t.Linger, time.Second}} {
		if *d.of == 0 {
			*d.of = d.is
		}
	}
	return t
}

// A Fleet is a connection to the servers. It may be used from several goroutines.
type Fleet struct {
	o    Options
	t    Timing
	conn *nats.Conn
	js   jetstream.JetStream

	urls, tickets, results, cells *stream

	wall func() time.Time // by the clock of this machine, which may be wrong and may jump
}

// An Error is one that the user can do something about.
type Error struct {
	What string
	hint string
	Err  error // may be nil
}

// Error says what is wrong.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

// Hint says what to do.
func (e *Error) Hint() string { return e.hint }

// Unwrap returns what it comes from.
func (e *Error) Unwrap() error { return e.Err }

// Connect connects to the servers and makes sure that the streams are there: those that exist
// are used as they are. Its errors have a Hint, but for that of ctx where that ends first.
func Connect(ctx context.Context, o Options) (*Fleet, error) {
	if err := Check(o); err != nil {
		return nil, err
	}
	if o.Warn == nil {
		o.Warn = func(string, ...any) {}
	}
	f := &Fleet{o: o, t: o.Timing.withDefaults(), wall: func() time.Time { return time.Now().Round(0) }}
	opts := []nats.Option{nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(5 * time.Second), nats.PingInterval(f.t.Alive / 3), nats.MaxPingsOutstanding(2)}
	more, err := credentials(o)
	if err != nil {
		return nil, err
	}
	if f.conn, err = dial(ctx, o.URL, append(opts, more...)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unconnected(o, err)
	}
	if err := f.open(ctx); err != nil {
		f.conn.Close()
		return nil, err
	}
	return f, nil
}

// dial is nats.Connect that ends with ctx, too: a server that accepts and says nothing holds that
// up for as long as nats.Timeout.
func dial(ctx context.Context, url string, opts []nats.Option) (*nats.Conn, error) {
	type dialed struct {
		conn *nats.Conn
		err  error
	}
	done := make(chan dialed, 1)
	go func() {
		conn, err := nats.Connect(url, opts...)
		done <- dialed{conn, err}
	}()
	select {
	case d := <-done:
		return d.conn, d.err
	case <-ctx.Done():
		go func() {
			if d := <-done; d.conn != nil {
				d.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// unconnected is the error of servers to which there is no connection.
func unconnected(o Options, err error) error {
	at := shown(o.URL)
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return &Error{"the certificate of the NATS server at " + at + " is not trusted",
			"--nats-ca FILE trusts the authority that issued it, in PEM", err}
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrNkeysNotSupported):
		return &Error{"the NATS server at " + at + " does not let us in",
			"--nats-creds FILE must hold the credentials, or the seed of the nkey, of a user that the server knows", err}
	}
	return &Error{"no NATS server answers at " + at, "start nats-server -js there (docs/fleet.md), or name another one with --via", err}
}

// open looks at the server and opens the streams.
func (f *Fleet) open(ctx context.Context) (err error) {
	if v := f.conn.ConnectedServerVersion(); older(v, Oldest) {
		return &Error{What: fmt.Sprintf("the server at %s is nats-server %s, which is too old", shown(f.conn.ConnectedUrl()), v),
			hint: "use nats-server " + Oldest + " or newer, with JetStream"}
	}
	if f.js, err = jetstream.New(f.conn, jetstream.WithDefaultTimeout(answerTime)); err != nil {
		return err
	}
	replicas := f.o.Replicas
	if replicas == 0 {
		replicas = 1
		if f.conn.ConnectedClusterName() != "" && len(f.conn.Servers())+len(f.conn.DiscoveredServers()) >= 3 {
			replicas = 3
		}
	}
	for _, s := range []struct {
		into **stream
		c    jetstream.StreamConfig
	}{
		{&f.urls, jetstream.StreamConfig{Name: "SITEMEND_URLS", Subjects: []string{subject("u", ">")}, MaxBytes: 1 << 30}},
		{&f.tickets, jetstream.StreamConfig{Name: "SITEMEND_TICKETS", Subjects: []string{subject("t", ">")}, MaxBytes: 128 << 20,
			Retention: jetstream.WorkQueuePolicy, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true}},
		{&f.results, jetstream.StreamConfig{Name: "SITEMEND_RESULTS", Subjects: []string{subject("r", ">")}, MaxBytes: 2 << 30}},
		{&f.cells, jetstream.StreamConfig{Name: "SITEMEND_STATE", Subjects: []string{subject("l", ">"), subject("s", ">"), subject("c", ">")},
			MaxBytes: 256 << 20, MaxMsgsPerSubject: 1}},
	} {
		s.c.Replicas, s.c.Storage, s.c.AllowDirect = replicas, jetstream.FileStorage, true
		if s.c.MaxMsgsPerSubject != 1 || s.c.DiscardNewPerSubject {
			s.c.Discard = jetstream.DiscardNew
		}
		open, err := f.stream(ctx, s.c)
		if err != nil {
			return &Error{"JetStream of " + shown(f.conn.ConnectedUrl()) + " does not take the stream " + s.c.Name,
				"JetStream must be on (nats-server -js), with some gigabytes of storage for the account", err}
		}
		*s.into = newStream(f.conn, open)
	}
	return nil
}

// stream opens a stream, which is created where it is not there. A cluster that has just
// started takes a moment.
func (f *Fleet) stream(ctx context.Context, c jetstream.StreamConfig) (s jetstream.Stream, err error) {
	for try := 0; ; try++ {
		if s, err = f.js.Stream(ctx, c.Name); err == nil {
			return s, nil
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			if s, err = f.js.CreateStream(ctx, c); err == nil {
				return s, nil
			}
		}
		if try == 10 || ctx.Err() != nil || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
			return nil, err
		}
		_ = wait(ctx, 300*time.Millisecond)
	}
}

// Close lets go of the connection.
func (f *Fleet) Close() { f.conn.Close() }

// Check returns the error that Connect ends with whatever the servers answer: an address of o.URL
// that is none, or one elsewhere that may let in anybody. It sends nothing and reads no file.
func Check(o Options) error {
	if err := addresses(o); err != nil {
		return err
	}
	return trusted(o)
}

// addresses refuses what is no address of a server, and repeats none of it: it may hold a password
// where nobody can tell.
func addresses(o Options) error {
	for server := range strings.SplitSeq(o.URL, ",") {
		if _, err := parseServer(server); err != nil {
			return &Error{What: "--via is no address of a NATS server", hint: "as in --via nats://127.0.0.1:4222"}
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
	switch {
	case err != nil:
	case u.Hostname() == "":
		err = errors.New("it has no host")
	case !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
		err = errors.New("it has another scheme")
	}
	return u, err
}

// trusted refuses a server elsewhere to which nobody has to prove anything.
func trusted(o Options) error {
	if o.Creds != "" || o.Insecure {
		return nil
	}
	for server := range strings.SplitSeq(o.URL, ",") {
		u, err := parseServer(server)
		if err != nil {
			return err
		}
		if u.User != nil {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return &Error{What: u.Host + " is not on this machine, and no credentials are given",
				hint: "--nats-creds FILE names them; --insecure-nats uses a server that lets in anybody"}
		}
	}
	return nil
}

// credentials returns the options for Creds and CA.
func credentials(o Options) (opts []nats.Option, err error) {
	if o.CA != "" {
		opts = append(opts, nats.RootCAs(o.CA))
	}
	if o.Creds == "" {
		return opts, nil
	}
	text, err := read(o.Creds)
	if err != nil {
		return nil, &Error{"--nats-creds names no file that can be read", "--nats-creds must be the path of a file (.creds, or the seed of an nkey), not what stands in it", err}
	}
	// Credentials have a seed, too, which says nothing to a server without their JWT.
	if !bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		if nkey, err := nats.NkeyOptionFromSeed(o.Creds); err == nil {
			return append(opts, nkey), nil
		}
	}
	return append(opts, nats.UserCredentials(o.Creds)), nil
}

// read reads a file. Its error is without the name: that may be the secret itself.
func read(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return text, err
}

// shown returns the address of servers without what only they should know: a name alone is a
// token there.
func shown(servers string) string {
	var out []string
	for s := range strings.SplitSeq(servers, ",") {
		if u, err := parseServer(s); err == nil {
			out = append(out, u.Scheme+"://"+u.Host)
		}
	}
	return strings.Join(out, ", ")
}

// older reports whether a version is older than another; one that cannot be read is.
func older(v, than string) bool {
	read := func(v string) (n [3]int, ok bool) {
		_, err := fmt.Sscanf(strings.TrimPrefix(v, "v"), "%d.%d.%d", &n[0], &n[1], &n[2])
		return n, err == nil
	}
	a, ok := read(v)
	b, _ := read(than)
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i] || !ok
		}
	}
	return !ok
}

// subject returns a subject of ours.
func subject(tokens ...string) string { return "sitemend." + strings.Join(tokens, ".") }

// wait waits, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
