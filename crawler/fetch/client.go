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

// Options says how a Client asks.
type Options struct {
	Identity Identity
	// Timeout is for one page, its body included; 0 means 30 s. A Get may take
	// as long without a byte.
	Timeout time.Duration
	// Headers, User and Pass are the secrets of the audited hosts: they are
	// sent where Audited agrees to the scheme, host and port of an address, and
	// nowhere else. A nil Audited agrees to none.
	Headers    []Header
	User, Pass string
	Audited    func(address.Address) bool
	// Resolve is what is dialled in place of a "host:port": "addr" or
	// "addr:port". Through a proxy it has no effect.
	Resolve map[string]string
	// Map names the host (host or host:port) that is asked in place of another:
	// connection, TLS and Host header are those of the other. A Location, refresh
	// or canonical that names it is read as naming the host it stands for.
	Map map[string]string
	// RootCAs is the certificates that are trusted; nil means the system's.
	RootCAs *x509.CertPool
	// Guard says what may be dialled; nil lets only public addresses be.
	Guard *Guard
	// OnTarget is called once for each target of Guard, with where the first connection to
	// it was made. nil for no call.
	OnTarget func(host string, at Place)
	// NoProxy leaves HTTP_PROXY and HTTPS_PROXY aside.
	NoProxy bool
	// Parallel is how many requests are under way for one host, for the number
	// of connections that are kept open; 0 means 128.
	Parallel int
	// AtOnce is how many requests are under way over all hosts; 0 means what AtOnce
	// returns for it.
	AtOnce int
	// MaxBody is how many bytes of a page are read, unpacked; 0 means 2,000,000
	// (Google reads the first 2 MB).
	MaxBody int64
	// Conditional keeps the validators of a 200, for AskAgain.
	Conditional bool
	// Links reads the links of the pages that the robot gets (audit.Hop.Links).
	Links bool
	// Site answers in place of the network; nil for none.
	Site Site

	// NetHTTP sends all over net/http's Transport, none over the HTTP/1.1 that is ours.
	NetHTTP bool
	// Bind is the address of this machine from which connections are made; the zero one for
	// whichever fits.
	Bind netip.Addr
	// Resolver and Dial are used in place of the system's resolver and net.Dialer's
	// DialContext, which ask the Guard; Routed, which reports whether this machine has a
	// route to an address, in place of asking the system. nil for these.
	Resolver *net.Resolver
	Dial     DialFunc
	Routed   func(netip.Addr) bool

	flow *flow // tests: in place of that of Timeout
}

// Answer is what an answer says besides the Hop.
type Answer struct {
	// RetryAfter is how long the server asks to be left alone, 0 for no wish.
	RetryAfter time.Duration
	// Stale is set beside a Fault where the connection was an old one that ended
	// before the answer, or an HTTP/2 server gave the stream back: that says
	// little of the address, and asking again at once may help.
	Stale bool
	// Server names the server or host that says it answered ("nginx", "Netlify"), "" for none that
	// is known: one of Servers.
	Server string
}

// Limits of one request.
const (
	defaultTimeout = 30 * time.Second
	defaultBody    = 2_000_000
	packedSlack    = 1 << 20   // bytes by which a packed body may be longer than its content
	maxDrain       = 256 << 10 // bytes of an unread body that are read to keep the connection
	maxFileDrain   = 16 << 10  // of an image or a video: less than another connection takes
	drainTime      = 2 * time.Second
)

// A Client sends requests, one hop each: no redirect is followed, nothing is
// tried again, no robots.txt is looked at and nobody waits his turn; those are
// layers above. Its methods may be called from several goroutines at once.
//
// Every byte of an address goes over the wire as it stands in the wire form.
// Cookies are neither kept nor sent.
type Client struct {
	o          Options
	robot      headerSet
	browser    headerSet
	foreign    headerSet // of robot, with another language
	image      headerSet // of robot, for images; video for videos
	video      headerSet
	overrides  hostOverrides
	tokens     []string
	transports transports
	slots      *slots
	machine    *machine
	shims      sync.Pool // of *collyShim
	pages      sync.Pool // of *pageAnswer
}

