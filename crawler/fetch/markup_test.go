package fetch

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"sitemend/crawler/links"
)

// markupPieces are parts of pages, and markup that hides them. No script has a comment, in which another
// script might end.
var markupPieces = []string{
	"<meta name=robots content=noindex>", "<META NAME='Googlebot' content=\"nofollow\"/>", `<meta content="a>b" name=robots>`, "<meta name=robots content='x'", "<meta",
	"<h1>Heading</h1>", "<h1 class=a>", "</h1>", "<H1", "Not found", "<template>", "</template>", "<template shadowrootmode=open>", "<noscript>", "</noscript>",
	"<script>", "</script>", "</script", "location='/new'", "<script async src=/x></script>", "</SCRIPT >", "<script/>", "<body onload=\"location='/d'\">",
	" -->", "--!>", "<!doctype html>", "<!", "<?php ", "?>", "</>", "</ x>", "<![CDATA[", "]]>",
	"<a title=\"<meta name=robots content=none>\">", "<a b=c\"d>", "<a =\">", "<a b = 'c' d>", "<a/b=\"/>", "<p a=/>", "<a \"", "'", "\"", ">", "<", "=", "/", " ", "\n",
	"<style>", "</style>", "<title>", "</title>", "<textarea>", "</textarea>", "<iframe>", "</iframe>", "<xmp>", "</xmp>", "<plaintext>", "<noembed>", "</noembed>",
	"<base href=/b/>", "<svg><title>x</title></svg>", "<input type=password>", "word", "あ", "\xff", strings.Repeat("x ", 9000), "<p " + strings.Repeat("a=b ", 9000) + ">",
	"<style>" + strings.Repeat("a{} ", 9000) + "</style>", "<scripts>", "<metal>", "<h12>", strings.Repeat("text &amp; <b>more</b> ", 300),
}

// tagsOf are the tags that a markup returns, with their attributes.
func tagsOf(r io.Reader, texts bool) (tags []string) {
	p := pageReader{read: attributes{}}
	var m markup
	for m.begin(nil, r, nil); ; {
		switch kind, b := m.next(texts, true); kind {
		case pageEnd:
			return tags
		case startTag:
			tags = append(tags, string(b), fmt.Sprint(wanted(p.attributes(b))))
		case endTag:
			tags = append(tags, string(b))
		}
	}
}

// wanted are the attributes that are read.
func wanted(of attributes) attributes {
	maps.DeleteFunc(of, func(name, _ string) bool { return attributeNames.find([]byte(name)) == "" })
	return of
}

// A page is split as html.Tokenizer splits it, however it arrives.
func TestMarkup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.SampledFrom([]string{"<body>", "", "<h1>", "<!-- x --><!----><!--><!--->"}).Draw(t, "begin")
		body := begin + strings.Join(rapid.SliceOfN(rapid.SampledFrom(markupPieces), 0, 25).Draw(t, "pieces"), "")
		var want []string
		var of links.TagReader
		for z := html.NewTokenizer(strings.NewReader(body)); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				break
			}
			switch kind {
			case html.StartTagToken, html.SelfClosingTagToken:
				want = append(want, string(z.Raw()), fmt.Sprint(wanted(of.Attributes(z.Raw()))))
			case html.EndTagToken:
				want = append(want, string(z.Raw()))
			}
		}
		for _, r := range []io.Reader{strings.NewReader(body), iotest.HalfReader(strings.NewReader(body)), iotest.OneByteReader(strings.NewReader(body))} {
			if got := tagsOf(r, rapid.Bool().Draw(t, "wanted")); !slices.Equal(got, want) {
				t.Fatalf("%q:\n%q\nwant\n%q", body, got, want)
			}
		}
	})
}
