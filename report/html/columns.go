package html

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/internal/plain"
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
	origins  map[string]int
	rows     int
	reported int // rows that are addresses of an export: the first
	n        int // rows of the chunk so far
	nums     []*number
	text     []*bytes.Buffer // of texts
	details  bytes.Buffer
	encode   *json.Encoder // into details
	read     page.Reader
	zip      *gzip.Writer
	chunk    chunk
	packing  bool // chunk is being packed, or not written yet
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
	c := &columns{w: w, result: result, groups: groups, origins: map[string]int{}, decided: newDict(messages.Decision{Verdict: audit.OK}),
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
	c.put(file, c.groups.of(r), 0, r)
	d := page.Detail{Evidence: page.EvidenceOf(r)}
	if !simple(r) {
		d = page.DetailOf(r, &c.read)
	} else if d.Evidence.IsZero() {
		return c.end(nil)
	}
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
	c.put(file, c.groups.upshot[x.Upshot()], c.googles.index(page.Visible(string(x.Entry.Reported.Reason))), &r)
	d := page.DetailOf(&r, &c.read)
	d.LastCrawled = page.Visible(x.Entry.Reported.Crawled)
	for _, lang := range messages.Langs() {
		d.Advice = append(d.Advice, advice(x, lang))
	}
	return c.end(&d)
}

// advice is what to do about a reported address, with addresses in backticks.
func advice(r *audit.ReportedRow, lang string) string {
	text, pairs := messages.Of(lang).AdviceParts(r)
	values := make([]any, len(pairs))
	for i, p := range pairs {
		values[i] = strings.ReplaceAll(page.Visible(p), "`", `\x60`)
		if i > 0 && pairs[i-1] == "do" { // ours, with code in it
			text = strings.ReplaceAll(text, "{do}", p)
		}
	}
	return messages.Fill(strings.ReplaceAll(text, "{to}", "`{to}`"), func(v any) string { return fmt.Sprint(v) }, values...)
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

// put adds the numbers and the texts of a row, in the order of the columns.
func (c *columns) put(file, group, reported int, r *audit.Row) {
	if o := r.Address.Origin(); o != "" && (c.origins[o] > 0 || len(c.origins) < maxOrigins) {
		c.origins[o]++
	}
	ms := 0
	for i := range r.Trail.Steps {
		ms += r.Trail.Steps[i].Hop.MS
	}
	for i, v := range []int{
		slices.Index(verdictList, r.Verdict), max(slices.Index(actionList, r.Fix.Action), 0), len(r.Trail.Steps) - 1,
		r.Status, c.statuses.index(page.Statuses(r.Trail)), c.reasons.index(plain.Join(r.Reasons)), c.notes.index(plain.Join(r.Notes)), group,
		c.decided.index(messages.Decided(r)), reported,
		file, r.Entry.Line, ms,
	} {
		b := c.nums[i]
		var octets [8]byte
		binary.LittleEndian.PutUint64(octets[:], uint64(min(max(v, 0), 1<<(8*b.width)-1)))
		b.Write(octets[:b.width])
	}
	loc, wire, final := page.Visible(r.Entry.Loc), r.Address.String(), r.Final.String()
	readable := c.read.Readable(wire)
	if readable == "" && address.Shown(r.Entry.Loc) != r.Entry.Loc {
		readable = wire // it is shown in place of what is listed
	}
	for i, s := range []string{loc, sameAs(wire, loc), readable, sameAs(final, wire), sameAs(r.Fix.Loc, final)} {
		c.text[i].WriteString(s)
		c.text[i].WriteByte('\n')
	}
}

// sameAs returns s, or the mark for "as in the column before".
func sameAs(s, before string) string {
	if s != "" && s == before {
		return same
	}
	return s
}

// maxOrigins bounds the origins that are counted.
const maxOrigins = 100

// origin is that of most rows: the site's own.
func (c *columns) origin() (most string) {
	for _, o := range byCount(c.origins) {
		return o
	}
	return ""
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

// A chunk is what is packed while the next rows are taken.
type chunk struct {
	n                    int
	nums, lines, details bytes.Buffer
	packed               bytes.Buffer
	done                 chan struct{} // closed when packed is whole
	err                  error         // of packing
}

// flush writes the chunk before, so that nothing is written but by the caller, has
// this one packed beside the caller, and begins the next.
func (c *columns) flush() error {
	err := c.write()
	k := &c.chunk
	k.n, k.done = c.n, make(chan struct{})
	for _, b := range c.nums {
		b.WriteTo(&k.nums)
	}
	for _, b := range c.text {
		k.lines.Write(binary.LittleEndian.AppendUint32(nil, uint32(b.Len())))
		b.WriteTo(&k.lines)
	}
	c.details.WriteTo(&k.details)
	c.n, c.packing = 0, true
	go func() {
		defer close(k.done)
		k.err = audit.Guard(func() error { k.pack(c.zip); return nil })
	}()
	return err
}

// write writes the chunk that is being packed, as soon as it is.
func (c *columns) write() error {
	if !c.packing {
		return nil
	}
	<-c.chunk.done
	c.packing = false
	c.chunk.nums.Reset()
	c.chunk.lines.Reset()
	c.chunk.details.Reset()
	_, err := c.chunk.packed.WriteTo(c.w)
	return cmp.Or(c.chunk.err, err)
}

// pack packs the three elements. zip is for nobody else meanwhile.
func (k *chunk) pack(zip *gzip.Writer) {
	k.element(zip, "rows", k.nums.Bytes())
	k.element(zip, "texts", k.lines.Bytes())
	k.element(zip, "details", k.details.Bytes())
}

// element adds data as an element that a browser does not run: its type is no
// script's (HTML, section 4.12.1), its text is base64 only.
func (k *chunk) element(zip *gzip.Writer, class string, data []byte) {
	fmt.Fprintf(&k.packed, "<script type=\"text/plain\" class=\"%s\" data-rows=\"%d\">", class, k.n)
	b64 := base64.NewEncoder(base64.StdEncoding, &k.packed)
	zip.Reset(b64)
	zip.Write(data) // a Buffer takes all
	zip.Close()
	b64.Close()
	k.packed.WriteString("</script>\n")
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

// byCount returns the keys of m, the largest number first, then by name.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
}

// The words of one-byte columns, by number.
var (
	verdictList = audit.Verdicts()
	actionList  = []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge}
)
