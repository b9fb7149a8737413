package messages_test

import (
	"regexp"
	"slices"
	"testing"

	"sitemend/report/messages"
)

// Every text of watch is there in each language, with the same values in it.
func TestWatchWords(t *testing.T) {
	values := regexp.MustCompile(`\{[a-z]+\}`)
	en := messages.Of("en").Watch().Texts
	for _, lang := range messages.Langs() {
		other := messages.Of(lang).Watch().Texts
		if len(other) != len(en) {
			t.Errorf("%s has %d texts, English %d", lang, len(other), len(en))
		}
		for key, text := range en {
			got, want := values.FindAllString(other[key], -1), values.FindAllString(text, -1)
			slices.Sort(got)
			slices.Sort(want)
			if other[key] == "" || !slices.Equal(got, want) {
				t.Errorf("%s: %s is %q, in English %q", lang, key, other[key], text)
			}
		}
	}
}
