package record

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage/storetest"
)

var start = time.Date(2026, 11, 21, 10, 15, 2, 0, time.UTC)

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsKeepEveryField(t *testing.T) {
	var info, gotInfo audit.Info
	storetest.Fill(t, &info, 1)
	b, err := EncodeInfo(info)
	mustDo(t, err)
	gotInfo, err = DecodeInfo(info.ID, b)
	mustDo(t, err)
	gotInfo.Seq = info.Seq // it is stored beside the record
	same(t, "info", gotInfo, info)

	var sm audit.Sitemap
	storetest.Fill(t, &sm, 2)
	b, err = EncodeSitemap(sm)
	mustDo(t, err)
	gotSitemap, err := DecodeSitemap(sm.N, b)
	mustDo(t, err)
	same(t, "sitemap", gotSitemap, sm)

	var e audit.Entry
	storetest.Fill(t, &e, 3)
	b, err = EncodeEntry(e)
	mustDo(t, err)
	gotEntry, err := DecodeEntry(e.N, b)
	mustDo(t, err)
	same(t, "entry", gotEntry, e)

	var h audit.Hop
	storetest.Fill(t, &h, 4)
	same(t, "hop", throughRecord(t, h), h)
}

func TestHopsThroughTheirRecords(t *testing.T) {
	url := "https://shop.example/a"
	cases := map[string]audit.Hop{
		"nothing":              {},
		"no try":               {Request: audit.Request{URL: url}, Fault: audit.FaultAbandoned},
		"one try":              {Request: audit.Request{URL: url}, Tries: 1},
		"before the base":      {At: start.Add(-time.Millisecond)},
		"at the base":          {At: start},
		"hours later":          {At: start.Add(30 * time.Hour)},
		"canonical itself":     {Request: audit.Request{URL: url}, Page: audit.Page{Canonical: url}},
		"canonical elsewhere":  {Request: audit.Request{URL: url}, Page: audit.Page{Canonical: "/b"}},
		"unusual content type": {Page: audit.Page{ContentType: "Text/HTML"}},
		"usual content type":   {Page: audit.Page{ContentType: "text/html; charset=utf-8"}},
		"half a second":        {Page: audit.Page{Refresh: "/b", RefreshDelay: 0.5, RefreshHeaderDelay: 1e9}},
		"octets":               {Location: "/\xa4\xc7\x00\xff"},
		"of a rule":            {Rule: audit.RuleAt{File: "_redirects", Line: 12}},
		"only truncated":       {Truncated: true, Tries: 1},
		"only script":          {Page: audit.Page{Script: true}, Tries: 3},
	}
	for name, h := range cases {
		t.Run(name, func(t *testing.T) { same(t, name, throughRecord(t, h), h) })
	}
}

func throughRecord(t *testing.T, h audit.Hop) audit.Hop {
	t.Helper()
	b, err := EncodeHop(&h, start.UnixMilli())
	mustDo(t, err)
	got, err := DecodeHop(b, start.UnixMilli(), "https://shop.example/a")
	mustDo(t, err)
	return got
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v\nwant\n%+v", what, got, want)
	}
}

// FuzzDecode: no bytes make a decoder panic or read memory of another record, and what it decodes
// is encoded and decoded again as the same.
func FuzzDecode(f *testing.F) {
	b, _ := EncodeHop(&audit.Hop{Request: audit.Request{URL: "https://a.example/"}, Tries: 1, At: start}, start.UnixMilli())
	f.Add(b)
	f.Add([]byte{0xa0})
	f.Add([]byte{0xbf, 0x01, 0x41, 'x', 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = DecodeInfo("x", data)
		_, _ = DecodeSitemap(0, data)
		_, _ = DecodeEntry(0, data)
		scansAsTheLibrary(t, data)
		h, err := DecodeHop(data, 0, "https://a.example/")
		if err != nil || h.At.Year() > 9999 || h.At.Year() < 0 || h.Page.RefreshDelay != h.Page.RefreshDelay || h.Page.RefreshHeaderDelay != h.Page.RefreshHeaderDelay {
			return
		}
		b, err := EncodeHop(&h, 0)
		mustDo(t, err)
		again, err := DecodeHop(b, 0, "")
		mustDo(t, err)
		same(t, "hop", again, h)
	})
}

// scansAsTheLibrary: what the scanner decodes, the library decodes as the same.
func scansAsTheLibrary(t *testing.T, data []byte) {
	var hop, hopByLibrary hopRecord
	if hop.scan(data, "https://a.example/") {
		mustDo(t, Decode(data, &hopByLibrary))
		if hop != hopByLibrary && !math.IsNaN(hop.RefreshDelay) && !math.IsNaN(hop.RefreshHeaderDelay) {
			t.Fatalf("scanned\n%+v\nthe library says\n%+v", hop, hopByLibrary)
		}
	}
	var entry, entryByLibrary entryRecord
	if entry.scan(data) {
		mustDo(t, Decode(data, &entryByLibrary))
		same(t, "entry", entry, entryByLibrary)
	}
	if url, as, ok := Request(data); ok && Decode(data, &hopByLibrary) == nil {
		if string(url) != hopByLibrary.URL || uint8(as) != hopByLibrary.As {
			t.Fatalf("request %q %d, the library says %q %d", url, as, hopByLibrary.URL, hopByLibrary.As)
		}
	}
	if url, sent, ok := Sent(data); ok {
		hopByLibrary = hopRecord{}
		mustDo(t, Decode(data, &hopByLibrary))
		want := audit.Hop{Request: audit.Request{Purpose: audit.Purpose(hopByLibrary.As)}, Tries: hopByLibrary.MoreTries + 1,
			AltSpelling: hopByLibrary.Flags&flagSecond != 0}
		if same(t, "sent", sent, want); string(url) != hopByLibrary.URL {
			t.Fatalf("sent for %q, the library says %q", url, hopByLibrary.URL)
		}
	}
}

