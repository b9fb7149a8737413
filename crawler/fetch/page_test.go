package fetch

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// readPage reads a page as Googlebot. Header lines come before the body.
func readPage(t *testing.T, body string, headers ...string) answers.Page {
	t.Helper()
	h := http.Header{}
	for _, line := range headers {
		k, v, _ := strings.Cut(line, ": ")
		h.Add(k, v)
	}
	p := newPageReader(address.Wire("http://a.example/x/y"), "googlebot")
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
		want answers.Page
	}{
		"a head": {`<!doctype html><html><head><meta charset=utf-8><title> A &amp;
			B </title><link rel="canonical" href="/a?b&amp;c"><meta name="robots" content="NOINDEX, follow"></head>`,
			answers.Page{Title: "A & B", Canonical: "/a?b&c", Robots: "noindex, follow"}},
		"empty":                     {``, answers.Page{}},
		"empty title":               {`<title></title><title>b</title>`, answers.Page{Title: "b"}},
		"no head tags":              {`<link rel=canonical href=/c><p><link rel=canonical href=/d>`, answers.Page{Canonical: "/c"}},
		"after the head":            {`<head></head><body><meta http-equiv=refresh content="0;/x"><base href=/b/><title>t</title>`, answers.Page{}},
		"robots after the head":     {`<head></head><meta name=robots content=noindex>`, answers.Page{Robots: "noindex"}},
		"robots far down":           {`<body><p>a<h1>b</h1>` + strings.Repeat("<p>c", 20000) + `<meta name=robots content=none>`, answers.Page{Robots: "none", Heading: "b"}},
		"no robots in the body":     {`<body><!-- <meta name=robots content=noindex> --><script>"<meta name=robots content=noindex>"</script><textarea><meta name=robots content=noindex></textarea><template><meta name=robots content=noindex></template><noscript><meta name=robots content=noindex></noscript><p title="<meta name=robots content=noindex>">`, answers.Page{}},
		"in a comment":              {`<!-- <meta name=robots content=noindex> --><title>a</title>`, answers.Page{Title: "a"}},
		"in noscript":               {`<noscript><meta http-equiv=refresh content="0;url=/x"><meta name=robots content=noindex></noscript><title>a</title>`, answers.Page{Title: "a"}},
		"in a template":             {`<template><div><meta name=robots content=noindex></div></template><title>a</title>`, answers.Page{Title: "a"}},
		"other robots":              {`<meta name=bingbot content=noindex><meta name=googlebot-news content=noindex>`, answers.Page{}},
		"this robot":                {`<meta name=GoogleBot content="none"><meta name=robots content=nofollow>`, answers.Page{Robots: "none, nofollow"}},
		"unavailable_after":         {`<meta name=robots content="unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, nofollow">`, answers.Page{Robots: "unavailable_after: wed, 25 jun 2025 15:00:00 gmt, nofollow"}},
		"canonical among others":    {`<link rel="alternate CANONICAL" href=" /c ">`, answers.Page{Canonical: "/c"}},
		"canonical of a language":   {`<link rel=canonical hreflang=ja href=/ja><link rel=canonical href=/c>`, answers.Page{Canonical: "/c"}},
		"two canonicals":            {`<link rel=canonical href=/c><link rel=canonical href=/d>`, answers.Page{}},
		"one canonical three times": {`<link rel=canonical href=/c><link rel=canonical href="http://A.example:80/c"><link rel=canonical href=../c>`, answers.Page{Canonical: "/c"}},
		"raw bytes in a canonical":  {"<link rel=canonical href='/\xA4\xC7'>", answers.Page{Canonical: "/\xA4\xC7"}},
		"zero as a reference":       {"<link rel=canonical href='/a&#0;b'>", answers.Page{Canonical: "/a\uFFFDb"}},
		"base before":               {`<base href="/b/"><base href="/c/"><link rel=canonical href=x>`, answers.Page{Canonical: "x", CanonicalBase: "/b/"}},
		"base after":                {`<link rel=canonical href=x><base href="/b/">`, answers.Page{}},
		"refresh from a base":       {`<base href="/b/"><base href="/c/"><meta http-equiv=refresh content="0;x">`, answers.Page{Refresh: "http://a.example/b/x"}},
		"refresh before a base":     {`<meta http-equiv=refresh content="0;x"><base href="/b/"><link rel=canonical href=y>`, answers.Page{Refresh: "x", Canonical: "y", CanonicalBase: "/b/"}},
		"refresh":                   {`<meta http-equiv=Refresh content="5; URL='/x y'">`, answers.Page{Refresh: "/x y", RefreshDelay: 5}},
		"first refresh":             {`<meta http-equiv=refresh content="30"><meta http-equiv=refresh content="0;/a"><meta http-equiv=refresh content="0;/b">`, answers.Page{Refresh: "/a"}},
		"password":                  {`<body><form><input name=p type=password>`, answers.Page{Password: true}},
		"script":                    {`<script>if (a) window.location.href = "/x"</script><p>b`, answers.Page{Script: true}},
		"json":                      {`<script type="application/ld+json">{"a":location="x"}</script>`, answers.Page{}},
		"script in the body":        {`<body><script>location="/x"</script>`, answers.Page{ScriptTo: "/x"}},
		"first attribute counts":    {`<meta name=robots name=x content=noindex content=index>`, answers.Page{Robots: "noindex"}},
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
		want    answers.Page
	}{
		"to be saved":    {[]string{"Content-Disposition: Attachment; filename=a.html"}, answers.Page{Attachment: true}},
		"tag":            {[]string{"X-Robots-Tag: noindex, NoFollow"}, answers.Page{Robots: "noindex, nofollow"}},
		"others":         {[]string{"X-Robots-Tag: otherbot: noindex, nofollow"}, answers.Page{}},
		"others, then I": {[]string{"X-Robots-Tag: BadBot: noindex, nofollow, googlebot: nosnippet"}, answers.Page{Robots: "nosnippet"}},
		"date":           {[]string{"X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST"}, answers.Page{Robots: "unavailable_after: 25 jun 2010 15:00:00 pst"}},
		"link":           {[]string{`Link: </a>; rel=preload, <https://a.example/b,c;d>; rel="canonical"`}, answers.Page{Canonical: "https://a.example/b,c;d"}},
		"link, quoted":   {[]string{`Link: </a>; title="x, <y>; rel=\"canonical\""; rel=next,</b>;foo;rel="x Canonical"`}, answers.Page{Canonical: "/b"}},
		"links at odds":  {[]string{`Link: </a>; rel=canonical, </b>; rel=canonical`}, answers.Page{}},
		"link of lang":   {[]string{`Link: </a>; rel=canonical; hreflang=en`, `Link: </b>; rel=canonical; anchor="/c"`}, answers.Page{}},
		"refresh":        {[]string{"Refresh: 0;url=/x"}, answers.Page{RefreshHeader: "/x"}},
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
		must(t, err)
		if got := readPage(t, body, "Content-Type: "+tt.contentType); got.Title != "社会の高速化(4)" || got.Canonical != "/c" {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// The path of a reference in a page is text in its charset; its query is sent as it stands.
func TestReferencesInCharsets(t *testing.T) {
	for charset, body := range map[string]string{
		"":           "<link rel=canonical href='/\xE9?x=\xE9'><meta http-equiv=refresh content='0;url=/\xE9'>",
		"iso-8859-1": "<link rel=canonical href='/caf\xE9?x=\xE9'><meta http-equiv=refresh content='0;url=/caf\xE9'>",
		"shift_jis":  "<link rel=canonical href='/\x95\x5C?x=\xE9'><meta http-equiv=refresh content='0;url=/\x95\x5C'>",
		"euc-jp":     "<link rel=canonical href='/\xC6\xFC\xCB\xDC\xB8\xEC?x=\xE9'><meta http-equiv=refresh content='0;url=/\xC6\xFC\xCB\xDC\xB8\xEC'>",
		"utf-8":      "<link rel=canonical href='/café?x=\xE9'><meta http-equiv=refresh content='0;url=/café'>",
	} {
		path := map[string]string{"shift_jis": "/表", "euc-jp": "/日本語", "": "/\xE9"}[charset]
		got := readPage(t, "<head>"+body, "Content-Type: text/html; charset="+charset)
		if path = cmp.Or(path, "/café"); got.Canonical != path+"?x=\xE9" || got.Refresh != path {
			t.Errorf("%s: %+v", charset, got)
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
		{200, "Server: AkamaiGHost", "<title>Shoes</title>", ""},
		{403, "", "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n<P>\nReference&#32;&#35;18&#46;ef3a2f17&#46;1619133194", "Akamai"},
		{202, "", "<title>Accepted</title>", ""},
		{403, "", `<script>var dd={'rt':'c','cid':'x','host':'geo.captcha-delivery.com'}</script>`, "DataDome"},
		{403, "", `<title>Access to this page has been denied.</title><script>window._pxAppId = 'PX1'`, "HUMAN"},
		{200, "", `<html style="height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?x">`, "Imperva"},
		{200, "", `<script src="/_Incapsula_Resource?SWJIYLWA=x"></script><title>Shoes</title>`, ""},
		{200, "", `<script id="anubis_challenge" type="application/json">`, "Anubis"},
		{403, "", "<p>Please solve the CAPTCHA", "captcha"},
		{404, "", "<p>captcha", ""},
		{200, "", `<p>Shoes<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`, ""},
		{302, "Location: /.well-known/sgcaptcha/?r=%2Fa", "", "SiteGround"},
		{302, "Location: /captcha", "", ""},
		{200, "", `<title>Radware Bot Manager Captcha</title>`, "Radware"},
		{200, "", `<title>Shoes</title><script>window._pxAppId='PX1'</script>`, ""},
		{200, "Server: ddos-guard", `<title>Shoes</title>`, ""},
		{429, "", `<body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e9513/2d206a39/ips.js?tkrm=x"></script>`, "Kasada"},
		{200, "", `<title>Shoes</title><script src="/TSPD/080713870fab2000?type=17"></script>`, ""},
		{503, "", `<title>Your access to this site has been limited</title><p>Generated by Wordfence at Sat, 01 Jan 2026`, "Wordfence"},
		{247, "", `<script>;;window.rbzns={bereshit:"1",seed:"x"};winsocks();</script>`, "Reblaze"},
		{200, "", `<script>var arg1='9F0B';document.cookie="acw_sc__v2="+x</script>`, "Alibaba Cloud"},
		{200, "", `<title>Client Challenge</title><link rel="stylesheet" href="/_fs-ch-1T1wmsGaOgGaSxcX/assets/styles.css"><script defer src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js?reload=true"></script><noscript>JavaScript is disabled in your browser.</noscript>`, "Fastly"},
		{200, "", `<title>Waiting for the redirectiron...</title><p>This is an automatic process.`, "BitNinja"},
		{200, "Server: TencentEdgeOne", `<title>Shoes</title><script>var c="EO_Bot_Ssid"</script><h1>Shoes</h1>`, ""},
		{428, "", `<title>Precondition Required</title><p>Send If-Match.`, ""},
		{200, "", `<title>Anti-Crawler Protection</title><p>What SpamFireWall is, and what CleanTalk checks`, ""},
		{401, "", `<html><head><script src="/__qrator/qauth_utm_v2d_v9118.js"></script></head><body></body></html>`, "QRATOR"},
		{200, "", "<h1>Verify you are human</h1><div class=cf-turnstile></div>" + strings.Repeat("<p>An article.", 400), ""},
	}
	for _, tt := range tests {
		h := http.Header{}
		if k, v, ok := strings.Cut(tt.headers, ": "); ok {
			h.Set(k, v)
		}
		page := newPageReader(address.Address{}, "")
		page.Header(http.Header{"Content-Type": {"text/html"}})
		_ = page.Body(strings.NewReader(tt.body))
		hop := answers.Hop{Status: tt.status, Location: h.Get("Location"), Page: page.Page()}
		if got := challenge(&hop, h, page.prefix, page.bare()); got != tt.want {
			t.Errorf("%d %s %s: got %q, want %q", tt.status, tt.headers, tt.body, got, tt.want)
		}
	}
}
