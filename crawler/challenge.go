package crawler

import (
	"bytes"
	"net/http"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// challenge names the bot protection that answered in place of the page, ""
// where the answer looks like the page itself. It is told only by signs that no
// ordinary page carries: a header of the protection, its own page at the start of
// the body, or a redirect to its own address. Many sites load a protection's script
// on every page, and use a captcha in a form; that is no challenge. bare is set
// where the page has neither a title nor text.
func challenge(hop *audit.Hop, h http.Header, body []byte, bare bool) string {
	if audit.Redirects(hop.Status) {
		return challengeAt(hop.Location)
	}
	if name := challengeHeader(hop.Status, h); name != "" {
		return name
	}
	for _, s := range signs {
		if (s.on != refused || refusing(hop.Status)) && (s.on != nothing || bare) && containsAll(body, s.all) {
			return s.name
		}
	}
	if refusing(hop.Status) && bytes.Contains(bytes.ToLower(body), []byte("captcha")) || onlyCaptcha(body) {
		return "captcha"
	}
	return ""
}

// challengeAt names the protection to whose own address an answer redirects.
func challengeAt(location string) string {
	if !strings.Contains(location, "perfdrive") && !strings.Contains(location, "captcha") { // nearly all
		return ""
	}
	a, err := address.Resolve(address.Wire("http://a.invalid/"), location)
	switch {
	case err != nil:
		return ""
	case a.Host() == "validate.perfdrive.com":
		return "Radware"
	case strings.HasSuffix(a.Host(), ".captcha-delivery.com"):
		return "DataDome"
	case strings.HasPrefix(a.Path(), "/.well-known/sgcaptcha/"):
		return "SiteGround"
	}
	return ""
}

func challengeHeader(status int, h http.Header) string {
	switch {
	case strings.EqualFold(first(h, "Cf-Mitigated"), "challenge"):
		return "Cloudflare"
	case first(h, "X-Amzn-Waf-Action") != "":
		return "AWS WAF"
	case strings.EqualFold(first(h, "X-Vercel-Mitigated"), "challenge"):
		return "Vercel"
	case strings.EqualFold(first(h, "Sg-Captcha"), "challenge"):
		return "SiteGround"
	case status == 247: // nobody else's status
		return "Reblaze"
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
	case strings.EqualFold(first(h, "Server"), "ddos-guard"):
		return "DDoS-Guard"
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

// on limits a sign to some answers.
type on uint8

const (
	anything on = iota
	refused     // the status is one of a refusal
	nothing     // the page has neither title nor text: the same script guards ordinary pages
)

// signs are texts that stand together at the start of a challenge page.
var signs = []struct {
	name string
	on   on
	all  []string
}{
	{"Cloudflare", anything, []string{"<title>Just a moment...</title>", "_cf_chl_opt"}},
	{"Cloudflare", anything, []string{"<title>Just a moment...</title>", "challenges.cloudflare.com"}},
	{"Cloudflare", anything, []string{"_cf_chl_opt", "/cdn-cgi/challenge-platform/"}},
	{"Cloudflare", refused, []string{"Attention Required! | Cloudflare"}},
	{"Cloudflare", refused, []string{"cf-error-details"}},
	{"Cloudflare", refused, []string{"error code: 10"}},
	{"DataDome", anything, []string{"captcha-delivery.com", "var dd="}},
	{"DataDome", refused, []string{"captcha-delivery.com"}},
	{"AWS WAF", anything, []string{"awsWafCookieDomainList", "challenge-container"}},
	{"AWS WAF", anything, []string{"window.gokuProps", "challenge-container"}},
	{"AWS WAF", anything, []string{"AwsWafIntegration", "challenge-container"}},
	{"Akamai", refused, []string{"Access Denied</", "Reference #"}},
	{"Akamai", refused, []string{"Access Denied</", "Reference&#32;&#35;"}},
	{"Akamai", anything, []string{"sec-if-cpt-container"}},
	{"Akamai", anything, []string{"/_sec/cp_challenge/"}},
	{"Akamai", anything, []string{"/_sec/verify?provider=interstitial"}},
	{"Imperva", anything, []string{"Incapsula incident ID"}},
	{"Imperva", anything, []string{"_Incapsula_Resource", "main-iframe"}},
	{"Imperva", anything, []string{"<title>Pardon Our Interruption", "made us think you"}},
	{"Imperva", nothing, []string{"/_Incapsula_Resource?SWJIYLWA="}},
	{"HUMAN", refused, []string{"window._pxAppId"}},
	{"HUMAN", refused, []string{"px-captcha"}},
	{"HUMAN", refused, []string{"captcha.px-c"}}, // px-cdn.net, px-cloud.net
	{"Kasada", refused, []string{"window.KPSDK={}"}},
	{"Kasada", nothing, []string{"window.KPSDK={}", "/ips.js?"}},
	{"F5", anything, []string{"Please enable JavaScript to view the page content", "Your support ID is"}},
	{"F5", anything, []string{"<title>Request Rejected</title>", "support ID is"}},
	{"F5", nothing, []string{`window["bobcmn"]`, "/TSPD/"}},
	{"Sucuri", anything, []string{"sucuri_cloudproxy_js"}},
	{"Sucuri", refused, []string{"Sucuri WebSite Firewall"}},
	{"DDoS-Guard", anything, []string{"/.well-known/ddos-guard/js-challenge/"}},
	{"DDoS-Guard", anything, []string{"/.well-known/ddos-guard/ddg-captcha-page/"}},
	{"DDoS-Guard", refused, []string{"check.ddos-guard.net"}},
	{"Vercel", refused, []string{"<title>Vercel Security Checkpoint</title>"}},
	{"Anubis", anything, []string{`id="anubis_challenge"`}},
	{"Anubis", anything, []string{`id="anubis_version"`, "/.within.website/x/cmd/anubis/"}},
	{"SiteGround", anything, []string{`http-equiv="refresh"`, "/.well-known/sgcaptcha/"}},
	{"SiteGround", anything, []string{"sgchallenge", "sgsubmit_url"}},
	{"Wordfence", refused, []string{"Generated by Wordfence"}},
	{"Wordfence", refused, []string{"Your access to this site has been limited by the site owner"}},
	{"StackPath", refused, []string{"You performed an action that triggered the service and blocked your request"}},
	{"Reblaze", anything, []string{"window.rbzns=", "winsocks("}},
	{"Radware", anything, []string{"<title>Radware Bot Manager Captcha"}},
	{"Radware", anything, []string{"<title>ShieldSquare Captcha"}},
	{"Imunify360", anything, []string{"wsidchk", "<form"}},
	{"Imunify360", anything, []string{"<title>One moment, please...</title>", "request is being verified"}},
	{"Alibaba Cloud", nothing, []string{"acw_sc__v2", "var arg1="}},
	{"testcookie", nothing, []string{"slowAES.decrypt(", "document.cookie="}}, // testcookie-nginx-module; free hosting has it
}

func containsAll(body []byte, all []string) bool {
	for _, s := range all {
		if !bytes.Contains(body, []byte(s)) {
			return false
		}
	}
	return true
}

// onlyCaptcha tells whether a page, all of which is body, is a captcha and nothing
// else: it asks whether we are human and has no place to write anything.
func onlyCaptcha(body []byte) bool {
	if len(body) >= prefixSize || !bytes.Contains(body, []byte("captcha")) && !bytes.Contains(body, []byte("cf-turnstile")) {
		return false
	}
	text := strings.ToLower(string(body))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	return has("g-recaptcha", "h-captcha", "cf-turnstile") &&
		has("you are human", "you are a human", "you're human", "not a robot", "security check to access", "unusual traffic") &&
		!has("<textarea", "<nav", "<select", `type="text"`, `type="email"`, `type="password"`, "type=text", "type=email", "type=password")
}
