package sitemap

import (
	"bytes"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A problem is one of Search Console's names for something wrong with a sitemap (Search Console
// Help 7451001, "Sitemap errors", as quoted by
// seowithewe.co.uk/blog/how-to-resolve-sitemap-xml-issues-in-google-search-console and, in
// Japanese, by fortune-buffet.com/?p=27534).
type problem uint8

const (
	parsingError problem = iota
	compressionError
	emptySitemap
	fileSizeError
	tooManyURLs
	tooManyNews
	tooManySitemaps
	incorrectNamespace
	leadingWhitespace
	invalidURL
	invalidIndexURL
	urlNotAllowed
	missingWWW
	includesWWW
	invalidDate
	invalidTagValue
	invalidAttribute
	missingAttribute
	missingTag
	missingThumbnail
	missingTitle
	tooManyTags
	unknownLanguage
	doubtfulLastmod
	unsupportedFormat
	invisibleCharacter
	problems
)

var problemNames = [problems]string{
	parsingError:       "Parsing error",
	compressionError:   "Compression error",
	emptySitemap:       "Empty sitemap",
	fileSizeError:      "Sitemap file size error",
	tooManyURLs:        "Too many URLs",
	tooManyNews:        "Too many News URLs",
	tooManySitemaps:    "Too many sitemaps",
	incorrectNamespace: "Incorrect namespace",
	leadingWhitespace:  "Leading whitespace",
	invalidURL:         "Invalid URL",
	invalidIndexURL:    "Invalid URL in sitemap index file: incomplete URL",
	urlNotAllowed:      "URL not allowed",
	missingWWW:         "Path mismatch: Missing www",
	includesWWW:        "Path mismatch: Includes www",
	invalidDate:        "Invalid date",
	invalidTagValue:    "Invalid tag value",
	invalidAttribute:   "Invalid attribute value",
	missingAttribute:   "Missing XML attribute",
	missingTag:         "Missing XML tag",
	missingThumbnail:   "Missing thumbnail URL",
	missingTitle:       "Missing video title",
	tooManyTags:        "Invalid XML: too many tags",
	unknownLanguage:    "Unknown language code",
	doubtfulLastmod:    "Doubtful lastmod",
	unsupportedFormat:  "Unsupported format",
	invisibleCharacter: "Invisible character",
}

const maxPlaces = 5 // listed of each name and severity

// faults collects faults. The nil faults collects none.
type faults struct {
	list  []Fault
	count map[string]*[problems]int // by severity
}

// wants reports whether the place of one more p is to be listed; if not, it counts p.
func (f *faults) wants(p problem, severity string) bool {
	if f == nil {
		return false
	}
	if f.count == nil {
		f.count = map[string]*[problems]int{severe: {}, mild: {}}
	}
	f.count[severity][p]++
	return f.count[severity][p] <= maxPlaces
}

// add adds a fault, after wants returned true for it or where each is listed. key names its
// sentence.
func (f *faults) add(p problem, line, column int, severity, key string, args ...string) {
	if f != nil {
		f.list = append(f.list, Fault{Line: line, Column: column, Name: problemNames[p],
			Severity: severity, Key: key, Args: args})
	}
}

// whole adds a fault of the file as a whole.
func (f *faults) whole(p problem, severity, key string, args ...string) {
	f.add(p, 0, 0, severity, key, args...)
}

// all returns the faults, with an additional one for each name and severity of which some places are
// not listed.
func (f *faults) all() []Fault {
	list := f.list
	if f.count == nil {
		return list
	}
	for p := range problems {
		for _, severity := range []string{severe, mild} {
			if n := f.count[severity][p] - maxPlaces; n > 0 {
				list = append(list, Fault{Name: problemNames[p], Severity: severity, Count: n,
					Key: "more-places", Args: []string{Thousands(n)}})
			}
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
	if bytes.IndexByte(b, '@') >= 0 || len(b) > audit.MaxAddress {
		b = []byte(address.MaskedText(address.Masked(string(b))))
	}
	if len(b) > 80 {
		return strconv.Quote(string(b[:77])) + "..."
	}
	return strconv.Quote(string(b))
}
