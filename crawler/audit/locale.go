package audit

import (
	"strings"

	"sitemend/crawler/address"
)

// onlyLocale reports whether two addresses name the same page in another language
// or for another country: without path segments, first host labels and values
// of parameters (localeNames) that are language tags or country codes
// they are the same. Scheme, port, www, a trailing slash and the name of an index
// file are not looked at: a server that sends visitors to /ja/ adds or removes them on
// the way, and a page must not be listed in the language of the machine that audited
// it. Nor is the case of letters, nor an escape: "/DE/shoes" and "/de/shoes", "/en_GB/" and
// "/en-gb/" are in one language, whereas "/Shoes" and "/de/shoes" are one page in two.
func onlyLocale(a, b address.Address) bool {
	if a.Target() == b.Target() && strings.TrimPrefix(a.Host(), "www.") == strings.TrimPrefix(b.Host(), "www.") {
		return false // most redirects: no need to take them apart
	}
	if !namesLocale(a) && !namesLocale(b) {
		return false
	}
	restA, tagsA := localeParts(a)
	restB, tagsB := localeParts(b)
	return tagsA != tagsB && restA == restB
}

// namesLocale reports whether a part of an address names a language or country.
func namesLocale(a address.Address) bool {
	found := false
	eachPart(a, func(_, _ string, tag bool) { found = found || tag })
	return found
}

// sameLocalePage reports whether two addresses name the same page in the same language and
// for the same country, as onlyLocale compares them.
func sameLocalePage(a, b address.Address) bool {
	restA, tagsA := localeParts(a)
	restB, tagsB := localeParts(b)
	return tagsA == tagsB && restA == restB
}

// localeParts splits an address into what names the page and what names its
// language, both in lower case, the parts of a tag joined by hyphens.
func localeParts(a address.Address) (rest, tags string) {
	var r, t strings.Builder
	eachPart(a, func(before, part string, tag bool) {
		part = strings.ToLower(address.DecodeValue(part))
		if tag {
			t.WriteString(" " + strings.ReplaceAll(part, "_", "-"))
			return
		}
		r.WriteString(before + part)
	})
	return r.String(), t.String()
}

// eachPart hands on the parts of an address: its host, the first label of it for
// itself where that is a tag, the segments of its path and the parameters, each with
// what stands before it. Of a parameter that is a tag the part is its value. Empty
// parts, the label www and an index file at the end are left out.
func eachPart(a address.Address, is func(before, part string, tag bool)) {
	host := strings.TrimPrefix(a.Host(), "www.")
	if label, more, ok := strings.Cut(host, "."); ok && strings.Contains(more, ".") && (isLanguageTag(label) || isCountry(label)) {
		host = more
		is("", label, true)
	}
	is("", host, false)
	segments := strings.Split(strings.Trim(a.Path(), "/"), "/")
	for i, seg := range segments {
		if seg != "" && !(i == len(segments)-1 && isIndexFile(seg)) {
			is("/", seg, isLanguageTag(seg) || i == 0 && isCountry(seg))
		}
	}
	query, _ := a.Query()
	for param := range strings.SplitSeq(query, "&") {
		if value, tag := localeParam(param); tag {
			is("&", value, true)
		} else if param != "" {
			is("&", param, false)
		}
	}
}

// localeNames are the parameters that name a language or country: those of the
// contract, and those of shops that have a store for each.
var localeNames = []string{"lang", "hl", "locale", "country", "region", "language", "store", "___store"}

// localeParam returns the value of a parameter that names a language or country.
func localeParam(param string) (value string, is bool) {
	name, value, _ := strings.Cut(param, "=")
	for _, known := range localeNames {
		if strings.EqualFold(name, known) {
			return value, isLanguageTag(value) || isCountry(value)
		}
	}
	return "", false
}
