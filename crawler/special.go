package crawler

import (
	"net/netip"
)

// ranges are the networks that a stranger must not lead a crawler to (IANA's
// special-purpose address registries, RFC 6890), with what they are in words.
var ranges = []struct {
	net netip.Prefix
	is  string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), "a metadata address"},
	{netip.MustParsePrefix("169.254.170.2/32"), "a metadata address"},
	{netip.MustParsePrefix("100.100.100.200/32"), "a metadata address"},
	{netip.MustParsePrefix("168.63.129.16/32"), "a metadata address"},
	{netip.MustParsePrefix("192.0.0.192/32"), "a metadata address"},
	{netip.MustParsePrefix("fd00:ec2::/32"), "a metadata address"},
	{netip.MustParsePrefix("fd20:ce::254/128"), "a metadata address"},
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier-grade NAT address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "a private address"},
	{netip.MustParsePrefix("100::/64"), "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},
	{netip.MustParsePrefix("5f00::/16"), "a reserved address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a private address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
}

// special says what ip is if it is no public address, else "". An IPv6 address
// that carries an IPv4 address is what that one is.
func special(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	for _, r := range ranges {
		if r.net.Contains(ip) {
			return r.is
		}
	}
	if v4, ok := embedded(ip); ok {
		return special(v4)
	}
	return ""
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
	teredo = netip.MustParsePrefix("2001::/32")
	compat = netip.MustParsePrefix("::/96")
	siit   = netip.MustParsePrefix("::ffff:0:0:0/96")
)

// embedded is the IPv4 address that an IPv6 address leads to: NAT64 (RFC 6052),
// 6to4 (RFC 3056), Teredo (RFC 4380, bits turned over), IPv4-translated (RFC
// 7915) and the old IPv4-compatible form (RFC 4291 2.5.5.1).
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip), compat.Contains(ip), siit.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixTo4.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case teredo.Contains(ip):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	}
	return netip.Addr{}, false
}
