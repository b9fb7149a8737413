package messages_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// saidAdvice finds the advices that package audit gives.
func saidAdvice(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("../../crawler/audit/classify.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range regexp.MustCompile(`Advice\w+ +Advice = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		list = append(list, m[1])
	}
	if len(list) < 15 {
		t.Fatalf("found only the advices %v", list)
	}
	return list
}

// Every advice has words, and none has words that nobody says.
func TestAdvices(t *testing.T) {
	for _, lang := range messages.Langs() {
		for _, key := range saidAdvice(t) {
			if text := messages.Of(lang).Advice(&audit.ReportedRow{Advice: audit.Advice(key)}); text == "" || text == key {
				t.Errorf("%s: no words for the advice %s", lang, key)
			}
		}
		for path := range textsOf(t, lang) {
			if key, ok := strings.CutPrefix(path, "advice/"); ok && !slices.Contains(saidAdvice(t), key) {
				t.Errorf("%s: %s is never said", lang, key)
			}
		}
	}
}

// What is put into an advice is not searched for placeholders.
func TestAdviceIsFilledOnce(t *testing.T) {
	r := audit.ReportedRow{Advice: audit.AdviceRedirects, To: "http://a.example/{do}{seen}"}
	want := "Nothing: it redirects to http://a.example/{do}{seen}, and no sitemap that was read lists it."
	if got := messages.Of("en").Advice(&r); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
