package address

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// EncodeValue returns the spelling of a query value (a name or a value, between
// ? & and =) that every program handles alike: these bytes are literal,
//
//	A-Z a-z 0-9 - . _ ~ ! $ ' ( ) * , : @ / ?
//
// and all others become %XX in upper case. value may hold any bytes, and is in
// whatever charset the server reads: EncodeText makes it so.
//
// The set is what a query may hold literally (RFC 3986, 3.4) without the four that mean something to
// a program which takes a query apart: "&", "=", "+" and ";". It is how Googlebot was seen to ask for
// them (ModelDate): an address with such a value is its own Googlebot spelling.
func EncodeValue(value string) string {
	var b []byte
	for i := range len(value) {
		if c := value[i]; strings.IndexByte(unreserved+"!$'()*,:@/?", c) >= 0 {
			b = append(b, c)
		} else {
			b = appendEscape(b, c)
		}
	}
	return string(b)
}

// DecodeValue resolves every %XX of a value once, and nothing else: a "+" stays, and so does a "%"
// that begins no escape. It is the inverse of EncodeValue.
func DecodeValue(value string) string {
	if strings.IndexByte(value, '%') < 0 {
		return value
	}
	return string(values(tokens(value, false)))
}

// appendEscape appends a byte as %XX.
func appendEscape(b []byte, c byte) []byte { return append(b, '%', upperHex[c>>4], upperHex[c&15]) }

// EncodeText converts a text in UTF-8 to a charset, given by a label of the WHATWG Encoding Standard
// ("euc-jp", "sjis", "utf-8", ...); ok is false where the charset lacks a character of it, and where
// URLs cannot be in it (Encoding, "get an output encoding").
func EncodeText(text, label string) (octets string, ok bool) {
	enc, err := htmlindex.Get(label)
	if err != nil || !utf8.ValidString(text) {
		return "", false
	}
	if name, err := htmlindex.Name(enc); err != nil || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return "", false
	}
	octets, err = enc.NewEncoder().String(text)
	return octets, err == nil
}
