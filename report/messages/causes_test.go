package messages_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

// generators are those that a sitemap's file tells (crawler/sitemap).
var generators = []string{"yoast", "rank math", "aioseo", "wordpress core", "google xml sitemaps", "the seo framework", "jetpack", "ec-cube", "movable type",
	"screaming frog", "xml-sitemaps.com", "drupal", "shopify", "squarespace", "wix", "next-sitemap", "docusaurus", "jekyll", "hugo", "astro",
	"gatsby", "ghost", "magento", "prestashop", "typo3", ""}

// labels are those of errors and of what was not seen.
var labels = []string{"204", "300", "418", "500", "502", "504", "401", "403", "407", "429", "503",
	"timeout", "dns", "tls", "refused", "reset", "robots-unreachable", "robots-503", "robots-429",
	"address-not-allowed", "robots-not-allowed", "host-left", "unsteady",
	"Cloudflare", "Akamai", "AWS WAF", "DataDome", "captcha"}

// Each term has its words in every language, English as the audit says them.
func TestRulesHaveWords(t *testing.T) {
	for _, lang := range messages.Langs() {
		terms := pattern.TermNames()
		if got := slices.Sorted(maps.Keys(messages.RuleWords(lang))); !slices.Equal(got, terms) {
			t.Errorf("%s: words for %q, want those for %q", lang, got, terms)
		}
		for _, name := range terms {
			x := pattern.Term{Name: name, From: "<from>", To: "<to>"}
			said := messages.Of(lang).Rule([]pattern.Term{x})
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
	for _, lang := range messages.Langs() {
		used[lang] = map[string]bool{}
		for _, generator := range generators {
			for _, name := range pattern.TermNames() {
				for _, x := range []audit.Cause{{Verdict: audit.Moved}, {Verdict: audit.Loop}} {
					for _, from := range []string{"http://", "https://"} {
						x.Terms = []pattern.Term{{Name: name, From: from}}
						for _, text := range messages.Of(lang).Remedies(&x, generator) {
							used[lang][text] = true
						}
					}
				}
			}
			for verdict, name := range map[audit.Verdict]string{audit.Error: "status", audit.Unverified: "unseen"} {
				for _, label := range labels {
					for _, text := range messages.Of(lang).Remedies(&audit.Cause{Verdict: verdict, Terms: []pattern.Term{{Name: name, From: label}}}, generator) {
						used[lang][text] = true
					}
				}
			}
			for _, v := range audit.Verdicts() {
				for _, text := range messages.Of(lang).Remedies(&audit.Cause{Verdict: v}, generator) {
					if text == "" {
						t.Errorf("%s: %s by %q has no remedy", lang, v, generator)
					}
					used[lang][text] = true
				}
			}
		}
		for _, n := range audit.LiftableNotes() {
			if r := messages.Of(lang).Remedies(&audit.Cause{Verdict: audit.Moved, Stop: n}, ""); len(r) != 1 || r[0] == "" {
				t.Errorf("%s: %s has remedies %q", lang, n, r)
			}
		}
		for key, text := range messages.Remedies(lang) {
			before, _, _ := strings.Cut(text, "{where}")
			if !slices.ContainsFunc(slices.Collect(maps.Keys(used[lang])), func(said string) bool { return strings.HasPrefix(said, before) }) {
				t.Errorf("%s: %s is never told", lang, key)
			}
			if strings.Count(text, "`")%2 != 0 {
				t.Errorf("%s: odd backtick in %s", lang, key)
			}
		}
	}
	if en, ja := messages.Remedies("en"), messages.Remedies("ja"); !maps.EqualFunc(en, ja, func(string, string) bool { return true }) {
		t.Errorf("remedies in English for %q, in Japanese for %q", slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(ja)))
	}
}

func ExampleCatalogue_Rule() {
	terms := []pattern.Term{{Name: "scheme", From: "http://", To: "https://"}, {Name: "path", From: "/blog/*", To: "/articles/*"}, {Name: "slash-added"}}
	cause := audit.Cause{Verdict: audit.Moved, Terms: terms[:1]}
	for _, lang := range []string{"en", "ja"} {
		fmt.Println(messages.Of(lang).Rule(terms))
		fmt.Println(messages.Of(lang).Remedies(&cause, "hugo")[0])
	}
	// Output:
	// http:// -> https://, /blog/* -> /articles/*, slash added at the end
	// Set the site's URL to the one that the redirects lead to: `baseURL` in hugo.toml.
	// http:// → https://、/blog/* → /articles/*、末尾にスラッシュを追加
	// サイトのURLをリダイレクト先のものにしてください(hugo.tomlの `baseURL`)。
}

// What is told to be done is of use for the kind of cause: at the generator, or at
// the server where that is what should change.
func TestRemediesOfKinds(t *testing.T) {
	cause := func(v audit.Verdict, terms ...string) audit.Cause {
		x := audit.Cause{Verdict: v}
		for _, s := range terms {
			name, from, _ := strings.Cut(s, "=")
			x.Terms = append(x.Terms, pattern.Term{Name: name, From: from})
		}
		return x
	}
	for want, x := range map[string]audit.Cause{
		"baseURL":           cause(audit.Moved, "scheme=http://"),
		"X-Forwarded-Proto": cause(audit.Moved, "scheme=https://"), // never: list http
		"redirects to":      cause(audit.Moved, "parameter-removed=x", "extension-added"),
		"`uglyURLs`":        cause(audit.Moved, "extension-removed=.html"),
		"$request_uri":      cause(audit.Respelled, "double-encoded"),
		"[R=301]":           cause(audit.Temporary, "path=/a/*"),
		"Full (strict)":     cause(audit.Loop, "scheme=http://"),
		"DirectorySlash":    cause(audit.Loop, "slash-added"),
		"decoded bytes":     cause(audit.Loop, "hex-upper"),
		"Break the loop":    cause(audit.Loop),
		"time limit":        cause(audit.Error, "status=504"),
		"error log":         cause(audit.Error, "status=500", "place=/shop/*"),
		"refuses":           cause(audit.Error, "status=418"),
		"ErrorDocument":     cause(audit.Soft404),
		"Redirect gone":     cause(audit.Homepage, "to-one=/*"),
		"--user":            cause(audit.Unverified, "unseen=401"),
		"Custom rules":      cause(audit.Unverified, "unseen=Cloudflare"),
		"through the firew": cause(audit.Unverified, "unseen=Kasada"),
		"DNS record":        cause(audit.Unverified, "unseen=dns"),
		"front matter":      cause(audit.Noindex, "place=/tag/*"),
	} {
		got := strings.Join(messages.Of("en").Remedies(&x, "hugo"), " ")
		if want == "redirects to" {
			got = strings.Join(messages.Of("en").Remedies(&x, ""), " ")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s %v: %q, want %q in it", x.Verdict, x.Terms, got, want)
		}
		if ja := messages.Of("ja").Remedies(&x, "hugo"); len(ja) == 0 || ja[0] == "" {
			t.Errorf("%s %v has no remedy in Japanese", x.Verdict, x.Terms)
		}
	}
}
