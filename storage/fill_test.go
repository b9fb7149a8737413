package storage

import (
	"math"
	"reflect"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// fill sets every exported field of the struct v points to, so that a field
// which a record forgets is seen. seed makes the values differ.
func fill(t testing.TB, v any, seed int) {
	t.Helper()
	fillValue(t, reflect.ValueOf(v).Elem(), &seed)
}

func fillValue(t testing.TB, v reflect.Value, seed *int) {
	t.Helper()
	*seed++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(start.Add(time.Duration(*seed) * time.Millisecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string([]byte{'a' + byte(*seed%26), 0xff, 0, byte(*seed)}))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*seed))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*seed))
	case reflect.Float64:
		v.SetFloat(float64(*seed) + 0.1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(t, v.Field(i), seed)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(t, v.Index(0), seed)
		fillValue(t, v.Index(1), seed)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, k, seed)
		fillValue(t, e, seed)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	default:
		t.Fatalf("a field has the kind %s, which no record can hold yet", v.Kind())
	}
}

func TestRecordsKeepEveryField(t *testing.T) {
	var info, gotInfo audit.Info
	fill(t, &info, 1)
	b, err := encodeInfo(info)
	mustDo(t, err)
	gotInfo, err = decodeInfo(info.ID, b)
	mustDo(t, err)
	gotInfo.Seq = info.Seq // it lies beside the record
	same(t, "info", gotInfo, info)

	var sm audit.Sitemap
	fill(t, &sm, 2)
	b, err = encodeSitemap(sm)
	mustDo(t, err)
	gotSitemap, err := decodeSitemap(sm.N, b)
	mustDo(t, err)
	same(t, "sitemap", gotSitemap, sm)

	var e audit.Entry
	fill(t, &e, 3)
	b, err = encodeEntry(e)
	mustDo(t, err)
	gotEntry, err := decodeEntry(e.N, b)
	mustDo(t, err)
	same(t, "entry", gotEntry, e)

	var h audit.Hop
	fill(t, &h, 4)
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
		"only truncated":       {Truncated: true, Tries: 1},
		"only script":          {Page: audit.Page{Script: true}, Tries: 3},
	}
	for name, h := range cases {
		t.Run(name, func(t *testing.T) { same(t, name, throughRecord(t, h), h) })
	}
}

func throughRecord(t *testing.T, h audit.Hop) audit.Hop {
	t.Helper()
	b, err := encodeHop(&h, start.UnixMilli())
	mustDo(t, err)
	got, err := decodeHop(b, start.UnixMilli(), "https://shop.example/a")
	mustDo(t, err)
	return got
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v\nwant\n%+v", what, got, want)
	}
}

// FuzzDecode: no bytes make a record's reader panic or read another record's
// memory; what it reads is written and read again as the same.
func FuzzDecode(f *testing.F) {
	b, _ := encodeHop(&audit.Hop{Request: audit.Request{URL: "https://a.example/"}, Tries: 1, At: start}, start.UnixMilli())
	f.Add(b)
	f.Add([]byte{0xa0})
	f.Add([]byte{0xbf, 0x01, 0x41, 'x', 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = decodeInfo("x", data)
		_, _ = decodeSitemap(0, data)
		_, _ = decodeEntry(0, data)
		scansAsTheLibrary(t, data)
		h, err := decodeHop(data, 0, "https://a.example/")
		if err != nil || h.At.Year() > 9999 || h.At.Year() < 0 || h.Page.RefreshDelay != h.Page.RefreshDelay || h.Page.RefreshHeaderDelay != h.Page.RefreshHeaderDelay {
			return
		}
		b, err := encodeHop(&h, 0)
		mustDo(t, err)
		again, err := decodeHop(b, 0, "")
		mustDo(t, err)
		same(t, "hop", again, h)
	})
}

// scansAsTheLibrary: what our own scanner reads, the library reads as the same.
func scansAsTheLibrary(t *testing.T, data []byte) {
	var hop, hopByLibrary hopRecord
	if hop.scan(data, "https://a.example/") {
		mustDo(t, decode(data, &hopByLibrary))
		if hop != hopByLibrary && !math.IsNaN(hop.RefreshDelay) && !math.IsNaN(hop.RefreshHeaderDelay) {
			t.Fatalf("scanned\n%+v\nthe library says\n%+v", hop, hopByLibrary)
		}
	}
	var entry, entryByLibrary entryRecord
	if entry.scan(data) {
		mustDo(t, decode(data, &entryByLibrary))
		same(t, "entry", entry, entryByLibrary)
	}
	if url, as, ok := scanRequest(data); ok && decode(data, &hopByLibrary) == nil {
		if string(url) != hopByLibrary.URL || uint8(as) != hopByLibrary.As {
			t.Fatalf("request %q %d, the library says %q %d", url, as, hopByLibrary.URL, hopByLibrary.As)
		}
	}
	var sent hopRecord
	if url, as, ok := sent.scanSent(data); ok {
		hopByLibrary = hopRecord{}
		mustDo(t, decode(data, &hopByLibrary))
		sent.URL, sent.As = string(url), uint8(as)
		same(t, "sent", sent, hopRecord{URL: hopByLibrary.URL, As: hopByLibrary.As, Flags: hopByLibrary.Flags, MoreTries: hopByLibrary.MoreTries})
	}
}

// Usual records are scanned without the library.
func TestUsualRecordsAreScanned(t *testing.T) {
	for i := range 9 {
		h := usualHop(i)
		b, err := encodeHop(&h, start.UnixMilli())
		mustDo(t, err)
		if !new(hopRecord).scan(b, "") {
			t.Errorf("%+v is left to the library", h)
		}
		if _, _, ok := new(hopRecord).scanSent(b); !ok {
			t.Errorf("what was sent for %+v is left to the library", h)
		}
		b, err = encodeEntry(audit.Entry{Loc: wire(i), Sitemap: i, Line: 1000 * i, Skip: audit.Skip(i % 3), Ext: 1 << 60 * uint64(i), Earlier: i > 4})
		mustDo(t, err)
		if !new(entryRecord).scan(b) {
			t.Errorf("entry %d is left to the library", i)
		}
	}
}
