package crawler

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/audit"
)

// What fails on this machine says nothing of a site: too many open files, no route to
// the network, a name server that is down. It is never remembered as an answer. The
// request is made again when that is over, and where it lasts the audit stops.

// faultOurs is the fault of a request that failed on this machine. It never leaves
// this package, and no store sees it.
const faultOurs audit.Fault = "ours"

// How long a failure of this machine is waited for: where nothing has been answered
// yet it is most likely there to stay.
const (
	firstPatience = 15 * time.Second
	lastPatience  = 2 * time.Minute
	longestPause  = 15 * time.Second
)

// An OutageError says that an audit was stopped because something lasts that fails on
// this machine. What was answered is remembered, and the audit can be continued.
type OutageError struct{ Why string }

// Error says what fails.
func (e *OutageError) Error() string { return "this machine has " + e.Why }

// Hint returns what the user can do.
func (e *OutageError) Hint() string {
	if e.Why == noFiles {
		return "raise ulimit -n, or lower --parallel-all; the same command continues the audit"
	}
	return "look after the network of this machine; the same command continues the audit"
}

// What can fail on this machine.
const (
	noFiles  = "no room for another connection (too many open files)"
	noPorts  = "no free port for another connection"
	noRoute  = "no route to the network"
	noServer = "no name server that answers"
)

// outage is a failure of this machine as the crawler lives with it: while it lasts
// nobody sends anything but to see whether it is over.
type outage struct {
	warn func(format string, args ...any) // told in words when it begins and ends; may be nil

	mu       sync.Mutex
	since    time.Time // zero where there is none
	until    time.Time // nothing is sent before
	answered bool      // some request was answered in this run
	err      error     // it lasted for too long
	gone     chan struct{}
}

