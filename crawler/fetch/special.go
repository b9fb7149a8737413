package fetch

import "net/netip"

// A reach says under which conditions a crawler may dial an address.
type reach uint8

const (
	anywhere reach = iota // public: always
	// of a private network: where a target is in one, or the user named the host
	inside
	barred // link-local, cloud metadata, multicast: where the user named the host, or --allow-private
)

// A network is a range of addresses with its reach, and its kind in words; "" where it is public.
type network struct {
	net netip.Prefix
	reach
	is string
}

// networks are IANA's special-purpose address registries for IPv4 and IPv6 (RFC 6890), as of
// 2025-10-09, with multicast and ranges that the registries no longer list; a range within a range
// takes precedence. Ranges that a registry calls globally reachable are public. 2001::/32 and
// 2002::/16 count as the IPv4 address in them.
var networks = func() (all []network) {
	for is, list := range map[string][]string{
		"": {"192.0.0.9/32", "192.0.0.10/32", "192.31.196.0/24", "192.52.193.0/24",
			"192.175.48.0/24",
			"64:ff9b::/96", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32",
			"2001:4:112::/48", "2001:20::/28", "2001:30::/28",
			"2620:4f:8000::/48", "2001::/32", "2002::/16"},
		"a private address": {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
			"fec0::/10", "64:ff9b:1::/48"},
		"a loopback address":          {"127.0.0.0/8", "::1/128"},
		"an unspecified address":      {"0.0.0.0/8", "::/128"},
		"a carrier-grade NAT address": {"100.64.0.0/10"},
		"a reserved address": {"192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "100::/64",
			"100:0:0:1::/64", "2001::/23", "2001:10::/28", "5f00::/16"},
		"a documentation address": {"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
			"2001:db8::/32", "3fff::/20"},
		"a benchmarking address": {"198.18.0.0/15", "2001:2::/48"},
		"a link-local address":   {"169.254.0.0/16", "fe80::/10"},
		"a multicast address":    {"224.0.0.0/4", "ff00::/8"},
		"a metadata address": {"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32",
			"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
			"fd00:ec2::/32", "fd20:ce::254/128"},
	} {
		r := inside
		switch is {
		case "":
			r = anywhere
		case "a link-local address", "a multicast address", "a metadata address":
			r = barred
		}
		for _, s := range list {
			all = append(all, network{netip.MustParsePrefix(s), r, is})
		}
	}
	return all
}()

// special returns the reach of ip and, where it is not public, its kind. For an IPv6 address that
// contains an IPv4 address, the stricter of the two counts.
func special(ip netip.Addr) (reach, string) {
	ip = ip.Unmap().WithZone("")
	worst := own(ip)
	for v4 := range embedded(ip) {
		if n := own(v4); n.reach > worst.reach {
			worst = n
		}
	}
	return worst.reach, worst.is
}

// own returns the narrowest network that contains ip; a public one for none.
func own(ip netip.Addr) (n network) {
	bits := -1
	for _, x := range networks {
		if x.net.Contains(ip) && x.net.Bits() > bits {
			n, bits = x, x.net.Bits()
		}
	}
	return n
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	sixTo4     = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
	compat     = netip.MustParsePrefix("::/96")
	siit       = netip.MustParsePrefix("::ffff:0:0:0/96")
)

// embedded yields the IPv4 addresses that an IPv6 address may lead to: NAT64 (RFC 6052; for the
// prefix for local use, RFC 8215, at each place where a network may have it), 6to4 (RFC 3056), both
// ends of Teredo (RFC 4380, the client's with its bits inverted), ISATAP (RFC 5214, in any
// network), IPv4-translated (RFC 7915) and the old IPv4-compatible form (RFC 4291 2.5.5.1).
func embedded(ip netip.Addr) func(yield func(netip.Addr) bool) {
	return func(yield func(netip.Addr) bool) {
		if !ip.Is6() {
			return
		}
		b := ip.As16()
		at := func(w, x, y, z int) bool {
			return yield(netip.AddrFrom4([4]byte{b[w], b[x], b[y], b[z]}))
		}
		switch {
		case ip.IsUnspecified() || ip.IsLoopback(): // not IPv4-compatible
		case nat64.Contains(ip), compat.Contains(ip), siit.Contains(ip):
			at(12, 13, 14, 15)
		case localNAT64.Contains(ip):
			_ = at(6, 7, 9, 10) && at(7, 9, 10, 11) && at(9, 10, 11, 12) && at(12, 13, 14, 15)
		case sixTo4.Contains(ip):
			at(2, 3, 4, 5)
		case teredo.Contains(ip):
			_ = yield(netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})) && at(4, 5, 6, 7)
		case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe:
			at(12, 13, 14, 15)
		}
	}
}
