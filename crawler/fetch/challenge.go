package fetch

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// challenge returns the name of the bot protection that answered in place of the page, or "" where
// the answer looks like the page itself. It recognizes only signs that no ordinary page has: a
// header of the protection, its own page at the start of the body, or a redirect to its own
// address. A protection's script in the page or a captcha in a form is no such sign, for many sites
// have these on every page. bare is set where the page has neither a title nor text.
func challenge(hop *audit.Hop, h http.Header, body []byte, bare bool) string {
	if audit.Redirects(hop.Status) {
		return challengeAt(hop.Location)
	}
	if name := challengeHeader(hop.Status, h); name != "" {
		return name
	}
	if name := signed(hop, body, bare); name != "" {
		return name
	}
	if refusing(hop.Status) && bytes.Contains(bytes.ToLower(body), []byte("captcha")) ||
		onlyCaptcha(body) {
		return "captcha"
	}
	return ""
}

// Protection returns the name of the bot protection that redirected a request of a trail, or that
// answered the last of them with a page whose first bytes are head; "" where there is none, or an
// unknown one. A nil head is not examined.
func Protection(trail []audit.Hop, head []byte) string {
	for i := range trail {
		if name := challenge(&trail[i], nil, nil, false); name != "" {
			return name
		}
	}
	if head == nil || len(trail) == 0 {
		return ""
	}
	last := trail[len(trail)-1]
	page := newPageReader(address.Wire(last.URL), nil)
	defer page.Release()
	_ = page.Body(bytes.NewReader(head)) // a bytes.Reader returns no error
	return challenge(&audit.Hop{Status: last.Status, Page: page.Page()}, nil, head, page.bare())
}

