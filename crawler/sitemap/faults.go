package sitemap

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// The severities of a fault.
const (
	severe = "error"
	mild   = "warning"
)

// The names of faults that stand in several places.
const (
	parsingError     = "Parsing error"
	compressionError = "Compression error"
)

// allFaults are the faults that a file can have: Search Console's names for them (Search Console Help
// 7451001, "Sitemap errors", as quoted by
// seowithewe.co.uk/blog/how-to-resolve-sitemap-xml-issues-in-google-search-console and, in
// Japanese, by fortune-buffet.com/?p=27534), and what names them in this package. That is SitemapFault.Key,
// too, but for those with a "=", behind which it stands.
var allFaults = []struct{ name, severity, keys string }{
	{parsingError, severe, "not-utf8 unknown-charset endless-run=first-bytes xml-within=space-before stray-text=misplaced no-root" +
		" second-root=misplaced bare-lt=bare-amp bare-amp unknown-entity unquoted too-deep unclosed=misplaced closes-nothing=misplaced" +
		" closes-too-much=misplaced cut-off misplaced"},
	{"Unsupported format", mild, "legacy-charset dtd-unread"},
	{"Sitemap file size error", severe, "first-bytes too-large"},
	{compressionError, severe, "gzip-damaged gzip-unreadable=gzip-damaged"},
	{compressionError, mild, "gzip-trailing packed-twice"},
	{"Unsupported format", severe, "no-sitemap"},
	{"Empty sitemap", severe, "no-bytes=empty empty"},
	{"Leading whitespace", mild, "space-before"},
	{"Incorrect namespace", severe, "no-namespace other-namespace=no-namespace prefix"},
	{"Incorrect namespace", mild, "old-namespace=no-namespace"},
	{"Missing XML tag", severe, "no-address"},
	{"Invalid XML: too many tags", severe, "two-addresses"},
	{"Too many URLs", severe, "too-many-urls"},
	{"Too many sitemaps", severe, "too-many-sitemaps"},
	{"Invalid URL", mild, "comment=misplaced relative-feed=relative illegal"},
	{"Invalid URL", severe, "too-long=long long relative"},
	{"Invalid URL in sitemap index file: incomplete URL", severe, "relative-index=relative"},
	{"URL not allowed", severe, "other-host"},
	{"URL not allowed", mild, "other-host-near=other-host above=other-host scheme-http=other-host scheme-https=other-host"},
	{"Path mismatch: Missing www", mild, "missing-www=other-host"},
	{"Path mismatch: Includes www", mild, "includes-www=other-host"},
	{"Invalid date", severe, "date"},
	{"Invalid date", mild, "lastmod-future"},
	{"Missing XML attribute", severe, "no-href"},
	// those of whoever fetches it
	{"HTTP error", severe, "as-said status no-answer-detail silent-hosts first-came"},
	{"HTTP error", mild, "sitemap-redirects"},
	{audit.DuplicateSitemap, mild, "read-already"},
	{"Incorrect sitemap index format: Nested sitemap indexes", severe, "nested index-bound"},
}

// named are allFaults by what names them.
var named = func() map[string]audit.SitemapFault {
	all := map[string]audit.SitemapFault{}
	for _, r := range allFaults {
		for word := range strings.FieldsSeq(r.keys) {
			id, key, _ := strings.Cut(word, "=")
			all[id] = audit.SitemapFault{Name: r.name, Severity: r.severity, Key: cmp.Or(key, id)}
		}
	}
	return all
}()

// NewFault returns a fault of a file as a whole, with what its sentence says.
func NewFault(key string, args ...string) audit.SitemapFault {
	f := named[key]
	f.Args = args
	return f
}

const maxPlaces = 5 // listed of each name and severity

// faults collects faults.
type faults struct {
	list  []audit.SitemapFault
	count map[[2]string]int // by name and severity
}

// add adds a fault with what its sentence says: a []byte is quoted. It has line 0 where it is one of
// the file as a whole.
func (f *faults) add(rule string, line, column int, args ...any) {
	one := named[rule]
	if line > 0 {
		if f.count == nil {
			f.count = map[[2]string]int{}
		}
		kind := [2]string{one.Name, one.Severity}
		if f.count[kind]++; f.count[kind] > maxPlaces && rule != "cut-off" {
			return
		}
	}
	one.Line, one.Column = line, column
	for _, a := range args {
		switch a := a.(type) {
		case []byte:
			one.Args = append(one.Args, excerpt(a))
		case int:
			one.Args = append(one.Args, Thousands(a))
		case string:
			one.Args = append(one.Args, a)
		}
	}
	f.list = append(f.list, one)
}

// whole adds a fault of the file as a whole.
func (f *faults) whole(rule string, args ...any) { f.add(rule, 0, 0, args...) }

// all returns the faults in the order of the file, then those of the file as a whole, then one for
// each name and severity of which some places are not listed.
func (f *faults) all() []audit.SitemapFault {
	slices.SortStableFunc(f.list, func(a, b audit.SitemapFault) int {
		return cmp.Or(cmp.Compare(uint(a.Line-1), uint(b.Line-1)), cmp.Compare(a.Column, b.Column))
	})
	list := f.list
	for _, one := range f.list {
		kind := [2]string{one.Name, one.Severity}
		if n := f.count[kind] - maxPlaces; n > 0 {
			list = append(list, audit.SitemapFault{Name: one.Name, Severity: one.Severity, Count: n,
				Key: "more-places", Args: []string{Thousands(n)}})
			delete(f.count, kind)
		}
	}
	return list
}

// Thousands formats a count as in the arguments of faults: "1,204".
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// excerpt returns b for the text of a fault: quoted, at most 80 bytes, without the password of an
// address.
func excerpt(b []byte) string {
	if bytes.IndexByte(b, '@') >= 0 || len(b) > address.MaxLength {
		b = []byte(address.MaskedText(address.Masked(string(b))))
	}
	if len(b) > 80 {
		return strconv.Quote(string(b[:77])) + "..."
	}
	return strconv.Quote(string(b))
}
