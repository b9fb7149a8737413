package audit

import (
	"strings"

	"golang.org/x/text/language"

	"sitemend/crawler/address"
)

// onlyLocale tells whether two addresses name the same page in another language
// or for another country: without path segments, first host labels and values
// of lang, hl, locale and country that are language tags or country codes they
// are the same. Scheme, port, www and a trailing slash are not looked at: a server
// that sends visitors to /ja/ adds them on the way, and a page must not be
// listed in the language of the machine that audited it.
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

// namesLocale tells whether a part of an address names a language or country.
func namesLocale(a address.Address) bool {
	found := false
	eachPart(a, func(_, _ string, tag bool) { found = found || tag })
	return found
}

// localeParts splits an address into what names the page and what names its
// language.
func localeParts(a address.Address) (rest, tags string) {
	var r, t strings.Builder
	eachPart(a, func(before, part string, tag bool) {
		to := &r
		if tag {
			to, before = &t, " "
		}
		to.WriteString(before + part)
	})
	return r.String(), t.String()
}

// eachPart hands on the parts of an address: its host, the first label of it for
// itself where that is a tag, the segments of its path and the parameters, each with
// what stands before it. Of a parameter that is a tag the part is its value. Empty
// parts and the label www are left out.
func eachPart(a address.Address, is func(before, part string, tag bool)) {
	host := strings.TrimPrefix(a.Host(), "www.")
	if label, more, ok := strings.Cut(host, "."); ok && strings.Contains(more, ".") && isLanguageTag(label) {
		host = more
		is("", label, true)
	}
	is("", host, false)
	first := true
	for seg := range strings.SplitSeq(strings.Trim(a.Path(), "/"), "/") {
		if seg != "" {
			is("/", seg, isLanguageTag(seg) || first && isCountry(seg))
		}
		first = false
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

// localeParam returns the value of a parameter that names a language or country.
func localeParam(param string) (value string, is bool) {
	name, value, _ := strings.Cut(param, "=")
	for _, known := range []string{"lang", "hl", "locale", "country"} {
		if strings.EqualFold(name, known) {
			return value, isLanguageTag(value) || isCountry(value)
		}
	}
	return "", false
}

// isLanguageTag tells whether s is an ISO 639-1 code, with or without a region
// or script: en, pt-BR, zh_Hant.
func isLanguageTag(s string) bool {
	if len(s) < 2 || len(s) > 11 || len(s) > 2 && s[2] != '-' && s[2] != '_' {
		return false
	}
	if _, err := language.ParseBase(s[:2]); err != nil {
		return false
	}
	if len(s) == 2 {
		return true
	}
	_, err := language.Parse(s)
	return err == nil
}

// isCountry tells whether s is an ISO 3166-1 alpha-2 code.
func isCountry(s string) bool {
	if len(s) != 2 {
		return false
	}
	r, err := language.ParseRegion(s)
	return err == nil && r.IsCountry()
}
