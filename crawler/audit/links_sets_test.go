package audit_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"testing"

	"sitemend/crawler/audit"
)

// sets are elements with links, and the error that ends them.
type sets struct {
	all []audit.LinkSet
	err error
}

func (s sets) Sets(context.Context, *audit.Sitemap) iter.Seq2[audit.LinkSet, error] {
	return func(yield func(audit.LinkSet, error) bool) {
		for _, set := range s.all {
			if !yield(set, nil) {
				return
			}
		}
		if s.err != nil {
			yield(audit.LinkSet{}, s.err)
		}
	}
}

// Written yields nothing: the file is not kept.
func (s sets) Written(context.Context, *audit.Result, int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) { yield(0, fs.ErrNotExist) }
}

// set is the element of a page, with links: a language and a path each.
func set(page string, links ...[2]string) audit.LinkSet {
	s := audit.LinkSet{Own: []audit.Own{{Loc: "http://a.example" + page}}}
	for _, l := range links {
		s.Links = append(s.Links, audit.Link{Lang: l[0], Href: "http://a.example" + l[1]})
	}
	return s
}

// What becomes of links that lead back to a page which its own element does not name.
func TestLinksBackToAPage(t *testing.T) {
	en, de, self := [2]string{"en", "/back"}, [2]string{"de", "/ok"}, [2]string{"en", "/self"}
	for _, x := range []struct {
		name string
		sets sets
		want string
	}{
		{"its own link", sets{all: []audit.LinkSet{set("/self", en, de), set("/ok", de, en)}}, "moved path | replace http://a.example/self"},
		{"called so by others", sets{all: []audit.LinkSet{set("/self", en, de), set("/ok", de, self)}}, "moved path | replace http://a.example/self"},
		{"called otherwise by others", sets{all: []audit.LinkSet{set("/self", en), set("/ok", de, [2]string{"fr", "/self"})}}, "moved path | keep"},
		{"from two addresses", sets{all: []audit.LinkSet{set("/self", en, [2]string{"fr", "/back2"})}}, "moved path | keep"},
		{"from two addresses, but called so by others", sets{all: []audit.LinkSet{set("/self", en, [2]string{"fr", "/back2"}), set("/ok", self)}}, "moved path | replace http://a.example/self"},
		{"others lead there otherwise", sets{all: []audit.LinkSet{set("/self", en), set("/ok", [2]string{"fr", "/back2"})}}, "moved path | keep"},
		{"for everybody else", sets{all: []audit.LinkSet{set("/self", en, [2]string{"x-default", "/back2"})}}, "moved path | replace http://a.example/self"},
		{"the sitemap is not kept any more", sets{err: fs.ErrNotExist}, "moved path | replace http://a.example/self"},
	} {
		result, err := linksBack(t, x.sets)
		if err != nil {
			t.Fatal(x.name, err)
		}
		if got := alsoRowsOf(t, result)[0]; got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
	failed := errors.New("the disk is full")
	if _, err := linksBack(t, sets{err: failed}); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}

// A page that no <loc> lists has the language by which sets name it; where they name it only by
// addresses that redirect there, these have to agree.
func TestLanguageOfAPageThatIsNotListed(t *testing.T) {
	en, self := [2]string{"en", "/old"}, [2]string{"de", "/self"}
	for _, x := range []struct {
		name  string
		links [][2]string
		row   string
		moved bool // the link from /old follows, as one of the first element
	}{
		{"named by nobody", [][2]string{en, self}, "moved path | replace http://a.example/ok", true},
		{"named so", [][2]string{en, {"en", "/ok"}}, "moved path | replace http://a.example/ok", true},
		{"named otherwise", [][2]string{en, {"it", "/ok"}}, "moved path | keep", false},
		{"named otherwise in another spelling", [][2]string{en, {"it", "/./ok"}}, "moved path | keep", false},
		{"named for everybody else", [][2]string{en, {"x-default", "/ok"}}, "moved path | replace http://a.example/ok", true},
		{"led to from two languages", [][2]string{en, {"it", "/older"}}, "moved path | keep", false},
		{"led to from two addresses", [][2]string{en, {"en", "/older"}}, "moved path | replace http://a.example/ok", true},
		{"named by both languages", [][2]string{en, {"en", "/ok"}, {"it", "/ok"}}, "moved path | replace http://a.example/ok", false},
	} {
		s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/older 301 /ok")}
		s.list(map1, "http://a.example/self")
		s.files[0].Links, s.files[0].Spool, s.entries[0].Ext = true, "x", 1
		by := func(langs string) func(*audit.Also) { return func(x *audit.Also) { x.Langs = langs } }
		s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/old", by("en")))
		s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/older", by(x.links[1][0])))
		r, set := rules(), set("/self", x.links...)
		r.Sets = sets{all: []audit.LinkSet{set}}
		result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		if got := alsoRowsOf(t, result)[0]; got != x.row {
			t.Errorf("%s: %s, want %s", x.name, got, x.row)
		}
		fixes, _, err := result.Links(t.Context(), set.Own, set.Links)
		if err != nil || (fixes[0].Action == audit.Relink) != x.moved || x.moved != (fixes[0].Held == "") {
			t.Errorf("%s: the link: %+v, %v; want it to follow: %v", x.name, fixes[0], err, x.moved)
		}
	}
}

// An entry that is replaced leaves its links where they are if links name the page there for
// another language: its own page is no more.
func TestLinksToAReplacedEntryInTwoLanguages(t *testing.T) {
	old := [2]string{"en-GB", "/old"}
	for _, x := range []struct {
		name string
		at   string    // the element with beside
		link [2]string // in that element beside old
		held audit.LinkHeld
	}{
		{"another page beside it", "/old", [2]string{"de", "/other"}, ""},
		{"the page for another language", "/old", [2]string{"en", "/ok"}, audit.HeldLanguage},
		{"the page for another language, says another element", "/other", [2]string{"en", "/ok"}, audit.HeldLanguage},
		{"the page in another spelling", "/old", [2]string{"en", "/./ok"}, audit.HeldLanguage},
		{"the page for the same language", "/old", [2]string{"en-gb", "/ok"}, ""},
		{"the page for everybody else", "/old", [2]string{"x-default", "/ok"}, ""},
	} {
		s := &site{web: parseWeb(t, alsoWeb)}
		s.list(map1, "http://a.example/old", "http://a.example/other")
		s.files[0].Links, s.files[0].Spool = true, "x"
		s.entries[0].Ext, s.entries[0].Langs = 1, "en-gb"
		all := []audit.LinkSet{set("/old", old), set("/other", old)}
		for n := range all {
			if all[n].Own[0].Loc == "http://a.example"+x.at {
				all[n] = set(x.at, old, x.link)
			}
		}
		r := rules()
		r.Sets = sets{all: all}
		result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, result, 0)[0]; got != "moved path | replace http://a.example/ok" {
			t.Errorf("%s: the entry: %s", x.name, got)
		}
		for _, set := range all {
			fixes, _, err := result.Links(t.Context(), set.Own, set.Links)
			if err != nil || fixes[0].Held != x.held || (fixes[0].Action == audit.Relink) != (x.held == "") {
				t.Errorf("%s: the link of %s: %+v, %v; want held: %q", x.name, set.Own[0].Loc, fixes[0], err, x.held)
			}
		}
	}
}

