package accesslog

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// A Robot is a crawler whose requests are counted.
type Robot uint8

// The robots.
const (
	Googlebot Robot = iota
	Bingbot
	robots
)

// String returns "googlebot" or "bingbot".
func (r Robot) String() string { return [...]string{"googlebot", "bingbot"}[r] }

// names are what the user agent of each contains. Googlebot-Image, Google-InspectionTool and others
// use the same addresses and prove nothing about a page.
var names = [robots][]byte{[]byte("Googlebot/2.1"), []byte("bingbot/2.0")}

// suffixes are the ends of the DNS names of each robot's addresses
// (https://developers.google.com/crawling/docs/crawlers-fetchers/verifying-googlebot,
// https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26).
var suffixes = [robots]string{".googlebot.com", ".search.msn.com"}

// MaxLookups is how many addresses are looked up at most, each once.
const MaxLookups = 1000

// A Resolver looks up the names of addresses and the addresses of names. *net.Resolver is one.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) ([]string, error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Robots identifies the robot that sent a request. It is safe for concurrent use.
type Robots struct {
	ranges   *Ranges
	resolver Resolver

	lock  sync.Mutex // held during a lookup, too
	found map[netip.Addr][robots]bool
}

// NewRobots returns Robots that verifies addresses by ranges and, where resolver is not nil, by
// reverse and forward DNS those that are in no range and have a robot's name.
func NewRobots(ranges *Ranges, resolver Resolver) *Robots {
	return &Robots{ranges: ranges, resolver: resolver, found: map[netip.Addr][robots]bool{}}
}

// A Standing is what is known about the sender of a request.
type Standing uint8

// The standings.
const (
	Nobody   Standing = iota // no robot's name, and no robot's address
	Verified                 // a robot's address, with its name or without any
	Apart                    // a robot's address, with another name: that for images, or of a tool
	Claimed                  // the name of a robot, without proof
)

// concern quickly reports whether the standing of a request may be other than Nobody.
func (r *Robots) concern(addr netip.Addr, agent []byte) bool {
	return r.ranges.near(addr) || bytes.Contains(agent, []byte("bot/2.")) // as in names
}

// Of returns the robot that sent a request, and the standing. It may look the address up in DNS,
// until ctx ends.
func (r *Robots) Of(ctx context.Context, req *Request) (Robot, Standing) {
	for robot := range robots {
		if !r.ranges.contains(robot, req.Addr) {
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

// lookUp returns the robots that DNS assigns an address to. It looks each address up once.
func (r *Robots) lookUp(ctx context.Context, a netip.Addr) [robots]bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	of, ok := r.found[a]
	if !ok && len(r.found) < MaxLookups {
		of = thereAndBack(ctx, r.resolver, a)
		r.found[a] = of
	}
	return of
}

// patience is the time limit of one lookup.
const patience = 5 * time.Second

// thereAndBack looks up the names of an address and the addresses of these names: the owner of an
// address can give it any name, but cannot give the name that address.
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
