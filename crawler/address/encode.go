package address

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// valueLiteral contains the literal bytes of EncodeValue.
const valueLiteral = unreserved + "!$'()*,:@/?"

var isValueLiteral = func() (t [256]bool) {
	for _, c := range []byte(valueLiteral) {
		t[c] = true
	}
	return t
}()

// EncodeValue returns the spelling of a query value (a name or a value, between
// ? & and =) that every program handles alike: these bytes are literal,
//
//	A-Z a-z 0-9 - . _ ~ ! $ ' ( ) * , : @ / ?
//
// and all others become %XX in upper case. value may hold any bytes, and is in
// whatever charset the server reads: EncodeText makes it so.
//
// The set is what a query may hold literally (RFC 3986, 3.4: pchar, "/" and
// "?") without the four that mean something to a program which takes a query apart: "&"
// and "=" delimit parameters, "+" is read as a space (WHATWG URL,
// application/x-www-form-urlencoded), and ";" was once advised in place of "&"
// (HTML 4.01, B.2.2) and some still read it so. Those that remain are literal,
// not encoded, because that is how Googlebot was seen to ask for them
// (ModelDate): an address with such a value is its own Googlebot spelling, so
// that there is no second spelling for a server to redirect.
//
// "'" is encoded by browsers in a query (WHATWG URL, "special-query percent-
// encode set"): a value that has one has another spelling there, whichever is
// chosen.
func EncodeValue(value string) string {
	b := make([]byte, 0, len(value))
	for i := range len(value) {
		if c := value[i]; isValueLiteral[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(b)
}

// DecodeValue resolves every %XX of a value once, and nothing else: a "+" stays, and so does a "%"
// that begins no escape. It is the inverse of EncodeValue.
func DecodeValue(value string) string { return decode(value) }

// A CharsetError is the error for a text that does not fit a charset.
type CharsetError struct {
	Charset string
	// Pos is the index of the byte in the input; -1 where the charset itself is the problem.
	Pos int
	Why string // lower case, without charset and index
}

// Error returns the reason with the charset and the index.
func (e *CharsetError) Error() string {
	if e.Pos < 0 {
		return fmt.Sprintf("charset %q %s", e.Charset, e.Why)
	}
	return fmt.Sprintf("%s in charset %s at byte %d", e.Why, e.Charset, e.Pos)
}

// lookupCharset returns the charset of a label of the WHATWG Encoding Standard, in any case, and
// its name there. It returns an error for UTF-16, which URLs cannot be in (Encoding, "get an output
// encoding").
func lookupCharset(label string) (encoding.Encoding, string, error) {
	none := func(why string) (encoding.Encoding, string, error) {
		return nil, "", &CharsetError{Charset: label, Pos: -1, Why: why}
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return none("is unknown")
	}
	name, err := htmlindex.Name(enc)
	switch {
	case err != nil || name == "replacement" || name == "x-user-defined":
		return none("is unknown")
	case strings.HasPrefix(name, "utf-16"):
		return none("is not one that a URL can be written in")
	}
	return enc, name, nil
}

// EncodeText converts a text in UTF-8 to a charset, given by a label of the WHATWG Encoding
// Standard ("euc-jp", "sjis", "utf-8", ...). The error is a *CharsetError that names an unknown
// charset, or the first character that the charset lacks.
func EncodeText(text, label string) (string, error) {
	enc, name, err := lookupCharset(label)
	if err != nil {
		return "", err
	}
	if i := invalidUTF8(text); i >= 0 {
		return "", &CharsetError{Charset: "utf-8", Pos: i,
			Why: fmt.Sprintf("the byte %%%02X is no text", text[i])}
	}
	if name == "utf-8" {
		return text, nil
	}
	if out, err := enc.NewEncoder().String(text); err == nil {
		return out, nil
	}
	for i, r := range text {
		if _, err := enc.NewEncoder().String(string(r)); err != nil {
			return "", &CharsetError{Charset: name, Pos: i,
				Why: fmt.Sprintf("there is no %s (U+%04X)", shownRune(r), r)}
		}
	}
	return "", &CharsetError{Charset: name, Pos: 0, Why: "there is no such text"}
}

func shownRune(r rune) string {
	if !Visible(r) {
		return "such character"
	}
	return string(r)
}

// invalidUTF8 returns the index of the first byte that is not UTF-8; -1 for none.
func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// DecodeText converts bytes in a charset, given by a label as for EncodeText, to UTF-8. The error
// is a *CharsetError that names an unknown charset, or the first byte that is not valid in it.
func DecodeText(octets, label string) (string, error) {
	enc, name, err := lookupCharset(label)
	if err != nil {
		return "", err
	}
	bad := invalidUTF8(octets)
	if name != "utf-8" {
		text, ok := charset{enc: enc}.decode([]byte(octets))
		if ok {
			return string(text), nil
		}
		bad = firstBad(octets, enc)
	}
	if bad >= 0 {
		return "", &CharsetError{Charset: name, Pos: bad,
			Why: fmt.Sprintf("the byte %%%02X is no text", octets[bad])}
	}
	return octets, nil
}

// firstBad returns the index of the first byte of a text that cannot be decoded. It finds the index
// by bisection: the bytes before it can be decoded, and so can all shorter prefixes, except those
// that end within a character.
func firstBad(octets string, enc encoding.Encoding) int {
	c := charset{enc: enc}
	return sort.Search(len(octets)-1, func(n int) bool { return !c.reads(octets, n+1) })
}

// reads reports whether the first n bytes of a text are valid, possibly together with up to three
// bytes that follow.
func (c charset) reads(octets string, n int) bool {
	for end := n; end <= min(n+3, len(octets)); end++ {
		if _, ok := c.decode([]byte(octets[:end])); ok {
			return true
		}
	}
	return false
}

// GuessCharset returns the charset that bytes are most likely in, as Readable guesses it, and the
// confidence from 0 to 1: "" and 1 for ASCII, "" and 0 where no charset fits. The top level domain
// of host, which may be "", has a little weight.
func GuessCharset(octets, host string) (name string, confidence float64) {
	p := readablePiece{bytes: []byte(octets)}
	c, confidence := chooseCharset([]readablePiece{p}, host)
	return c.name, confidence
}

// Visible reports whether a character may be printed as it is: it is a space, or visible, and
// neither controls a terminal nor changes the direction of writing.
func Visible(r rune) bool { return r == ' ' || r == 0x3000 || !hidden(r) }
