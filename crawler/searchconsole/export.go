package searchconsole

import (
	"bytes"
	"fmt"

	"sitemend/crawler/audit"
)

// MaxSize is how many bytes an export may have, packed or unpacked: about a hundred times the
// largest that Search Console exports.
const MaxSize = 256 << 20

// maxRows is how many rows with an address an export may have.
const maxRows = 400_000

// An Export is the content of an export.
type Export struct {
	Rows []Row
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

// reading is an export while its tables are read.
type reading struct {
	Export
	reason  audit.Label // of all addresses, from a table without any
	other   audit.Label // the same in words that are not known
	summary bool        // a table counts pages by reason
	text    int         // bytes of the addresses
}

// Read reads an export. It counts rows without an address and skips them. The error is a
// *FormatError: data is no export, or contains no address.
func Read(data []byte) (Export, error) {
	x := &reading{}
	var err error
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		err = &FormatError{"the file is empty", howTo}
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")): // an empty ZIP
		err = x.archive(data)
	default:
		err = x.plain(data)
	}
	if err != nil {
		return Export{}, err
	}
	switch {
	case len(x.Rows) > 0:
		return x.Export, nil
	case x.summary:
		return Export{}, &FormatError{"this is the summary of the Page indexing report: it counts pages by reason and lists no URL", howTo}
	}
	return Export{}, &FormatError{"there is no URL in it: no cell is a whole URL that begins with https:// or http://", howTo}
}

// plain reads a text file.
func (x *reading) plain(data []byte) error {
	text, kind := decode(bytes.NewReader(data))
	switch kind {
	case "":
	case noText:
		return &FormatError{"this is neither a ZIP nor a text",
			"give the ZIP or the CSV that Search Console exports, or a list of URLs"}
	default:
		return &FormatError{"this is " + kind + ", not an export of Search Console",
			howTo + "; a sitemap is given as a TARGET"}
	}
	return x.table(linesOf(text), false)
}

func tooLarge(most int) error {
	return &FormatError{fmt.Sprintf("it unpacks to more than %d MB, which no export of Search Console does", most>>20),
		"save the sheet with the URLs as CSV, without other columns"}
}
