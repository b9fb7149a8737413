package record

import (
	"math"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// An entryRecord is an audit.Entry as stored; its N is the key.
type entryRecord struct {
	Loc     string `cbor:"1,keyasint,omitempty"`
	Sitemap int    `cbor:"2,keyasint,omitempty"`
	Line    int    `cbor:"3,keyasint,omitempty"`
	Skip    uint8  `cbor:"4,keyasint,omitempty"`
	Ext     uint64 `cbor:"5,keyasint,omitempty"`
	Earlier bool   `cbor:"6,keyasint,omitempty"`
	Is      bool   `cbor:"9,keyasint,omitempty"`
	Reason  string `cbor:"7,keyasint,omitempty"`
	Crawled string `cbor:"8,keyasint,omitempty"`
	Bound   bool   `cbor:"10,keyasint,omitempty"`
	Media   bool   `cbor:"11,keyasint,omitempty"`
	Plain   bool   `cbor:"31,keyasint,omitempty"`
	TooLong bool   `cbor:"41,keyasint,omitempty"`
	Expect  bool   `cbor:"12,keyasint,omitempty"`
	To      string `cbor:"13,keyasint,omitempty"`
	Wild    bool   `cbor:"14,keyasint,omitempty"`

	Also   string         `cbor:"15,keyasint,omitempty"`
	Device bool           `cbor:"16,keyasint,omitempty"`
	Of     int            `cbor:"17,keyasint,omitempty"`
	By     []namingRecord `cbor:"18,keyasint,omitempty"`
	Page   bool           `cbor:"19,keyasint,omitempty"`
	Langs  string         `cbor:"20,keyasint,omitempty"` // of an entry
	Named  string         `cbor:"21,keyasint,omitempty"` // Also.Langs
	Before []string       `cbor:"22,keyasint,omitempty"`

	Uncrawled []int  `cbor:"23,keyasint,omitempty"`
	Former    string `cbor:"24,keyasint,omitempty"`
}

// A namingRecord is an audit.Naming as stored.
type namingRecord struct {
	Sitemap int    `cbor:"1,keyasint,omitempty"`
	Line    int    `cbor:"2,keyasint,omitempty"`
	Loc     string `cbor:"3,keyasint,omitempty"`
}

// EncodeEntry encodes an entry; its N is the key. The name and password of an address are not
// stored.
func EncodeEntry(e audit.Entry) ([]byte, error) {
	r := entryRecords.Get().(*entryRecord)
	*r = entryRecord{Loc: address.Masked(e.Loc), Sitemap: e.Sitemap, Line: e.Line, Skip: uint8(e.Skip), Ext: e.Ext,
		Earlier: e.Earlier, Former: address.Masked(e.Former),
		Is: e.Reported.Is, Reason: string(e.Reported.Reason), Crawled: e.Reported.Crawled,
		Bound: e.Bound, Media: e.Media, Plain: e.WithoutSecrets, TooLong: e.TooLong,
		Expect: e.Expected.Is, To: address.Masked(e.Expected.To), Wild: e.Expected.Wild, Langs: e.Langs}
	if e.Reported.NamedUncrawled() {
		r.Uncrawled = e.Reported.Uncrawled[:]
	}
	if x := e.Also; x != nil {
		r.Also, r.Device, r.Page, r.Of, r.Named = string(x.List), x.Device, x.Page, x.Of, x.Langs
		for _, l := range x.Before {
			r.Before = append(r.Before, string(l))
		}
		for _, n := range x.By {
			n.Loc = address.Masked(n.Loc)
			r.By = append(r.By, namingRecord(n))
		}
	}
	return marshal(r, &entryRecords)
}

// DecodeEntry decodes entry n.
func DecodeEntry(n int, data []byte) (audit.Entry, error) {
	var r entryRecord
	if r.scan(data) {
		return r.entry(n), nil
	}
	return decodeUnusualEntry(n, data)
}

// decodeUnusualEntry is DecodeEntry with the library; its record is allocated on the heap.
func decodeUnusualEntry(n int, data []byte) (audit.Entry, error) {
	var r entryRecord
	err := Decode(data, &r)
	return r.entry(n), err
}

// entry returns the entry. Older stores contain names and passwords of addresses, which entry
// removes.
func (r *entryRecord) entry(n int) audit.Entry {
	e := audit.Entry{N: n, Sitemap: r.Sitemap, Loc: address.Masked(r.Loc), Line: r.Line, Skip: audit.Skip(r.Skip),
		Ext: r.Ext, Earlier: r.Earlier, Former: address.Masked(r.Former), Bound: r.Bound, Media: r.Media, Langs: r.Langs,
		WithoutSecrets: r.Plain,
		TooLong:        r.TooLong,
		Reported:       audit.Reported{Is: r.Is, Reason: audit.Label(r.Reason), Crawled: r.Crawled},
		Expected:       audit.Expected{Is: r.Expect, To: address.Masked(r.To), Wild: r.Wild}}
	copy(e.Reported.Uncrawled[:], r.Uncrawled)
	if r.Also != "" {
		e.Also = &audit.Also{List: audit.AlsoList(r.Also), Device: r.Device, Page: r.Page, Langs: r.Named, Of: r.Of}
		for _, l := range r.Before {
			e.Also.Before = append(e.Also.Before, audit.AlsoList(l))
		}
		for _, n := range r.By {
			n.Loc = address.Masked(n.Loc)
			e.Also.By = append(e.Also.By, audit.Naming(n))
		}
	}
	return e
}

// scan decodes a record without the library; it returns false for one that the library has to
// decode.
func (r *entryRecord) scan(data []byte) bool {
	s := scan(data)
	for s.next() {
		switch s.key {
		case 1:
			r.Loc = s.text()
		case 2:
			r.Sitemap = int(s.int())
		case 3:
			r.Line = int(s.int())
		case 4:
			r.Skip = uint8(s.uint(math.MaxUint8))
		case 5:
			r.Ext = s.uint(math.MaxUint64)
		case 6:
			r.Earlier = s.bool()
		case 11:
			r.Media = s.bool()
		case 12:
			r.Expect = s.bool()
		case 13:
			r.To = s.text()
		case 14:
			r.Wild = s.bool()
		case 20:
			r.Langs = s.text()
		case 24:
			r.Former = s.text()
		default:
			return false
		}
	}
	return !s.bad
}
