package sitemap

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// becomes is what an audit makes of the pages of a site. One that begins with "un-" is listed nowhere.
func becomes(url string) (is audit.Edited) {
	page := strings.TrimPrefix(url, "http://a.example/")
	is.Loc = map[string]string{"moved-en": "new-en", "moved-de": "new-de", "merged": "uno", "un-moved": "un-new", "un-to-uno": "uno", "un-back": "self"}[page]
	switch {
	case page == "gone", page == "hidden":
		return audit.Edited{Action: audit.Drop, Verdict: audit.NotFound}
	case is.Loc == "":
		return is
	case page == "merged":
		is.Action = audit.Merge
	default:
		is.Action = audit.Replace
	}
	is.Loc, is.Verdict, is.Also = "http://a.example/"+is.Loc, audit.Moved, strings.HasPrefix(page, "un-")
	return is
}

// What becomes of the links of one element, "CODE=PAGE" each: links of /self, or of "PAGE:" before
// them.
func TestLinks(t *testing.T) {
	for _, c := range []struct{ has, want string }{
		{"x=self en=moved-en de=due", "x=self en=new-en de=due"},
		{"moved-en: en=moved-en de=moved-de", "en=new-en de=new-de"},
		{"en=moved-en x-default=moved-en", "en=new-en x-default=new-en"},
		{"en=UNO de=nowhere fr=:80", "en=UNO de=nowhere fr=:80"},
		// removed with its entry, unless it is the only other one
		{"x=self de=due fr=gone it=hidden", "x=self de=due"},
		{"x=self fr=gone", "x=self fr=gone"},
		{"x=self fr=gone it=hidden", "x=self fr=gone it=hidden"},
		{"fr=gone", "fr=gone"},
		{"de=due fr=gone!", "de=due fr=gone!"}, // it cannot be taken out
		// merged: the entry that stays, which the set may name already
		{"x=self fr=merged", "x=self fr=uno"},
		{"x=self fr=merged en=uno de=due", "x=self en=uno de=due"},
		{"x=self x-default=merged en=uno", "x=self x-default=uno en=uno"},
		{"uno: en=uno fr=merged", "en=uno fr=merged"},
		{"uno: en=merged de=due", "en=uno de=due"},
		// listed nowhere: replaced where two addresses stay two, never removed
		{"x=self fr=un-moved", "x=self fr=un-new"},
		{"x=self fr=un-moved it=un-new", "x=self fr=un-moved it=un-new"},
		{"x=self fr=un-to-uno it=uno", "x=self fr=un-to-uno it=uno"},
		{"x=self fr=un-to-uno it=merged", "x=self fr=un-to-uno it=uno"},
		{"x=self fr=un-to-uno x-default=uno", "x=self fr=uno x-default=uno"},
		{"x=self fr=un-gone de=due", "x=self fr=un-gone de=due"},
		{"x=un-back de=due", "x=self de=due"},
		{"=un-back de=due", "=un-back de=due"}, // for a device: its page is none for all
		{"=un-moved", "=un-new"},
	} {
		page, has, other := strings.Cut(c.has, ": ")
		if !other {
			page, has = "self", c.has
		}
		var links []Link
		for _, word := range strings.Fields(has) {
			code, to, _ := strings.Cut(word, "=")
			to, bound := strings.CutSuffix(to, "!")
			links = append(links, Link{Href: "http://a.example/" + to, Lang: code, Bound: bound})
		}
		fixes := Fixes(becomes, []Own{{"http://a.example/" + page, becomes("http://a.example/" + page)}}, links)
		var got []string
		for i, word := range strings.Fields(has) {
			code, _, _ := strings.Cut(word, "=")
			switch fixes[i].Action {
			case "":
				got = append(got, word)
			case audit.Relink:
				got = append(got, code+"="+strings.TrimPrefix(fixes[i].Loc, "http://a.example/"))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s became %s, want %s", c.has, strings.Join(got, " "), c.want)
		}
	}
}
