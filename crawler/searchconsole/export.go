package searchconsole

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"sitemend/crawler/audit"
)

// MaxSize is how many bytes an export may have, packed or unpacked: some
// hundred times the largest that Search Console gives out.
const MaxSize = 256 << 20

// maxRows is how many addresses an export may have.
const maxRows = 1_000_000

// An Export is what an export says.
type Export struct {
	Rows []Row
	// Property is the site that the export names, as it writes it
	// ("https://www.shop.example/", "sc-domain:shop.example"); "" for none.
	Property string
	// Unread counts rows without an address that could be read; FirstUnread is
	// the line of the first, from 1.
	Unread, FirstUnread int
}

// A Row is one address of an export.
type Row struct {
	URL string // as written, an absolute http(s) URL
	// Reason is why the search engine reports it: its English label where it is
	// known, else as written; "" where the export does not say.
	Reason audit.Label
	// Crawled is when it was last crawled, as 2026-11-21 where the date can be
	// read only one way, else as written; "" for never and unknown.
	Crawled string
	Line    int // in its file, from 1
}

// A FormatError says why nothing can be read of an export.
type FormatError struct {
	What string // what it is: "this is cut off"
	Fix  string // what the user can do
}

// Error returns What.
func (e *FormatError) Error() string { return e.What }

// Hint returns what the user can do.
func (e *FormatError) Hint() string { return e.Fix }

// howTo says which export has addresses.
const howTo = "in Search Console open Pages, click one reason under \"Why pages aren't indexed\", and export that page (as CSV): its ZIP has the addresses"

// Read reads an export. Rows without an address are counted and passed over.
// The error is a *FormatError: data is no export, or holds no address.
func Read(data []byte) (Export, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Export{}, &FormatError{"the file is empty", howTo}
	}
	// the latter is an empty one
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

// linesOf walks the lines of a text that open opens each time.
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

// check refuses an export without an address.
func (x *Export) check(summary bool) error {
	switch {
	case len(x.Rows) > 0:
		return nil
	case summary:
		return &FormatError{"this is the summary of the Page indexing report: it counts pages by reason and lists no address", howTo}
	}
	return &FormatError{"there is no address in it: no cell is a whole URL that begins with https:// or http://", howTo}
}

func tooMany() error {
	return &FormatError{fmt.Sprintf("it has more than %d addresses", maxRows),
		"split it into several files; --search-console can be given more than once"}
}

func tooLarge() error {
	return &FormatError{fmt.Sprintf(
		"it unpacks to more than %d MB, which no export of Search Console does", MaxSize>>20),
		howTo}
}

// markup names what begins with a "<", "" for what does not.
func markup(text *bufio.Reader) string {
	head, _ := text.Peek(1000) // the next read meets an error again
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
