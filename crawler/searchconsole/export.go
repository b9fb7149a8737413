package searchconsole

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"sitemend/crawler/audit"
)

// MaxSize is how many bytes an export may have, packed or unpacked: about a hundred times the
// largest that Search Console exports.
const MaxSize = 256 << 20

// maxRows is how many addresses an export may have.
const maxRows = 1_000_000

// An Export is the content of an export.
type Export struct {
	Rows []Row
	// Property is the site that the export names, as written ("https://www.shop.example/",
	// "sc-domain:shop.example"); "" for none.
	Property string
	// Unread counts rows without a valid address; FirstUnread is the line of the first, from 1.
	Unread, FirstUnread int
}

// A Row is one address of an export.
type Row struct {
	URL string // as written, an absolute http(s) URL
	// Reason is why the search engine reports the address: its English label where it is known,
	// else as written; "" where the export has none.
	Reason audit.Label
	// Crawled is when the address was last crawled, as 2026-11-21 if the date has a single meaning,
	// else as written; "" for never or unknown.
	Crawled string
	Line    int // in its file, from 1
}

// A FormatError is the error for an export that cannot be read.
type FormatError struct {
	What string // what it is: "this is cut off"
	Fix  string // what the user can do
}

// Error returns What.
func (e *FormatError) Error() string { return e.What }

// Hint returns what the user can do.
func (e *FormatError) Hint() string { return e.Fix }

// howTo describes how to get an export with addresses.
const howTo = "in Search Console open Pages, click one reason under \"Why pages aren't indexed\", and export that page (as CSV): its ZIP has the URLs"

// Read reads an export. It counts rows without an address and skips them. The error is a
// *FormatError: data is no export, or contains no address.
func Read(data []byte) (Export, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Export{}, &FormatError{"the file is empty", howTo}
	}
	// the second one is empty
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return readZIP(data)
	}
	text, err := decode(bytes.NewReader(data))
	if err != nil {
		return Export{}, err
	}
	if kind := markup(text); kind != "" {
		return Export{}, &FormatError{"this is " + kind + ", not an export of Search Console",
			howTo + "; a sitemap is given as a TARGET"}
	}
	t, err := readTable(linesOf(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}), false, maxRows)
	if err != nil {
		return Export{}, err
	}
	x := Export{Rows: t.rows, Unread: t.unread, FirstUnread: t.firstUnread}
	return x, x.check(t.summary)
}

// linesOf returns a walk over the lines of a text, which open opens each time.
func linesOf(open func() (io.ReadCloser, error)) walk {
	return func(take func(line) bool) error {
		r, err := open()
		if err != nil {
			return err
		}
		defer r.Close()
		text, err := decode(r)
		if err != nil {
			return err
		}
		return lines(text, take)
	}
}

// check returns an error for an export without an address.
func (x *Export) check(summary bool) error {
	switch {
	case len(x.Rows) > 0:
		return nil
	case summary:
		return &FormatError{"this is the summary of the Page indexing report: it counts pages by reason and lists no URL", howTo}
	}
	return &FormatError{"there is no URL in it: no cell is a whole URL that begins with https:// or http://", howTo}
}

func tooMany() error {
	return &FormatError{fmt.Sprintf("it has more than %d URLs", maxRows),
		"split it into several files; --search-console can be given more than once"}
}

func tooLarge() error {
	return &FormatError{fmt.Sprintf(
		"it unpacks to more than %d MB, which no export of Search Console does", MaxSize>>20),
		howTo}
}

// markup returns what a text is that begins with "<"; "" for any other.
func markup(text *bufio.Reader) string {
	head, _ := text.Peek(1000) // the next read returns an error again
	head = bytes.ToLower(bytes.TrimSpace(head))
	switch {
	case !bytes.HasPrefix(head, []byte("<")):
		return ""
	case bytes.Contains(head, []byte("<urlset")) || bytes.Contains(head, []byte("<sitemapindex")):
		return "a sitemap"
	case bytes.Contains(head, []byte("<html")) || bytes.Contains(head, []byte("<!doctype html")):
		return "a web page"
	}
	return "XML"
}