// A link that stays at an entry's old address leads elsewhere once the entry is replaced: it does
// not keep links to pages that are gone, which the next audit would take out.
func TestLinkToItsOwnOldAddressIsAnother(t *testing.T) {
	s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/lost 404\n\tbrowser http://a.example/lost 404")}
	s.list(map1, "http://a.example/old", "http://a.example/lost")
	s.files[0].Links, s.files[0].Spool = true, "x"
	s.entries[0].Ext, s.entries[0].Langs = 1, "en-gb"
	element := set("/old", [2]string{"en-GB", "/old"}, [2]string{"en", "/ok"}, [2]string{"de", "/lost"})
	r := rules()
	r.MaxDrop, r.Sets = 1, sets{all: []audit.LinkSet{element}}
	result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	fixes, gone, err := result.Links(t.Context(), element.Own, element.Links)
	if err != nil || gone != "" || fixes[0].Held != audit.HeldLanguage || fixes[2].Action != audit.Unlink {
		t.Errorf("%+v, %q, %v", fixes, gone, err)
	}
}

// A page that names a canonical of which no sitemap says the language keeps its links in a
// language: it answers 200 for their readers.
func TestCanonicalInALanguageThatNobodyNames(t *testing.T) {
	for lang, want := range map[string]string{"en": "noncanonical path | keep", "x-default": "noncanonical path | replace http://a.example/ok"} {
		s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/copy 200 canonical=http://a.example/ok")}
		s.list(map1, "http://a.example/self")
		s.files[0].Links, s.files[0].Spool, s.entries[0].Ext = true, "x", 1
		s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/copy", func(x *audit.Also) {
			if lang != "x-default" {
				x.Langs = lang
			}
		}))
		r, set := rules(), set("/self", [2]string{lang, "/copy"}, [2]string{"de", "/self"})
		r.Sets = sets{all: []audit.LinkSet{set}}
		result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		if got := alsoRowsOf(t, result)[0]; got != want {
			t.Errorf("named for %s: %s, want %s", lang, got, want)
		}
		fixes, _, err := result.Links(t.Context(), set.Own, set.Links)
		held := map[string]audit.LinkHeld{"en": audit.HeldUnnamed}[lang]
		if err != nil || fixes[0].Held != held || (fixes[0].Action == audit.Relink) != (held == "") {
			t.Errorf("the link for %s: %+v, %v", lang, fixes[0], err)
		}
	}
}

