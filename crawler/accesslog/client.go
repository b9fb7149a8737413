package accesslog

import (
	"bytes"
	"net/netip"
)

// quad parses an IPv4 address at the beginning of b, the most frequent kind, and returns its
// length; 0 where there is none.
func quad(b []byte) (a netip.Addr, n int) {
	var addr, part uint32
	dots, size := 0, 0 // size of the part
	for ; n < len(b); n++ {
		switch c := b[n]; {
		case isDigit(c) && size < 3:
			part = part*10 + uint32(c-'0')
			size++
		case c == '.' && size > 0 && dots < 3 && part < 256:
			addr, part, size = addr<<8|part, 0, 0
			dots++
		case isDigit(c):
			return a, 0
		default:
			goto end
		}
	}
end:
	if dots != 3 || size == 0 || part > 255 {
		return a, 0
	}
	return netip.AddrFrom4([4]byte{byte(addr >> 16), byte(addr >> 8), byte(addr), byte(part)}), n
}

// client parses the address of a client: with a port, in brackets, with a zone, IPv4 in IPv6, or
// the last of a list. The result is not valid where b is no address.
func client(b []byte) netip.Addr {
	b = bytes.TrimLeft(b[bytes.LastIndexByte(b, ',')+1:], " ")
	if a, n := quad(b); n > 0 && (n == len(b) || b[n] == ':') {
		return a
	}
	if len(b) > 80 || bytes.IndexByte(b, ':') < 0 {
		return netip.Addr{}
	}
	if i := bytes.IndexByte(b, ']'); i > 0 && b[0] == '[' {
		b = b[1:i]
	}
	a, _ := netip.ParseAddr(string(b)) // not valid with an error
	return a.Unmap()
}

// hostOf returns a host in lower case without user, port and final dot; nil where there is none. A
// server logs whatever a client sent.
func hostOf(b []byte) []byte {
	if len(b) > 300 || string(b) == "-" {
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
	return bytes.ToLower(b)
}

// isHost reports whether b looks like a host, with or without a port, or like a list of such.
func isHost(b []byte) bool {
	for _, c := range b {
		if c < 'A' && !isDigit(c) && bytes.IndexByte([]byte("%,-.:"), c) < 0 ||
			c > 'Z' && c < 'a' && c != '_' || c > 'z' && c < 0x80 {
			return false
		}
	}
	return true
}

// isName reports whether b looks like the full name of a host: it has a dot, and is neither an
// address nor a number.
func isName(b []byte) bool {
	return bytes.IndexByte(b, '.') > 0 && len(bytes.Trim(b, "0123456789.")) > 0 &&
		!bytes.ContainsAny(b, ",%") &&
		isHost(b) && !client(b).IsValid()
}
