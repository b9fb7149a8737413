package html

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A chunk ends with that many rows, or with the row whose text makes it that long, in
// bytes: of some sites a row is a megabyte, for each of its redirects may lead to an
// address of 8,000 bytes.
const (
	chunkRows  = 4096
	chunkBytes = 4 << 20
)

// The columns of a chunk: one byte, two bytes, four bytes (little endian), in this
// order; and lines of text. page/data.js reads the same list.
var (
	bytes1 = []string{"verdict", "action", "hops"}
	bytes2 = []string{"status", "statuses", "reasons", "notes", "group", "decided", "reported"}
	bytes4 = []string{"file", "line", "ms"}
	texts  = []string{"loc", "wire", "readable", "final", "written"}
)

// same stands in a text column for "as in the column before it": wire for
// loc, final for wire, written for final. No address is "=" alone.
const same = "="

// A columns takes rows and writes them as chunks of compressed columns, in three
// elements each: the numbers, which the page counts and filters at once; the texts,
// which it unpacks where it shows or searches rows; and what a row shows when it is
// opened. It holds two chunks in memory: one that is filled, one that is packed.
type columns struct {
	w        io.Writer
	result   *audit.Result
	groups   *entryGroups
	rows     int
	reported int // rows that are addresses of an export: the first
	n        int // rows of the chunk so far
	nums     []*number
	text     []*bytes.Buffer // of texts
	details  bytes.Buffer
	encode   *json.Encoder // into details
	zip      *gzip.Writer  // of the one chunk that is packed
	packed   chan []byte   // gets the chunk that is packed; nil where none is
	statuses *dict[string]
	reasons  *dict[string]
	notes    *dict[string]
	googles  *dict[string] // what Google says of a reported address; 0 is an entry
	decided  *dict[messages.Decision]
}

// A number is a column of numbers of so many bytes.
type number struct {
	bytes.Buffer
	width int
}

func newColumns(w io.Writer, result *audit.Result, groups *entryGroups) *columns {
	c := &columns{w: w, result: result, groups: groups, decided: newDict(messages.Decision{Verdict: audit.OK}),
		statuses: newDict("…"), reasons: newDict("…"), notes: newDict("…"), googles: newDict("…")}
	for i, list := range [][]string{bytes1, bytes2, bytes4} {
		for range list {
			c.nums = append(c.nums, &number{width: 1 << i})
		}
	}
	for range texts {
		c.text = append(c.text, new(bytes.Buffer))
	}
	c.encode = json.NewEncoder(&c.details)
	c.encode.SetEscapeHTML(false)                 // it is packed
	c.zip, _ = gzip.NewWriterLevel(io.Discard, 5) // 5 is a valid level
	return c
}

// add takes a row of sitemap file.
func (c *columns) add(file int, r *audit.Row) error {
	readable := c.put(file, c.groups.of(r), 0, r)
	if simple(r) {
		if r.Inspection == nil {
			return c.end(nil)
		}
		return c.end(&page.Detail{Google: page.KeptOf(r)})
	}
	d := page.DetailOf(r, readable)
	return c.end(&d)
}

// addReported takes an address of an export. All of them come before the first of add.
func (c *columns) addReported(x *audit.ReportedRow) error {
	r := x.Row
	r.Fix, r.Entry.Line = audit.Fix{}, 0 // of an export no sitemap is written
	c.reported++
	file := slices.IndexFunc(c.result.Files, func(f audit.File) bool { return len(x.Sitemaps) > 0 && f.Sitemap.URL == x.Sitemaps[0] })
	if file < 0 {
		file = len(c.result.Files)
	}
	readable := c.put(file, c.groups.upshot[x.Upshot], c.googles.index(page.Visible(string(x.Entry.Reported.Reason))), &r)
	d := page.DetailOf(&r, readable)
	d.LastCrawled = page.Visible(x.Entry.Reported.Crawled)
	for _, lang := range messages.Langs() {
		d.Advice = append(d.Advice, messages.Advice(x).In(messages.Of(lang)))
	}
	return c.end(&d)
}

// end ends a row: with what it shows when it is opened, nil where that is in the columns.
func (c *columns) end(d *page.Detail) error {
	if d == nil {
		c.details.WriteByte('\n')
	} else if err := c.encode.Encode(d); err != nil { // it ends the line, too
		return err
	}
	c.rows++
	c.n++
	size := c.details.Len()
	for _, b := range c.text {
		size += b.Len()
	}
	if c.n == chunkRows || size >= chunkBytes {
		return c.flush()
	}
	return nil
}

