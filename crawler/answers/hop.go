// Package answers has what the web is asked, and what it answered: a Hop is one URL with its answer, a Page
// what the answer says of itself, a Memory all that an audit remembers. What follows from it for an entry
// is said elsewhere (package audit).
package answers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
)

// A Request names one question to the web: an address in wire form, and as
// whom it is asked. It is the key under which an answer is remembered.
type Request struct {
	URL     string  `cbor:"1,keyasint,omitzero"` // wire form
	Purpose Purpose `cbor:"2,keyasint,omitzero"`
}

// Purpose says for which purpose an address is asked. The same address asked for
// two purposes has two remembered answers.
type Purpose uint8

// The purposes.
const (
	AsRobot   Purpose = iota // as the crawler of --as
	AsBrowser                // as an ordinary browser that prefers another language
	AsProof                  // as the crawler of --as, a second time
)

// The purposes for files that stand with a page: as the crawler of Google's that reads them, where
// the crawler of --as is Google's. They are asked for what the head of the answer says. Their
// numbers leave out those that stores and workers know with WithoutSecrets.
const (
	AsImage Purpose = 1<<3 + iota
	AsVideo
)

// File reports whether as is for a file that stands with a page, of which the head is enough.
func (as Purpose) File() bool { return as.Base() == AsImage || as.Base() == AsVideo }

// WithoutSecrets is added to a purpose where the user's headers and credentials are
// withheld from an address that would be sent them otherwise: the trail came
// through a stranger's host, or from https to http.
const WithoutSecrets Purpose = 1 << 2

// Base returns as without WithoutSecrets.
func (as Purpose) Base() Purpose { return as &^ WithoutSecrets }

// A Fault says why there was no whole answer to a request; "" where there was one.
type Fault string

// The faults. Each but Forbidden makes an entry unverified.
const (
	FaultTimeout Fault = "timeout"
	FaultDNS     Fault = "dns"
	FaultTLS     Fault = "tls"
	FaultRefused Fault = "refused"
	FaultReset   Fault = "reset"
	FaultNotHTTP Fault = "not-http"
	// FaultEncoding is a body that is not in its Content-Encoding, or ends within it.
	FaultEncoding Fault = "bad-encoding"
	FaultHeader   Fault = "header-too-large"
	FaultAddress  Fault = "address-not-allowed" // guard: private, loopback, ... (contract, section 6)
	FaultRobots   Fault = "robots-unreachable"  // robots.txt: 429, 5xx or no answer
	// FaultRobotsAddress is a robots.txt that redirects to an address that the guard
	// lets nobody ask: its rules are not known, so nothing is asked of its host.
	FaultRobotsAddress Fault = "robots-not-allowed"
	FaultAbandoned     Fault = "host-left"      // the host is left alone: 20 refusals in a row, or 5 of which the last has a Retry-After above 10 minutes
	FaultForbidden     Fault = "robots-forbids" // robots.txt disallows the address; nothing was sent
	FaultUnreachable   Fault = "unreachable"    // any other failure of the network
	// FaultOutside is an address of another host than that of the build which is audited;
	// FaultUnmodelled one of the build of which nobody here knows what its host answers.
	// Nothing is sent for either.
	FaultOutside    Fault = "outside"
	FaultUnmodelled Fault = "unmodelled"
)

// A RuleAt is the place of a rule in a rule file of a build; the zero RuleAt is none.
type RuleAt struct {
	File string `cbor:"1,keyasint,omitzero"` // as the audit names it: "_redirects"
	Line int    `cbor:"2,keyasint,omitzero"` // from 1
}

