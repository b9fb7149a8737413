package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// An entry is neither replaced by nor merged into a page that the sitemaps call by another language.
func TestPagesOfOtherLanguages(t *testing.T) {
	const a = "http://a.example/"
	for name, c := range map[string]struct {
		from, to string // what their own elements call the two pages
		web      string
		want     string
	}{
		"translated":                    {"de", "en", "301 /red-boots", "moved path | keep | locale"},
		"by canonical":                  {"de x-default", "en", "200 canonical=/red-boots", "noncanonical path | keep | locale"},
		"of the same language":          {"de de-at", "de x-default", "301 /red-boots", "moved path | merge " + a + "red-boots"},
		"for readers of any language":   {"x-default", "en", "301 /red-boots", "moved path | merge " + a + "red-boots"},
		"one has no name":               {"de", "", "301 /red-boots", "moved path | merge " + a + "red-boots"},
		"the same page without a slash": {"de", "en", "301 /rote-stiefel/", "moved slash | merge " + a + "rote-stiefel/"},
	} {
		s := &site{web: parseWeb(t, a+"rote-stiefel "+c.web+"\n"+a+"red-boots 200\n"+a+"rote-stiefel/ 200\n"+a+" 200")}
		s.list(map1, a+"rote-stiefel", a+"red-boots", a+"rote-stiefel/", a)
		for i, langs := range []string{c.from, c.to, c.to} {
			s.entries[i].Langs = langs
		}
		if got := rowsOf(t, s.evaluate(t, rules()), 0)[0]; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		r := rules()
		r.Lift = map[audit.Note]bool{audit.Locale: true}
		if got := rowsOf(t, s.evaluate(t, r), 0)[0]; got[len(got)-len(" locale"):] == " locale" {
			t.Errorf("%s, with --fix locale=replace: %s", name, got)
		}
	}
}

// What no sitemap lists is called what the links to it say.
func TestUnlistedPagesOfOtherLanguages(t *testing.T) {
	const a = "http://a.example/"
	s := &site{web: parseWeb(t, a+"rote-stiefel 301 /red-boots\n"+a+"red-boots 200\n"+a+" 200")}
	s.list(map1, a+"rote-stiefel", a)
	s.entries[0].Langs = "de"
	s.list("alternates", a+"red-boots")
	s.files[1].Kind, s.entries[2].Also = string(audit.AlsoAlternates), &audit.Also{List: audit.AlsoAlternates, Langs: "en"}
	if got := rowsOf(t, s.evaluate(t, rules()), 0)[0]; got != "moved path | keep | locale" {
		t.Errorf("%s, though a link calls it English", got)
	}
}
