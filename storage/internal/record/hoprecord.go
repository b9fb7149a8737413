package record

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/audit"
)

// A hopRecord is an audit.Hop as stored. Values that are nearly always the same take no space: one
// attempt, a usual content type, a canonical that is the address itself. Times are in milliseconds,
// At relative to the audit's base.
type hopRecord struct {
	URL                string  `cbor:"1,keyasint,omitempty"`
	As                 uint8   `cbor:"2,keyasint,omitempty"`
	Status             int     `cbor:"3,keyasint,omitempty"`
	Fault              string  `cbor:"4,keyasint,omitempty"`
	Detail             string  `cbor:"5,keyasint,omitempty"`
	Location           string  `cbor:"6,keyasint,omitempty"`
	Forbidden          string  `cbor:"7,keyasint,omitempty"`
	ForbiddenLine      int     `cbor:"8,keyasint,omitempty"`
	Challenge          string  `cbor:"9,keyasint,omitempty"`
	ContentType        string  `cbor:"10,keyasint,omitempty"`
	Title              string  `cbor:"11,keyasint,omitempty"`
	Canonical          string  `cbor:"12,keyasint,omitempty"`
	CanonicalBase      string  `cbor:"13,keyasint,omitempty"`
	Robots             string  `cbor:"14,keyasint,omitempty"`
	Refresh            string  `cbor:"15,keyasint,omitempty"`
	RefreshDelay       float64 `cbor:"16,keyasint,omitempty"`
	RefreshHeader      string  `cbor:"17,keyasint,omitempty"`
	RefreshHeaderDelay float64 `cbor:"18,keyasint,omitempty"`
	Flags              uint    `cbor:"19,keyasint,omitempty"`
	MS                 int     `cbor:"20,keyasint,omitempty"`
	MoreTries          int     `cbor:"21,keyasint,omitempty"` // attempts less one
	// from 1 where it is after the base, negative where it is before
	At           int64  `cbor:"22,keyasint,omitempty"`
	UsualType    int    `cbor:"23,keyasint,omitempty"` // index in usualTypes, from 1
	ETag         string `cbor:"24,keyasint,omitempty"`
	LastModified string `cbor:"25,keyasint,omitempty"`
	ScriptTo     string `cbor:"26,keyasint,omitempty"`
	Heading      string `cbor:"27,keyasint,omitempty"`
	RuleFile     string `cbor:"28,keyasint,omitempty"`
	RuleLine     int    `cbor:"29,keyasint,omitempty"`
	RobotsStatus int    `cbor:"30,keyasint,omitempty"`
	Counted      int    `cbor:"31,keyasint,omitempty"`
}

// The flags of a hopRecord.
const (
	flagPassword uint = 1 << iota
	flagScript
	flagTruncated
	flagSelf // the canonical is the address
	flagSecond
	flagNotModified
	flagEmpty
	flagShell
	flagWordy
	flagPending
	flagByLanguage
	flagAttachment
)

// usualTypes are content types that are stored as a number. Never change their order; add new ones
// at the end.
var usualTypes = []string{
	"text/html; charset=utf-8", "text/html; charset=UTF-8", "text/html;charset=UTF-8",
	"text/html;charset=utf-8", "text/html", "application/pdf", "text/plain",
	"text/plain; charset=utf-8", "application/xhtml+xml", "image/jpeg", "image/png", "image/webp",
	"application/json", "text/xml", "application/xml",
}

// EncodeHop encodes a hop. base is that of the audit, in Unix milliseconds, to which the time of
// the hop is relative.
func EncodeHop(h *audit.Hop, base int64) ([]byte, error) {
	r := hopRecords.Get().(*hopRecord)
	*r = newHopRecord(h, base)
	return marshal(r, &hopRecords)
}

// hopRecords and entryRecords reuse records, which the library's encoder makes escape to the heap.
var (
	hopRecords   = sync.Pool{New: func() any { return new(hopRecord) }}
	entryRecords = sync.Pool{New: func() any { return new(entryRecord) }}
)

// marshal encodes a record of a pool, clears it and returns it to the pool.
func marshal[R any](r *R, to *sync.Pool) ([]byte, error) {
	data, err := encoding.Marshal(r)
	*r = *new(R) // releases its texts
	to.Put(r)
	return data, err
}

