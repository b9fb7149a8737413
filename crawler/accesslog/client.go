package accesslog

import (
	"bytes"
	"net/netip"
)

// quad parses an IPv4 address at the beginning of b, the most frequent kind, and returns its
// length; 0 where there is none.
func quad(b []byte) (addr uint32, n int) {
	dots := 0
	part, digits := uint32(0), 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c >= '0' && c <= '9':
			part = part*10 + uint32(c-'0')
			digits++
			if part > 255 || digits > 3 {
				return 0, 0
			}
			continue
		case c == '.' && digits > 0 && dots < 3:
			addr = addr<<8 | part
			part, digits = 0, 0
			dots++
			continue
		}
		n = i
		break
	}
	if n == 0 {
		n = len(b)
	}
	if dots != 3 || digits == 0 {
		return 0, 0
	}
	return addr<<8 | part, n
}

// fromQuad returns an IPv4 address as a netip.Addr.
func fromQuad(v uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
}

// client parses the address of a client: with a port, in brackets, with a zone, IPv4 in IPv6, or
// the last of a list. The result is not valid where b is no address.
//
// A list is an X-Forwarded-For header as received (Traefik's ClientHost). Each proxy appends the
// address that it saw, and a client can send any list: so only the last address was seen by a
// server of the site.
func client(b []byte) netip.Addr {
	if i := bytes.LastIndexByte(b, ','); i >= 0 {
		b = bytes.TrimLeft(b[i+1:], " ")
	}
	if v, n := quad(b); n > 0 && (n == len(b) || b[n] == ':') {
		return fromQuad(v)
	}
	if len(b) == 0 || len(b) > 80 {
		return netip.Addr{}
	}
	if a, ok := six(b); ok {
		return a
	}
	if b[0] == '[' {
		if i := bytes.IndexByte(b, ']'); i > 0 {
			b = b[1:i]
		}
	}
	a, err := netip.ParseAddr(string(b))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap()
}

// six parses an IPv6 address in its usual form (RFC 5952): hex groups, possibly with "::". Other
// forms are left to netip, which is slower.
func six(b []byte) (netip.Addr, bool) {
	var groups [8]uint16
	n, gap := 0, -1
	for i := 0; i < len(b); {
		if b[i] == ':' {
			if i+1 >= len(b) || b[i+1] != ':' || gap >= 0 {
				return netip.Addr{}, false
			}
			gap, i = n, i+2
			continue
		}
		v, from := 0, i
		for ; i < len(b) && i-from < 5 && b[i] != ':'; i++ {
			digit, ok := nibble(b[i])
			if !ok {
				return netip.Addr{}, false
			}
			v = v<<4 | int(digit)
		}
		if n == 8 || i-from > 4 {
			return netip.Addr{}, false
		}
		groups[n], n = uint16(v), n+1
		if i+1 < len(b) && b[i+1] != ':' {
			i++ // one colon between groups
		} else if i+1 == len(b) {
			return netip.Addr{}, false // it ends with a single colon
		}
	}
	if gap < 0 && n != 8 || gap >= 0 && n > 7 {
		return netip.Addr{}, false
	}
	var out [16]byte
	for i := range n {
		at := i
		if gap >= 0 && i >= gap {
			at = i + 8 - n
		}
		out[2*at], out[2*at+1] = byte(groups[i]>>8), byte(groups[i])
	}
	return netip.AddrFrom16(out).Unmap(), true
}

// withPort parses an address that is always followed by a port: HAProxy and AWS write an IPv6
// address and its port with a colon between them, without brackets.
func withPort(b []byte) netip.Addr {
	i := bytes.LastIndexByte(b, ':')
	if i < 0 || bytes.IndexByte(b, ']') > i {
		return client(b)
	}
	return client(b[:i])
}

// isClient reports whether b is the address of a client.
func isClient(b []byte) bool {
	if _, n := quad(b); n > 0 && (n == len(b) || b[n] == ':' || b[n] == ',') {
		return true
	}
	return bytes.IndexByte(b, ':') >= 0 && client(b).IsValid()
}

// hostOf returns a host in lower case without user, port and final dot; nil where there is none. A
// server logs whatever a client sent.
func hostOf(dst, b []byte) []byte {
	if len(b) == 0 || len(b) > 300 || len(b) == 1 && b[0] == '-' {
		return nil
	}
	b = b[bytes.LastIndexByte(b, '@')+1:] // before it is a user, possibly with a password
	if i := bytes.LastIndexByte(b, ':'); i > 0 && (bytes.IndexByte(b, ':') == i || b[i-1] == ']') {
		b = b[:i]
	}
	b = bytes.TrimSuffix(b, []byte("."))
	if len(b) == 0 {
		return nil
	}
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// isHost reports whether b looks like a host, with or without a port.
func isHost(b []byte) bool {
	for _, c := range b {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80,
			c == '.', c == '-', c == '_', c == ':', c == '[', c == ']':
		default:
			return false
		}
	}
	return len(b) > 0
}

// isName reports whether b looks like the full name of a host: it has a dot, and is neither an
// address nor a number.
func isName(b []byte) bool {
	return bytes.IndexByte(b, '.') > 0 && isHost(b) && !isClient(b) && !isDecimal(b)
}
