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
// takes precedence. Ranges that a registry calls globally reachable are public. Old forms of IPv6
// addresses with an IPv4 address in them are nobody's website.
var networks = func() (all []network) {
	for is, list := range map[string][]string{
		"": {"192.0.0.9/32", "192.0.0.10/32", "192.31.196.0/24", "192.52.193.0/24",
			"192.175.48.0/24",
			"64:ff9b::/96", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32",
			"2001:4:112::/48", "2001:20::/28", "2001:30::/28",
			"2620:4f:8000::/48"},
		"a private address": {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
			"fec0::/10"},
		"a loopback address":          {"127.0.0.0/8", "::1/128"},
		"an unspecified address":      {"0.0.0.0/8", "::/128"},
		"a carrier-grade NAT address": {"100.64.0.0/10"},
		"a reserved address": {"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
			"203.0.113.0/24", "240.0.0.0/4", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:2::/48", "2001:10::/28",
			"2001:db8::/32", "3fff::/20", "5f00::/16"},
		"a link-local address":        {"169.254.0.0/16", "fe80::/10"},
		"an address of another in it": {"64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"},
		"a multicast address":         {"224.0.0.0/4", "ff00::/8"},
		"a metadata address": {"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32",
			"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
			"fd00:ec2::/32", "fd20:ce::254/128"},
	} {
		r := inside
		switch is {
		case "":
			r = anywhere
		case "a link-local address", "a multicast address", "a metadata address", "an address of another in it":
			r = barred
		}
		for _, s := range list {
			all = append(all, network{netip.MustParsePrefix(s), r, is})
		}
	}
	return all
}()

// nat64 are the addresses under which a network without IPv4 reaches those of IPv4 (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// special returns the reach of ip and, where it is not public, its kind: those of the narrowest
// network that contains it.
func special(ip netip.Addr) (r reach, is string) {
	ip = ip.Unmap().WithZone("")
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	bits := -1
	for _, n := range networks {
		if n.net.Contains(ip) && n.net.Bits() > bits {
			r, is, bits = n.reach, n.is, n.net.Bits()
		}
	}
	return r, is
}
