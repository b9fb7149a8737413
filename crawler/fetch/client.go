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
	"strings"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
	// NoProxy ignores HTTP_PROXY and HTTPS_PROXY.
	NoProxy bool
	// OnPrivate is called when the Guard begins to allow private addresses; may be nil.
	OnPrivate func()
	// MaxBody is how many bytes of a page are read, unpacked; 0 means 2,000,000 (Google reads the
	// first 2 MB).
	MaxBody int64
	// Links reads the links of pages into answers.Hop.Links.
	Links bool
	// Site answers requests in place of the network; may be nil.
	Site Site

	// Resolver and Dial replace the system's resolver and the DialContext of a net.Dialer that
	// consults the Guard. Routed, which reports whether this machine has a route to an address,
	// replaces the question to the system. All may be nil.
	Resolver *net.Resolver
	Dial     DialFunc
	Routed   func(netip.Addr) bool
}

// Answer is what a response contains besides the Hop.
type Answer struct {
	// RetryAfter is how long the server asks the client to wait; 0 for no such wish.
	RetryAfter time.Duration
	// Stale is set beside a Fault where a kept connection ended before the answer came, or an
	// HTTP/2 server refused the stream: that says little about the address, and trying again at
	// once may help.
	Stale bool
}

// Limits of one request.
const (
	defaultTimeout = 30 * time.Second
	fetchTime      = 10 * time.Minute // of one request of a Get
	defaultBody    = 2_000_000
	maxDrain       = 256 << 10 // bytes of an unread body that are read to keep the connection
	maxFileDrain   = 16 << 10  // for an image or video: less than a connection costs
)

// A Client sends single requests: it follows no redirects of pages, tries nothing again, reads no
// robots.txt and limits no rate; the layers above do. Its methods are safe for concurrent use.
//
// It sends every byte of an address as the wire form has it. It neither keeps nor sends cookies.
type Client struct {
	o          Options
	headers    map[answers.Purpose]headerSet // by the base of a purpose
	overrides  hostOverrides
	echoes     echoes
	token      string // of the robot in meta tags, in lower case
	transports transports
	machine    *machine
	shims      sync.Pool // of *collyShim
	answers    sync.Pool // of *answer
}

// New returns a Client. It reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY now.
func New(o Options) *Client {
	o.Timeout, o.MaxBody = cmp.Or(max(0, o.Timeout), defaultTimeout), cmp.Or(max(0, o.MaxBody), defaultBody)
	if o.Guard == nil {
		o.Guard = NewGuard(nil, nil, false)
	}
	browser, _ := LookupIdentity("browser")
	browser.languages = "ja,fr;q=0.9,de;q=0.8,es;q=0.7" // whatever the language of a page is, one of these is another
	robot := newHeaderSet(o.Identity, &o)
	a := &Client{o: o, overrides: newHostOverrides(&o), echoes: newEchoes(&o), token: strings.ToLower(o.Identity.Token),
		headers: map[answers.Purpose]headerSet{answers.AsRobot: robot, answers.AsProof: robot, answers.AsBrowser: newHeaderSet(browser, &o),
			answers.AsImage: newHeaderSet(o.Identity.For(answers.AsImage), &o), answers.AsVideo: newHeaderSet(o.Identity.For(answers.AsVideo), &o)},
		machine: newMachine(o.Resolver, o.Routed)}
	a.transports = newTransports(&o, &a.overrides)
	a.shims.New = func() any { return newCollyShim(a) }
	a.answers.New = func() any { return new(answer) }
	return a
}

// Close closes the idle connections. Those of requests under way close when the requests end.
func (a *Client) Close() { a.transports.close() }

// Mapped returns a reference of the answer to a request for at. Where it names the host that --map
// puts in place of another, that one is in its place.
func (a *Client) Mapped(ref string, at address.Address) string { return a.overrides.read(ref, at) }

// Ask sends one request and returns the answer. It has no error: what went wrong is the Fault of
// the hop. Where ctx ended, the hop is meaningless. Headers and credentials are sent to audited hosts
// only, and never where req has WithoutSecrets.
func (a *Client) Ask(ctx context.Context, req answers.Request) (answers.Hop, Answer) {
	p := a.answers.Get().(*answer)
	defer a.answers.Put(p)
	*p = answer{a: a, hop: answers.Hop{Request: req}}
	p.x = exchange{Request: http1.Request{Context: ctx, Until: time.Now().Add(a.o.Timeout)}, answer: p}
	p.request()
	return p.hop, p.extra
}

// A File names a file to get, a robots.txt or a sitemap, and says how.
type File struct {
	URL     address.Address
	Purpose answers.Purpose // as whom
	// Redirects is how many redirects are followed.
	Redirects int
	// Limit is how many bytes are written at most; 0 for no limit.
	Limit int64
	// Turn is called before each request and returns when it may be sent. It returns a function
	// that is called with the answer. nil sends at once.
	Turn func(context.Context, address.Address) (done func(*answers.Hop, Answer), err error)
}

// FileResult is the result of a Get.
type FileResult struct {
	// Status is the status of the last answer; 0 where Fault says why there is none. Where it is
	// that of a redirect, the redirect was not followed: there were too many, or it has no usable
	// Location.
	Status int
	Fault  answers.Fault
	Detail string // of the fault, in words
	// Final is the address of the last request.
	Final address.Address
	// Trail contains every request that was sent, in order.
	Trail []answers.Hop
	// Bytes is how many bytes were written; Truncated is set where Limit cut the file.
	Bytes       int64
	Truncated   bool
	ContentType string
	Challenge   string // as in answers.Hop: from the headers, and from the body of a refusal
	Answer
	// Strange is set where a host that is not audited took part in the answer: addresses that the
	// file names are requested without the user's headers and credentials.
	Strange bool
}

