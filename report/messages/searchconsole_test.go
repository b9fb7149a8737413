package messages_test

import (
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Every upshot has words, with an address and without, and none has words that nobody says.
func TestAdvices(t *testing.T) {
	said := []string{"fixed-to", "server-to", "broken-to", "nothing-to"}
	for _, u := range audit.Upshots() {
		if u != audit.UpshotServer {
			said = append(said, string(u))
		}
	}
	for _, lang := range messages.Langs() {
		for _, key := range said {
			r, to := audit.ReportedRow{Upshot: audit.Upshot(strings.TrimSuffix(key, "-to"))}, ""
			if strings.HasSuffix(key, "-to") {
				to = "x"
			}
			if r.To = to; messages.Of(lang).Advice(&r) == key {
				t.Errorf("%s: no words for %s", lang, key)
			}
		}
		for path := range textsOf(t, lang) {
			if key, ok := strings.CutPrefix(path, "advice/"); ok && !slices.Contains(said, key) {
				t.Errorf("%s: %s is never said", lang, key)
			}
		}
	}
}

// What is put into an advice is not searched for placeholders.
func TestAdviceIsFilledOnce(t *testing.T) {
	r := audit.ReportedRow{Upshot: audit.UpshotNothing, To: "http://a.example/{do}{seen}"}
	want := "Nothing: it redirects to http://a.example/{do}{seen}, and no sitemap that was read lists it."
	if got := messages.Of("en").Advice(&r); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
