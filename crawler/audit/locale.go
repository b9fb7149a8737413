package audit

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

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
// Folders that are added with the language, as in "/us/shop/shoes" for "/shoes", change nothing either (addsLocale).
// Nor does what follows where both begin with a language or country, and one of which neither is part of
// the other: the path may be translated, as in "/de/schuhe" and "/en/shoes".
func onlyLocale(a, b address.Address) bool {
	if a.Target() == b.Target() && strings.TrimPrefix(a.Host(), "www.") == strings.TrimPrefix(b.Host(), "www.") {
		return false // most redirects: no need to take them apart
	}
	if addsLocale(a, b) {
		return true
	}
	if !namesLocale(a) && !namesLocale(b) {
		return false
	}
	if beginElsewhere(a, b) {
		return true
	}
	restA, tagsA := localeParts(a)
	restB, tagsB := localeParts(b)
	return tagsA != tagsB && restA == restB
}

// beginElsewhere reports whether the first label of the host, or the first segment, of both addresses
// is a language or country, and neither is a part of the other, as "de" is of "de-at".
func beginElsewhere(a, b address.Address) bool {
	of, in := firstLocale(a), firstLocale(b)
	part := func(of, in []string) bool {
		return !slices.ContainsFunc(of, func(s string) bool { return !slices.Contains(in, s) })
	}
	return len(of) > 0 && len(in) > 0 && !part(of, in) && !part(in, of)
}

// firstLocale returns the subtags of the language or country with which an address begins; nil for
// none.
func firstLocale(a address.Address) (subtags []string) {
	segments := 0
	eachPart(a, func(before, part string, tag bool) {
		if before == "/" {
			segments++
		}
		if tag && before != "&" && segments <= 1 && subtags == nil {
			subtags = subtagsOf(strings.ToLower(address.DecodeValue(part)))
		}
	})
	return subtags
}

// subtagsOf returns the parts of a language tag or of a word for one, sorted: "us-en" is "en-us".
func subtagsOf(part string) []string {
	subtags := strings.Split(cmp.Or(localeWord(part), strings.ReplaceAll(part, "_", "-")), "-")
	slices.Sort(subtags)
	return subtags
}

// addsLocale reports whether a is all of the path of b, in folders of which one names a language or country, and
// b names none.
func addsLocale(a, b address.Address) bool {
	bare := func(a address.Address) string {
		return strings.ToLower(address.DecodeValue(strings.Trim(a.Path(), "/")))
	}
	path := bare(b)
	folders, below := strings.CutSuffix(bare(a), "/"+path)
	if path == "" || !below || namesLocale(b) {
		return false
	}
	for i, seg := range strings.Split(folders, "/") {
		if isLanguageTag(seg) || isCountry(seg) || i == 0 && (isCountryFirst(seg) || localeWord(seg) != "") {
			return true
		}
	}
	return false
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
			t.WriteString(" " + strings.Join(subtagsOf(part), "-"))
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
			is("/", seg, isLanguageTag(seg) || i == 0 && (isCountry(seg) || isCountryFirst(seg) || localeWord(seg) != ""))
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
var localeNames = setOf("lang", "hl", "locale", "country", "region", "language", "store", "___store",
	"country_code", "countrycode", "geo", "currency", "store_view")

// localeParam returns the value of a parameter that names a language or country. A currency stands
// for a country, too, and the default store for some.
func localeParam(param string) (value string, is bool) {
	name, value, _ := strings.Cut(param, "=")
	name = strings.ToLower(name)
	if !localeNames[name] {
		return "", false
	}
	switch {
	case name == "currency":
		_, err := currency.ParseISO(value)
		return value, err == nil
	case strings.HasSuffix(name, "store") || name == "store_view":
		if strings.EqualFold(value, "default") {
			return value, true
		}
	}
	return value, isLanguageTag(value) || isCountry(value) || isCountryFirst(value) || localeWord(value) != ""
}

// localeAreas are the names that sites have for more than one country; "world" and "global" are
// sections of a newspaper, too.
var localeAreas = setOf("int", "intl", "row", "emea", "apac", "latam", "eu")

// isCountryFirst reports whether s is a country or an area with a language, the country first, or
// an area behind its language: "us-en", "int-en", "en-int".
func isCountryFirst(s string) bool {
	if len(s) < 5 || len(s) > 8 {
		return false
	}
	a, b, ok := strings.Cut(strings.ReplaceAll(strings.ToLower(s), "_", "-"), "-")
	language := func(s string) bool { return len(s) == 2 && isLanguageTag(s) }
	area := func(s string) bool { return localeAreas[s] || isCountry(s) }
	return ok && s != "do-it" && (area(a) && language(b) || language(a) && localeAreas[b])
}

// localeWord returns the code of a language or country that is written as a word of its own, as an
// area, an ISO 3166-1 alpha-3 code or the name of a language in English or in itself: "usa" is "us",
// "deutsch" is "de". It returns "" for any other, and for codes that are English words.
func localeWord(s string) string {
	if len(s) < 3 || len(s) > 40 {
		return ""
	}
	s = strings.ToLower(address.DecodeValue(s))
	switch {
	case localeAreas[s]:
		return s
	case len(s) == 3:
		if r, err := language.ParseRegion(s); err == nil && s[0] > '9' && r.IsCountry() && !wordsAlpha3[s] {
			return strings.ToLower(r.String())
		}
		return ""
	}
	return languageNames()[s]
}

// wordsAlpha3 are codes of countries that sites have as names of sections.
var wordsAlpha3 = setOf("and", "are", "arm", "ben", "bra", "can", "cod", "cog", "col", "com", "cub", "dom", "est", "fin", "geo", "gin",
	"gum", "guy", "jam", "lie", "mac", "mar", "mus", "nam", "nor", "pan", "per", "sen", "sur", "ton", "tun", "vat")

// languageNames has the code of each language of ISO 639-1 by its names of one word.
var languageNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	english := display.English.Languages()
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			code := string(a) + string(b)
			tag, err := language.Parse(code)
			if err != nil || tag.String() != code {
				continue
			}
			for _, name := range []string{english.Name(tag), display.Self.Name(tag)} {
				if name = strings.ToLower(name); len(name) > 3 && !strings.ContainsAny(name, " ()") {
					names[name] = code
				}
			}
		}
	}
	delete(names, "polish") // of nails
	return names
})
