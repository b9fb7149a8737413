package sitemap

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// A field is a child of a block whose text or attribute is checked. Where Google's rule is not
// certain, every value is accepted.
type field struct {
	name string
	bit  uint16                        // bit in needed; 0 for an optional child
	date bool                          // the text is a date
	ok   func(n *notes, v []byte) bool // reports whether the text is valid; nil: any but ""
	is   string                        // what a valid text is, in words

	attribute   string // a required attribute
	attributeOK func(v []byte) bool
	attributeIs string
}

// needed is the children that a block must have: at least one for each bit.
type needed struct {
	name     string
	children []neededChild
}

type neededChild struct {
	bit     uint16
	name    string
	problem problem // the problem where it is missing
}

var neededBy = [blocks]needed{
	imageBlock: {"<image:image>", []neededChild{{1, "<image:loc>", missingTag}}},
	videoBlock: {"<video:video>", []neededChild{{1, "<video:thumbnail_loc>", missingThumbnail},
		{2, "<video:title>", missingTitle},
		{4, "<video:description>", missingTag}, {8, "<video:content_loc> / <video:player_loc>", missingTag}}},
	newsBlock: {"<news:news>", []neededChild{{1, "<news:name>", missingTag},
		{2, "<news:language>", missingTag},
		{4, "<news:publication_date>", missingTag}, {8, "<news:title>", missingTag}}},
}

const yesNo = "yes / no"

// allowDeny returns a field with the attribute relationship.
func allowDeny(name string) *field {
	return &field{name: name, attribute: "relationship", attributeIs: "allow / deny",
		attributeOK: func(v []byte) bool { return string(v) == "allow" || string(v) == "deny" }}
}

// fieldsOf are the children of the blocks by local name.
var fieldsOf = [blocks]map[string]*field{
	videoBlock: {
		"thumbnail_loc":         {name: "video:thumbnail_loc", bit: 1},
		"title":                 {name: "video:title", bit: 2},
		"description":           {name: "video:description", bit: 4},
		"content_loc":           {name: "video:content_loc", bit: 8},
		"player_loc":            {name: "video:player_loc", bit: 8},
		"duration":              {name: "video:duration", ok: duration, is: "1-28800"},
		"rating":                {name: "video:rating", ok: rating, is: "0.0-5.0"},
		"publication_date":      {name: "video:publication_date", date: true},
		"expiration_date":       {name: "video:expiration_date", date: true},
		"family_friendly":       {name: "video:family_friendly", ok: yesOrNo, is: yesNo},
		"requires_subscription": {name: "video:requires_subscription", ok: yesOrNo, is: yesNo},
		"live":                  {name: "video:live", ok: yesOrNo, is: yesNo},
		"restriction":           allowDeny("video:restriction"),
		"platform":              allowDeny("video:platform"),
	},
	newsBlock: {
		"name": {name: "news:name", bit: 1},
		"language": {name: "news:language", bit: 2, ok: newsLanguage,
			is: "en / ja / zh-cn / zh-tw ..."},
		"publication_date": {name: "news:publication_date", bit: 4, date: true},
		"title":            {name: "news:title", bit: 8},
	},
}

// digits returns the number that v is, and whether v consists of one to nine digits.
func digits(v []byte) (n int, ok bool) {
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(v) > 0 && len(v) < 10
}

// duration reports whether v is a video's length in seconds.
func duration(_ *notes, v []byte) bool {
	n, ok := digits(v)
	return ok && n >= 1 && n <= 28800
}

// rating reports whether v is a decimal from 0.0 to 5.0.
func rating(_ *notes, v []byte) bool {
	whole, fraction, dot := bytes.Cut(v, []byte("."))
	n, ok := digits(whole)
	rest := 0
	if dot && len(fraction) > 0 {
		var decimals bool
		rest, decimals = digits(fraction[:min(len(fraction), 9)])
		ok = ok && decimals
	}
	return ok && (n < 5 || n == 5 && rest == 0)
}

// yesOrNo reports whether v is yes or no in small letters, in capitals or with an initial capital
// (XML schema of video sitemaps).
func yesOrNo(_ *notes, v []byte) bool {
	switch string(v) {
	case "yes", "no", "Yes", "No", "YES", "NO":
		return true
	}
	return false
}

// newsLanguage reports whether v is an ISO 639 code of two or three letters, or one of Google's two
// exceptions.
func newsLanguage(n *notes, v []byte) bool {
	return n.newsLanguages.right(v, func(s string) bool {
		if s := strings.ToLower(s); s == "zh-cn" || s == "zh-tw" {
			return true
		}
		_, err := language.ParseBase(s)
		return err == nil
	})
}

// alternate checks the hreflang of an xhtml:link.
func (n *notes) alternate(x *xmlWalk, prefix []byte) {
	if n.stands(prefix) != linkBlock {
		return
	}
	a, ok := x.attribute("hreflang")
	if !ok {
		// An alternate for small screens has media instead.
		if _, media := x.attribute("media"); !media {
			n.at(x, missingAttribute, mild, "no-hreflang", x.raw())
		}
		return
	}
	if !n.linkLanguages.right(a.value, hreflang) {
		n.at(x, unknownLanguage, mild, "hreflang", a.value)
	}
}

// foundOf remembers the results of checks: files contain few different values.
type foundOf map[string]bool

// maxFound is how many bytes of a value are remembered: no valid one is longer, and a file may
// contain a thousand invalid ones of a megabyte.
const maxFound = 256

// right reports whether a value passes a check, which is called once for each value.
func (f *foundOf) right(v []byte, check func(string) bool) bool {
	if len(v) > maxFound {
		return check(string(v))
	}
	if ok, known := (*f)[string(v)]; known {
		return ok
	}
	if *f == nil || len(*f) >= 1000 {
		*f = foundOf{}
	}
	s := string(v)
	(*f)[s] = check(s)
	return (*f)[s]
}

// hreflang reports whether s is a value that Google accepts for hreflang (Search Central,
// "Localized versions"): a language, optionally with a script and a country, or x-default. en-UK
// and en-EU are wrong, since UK and EU are not countries of ISO 3166, and so is en-USA, for a country
// has two letters there, and de-SU, for one that is no more. A language of three letters (eng, fil) is of ISO 639-2 or
// 639-3; Google's page names 639-1. Region numbers, as in es-419, are accepted: it does not mention them, but they are in
// wide use.
func hreflang(s string) bool {
	if strings.EqualFold(s, "x-default") {
		return true
	}
	parts := strings.Split(s, "-")
	if _, err := language.ParseBase(parts[0]); err != nil || len(parts[0]) != 2 {
		return false
	}
	rest := parts[1:]
	if len(rest) > 0 && len(rest[0]) == 4 {
		if _, err := language.ParseScript(rest[0]); err != nil {
			return false
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	region, err := language.ParseRegion(rest[0])
	if len(rest) > 1 || err != nil {
		return false
	}
	number := rest[0][0] <= '9'
	return number || region.IsCountry() && !slices.Contains(withdrawn, region.String()) &&
		strings.EqualFold(region.Canonicalize().String(), rest[0])
}

// withdrawn are the codes of countries that are no more in ISO 3166-1 and have no single successor, which
// Canonicalize would name.
var withdrawn = []string{"AN", "CS", "FQ", "NT", "PC", "SU", "YU"}