// A Hop is one address and what it answered. It is the unit that is stored.
type Hop struct {
	Request
	// Status is the HTTP status, 0 where Fault says why there is none.
	Status int   `cbor:"3,keyasint,omitzero"`
	Fault  Fault `cbor:"4,keyasint,omitzero"`
	// Detail is the fault in words ("x509: certificate has expired"), or "".
	Detail string `cbor:"5,keyasint,omitzero"`
	// Location is the first Location header that is not empty, as received,
	// byte for byte; "" for none.
	Location string `cbor:"7,keyasint,omitzero"`
	// Forbidden is the robots.txt line ("Disallow: /private") that forbids the
	// address, set also where --robots note asked all the same; ForbiddenLine
	// is its line number, from 1.
	Forbidden     string `cbor:"8,keyasint,omitzero"`
	ForbiddenLine int    `cbor:"9,keyasint,omitzero"`
	// Challenge names the bot protection that answered in place of the page
	// ("Cloudflare"), or "".
	Challenge string `cbor:"10,keyasint,omitzero"`
	Page      Page   `cbor:"11,keyasint,omitzero"`
	// MS is the time from the request to the end of what was read, in milliseconds. Tries counts the
	// requests sent for this answer. An earlier answer to the same request has counted Counted of them
	// already: Sent is the rest, and its sum over all answers is what was sent.
	MS      int `cbor:"12,keyasint,omitzero"`
	Tries   int `cbor:"13,keyasint,omitzero"`
	Counted int `cbor:"14,keyasint,omitzero"`
	// Pending is set where another try is due, of which the answer takes the place of this one.
	Pending bool `cbor:"15,keyasint,omitzero"`
	// Truncated is set where a limit cut the answer.
	Truncated bool `cbor:"17,keyasint,omitzero"`
	// Rule is the rule that made the answer of a build, or the way to it; zero for none.
	Rule RuleAt    `cbor:"18,keyasint,omitzero"`
	At   time.Time `cbor:"19,keyasint,omitzero"`
	// Links are the links of the page, packed (links.Reader); "" where they were not read. A
	// store keeps them apart from the answer, which it returns without them.
	Links string `cbor:"-" json:"-"`
}

// Sent returns how many requests were sent for h that no earlier answer counts.
func (h *Hop) Sent() int { return max(0, h.Tries-h.Counted) }

// Stands returns h as the last word on its request, where no other try is sent.
func (h Hop) Stands() Hop {
	h.Pending, h.Counted = false, h.Tries
	return h
}

// Mask takes names and passwords out of the addresses that an answer gives (address.Masked).
// Nothing is sent with them, and what is remembered is shown.
func (h *Hop) Mask() {
	p := &h.Page
	for _, ref := range [...]*string{&h.Location, &p.Canonical, &p.CanonicalBase, &p.ScriptTo} {
		if strings.Contains(*ref, "@") {
			*ref = address.MaskedReference(address.Wire(h.URL), *ref)
		}
	}
	for _, text := range [...]*string{&p.Refresh, &p.RefreshHeader} {
		*text = address.MaskedText(*text)
	}
}

// A Page holds what the headers and the head of an HTML answer say about
// indexing. It is read for whole answers of any status; only 200s use it.
type Page struct {
	ContentType string `cbor:"1,keyasint,omitzero"`
	Title       string `cbor:"2,keyasint,omitzero"`
	// Canonical is the rel=canonical of the tag, else of the Link header, as
	// written (not resolved); "" for none. CanonicalBase is the base href that
	// stood before a canonical tag, as written.
	Canonical     string `cbor:"3,keyasint,omitzero"`
	CanonicalBase string `cbor:"4,keyasint,omitzero"`
	// Robots is the directives that concern this robot, of meta tags and
	// X-Robots-Tag headers, joined with ", " ("noindex, follow").
	Robots string `cbor:"5,keyasint,omitzero"`
	// Refresh is the target of a meta refresh (outside noscript) as written, or
	// resolved where a base href stands before it, RefreshHeader that of a
	// Refresh header; with their delays in seconds. A refresh without a target
	// is not recorded.
	Refresh            string  `cbor:"6,keyasint,omitzero"`
	RefreshDelay       float64 `cbor:"7,keyasint,omitzero"`
	RefreshHeader      string  `cbor:"8,keyasint,omitzero"`
	RefreshHeaderDelay float64 `cbor:"9,keyasint,omitzero"`
	// ScriptTo is where a page leads that is nothing but a script which sets
	// location, as written; "" where it is not sure that it does.
	ScriptTo string `cbor:"10,keyasint,omitzero"`
	// Heading is the first h1 that has text, where it is short and not the title.
	Heading string `cbor:"11,keyasint,omitzero"`
	// Password is set where the part of the page that was read has a password
	// field; Script where a script may set location, but not surely: one of the head,
	// of a page without text, or one that does nothing else.
	Password bool `cbor:"12,keyasint,omitzero"`
	Script   bool `cbor:"13,keyasint,omitzero"`
	// Empty is set where there is nothing to see: no text, image, frame or script that runs.
	// Shell is set where there is no text without scripts, but one that is run. Both
	// are known of pages that were read to their end.
	Empty bool `cbor:"14,keyasint,omitzero"`
	Shell bool `cbor:"15,keyasint,omitzero"`
	// Text is a hash of the visible text that the page begins with; 0 for none.
	Text uint64 `cbor:"16,keyasint,omitzero"`
	// Attachment is set where the answer is a file to be saved (Content-Disposition).
	Attachment bool `cbor:"17,keyasint,omitzero"`
}

