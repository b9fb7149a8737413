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
	of    [robots][]netip.Prefix
	heads [1 << 10]uint64 // one bit for each head of an address of the set
}

// head returns the octets that tell most networks apart: the first two of an IPv4 address, the third
// and fourth of an IPv6 address.
func head(a netip.Addr) int {
	if a.Is4() {
		b := a.As4()
		return int(b[0])<<8 | int(b[1])
	}
	b := a.As16()
	return int(b[2])<<8 | int(b[3])
}

func (r *Ranges) add(robot Robot, x netip.Prefix) {
	x = x.Masked()
	r.of[robot] = append(r.of[robot], x)
	whole := 32 // bits of a prefix with one head
	if x.Addr().Is4() {
		whole = 16
	}
	from, n := head(x.Addr()), 1<<min(max(whole-x.Bits(), 0), 16)
	for i := from; i < from+n; i++ {
		r.heads[i>>6&1023] |= 1 << (i & 63)
	}
}

// near quickly reports whether an address may be a robot's.
func (r *Ranges) near(a netip.Addr) bool {
	i := head(a)
	return a.IsValid() && r.heads[i>>6]&(1<<(i&63)) != 0
}

func (r *Ranges) contains(robot Robot, a netip.Addr) bool {
	return r.near(a) && slices.ContainsFunc(r.of[robot], func(x netip.Prefix) bool { return x.Contains(a) })
}

// AddKnown adds all ranges that were ever published, as of KnownDate.
func (r *Ranges) AddKnown() {
	for robot, text := range [robots]string{knownGoogle, knownBing} {
		for word := range strings.FieldsSeq(text) {
			r.add(Robot(robot), netip.MustParsePrefix(word))
		}
	}
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
// "bing" in its name is Bing's, any other Google's. Where the text is
// invalid Add returns an error, and adds nothing.
func (r *Ranges) Add(name string, text []byte) (int, error) {
	var list published
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, fmt.Errorf("%s is no list of address ranges: %w", name, err)
	}
	named := [robots][]string{list.Googlebot, list.Bingbot}
	whose := Googlebot
	if strings.Contains(strings.ToLower(name), "bing") {
		whose = Bingbot
	}
	for _, p := range list.Prefixes {
		named[whose] = append(named[whose], p.IPv4+p.IPv6)
	}
	var found [robots][]netip.Prefix
	n := 0
	for robot, texts := range named {
		for _, text := range texts {
			x, err := netip.ParsePrefix(text)
			if err != nil {
				return 0, fmt.Errorf("%q is no address range", text)
			}
			found[robot] = append(found[robot], x)
			n++
		}
	}
	if n == 0 {
		return 0, errors.New("the list has no address ranges")
	}
	for robot, list := range found {
		for _, x := range list {
			r.add(Robot(robot), x)
		}
	}
	return n, nil
}
