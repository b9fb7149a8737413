package audit

import (
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"sitemend/crawler/address"
)

// addsCountry reports whether target is all of the path of the listed address below the name of a country
// or of the world: where a server sends visitors of one country. Where the entries have pages below
// that name (Rules.Rooted), it is a section of the site.
func (r *Rules) addsCountry(target, listed address.Address) bool {
	name, below, _ := strings.Cut(strings.Trim(target.Path(), "/"), "/")
	return below != "" && strings.EqualFold(below, strings.Trim(listed.Path(), "/")) && isCountryName(name) && !r.rooted(target.Site()+"/"+strings.ToLower(name))
}

// isCountryName reports whether a segment is the name of a country in English or in its first
// language, "united-kingdom", "deutschland", or one for all countries.
func isCountryName(segment string) bool {
	return len(segment) > 3 && isGateWord(countryNames(), segment)
}

// countryWord writes a name as isGateWord reads it.
func countryWord(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// countryNames are these names, as isGateWord reads them.
var countryNames = sync.OnceValue(func() map[string]bool {
	names := setOf("global", "world", "worldwide", "international")
	english := display.English.Regions()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region, err := language.ParseRegion(string(a) + string(b))
			if err != nil || !region.IsCountry() {
				continue
			}
			names[countryWord(english.Name(region))] = true
			if tag, err := language.Compose(language.Und, region); err == nil {
				base, _ := tag.Base()
				if in := display.Regions(language.Make(base.String())); in != nil {
					names[countryWord(in.Name(region))] = true
				}
			}
		}
	}
	return names
})
