package audit

import (
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// addsSession tells whether target has a session or campaign parameter that the
// listed address has not.
func addsSession(target, listed address.Address) bool {
	had := sessionNames(listed)
	for _, n := range sessionNames(target) {
		if !slices.Contains(had, n) {
			return true
		}
	}
	return false
}

// cookieless is the segment in which ASP.NET keeps what else a cookie would hold:
// "(S(lit3py55t21z5v55vlm25s55))", "(X(1)A(...)F(...))".
var cookieless = regexp.MustCompile(`^\((?:[A-Za-z]\([^()]*\))+\)$`)

func sessionNames(a address.Address) []string {
	var names []string
	for _, f := range parameters(a) {
		name, _, _ := strings.Cut(f, "=")
		if name = strings.ToLower(unescape(name)); isSession(name) {
			names = append(names, name)
		}
	}
	for segment := range strings.SplitSeq(a.Path(), "/") {
		if len(segment) > 4 && cookieless.MatchString(unescape(segment)) {
			names = append(names, "(S(")
		}
	}
	return names
}

// isSession tells whether a parameter is made for one visitor or one campaign.
func isSession(name string) bool {
	switch name {
	case "jsessionid", "phpsessid", "sid", "sessionid", "session_id", "cfid", "cftoken",
		"gclid", "fbclid", "msclkid", "_ga", "_gl", "mc_cid", "mc_eid":
		return true
	}
	return strings.HasPrefix(name, "aspsessionid") || strings.HasPrefix(name, "utm_")
}
