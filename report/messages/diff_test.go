package messages_test

import (
	"regexp"
	"slices"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Both languages have the same keys, with the same placeholders, and a word for
// each effect and kind of change.
func TestDiffWords(t *testing.T) {
	en, ja := messages.Of("en").Diff().Texts, messages.Of("ja").Diff().Texts
	holes := regexp.MustCompile(`\{[a-z]+\}`)
	if len(en) != len(ja) || len(en) == 0 {
		t.Errorf("%d keys in English, %d in Japanese", len(en), len(ja))
	}
	for key, text := range en {
		want, got := holes.FindAllString(text, -1), holes.FindAllString(ja[key], -1)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) || ja[key] == "" {
			t.Errorf("%s: English has %v, Japanese %v", key, want, got)
		}
	}
	for _, e := range audit.Effects() {
		if en[string(e)] == "" {
			t.Errorf("no word for %s", e)
		}
	}
	for _, k := range audit.ChangeKinds() {
		if en[string(k)+".one"] == "" || en[string(k)+".many"] == "" {
			t.Errorf("no words for %s", k)
		}
	}
	all := audit.Differ{As: true, Robots: true, Spelling: true, MaxHops: true, Soft404: true, Targets: true, Part: true}
	for _, name := range all.Names() {
		if en["differ-"+name] == "" {
			t.Errorf("no words for two audits that differ in %s", name)
		}
	}
}
