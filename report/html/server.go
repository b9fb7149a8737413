package html

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// nginxConf is the configuration that the page hands out. PATTERN stands for pagePattern.
//
//go:embed page/nginx.conf
var nginxConf string

// A serverView is what to change on the server, where entries are right as listed and answered
// otherwise in another spelling.
type serverView struct{ Nginx string }

// serverConfig is nil where no other spelling is answered otherwise. The configuration is for the
// shortest page that is right as listed and redirected to from another spelling, if there is one.
func serverConfig(result *audit.Result) *serverView {
	if result.Counts.Total(audit.OtherSpelling) == 0 {
		return nil
	}
	var to []string
	for i := range result.Causes {
		if c := &result.Causes[i]; c.Verdict == audit.SpellingBounce {
			for _, loc := range c.Examples {
				if a, err := address.Parse(loc); err == nil {
					to = append(to, a.String())
				}
			}
		}
	}
	if len(to) == 0 {
		return &serverView{}
	}
	return &serverView{nginxRule(slices.MinFunc(to, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}))}
}

// maxPattern is the longest pattern that is handed out: nginx takes words of a
// configuration up to 4,096 bytes.
const maxPattern = 3500

// nginxRule is the part of an nginx configuration that tells requests for
// the page at wire, a wire form, in whatever spelling from all others, so that a
// redirect to it can be left to those whose decoded bytes differ. "" where wire
// is no wire form or the rule would be too long.
func nginxRule(wire string) string {
	p := pagePattern(address.Wire(wire))
	if p == "" || len(p) > maxPattern {
		return ""
	}
	return strings.ReplaceAll(nginxConf, "PATTERN", p)
}

// pagePattern returns a regular expression of PCRE for the paths and queries
// that have the bytes of a's: each byte literal or as %XX in either case, a space
// of a query as + too. What delimits stands literally, for encoded it is another
// address: "/" in a path, "&" and "=" in a query.
func pagePattern(a address.Address) string {
	if a.IsZero() {
		return ""
	}
	var b strings.Builder
	patternOf(&b, a.Path(), "/")
	if q, has := a.Query(); has {
		b.WriteString("[?]")
		patternOf(&b, q, "&=")
	}
	return b.String()
}

func patternOf(b *strings.Builder, s, delimiters string) {
	query := delimiters != "/"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case strings.IndexByte(delimiters, c) >= 0:
			b.WriteByte(c)
			continue
		case query && c == '+':
			c = ' '
		case c == '%' && i+2 < len(s) && address.Unhex(s[i+1]) >= 0 && address.Unhex(s[i+2]) >= 0:
			c = address.DecodeValue(s[i : i+3])[0]
			i += 2
		}
		patternByte(b, c, query, strings.IndexByte(delimiters, c) >= 0)
	}
}

// patternByte writes what stands for one byte; escapedOnly for those that are
// another address when they are literal.
func patternByte(b *strings.Builder, c byte, query, escapedOnly bool) {
	escaped := "%" + anyCase(c>>4) + anyCase(c&15)
	literal := ""
	switch {
	case query && c == ' ':
		literal = "[+]"
	case query && c == '+', c <= ' ', c >= 0x7F, escapedOnly, c == '#', c == '%', !query && c == '?':
	case strings.IndexByte(`^\]["`, c) >= 0:
		literal = fmt.Sprintf(`\x%02X`, c)
	case strings.IndexByte(`.+*?$(){}|`, c) >= 0:
		literal = "[" + string(rune(c)) + "]"
	default:
		literal = string(rune(c))
	}
	if literal == "" {
		b.WriteString(escaped)
		return
	}
	b.WriteString("(?:" + literal + "|" + escaped + ")")
}

// anyCase writes a hex digit in either case.
func anyCase(digit byte) string {
	if digit < 10 {
		return string(rune('0' + digit))
	}
	return fmt.Sprintf("[%c%c]", 'A'+digit-10, 'a'+digit-10)
}
