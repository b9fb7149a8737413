package audit

import (
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// addsSession reports whether target has a session or campaign parameter, or a secret of the audit,
// that the listed address has not.
func addsSession(target, listed address.Address) bool {
	if addsSecret(target, listed) {
		return true
	}
	names := sessionNames(target)
	if len(names) == 0 {
		return false
	}
	had := sessionNames(listed)
	return slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(had, n) })
}

// addsSecret reports whether target held a value of --header or --user, which was masked when it was
// read, and the listed address has nothing like it: as it is written it leads nowhere.
func addsSecret(target, listed address.Address) bool {
	return strings.Contains(target.Target(), address.Mask) && !strings.Contains(listed.Target(), address.Mask)
}

// cookieless is the segment in which ASP.NET keeps what else a cookie would hold:
// "(S(lit3py55t21z5v55vlm25s55))", "(X(1)A(...)F(...))".
var cookieless = regexp.MustCompile(`^\((?:[A-Za-z]\([^()]*\))+\)$`)

func sessionNames(a address.Address) []string {
	var names []string
	fields := parameters(a)
	for _, f := range fields {
		name, _, _ := strings.Cut(f, "=")
		if name = strings.ToLower(address.DecodeValue(name)); isSession(name) {
			names = append(names, name)
		}
	}
	if had := func(name string) bool {
		return slices.ContainsFunc(fields, func(f string) bool { return hasName(f, name) })
	}; had("code") && had("state") {
		names = append(names, "code&state") // of OAuth (RFC 6749, section 4.1.2), good for one use
	}
	for segment := range strings.SplitSeq(a.Path(), "/") {
		if len(segment) > 4 && (segment[0] == '(' || segment[0] == '%') && cookieless.MatchString(address.DecodeValue(segment)) {
			names = append(names, "(S(")
		}
	}
	return names
}

// isSession reports whether a parameter is made for one visitor or one campaign.
func isSession(name string) bool {
	return sessions[name] || strings.HasPrefix(name, "aspsessionid") || strings.HasPrefix(name, "__cf_chl_") || strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "hsa_")
}

// sessions are the parameters of sessions, of tokens and signatures, which end, of clicks on advertisements and of mails, in
// lower case: those of the contract, and others that say as little of the page, or of one reader.
var sessions = setOf(
	"jsessionid", "phpsessid", "sid", "sessionid", "session_id", "sessid", "session", "cfid", "cftoken",
	"token", "access_token", "id_token", "auth_token", "auth", "jwt", "sig", "signature", "x-goog-signature", "hmac", "password", "passwd", "pwd",
	"oscsid", "zenid", "xtcsid", "modsid", // osCommerce and the shops that came of it
	"gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl", // Google
	"fbclid", "igshid", "igsh", "msclkid", "yclid", "ymclid", "ysclid", "twclid", "ttclid", "li_fat_id", "epik", "sccid", "rdt_cid", "qclid",
	"mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking", "vero_id", "vero_conv", "oly_enc_id", "oly_anon_id",
	"cookiecheck", "cookie_check", "checkcookie", "cookietest", "cookie_test", "testcookie", "nocookie", "nocookies", "cookiesenabled", "cookie_enabled",
	"email", "_", // the address of a reader, and the time that keeps an answer out of caches
	"_openstat", "irclickid", "wickedid", "s_kwcid", "ef_id", "_branch_match_id",
)
