package messages_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// saidAdvice are the keys of what is said of the upshots, with an address and without.
func saidAdvice() (list []string) {
	for _, u := range audit.Upshots() {
		if u != audit.UpshotServer {
			list = append(list, string(u))
		}
	}
	return append(list, "fixed-to", "server-to", "broken-to", "nothing-to")
}

// Every advice has words in each language, none has words that nobody
// says, and the languages fill in the same.
func TestReportedWords(t *testing.T) {
	type words struct {
		Labels, Advice, Texts map[string]string
	}
	all := map[string]words{}
	for _, lang := range messages.Langs() {
		text, err := os.ReadFile(lang + ".json")
		var file struct{ Reported words }
		if err == nil {
			err = json.Unmarshal(text, &file)
		}
		if err != nil {
			t.Fatal(err)
		}
		all[lang] = file.Reported
	}
	holes := func(s string) []string {
		list := regexp.MustCompile(`\{\w+\}`).FindAllString(s, -1)
		slices.Sort(list)
		return list
	}
	said := saidAdvice()
	for lang, w := range all {
		for _, key := range said {
			if w.Advice[key] == "" {
				t.Errorf("%s: no words for the advice %s", lang, key)
			}
		}
		for key, text := range w.Advice {
			if !slices.Contains(said, key) || !slices.Equal(holes(text), holes(all["en"].Advice[key])) {
				t.Errorf("%s: %s is never said, or fills in %v", lang, key, holes(text))
			}
		}
		for key, text := range w.Texts {
			if !slices.Equal(holes(text), holes(all["en"].Texts[key])) {
				t.Errorf("%s: %s fills in %v", lang, key, holes(text))
			}
		}
		if len(w.Texts) != len(all["en"].Texts) || len(w.Labels) != len(all["en"].Labels) {
			t.Errorf("%s: %d texts, %d labels", lang, len(w.Texts), len(w.Labels))
		}
	}
}

// What is put into an advice is not searched for placeholders.
func TestAdviceIsFilledOnce(t *testing.T) {
	r := audit.ReportedRow{Upshot: audit.UpshotNothing, To: "http://a.example/{do}{seen}"}
	want := "Nothing: it redirects to http://a.example/{do}{seen}, and no sitemap lists it. Do not validate it: it is meant to redirect."
	if got := messages.Of("en").Advice(&r); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
