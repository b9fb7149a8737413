package audit_test

import (
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// stumbling panics when it is asked for one address.
type stumbling struct{ steady }

func (s stumbling) Hop(r audit.Request) (audit.Hop, bool) {
	if r.URL == "http://a.example/odd" {
		panic("lost the thread")
	}
	return s.steady.Hop(r)
}

// A panic in judging one entry keeps that entry, and is told; the others are judged as ever.
func TestAPanicCostsItsEntryAlone(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/old 301 /new\nhttp://a.example/new 200\nhttp://a.example/led 301 /odd")}
	s.list(map1, "http://a.example/old", "http://a.example/odd", "http://a.example/led", "http://a.example/odd")
	result, err := audit.Evaluate(t.Context(), stumbling{steady{s}}, audit.Info{Rules: *rules()}, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"moved path | replace http://a.example/new", "unverified | keep", "unverified | keep", "unverified | keep | duplicate"}
	if got := rowsOf(t, result, 0); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for r, err := range result.Rows(t.Context(), 0) {
		if err != nil || r.Entry.N > 0 && r.Fix.Why.Key != "ours" {
			t.Errorf("%v, %q", err, r.Fix.Why)
		}
	}
	var faults []string
	for _, f := range result.Files[0].Sitemap.Faults {
		if f.Key == audit.NotJudgedByUs {
			faults = append(faults, strings.Join(f.Args, ", "))
		}
	}
	if len(faults) != 1 || !strings.HasPrefix(faults[0], `3, "http://a.example/odd", lost the thread (audit/ours_test.go:`) {
		t.Errorf("faults %q", faults)
	}
	if result.Counts.Unseen[string(audit.FaultOurs)] != 3 || result.Proof.NotChecked != 3 {
		t.Errorf("unseen %v, proof %+v", result.Counts.Unseen, result.Proof)
	}
}
