package html

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
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
	nums     map[string]*bytes.Buffer
	text     map[string]*bytes.Buffer
	details  bytes.Buffer
	read     page.Reader
	zip      *gzip.Writer
	chunk    chunk
	packing  bool // chunk is being packed, or not written yet
	statuses *dict
	reasons  *dict
	notes    *dict
	googles  *dict // what Google says of a reported address; 0 is an entry
	decided  decisions
}

func newColumns(w io.Writer, result *audit.Result, groups *entryGroups) *columns {
	c := &columns{w: w, result: result, groups: groups, origins: map[string]int{}, nums: map[string]*bytes.Buffer{}, text: map[string]*bytes.Buffer{},
		statuses: newDict(), reasons: newDict(), notes: newDict(), googles: newDict()}
	for _, list := range [][]string{bytes1, bytes2, bytes4} {
		for _, name := range list {
			c.nums[name] = new(bytes.Buffer)
		}
	}
	for _, name := range texts {
		c.text[name] = new(bytes.Buffer)
	}
	c.zip, _ = gzip.NewWriterLevel(io.Discard, 5) // 5 is a valid level
	return c
}

// add takes a row of sitemap file.
func (c *columns) add(file int, r *audit.Row) error {
	c.put2("group", c.groups.of(r))
	c.put2("reported", 0)
	c.addNumbers(file, r)
	c.addTexts(r)
	if simple(r) {
		if e := page.EvidenceOf(r); !e.IsZero() {
			return c.end(&page.Detail{Evidence: e})
		}
		return c.end(nil)
	}
	d := page.DetailOf(r, &c.read)
	return c.end(&d)
}

// addReported takes an address of an export. All of them come before the first of add.
func (c *columns) addReported(x *audit.ReportedRow) error {
	r := x.Row
	r.Fix, r.Entry.Line = audit.Fix{}, 0 // of an export no sitemap is written
	c.reported++
	c.put2("group", c.groups.upshot[x.Upshot()])
	c.put2("reported", c.googles.index(page.Visible(string(x.Entry.Reported.Reason))))
	file := len(c.result.Files)
	if len(x.Sitemaps) > 0 {
		if i := slices.IndexFunc(c.result.Files, func(f audit.File) bool { return f.Sitemap.URL == x.Sitemaps[0] }); i >= 0 {
			file = i
		}
	}
	c.addNumbers(file, &r)
	c.addTexts(&r)
	d := page.DetailOf(&r, &c.read)
	d.Advice, d.LastCrawled = marked(adviceText(x)), page.Visible(x.Entry.Reported.Crawled)
	return c.end(&d)
}

// marked is a phrase in each language, with `code` between backticks.
func marked(p page.Phrase) []string {
	out := make([]string, len(p))
	for i, text := range p {
		for _, run := range text.Runs {
			s := strings.ReplaceAll(run.Text, "`", `\x60`)
			if run.Code {
				s = "`" + s + "`"
			}
			out[i] += s
		}
	}
	return out
}

// end ends a row: with what it shows when it is opened, nil where that is in the columns.
func (c *columns) end(d *page.Detail) error {
	if d != nil {
		c.details.Write(d.AppendJSON(c.details.AvailableBuffer()))
	}
	c.details.WriteByte('\n')
	c.rows++
	if c.n++; c.n == chunkRows || c.size() >= chunkBytes {
		return c.flush()
	}
	return nil
}

// size is how many bytes of text the chunk has so far.
func (c *columns) size() int {
	n := c.details.Len()
	for _, name := range texts {
		n += c.text[name].Len()
	}
	return n
}

func (c *columns) addNumbers(file int, r *audit.Row) {
	c.countOrigin(r.Address)
	c.nums["verdict"].WriteByte(verdictIndex[r.Verdict])
	c.nums["action"].WriteByte(actionIndex[r.Fix.Action])
	c.nums["hops"].WriteByte(byte(min(max(len(r.Trail.Steps)-1, 0), 255)))
	c.put2("status", r.Status)
	c.put2("statuses", c.statuses.index(page.Statuses(r.Trail)))
	c.put2("reasons", c.reasons.index(plain.Join(r.Reasons)))
	c.put2("decided", c.decided.index(messages.Decided(r)))
	c.put2("notes", c.notes.index(plain.Join(r.Notes)))
	c.put4("file", file)
	c.put4("line", r.Entry.Line)
	c.put4("ms", took(r.Trail))
}

