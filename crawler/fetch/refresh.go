package fetch

import (
	"regexp"
	"strconv"
	"strings"
)

// refresh is a delayed redirect of a meta tag or a header.
type refresh struct {
	delay  float64 // seconds
	target string  // as written
}

// refreshForm is the content of a meta refresh or a Refresh header, as browsers parse it (HTML
// standard, "shared declarative refresh steps"): seconds; a semicolon, comma or white space;
// optionally "url=" and quotes.
var refreshForm = regexp.MustCompile(`(?is)^\s*(\d*)(?:\.(\d*)[\d.]*)?(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:'([^']*)|"([^"]*)|(.*))`)

// parseRefresh parses such a content. Unlike browsers it keeps the fraction of the seconds, so that
// half a second is not an instant redirect. It returns false where s is no refresh or has no target.
func parseRefresh(s string) (refresh, bool) {
	m := refreshForm.FindStringSubmatch(s)
	if m == nil || m[1] == "" && m[2] == "" {
		return refresh{}, false
	}
	delay, err := strconv.ParseFloat("0"+cutBytes(m[1], 15)+"."+cutBytes(m[2], 15)+"0", 64)
	target := strings.Trim(m[3]+m[4]+m[5], htmlSpace)
	return refresh{delay, target}, err == nil && target != ""
}