// challengeAt returns the name of the protection whose own address is the target of a redirect.
func challengeAt(location string) string {
	// most locations
	if !strings.Contains(location, "perfdrive") && !strings.Contains(location, "captcha") {
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

// A headerSign is the mark of one protection in the head of an answer: one of the statuses, nil for
// any, and a header whose value begins with a text in either case. A row without a header is told by
// its status alone.
type headerSign struct {
	name          string
	statuses      []int
	header, value string
}

// refusals are the statuses with which protections answer. 428 is Akamai's.
var refusals = []int{401, 403, 405, 406, 428, 429, 503}

func refusing(status int) bool { return slices.Contains(refusals, status) }

var headerSigns = []headerSign{
	{"Cloudflare", nil, "Cf-Mitigated", "challenge"},
	{"AWS WAF", nil, "X-Amzn-Waf-Action", ""},
	{"Vercel", nil, "X-Vercel-Mitigated", "challenge"},
	{"SiteGround", nil, "Sg-Captcha", "challenge"},
	{"Reblaze", []int{247}, "", ""}, // no other server uses this status
	{"EdgeOne", []int{566, 567}, "Server", "TencentEdgeOne"},
	{"BitNinja", nil, "Server", "BitNinja Captcha"},
	{"DataDome", refusals, "X-Dd-B", ""},
	{"DataDome", refusals, "X-Datadome", ""},
	{"DataDome", refusals, "Server", "datadome"},
	{"Kasada", refusals, "X-Kpsdk-Ct", ""},
	{"Sucuri", refusals, "X-Sucuri-Block", ""},
	{"QRATOR", []int{401}, "Server", "qrator"},
	{"Akamai", refusals, "Server", "AkamaiGHost"},
	{"DDoS-Guard", refusals, "Server", "ddos-guard"},
}

func challengeHeader(status int, h http.Header) string {
	for i := range headerSigns {
		s := &headerSigns[i]
		if s.statuses != nil && !slices.Contains(s.statuses, status) {
			continue
		}
		value := first(h, s.header)
		if s.header != "" && (value == "" || len(value) < len(s.value) || !strings.EqualFold(value[:len(s.value)], s.value)) {
			continue
		}
		if s.name == "QRATOR" && first(h, "Www-Authenticate") != "" {
			continue // the site itself asks for a password
		}
		return s.name
	}
	return ""
}

// on restricts a sign to some answers.
type on uint8

const (
	anything on = iota
	refused     // the status is one of a refusal
	nothing     // the page has neither title nor text: the same script guards ordinary pages
)

// A sign identifies the page of one protection: what the page's title begins with, "" for any, and
// texts that must all stand at the start of the page.
type sign struct {
	name  string
	on    on
	title string
	all   []string
}

// signs are those of challenge pages. The first text of each has a pair of adjacent bytes that is
// rare in ordinary pages.
var signs = []sign{
	{"Cloudflare", anything, "", []string{"_cf_chl_opt", "/cdn-cgi/challenge-platform/"}},
	{"Cloudflare", anything, "Just a moment...", []string{"_cf_chl_opt"}},
	{"Cloudflare", anything, "Just a moment...", []string{"challenges.cloudflare.com"}},
	{"Cloudflare", refused, "Attention Required! | Cloudflare", nil},
	{"Cloudflare", refused, "", []string{"cf-error-details"}},
	{"Cloudflare", refused, "", []string{"error code: 10"}},
	{"DataDome", anything, "", []string{"captcha-delivery.com", "var dd="}},
	{"DataDome", refused, "", []string{"captcha-delivery.com"}},
	{"AWS WAF", anything, "", []string{"awsWafCookieDomainList", "challenge-container"}},
	{"AWS WAF", anything, "", []string{"gokuProps", "challenge-container"}},
	{"AWS WAF", anything, "", []string{"AwsWafIntegration", "challenge-container"}},
	{"Akamai", refused, "", []string{"Access Denied</", "Reference #"}},
	{"Akamai", refused, "", []string{"Access Denied</", "Reference&#32;&#35;"}},
	{"Akamai", anything, "", []string{"sec-if-cpt-container"}},
	{"Akamai", refused, "", []string{"sec-cpt-if"}},
	{"Akamai", anything, "", []string{"sec-cpt-if", "/_sec/"}},
	{"Akamai", nothing, "", []string{"sec-cpt-if"}},
	{"Akamai", anything, "", []string{"/_sec/", "/_sec/cp_challenge/"}},
	{"Akamai", anything, "", []string{"/_sec/", "/_sec/verify?provider=interstitial"}},
	{"Imperva", anything, "Pardon Our Interruption", []string{"made us think you"}},
	{"Imperva", anything, "", []string{"Incapsula", "Incapsula incident ID"}},
	{"Imperva", anything, "", []string{"Incapsula", "_Incapsula_Resource", "main-iframe"}},
	{"Imperva", nothing, "", []string{"Incapsula", "/_Incapsula_Resource?SWJIYLWA="}},
	{"HUMAN", refused, "", []string{"window._pxAppId"}},
	{"HUMAN", refused, "", []string{"px-captcha"}},
	{"HUMAN", refused, "", []string{"captcha.px-c"}}, // px-cdn.net, px-cloud.net
	{"HUMAN", anything, "Access to this page has been denied", []string{"_pxAppId"}},
	{"HUMAN", anything, "Access to this page has been denied", []string{"px-captcha"}},
	// in languages other than English
	{"HUMAN", anything, "", []string{"px-captcha", `content="px-captcha"`, "_pxAppId"}},
	{"HUMAN", anything, "", []string{"px-captcha", `id="px-captcha"`, "_pxAppId", "/captcha.js"}},
	{"Kasada", refused, "", []string{"window.KPSDK={}"}},
	{"Kasada", nothing, "", []string{"window.KPSDK={}", "/ips.js?"}},
	{"F5", anything, "", []string{"Please enable JavaScript to view the page content", "Your support ID is"}},
	{"F5", anything, "Request Rejected", []string{"support ID is"}},
	{"F5", nothing, "", []string{`window["bobcmn"]`, "/TSPD/"}},
	{"Sucuri", anything, "", []string{"sucuri_cloudproxy_js"}},
	{"Sucuri", refused, "", []string{"Sucuri WebSite Firewall"}},
	{"DDoS-Guard", anything, "", []string{"/.well-known/", "/.well-known/ddos-guard/js-challenge/"}},
	{"DDoS-Guard", anything, "", []string{"/.well-known/", "/.well-known/ddos-guard/ddg-captcha-page/"}},
	{"DDoS-Guard", anything, "DDOS-GUARD", []string{"/.well-known/", "/.well-known/ddos-guard/"}},
	{"DDoS-Guard", anything, "DDoS-Guard", []string{"/.well-known/", "/.well-known/ddos-guard/"}},
	{"SiteGround", anything, "", []string{"/.well-known/", "/.well-known/sgcaptcha/", `http-equiv="refresh"`}},
	{"SiteGround", anything, "", []string{"/.well-known/", "sgchallenge", "sgsubmit_url"}},
	{"DDoS-Guard", refused, "", []string{"check.ddos-guard.net"}},
	{"Vercel", refused, "Vercel Security Checkpoint", nil},
	{"Anubis", anything, "", []string{`id="anubis_`, `id="anubis_challenge"`}},
	{"Anubis", anything, "", []string{`id="anubis_`, "/.within.website/x/cmd/anubis/"}},
	{"Wordfence", refused, "", []string{"Generated by Wordfence"}},
	{"Wordfence", refused, "", []string{"Your access to this site has been limited by the site owner"}},
	{"StackPath", refused, "", []string{"You performed an action that triggered the service and blocked your request"}},
	// Ordinary pages contain its scripts, too, but not the cookie that is set before the page
	// reloads.
	{"StackPath", anything, "", []string{"sbtsck=", "document.cookie="}},
	{"StackPath", anything, "StackPath", []string{"/sbbi/"}},
	{"StackPath", anything, "StackPath", []string{"sbbvscc"}},
	{"StackPath", refused, "", []string{"/sbbi/"}},
	{"StackPath", nothing, "", []string{"/sbbi/"}},
	{"StackPath", nothing, "", []string{"sbbvscc"}},
	{"CleanTalk", anything, "", []string{"Anti-Crawler Protection", "is checking your browser"}},
	{"CleanTalk", anything, "", []string{"Anti-Crawler Protection is activated for your IP"}},
	{"CleanTalk", anything, "", []string{"SpamFireWall is checking your browser"}},
	{"CleanTalk", anything, "", []string{"SpamFireWall is activated for your IP"}},
	{"QRATOR", refused, "", []string{"/__qrator/"}},
	{"QRATOR", nothing, "", []string{"/__qrator/"}},
	{"Reblaze", anything, "", []string{"window.rbzns=", "winsocks("}},
	{"Radware", anything, "Radware Bot Manager Captcha", nil},
	{"Radware", anything, "ShieldSquare Captcha", nil},
	{"Imunify360", anything, "", []string{"wsidchk", "<form"}},
	{"Imunify360", anything, "One moment, please...", []string{"request is being verified"}},
	// Pages may embed its challenge, which has the same scripts.
	{"Fastly", anything, "Client Challenge", []string{"/_fs-ch-"}},
	{"Fastly", refused, "", []string{"/_fs-ch-"}},
	{"Fastly", nothing, "", []string{"/_fs-ch-"}},
	{"EdgeOne", nothing, "", []string{"EO_Bot_Ssid"}},
	{"BitNinja", anything, "Waiting for the redirectiron...", nil}, // sic
	{"BitNinja", anything, "Visitor anti-robot validation", nil},
	{"BitNinja", refused, "", []string{"Security check by BitNinja"}},
	{"Alibaba Cloud", nothing, "", []string{"acw_sc__v2", "var arg1="}},
	// testcookie-nginx-module, which free hosters use
	{"testcookie", nothing, "", []string{"slowAES.decrypt(", "document.cookie="}},
}

// signed returns the name of the protection whose sign an answer has, or "".
func signed(hop *audit.Hop, body []byte, bare bool) string {
	if len(body) == 0 {
		return ""
	}
	refuses, begun := refusing(hop.Status), signBegins.in(body)
	for i := range signs {
		s := &signs[i]
		if s.on == refused && !refuses || s.on == nothing && !bare ||
			!strings.HasPrefix(hop.Page.Title, s.title) {
			continue
		}
		if len(s.all) == 0 || begun[s.all[0]] && containsAll(body, s.all[1:]) {
			return s.name
		}
	}
	return ""
}

// begins finds all of some texts in another one, in a single pass. Pages seldom contain any, and
// searching for one after the other took longer than the rest of reading a page.
type begins struct {
	pairs [1 << 16]bool        // pairs of bytes with which a text begins
	texts map[[2]byte][]string // texts by their first two bytes
}

var signBegins = newBegins()

func newBegins() *begins {
	b := &begins{texts: map[[2]byte][]string{}}
	for _, s := range signs {
		if len(s.all) == 0 {
			continue
		}
		at := [2]byte{s.all[0][0], s.all[0][1]}
		b.pairs[int(at[0])<<8|int(at[1])] = true
		b.texts[at] = append(b.texts[at], s.all[0])
	}
	return b
}

// in returns the texts that occur in body; nil for none.
func (b *begins) in(body []byte) (found map[string]bool) {
	for i := 1; i < len(body); i++ {
		if !b.pairs[int(body[i-1])<<8|int(body[i])] {
			continue
		}
		for _, text := range b.texts[[2]byte{body[i-1], body[i]}] {
			if hasPrefix(body[i-1:], text) && !found[text] {
				if found == nil {
					found = map[string]bool{}
				}
				found[text] = true
			}
		}
	}
	return found
}

func containsAll(body []byte, all []string) bool {
	return !slices.ContainsFunc(all,
		func(s string) bool { return !bytes.Contains(body, []byte(s)) })
}

// onlyCaptcha reports whether a page, all of which is body, is nothing but a captcha: it asks
// whether the visitor is human and has no field to write into.
func onlyCaptcha(body []byte) bool {
	if len(body) >= prefixSize || !bytes.Contains(body, []byte("captcha")) &&
		!bytes.Contains(body, []byte("cf-turnstile")) {
		return false
	}
	text := strings.ToLower(string(body))
	has := func(words ...string) bool { return hasAny(text, words...) }
	return has("g-recaptcha", "h-captcha", "cf-turnstile") &&
		has("you are human", "you are a human", "you're human", "not a robot",
			"security check to access", "unusual traffic") &&
		!has("<textarea", "<nav", "<select", `type="text"`, `type="email"`, `type="password"`,
			"type=text", "type=email", "type=password")
}
