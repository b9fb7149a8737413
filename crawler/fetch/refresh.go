package fetch

import (
	"strconv"
	"strings"
)

// refresh is a delayed redirect of a meta tag or a header.
type refresh struct {
	delay  float64 // seconds
	target string  // as written
}

const htmlSpace = " \t\n\f\r"

// parseRefresh parses the content of a meta refresh or a Refresh header as browsers do (HTML
// standard, "shared declarative refresh steps"): seconds; a semicolon, comma or white space;
// optionally "url=" and quotes. Unlike browsers it keeps the fraction of the seconds, so that half
// a second is not an instant redirect. It returns false where s is no refresh or has no target.
func parseRefresh(s string) (refresh, bool) {
	s = strings.TrimLeft(s, htmlSpace)
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n] == '.') {
		n++
	}
	delay, ok := seconds(s[:n])
	s = s[n:]
	if !ok || s == "" || !strings.ContainsRune(";,"+htmlSpace, rune(s[0])) {
		return refresh{}, false
	}
	s = strings.TrimLeft(s, htmlSpace)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = strings.TrimLeft(s[1:], htmlSpace)
	}
	target := strings.TrimRight(refreshTarget(s), htmlSpace)
	return refresh{delay, target}, target != ""
}

// seconds parses digits and points: "5", "0.5", ".5"; it ignores a second point and what follows
// it.
func seconds(s string) (float64, bool) {
	if s == "" {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(s, ".")
	fraction, _, _ = strings.Cut(fraction, ".")
	d, err := strconv.ParseFloat("0"+cutBytes(whole, 15)+"."+cutBytes(fraction, 15)+"0", 64)
	return d, err == nil
}

// refreshTarget removes "url=" and quotes.
func refreshTarget(s string) string {
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		if rest := strings.TrimLeft(s[3:], htmlSpace); strings.HasPrefix(rest, "=") {
			s = strings.TrimLeft(rest[1:], htmlSpace)
		}
	}
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		quote := s[:1]
		s, _, _ = strings.Cut(s[1:], quote)
	}
	return s
}
