package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/links"
)

// These settle a page: the first with a heading, the others without one.
var (
	headedText = "<html><head><title>t</title></head><body><h1>Foxes</h1><p>The quick brown fox jumps over the lazy dog, and the dog sleeps on in the sun.</p>"
	enoughText = "<html><head><title>t</title></head><body><p>" + strings.Repeat("The quick brown fox jumps. ", 120) + "</p>"
)

func pageOf(t rapid.TB, body io.Reader, whole bool) (audit.Page, bool) {
	page, _, skimmed := pageWithLinks(t, body, whole)
	return page, skimmed
}

// pageWithLinks is pageOf that also returns the links of the page.
func pageWithLinks(t rapid.TB, body io.Reader, whole bool) (_ audit.Page, packed string, skimmed bool) {
	p := newPageReader(address.Wire("http://a.example/x/y"), []string{"googlebot"})
	defer p.Release()
	p.unskimmed = whole
	p.readLinks(&hostOverrides{}, nil)
	p.Header(http.Header{"Content-Type": {"text/html; charset=utf-8"}})
	if err := p.Body(body); err != nil {
		t.Fatal(err)
	}
	return p.Page(), p.links.Pack(links.Page{}), p.skim.r != nil
}

// sameSkimmed fails where skimming a page gives another result than examining every tag.
func sameSkimmed(t rapid.TB, body string) {
	t.Helper()
	want, linked, _ := pageWithLinks(t, strings.NewReader(body), true)
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body)), "in halves": iotest.HalfReader(strings.NewReader(body))} {
		got, packed, _ := pageWithLinks(t, r, false)
		if got != want {
			t.Fatalf("%s, %q:\n%+v, unskimmed\n%+v", name, body, got, want)
		}
		if packed != linked {
			t.Fatalf("%s, %q:\nlinks %q, unskimmed\n%q", name, body, packed, linked)
		}
	}
}

// markupPieces are parts of pages, and markup that hides them.
var markupPieces = []string{
	"<meta name=robots content=noindex>", "<META NAME='Googlebot' content=\"nofollow\"/>", `<meta content="a>b" name=robots>`, "<meta name=robots content='x'", "<meta",
	"<h1>Heading</h1>", "<h1 class=a>", "</h1>", "<H1", "Not found", "<template>", "</template>", "<template shadowrootmode=open>", "<noscript>", "</noscript>",
	"<script>", "</script>", "</script", "location='/new'", "location.href='/b';", "<script>location.replace('/a')</script>", "<script async src=/x></script>",
	"<script type=text/plain>location='/c'</script>", "<script><!--", "-->", "<script>", "</SCRIPT >", "<script/>", "<body onload=\"location='/d'\">", "<body>",
	"<!-- ", " -->", "<!-->", "<!--->", "--!>", "<!---->", "<!doctype html>", "<!", "<?php ", "?>", "</>", "</ x>", "<![CDATA[", "]]>",
	"<a title=\"<meta name=robots content=none>\">", "<a b=c\"d>", "<a =\">", "<a b = 'c' d>", "<a/b=\"/>", "<p a=/>", "<a \"", "'", "\"", ">", "<", "=", "/", " ", "\n",
	"<style>", "</style>", "<title>", "</title>", "<textarea>", "</textarea>", "<iframe>", "</iframe>", "<xmp>", "</xmp>", "<plaintext>", "<noembed>", "</noembed>",
	"<a href=/1>", "<A HREF='2#x' rel=nofollow>", "<nav>", "</nav>", "<footer><a href=3>", "</footer>", "<div role=main>", "</div>", "<base href=/b/>", "<link rel=next href=4>", "<form action=5>", "<area href=\"6",
	"<svg><title>x</title></svg>", "<input type=password>", "word", "\x00", "あ", "\xff", strings.Repeat("x ", 9000), "<p " + strings.Repeat("a=b ", 9000) + ">",
	"<style>" + strings.Repeat("a{} ", 9000) + "</style>", "<script>" + strings.Repeat("f();", 9000) + "</script>", "<scripts>", "<metal>", "<h12>", "<bodyx>", "<header>", "Loading",
	strings.Repeat("text &amp; <b>more</b> ", 300),
}

// Skimming a page gives the same result as examining every tag.
func TestSkimmedAsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{headedText, enoughText, "<body>", "", "<h1>" + enoughText}).Draw(t, "begin"))
		for range rapid.IntRange(0, 25).Draw(t, "n") {
			b.WriteString(rapid.SampledFrom(markupPieces).Draw(t, "piece"))
		}
		sameSkimmed(t, b.String())
	})
}

func FuzzSkim(f *testing.F) {
	for _, s := range markupPieces {
		if len(s) < 1000 {
			f.Add(s)
			f.Add(s + "<meta name=robots content=noindex>")
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		sameSkimmed(t, headedText+body)
		sameSkimmed(t, enoughText+body)
	})
}

// What still counts on a settled page is found, wherever it stands.
func TestSkimmed(t *testing.T) {
	long := strings.Repeat("<p class=\"a b\">Some text.</p>\n", 5000)
	for name, c := range map[string]struct {
		body string
		want func(audit.Page) bool
	}{
		"robots":            {long + "<meta name=robots content=noindex>" + long, func(p audit.Page) bool { return p.Robots == "noindex" }},
		"a heading":         {long + "<h1>Page <b>not</b> found</h1>" + long, func(p audit.Page) bool { return p.Heading == "Page not found" }},
		"a password":        {long + "<input type=password>" + long, func(p audit.Page) bool { return p.Password }},
		"a script":          {long + "<script>location='/x'</script>" + long, func(p audit.Page) bool { return p.Script }},
		"none in a comment": {long + "<!-- <meta name=robots content=noindex> -->" + long, func(p audit.Page) bool { return p.Robots == "" }},
	} {
		got, skimmed := pageOf(t, strings.NewReader(enoughText+c.body), false)
		if !skimmed || !c.want(got) {
			t.Errorf("%s: skimmed is %t, %+v", name, skimmed, got)
		}
	}
}
