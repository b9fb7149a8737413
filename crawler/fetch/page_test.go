package fetch

import (
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// readPage reads a page as Googlebot. Header lines come before the body.
func readPage(t *testing.T, body string, headers ...string) audit.Page {
	t.Helper()
	h := http.Header{}
	for _, line := range headers {
		k, v, _ := strings.Cut(line, ": ")
		h.Add(k, v)
	}
	p := newPageReader(address.Wire("http://a.example/x/y"), []string{"googlebot"})
	defer p.Release()
	p.Header(h)
	if p.IsHTML() {
		if err := p.Body(iotest.HalfReader(strings.NewReader(body))); err != nil {
			t.Fatal(err)
		}
	}
	page := p.Page()
	page.ContentType = ""
	return page
}

const htmlType = "Content-Type: text/html; charset=utf-8"

func TestPage(t *testing.T) {
	tests := map[string]struct {
		body string
		want audit.Page
	}{
		"a head": {`<!doctype html><html><head><meta charset=utf-8><title> A &amp;
			B </title><link rel="canonical" href="/a?b&amp;c"><meta name="robots" content="NOINDEX, follow"></head>`,
			audit.Page{Title: "A & B", Canonical: "/a?b&c", Robots: "noindex, follow"}},
		"empty":                     {``, audit.Page{}},
		"text only":                 {`hello`, audit.Page{}},
		"first title":               {`<title>a</title><title>b</title>`, audit.Page{Title: "a"}},
		"empty title":               {`<title></title><title>b</title>`, audit.Page{Title: "b"}},
		"unfinished title":          {`<title>a`, audit.Page{Title: "a"}},
		"no head tags":              {`<link rel=canonical href=/c><p><link rel=canonical href=/d>`, audit.Page{Canonical: "/c"}},
		"after the head":            {`<head></head><body><meta http-equiv=refresh content="0;/x"><base href=/b/><title>t</title>`, audit.Page{}},
		"robots after the head":     {`<head></head><meta name=robots content=noindex>`, audit.Page{Robots: "noindex"}},
		"robots in the body":        {`<body><p>a<div><meta name=robots content=noindex>`, audit.Page{Robots: "noindex"}},
		"robots far down":           {`<body><p>a<h1>b</h1>` + strings.Repeat("<p>c", 20000) + `<meta name=robots content=none>`, audit.Page{Robots: "none", Heading: "b"}},
		"no robots in the body":     {`<body><!-- <meta name=robots content=noindex> --><script>"<meta name=robots content=noindex>"</script><textarea><meta name=robots content=noindex></textarea><template><meta name=robots content=noindex></template><noscript><meta name=robots content=noindex></noscript><p title="<meta name=robots content=noindex>">`, audit.Page{}},
		"after a div":               {`<head><div></div><link rel=canonical href=/c></head>`, audit.Page{}},
		"in a comment":              {`<!-- <meta name=robots content=noindex> --><title>a</title>`, audit.Page{Title: "a"}},
		"in noscript":               {`<noscript><meta http-equiv=refresh content="0;url=/x"><meta name=robots content=noindex></noscript><title>a</title>`, audit.Page{Title: "a"}},
		"in a template":             {`<template><div><meta name=robots content=noindex></div></template><title>a</title>`, audit.Page{Title: "a"}},
		"in a style":                {`<style><meta name=robots content=noindex></style><title>a</title>`, audit.Page{Title: "a"}},
		"other robots":              {`<meta name=bingbot content=noindex><meta name=googlebot-news content=noindex>`, audit.Page{}},
		"this robot":                {`<meta name=GoogleBot content="none"><meta name=robots content=nofollow>`, audit.Page{Robots: "none, nofollow"}},
		"said twice":                {`<meta name=robots content="noindex,noindex"><meta name=googlebot content=noindex>`, audit.Page{Robots: "noindex"}},
		"unavailable_after":         {`<meta name=robots content="unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, nofollow">`, audit.Page{Robots: "unavailable_after: wed, 25 jun 2025 15:00:00 gmt, nofollow"}},
		"canonical among others":    {`<link rel="alternate CANONICAL" href=" /c ">`, audit.Page{Canonical: "/c"}},
		"canonical of a language":   {`<link rel=canonical hreflang=ja href=/ja><link rel=canonical href=/c>`, audit.Page{Canonical: "/c"}},
		"two canonicals":            {`<link rel=canonical href=/c><link rel=canonical href=/d>`, audit.Page{}},
		"one canonical three times": {`<link rel=canonical href=/c><link rel=canonical href="http://A.example:80/c"><link rel=canonical href=../c>`, audit.Page{Canonical: "/c"}},
		"many canonicals":           {`<link rel=canonical href=/c>` + strings.Repeat(`<link rel=canonical href="http://a.example/c">`, 9) + `<link rel=canonical href=/d>`, audit.Page{}},
		"canonical without href":    {`<link rel=canonical><link rel=canonical href=/d>`, audit.Page{Canonical: "/d"}},
		"raw bytes in a canonical":  {"<link rel=canonical href='/\xA4\xC7'>", audit.Page{Canonical: "/\xA4\xC7"}},
		"zero in another attribute": {"<link data-x='\x00' rel=canonical href='/c'>", audit.Page{Canonical: "/c"}},
		"zero as a reference":       {"<link rel=canonical href='/a&#0;b'>", audit.Page{Canonical: "/a\uFFFDb"}},
		"base before":               {`<base href="/b/"><base href="/c/"><link rel=canonical href=x>`, audit.Page{Canonical: "x", CanonicalBase: "/b/"}},
		"base after":                {`<link rel=canonical href=x><base href="/b/">`, audit.Page{}},
		"base after, all the same":  {`<link rel=canonical href=/x><base href="/b/">`, audit.Page{Canonical: "/x"}},
		"refresh from a base":       {`<base href="/b/"><base href="/c/"><meta http-equiv=refresh content="0;x">`, audit.Page{Refresh: "http://a.example/b/x"}},
		"refresh before a base":     {`<meta http-equiv=refresh content="0;x"><base href="/b/"><link rel=canonical href=y>`, audit.Page{Refresh: "x", Canonical: "y", CanonicalBase: "/b/"}},
		"refresh from no base":      {`<base href="data:,"><meta http-equiv=refresh content="0;x">`, audit.Page{}},
		"refresh without the base":  {`<base href="data:,"><meta http-equiv=refresh content="0;//b.example/x">`, audit.Page{Refresh: "//b.example/x"}},
		"refresh":                   {`<meta http-equiv=Refresh content="5; URL='/x y'">`, audit.Page{Refresh: "/x y", RefreshDelay: 5}},
		"first refresh":             {`<meta http-equiv=refresh content="30"><meta http-equiv=refresh content="0;/a"><meta http-equiv=refresh content="0;/b">`, audit.Page{Refresh: "/a"}},
		"password":                  {`<body><form><input name=p type=password>`, audit.Page{Password: true}},
		"script":                    {`<script>if (a) window.location.href = "/x"</script><p>b`, audit.Page{Script: true}},
		"json":                      {`<script type="application/ld+json">{"a":location="x"}</script>`, audit.Page{}},
		"script with a source":      {`<script src=/a.js></script><title>a</title>`, audit.Page{Title: "a"}},
		"script in the body":        {`<body><script>location="/x"</script>`, audit.Page{ScriptTo: "/x"}},
		"svg title":                 {`<body><svg><title>icon</title></svg>`, audit.Page{}},
		"first attribute counts":    {`<meta name=robots name=x content=noindex content=index>`, audit.Page{Robots: "noindex"}},
		"self-closing":              {`<meta name="robots" content="noindex" /><link rel="canonical" href="/c" />`, audit.Page{Robots: "noindex", Canonical: "/c"}},
	}
	for name, tt := range tests {
		got := readPage(t, tt.body, htmlType)
		if got.Empty, got.Shell, got.Text = false, false, 0; got != tt.want {
			t.Errorf("%s: %.300s\ngot  %+v\nwant %+v", name, tt.body, got, tt.want)
		}
	}
}

func TestPageHeaders(t *testing.T) {
	tests := map[string]struct {
		headers []string
		want    audit.Page
	}{
		"to be saved":    {[]string{"Content-Disposition: Attachment; filename=a.html"}, audit.Page{Attachment: true}},
		"to be shown":    {[]string{"Content-Disposition: inline; filename=attachment"}, audit.Page{}},
		"tag":            {[]string{"X-Robots-Tag: noindex, NoFollow"}, audit.Page{Robots: "noindex, nofollow"}},
		"two":            {[]string{"X-Robots-Tag: noindex", "X-Robots-Tag: googlebot: nosnippet"}, audit.Page{Robots: "noindex, nosnippet"}},
		"others":         {[]string{"X-Robots-Tag: otherbot: noindex, nofollow"}, audit.Page{}},
		"others, then I": {[]string{"X-Robots-Tag: BadBot: noindex, nofollow, googlebot: nosnippet"}, audit.Page{Robots: "nosnippet"}},
		"values":         {[]string{"X-Robots-Tag: max-snippet: 20, max-image-preview:large"}, audit.Page{Robots: "max-snippet: 20, max-image-preview:large"}},
		"date":           {[]string{"X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST"}, audit.Page{Robots: "unavailable_after: 25 jun 2010 15:00:00 pst"}},
		"date of mine":   {[]string{"X-Robots-Tag: googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST"}, audit.Page{Robots: "unavailable_after: 25 jun 2010 15:00:00 pst"}},
		"link":           {[]string{`Link: </a>; rel=preload, <https://a.example/b,c;d>; rel="canonical"`}, audit.Page{Canonical: "https://a.example/b,c;d"}},
		"link, quoted":   {[]string{`Link: </a>; title="x, <y>; rel=\"canonical\""; rel=next,</b>;foo;rel="x Canonical"`}, audit.Page{Canonical: "/b"}},
		"two links":      {[]string{`Link: </a>; rel=canonical, </b>; rel=next`, `Link: <http://a.example/a>; rel=canonical`}, audit.Page{Canonical: "/a"}},
		"links at odds":  {[]string{`Link: </a>; rel=canonical, </b>; rel=canonical`}, audit.Page{}},
		"link of lang":   {[]string{`Link: </a>; rel=canonical; hreflang=en`, `Link: </b>; rel=canonical; anchor="/c"`}, audit.Page{}},
		"link, broken":   {[]string{`Link: </a; rel=canonical`, `Link: rel=canonical`, `Link: <>; rel=canonical`}, audit.Page{}},
		"refresh":        {[]string{"Refresh: 0;url=/x"}, audit.Page{RefreshHeader: "/x"}},
		"refresh, later": {[]string{"Refresh: 3, /x"}, audit.Page{RefreshHeader: "/x", RefreshHeaderDelay: 3}},
	}
	for name, tt := range tests {
		tt.want.Text = readPage(t, "<p>x").Text
		if got := readPage(t, "<p>x", tt.headers...); got != tt.want {
			t.Errorf("%s: %q\ngot  %+v\nwant %+v", name, tt.headers, got, tt.want)
		}
	}
	for header, want := range map[string]string{"http://a.example/c": "../c", "/d": "", "": "../c"} {
		both := readPage(t, `<base href=/x/><link rel=canonical href=../c>`, htmlType, "Link: <"+header+">; rel=canonical")
		if both.Canonical != want || want != "" && both.CanonicalBase != "/x/" {
			t.Errorf("a tag, and %q in a header: %+v", header, both)
		}
	}
}

func TestOnlyHTMLIsScanned(t *testing.T) {
	body := `<html><head><title>a</title></head>`
	for contentType, want := range map[string]bool{
		"text/html": true, "Text/HTML;charset=x": true, "application/xhtml+xml": true, "": true,
		"text/plain": false, "application/xml": false, "application/json": false, "image/svg+xml": false,
	} {
		if got := readPage(t, body, "Content-Type: "+contentType).Title == "a"; got != want {
			t.Errorf("%q: scanned %v", contentType, got)
		}
	}
	if got := readPage(t, "%PDF-1.4 <title>a</title>"); got.Title != "" {
		t.Errorf("a body without a type that is no HTML: %+v", got)
	}
}

func TestCharsets(t *testing.T) {
	tests := []struct {
		name        string
		enc         encoding.Encoding
		head        string
		contentType string
	}{
		{"utf-8, not told", encoding.Nop, "", "text/html"},
		{"utf-8 with a mark", unicode.UTF8BOM, "", "text/html"},
		{"told by the header", japanese.EUCJP, "", "text/html; charset=EUC-JP"},
		{"told by meta", japanese.ShiftJIS, "<meta charset=Shift_JIS>", "text/html"},
		{"told by http-equiv", japanese.EUCJP, `<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">`, "text/html"},
		{"iso-2022-jp", japanese.ISO2022JP, "<meta charset=iso-2022-jp>", "text/html"},
		{"the header lies", encoding.Nop, "", "text/html; charset=shift_jis"},
	}
	for _, tt := range tests {
		body, err := tt.enc.NewEncoder().String("<html><head>" + tt.head + "<title>社会の高速化(4)</title><link rel=canonical href='/c'></head>")
		if err != nil {
			t.Fatal(err)
		}
		if got := readPage(t, body, "Content-Type: "+tt.contentType); got.Title != "社会の高速化(4)" || got.Canonical != "/c" {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestRefresh(t *testing.T) {
	tests := map[string]struct {
		delay  float64
		target string // "" for no refresh
	}{
		"0;url=/a": {0, "/a"}, "0; URL = /a": {0, "/a"}, "5,/a": {5, "/a"}, "5 /a": {5, "/a"}, "5 ; , /a": {5, ", /a"},
		" 5;url='/a b' x": {5, "/a b"}, `5;url="/a`: {5, "/a"}, "0;'/a'": {0, "/a"}, "0;url=/a;b": {0, "/a;b"},
		"0.5;url=/a": {0.5, "/a"}, ".5;/a": {0.5, "/a"}, "1.2.3;/a": {1.2, "/a"}, "0;urla": {0, "urla"}, "0;url /a": {0, "url /a"},
		"5": {}, "5;": {}, "5;url=": {}, "5;url=''": {}, "": {}, "url=/a": {}, "-1;url=/a": {}, "5x;url=/a": {}, "5/a": {},
		"0;url=\t/a\n": {0, "/a"}, ";/a": {}, "0;url=javascript:x": {0, "javascript:x"},
		"99999999999999999999999;/a": {999999999999999, "/a"},
	}
	for s, want := range tests {
		got, ok := parseRefresh(s)
		if ok != (want.target != "") || ok && (got.delay != want.delay || got.target != want.target) {
			t.Errorf("%q: got %+v %v, want %+v", s, got, ok, want)
		}
	}
}

func TestChallenges(t *testing.T) {
	tests := []struct {
		status  int
		headers string
		body    string
		want    string
	}{
		{403, "Cf-Mitigated: challenge", "", "Cloudflare"},
		{503, "Server: cloudflare", "<title>Just a moment...</title><script>window._cf_chl_opt={}", "Cloudflare"},
		{200, "X-Amzn-Waf-Action: challenge", "", "AWS WAF"},
		{202, "", "<script>window.gokuProps = {}</script><div id='challenge-container'>", "AWS WAF"},
		{403, "X-Datadome: protected", "", "DataDome"},
		{200, "X-Datadome: protected", "<title>Shoes</title>", ""},
		{403, "Server: AkamaiGHost", "<h1>Access Denied</h1>", "Akamai"},
		{200, "Server: AkamaiGHost", "<title>Shoes</title>", ""},
		{403, "", "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n<P>\nReference&#32;&#35;18&#46;ef3a2f17&#46;1619133194", "Akamai"},
		{403, "", "<html><head>\n<title>Access Denied</title>\n</head><body>\n<h1>Access Denied</h1>\n<p>\nReference #18.ef3a2f17.1619133194.15bcf105", "Akamai"},
		{200, "", "<title>Access Denied</title><p>A film. Reference #18", ""},
		{405, "X-Amzn-Waf-Action: captcha", "<title>Human Verification</title>", "AWS WAF"},
		{202, "X-Amzn-Waf-Action: challenge", "", "AWS WAF"},
		{202, "", "<title>Accepted</title>", ""},
		{403, "X-Dd-B: 1", `{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=x"}`, "DataDome"},
		{403, "", `<script>var dd={'rt':'c','cid':'x','host':'geo.captcha-delivery.com'}</script>`, "DataDome"},
		{403, "Server: cloudflare", `<title>Attention Required! | Cloudflare</title><div id="cf-error-details">`, "Cloudflare"},
		{404, "Server: cloudflare", "<title>Not found</title>", ""},
		{403, "", `<title>Access to this page has been denied.</title><script>window._pxAppId = 'PX1'`, "HUMAN"},
		{200, "", `<html style="height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?x">`, "Imperva"},
		{200, "", `<script src="/_Incapsula_Resource?SWJIYLWA=x"></script><title>Shoes</title>`, ""},
		{429, "X-Vercel-Mitigated: challenge", "", "Vercel"},
		{200, "", `<script id="anubis_challenge" type="application/json">`, "Anubis"},
		{403, "", "<p>Please solve the CAPTCHA", "captcha"},
		{200, "", "<title>Contact</title><div class=g-recaptcha>", ""},
		{404, "", "<p>captcha", ""},
		{200, "Server: cloudflare", "<title>Just a moment...</title><p>A poem", ""},
		{403, "", "<h1>Forbidden</h1>", ""},
		// Pages that protections send, and pages of sites that they protect.
		{200, "", `<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,719d34d31c8e3a6e6fffd425f7e032f3"></script><body></body></html>`, "Imperva"},
		{200, "", `<META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"><script src="/_Incapsula_Resource?SWJIYLWA=1"></script><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=24">Request unsuccessful.</iframe>`, "Imperva"},
		{200, "", `<title>Pardon Our Interruption</title><p>something about your browser made us think you were a bot`, "Imperva"},
		{200, "", `<title>App</title><div id=root></div><script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`, ""},
		{200, "", `<p>Shoes<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`, ""},
		{202, "Sg-Captcha: challenge", "", "SiteGround"},
		{200, "", `<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2Fa&y=ipc:192.0.2.1:1700000000.123"></meta></head></html>`, "SiteGround"},
		{302, "Location: /.well-known/sgcaptcha/?r=%2Fa", "", "SiteGround"},
		{202, "", `<title>Robot Challenge Screen</title><script>const sgchallenge="20:1:2:3";const sgsubmit_url="/.well-known/captcha/?r=%2F";</script>`, "SiteGround"},
		{302, "Location: https://validate.perfdrive.com/64b926de/?ssa=x&ssc=https%3A%2F%2Fa.example%2F", "", "Radware"},
		{302, "Location: https://a.example/?u=https://validate.perfdrive.com/", "", ""},
		{302, "Location: https://geo.captcha-delivery.com/captcha/?initialCid=x", "", "DataDome"},
		{302, "Location: /captcha", "", ""},
		{200, "", `<title>Radware Bot Manager Captcha</title>`, "Radware"},
		{200, "", `<title>Shoes</title><script>var __uzdbm_1 = "x";ssConf("cu","validate.perfdrive.com");</script>`, ""},
		{403, "Server: cloudflare", `<title>Nur einen Moment…</title><script>window._cf_chl_opt={};a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'</script>`, "Cloudflare"},
		{200, "", `<title>Nur einen Moment…</title><script>window._cf_chl_opt={};a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'</script>`, "Cloudflare"},
		{200, "Server: cloudflare", `<title>Shoes</title><script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`, ""},
		{403, "Server: cloudflare", "error code: 1020", "Cloudflare"},
		{200, "", `<script>var a=1;xhr.open("POST", "/_sec/verify?provider=interstitial", false)</script>`, "Akamai"},
		{200, "", `<script src="/akam/13/6a2b" defer></script><title>Shoes</title>`, ""},
		{403, "", `<title>Access to this page has been denied</title><div id="px-captcha"></div>`, "HUMAN"},
		{200, "", `<title>Shoes</title><script>window._pxAppId='PX1'</script>`, ""},
		{405, "", `<script>window.awsWafCookieDomainList = [];</script><div id="challenge-container"></div>`, "AWS WAF"},
		{200, "", `<title>Shoes</title><script src="https://x.token.awswaf.com/x/challenge.js"></script><script>AwsWafIntegration.saveReferrer()</script>`, ""},
		{403, "", `<title>Sucuri WebSite Firewall - Access Denied</title>`, "Sucuri"},
		{200, "", `<script>sucuri_cloudproxy_js='';S='x'</script>`, "Sucuri"},
		{403, "Server: ddos-guard", `<title>DDoS-Guard</title>`, "DDoS-Guard"},
		{200, "Server: ddos-guard", `<title>Shoes</title>`, ""},
		{200, "", `<title>DDOS-GUARD</title><link href="/.well-known/ddos-guard/ddg-captcha-page/index.css"><h1>Checking your browser`, "DDoS-Guard"},
		{429, "", `<body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e9513/2d206a39/ips.js?tkrm=x"></script>`, "Kasada"},
		{200, "", `<body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e9513/2d206a39/ips.js?tkrm=x"></script>`, "Kasada"},
		{200, "", `<title>Shoes</title><script>window.KPSDK={};</script><script src="/149e9513/2d206a39/p.js"></script>`, ""},
		{200, "", `<noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 1782913578710</noscript>`, "F5"},
		{200, "", `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.<br>Your support ID is: 123`, "F5"},
		{200, "", `<script>(function(){window["bobcmn"] = "1111/TSPD/300000008TSPD_101"})()</script>`, "F5"},
		{200, "", `<title>Shoes</title><script src="/TSPD/080713870fab2000?type=17"></script>`, ""},
		{429, "", `<title>Vercel Security Checkpoint</title>`, "Vercel"},
		{200, "", `<title>Vercel Security Checkpoint</title><p>What it is`, ""},
		{200, "", `<title>Making sure you're not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.css"><script id="anubis_version" type="application/json">"v1"</script><img src="/.within.website/x/cmd/anubis/static/img/pensive.webp">`, "Anubis"},
		{503, "", `<title>Your access to this site has been limited</title><p>Generated by Wordfence at Sat, 01 Jan 2026`, "Wordfence"},
		{200, "", `<title>What “Generated by Wordfence” means</title>`, ""},
		{247, "", `<script>;;window.rbzns={bereshit:"1",seed:"x"};winsocks();</script>`, "Reblaze"},
		{200, "", `<script>;;window.rbzns={bereshit:"1",seed:"x"};winsocks();</script>`, "Reblaze"},
		{200, "", `<title>One moment, please...</title><h1>Please wait while your request is being verified...</h1><form id="wsidchk-form">`, "Imunify360"},
		{200, "", `<script>var arg1='9F0B';document.cookie="acw_sc__v2="+x</script>`, "Alibaba Cloud"},
		{200, "", `<script src="/aes.js"></script><script>document.cookie="__test="+toHex(slowAES.decrypt(c,2,a,b));location.href="http://a.example/?i=1";</script><noscript>This site requires Javascript to work`, "testcookie"},
		{200, "", `<title>Client Challenge</title><link rel="stylesheet" href="/_fs-ch-1T1wmsGaOgGaSxcX/assets/styles.css"><script defer src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js?reload=true"></script><noscript>JavaScript is disabled in your browser.</noscript>`, "Fastly"},
		{200, "", `<html><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script></html>`, "Fastly"},
		{200, "", `<title>Shoes</title><script src="/_fs-ch-1T1wmsGaOgGaSxcX/challenge.js"></script><h1>Shoes</h1>`, ""},
		{200, "", `<title>Client Challenge: what it is</title><p>Fastly asks browsers to work.`, ""},
		{200, "", `<title>DDoS-Guard</title><script src="/.well-known/ddos-guard/check?context=free_splash"></script><p>Checking your browser`, "DDoS-Guard"},
		{200, "", `<title>Shoes</title><img src="/.well-known/ddos-guard/id/x"><h1>Shoes</h1>`, ""},
		{403, "Server: BitNinja Captcha Server", `<title>x</title>`, "BitNinja"},
		{200, "", `<title>Waiting for the redirectiron...</title><p>This is an automatic process.`, "BitNinja"},
		{403, "", `<p>Security check by BitNinja.IO`, "BitNinja"},
		{200, "", `<title>Hosting</title><p>Security check by BitNinja.IO`, ""},
		{567, "Server: TencentEdgeOne", `<title>x</title>`, "EdgeOne"},
		{567, "", `<title>x</title>`, ""},
		{200, "Server: TencentEdgeOne", `<html><head><script>var __tst_status=1;document.cookie="EO_Bot_Ssid=1"</script></head></html>`, "EdgeOne"},
		{200, "Server: TencentEdgeOne", `<title>Shoes</title><script>var c="EO_Bot_Ssid"</script><h1>Shoes</h1>`, ""},
		{200, "", `<title>slowAES</title><pre>slowAES.decrypt(c,2,a,b); document.cookie="x"`, ""},
		{200, "", `<meta name="robots" content="noindex, nofollow"><title>Access to this page has been denied</title><div id="px-captcha"></div><script>window._pxAppId='PX1'</script>`, "HUMAN"},
		{200, "", `<meta name="robots" content="noindex, nofollow"><meta name="description" content="px-captcha"><title>Access to this page has been denied</title><script>window._pxAppId='PX1';window._pxJsClientSrc='/1/init.js';var s='/1/captcha/captcha.js?a=c'</script>`, "HUMAN"},
		{200, "", `<meta name="description" content="px-captcha"><title>L’accès à cette page a été refusé</title><script>window._pxAppId='PX1'</script>`, "HUMAN"},
		{200, "", `<title>Access to this page has been denied: what to do</title><p>The captcha of HUMAN`, ""},
		{200, "", `<title>Shoes</title><style>#px-captcha{}</style><div id="px-captcha" hidden></div><script>window._pxAppId='PX1'</script>`, ""},
		{428, "", `<title>Challenge Validation</title><iframe id="sec-cpt-if" provider="crypto"></iframe>`, "Akamai"},
		{428, "", `<div id="sec-cpt-if"></div>`, "Akamai"},
		{428, "Server: AkamaiGHost", `<title>x</title>`, "Akamai"},
		{200, "", `<title>Challenge Validation</title><iframe id="sec-cpt-if"></iframe><script src="/_sec/cp_challenge/sec-4-4.js"></script>`, "Akamai"},
		{428, "", `<title>Precondition Required</title><p>Send If-Match.`, ""},
		{200, "", `<title>Scraping</title><pre>iframe sec-cpt-if</pre>`, ""},
		{200, "", `<h1>Anti-Crawler Protection is checking your browser and IP <a href="https://cleantalk.org/blacklists/192.0.2.1">192.0.2.1</a> for spam bots</h1>`, "CleanTalk"},
		{403, "", `<h1>SpamFireWall is activated for your IP 192.0.2.1</h1>`, "CleanTalk"},
		{200, "", `<title>Anti-Crawler Protection</title><p>What SpamFireWall is, and what CleanTalk checks`, ""},
		{403, "", `<title>Gcore</title><img src="/sbbi/?sbbpg=utMedia">`, "StackPath"},
		{401, "", `<html><head><script src="/__qrator/qauth_utm_v2d_v9118.js"></script></head><body></body></html>`, "QRATOR"},
		{200, "", `<html><head><script src="/__qrator/qauth_utm_v2d_v9118.js"></script></head><body></body></html>`, "QRATOR"},
		{401, "", `<title>Password</title>`, ""},
		{200, "", `<h1>Contact</h1><form><input type="email"><textarea></textarea><p>Verify that you are not a robot<div class="g-recaptcha"></div></form>`, ""},
		{200, "", `<h1>Newsletter</h1><form><div class="h-captcha"></div></form>`, ""},
		{200, "", "<h1>Verify you are human</h1><div class=cf-turnstile></div>" + strings.Repeat("<p>An article.", 400), ""},
	}
	for _, tt := range tests {
		h := http.Header{}
		if k, v, ok := strings.Cut(tt.headers, ": "); ok {
			h.Set(k, v)
		}
		page := newPageReader(address.Address{}, nil)
		page.Header(http.Header{"Content-Type": {"text/html"}})
		_ = page.Body(strings.NewReader(tt.body))
		hop := audit.Hop{Status: tt.status, Location: h.Get("Location"), Page: page.Page()}
		if got := challenge(&hop, h, page.Prefix(), page.bare()); got != tt.want {
			t.Errorf("%d %s %s: got %q, want %q", tt.status, tt.headers, tt.body, got, tt.want)
		}
	}
}
