package address

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// names maps international names as browsers do: UTS 46, non-transitional, without checks of
// underscores, hyphens and lengths, which are left to DNS (WHATWG URL, "domain to ASCII", not
// strict).
var names = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.VerifyDNSLength(false),
)

// hostOf returns a host in wire form, or why it is none.
func hostOf(s string) (host, why string) {
	if strings.HasPrefix(s, "[") {
		return ipv6(s)
	}
	host, why = toASCII(DecodeValue(s))
	switch {
	case why != "":
		return "", why
	case host == "":
		return "", "no host"
	case strings.ContainsFunc(host, forbidden):
		return "", "a character that no host may have, such as a space"
	case endsInNumber(host) && !isIPv4(host):
		return "", "host ends in a number and is no IPv4 address"
	}
	return host, ""
}

// forbidden reports whether hosts must not contain a character (WHATWG URL, "forbidden domain code point").
func forbidden(r rune) bool {
	return r <= 0x20 || r == 0x7F || strings.ContainsRune(`#/:<>?@[\]^|%`, r)
}

// portOf returns a port as it stands behind a host, ":8080"; "" for the scheme's default.
func portOf(s, scheme string) (port, why string) {
	if s == "" {
		return "", ""
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return "", "port is no number up to 65535"
	}
	if port = strconv.FormatUint(n, 10); port == defaultPort(scheme) {
		return "", ""
	}
	return ":" + port, ""
}

// ipv6 returns an IPv6 literal in its canonical short form, with all groups in hex (WHATWG URL,
// "IPv6 serializer").
func ipv6(s string) (host, why string) {
	ip, err := netip.ParseAddr(strings.TrimSuffix(s[1:], "]"))
	if err != nil || !ip.Is6() || ip.Zone() != "" || !strings.HasSuffix(s, "]") {
		return "", "not an IPv6 address"
	}
	if ip.Is4In6() {
		v := ip.As16()
		return fmt.Sprintf("[::ffff:%x:%x]", binary.BigEndian.Uint16(v[12:]), binary.BigEndian.Uint16(v[14:])), ""
	}
	return "[" + ip.String() + "]", ""
}

// toASCII maps a decoded host to ASCII in lower case. It leaves xn-- labels that cannot be decoded
// (browsers accept them).
func toASCII(host string) (name, why string) {
	if isASCII(host) {
		return strings.ToLower(host), ""
	}
	switch {
	case !utf8.ValidString(host):
		return "", "host is not UTF-8"
	case len(host) > 4*253: // no DNS name has more letters; Punycode takes the square of their number (RFC 3492, 6.3)
		return "", "host is too long"
	}
	name, err := names.ToASCII(strings.Map(newerMapping, host))
	if err != nil || !isASCII(name) {
		return "", "not a host name"
	}
	return name, ""
}

// newerMapping maps the code points that UTS 46 changed in revision 33 (Unicode 16) and that the
// tables of x/net still forbid: some capitals are mapped, old format characters ignored, and the
// capital sharp S becomes the small one.
func newerMapping(r rune) rune {
	switch {
	case r == 0x1E9E, r == 0x04C0, r == 0x2132, r == 0x2183, r >= 0x10A0 && r <= 0x10C5:
		return unicode.ToLower(r)
	case r == 0x180E, r >= 0x206A && r <= 0x206F:
		return -1
	case r == 0x2F868:
		return 0x36FC
	}
	return r
}

// endsInNumber reports whether the last label is a number: then browsers accept the host only if it
// is an IPv4 address (WHATWG URL, "ends in a number checker"). Numbers that browsers and C libraries
// read as one (127.1, 0x7f000001) stay as written; a dialler must check what they mean.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return isNumber(host[strings.LastIndexByte(host, '.')+1:])
}

// isNumber reports whether a label is a number, decimal or hex.
func isNumber(label string) bool {
	hex, isHex := strings.CutPrefix(label, "0x")
	return label != "" && strings.Trim(label, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == ""
}

// isIPv4 reports whether browsers read host as an IPv4 address (WHATWG URL, "IPv4 parser"): up to
// four numbers, decimal, octal or hex, the last one for all remaining bytes.
func isIPv4(host string) bool {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	for i, p := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if p == "0x" { // 0 to browsers
			continue
		}
		if _, err := strconv.ParseUint(p, 0, max(bits, 1)); err != nil || !isNumber(p) {
			return false
		}
	}
	return len(parts) <= 4
}
