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
	restA, tagsA := localeParts(a)
	restB, tagsB := localeParts(b)
	return tagsA != tagsB && restA == restB
}

// localeParts splits an address into what names the page and what names its
// language.
func localeParts(a address.Address) (rest, tags string) {
	var r, t strings.Builder
	host := strings.TrimPrefix(a.Host(), "www.")
	if label, more, ok := strings.Cut(host, "."); ok && strings.Contains(more, ".") && isLanguageTag(label) {
		host = more
		t.WriteString(label + " ")
	}
	r.WriteString(host)
	for i, seg := range strings.Split(strings.Trim(a.Path(), "/"), "/") {
		if isLanguageTag(seg) || i == 0 && isCountry(seg) {
			t.WriteString(seg + " ")
			continue
		}
		if seg != "" {
			r.WriteString("/" + seg)
		}
	}
	query, _ := a.Query()
	for _, param := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(param, "=")
		switch strings.ToLower(name) {
		case "lang", "hl", "locale", "country":
			if isLanguageTag(value) || isCountry(value) {
				t.WriteString(value + " ")
				continue
			}
		}
		if param != "" {
			r.WriteString("&" + param)
		}
	}
	return r.String(), t.String()
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
