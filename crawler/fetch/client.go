package fetch

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch/internal/http1"
)

// Options configures a Client.
type Options struct {
	Identity Identity
	// Timeout limits one request for a page, its body included; 0 means 30 s. For a Get it limits
	// the time without a byte.
	Timeout time.Duration
	// Headers, User and Pass are the secrets of the audited hosts: they are sent to the addresses
	// for which Audited returns true, and nowhere else. A nil Audited allows none.
	Headers    []Header
	User, Pass string
	Audited    func(address.Address) bool
	// Resolve maps a "host:port" to what is dialled in its place: "addr" or "addr:port". It has no
	// effect through a proxy.
	Resolve map[string]string
	// Map maps a host (host or host:port) to the one that is requested in its place: the
	// connection, TLS and the Host header use the other name. A Location, refresh or canonical that
	// names the other host is read as naming the host it stands for.
	Map map[string]string
	// RootCAs are the trusted certificates; nil means those of the system.
	RootCAs *x509.CertPool
	// Guard decides what may be dialled; nil allows only public addresses.
	Guard *Guard
	// OnTarget is called once for each target of Guard, with the place of the first connection to
	// it; may be nil.
	OnTarget func(host string, at Place)
	// NoProxy ignores HTTP_PROXY and HTTPS_PROXY.
	NoProxy bool
	// Parallel is how many requests may be under way for one host, which limits the connections
	// that are kept open; 0 means 128.
	Parallel int
	// AtOnce is how many requests may be under way over all hosts; 0 means the result of AtOnce(0).
	AtOnce int
	// MaxBody is how many bytes of a page are read, unpacked; 0 means 2,000,000 (Google reads the
	// first 2 MB).
	MaxBody int64
	// Links reads the links of pages into audit.Hop.Links.
	Links bool
	// Site answers requests in place of the network; may be nil.
	Site Site

	// NetHTTP sends every request over net/http's Transport, none over package http1.
	NetHTTP bool
	// Resolver and Dial replace the system's resolver and the DialContext of a net.Dialer that
	// consults the Guard. Routed, which reports whether this machine has a route to an address,
	// replaces the question to the system. All may be nil.
	Resolver *net.Resolver
	Dial     DialFunc
	Routed   func(netip.Addr) bool

	flow *flow // for tests, in place of the flow that follows from Timeout
}

// Answer is what a response contains besides the Hop.
type Answer struct {
	// RetryAfter is how long the server asks the client to wait; 0 for no such wish.
	RetryAfter time.Duration
	// Stale is set beside a Fault where a kept connection ended before the answer came, or an
	// HTTP/2 server refused the stream: that says little about the address, and trying again at
	// once may help.
	Stale bool
	// Server is the server or host that the response names ("nginx", "Netlify"); "" for none that
	// is known.
	Server string
}

// Limits of one request.
const (
	defaultTimeout = 30 * time.Second
	defaultBody    = 2_000_000
	packedSlack    = 1 << 20   // bytes beyond the limit that a packed body may have
	maxDrain       = 256 << 10 // bytes of an unread body that are read to keep the connection
	maxFileDrain   = 16 << 10  // for an image or video: less than a connection costs
	drainTime      = 2 * time.Second
)

// A Client sends single requests: it follows no redirects, tries nothing again, reads no robots.txt
// and limits no rate; the layers above do. Its methods are safe for concurrent use.
//
// It sends every byte of an address as the wire form has it. It neither keeps nor sends cookies.
type Client struct {
	o          Options
	robot      headerSet
	browser    headerSet
	image      headerSet // of robot, for images; video for videos
	video      headerSet
	overrides  hostOverrides
	echoes     *echoes
	tokens     []string
	transports transports
	slots      *slots
	machine    *machine
	shims      sync.Pool // of *collyShim
	pages      sync.Pool // of *pageAnswer
}

// New returns a Client. It reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY now.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultBody
	}
	if o.Parallel <= 0 {
		o.Parallel = 128
	}
	if o.AtOnce <= 0 {
		o.AtOnce = AtOnce(0)
	}
	if o.Guard == nil {
		o.Guard = NewGuard(nil, nil, false)
	}
	browser, _ := LookupIdentity("browser")
	a := &Client{o: o, robot: newHeaderSet(o.Identity, &o), browser: newHeaderSet(browser, &o).foreign(&o),
		image: newHeaderSet(o.Identity.For(audit.AsImage), &o),
		video: newHeaderSet(o.Identity.For(audit.AsVideo), &o), overrides: newHostOverrides(&o), echoes: newEchoes(&o)}
	a.tokens, a.slots, a.machine = o.Identity.tokens(), newSlots(o.AtOnce),
		newMachine(o.Resolver, o.Routed)
	a.transports = newTransports(&o, &a.overrides, a.machine)
	a.shims.New = func() any { return newCollyShim() }
	a.pages.New = func() any { return new(pageAnswer) }
	return a
}

// Close closes the idle connections. Those of requests under way close when the requests end.
func (a *Client) Close() { a.transports.close() }