// linksBack is the audit of a site with these sets: /back and /back2 redirect to /self.
func linksBack(t *testing.T, all sets) (*audit.Result, error) {
	t.Helper()
	s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/back2 301 /self")}
	s.list(map1, "http://a.example/self", "http://a.example/ok")
	s.files[0].Links, s.files[0].Spool = true, "x"
	for i := range s.entries {
		s.entries[i].Ext = 1
	}
	en := func(x *audit.Also) { x.Langs = "en" }
	fr := func(x *audit.Also) { x.Langs = "fr" }
	s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/back", en), namedBy(audit.AlsoAlternates, "http://a.example/back2", fr))
	r := rules()
	r.Sets = all
	return audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
}

// An address that moved is listed twice, with different blocks: one entry is replaced, the other
// stays, for its blocks would be lost. Links stay, too, but for that of the element that is
// replaced to itself: that page would name itself by an address that redirects.
func TestLinksOfAReplacedEntryToItself(t *testing.T) {
	const old, other, written = "http://a.example/old", "http://a.example/x", "http://a.example/new"
	s := &site{web: parseWeb(t, old+" 301 /new\n"+written+" 200\n"+other+" 200")}
	s.list("http://a.example/0.xml", other)
	s.list(map1, old+" a", other, old+" its own")
	s.files[1].Links = true
	result := s.evaluate(t, rules())
	want := []string{"moved path | replace " + written, "ok | keep | duplicate",
		"moved path | keep | duplicate merge-would-lose"}
	if got := rowsOf(t, result, 1); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for _, x := range []struct {
		name string
		own  []audit.Own
		want string
	}{
		{"the replaced one", []audit.Own{{N: 1, Loc: old}}, written},
		{"the replaced one of two of an element", []audit.Own{{N: 2, Loc: other}, {N: 1, Loc: old}}, written},
		{"in another spelling", []audit.Own{{N: 1, Loc: "HTTP://a.example/old#top"}}, written},
		{"the one that stays", []audit.Own{{N: 3, Loc: old}}, ""},
		{"another page", []audit.Own{{N: 2, Loc: other}}, ""},
		{"no page", nil, ""},
	} {
		links := []audit.Link{{Href: old, Lang: "en"}, {Href: other, Lang: "de"}}
		fixes, _, err := result.Links(t.Context(), x.own, links)
		if err != nil || fixes[0].Loc != x.want || fixes[1].Action != audit.Keep {
			t.Errorf("%s: %+v, %v; want %q", x.name, fixes, err, x.want)
		}
	}
}