// Get fetches a file and writes the body of a 2xx answer to w as it arrives, with its
// Content-Encoding undone. The exception is a .xml.gz, whose content is packed: it stays packed
// even where Content-Encoding names that packing. Get follows redirects one by one, with the same
// guard and the same rules for headers and credentials as Ask; these are dropped for good at the
// first host that is not audited, and at a redirect from https to http (answers.Withheld).
//
// Each request ends after Options.Timeout without a byte and after ten minutes in total, without its
// Turn. What the web does wrong is in FileResult. The error is that of w, of Turn, or of ctx: then w may
// have part of a file, and only Trail of the FileResult is valid.
func (a *Client) Get(ctx context.Context, f File, w io.Writer) (FileResult, error) {
	got := FileResult{Final: f.URL}
	for secrets := (answers.Withheld{Has: a.audited, Way: f.Purpose & answers.WithoutSecrets}); ; {
		p, err := a.getOne(ctx, &f, answers.Request{URL: got.Final.String(), Purpose: secrets.As(f.Purpose, got.Final)}, w)
		if p != nil {
			got.Trail = append(got.Trail, p.hop)
		}
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return got, err
		}
		next := got.add(p)
		if next.IsZero() || len(got.Trail) > f.Redirects {
			got.Strange = !secrets.Familiar(got.Final)
			return got, nil
		}
		secrets.Next(got.Final, next, answers.ByHTTP)
		got.Final = next
	}
}

// add adds an answer, and returns the address it redirects to; the zero Address for none.
func (g *FileResult) add(p *answer) address.Address {
	hop := &p.hop
	g.Status, g.Fault, g.Detail = hop.Status, hop.Fault, hop.Detail
	g.Bytes, g.Truncated, g.Answer = p.file.bytes, p.file.cut, p.extra
	g.ContentType, g.Challenge = hop.Page.ContentType, hop.Challenge
	if hop.Fault != "" || !answers.Redirects(hop.Status) || hop.Location == "" || hop.Truncated {
		return address.Address{}
	}
	next, err := address.Resolve(g.Final, hop.Location)
	if err != nil || len(next.String()) > address.MaxLength {
		return address.Address{}
	}
	return next
}

// errIdle ends a Get that received no byte for too long.
var errIdle = errors.New("no byte in time")

// getOne sends one request of a Get.
func (a *Client) getOne(ctx context.Context, f *File, req answers.Request, w io.Writer) (*answer, error) {
	done := func(*answers.Hop, Answer) {}
	if f.Turn != nil {
		var err error
		if done, err = f.Turn(ctx, address.Wire(req.URL)); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(a.o.Timeout, func() { cancel(errIdle) })
	defer idle.Stop()
	p := &answer{a: a, hop: answers.Hop{Request: req}, file: &fileBody{w: w, limit: f.Limit, wake: func() { idle.Reset(a.o.Timeout) }}}
	p.x = exchange{Request: http1.Request{Context: ctx}, answer: p}
	p.request()
	done(&p.hop, p.extra)
	return p, p.file.broken
}

// request sends the request of p, which ends with p.x.Context.
func (p *answer) request() {
	start := time.Now()
	p.hop.Tries, p.hop.At = 1, start.UTC()
	if err := p.a.send(&p.x, address.Wire(p.hop.URL), p.hop.Purpose); err != nil {
		if errors.Is(context.Cause(p.x.Context), errIdle) {
			err = errIdle
		}
		p.extra.Stale = errors.Is(err, http1.ErrStale)
		if p.hop.Fault, p.hop.Detail = FaultLocal, p.a.machine.ours(err); p.hop.Detail == "" {
			p.hop.Fault, p.hop.Detail = faultOf(err)
			p.hop.Detail = p.a.echoes.said(p.hop.URL).maskFolded(p.hop.Detail) // it may quote the answer
		}
		p.hop.Status, p.hop.Location, p.hop.Links = 0, "", ""
		p.hop.Page = answers.Page{}
	}
	p.hop.MS = int(time.Since(start).Milliseconds())
	if p.x.site != nil {
		p.hop.Rule = p.x.site.Rule
	}
}

// A Site answers requests in place of the network: a build in a folder that no server has yet. Its
// answers are processed like any other, so pages, redirects and files are read alike. Its methods
// may be called concurrently.
type Site interface {
	// Answer returns the answer to a request for an address; ok is false where the request is to go
	// to the network.
	Answer(at address.Address) (a SiteAnswer, ok bool)
	// File is Answer for a robots.txt or a sitemap (Client.Get).
	File(at address.Address) (a SiteAnswer, ok bool)
}

// A SiteAnswer is the answer of a Site.
type SiteAnswer struct {
	Status int
	Header http.Header // may be nil
	// Body is closed after it was read; nil for none. Length is its length in bytes.
	Body   io.ReadCloser
	Length int64
	Rule   answers.RuleAt // the rule of a rule file that made the answer; zero for none
	// Fault says why there is no answer, with a Detail in words; "" where there is one.
	Fault  answers.Fault
	Detail string
}
