package audit_test

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

const linksWeb = `
	http://a.example/self 200
	http://a.example/uno 200
	http://a.example/due 200
	http://a.example/moved-en 301 /new-en
	http://a.example/new-en 200
	http://a.example/moved-de 301 /new-de
	http://a.example/new-de 200
	http://a.example/merged 301 /uno
	http://a.example/gone 404
	browser http://a.example/gone 404
	http://a.example/hidden 200 robots=noindex
	http://a.example/there 200
	http://a.example/un-moved 301 /un-new
	http://a.example/un-new 200
	http://a.example/un-to-uno 301 /uno
	http://a.example/un-back 301 /self
	http://a.example/un-gone 404
	browser http://a.example/un-gone 404`

// What becomes of the links of one element, "CODE=PAGE" each: links of /self, or of "PAGE:" before
// them. A page that begins with "un-" is listed nowhere.
func TestLinks(t *testing.T) {
	s := &site{web: parseWeb(t, linksWeb)}
	s.list(map1, "http://a.example/self", "http://a.example/uno", "http://a.example/due", "http://a.example/moved-en", "http://a.example/moved-de",
		"http://a.example/merged", "http://a.example/gone", "http://a.example/hidden", "http://a.example/there")
	s.files[0].Links = true
	var unlisted []audit.Entry
	for _, page := range strings.Fields("un-moved un-new un-to-uno un-back un-gone") {
		unlisted = append(unlisted, named(audit.AlsoAlternates, "http://a.example/"+page))
	}
	s.also(audit.AlsoAlternates, unlisted...)
	result := s.evaluate(t, rules())
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
		n := 0
		for s.entries[n].Loc != "http://a.example/"+page {
			n++
		}
		var links []audit.Link
		for _, word := range strings.Fields(has) {
			code, to, _ := strings.Cut(word, "=")
			to, bound := strings.CutSuffix(to, "!")
			links = append(links, audit.Link{Href: "http://a.example/" + to, Lang: code, Bound: bound})
		}
		fixes := result.Links([]audit.Own{ownOf(t, result, n)}, links)
		var got []string
		for i, word := range strings.Fields(has) {
			code, _, _ := strings.Cut(word, "=")
			switch fixes[i].Action {
			case audit.Keep:
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

// Links to an address stay where an entry with it stays in another file, but for those of an entry
// with it that is replaced.
func TestLinksToWhatStaysElsewhere(t *testing.T) {
	s := &site{web: parseWeb(t, linksWeb)}
	s.list(map1, "http://a.example/self", "http://a.example/moved-en")
	s.list("http://a.example/dtd.xml", "http://a.example/moved-en", "http://a.example/due")
	s.files[0].Links, s.files[1].Faults = true, []audit.SitemapFault{{Key: "dtd-unread"}}
	result := s.evaluate(t, rules())
	for own, want := range map[int]audit.Action{0: audit.Keep, 1: audit.Relink} {
		fixes := result.Links([]audit.Own{ownOf(t, result, own)}, []audit.Link{{Href: "http://a.example/moved-en", Lang: "en"}, {Href: "http://a.example/due", Lang: "de"}})
		if fixes[0].Action != want {
			t.Errorf("in the element of entry %d: %+v", own, fixes)
		}
	}
}

// ownOf is an entry as one of its element.
func ownOf(t *testing.T, result *audit.Result, n int) audit.Own {
	t.Helper()
	for i := range result.Files {
		for r, err := range result.Rows(t.Context(), i) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Entry.N == n {
				return r.Own()
			}
		}
	}
	t.Fatalf("there is no entry %d", n)
	return audit.Own{}
}