// Proxied reports whether requests for an address go through a proxy. Then the Guard can check only
// hosts that are literal addresses.
func (a *Client) Proxied(at address.Address) bool {
	through, _ := a.transports.proxies(a.overrides.target(at))
	return through
}

// Mapped returns a reference of the answer to a request for at. Where it names the host that --map
// puts in place of another, that one is in its place.
func (a *Client) Mapped(ref string, at address.Address) string { return a.overrides.read(ref, at) }

// Ask sends one request and returns the answer. It has no error: what went wrong is the Fault of
// the hop. Where ctx ended, the hop is meaningless; where nothing was sent (SendsWhile) it has no
// Tries. Headers and credentials are sent to audited hosts only, and never where req has
// WithoutSecrets.
func (a *Client) Ask(ctx context.Context, req audit.Request) (audit.Hop, Answer) {
	if err := a.slots.enter(ctx); err != nil {
		return audit.Hop{Request: req}, Answer{}
	}
	defer a.slots.leave()
	start := time.Now()
	p := a.pages.Get().(*pageAnswer)
	*p = pageAnswer{a: a, hop: audit.Hop{Request: req, Tries: 1, At: start.UTC()}}
	p.x = exchange{ctx: ctx, until: start.Add(a.o.Timeout), flow: pageFlow(a.o.Timeout), take: p}
	err := a.send(&p.x, address.Wire(req.URL), req.Purpose)
	if err != nil {
		p.answer.Stale = p.x.stale
		p.hop.Fault, p.hop.Detail = a.faultOf(ctx, err, start)
		p.hop.Status, p.hop.Location, p.hop.Page, p.hop.Links = 0, "", audit.Page{}, ""
	} else {
		a.slots.pass()
	}
	hop, answer := p.hop, p.answer
	hop.Rule = p.x.rule
	hop.MS = int(time.Since(start).Milliseconds())
	a.pages.Put(p)
	return hop, answer
}

// faultOf is faultOf, or FaultLocal with a detail where the failure is of this machine. Where this
// machine had no room for the connection of a request that began at began, it halves the slots.
func (a *Client) faultOf(ctx context.Context, err error, began time.Time) (audit.Fault, string) {
	var site *siteFault
	if errors.As(err, &site) {
		return site.fault, site.detail
	}
	why := a.machine.ours(ctx, err)
	if why == "" {
		a.slots.pass()
		return faultOf(err)
	}
	if why == NoFiles || why == NoPorts {
		a.slots.halve(began)
		a.transports.rest()
	}
	return FaultLocal, why
}

// send sends one request and passes the answer to x.take.
func (a *Client) send(x *exchange, at address.Address, as audit.Purpose) error {
	really, known := a.echoes.really(at)
	if !known || really != at && !a.bears(really, as) {
		return &siteFault{audit.FaultUnreachable, "its address holds a header or password of the audit, and is not requested so"}
	}
	at = really
	if s, ok := a.siteOf(x, at); ok {
		x.to, x.transport = at, s
		return a.throughColly(x)
	}
	x.to = a.overrides.target(at)
	d := &a.robot
	switch as.Base() {
	case audit.AsBrowser:
		d = &a.browser
	case audit.AsImage:
		d = &a.image
	case audit.AsVideo:
		d = &a.video
	}
	x.headers, x.host = &d.plain, x.to.HostPort()
	if a.bears(at, as) {
		if x.headers = &d.secret; d.host != "" {
			x.host = d.host
		}
	}
	if err := a.o.Guard.Host(x.to.Host()); err != nil && !a.overrides.names(x.to.Host()) {
		return err
	}
	a.transports.route(x)
	if a.o.flow != nil {
		x.flow = *a.o.flow
	}
	if _, own := x.transport.(*ownHTTP1); !own && !x.until.IsZero() {
		x.ctx, x.cancel = context.WithDeadline(x.ctx, x.until)
		defer x.cancel()
	}
	err := a.throughColly(x)
	if err == nil && x.proxied {
		a.o.settled(x.to.Host(), a.o.Guard.Answered(x.to.Host()))
	}
	return err
}

// settled calls OnTarget where the place of a target is known now.
func (o *Options) settled(host string, at Place) {
	if at != Nowhere && o.OnTarget != nil {
		o.OnTarget(host, at)
	}
}

// throughColly sends a request over its transport, by way of colly.
func (a *Client) throughColly(x *exchange) error {
	l := a.shims.Get().(*collyShim)
	defer a.shims.Put(l)
	return l.do(x)
}

// pageAnswer receives the answer to Ask.
type pageAnswer struct {
	a      *Client
	x      exchange
	hop    audit.Hop
	answer Answer

	packed, content capped // the body, before and after its content codings are undone
}