// New returns a Client. The proxies of HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY are read now.
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
	a := &Client{o: o, robot: newHeaderSet(o.Identity, &o), browser: newHeaderSet(browser, &o),
		foreign: newHeaderSet(o.Identity, &o).foreign(),
		image:   newHeaderSet(o.Identity.For(audit.AsImage), &o),
		video:   newHeaderSet(o.Identity.For(audit.AsVideo), &o), overrides: newHostOverrides(&o)}
	a.tokens, a.slots, a.machine = o.Identity.tokens(), newSlots(o.AtOnce),
		newMachine(o.Resolver, o.Routed)
	a.transports = newTransports(&o, &a.overrides, a.machine)
	a.shims.New = func() any { return newCollyShim(&a.transports) }
	a.pages.New = func() any { return new(pageAnswer) }
	return a
}

// Close closes the connections that are kept open. Requests under way end first.
func (a *Client) Close() { a.transports.close() }

// Proxied reports whether requests for an address go through a proxy. Then the
// Guard sees only hosts that are literal addresses.
func (a *Client) Proxied(at address.Address) bool {
	through, _ := a.transports.proxies(a.overrides.target(at))
	return through
}

// Ask sends one request and returns what came back. It never fails: what went
// wrong is the hop's Fault. Where ctx ends the hop is worthless; where nothing was sent
// (SendsWhile) it has no Tries. Headers and
// credentials are sent to audited hosts only, and not where req says WithoutSecrets.
func (a *Client) Ask(ctx context.Context, req audit.Request) (audit.Hop, Answer) {
	return a.ask(ctx, req, nil)
}