func newHopRecord(h *audit.Hop, base int64) hopRecord {
	p := &h.Page
	r := hopRecord{
		URL: h.URL, As: uint8(h.Purpose), Status: h.Status, Fault: string(h.Fault),
		Detail: h.Detail, Location: h.Location,
		Forbidden: h.Forbidden, ForbiddenLine: h.ForbiddenLine, Challenge: h.Challenge,
		ContentType: p.ContentType,
		Title:       p.Title, Canonical: p.Canonical, CanonicalBase: p.CanonicalBase,
		Robots:  p.Robots,
		Refresh: p.Refresh, RefreshDelay: p.RefreshDelay, RefreshHeader: p.RefreshHeader,
		RefreshHeaderDelay: p.RefreshHeaderDelay,
		Flags: flag(p.Password, flagPassword) | flag(p.Script, flagScript) | flag(h.Truncated,
			flagTruncated) | flag(h.AltSpelling, flagSecond) |
			flag(h.NotModified, flagNotModified) | flag(p.Empty, flagEmpty) | flag(p.Shell,
			flagShell) | flag(p.Wordy, flagWordy) | flag(h.Pending, flagPending) | flag(h.ByLanguage,
			flagByLanguage) | flag(p.Attachment, flagAttachment),
		ScriptTo: p.ScriptTo, Heading: p.Heading, RuleFile: h.Rule.File, RuleLine: h.Rule.Line,
		RobotsStatus: h.RobotsStatus, Counted: h.Counted,
		ETag: h.ETag, LastModified: h.LastModified, MS: h.MS, MoreTries: h.Tries - 1,
		At: sinceBase(h.At, base),
	}
	if i := slices.Index(usualTypes, p.ContentType); i >= 0 {
		r.ContentType, r.UsualType = "", i+1
	}
	if p.Canonical != "" && p.Canonical == h.URL {
		r.Canonical, r.Flags = "", r.Flags|flagSelf
	}
	return r
}

// DecodeHop decodes a hop. url is what its URL probably is; if so, the hop gets that string without
// an allocation.
func DecodeHop(data []byte, base int64, url string) (audit.Hop, error) {
	var r hopRecord
	if !r.scan(data, url) {
		return decodeUnusual(data, base)
	}
	return r.hop(base), nil
}

// decodeUnusual is DecodeHop with the library; its record is allocated on the heap.
func decodeUnusual(data []byte, base int64) (audit.Hop, error) {
	var r hopRecord
	if err := Decode(data, &r); err != nil {
		return audit.Hop{}, err
	}
	return r.hop(base), nil
}

func (r *hopRecord) hop(base int64) audit.Hop {
	h := audit.Hop{Request: audit.Request{URL: r.URL, Purpose: audit.Purpose(r.As)},
		Status: r.Status, Fault: audit.Fault(r.Fault),
		Detail: r.Detail, Location: r.Location, Forbidden: r.Forbidden,
		ForbiddenLine: r.ForbiddenLine, Challenge: r.Challenge,
		Page: audit.Page{ContentType: r.ContentType, Title: r.Title, Canonical: r.Canonical,
			CanonicalBase: r.CanonicalBase,
			Robots:        r.Robots, Refresh: r.Refresh, RefreshDelay: r.RefreshDelay,
			RefreshHeader:      r.RefreshHeader,
			RefreshHeaderDelay: r.RefreshHeaderDelay, Password: r.Flags&flagPassword != 0,
			Script:   r.Flags&flagScript != 0,
			ScriptTo: r.ScriptTo, Heading: r.Heading, Empty: r.Flags&flagEmpty != 0,
			Shell: r.Flags&flagShell != 0, Wordy: r.Flags&flagWordy != 0, Attachment: r.Flags&flagAttachment != 0},
		MS: r.MS, Tries: r.MoreTries + 1, Truncated: r.Flags&flagTruncated != 0,
		ETag: r.ETag, LastModified: r.LastModified, NotModified: r.Flags&flagNotModified != 0,
		AltSpelling: r.Flags&flagSecond != 0, At: fromBase(r.At, base),
		Rule: audit.RuleAt{File: r.RuleFile, Line: r.RuleLine}, RobotsStatus: r.RobotsStatus,
		Counted: r.Counted, Pending: r.Flags&flagPending != 0,
		ByLanguage: r.Flags&flagByLanguage != 0}
	if r.UsualType > 0 && r.UsualType <= len(usualTypes) {
		h.Page.ContentType = usualTypes[r.UsualType-1]
	}
	if r.Flags&flagSelf != 0 {
		h.Page.Canonical = h.URL
	}
	if h.Fault == audit.FaultRobots && h.RobotsStatus == 0 {
		h.RobotsStatus = statusIn(h.Detail)
	}
	h.Mask() // older stores have it unmasked
	return h
}