func (p *pageAnswer) take(resp *http.Response) error {
	p.hop.Status = resp.StatusCode
	p.answer.Server = serverOf(resp.Header)
	if v := first(resp.Header, "Retry-After"); v != "" {
		p.answer.RetryAfter = retryAfter(v, time.Now())
	}
	p.hop.Location, p.hop.Truncated = audit.Kept(locationOf(resp.Header))
	page := newPageReader(address.Wire(p.hop.URL), p.a.tokens)
	defer page.Release()
	page.Header(resp.Header)
	if p.wantsLinks() {
		page.readLinks(&p.a.overrides, p.a.echoes.said(p.hop.URL))
	}
	err := p.body(page, resp)
	p.hop.Page = page.Page()
	if p.hop.Truncated { // the rest of the page is unknown
		p.hop.Page.Empty, p.hop.Page.Shell, p.hop.Page.ScriptTo = false, false, ""
	}
	p.hop.Challenge = challenge(&p.hop, resp.Header, p.suspect(page), page.bare())
	p.readRefs()
	p.keepLinks(page)
	return err
}

// suspect returns the part of a body that is searched for a bot challenge: nothing where the page
// names its canonical, for challenge pages have none.
func (p *pageAnswer) suspect(page *pageReader) []byte {
	if p.hop.Status < 300 && p.hop.Page.Canonical != "" {
		return nil
	}
	return page.Prefix()
}

// locationOf returns the first Location that is not empty, as browsers do; "" for none.
func locationOf(h http.Header) string { return cmp.Or(h["Location"]...) }

// body reads the body of a page. Like Google it ignores the body of a redirect, and of anything but
// HTML.
func (p *pageAnswer) body(page *pageReader, resp *http.Response) error {
	if resp.Body == http.NoBody && !audit.Redirects(resp.StatusCode) {
		page.Nothing()
	}
	if p.hop.Purpose.File() {
		if resp.ContentLength >= 0 && resp.ContentLength <= maxFileDrain {
			drain(resp, p.x.cancel)
		}
		return nil
	}
	if audit.Redirects(resp.StatusCode) || !page.IsHTML() || resp.Body == http.NoBody {
		drain(resp, p.x.cancel)
		return nil
	}
	p.packed = capped{r: resp.Body, left: p.a.o.MaxBody + packedSlack}
	r, done, err := undo(resp.Header, &p.packed, bounds{p.packed.left, p.x.ended})
	defer done()
	if err != nil {
		return err
	}
	p.content = capped{r: r, left: p.a.o.MaxBody}
	err = page.Body(&p.content)
	if p.content.over || p.packed.over {
		p.hop.Truncated = true
		return nil
	}
	if err == nil && len(contentCodings(resp.Header)) > 0 {
		drain(resp, p.x.cancel)
	}
	return err
}

// readRefs reads addresses that name the target of --map as naming the host it stands for, and
// removes the passwords from all addresses, and secrets of the audit from all that is kept: what is
// stored is shown.
func (p *pageAnswer) readRefs() {
	e := &p.a.overrides
	at, page := address.Wire(p.hop.URL), &p.hop.Page
	p.hop.Mask()
	if len(e.from) > 0 {
		for _, ref := range []*string{&p.hop.Location, &page.Canonical, &page.CanonicalBase,
			&page.Refresh, &page.RefreshHeader, &page.ScriptTo} {
			*ref = e.read(*ref, at)
		}
	}
	p.a.echoes.hide(&p.hop)
}

// drain reads the rest of a body, at most maxDrain bytes within drainTime, so that its connection
// can be used again; where more is left, closing the body ends the connection. A stream of HTTP/2
// is not drained. cancel ends the reading of a body of net/http.
func drain(resp *http.Response, cancel func()) {
	if resp.Body == http.NoBody || resp.ProtoMajor != 1 || resp.ContentLength > maxDrain {
		return
	}
	if own, ok := resp.Body.(*http1.Body); ok {
		if !own.Within(drainTime, resp.ContentLength) {
			return
		}
	} else {
		defer time.AfterFunc(drainTime, cancel).Stop()
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain+1)
}

// exchange is one request on its way through colly.
type exchange struct {
	ctx               context.Context
	until             time.Time          // zero where only ctx ends it
	cancel            context.CancelFunc // of ctx; nil on a transport that observes until itself
	stale             bool               // a kept connection turned out to have ended
	flow              flow
	body              flowing // body of an answer over net/http
	to                address.Address
	host              string // the Host header
	headers           *headers
	transport         transport
	proxied, absolute bool // the request goes through a proxy; and its first line contains the host
	take              receiver
	rule              audit.RuleAt
	err               error
	request           http1.Request // what own returned last
}

// ended returns why the exchange has to end; nil while it may go on.
func (x *exchange) ended() error { return x.own().Ended() }

// own returns the exchange as a request of package http1.
func (x *exchange) own() *http1.Request {
	x.request = http1.Request{Context: x.ctx, Until: x.until, To: x.to, Host: x.host,
		Lines: x.headers.lines, Close: x.headers.last, Flow: &x.flow}
	return &x.request
}

// receiver reads an answer. The caller closes the body after it.
type receiver interface {
	take(resp *http.Response) error
}
