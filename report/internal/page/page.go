// Package page has what the report and the pages of sitemend serve have in common: their style,
// their templates, their texts in every language, and a row with its redirect chain.
//
// It makes no judgements, counts nothing and writes no page itself.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"sitemend/report/messages"
)

// A Link is a link to another page of the same kind.
type Link struct {
	Href string // relative
	Text Phrase
}

var (
	//go:embed parts.tmpl
	parts string
	//go:embed style.css
	style string
	//go:embed theme.js
	themeJS string
)

// Style is the style sheet of all pages.
func Style() string { return EachLanguage(style) + percents() }

// EachLanguage writes the lines of a style sheet with LANG once for each language.
func EachLanguage(css string) string {
	var b strings.Builder
	for line := range strings.Lines(css) {
		if !strings.Contains(line, "LANG") {
			b.WriteString(line)
			continue
		}
		for _, lang := range messages.Langs() {
			b.WriteString(strings.ReplaceAll(line, "LANG", lang))
		}
	}
	return b.String()
}

// percents returns the classes p0 to p99, which position a label at the beginning of its segment of
// a bar, and w1 to w100, which give it the width of the segment: the policy of a page allows no
// style attributes.
func percents() string {
	var b strings.Builder
	for at := range 100 {
		fmt.Fprintf(&b, ".p%d { grid-column-start: %d; }\n", at, at+1)
		fmt.Fprintf(&b, ".w%d { flex-grow: %d; }\n", at+1, at+1)
	}
	return b.String()
}

// Script returns the one script of a page: parts in one function, so that they share names without
// making any global, after the code that all pages have.
func Script(parts ...string) string {
	return "(() => {\n'use strict';\n" + themeJS + strings.Join(parts, "") + "})();\n"
}

// Source names an inline script or style in a Content-Security-Policy by its
// hash (CSP Level 3, section 6.7.2).
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Templates returns the templates that every page is made with, for one that opens in lang and
// whose words are texts: "t" (a Phrase), "title" (a Phrase whose addresses stay on a line), "url"
// (an address) and "detail" (a Row); functions as n (a number with thousands) and verdict. again is
// the command that writes the outputs again, to be pasted; "sitemend report" where it is "".
func Templates(lang string, texts messages.Texts, again string) (*template.Template, error) {
	said := func(key string, pairs ...any) Phrase { return Say(texts, key, pairs...) }
	return template.New("page").Funcs(template.FuncMap{
		"say": said, "verdict": VerdictText, "note": NoteText, "noteDo": noteDo,
		"action": actionText, "n": messages.Number,
		"pick": func(key string) string { return said(key).In(lang) },
		"code": func(text string) string { return messages.Again(text, Visible(again)) },
		"next": messages.Next, "labels": labels, "breaks": textBreaks, "pieceBreaks": pieceBreaks, "wordParts": wordParts,
	}).Parse(parts)
}

// labels are the attributes that label a cell where a table is too narrow for a head.
func labels(p Phrase) template.HTMLAttr {
	var b strings.Builder
	for _, t := range p {
		fmt.Fprintf(&b, ` data-%s="%s"`, t.Lang, template.HTMLEscapeString(t.String()))
	}
	return template.HTMLAttr(b.String())
}
