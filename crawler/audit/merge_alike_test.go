package audit_test

import (
	"slices"
	"testing"
)

// One file under two addresses gets one correction: whichever copy is uploaded last, no page is lost. What is listed in a
// third file is merged all the same.
func TestOneFileAtTwoAddresses(t *testing.T) {
	locs := []string{"http://www.a.example/x", "http://www.a.example/old1", "http://www.a.example/old2", "http://www.a.example/old3"}
	answers := `
		http://www.a.example/x    200
		http://www.a.example/old1 301 /new1
		http://www.a.example/old2 301 /new1
		http://www.a.example/old3 301 /new3
		http://www.a.example/new1 200
		http://www.a.example/new3 200`
	for name, at := range map[string]string{
		"www":     "http://a.example/sitemap.xml",
		"scheme":  "https://www.a.example/sitemap.xml",
		"a query": "http://www.a.example/sitemap.xml?v=2",
		"packed":  "http://www.a.example/sitemap.xml.gz",
	} {
		s := &site{web: parseWeb(t, answers)}
		s.list("http://www.a.example/sitemap.xml", locs...)
		s.list(at, locs...)
		s.list("http://www.a.example/third.xml", "http://www.a.example/new3")
		result := s.evaluate(t, rules())
		one, two := rowsOf(t, result, 0), rowsOf(t, result, 1)
		want := []string{"ok | keep", "moved path | replace http://www.a.example/new1", "moved path | merge http://www.a.example/new1", "moved path | merge http://www.a.example/new3"}
		if !slices.Equal(one, want) {
			t.Errorf("%s: the first file: %q", name, one)
		}
		for i := range want {
			want[i] += " | duplicate"
		}
		if !slices.Equal(two, want) {
			t.Errorf("%s: the second file: %q", name, two)
		}
	}
}

// One that is read where it moved to as well is corrected there, and stays as it is at its old place.
func TestOneFileAtTwoAddressesMoves(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/x 301 https://a.example/x
		https://a.example/x 200`)}
	s.list("http://a.example/sitemap.xml", "http://a.example/x")
	s.list("https://a.example/sitemap.xml", "http://a.example/x")
	result := s.evaluate(t, rules())
	if one, two := result.Files[0].Edits(), rowsOf(t, result, 1)[0]; one != 0 || two != "moved scheme | replace https://a.example/x | duplicate" {
		t.Errorf("%d edits at the old place, and at the new one %s", one, two)
	}
}