// Usual records are decoded without the library.
func TestUsualRecordsAreScanned(t *testing.T) {
	for i := range 9 {
		url := fmt.Sprintf("https://www.shop.example/items/%08d/tea-7.html", i)
		h := audit.Hop{Request: audit.Request{URL: url, Purpose: audit.Purpose(i % 3)}, Status: 200, Tries: 1 + i%2, MS: 40 + i, At: start.Add(time.Duration(i) * time.Second),
			AltSpelling: i == 5, Page: audit.Page{ContentType: "text/html; charset=utf-8", Title: "Tea", Canonical: url, Robots: "index", Heading: "Tea"}}
		if i == 4 {
			h.Status, h.Location, h.Page = 301, url+"/", audit.Page{}
		}
		b, err := EncodeHop(&h, start.UnixMilli())
		mustDo(t, err)
		if !new(hopRecord).scan(b, "") {
			t.Errorf("%+v is left to the library", h)
		}
		if _, _, ok := Sent(b); !ok {
			t.Errorf("what was sent for %+v is left to the library", h)
		}
		b, err = EncodeEntry(audit.Entry{Loc: url, Sitemap: i, Line: 1000 * i, Skip: audit.Skip(i % 3), Ext: 1 << 60 * uint64(i), Earlier: i > 4})
		mustDo(t, err)
		if !new(entryRecord).scan(b) {
			t.Errorf("entry %d is left to the library", i)
		}
	}
}

// The fields of an address that sitemaps name beside their entries are decoded as they were
// encoded.
func TestNamedBesideEntries(t *testing.T) {
	e := audit.Entry{N: 7, Loc: "http://a.example/f", Sitemap: 2, Also: &audit.Also{List: audit.AlsoVideos, Page: true, Of: 1,
		By: []audit.Naming{{Line: 3, Loc: "http://a.example/"}}, Before: []audit.AlsoList{audit.AlsoAlternates, audit.AlsoImages}}}
	b, err := EncodeEntry(e)
	mustDo(t, err)
	got, err := DecodeEntry(7, b)
	mustDo(t, err)
	if !reflect.DeepEqual(got, e) {
		t.Errorf("%+v came back as %+v", e.Also, got.Also)
	}
}

// An older store, which has passwords of addresses, shows none.
func TestPasswordsInOlderRecords(t *testing.T) {
	const raw, shown = "https://me:secret@shop.example/a", "https://***@shop.example/a"
	b, err := Encode(entryRecord{Loc: raw, Expect: true, To: raw, Also: "alternates", Of: 1, By: []namingRecord{{Loc: raw}}})
	mustDo(t, err)
	e, err := DecodeEntry(7, b)
	mustDo(t, err)
	if e.Loc != shown || e.Expected.To != shown || e.Also.By[0].Loc != shown {
		t.Errorf("entry %+v, named by %+v", e, e.Also.By)
	}
	h := audit.Hop{Request: audit.Request{URL: "https://shop.example/a"}, Status: 301, Location: raw,
		Page: audit.Page{Canonical: raw, CanonicalBase: raw, ScriptTo: raw, Refresh: raw, RefreshHeader: raw}}
	got := throughRecord(t, h)
	for _, text := range []string{got.Location, got.Page.Canonical, got.Page.CanonicalBase, got.Page.ScriptTo, got.Page.Refresh, got.Page.RefreshHeader} {
		if text != shown {
			t.Errorf("an answer has %s", text)
		}
	}
}

// An older store has the status of a robots.txt in words; no other words are taken for one.
func TestRobotsStatusInOlderRecords(t *testing.T) {
	for _, c := range []struct {
		fault  audit.Fault
		detail string
		want   int
	}{
		{audit.FaultRobots, "status 503", 503},
		{audit.FaultRobots, "status 429", 429},
		{audit.FaultRobots, "timeout", 0},
		{audit.FaultRobots, "503", 0},
		{audit.FaultRobots, "Cloudflare in its place", 0},
		{audit.FaultUnreachable, "status 503", 0},
	} {
		got := throughRecord(t, audit.Hop{Request: audit.Request{URL: "https://shop.example/a"}, Fault: c.fault, Detail: c.detail})
		if got.RobotsStatus != c.want || got.Detail != c.detail {
			t.Errorf("%s, %q: status %d, want %d", c.fault, c.detail, got.RobotsStatus, c.want)
		}
	}
}
