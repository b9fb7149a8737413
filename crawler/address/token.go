package address

// A token is one byte of a path or query, literal or as %XX.
type token struct {
	value byte
	kind  kind
	len   uint8 // bytes in the text
}

type kind uint8

const (
	raw     kind = iota
	escaped      // %XX
	bare         // a % that begins no escape
)

// tokenAt returns the token at byte i of s.
func tokenAt(s string, i int) token {
	c := s[i]
	if c != '%' {
		return token{value: c, len: 1}
	}
	if i+2 < len(s) {
		if hi, lo := unhex[s[i+1]], unhex[s[i+2]]; hi|lo < 16 {
			return token{value: hi<<4 | lo, kind: escaped, len: 3}
		}
	}
	return token{value: '%', kind: bare, len: 1}
}

// unhex is the value of each hex digit; 0xFF for other bytes.
var unhex = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = uint8(c - '0')
		case c >= 'a' && c <= 'f':
			t[c] = uint8(c-'a') + 10
		case c >= 'A' && c <= 'F':
			t[c] = uint8(c-'A') + 10
		default:
			t[c] = 0xFF
		}
	}
	return t
}()

func isHex(c byte) bool { return unhex[c] < 16 }

// Unhex returns the value of a hex digit, upper or lower case; -1 for another byte.
func Unhex(c byte) int {
	if !isHex(c) {
		return -1
	}
	return int(unhex[c])
}
