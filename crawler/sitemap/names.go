package sitemap

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

const (
	maxSegment  = 200 // bytes of one segment; file systems allow 255
	maxFileName = 900 // bytes of a whole name; all systems but old Windows allow paths of 1,024
)

// FileName returns the name of a sitemap below sitemaps/ and originals/, with slashes: HOST
// (HOST_PORT where the port is not the default) and the path; a query follows as @QUERY. Bytes
// outside A-Z a-z 0-9 . _ ~ - become %XX, and an empty last segment becomes "index". url is a wire
// form, a local path, or "-" for standard input; the last two become "local/NAME".
//
// The name never leaves its folder: in segments that consist of dots, the dots become %2E, and an
// empty segment within the path becomes %2F. A name that is too long for a file system ends with a hash
// of the whole. Two URLs may still have the same name: see Names.
func FileName(url string) string {
	a, err := address.Parse(url)
	if err != nil {
		return "local/" + localName(url)
	}
	host := strings.ToLower(a.Host())
	if a.Port() != "" {
		host += "_" + a.Port()
	}
	parts := append([]string{segment(host)}, segments(a.Path())...)
	if query, ok := a.Query(); ok {
		parts[len(parts)-1] += "@" + escapeName(query)
	}
	name := strings.Join(parts, "/")
	long := slices.ContainsFunc(parts, func(s string) bool { return len(s) > maxSegment })
	if last := parts[len(parts)-1]; long || len(name) > maxFileName {
		return fmt.Sprintf("%s/%s~%016x", parts[0], last[:min(len(last), maxSegment-17)], xxhash.Sum64String(name))
	}
	return name
}

// localName names a local file, or standard input.
func localName(file string) string {
	if file == "-" {
		return "stdin"
	}
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if base == "/" || base == "." {
		base = "index"
	}
	return segment(base)
}

// segments splits a path, from its first slash, into escaped names.
func segments(p string) []string {
	parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, part := range parts {
		switch {
		case part != "":
			parts[i] = segment(part)
		case i == len(parts)-1:
			parts[i] = "index"
		default:
			parts[i] = "%2F"
		}
	}
	return parts
}

// segment escapes one segment so that it is a plain file name.
func segment(s string) string {
	if s = escapeName(s); strings.Trim(s, ".") == "" {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return s
}

// escapeName writes bytes outside A-Z a-z 0-9 . _ ~ - as %XX.
func escapeName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' ||
			strings.IndexByte("._~-", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Names gives every sitemap of an audit its own file name. The zero Names is ready to use. It is
// not safe for concurrent use.
type Names struct {
	given   map[string]string // by URL
	files   map[string]bool   // in lower case, for Windows and macOS
	folders map[string]bool
}

// Name returns FileName(url), or where that clashes with the name of another URL, with ~2, ~3, ...
// appended. Names that differ only in case clash; so do a file and a folder of the same name. The
// same url always has the same name.
func (n *Names) Name(url string) string {
	if name, ok := n.given[url]; ok {
		return name
	}
	if n.given == nil {
		n.given, n.files, n.folders = map[string]string{}, map[string]bool{}, map[string]bool{}
	}
	folder, file := path.Split(FileName(url))
	name := free(n.folder(folder)+file, func(s string) bool { return n.files[s] || n.folders[s] })
	n.files[strings.ToLower(name)] = true
	n.given[url] = name
	return name
}

// folder returns a folder, ending with a slash, none of whose parts is a file.
func (n *Names) folder(folder string) string {
	at := ""
	for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		at = free(at+part, func(s string) bool { return n.files[s] })
		n.folders[strings.ToLower(at)] = true
		at += "/"
	}
	return at
}

// free returns name with the first suffix that is not taken.
func free(name string, taken func(lower string) bool) string {
	try := name
	for i := 2; taken(strings.ToLower(try)); i++ {
		try = fmt.Sprintf("%s~%d", name, i)
	}
	return try
}
