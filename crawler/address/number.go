package address

import (
	"net/netip"
	"strconv"
	"strings"
)

// isIP reports whether a host in wire form is an IP address, or a number that browsers and C
// libraries read as one (127.1, 0x7f000001). Numbers stay as written; a dialler must check what
// they mean.
func isIP(host string) bool {
	return host != "" && host[0] == '[' || endsInNumber(host) && isIPv4(host)
}

// endsInNumber reports whether the last label is a number: then browsers accept the host only if it
// is an IPv4 address (WHATWG URL, "ends in a number checker").
func endsInNumber[T string | []byte](host T) bool {
	end := len(host)
	if end > 0 && host[end-1] == '.' {
		end--
	}
	start := end
	for start > 0 && host[start-1] != '.' {
		start--
	}
	if start == end || !isDigit(host[start]) {
		return false
	}
	digits := true
	for i := start; i < end; i++ {
		digits = digits && isDigit(host[i])
	}
	return digits || isHexNumber(string(host[start:end]))
}

func isHexNumber(s string) bool {
	if len(s) < 2 || s[0] != '0' || s[1] != 'x' {
		return false
	}
	for i := 2; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isIPv4 reports whether browsers read host as an IPv4 address (WHATWG URL, "IPv4 parser"): up to
// four numbers, decimal, octal or hex, the last one for all remaining bytes.
func isIPv4(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Is4()
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return false
	}
	for i, p := range parts {
		limit := uint64(255)
		if i == len(parts)-1 {
			limit = 1<<(8*(5-len(parts))) - 1
		}
		if n, ok := numberOf(p); !ok || n > limit {
			return false
		}
	}
	return true
}

// numberOf parses a part of an IPv4 address: 0x is hex, a leading zero octal.
func numberOf(s string) (uint64, bool) {
	base := 10
	switch {
	case isHexNumber(s):
		s, base = s[2:], 16
		if s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		base = 8
	}
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}
