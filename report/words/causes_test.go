package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// generators are those that a sitemap's file tells (crawler/sitemap).
var generators = []string{"yoast", "rank math", "aioseo", "wordpress core", "google xml sitemaps", "the seo framework", "jetpack", "ec-cube", "movable type",
	"screaming frog", "xml-sitemaps.com", "drupal", "shopify", "squarespace", "wix", "next-sitemap", "docusaurus", "jekyll", "hugo", "astro",
	"gatsby", "ghost", "magento", "prestashop", "typo3", ""}

// Each term has its words in every language, English as the audit says them.
func TestRulesHaveWords(t *testing.T) {
	for lang, c := range causeCatalogues() {
		terms := audit.TermNames()
		if got := slices.Sorted(maps.Keys(c.Rules)); !slices.Equal(got, terms) {
			t.Errorf("%s: words for %q, want those for %q", lang, got, terms)
		}
		for _, name := range terms {
			x := audit.Term{Name: name, From: "<from>", To: "<to>"}
			said := Of(lang).Rule([]audit.Term{x})
			english := x.String()
			if lang == "en" && said != english {
				t.Errorf("%s: %q, the audit says %q", name, said, english)
			}
			for _, hole := range []string{x.From, x.To} {
				if strings.Contains(said, hole) != strings.Contains(english, hole) {
					t.Errorf("%s: %s says %q, English %q", name, lang, said, english)
				}
			}
		}
	}
}

// Each remedy can be reached, and each cause has one in both languages.
func TestRemedies(t *testing.T) {
	used := map[string]map[string]bool{}
	for lang := range causeCatalogues() {
		used[lang] = map[string]bool{}
		for _, generator := range generators {
			for _, name := range audit.TermNames() {
				for _, text := range Of(lang).Remedies(&audit.Cause{Verdict: audit.Moved, Who: "generator", Terms: []audit.Term{{Name: name}}}, generator) {
					used[lang][text] = true
				}
			}
			for _, v := range audit.Verdicts() {
				for _, text := range Of(lang).Remedies(&audit.Cause{Verdict: v}, generator) {
					if text == "" {
						t.Errorf("%s: %s by %q has no remedy", lang, v, generator)
					}
					used[lang][text] = true
				}
			}
		}
		for _, n := range audit.LiftableNotes() {
			if r := Of(lang).Remedies(&audit.Cause{Verdict: audit.Moved, Stop: n}, ""); len(r) != 1 || r[0] == "" {
				t.Errorf("%s: %s has remedies %q", lang, n, r)
			}
		}
		for key, text := range causeCatalogues()[lang].Remedies {
			if !used[lang][text] {
				t.Errorf("%s: %s is never told", lang, key)
			}
			if strings.Count(text, "`")%2 != 0 {
				t.Errorf("%s: odd backtick in %s", lang, key)
			}
		}
	}
	if en, ja := causeCatalogues()["en"].Remedies, causeCatalogues()["ja"].Remedies; !maps.EqualFunc(en, ja, func(string, string) bool { return true }) {
		t.Errorf("remedies in English for %q, in Japanese for %q", slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(ja)))
	}
}

func ExampleCatalogue_Rule() {
	terms := []audit.Term{{Name: "scheme", From: "http://", To: "https://"}, {Name: "path", From: "/blog/*", To: "/articles/*"}, {Name: "slash-added"}}
	cause := audit.Cause{Verdict: audit.Moved, Who: "generator", Terms: terms[:1]}
	for _, lang := range Langs() {
		fmt.Println(Of(lang).Rule(terms))
		fmt.Println(Of(lang).Remedies(&cause, "hugo")[0])
	}
	// Output:
	// http:// -> https://, /blog/* -> /articles/*, slash added at the end
	// Hugo: set `baseURL` in hugo.toml to the address that the redirects lead to.
	// http:// → https://、/blog/* → /articles/*、末尾にスラッシュを追加
	// Hugo: hugo.toml の `baseURL` をリダイレクト先の URL にしてください。
}
