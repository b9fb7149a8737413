package storage

import "sitemend/crawler/audit"

// An entryRecord is an audit.Entry as stored; its N is the key.
type entryRecord struct {
	Loc     string `cbor:"1,keyasint,omitempty"`
	Sitemap int    `cbor:"2,keyasint,omitempty"`
	Line    int    `cbor:"3,keyasint,omitempty"`
	Skip    uint8  `cbor:"4,keyasint,omitempty"`
	Ext     uint64 `cbor:"5,keyasint,omitempty"`
	Earlier bool   `cbor:"6,keyasint,omitempty"`
}

func encodeEntry(e audit.Entry) ([]byte, error) {
	return encoding.Marshal(entryRecord{Loc: e.Loc, Sitemap: e.Sitemap, Line: e.Line, Skip: uint8(e.Skip), Ext: e.Ext, Earlier: e.Earlier})
}

func decodeEntry(n int, data []byte) (audit.Entry, error) {
	var r entryRecord
	err := decode(data, &r)
	return audit.Entry{N: n, Sitemap: r.Sitemap, Loc: r.Loc, Line: r.Line, Skip: audit.Skip(r.Skip), Ext: r.Ext, Earlier: r.Earlier}, err
}
