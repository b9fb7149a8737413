package crawler

import (
	"bytes"
	"net/http"
	"strings"
)

// challenge names the bot protection that answered in place of the page, ""
// where the answer looks like the page itself. It is told only by signs that no
// ordinary page carries: a header of the protection, or its own page at the
// start of the body. Many sites load a protection's script on every page; that
// is no challenge.
func challenge(status int, h http.Header, body []byte) string {
	if name := challengeHeader(status, h); name != "" {
		return name
	}
	for _, s := range signs {
		if (!s.refused || refusing(status)) && containsAll(body, s.all) {
			return s.name
		}
	}
	if refusing(status) && bytes.Contains(bytes.ToLower(body), []byte("captcha")) {
		return "captcha"
	}
	return ""
}

func challengeHeader(status int, h http.Header) string {
	switch {
	case strings.EqualFold(first(h, "Cf-Mitigated"), "challenge"):
		return "Cloudflare"
	case first(h, "X-Amzn-Waf-Action") != "":
		return "AWS WAF"
	case first(h, "X-Vercel-Mitigated") == "challenge":
		return "Vercel"
	case !refusing(status):
		return ""
	case first(h, "X-Dd-B") != "", first(h, "X-Datadome") != "", strings.EqualFold(first(h, "Server"), "datadome"):
		return "DataDome"
	case first(h, "X-Kpsdk-Ct") != "":
		return "Kasada"
	case first(h, "X-Sucuri-Block") != "":
		return "Sucuri"
	case strings.HasPrefix(first(h, "Server"), "AkamaiGHost"):
		return "Akamai"
	}
	return ""
}

// refusing tells the statuses with which a protection answers.
func refusing(status int) bool {
	switch status {
	case 401, 403, 405, 406, 429, 503:
		return true
	}
	return false
}

// signs are texts that stand together at the start of a challenge page. refused
// limits a sign to the statuses of a refusal.
var signs = []struct {
	name    string
	refused bool
	all     []string
}{
	{"Cloudflare", false, []string{"<title>Just a moment...</title>", "_cf_chl_opt"}},
	{"Cloudflare", false, []string{"<title>Just a moment...</title>", "challenges.cloudflare.com"}},
	{"Cloudflare", true, []string{"Attention Required! | Cloudflare"}},
	{"Cloudflare", true, []string{"cf-error-details"}},
	{"DataDome", false, []string{"captcha-delivery.com", "var dd="}},
	{"DataDome", true, []string{"captcha-delivery.com"}},
	{"AWS WAF", false, []string{"awsWafCookieDomainList", "challenge-container"}},
	{"AWS WAF", false, []string{"window.gokuProps", "challenge-container"}},
	{"Akamai", true, []string{"Access Denied</", "Reference #"}},
	{"Akamai", true, []string{"Access Denied</", "Reference&#32;&#35;"}},
	{"Akamai", false, []string{"sec-if-cpt-container"}},
	{"Akamai", false, []string{"/_sec/cp_challenge/"}},
	{"Imperva", false, []string{"Incapsula incident ID"}},
	{"Imperva", false, []string{"_Incapsula_Resource", "main-iframe"}},
	{"HUMAN", true, []string{"window._pxAppId"}},
	{"Sucuri", false, []string{"sucuri_cloudproxy_js"}},
	{"Anubis", false, []string{`id="anubis_challenge"`}},
}

func containsAll(body []byte, all []string) bool {
	for _, s := range all {
		if !bytes.Contains(body, []byte(s)) {
			return false
		}
	}
	return true
}
