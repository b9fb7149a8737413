package audit_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// What stands somewhere decides the same after it was stored, whatever the order in
// which it lists: a file of which all is listed there stays as it is, else the rest
// is to be added to it.
func TestStandingIsRemembered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hop := func(url string, status int, location string) (audit.Request, audit.Hop) {
			h := audit.Hop{Status: status, Location: location}
			h.URL = url
			return h.Request, h
		}
		s := &site{web: web{}}
		pages := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"/a", "/b", "/c", "/d", "/e"}), 1, 5, rapid.ID).Draw(t, "pages")
		var locs []string
		for _, p := range pages {
			r, h := hop("http://old.shop.example"+p, 301, "http://new.shop.example"+p)
			s.web[r] = h
			r, h = hop("http://new.shop.example"+p, 200, "")
			s.web[r] = h
			locs = append(locs, "http://old.shop.example"+p)
		}
		s.list("http://old.shop.example/s.xml", locs...)
		there := rapid.Permutation([]string{"/a", "/b", "/c", "/d", "/e", "/other"}).Draw(t, "listed there")[:rapid.IntRange(0, 6).Draw(t, "so many")]
		st := &audit.Standing{Seen: true, Sitemap: true}
		missing := len(pages)
		for _, p := range there {
			st.Add(address.Wire("http://new.shop.example"+p), 0)
			for _, q := range pages {
				if p == q {
					missing--
				}
			}
		}
		packed := st.Encode()
		back, err := audit.DecodeStanding(packed)
		if err != nil || !bytes.Equal(back.Encode(), packed) {
			t.Fatalf("it comes back otherwise: %v", err)
		}
		s.stands = map[string]*audit.Standing{"http://new.shop.example/s.xml": back}
		result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *rules()}, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		f := &result.Files[0]
		if f.Moved || len(result.Unasked()) > 0 {
			t.Fatalf("it is told to put the file over a sitemap: %+v", f)
		}
		if missing == 0 && (f.Changed || f.MergeInto != "") || missing > 0 && f.MergeInto != "http://new.shop.example/s.xml" {
			t.Fatalf("%d are missing there: changed %v, merge into %q", missing, f.Changed, f.MergeInto)
		}
		if n := f.Counts.Actions[audit.Replace]; n != missing {
			t.Fatalf("%d are missing there, and %d are written", missing, n)
		}
	})
}

func FuzzDecodeStanding(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := audit.DecodeStanding(b); err == nil {
			s.Encode()
		}
	})
}

// Of a file that moved as a whole, and of which each entry would lose its blocks where it is
// listed already, nothing is written: the rows say why, and nobody needs to know what
// stands at its new place.
func TestMovedAndAllLost(t *testing.T) {
	s := &site{web: web{}}
	for _, h := range []audit.Hop{{Request: audit.Request{URL: "http://old.a.example/1"}, Status: 301, Location: "http://new.a.example/1"}, {Request: audit.Request{URL: "http://new.a.example/1"}, Status: 200}} {
		s.web[h.Request] = h
	}
	s.list("http://old.a.example/s.xml", "http://old.a.example/1 +")
	s.list("http://new.a.example/other.xml", "http://new.a.example/1 ++")
	result := s.evaluate(t, rules())
	if got := rowsOf(t, result, 0); got[0] != "moved host | keep | merge-would-lose" || result.Unasked() != nil || result.Files[0].Moved {
		t.Errorf("got %q, asks %q, %+v", got, result.Unasked(), result.Files[0])
	}
}