// hold waits while nothing is to be sent. Its error is ctx's, or an *OutageError.
func (o *outage) hold(ctx context.Context) error {
	for {
		o.mu.Lock()
		wait, err := time.Until(o.until), o.err
		o.mu.Unlock()
		if err = cmp.Or(err, ctx.Err()); err != nil || wait <= 0 {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-o.gone:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// failed notes that a request failed on this machine, which it does since first; zero
// is now. Its error is an *OutageError where nothing else was answered for too long. alone is set
// where others are, so that this one has been waited for long enough.
func (o *outage) failed(why string, first *time.Time) (alone bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, most := time.Now(), firstPatience
	if first.IsZero() {
		*first = now
	}
	if o.answered {
		most = lastPatience
	}
	if o.since.IsZero() {
		o.since = now
		if o.warn != nil {
			o.warn("this machine has %s: waiting for %s at most", why, most)
		}
	}
	if o.err == nil && now.Sub(o.since) >= most {
		o.err = &OutageError{why}
		close(o.gone)
	}
	if !now.Before(o.until) { // else another one that was under way together has noted it
		o.until = now.Add(min(longestPause, max(time.Second, now.Sub(o.since))))
	}
	return o.since.After(*first) && now.Sub(*first) >= lastPatience, o.err
}

// unanswered is the fault of a request that failed on this machine for as long as it is
// waited for, while others were answered: one request is not to hold up an audit.
func unanswered(why string) (audit.Fault, string) {
	return audit.FaultUnreachable, "this machine has " + why
}

// passed notes that a request was answered by its server, or by its silence.
func (o *outage) passed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answered = true
	if o.since.IsZero() {
		return
	}
	if o.warn != nil {
		o.warn("it goes on after %s", time.Since(o.since).Round(time.Second))
	}
	o.since, o.until = time.Time{}, time.Time{}
}

// machine tells what fails on this machine from what the web does.
type machine struct {
	resolver *net.Resolver
	route    func(netip.Addr) bool // reports whether there is a route to an address

	known atomic.Pointer[string] // the name that was last resolved; nil for none

	mu     sync.Mutex
	looked time.Time // when the name server was last looked at
	down   bool      // what that saw
}

func newMachine(resolver *net.Resolver) *machine {
	if resolver == nil { // Go's own, for it says alike on every system what went wrong
		resolver = &net.Resolver{PreferGo: true}
	}
	return &machine{resolver: resolver, route: hasRoute}
}

// ours says what failed on this machine; "" where an error is not ours.
func (m *machine) ours(ctx context.Context, err error) string {
	var dns *net.DNSError
	switch {
	case isAny(err, codesFull):
		return noFiles
	case errors.As(err, &dns):
		// It keeps but the text of an error. In that of any other a server may have a say.
		if slices.ContainsFunc(codesFull, func(code error) bool { return strings.Contains(dns.Err, code.Error()) }) {
			return noFiles
		}
		if !dns.IsNotFound && m.noNames(ctx) {
			return noServer
		}
	case isAny(err, codesNoAddress):
		if ip, ok := dialledAddr(err); ok && m.route(ip) {
			return noPorts // else the machine has no address of this kind
		}
	case isAny(err, codesNoRoute):
		if ip, ok := dialledAddr(err); ok && !m.route(ip) && m.offline() {
			return noRoute
		}
	}
	return ""
}

// isAny reports whether an error is one of those codes of the system.
func isAny(err error, codes []error) bool {
	return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
}

// dialledAddr is the address of which an error speaks.
func dialledAddr(err error) (netip.Addr, bool) {
	var op *net.OpError
	if !errors.As(err, &op) || op.Addr == nil {
		return netip.Addr{}, false
	}
	at, e := netip.ParseAddrPort(op.Addr.String())
	return at.Addr().Unmap(), e == nil
}

// Addresses of the public network, one of each kind; nothing is sent to them. That
// they are those of two root name servers means nothing.
var public = []netip.Addr{netip.MustParseAddr("198.41.0.4"), netip.MustParseAddr("2001:503:ba3e::2:30")}

// offline reports whether there is no route to any public address. A machine that has
// one only for IPv4 is not offline: that it cannot reach a host of IPv6 is no failure
// that will be over.
func (m *machine) offline() bool { return !m.route(public[0]) && !m.route(public[1]) }

// hasRoute asks the system for a route. To connect a socket of UDP sends nothing.
func hasRoute(ip netip.Addr) bool {
	c, err := net.Dial("udp", netip.AddrPortFrom(ip, 9).String())
	if err != nil {
		return !isAny(err, slices.Concat(codesNoRoute, codesNoAddress, codesNoFamily))
	}
	_ = c.Close()
	return true
}

// Times of looking at the name server.
const (
	lookFor = 5 * time.Second // an answer
	lookAge = time.Second     // for which what was seen holds
)

// noNames reports whether the name server is down. One name that it cannot resolve is
// the fault of that name's own servers, so it is asked who serves the root. A server
// that refuses to say so is not down; whether it resolves names is seen from one that
// was resolved before. That may have come from a file of this machine: the server is
// asked who serves it, which such a file does not say, and that it knows of no such name
// is an answer.
func (m *machine) noNames(ctx context.Context) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.looked) >= lookAge {
		works, answers := m.serves(ctx, ".")
		if known := m.known.Load(); !works && known != nil {
			answers, _ = m.serves(ctx, *known)
		}
		m.down, m.looked = !answers, time.Now()
	}
	return m.down
}

// serves asks the name server who serves a name: works reports whether it could tell,
// answers whether it said anything at all, which it did where it works.
func (m *machine) serves(ctx context.Context, name string) (works, answers bool) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	_, err := m.resolver.LookupNS(ctx, name)
	var dns *net.DNSError // of what a server said it keeps the text alone
	if err == nil || errors.As(err, &dns) && dns.IsNotFound {
		return true, true
	}
	return false, dns != nil && (strings.Contains(dns.Err, "misbehaving") || strings.Contains(dns.Err, "lame referral"))
}

// named notes that a name was resolved.
func (m *machine) named(host string) {
	host = strings.TrimSuffix(host, ".") + "."
	m.known.Store(&host)
}
