package accesslog

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A Ranges is a set of address ranges of robots. The zero Ranges is empty. It is safe for
// concurrent reads, not for reads during writes.
type Ranges struct {
	of [robots]prefixes
}

// prefixes is a set of addresses in which most others are quickly found to be missing.
type prefixes struct {
	four  []netip.Prefix
	six   []netip.Prefix
	heads [1 << 10]uint64 // one bit for each /16 that contains an IPv4 address of the set
}

func (p *prefixes) add(x netip.Prefix) {
	x = x.Masked()
	if !x.Addr().Is4() {
		p.six = append(p.six, x)
		return
	}
	p.four = append(p.four, x)
	a := x.Addr().As4()
	from := int(a[0])<<8 | int(a[1])
	to := from
	if x.Bits() < 16 {
		to = from + 1<<(16-x.Bits()) - 1
	}
	for i := from; i <= to; i++ {
		p.heads[i>>6] |= 1 << (i & 63)
	}
}

func (p *prefixes) contains(a netip.Addr) bool {
	list := p.six
	if a.Is4() {
		b := a.As4()
		i := int(b[0])<<8 | int(b[1])
		if p.heads[i>>6]&(1<<(i&63)) == 0 {
			return false
		}
		list = p.four
	}
	return slices.ContainsFunc(list, func(x netip.Prefix) bool { return x.Contains(a) })
}

// addAll adds prefixes separated by white space.
func (p *prefixes) addAll(text string) {
	for _, word := range strings.Fields(text) {
		p.add(netip.MustParsePrefix(word))
	}
}

// AddKnown adds all ranges that were ever published, as of KnownDate.
func (r *Ranges) AddKnown() {
	r.of[Googlebot].addAll(knownGoogle)
	r.of[Bingbot].addAll(knownBing)
}

// published is a list in the form of Google and Bing, or several by robot.
type published struct {
	Prefixes []struct {
		IPv4 string `json:"ipv4Prefix"`
		IPv6 string `json:"ipv6Prefix"`
	} `json:"prefixes"`
	Googlebot []string `json:"googlebot"`
	Bingbot   []string `json:"bingbot"`
}

// Add adds the ranges of a file in the form that Google and Bing publish, or {"googlebot": [...],
// "bingbot": [...]}, and returns their number. A published list does not name its owner: one with
// "bing" in its name, or with ranges of Bing's, is Bing's, any other Google's. Where the text is
// invalid Add returns an error, and adds nothing.
func (r *Ranges) Add(name string, text []byte) (int, error) {
	var list published
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, fmt.Errorf("no list of address ranges: %w", err)
	}
	var found [robots][]netip.Prefix
	var all []string
	for _, p := range list.Prefixes {
		all = append(all, p.IPv4+p.IPv6)
	}
	unnamed, err := parse(all)
	if err != nil {
		return 0, err
	}
	google, err1 := parse(list.Googlebot)
	bing, err2 := parse(list.Bingbot)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	found[Googlebot], found[Bingbot] = google, bing
	whose := owner(name, unnamed)
	found[whose] = append(found[whose], unnamed...)
	n := 0
	for robot, list := range found {
		for _, x := range list {
			r.of[robot].add(x)
			n++
		}
	}
	if n == 0 {
		return 0, errors.New("the list has no address ranges")
	}
	return n, nil
}

func parse(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no address range", text)
		}
		out = append(out, p)
	}
	return out, nil
}

// owner returns the robot of a list.
func owner(name string, list []netip.Prefix) Robot {
	if strings.Contains(strings.ToLower(name), "bing") {
		return Bingbot
	}
	var bing prefixes
	bing.addAll(knownBing)
	if slices.ContainsFunc(list, func(x netip.Prefix) bool { return bing.contains(x.Addr()) }) {
		return Bingbot
	}
	return Googlebot
}
