package fleet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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

// Oldest is the oldest version of nats-server that Connect accepts.
const Oldest = "2.14.9"

// Options says how to reach the servers.
type Options struct {
	URL  string // nats://HOST:PORT[,nats://...]; tls:// for TLS in any case
	Name string // the name under which the servers list this process
	// Creds names a file with the credentials of a user (.creds) or the seed of an nkey. CA names a
	// PEM file of certificates to trust. "" for none.
	Creds, CA string
	Replicas  int // of the streams that are created; 0: 3 with three servers or more, else 1
	Timing    Timing
	// Warn receives, in plain words, what the process is waiting for; nil for silence.
	Warn func(format string, args ...any)
}

// Timing holds the durations of the protocol. A zero field stands for its default.
type Timing struct {
	Alive  time.Duration // a session that was not renewed for this long may be declared dead (15 s)
	Margin time.Duration // its worker stops sending this long before that (3 s)
	Ticket time.Duration // a ticket not heard of for this long goes to another worker (30 s)
	Slice  time.Duration // a key may go to another worker after this long (10 min)
	Gather time.Duration // the longest that an answer waits for others before it is sent home (1 s)
	Linger time.Duration // how long a worker keeps a key without requests (1 s)
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

// A Fleet is a connection to the servers. It is safe for concurrent use.
type Fleet struct {
	o    Options
	t    Timing
	conn *nats.Conn
	js   jetstream.JetStream

	urls, tickets, results, cells *stream

	wall func() time.Time // the clock of this machine, which may be wrong and may jump
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

// Connect connects to the servers and creates the streams that are missing; it uses existing ones
// as they are. Its errors have a Hint, except that of ctx where ctx ends first.
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

// dial is nats.Connect that also returns when ctx ends: a server that accepts the connection and
// sends nothing holds up nats.Connect for nats.Timeout.
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

// unconnected returns the error for servers that cannot be reached.
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

// open checks the server and opens the streams.
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

// stream opens a stream, and creates it where it is missing. It tries again for a moment, for a
// cluster that has just started cannot create one yet.
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

// Close closes the connection.
func (f *Fleet) Close() { f.conn.Close() }

// Check returns the error that Connect would return whatever the servers answer: an address in
// o.URL that is malformed, or one that is not on loopback, without credentials. It sends nothing
// and reads no file.
func Check(o Options) error {
	if err := addresses(o); err != nil {
		return err
	}
	return trusted(o)
}

// addresses returns an error for what is not the address of a server. The error does not repeat the
// text, which may contain a password at a place that no parser can tell.
func addresses(o Options) error {
	for server := range strings.SplitSeq(o.URL, ",") {
		if _, err := parseServer(server); err != nil {
			return &Error{What: "--via is not the address of a NATS server", hint: "as in --via nats://127.0.0.1:4222"}
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

// trusted returns an error for a server that is not on loopback where o has no credentials for it.
func trusted(o Options) error {
	if o.Creds != "" {
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
				hint: "--nats-creds FILE gives them"}
		}
	}
	return nil
}

// credentials returns the connection options for Creds and CA.
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
	// A file of credentials contains a seed, too, which is useless to a server without the JWT.
	if !bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		if nkey, err := nats.NkeyOptionFromSeed(o.Creds); err == nil {
			return append(opts, nkey), nil
		}
	}
	return append(opts, nats.UserCredentials(o.Creds)), nil
}

// maxCreds is how much of a file of credentials or certificates is read.
const maxCreds = 16 << 20

// read reads a file, as far as maxCreds. Its error does not contain the name, which may be the secret itself.
func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	var text []byte
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, maxCreds))
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return text, err
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

// older reports whether version v is older than another, or cannot be read.
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

// subject returns the subject of this package that consists of tokens.
func subject(tokens ...string) string { return "sitemend." + strings.Join(tokens, ".") }

// wait waits for d, or until ctx ends, and then returns its error.
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
