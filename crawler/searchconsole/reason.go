package searchconsole

import (
	"cmp"
	_ "embed"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/audit"
)

//go:embed reasons.txt
var reasonsText string

// reasons are the labels of reasons.txt by their words, reduced to letters and digits.
var reasons = func() map[string]audit.Label {
	out := map[string]audit.Label{}
	for line := range strings.Lines(reasonsText) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		for _, w := range words {
			out[letters(w)] = audit.Label(words[0])
		}
	}
	return out
}()

// signs mark labels in every language; other tools have a status in place of a reason.
var signs = []struct {
	form  *regexp.Regexp
	label audit.Label
}{
	{regexp.MustCompile(`^(http )?30[12378]$`), audit.LabelRedirect},
	{regexp.MustCompile(`\(404\)|^(http )?4(04|10)$`), audit.LabelNotFound},
	{regexp.MustCompile(`\(401\)|^(http )?401$`), audit.LabelUnauthorized},
	{regexp.MustCompile(`\(403\)|^(http )?403$`), audit.LabelForbidden},
	{regexp.MustCompile(`\(5xx\)|^(http )?5\d\d$`), audit.LabelServerError},
	{regexp.MustCompile(`noindex`), audit.LabelNoindex},
	{regexp.MustCompile(`4xx|^(http )?4\d\d$`), audit.LabelOther4xx},
}

// longestReason limits the length of a text that is looked up.
const longestReason = 200

// lookUp returns the label of a text, by its words or by one of signs; "" for none.
func lookUp(s string) audit.Label {
	if s == "" || len(s) > longestReason || hasURL(s) {
		return ""
	}
	if l, ok := reasons[letters(s)]; ok {
		return l
	}
	folded := strings.ToLower(norm.NFKC.String(s))
	for _, sign := range signs {
		if sign.form.MatchString(folded) {
			return sign.label
		}
	}
	return ""
}

// ReasonOf returns the English label of a reason in any language, or of an HTTP status; the text as
// written where it is unknown.
func ReasonOf(s string) audit.Label {
	s = strings.TrimSpace(s)
	return cmp.Or(lookUp(s), audit.Label(strings.ToValidUTF8(s, "\uFFFD")))
}

// known reports whether a cell has a known reason. A number alone may be another thing than a status.
func known(s string) bool { return strings.Trim(s, "0123456789") != "" && lookUp(s) != "" }

// letters keeps the letters and digits of a text, in lower case: quotes, dashes
// and brackets differ from export to export.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}