func (c *columns) put2(name string, v int) {
	var b [2]byte
	binary.LittleEndian.PutUint16(b[:], uint16(min(max(v, 0), 65535)))
	c.nums[name].Write(b[:])
}

func (c *columns) put4(name string, v int) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(max(v, 0)))
	c.nums[name].Write(b[:])
}

func (c *columns) addTexts(r *audit.Row) {
	loc, wire, final := page.Visible(r.Entry.Loc), r.Address.String(), r.Final.String()
	c.line("loc", loc)
	c.line("wire", sameAs(wire, loc))
	readable := c.read.Readable(wire)
	if readable == "" && address.Shown(r.Entry.Loc) != r.Entry.Loc {
		readable = wire // it is shown in place of what is listed
	}
	c.line("readable", readable)
	c.line("final", sameAs(final, wire))
	c.line("written", sameAs(r.Fix.Loc, final))
}

// sameAs returns s, or the mark for "as in the column before".
func sameAs(s, before string) string {
	if s != "" && s == before {
		return same
	}
	return s
}

func (c *columns) line(name, s string) {
	c.text[name].WriteString(s)
	c.text[name].WriteByte('\n')
}

// maxOrigins bounds the origins that are counted.
const maxOrigins = 100

func (c *columns) countOrigin(a address.Address) {
	if o := a.Origin(); o != "" && (c.origins[o] > 0 || len(c.origins) < maxOrigins) {
		c.origins[o]++
	}
}

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

// took is the time of all answers of a trail in milliseconds.
func took(t audit.Trail) (ms int) {
	for i := range t.Steps {
		ms += t.Steps[i].Hop.MS
	}
	return ms
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
	for _, list := range [][]string{bytes1, bytes2, bytes4} {
		for _, name := range list {
			c.nums[name].WriteTo(&k.nums)
		}
	}
	for _, name := range texts {
		var size [4]byte
		binary.LittleEndian.PutUint32(size[:], uint32(c.text[name].Len()))
		k.lines.Write(size[:])
		c.text[name].WriteTo(&k.lines)
	}
	k.details, c.details = c.details, k.details
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

// A dict numbers strings as they come, from 1; 0 is the string that found no
// place any more. A hostile site can make many sets of statuses, so it ends.
type dict struct {
	list []string
	at   map[string]int
}

func newDict() *dict { return &dict{list: []string{"…"}, at: map[string]int{}} }

func (d *dict) index(s string) int {
	if i, ok := d.at[s]; ok {
		return i
	}
	if len(d.list) > 65535 {
		return 0
	}
	d.at[s] = len(d.list)
	d.list = append(d.list, s)
	return len(d.list) - 1
}

// A decisions numbers what was decided of rows as it comes.
type decisions struct {
	list []decided
	at   map[messages.Decision]int
}

// A decided is what the script says of a decision: what kept the entry, and what is to
// be done, in the order of messages.Langs.
type decided struct {
	Stop audit.Note `json:"stop"`
	Do   []string   `json:"do"`
}

func (d *decisions) index(x messages.Decision) int {
	i, ok := d.at[x]
	if !ok {
		i = len(d.list)
		if d.at == nil {
			d.at = map[messages.Decision]int{}
		}
		d.at[x] = i
		do := decided{Stop: x.Stop}
		for _, lang := range messages.Langs() {
			do.Do = append(do.Do, messages.Of(lang).Do(x))
		}
		d.list = append(d.list, do)
	}
	return i
}

// The numbers of the words in one-byte columns, and the words by number.
var (
	verdictList  = audit.Verdicts()
	groupList    = audit.Groups()
	actionList   = []audit.Action{audit.Keep, audit.Replace, audit.Drop, audit.Merge}
	verdictIndex = numbers(verdictList)
	actionIndex  = numbers(actionList)
)

func numbers[S comparable](list []S) map[S]byte {
	m := make(map[S]byte, len(list))
	for i, s := range list {
		m[s] = byte(i)
	}
	return m
}
