package html

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// serverConfig is what to change on the server, for the shortest page that is right as listed and
// redirected to from another spelling; "" where there is none.
func serverConfig(result *audit.Result) string {
	var to []string
	for i := range result.Causes {
		if c := &result.Causes[i]; c.Verdict == audit.SpellingBounce {
			for _, x := range c.Examples {
				if a, err := address.Parse(x.Listed); err == nil {
					to = append(to, a.String())
				}
			}
		}
	}
	if len(to) == 0 {
		return ""
	}
	return nginxRule(slices.MinFunc(to, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}))
}

// maxPattern is the longest pattern that is handed out: nginx takes words of a
// configuration up to 4,096 bytes.
const maxPattern = 3500

// nginxRule is page/nginx.conf, the part of an nginx configuration that tells requests for
// the page at wire, a wire form, in whatever spelling from all others, so that a
// redirect to it can be left to those whose decoded bytes differ. "" where wire
// is no wire form or the rule would be too long.
func nginxRule(wire string) string {
	p := pagePattern(address.Wire(wire))
	if p == "" || len(p) > maxPattern {
		return ""
	}
	return strings.ReplaceAll(asset("nginx.conf"), "PATTERN", p)
}

// pagePattern returns a regular expression of PCRE for the paths and queries
// that have the bytes of a's: each byte literal or as %XX in either case, a space
// of a query as + too. What delimits stands literally, for encoded it is another
// address: "/" in a path, "&" and "=" in a query.
func pagePattern(a address.Address) string {
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
	for _, unit := range oneByte.FindAllString(s, -1) {
		if strings.Contains(delimiters, unit) {
			b.WriteString(unit)
			continue
		}
		c := unit[0]
		switch {
		case query && c == '+':
			c = ' '
		case len(unit) == 3:
			c = address.DecodeValue(unit)[0]
		}
		escaped, literal := "%"+anyCase(c>>4)+anyCase(c&15), string(rune(c))
		switch {
		case query && c == ' ':
			literal = "[+]"
		// These are another address when they are literal.
		case query && c == '+', c <= ' ', c >= 0x7F, strings.IndexByte(delimiters, c) >= 0, c == '#', c == '%', !query && c == '?':
			b.WriteString(escaped)
			continue
		case strings.IndexByte(`^\]["`, c) >= 0:
			literal = fmt.Sprintf(`\x%02X`, c)
		case strings.IndexByte(`.+*?$(){}|`, c) >= 0:
			literal = "[" + literal + "]"
		}
		b.WriteString("(?:" + literal + "|" + escaped + ")")
	}
}

// oneByte is one byte of a wire form, as %XX or itself.
var oneByte = regexp.MustCompile(`%[0-9A-Fa-f]{2}|.`)

// anyCase writes a hex digit in either case.
func anyCase(digit byte) string {
	if digit < 10 {
		return string(rune('0' + digit))
	}
	return fmt.Sprintf("[%c%c]", 'A'+digit-10, 'a'+digit-10)
}
