package html

import (
	"html/template"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Frame returns the templates that other pages of the same look are made with,
// for a page that opens in lang: "t" (a Phrase), "i" (an icon, of the function
// icon), "url" (an address) and "detail" (what Detail returns); functions as n
// (a number with thousands) and verdict. Their words are texts.
func Frame(lang string, texts messages.Pairs) (*template.Template, error) {
	return parsed(lang, texts, "")
}

// Style is the report's style sheet.
func Style() string { return style }

// Icons are the drawings that "i" refers to. A page has them once, at the
// beginning of its body.
func Icons() template.HTML { return template.HTML(icons) }

// Source names an inline script or style in a Content-Security-Policy by its
// hash (CSP Level 3, section 6.7.2).
func Source(text string) string { return source(text) }

// Policy is the report's own Content-Security-Policy: a server sends it too.
func Policy() string { return policy() }

// A RowView is a row as the report shows it without its script: what "detail"
// takes, and the fields that a line of a list needs.
type RowView = rowView

// Detail prepares a row for the template "detail". place says where it is listed.
func Detail(place string, r *audit.Row) RowView { return newRowView(place, r) }

// Visible returns s as text in which nothing can hide: what is no UTF-8, draws
// nothing or turns the reading order is written out.
func Visible(s string) string { return visible(s) }

// Readable returns a wire form with its escapes as text, "" where that is no
// other than the wire form.
func Readable(wire string) string { return readable(wire) }

// Middle shortens s to at most max characters by leaving out its middle.
func Middle(s string, max int) string { return middle(s, max) }

// ErrorRate writes a share as the report does, and tells whether it is over 1 %.
func ErrorRate(share float64) (text string, over bool) { return dirt(share), share > dirtLimit }

// Two is a text in English and Japanese, as it is.
func Two(en, ja string) Phrase { return phrase{[]run{{Text: en}}, []run{{Text: ja}}} }

// Took is how long something took, as the report tells it.
func Took(d time.Duration) Phrase { return span(d) }

// VerdictName is a verdict in words.
func VerdictName(v audit.Verdict) Phrase { return verdictText(v, "") }