// ask is Ask; where last is given, a 304 will do.
func (a *Client) ask(ctx context.Context, req audit.Request, last *audit.Hop) (audit.Hop, Answer) {
	if err := a.slots.enter(ctx); err != nil {
		return audit.Hop{Request: req}, Answer{}
	}
	defer a.slots.leave()
	start := time.Now()
	p := a.pages.Get().(*pageAnswer)
	*p = pageAnswer{a: a, hop: audit.Hop{Request: req, Tries: 1, At: start.UTC()}}
	p.x = exchange{ctx: ctx, until: start.Add(a.o.Timeout), flow: pageFlow(a.o.Timeout), take: p,
		last: last}
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

// faultOf is faultOf, or FaultLocal with what failed on this machine. Where that had no
// room for the connection of a request that began at a time, there are fewer requests at
// once from now on.
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

// send sends one request and hands the answer to x.take.
func (a *Client) send(x *exchange, at address.Address, as audit.Purpose) error {
	if s, ok := a.siteOf(x, at); ok {
		x.to, x.transport = at, s
		return a.throughColly(x)
	}
	x.to = a.overrides.target(at)
	d := &a.robot
	switch as.Base() {
	case audit.AsBrowser:
		d = &a.browser
	case audit.AsForeign:
		d = &a.foreign
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
	if x.last != nil {
		x.headers = conditions(x.headers, x.last)
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

// settled reports where a target is, once that is known.
func (o *Options) settled(host string, at Place) {
	if at != Nowhere && o.OnTarget != nil {
		o.OnTarget(host, at)
	}
}

// throughColly sends a request over its transport.
func (a *Client) throughColly(x *exchange) error {
	l := a.shims.Get().(*collyShim)
	defer a.shims.Put(l)
	return l.do(x)
}

// pageAnswer takes the answer to Ask.
type pageAnswer struct {
	a      *Client
	x      exchange
	hop    audit.Hop
	answer Answer
}

func (p *pageAnswer) take(resp *http.Response) error {
	p.hop.Status = resp.StatusCode
	p.answer.Server = serverOf(resp.Header)
	if v := first(resp.Header, "Retry-After"); v != "" {
		p.answer.RetryAfter = retryAfter(v, time.Now())
	}
	p.hop.Location, p.hop.Truncated = audit.Kept(locationOf(resp.Header))
	p.validators(resp)
	page := newPageReader(address.Wire(p.hop.URL), p.a.tokens)
	defer page.Release()
	page.Header(resp.Header)
	if p.wantsLinks() {
		page.readLinks(&p.a.overrides)
	}
	err := p.body(page, resp)
	p.hop.Page = page.Page()
	if p.hop.Truncated { // what follows is not known
		p.hop.Page.Empty, p.hop.Page.Shell, p.hop.Page.ScriptTo = false, false, ""
	}
	p.hop.Challenge = challenge(&p.hop, resp.Header, p.suspect(page), page.bare())
	p.readRefs()
	p.keepLinks(page)
	return err
}

// suspect is the part of a body that is looked into for a bot challenge: none of
// a page that names its canonical, which no challenge does.
func (p *pageAnswer) suspect(page *pageReader) []byte {
	if p.hop.Status < 300 && p.hop.Page.Canonical != "" {
		return nil
	}
	return page.Prefix()
}

// ChallengeIn names the bot protection that a body which was got from an address is the
// page of, "" where it is not one; the error is that of body.
func ChallengeIn(at address.Address, status int, contentType string, body io.Reader) (string,
	error) {
	page := newPageReader(at, nil)
	defer page.Release()
	page.Header(http.Header{"Content-Type": {contentType}})
	if !page.IsHTML() {
		return "", nil
	}
	if err := page.Body(io.LimitReader(body, defaultBody)); err != nil {
		return "", err
	}
	hop := audit.Hop{Request: audit.Request{URL: at.String()}, Status: status, Page: page.Page()}
	p := pageAnswer{hop: hop}
	return challenge(&hop, nil, p.suspect(page), page.bare()), nil
}

// locationOf returns the first Location that is not empty, as browsers take it; "" for none.
func locationOf(h http.Header) string { return cmp.Or(h["Location"]...) }

// body reads what a page's body says. The body of a redirect is ignored, as
// Google does, and that of anything but HTML.
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
	packed := &capped{r: resp.Body, left: p.a.o.MaxBody + packedSlack}
	r, done, err := undo(resp.Header, packed, bounds{packed.left, p.x.ended})
	defer done()
	if err != nil {
		return err
	}
	content := &capped{r: r, left: p.a.o.MaxBody}
	err = page.Body(content)
	if content.over || packed.over {
		p.hop.Truncated = true
		return nil
	}
	if err == nil && len(contentCodings(resp.Header)) > 0 {
		drain(resp, p.x.cancel)
	}
	return err
}

// readRefs reads addresses that name the TO of --map as naming its FROM, and takes the passwords
// out of all: nothing is sent with them, and what is remembered is shown.
func (p *pageAnswer) readRefs() {
	e := &p.a.overrides
	at, page := address.Wire(p.hop.URL), &p.hop.Page
	p.hop.Mask()
	if len(e.from) == 0 {
		return
	}
	for _, ref := range []*string{&p.hop.Location, &page.Canonical, &page.CanonicalBase,
		&page.Refresh, &page.RefreshHeader, &page.ScriptTo} {
		*ref = e.read(*ref, at)
	}
}

// drain reads a small rest of a body so that its connection can be used again,
// if that takes no time; closing the body does the rest. A stream of HTTP/2 is
// no connection. cancel ends the reading of a body that is net/http's.
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
	until             time.Time          // zero where ctx alone ends it
	cancel            context.CancelFunc // of ctx; nil on a transport that keeps until itself
	stale             bool               // it came to the end of a connection that was kept open
	flow              flow
	body              flowing // of an answer over net/http
	to                address.Address
	host              string // the Host header
	headers           *headers
	transport         transport
	proxied, absolute bool // the request goes through a proxy; and names the host in its first line
	take              receiver
	last              *audit.Hop // the answer that a 304 confirms; nil for none
	rule              audit.RuleAt
	err               error
	request           http1.Request // of it, as own returned it last
}

// ended says why there is no more time for it; nil where there is.
func (x *exchange) ended() error { return x.own().Ended() }

// own is it as our own HTTP/1.1 takes it.
func (x *exchange) own() *http1.Request {
	x.request = http1.Request{Context: x.ctx, Until: x.until, To: x.to, Host: x.host,
		Lines: x.headers.lines, Close: x.headers.last, Flow: &x.flow}
	return &x.request
}

// receiver takes what it wants of an answer. The body is closed after it.
type receiver interface {
	take(resp *http.Response) error
}