// statusIn returns the status of a robots.txt, which older stores have only in words: "status 503";
// 0 for other words.
func statusIn(detail string) int {
	text, ok := strings.CutPrefix(detail, "status ")
	status, err := strconv.Atoi(text)
	if err != nil || !ok {
		return 0
	}
	return status
}

// scan decodes a record without the library; it returns false for one that the library has to
// decode.
func (r *hopRecord) scan(data []byte, url string) bool {
	s := scan(data)
	for s.next() {
		switch s.key {
		case 1:
			r.URL = s.textOr(url)
		case 2:
			r.As = uint8(s.uint(math.MaxUint8))
		case 3:
			r.Status = int(s.int())
		case 6:
			r.Location = s.text()
		case 11:
			r.Title = s.text()
		case 12:
			r.Canonical = s.text()
		case 14:
			r.Robots = s.text()
		case 19:
			r.Flags = uint(s.uint(math.MaxUint32))
		case 20:
			r.MS = int(s.int())
		case 21:
			r.MoreTries = int(s.int())
		case 22:
			r.At = s.int()
		case 23:
			r.UsualType = int(s.int())
		case 27:
			r.Heading = s.text()
		default:
			r.scanRare(&s)
		}
	}
	return !s.bad
}

// Sent decodes only the request of a record, whose URL is url, and how many requests were sent for
// it (Tries, Counted, AltSpelling); ok is false for a record that the library has to decode.
func Sent(data []byte) (url []byte, hop audit.Hop, ok bool) {
	hop.Tries = 1
	s := scan(data)
	for s.next() {
		switch s.key {
		case 1:
			url = s.bytes()
		case 2:
			hop.Purpose = audit.Purpose(s.uint(math.MaxUint8))
		case 19:
			hop.AltSpelling = uint(s.uint(math.MaxUint32))&flagSecond != 0
		case 21:
			hop.Tries = int(s.int()) + 1
		case 31:
			hop.Counted = int(s.int())
		case 3, 20, 22, 23, 29:
			s.int()
		case 6, 11, 12, 14, 27, 28:
			s.bytes()
		default:
			return nil, audit.Hop{}, false
		}
	}
	return url, hop, !s.bad
}

// scanRare decodes the current pair where it is one that few records have.
func (r *hopRecord) scanRare(s *scanner) {
	switch s.key {
	case 4:
		r.Fault = s.text()
	case 5:
		r.Detail = s.text()
	case 7:
		r.Forbidden = s.text()
	case 8:
		r.ForbiddenLine = int(s.int())
	case 9:
		r.Challenge = s.text()
	case 10:
		r.ContentType = s.text()
	case 13:
		r.CanonicalBase = s.text()
	case 15:
		r.Refresh = s.text()
	case 16:
		r.RefreshDelay = s.float()
	case 17:
		r.RefreshHeader = s.text()
	case 18:
		r.RefreshHeaderDelay = s.float()
	case 24:
		r.ETag = s.text()
	case 25:
		r.LastModified = s.text()
	case 26:
		r.ScriptTo = s.text()
	case 28:
		r.RuleFile = s.text()
	case 29:
		r.RuleLine = int(s.int())
	case 30:
		r.RobotsStatus = int(s.int())
	case 31:
		r.Counted = int(s.int())
	default:
		s.bad = true
	}
}

// Request decodes the request that the record of a hop answers, which is first in each. ok is false
// for a record that the library has to decode.
func Request(data []byte) (url []byte, as audit.Purpose, ok bool) {
	s := scan(data)
	if !s.next() || s.key != 1 {
		return nil, 0, false
	}
	url = s.bytes()
	if s.next() && s.key == 2 {
		as = audit.Purpose(s.uint(math.MaxUint8))
	}
	return url, as, !s.bad
}

func flag(set bool, f uint) uint {
	if set {
		return f
	}
	return 0
}

// sinceBase returns a time in milliseconds from base; 0 stands for no time, so times not before the
// base are shifted by one.
func sinceBase(t time.Time, base int64) int64 {
	if t.IsZero() {
		return 0
	}
	d := t.UnixMilli() - base
	if d >= 0 {
		d++
	}
	return d
}

func fromBase(d, base int64) time.Time {
	switch {
	case d == 0:
		return time.Time{}
	case d > 0:
		d--
	}
	return time.UnixMilli(base + d).UTC()
}
