package address

import (
	"cmp"
	"encoding/binary"
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

// plainHost contains the bytes of hosts that need no mapping.
var plainHost = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-_.") {
		t[c] = true
	}
	return t
}()

// forbidden contains the code points that hosts must not contain (WHATWG URL, "forbidden domain
// code point").
var forbidden = func() (t [128]bool) {
	for c := range t {
		t[c] = c <= 0x20 || c == 0x7F || strings.IndexByte(`#/:<>?@[\]^|%`, byte(c)) >= 0
	}
	return t
}()

// appendAuthority appends host and port of the authority s[i:end]. It drops user and password,
// which precede the last "@".
func appendAuthority(b []byte, s string, i, end int, scheme string) ([]byte, *SyntaxError) {
	if at := strings.LastIndexByte(s[i:end], '@'); at >= 0 {
		i += at + 1
	}
	host, port := splitPort(s[i:end])
	if host == "" {
		return b, &SyntaxError{Pos: i, Why: "no host"}
	}
	b, err := appendHost(b, host)
	if err != nil {
		err.Pos += i
		return b, err
	}
	digits, why := portOf(port, scheme)
	if why != "" {
		return b, &SyntaxError{Pos: i + len(host) + 1, Why: why}
	}
	if digits != "" {
		b = append(append(b, ':'), digits...)
	}
	return b, nil
}

// splitPort splits an authority at the colon of its port; it ignores the colons of an IPv6 literal.
func splitPort(s string) (host, port string) {
	from := strings.LastIndexByte(s, ']') + 1
	if from == 0 && s != "" && s[0] == '[' {
		return s, ""
	}
	if c := strings.IndexByte(s[from:], ':'); c >= 0 {
		return s[:from+c], s[from+c+1:]
	}
	return s, ""
}

// portOf returns a port without leading zeros, "" for the scheme's default, or why it is not a
// port.
func portOf(s, scheme string) (digits, why string) {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return "", "port is not a number"
		}
	}
	if s == "" {
		return "", ""
	}
	digits = cmp.Or(strings.TrimLeft(s, "0"), "0")
	if n, err := strconv.Atoi(digits); err != nil || n > 65535 {
		return "", "port is over 65535"
	}
	if digits == defaultPort(scheme) {
		return "", ""
	}
	return digits, ""
}

// appendHost appends a host in wire form.
func appendHost(b []byte, host string) ([]byte, *SyntaxError) {
	if host[0] == '[' {
		return appendIPv6(b, host)
	}
	name, err := toASCII(decode(host))
	if err != "" {
		return b, &SyntaxError{Pos: firstOdd(host), Why: err}
	}
	start := len(b)
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if forbidden[c] {
			return b, &SyntaxError{Pos: firstOdd(host), Why: "byte that no host may have"}
		}
		b = append(b, c)
	}
	if name := b[start:]; endsInNumber(name) && !isIPv4(string(name)) {
		return b, &SyntaxError{Pos: 0, Why: "host ends in a number and is no IPv4 address"}
	}
	return b, nil
}

// appendIPv6 appends an IPv6 literal in its canonical short form, with all groups in hex (WHATWG
// URL, "IPv6 serializer").
func appendIPv6(b []byte, host string) ([]byte, *SyntaxError) {
	if host[len(host)-1] != ']' {
		return b, &SyntaxError{Pos: len(host), Why: "IPv6 address without its closing bracket"}
	}
	ip, err := netip.ParseAddr(host[1 : len(host)-1])
	if err != nil || !ip.Is6() || ip.Zone() != "" {
		return b, &SyntaxError{Pos: 0, Why: "not an IPv6 address"}
	}
	if ip.Is4In6() {
		v := ip.As16()
		b = append(b, "[::ffff:"...)
		b = strconv.AppendUint(b, uint64(binary.BigEndian.Uint16(v[12:])), 16)
		b = append(b, ':')
		b = strconv.AppendUint(b, uint64(binary.BigEndian.Uint16(v[14:])), 16)
		return append(b, ']'), nil
	}
	return append(ip.AppendTo(append(b, '[')), ']'), nil
}

// toASCII maps a decoded host to ASCII. The case of a host that is ASCII already is left, and so
// are xn-- labels that cannot be decoded (browsers accept both).
func toASCII(host string) (name, why string) {
	if isASCII(host) {
		return host, ""
	}
	if !utf8.ValidString(host) {
		return "", "host is not UTF-8"
	}
	name, err := names.ToASCII(strings.Map(newerMapping, host))
	if err != nil || !isASCII(name) {
		return "", "not a host name"
	}
	if name == "" {
		return "", "no host"
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

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// firstOdd returns the index of the first byte of a host that is not plain; 0 where all are.
func firstOdd(host string) int {
	for i := 0; i < len(host); i++ {
		if c := host[i]; !plainHost[c] && !(c >= 'A' && c <= 'Z') {
			return i
		}
	}
	return 0
}

// decode resolves every %XX of s once.
func decode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		b = append(b, t.value)
		i += int(t.len)
	}
	return string(b)
}

// ToUnicodeHost returns a host for display: xn-- labels in their own script where mapping the
// result back gives the same host, nothing in it is invisible, and it could not be mistaken for
// another one (Homograph); else the host as it is.
func ToUnicodeHost(host string) string {
	if !strings.Contains(host, "xn--") {
		return host
	}
	u, err := names.ToUnicode(host)
	if err != nil || strings.ContainsFunc(u, hidden) {
		return host
	}
	if back, err := names.ToASCII(u); err != nil || back != host || Homograph(host) {
		return host
	}
	return u
}
