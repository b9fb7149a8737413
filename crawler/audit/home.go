package audit

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"sitemend/crawler/address"
)

// sectionWords are the codes of languages and countries that sites also have as
// names of pages and sections: human resources, information technology, LinkedIn,
// "my account". Such a name is read as a code only where entries lie below it.
var sectionWords = map[string]bool{
	"ad": true, "ai": true, "ar": true, "as": true, "bi": true, "by": true, "cd": true, "co": true, "cs": true, "cv": true, "do": true,
	"hr": true, "id": true, "in": true, "io": true, "is": true, "it": true, "me": true, "ml": true, "ms": true, "my": true, "pr": true,
	"ps": true, "qa": true, "so": true, "st": true, "to": true, "tv": true,
	"as-is": true, "in-it": true, "in-my": true, "is-it": true, "my-id": true, "my-tv": true, "so-so": true, "to-do": true,
}

// sectionWord returns a code as sectionWords has it, and whether it is among them.
func sectionWord(code string) (word string, is bool) {
	word = strings.ReplaceAll(strings.ToLower(code), "_", "-")
	return word, sectionWords[word]
}

// LanguageRoot returns what an entry says of the languages of its site, as an item of
// Rules.Rooted: the site (registrable domain) where the first segment of its path can
// be nothing but a language or a country ("/ja/about", "/en-us/"), the site with that
// segment ("shop.example/it") where it may be a section, too, and the entry lies below
// it ("/it/servers"); and likewise with the name of a country ("shop.example/germany"). ok is false for any other entry, as for "/it/".
func LanguageRoot(loc string) (root string, ok bool) {
	_, rest, _ := strings.Cut(loc, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	segment, below, _ := strings.Cut(path, "/")
	word, may := sectionWord(segment)
	if isCountryName(segment) {
		word, may = strings.ToLower(segment), true
	} else if segment == "" || !isLanguageTag(segment) && !isCountry(segment) {
		return "", false
	}
	if below = strings.Trim(below, "/"); may && (below == "" || isIndexFile(below)) {
		return "", false
	}
	a, err := address.Parse(loc)
	if err != nil {
		return "", false
	}
	if may {
		return a.Site() + "/" + word, true
	}
	return a.Site(), true
}

// clear reports whether a code of a language or country is no section of a's site.
func (r *Rules) clear(code string, a address.Address) bool {
	word, may := sectionWord(code)
	return !may || r.rooted(a.Site()+"/"+word)
}

// rooted reports whether the entries have a root, as LanguageRoot returns it.
func (r *Rules) rooted(root string) bool {
	_, has := slices.BinarySearch(r.Rooted, root)
	return has
}

// isHome reports whether an address is the root of a site or of one of its
// languages: "/", "/ja/", "/en-us/", without a query.
func (r *Rules) isHome(a address.Address) bool {
	code, may := mayBeHome(a)
	return may && (code == "" || isLanguageTag(code) && r.clear(code, a))
}

// mayBeHome reports whether an address is the root of a site, or of what may be a code of
// a language or country, whatever else that may be.
func mayBeHome(a address.Address) (code string, may bool) {
	if _, has := a.Query(); has {
		return "", false
	}
	code = strings.Trim(a.Path(), "/")
	return code, code == "" || isLanguageTag(code) || isCountry(code)
}

// home reports whether an address is a home page in any clothes: the root of the site,
// of a language, of a country or of both, with or without the name of an index file and
// parameters. page is what the parameters leave to say which page it is: those that
// name a language or country are left out. A code that may be a section, too, is read
// as a code on any site that has languages: what is taken for a home page is not
// written, which does less harm than a home page in place of a page.
func (r *Rules) home(a address.Address) (page string, is bool) {
	path := strings.Trim(a.Path(), "/")
	if last := strings.LastIndexByte(path, '/'); isIndexFile(path[last+1:]) {
		path = path[:last+1]
	}
	for range 2 { // "/us/", "/us/en/"
		segment, below, _ := strings.Cut(path, "/")
		if (isLanguageTag(segment) || isCountry(segment) || isCountryFirst(segment)) && (r.rooted(a.Site()) || r.clear(segment, a)) {
			path = below
		}
	}
	if path != "" && path != "/" { // "/us//index.html" leaves a slash
		return "", false
	}
	query, _ := a.Query()
	var rest []string
	for param := range strings.SplitSeq(query, "&") {
		if _, tag := localeParam(param); !tag && param != "" {
			rest = append(rest, param)
		}
	}
	return strings.Join(rest, "&"), true
}

// isIndexFile reports whether a segment is what servers answer with for a folder.
func isIndexFile(segment string) bool {
	name, extension, _ := strings.Cut(strings.ToLower(segment), ".")
	switch name {
	case "index":
		return true
	case "default", "home":
		return slices.Contains([]string{"htm", "html", "php", "asp", "aspx", "jsp"}, extension)
	}
	return false
}

// swallowed reports whether a home page as the target looks like the fault of a
// template, of a catch-all rule, or of a server that asks where a visitor comes from:
// everybody's canonical is the root, every "/?p=1" is redirected to "/", all old pages
// to "/us/" or "/?lang=en". One page is never in place of all.
func (j *judging) swallowed(target address.Address) bool {
	to, is := j.rules.home(target)
	if !is {
		return false
	}
	from, was := j.rules.home(j.row.Address)
	if was && (to == from || to != "" && from != "") {
		return false // home to home, or one page of a site whose pages are all "/?..." to another
	}
	path := j.row.has(address.Path)
	if _, dressed := target.Query(); !dressed && target.Path() == "/" {
		path = path && j.row.Verdict == Noncanonical // a redirect there is Homepage: that is decided by the verdict
	}
	return path || j.row.has(address.Query)
}

// isLanguageTag reports whether s is an ISO 639-1 code, with or without a script and a
// region: en, pt-BR, zh_Hant, es-419. What only has the form of a longer tag does not count:
// "id-old", "no-tax".
func isLanguageTag(s string) bool {
	if len(s) < 2 || len(s) > 11 || len(s) > 2 && s[2] != '-' && s[2] != '_' {
		return false
	}
	if _, err := language.ParseBase(s[:2]); err != nil {
		return false
	}
	rest := s[2:]
	if len(rest) >= 5 && (len(rest) == 5 || rest[5] == '-' || rest[5] == '_') {
		if _, err := language.ParseScript(rest[1:5]); err != nil {
			return false
		}
		rest = rest[5:]
	}
	return rest == "" || isRegion(rest[1:])
}

// isRegion reports whether s is an ISO 3166-1 alpha-2 code or a UN M.49 code.
func isRegion(s string) bool {
	if len(s) != 3 {
		return isCountry(s)
	}
	_, err := language.ParseRegion(s)
	return err == nil && '0' <= s[0] && s[0] <= '9'
}

// isCountry reports whether s is an ISO 3166-1 alpha-2 code.
func isCountry(s string) bool {
	if len(s) != 2 || s[0] <= '9' {
		return false
	}
	r, err := language.ParseRegion(s)
	return err == nil && r.IsCountry()
}
