package accesslog

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// A Robot is one of those whose requests are looked at.
type Robot uint8

// The robots.
const (
	Googlebot Robot = iota
	Bingbot
	robots
)

// String returns "googlebot" or "bingbot".
func (r Robot) String() string { return [...]string{"googlebot", "bingbot"}[r] }

// names is what the user agent of each contains. Googlebot-Image, Google-InspectionTool and others
// come from the same addresses and prove nothing about a page.
var names = [robots][]byte{[]byte("Googlebot/2.1"), []byte("bingbot/2.0")}

// suffixes end the names that the addresses of each have in DNS
// (https://developers.google.com/crawling/docs/crawlers-fetchers/verifying-googlebot,
// https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26).
var suffixes = [robots]string{".googlebot.com", ".search.msn.com"}

// MaxLookups is how many addresses are looked up at most, each once.
const MaxLookups = 1000

// A Resolver is asked for the names of addresses and the addresses of names. *net.Resolver is one.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) ([]string, error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Robots reports whose a request is. It may be used by several goroutines.
type Robots struct {
	ranges   *Ranges
	resolver Resolver
	proxies  prefixes

	lock    sync.Mutex
	found   map[netip.Addr]*lookup
	skipped int
}

// lookup is what DNS says of an address.
type lookup struct {
	once sync.Once
	of   [robots]bool
}

// NewRobots returns Robots that verify by ranges and, where resolver is not nil, by DNS there and
// back what bears a robot's name and is in no range.
func NewRobots(ranges *Ranges, resolver Resolver) *Robots {
	r := &Robots{ranges: ranges, resolver: resolver, found: map[netip.Addr]*lookup{}}
	r.proxies.addAll(cloudflare)
	return r
}

// A Standing says what is known of who sent a request.
type Standing uint8

// The standings.
const (
	Nobody   Standing = iota // bears no robot's name, and comes from none of its addresses
	Verified                 // from a robot's address, with its name or without any
	Apart                    // from a robot's address, with another name: of images, of a tool
	Claimed                  // bears the name of a robot, which nothing proves
)

// concern reports quickly whether a request may be any but Nobody's.
func (r *Robots) concern(addr netip.Addr, agent []byte) bool {
	if addr.IsValid() && (r.ranges.of[Googlebot].contains(addr) ||
		r.ranges.of[Bingbot].contains(addr)) {
		return true
	}
	return len(agent) > 0 && (bytes.Contains(agent, []byte("Googlebot")) ||
		bytes.Contains(agent, []byte("bingbot")))
}

// Of says whose a request is. It may look an address up in DNS, until ctx ends.
func (r *Robots) Of(ctx context.Context, req *Request) (Robot, Standing) {
	for robot := range robots {
		if !req.Addr.IsValid() || !r.ranges.of[robot].contains(req.Addr) {
			continue
		}
		if len(req.Agent) == 0 || bytes.Contains(req.Agent, names[robot]) {
			return robot, Verified
		}
		return robot, Apart
	}
	for robot := range robots {
		if !bytes.Contains(req.Agent, names[robot]) {
			continue
		}
		if r.resolver != nil && req.Addr.IsValid() && r.lookUp(ctx, req.Addr)[robot] {
			return robot, Verified
		}
		return robot, Claimed
	}
	return 0, Nobody
}

// Skipped is how many addresses were not looked up because MaxLookups others were.
func (r *Robots) Skipped() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.skipped
}

// Hidden reports whether an address is a proxy's: a private one, or Cloudflare's. The log has the
// client's elsewhere, if at all.
func (r *Robots) Hidden(a netip.Addr) bool {
	return a.IsValid() && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() ||
		r.Cloudflare(a))
}

// Cloudflare reports whether an address is one of Cloudflare's proxies.
func (r *Robots) Cloudflare(a netip.Addr) bool { return r.proxies.contains(a) }

// lookUp says whose an address is by DNS. Each is asked for once.
func (r *Robots) lookUp(ctx context.Context, a netip.Addr) [robots]bool {
	r.lock.Lock()
	l := r.found[a]
	if l == nil {
		if len(r.found) >= MaxLookups {
			r.skipped++
			r.lock.Unlock()
			return [robots]bool{}
		}
		l = &lookup{}
		r.found[a] = l
	}
	r.lock.Unlock()
	l.once.Do(func() { l.of = thereAndBack(ctx, r.resolver, a) })
	return l.of
}

// patience is how long one lookup may take.
const patience = 5 * time.Second

// thereAndBack asks for the names of an address and for the addresses of those: whoever has an
// address can give it any name, but not the name an address.
func thereAndBack(ctx context.Context, resolver Resolver, a netip.Addr) (of [robots]bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	found, _ := resolver.LookupAddr(ctx, a.WithZone("").String()) // no answer proves nothing
	for _, name := range found {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		for robot, suffix := range suffixes {
			if !strings.HasSuffix(name, suffix) || of[robot] {
				continue
			}
			back, _ := resolver.LookupNetIP(ctx, "ip", name)
			for _, b := range back {
				of[robot] = of[robot] || b.Unmap() == a
			}
		}
	}
	return of
}
