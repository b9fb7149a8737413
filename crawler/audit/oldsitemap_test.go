package audit_test

import (
	"maps"
	"testing"

	"sitemend/crawler/audit"
)

// An old sitemap that is left as it is (HeldOld) does not outweigh what would leave the others, and none is one of which
// the map says nothing.
func TestOldSitemapWeighsNothing(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/fine 200")}
	olds := many(40, "http://a.example/old/%d")
	for _, loc := range olds {
		maps.Copy(s.web, parseWeb(t, loc+" 301 http://a.example/fine"))
	}
	s.list(map1, olds...)
	for _, file := range []string{"a", "b"} {
		gone := many(8, "http://a.example/"+file+"/%d")
		for _, loc := range gone {
			maps.Copy(s.web, parseWeb(t, loc+" 404\nbrowser "+loc+" 404"))
		}
		s.list("http://a.example/"+file+".xml", append(gone, "http://a.example/fine")...)
	}
	s.list("map.csv", olds...)
	s.files[3].Kind = audit.KindExpect
	for i := range s.entries {
		if s.entries[i].Sitemap == 3 {
			s.entries[i].Expected = audit.Expected{Is: true, To: "http://a.example/a/0"}
		}
	}
	r := rules()
	r.MaxDrop = 0.1
	result := s.evaluate(t, r)
	for i, want := range []audit.Note{audit.HeldOld, "", ""} {
		if got := result.Files[i].Alone; got != want {
			t.Errorf("file %d is left alone for %q, not %q", i, got, want)
		}
	}
	if got := rowsOf(t, result, 1)[0]; got != "not-found | keep | braked" {
		t.Error(got)
	}
}