// A Memory is what an audit remembers of the web.
type Memory interface {
	// Hop returns the latest answer to r, false where there is none. It may be
	// called from several goroutines at once.
	Hop(r Request) (Hop, bool)
	// Err returns why an answer could not be read, nil while all could be. Hop
	// says of such an answer that there is none, so nothing that was made of it may
	// be believed before Err was asked: a page would count as not asked that was.
	// Once it is not nil it stays so. It may be called from several goroutines at
	// once.
	Err() error
}

// Redirects reports whether browsers and Googlebot follow a status. 300, 304,
// 305 and 306 are no redirects (WHATWG Fetch, "redirect status").
func Redirects(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

// FaultTraits are what follows from a fault for the crawler.
type FaultTraits struct {
	// Heals is set where another try may bring another answer.
	Heals bool
	// Busy is set where it may mean that the host is asked too much.
	Busy bool
	// OfHost is set where what one address met meets each of its host.
	OfHost bool
	// Unsent is set where nothing was sent, as whatever the host answers would say nothing: the guard
	// does not let anybody request it, or there is only a build.
	Unsent bool
	// Answered is set where the host answered, though with nothing of use.
	Answered bool
	// Words says it in plain English, as a message goes on; "" where the fault's own name does.
	Words string
}

var faultTraits = map[Fault]FaultTraits{
	FaultTimeout:       {Heals: true, Busy: true, Words: "no answer in time"},
	FaultDNS:           {Heals: true, OfHost: true, Words: "the name does not resolve"},
	FaultTLS:           {Heals: true, OfHost: true, Words: "no secure connection (TLS)"},
	FaultRefused:       {Heals: true, OfHost: true, Words: "the connection was refused"},
	FaultReset:         {Heals: true, Busy: true, Words: "the connection was cut off"},
	FaultNotHTTP:       {Heals: true, Answered: true},
	FaultEncoding:      {Heals: true, Answered: true, Words: "its Content-Encoding does not unpack"},
	FaultHeader:        {Answered: true},
	FaultAddress:       {Unsent: true, OfHost: true, Words: "its address is private (--allow-private permits it)"},
	FaultRobotsAddress: {Answered: true, Words: "its robots.txt leads to an address that is not allowed"},
	FaultAbandoned:     {OfHost: true, Words: "its host was left alone: it gave no usable answer 20 times in a row, or wants to be left alone for more than 10 minutes"},
	FaultUnreachable:   {Heals: true},
	FaultOutside:       {Unsent: true, OfHost: true, Words: "its host is not that of the build"},
	FaultUnmodelled:    {Unsent: true, Answered: true, Words: "what the host answers is not modelled"},
}

// Traits returns what follows from a fault; of one that is not known, nothing does.
func (f Fault) Traits() FaultTraits { return faultTraits[f] }

// Words says in plain English what f is, as a message goes on: "the connection was refused".
func (f Fault) Words() string { return cmp.Or(f.Traits().Words, string(f)) }
