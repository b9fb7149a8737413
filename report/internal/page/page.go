// Package page has what the report and the pages of sitemend serve have in common: their style,
// their templates, their texts in every language, and a row with its redirect chain.
//
// It makes no judgements, counts nothing and writes no page itself.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"

	"sitemend/report/messages"
)

// A Link is a link to another page of the same kind.
type Link struct {
	Href string // relative
	Text messages.Sentence
	Of   string // what it is of, for who cannot see the row
	Here bool   // it is the page that is shown
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
func Style() string { return EachLanguage(style) }

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

// Templates returns the templates that every page is made with, for one that opens in lang:
// "t" (a Sentence), "url" (an address), and "table" (a Table). again is the command that writes the
// outputs again, to be pasted; "sitemend report" where it is "".
func Templates(lang, again string) (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"say": messages.Say, "n": messages.Number, "texts": texts,
		"pick": func(key string) string { return messages.Of(lang).Text(key) }, "plain": func(s messages.Sentence) string { return s.Plain(messages.Of(lang)) },
		"code": func(text string) string { return messages.Again(text, Visible(again)) },
		"next": messages.Next, "labels": labels, "breaks": breaks,
	}).Parse(parts)
}
