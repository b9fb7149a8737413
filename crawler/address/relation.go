package address

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// A Relation is what two URLs show of each other without a request: the listed one, and one to which it
// leads.
type Relation struct {
	ToHTTP      bool // from https to http
	HoldsListed bool // a parameter that the listed URL has not holds that URL or its path
	AddsSession bool // it is the listed URL with more parameters, or has one behind ";", or one with a password, that the listed URL has not
	OnlyLocale  bool // nothing differs but tags of languages or countries
	Locales     bool // each has such tags, and not the same
	AnotherPage bool // more differs than how the URL is written: its path, or the query of a root
	Begins      bool // its last segment begins that of the listed URL, and is shorter: "/teapot-navy" leads to "/teapot"
	Masked      bool // it has the Mask of a secret, and the listed URL has none: as it is written it leads nowhere
}

// Relate returns the Relation of a listed URL to target; reasons are what Compare says of them.
func Relate(listed, target Address, reasons []Reason) Relation {
	if listed.IsZero() || target.IsZero() {
		return Relation{}
	}
	only, both := locales(target, listed)
	return Relation{
		ToHTTP:      listed.Scheme() == "https" && target.Scheme() == "http",
		HoldsListed: holdsListed(target, listed),
		AddsSession: !OnlyEncoding(reasons) && addsSession(target, listed),
		OnlyLocale:  only,
		Locales:     both,
		AnotherPage: slices.Contains(reasons, Path) || listed.Path() == "/" && slices.Contains(reasons, Query),
		Begins:      begins(target, listed),
		Masked:      strings.Contains(target.Target(), Mask) && !strings.Contains(listed.Target(), Mask),
	}
}

// holdsListed reports whether a parameter of target, which the listed URL has not, holds the listed
// URL or its path: "/login?next=/account", "?destination=node/12". The value may be escaped again on
// the way.
func holdsListed(target, listed Address) bool {
	path := strings.Trim(listed.Path(), "/")
	switch _, query := listed.Query(); {
	case path == "" && query:
		path = listed.Target()
	case path == "":
		path = listed.HostPort()
	case !strings.Contains(path, "/"): // one word may stand anywhere
		path = "/" + path
	}
	path = decoded(path)
	own := parameters(listed)
	for _, p := range parameters(target) {
		if slices.Contains(own, p) {
			continue
		}
		for range 3 {
			if p = decoded(p); strings.Contains(p, path) {
				return true
			}
		}
	}
	return false
}

// decoded returns a text without its escapes, in lower case.
func decoded(s string) string {
	return strings.ToLower(strings.ReplaceAll(DecodeValue(s), "+", " "))
}

// addsSession reports whether target is the listed URL with more parameters than that has, has a
// parameter behind ";" in its path that the listed URL has not, or one with a name and a password.
func addsSession(target, listed Address) bool {
	if _, params, ok := strings.Cut(target.Path(), ";"); ok && !strings.Contains(decoded(listed.Path()), decoded(";"+strings.Trim(params, "/"))) {
		return true
	}
	had, has := parameters(listed), parameters(target)
	if slices.ContainsFunc(has, func(p string) bool { return HasUser(DecodeValue(p)) && !slices.Contains(had, p) }) {
		return true
	}
	return strings.Trim(target.Path(), "/") == strings.Trim(listed.Path(), "/") && len(has) > len(had) &&
		!slices.ContainsFunc(had, func(p string) bool { return !slices.Contains(has, p) })
}

// parameters are those of the query of a URL, and those behind ";" in its path.
func parameters(a Address) []string {
	var all []string
	if query, _ := a.Query(); query != "" {
		all = strings.Split(query, "&")
	}
	if _, params, ok := strings.Cut(a.Path(), ";"); ok {
		all = append(all, strings.Split(params, ";")...)
	}
	return all
}

// locales reports whether two URLs differ in nothing but tags of languages or countries, and whether
// both have such tags, and not the same: in segments of the path, the first label of the host, or values
// of the parameters localeNames. Scheme, port, www and a slash at the end do not count.
func locales(target, listed Address) (only, both bool) {
	hosts := target.Host() != listed.Host()
	to, toTags := parts(target, hosts)
	from, fromTags := parts(listed, hosts)
	differ := !slices.Equal(toTags, fromTags)
	return differ && slices.Equal(to, from), differ && len(toTags) > 0 && len(fromTags) > 0
}

// parts are what a URL consists of: segments of its path and parameters, and with hosts the first
// label of its host and the rest. Tags of languages and countries stand apart.
func parts(a Address, hosts bool) (rest, tags []string) {
	all := strings.Split(strings.Trim(a.Path(), "/"), "/")
	if query, has := a.Query(); has {
		for param := range strings.SplitSeq(query, "&") {
			all = append(all, "?"+param)
		}
	}
	if hosts {
		host := strings.TrimPrefix(a.Host(), "www.")
		if label, below, _ := strings.Cut(host, "."); isLocale(label) && host != a.Site() {
			all, host = append(all, label), below
		}
		all = append(all, host)
	}
	for _, part := range all {
		if isTag(part) {
			tags = append(tags, tagOf(part))
		} else {
			rest = append(rest, part)
		}
	}
	return rest, tags
}

// isTag reports whether a part is the tag of a language or country.
func isTag(part string) bool {
	if param, is := strings.CutPrefix(part, "?"); is {
		name, value, _ := strings.Cut(param, "=")
		return localeNames[strings.ToLower(name)] && isLocale(value)
	}
	return isLocale(part)
}

// localeNames are the parameters whose values may be tags (contract, section 4).
var localeNames = map[string]bool{"lang": true, "hl": true, "locale": true, "country": true, "region": true}

// tagOf is a tag in one spelling.
func tagOf(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "-")) }

// Secures reports whether a is b on https: the same path and query, octet for octet, on the same host or
// its www/apex twin, both on the default ports.
func (a Address) Secures(b Address) bool {
	return b.Scheme() == "http" && a.Scheme() == "https" && b.Port() == "" && b.SameTwin(a) && a.Target() == b.Target()
}

// IsHome reports whether a is the root of a site, of a language or of a country and its language:
// "/", "/ja/", "/en-us/", "/us/en/", without a query.
func (a Address) IsHome() bool {
	if _, has := a.Query(); has {
		return false
	}
	path := strings.Trim(a.Path(), "/")
	first, second, _ := strings.Cut(path, "/")
	return path == "" || isLocale(first) && (second == "" || isLocale(second))
}

// isLocale reports whether s is the tag of a language of two letters, with or without script and region
// ("en", "pt-BR", "zh_Hant", "es-419"), the code of a country ("us"), or both the other way round ("us-en").
func isLocale(s string) bool {
	if len(s) < 2 || len(s) > 11 || len(s) > 2 && s[2] != '-' && s[2] != '_' {
		return false
	}
	if region, err := language.ParseRegion(s); err == nil && len(s) == 2 && s[0] > '9' && region.IsCountry() {
		return true
	}
	_, err := language.Parse(tagOf(s))
	return err == nil || len(s) == 5 && isLocale(s[:2]) && isLocale(s[3:])
}

// begins reports whether the last segment of target begins that of the listed URL, and is shorter:
// "/teapot-navy" redirects to "/teapot".
func begins(target, listed Address) bool {
	to, from := strings.ToLower(path.Base(target.Path())), strings.ToLower(path.Base(listed.Path()))
	return len(to) < len(from) && strings.HasPrefix(from, to)
}