// put adds the numbers and the texts of a row, in the order of the columns, and returns its address as
// people read it.
func (c *columns) put(file, group, reported int, r *audit.Row) (readable string) {
	ms := 0
	for i := range r.Trail.Steps {
		ms += r.Trail.Steps[i].Hop.MS
	}
	for i, v := range []int{
		slices.Index(verdictList, r.Verdict), max(slices.Index(actionList, r.Fix.Action), 0), len(r.Trail.Steps) - 1,
		r.Status, c.statuses.index(page.Statuses(r.Trail)), c.reasons.index(messages.Spaced(r.Reasons)), c.notes.index(messages.Spaced(r.Notes)), group,
		c.decided.index(messages.Decided(r)), reported,
		file, r.Entry.Line, ms,
	} {
		b := c.nums[i]
		var octets [8]byte
		binary.LittleEndian.PutUint64(octets[:], uint64(min(max(v, 0), 1<<(8*b.width)-1)))
		b.Write(octets[:b.width])
	}
	loc, wire, final := page.Visible(r.Entry.Loc), r.Address.String(), r.Final.String()
	readable = page.Readable(wire)
	shown := readable
	if readable == "" && address.Shown(r.Entry.Loc) != r.Entry.Loc {
		shown = wire // it is shown in place of what is listed
	}
	for i, s := range []string{loc, sameAs(wire, loc), shown, sameAs(final, wire), sameAs(r.Fix.Loc, final)} {
		c.text[i].WriteString(s)
		c.text[i].WriteByte('\n')
	}
	return readable
}

// sameAs returns s, or the mark for "as in the column before".
func sameAs(s, before string) string {
	if s != "" && s == before {
		return same
	}
	return s
}

// simple reports whether r has nothing to open but evidence: one answer, 200, no remark. The
// page shows such a row's trail from the columns alone.
func simple(r *audit.Row) bool {
	return r.Verdict == audit.OK && len(r.Notes) == 0 && r.Other == nil && len(r.Trail.Steps) < 2 ||
		r.Verdict == audit.Skipped && len(r.Trail.Steps) == 0
}

// close writes the last chunk.
func (c *columns) close() error {
	if c.n > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	return c.write()
}

// flush writes the chunk before, so that nothing is written but by the caller, has
// this one packed beside the caller, and begins the next.
func (c *columns) flush() error {
	err := c.write()
	var nums, lines []byte
	for _, b := range c.nums {
		nums = append(nums, b.Bytes()...)
		b.Reset()
	}
	for _, b := range c.text {
		lines = append(binary.LittleEndian.AppendUint32(lines, uint32(b.Len())), b.Bytes()...)
		b.Reset()
	}
	details, n, packed := bytes.Clone(c.details.Bytes()), c.n, make(chan []byte, 1)
	c.details.Reset()
	c.n, c.packed = 0, packed
	go func() {
		var b bytes.Buffer
		c.element(&b, "rows", n, nums)
		c.element(&b, "texts", n, lines)
		c.element(&b, "details", n, details)
		packed <- b.Bytes()
	}()
	return err
}

// write writes the chunk that is being packed, as soon as it is.
func (c *columns) write() (err error) {
	if c.packed != nil {
		_, err = c.w.Write(<-c.packed)
		c.packed = nil
	}
	return err
}

// element adds data as an element that a browser does not run: its type is no
// script's (HTML, section 4.12.1), its text is base64 only.
func (c *columns) element(w *bytes.Buffer, class string, rows int, data []byte) {
	fmt.Fprintf(w, "<script type=\"text/plain\" class=\"%s\" data-rows=\"%d\">", class, rows)
	b64 := base64.NewEncoder(base64.StdEncoding, w)
	c.zip.Reset(b64)
	c.zip.Write(data) // a Buffer takes all
	c.zip.Close()
	b64.Close()
	w.WriteString("</script>\n")
}

// A dict numbers values as they come, from 1; 0 is the value that found no
// place any more. A hostile site can make many sets of statuses, so it ends.
type dict[K comparable] struct {
	list []K
	at   map[K]int
}

func newDict[K comparable](first K) *dict[K] { return &dict[K]{[]K{first}, map[K]int{}} }

func (d *dict[K]) index(k K) int {
	i, ok := d.at[k]
	if !ok && len(d.list) <= 65535 {
		i = len(d.list)
		d.at[k] = i
		d.list = append(d.list, k)
	}
	return i
}

// decisions are what is to be done after each decision, by number, in the order of messages.Langs.
func (c *columns) decisions() [][]string {
	out := make([][]string, len(c.decided.list))
	for i, x := range c.decided.list {
		for _, lang := range messages.Langs() {
			out[i] = append(out[i], messages.Of(lang).Do(x))
		}
	}
	return out
}

// The words of one-byte columns, by number.
var (
	verdictList = audit.Verdicts()
	actionList  = []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge}
)
