package record

import "sitemend/crawler/audit"

// A sitemapRecord is an audit.Sitemap as stored; its N is the key.
type sitemapRecord struct {
	URL        string        `cbor:"1,keyasint,omitempty"`
	AnsweredAt string        `cbor:"2,keyasint,omitempty"`
	Parent     int           `cbor:"3,keyasint,omitempty"`
	Kind       string        `cbor:"4,keyasint,omitempty"`
	Gzip       bool          `cbor:"5,keyasint,omitempty"`
	Spool      string        `cbor:"6,keyasint,omitempty"`
	First      int           `cbor:"7,keyasint,omitempty"`
	Entries    int           `cbor:"8,keyasint,omitempty"`
	Links      bool          `cbor:"9,keyasint,omitempty"`
	Generator  string        `cbor:"10,keyasint,omitempty"`
	Faults     []faultRecord `cbor:"11,keyasint,omitempty"`
	FetchedAt  int64         `cbor:"12,keyasint,omitempty"`
	Requests   int           `cbor:"13,keyasint,omitempty"`
	Place      int           `cbor:"14,keyasint,omitempty"`
	Line       int           `cbor:"15,keyasint,omitempty"`
	Status     int           `cbor:"16,keyasint,omitempty"`
	Permanent  bool          `cbor:"17,keyasint,omitempty"`
	Cut        bool          `cbor:"18,keyasint,omitempty"`
	NamedBy    string        `cbor:"20,keyasint,omitempty"` // 19 was whether there was one
	Bound      bool          `cbor:"21,keyasint,omitempty"`
	GoneTwice  bool          `cbor:"22,keyasint,omitempty"`
	Strange    bool          `cbor:"31,keyasint,omitempty"`
	Before     int           `cbor:"33,keyasint,omitempty"`

	Repeats []repeatRecord `cbor:"32,keyasint,omitempty"`
	Charset string         `cbor:"34,keyasint,omitempty"`
	News    bool           `cbor:"35,keyasint,omitempty"`

	Elsewhere int    `cbor:"36,keyasint,omitempty"`
	Former    string `cbor:"37,keyasint,omitempty"`
}

type repeatRecord struct {
	Place int `cbor:"1,keyasint,omitempty"`
	Line  int `cbor:"2,keyasint,omitempty"`
	Of    int `cbor:"3,keyasint,omitempty"`
}

type faultRecord struct {
	Sitemap  string `cbor:"1,keyasint,omitempty"`
	Line     int    `cbor:"2,keyasint,omitempty"`
	Column   int    `cbor:"3,keyasint,omitempty"`
	Name     string `cbor:"4,keyasint,omitempty"`
	Severity string `cbor:"5,keyasint,omitempty"`
	// of a fault without a Key, in English; written by versions of 2026
	Text  string `cbor:"6,keyasint,omitempty"`
	Count int    `cbor:"7,keyasint,omitempty"`

	Key     string   `cbor:"8,keyasint,omitempty"`
	Args    []string `cbor:"9,keyasint,omitempty"`
	NamedIn string   `cbor:"10,keyasint,omitempty"`
	NamedAt int      `cbor:"11,keyasint,omitempty"`
	Mended  int      `cbor:"12,keyasint,omitempty"`

	Basis audit.FaultBasis `cbor:"13,keyasint,omitempty"`
	List  audit.AlsoList   `cbor:"14,keyasint,omitempty"`
}

// EncodeSitemap encodes a sitemap; its N is the key.
func EncodeSitemap(s audit.Sitemap) ([]byte, error) {
	r := sitemapRecord{URL: s.URL, AnsweredAt: s.AnsweredAt, Parent: s.Parent, Kind: s.Kind,
		Gzip:  s.Gzip,
		Spool: s.Spool, First: s.First, Entries: s.Entries, Links: s.Links, Generator: s.Generator,
		FetchedAt: nanos(s.FetchedAt), Requests: s.Requests, Place: s.Place, Line: s.Line,
		Status: s.Status, Permanent: s.Permanent, Cut: s.Cut, NamedBy: s.NamedBy,
		Bound: s.Bound, GoneTwice: s.GoneTwice, Former: s.Former, Strange: s.Strange, Before: s.Before, Charset: s.Charset, News: s.News, Elsewhere: s.Elsewhere}
	for _, x := range s.Repeats {
		r.Repeats = append(r.Repeats, repeatRecord(x))
	}
	for _, f := range s.Faults {
		r.Faults = append(r.Faults, faultRecord{f.Sitemap, f.Line, f.Column, f.Name, f.Severity, "",
			f.Count, f.Key, f.Args, f.NamedIn, f.NamedAt, f.Mended, f.Basis, f.List})
	}
	return encoding.Marshal(r)
}

// DecodeSitemap decodes sitemap n.
func DecodeSitemap(n int, data []byte) (audit.Sitemap, error) {
	var r sitemapRecord
	if err := Decode(data, &r); err != nil {
		return audit.Sitemap{}, err
	}
	s := audit.Sitemap{N: n, URL: r.URL, AnsweredAt: r.AnsweredAt, Parent: r.Parent, Kind: r.Kind,
		Gzip:  r.Gzip,
		Spool: r.Spool, First: r.First, Entries: r.Entries, Links: r.Links, Generator: r.Generator,
		FetchedAt: fromNanos(r.FetchedAt), Requests: r.Requests, Place: r.Place, Line: r.Line,
		Status: r.Status, Permanent: r.Permanent, Cut: r.Cut, NamedBy: r.NamedBy,
		Bound: r.Bound, GoneTwice: r.GoneTwice, Former: r.Former, Strange: r.Strange, Before: r.Before, Charset: r.Charset, News: r.News, Elsewhere: r.Elsewhere}
	for _, x := range r.Repeats {
		s.Repeats = append(s.Repeats, audit.Repeat(x))
	}
	for _, f := range r.Faults {
		if f.Key == "" {
			f.Key, f.Args = audit.FaultAsSaid, []string{f.Text}
		}
		s.Faults = append(s.Faults, audit.SitemapFault{Sitemap: f.Sitemap, Line: f.Line,
			Column: f.Column, Name: f.Name,
			Severity: f.Severity, Count: f.Count, Key: f.Key, Args: f.Args, NamedIn: f.NamedIn,
			NamedAt: f.NamedAt, Mended: f.Mended, Basis: f.Basis, List: f.List})
	}
	return s, nil
}
