package sitemap

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

// A drawing is a sitemap that is made piece by piece, together with the result that a text editor
// would give: it knows nothing of windows, spans and patches.
type drawing struct {
	t       *rapid.T
	in, out strings.Builder
	edits   []Edit
	links   map[string]Edit // by href
	nl      string
}

func (d *drawing) pick(of ...string) string { return rapid.SampledFrom(of).Draw(d.t, "piece") }
func (d *drawing) chance(of int) bool       { return rapid.IntRange(1, of).Draw(d.t, "chance") == 1 }

// both adds text that stays.
func (d *drawing) both(text string) {
	d.in.WriteString(text)
	d.out.WriteString(text)
}

// often draws once and repeats the result until the file has several windows.
func (d *drawing) often(draw func()) {
	in, out, edits := d.in.Len(), d.out.Len(), len(d.edits)
	draw()
	bodyIn, bodyOut, body := d.in.String()[in:], d.out.String()[out:], d.edits[edits:]
	for range min(rapid.IntRange(0, 40_000).Draw(d.t, "size")/max(len(bodyIn), 1), 400) {
		d.in.WriteString(bodyIn)
		d.out.WriteString(bodyOut)
		d.edits = append(d.edits, body...)
	}
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "'", "&apos;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// A part is text before and after the edits.
type part struct{ in, out string }

func (p *part) add(in, out string) { p.in, p.out = p.in+in, p.out+out }

// wrap draws the way in which an address stands between two tags.
func (d *drawing) wrap() func(address string) string {
	before, after := d.pick("", "", " ", d.nl+"\t"), d.pick("", "", "  ", d.nl)
	if d.chance(3) {
		return func(s string) string { return before + "<![CDATA[" + s + "]]>" + after }
	}
	return func(s string) string { return before + escape(s) + after }
}

// loc draws an address of a <loc> with its edit, without the tags.
func (d *drawing) loc() (part, Edit) {
	n := len(d.edits)
	listed := fmt.Sprintf("http://a.example/%d?x=%s&y='%s'", n, strings.Repeat("z", rapid.IntRange(0, 40).Draw(d.t, "long")), d.pick("", "é", "日本"))
	e := Edit{Action: rapid.SampledFrom([]Action{Keep, Keep, Replace, Drop}).Draw(d.t, "action")}
	if e.Action == Replace {
		e.Loc = fmt.Sprintf("https://b.example/%d?a&b='<%s>'", n, strings.Repeat("w", rapid.IntRange(0, 90).Draw(d.t, "longer")))
	}
	d.edits = append(d.edits, e)
	wrap := d.wrap()
	p := part{wrap(listed), wrap(listed)}
	if e.Action == Replace {
		p.out = wrap(e.Loc)
	}
	return p, e
}

// link draws an xhtml:link with its edit, on a line of its own or not.
func (d *drawing) link(own bool) part {
	href := fmt.Sprintf("http://l.example/%d?a&b", rapid.IntRange(0, 30).Draw(d.t, "href"))
	quote, end := d.pick(`"`, `'`), d.pick("/>", " />", "></x:link>", "> </x:link >")
	write := func(href string) string {
		return `<x:link rel="alternate" hreflang="de" href=` + quote + escape(href) + quote + end
	}
	p := part{in: write(href)}
	switch e := d.links[href]; e.Action {
	case Replace:
		p.out = write(e.Loc)
	case Keep:
		p.out = p.in
	}
	if own {
		indent := d.pick("", "  ", "\t")
		p.in = indent + p.in + d.nl
		if p.out != "" {
			p.out = indent + p.out + d.nl
		}
	}
	return p
}

// filler draws long text without edits, so that windows move within an element.
func (d *drawing) filler() string {
	return d.pick("", "", "<lastmod>2026-01-02</lastmod>", "<!-- <url> & <loc> "+strings.Repeat("c", rapid.IntRange(0, 6000).Draw(d.t, "comment"))+" -->",
		"<i:i><i:loc>http://i.example/"+strings.Repeat("i", rapid.IntRange(0, 3000).Draw(d.t, "image"))+"</i:loc></i:i>")
}

// url draws a <url>; it reports whether all of it is dropped.
func (d *drawing) url() (p part, gone bool) {
	lined := d.chance(2)
	nl := ""
	if lined {
		nl = d.nl
	}
	p.add("<url>"+nl, "<url>"+nl)
	first := len(d.edits)
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(d.t, "locs") {
		d.tag(&p, lined)
		if text := d.filler(); text != "" {
			p.add(text+nl, text+nl)
		}
		if d.chance(3) {
			l := d.link(lined)
			p.add(l.in, l.out)
		}
	}
	p.add("</url>", "</url>")
	gone = true
	for _, e := range d.edits[first:] {
		gone = gone && e.Action == Drop
	}
	return p, gone
}

// tag draws a <loc> of a <url>.
func (d *drawing) tag(p *part, lined bool) {
	text, e := d.loc()
	in, out := "<loc>"+text.in+"</loc>", "<loc>"+text.out+"</loc>"
	if lined {
		in, out = "  "+in+d.nl, "  "+out+d.nl
	}
	if e.Action == Drop {
		out = ""
	}
	p.add(in, out)
}

// line draws a line of the urlset with one or more elements, or none.
func (d *drawing) line() {
	indent, tail := d.pick("", " ", "\t\t"), d.pick("", " ", "\t")
	n := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3}).Draw(d.t, "urls")
	if n == 1 {
		p, gone := d.url()
		d.in.WriteString(indent + p.in + tail + d.nl)
		if !gone {
			d.out.WriteString(indent + p.out + tail + d.nl)
		}
		return
	}
	var line part
	line.add(indent, indent)
	if n == 0 {
		text := d.pick("", "<!-- nothing -->", "text", "<other>x</other>")
		line.add(text, text)
	}
	left := n == 0
	for range n {
		p, gone := d.url()
		if gone {
			p.out = ""
		}
		left = left || !gone
		line.add(p.in, p.out)
		blank := d.pick("", " ")
		line.add(blank, blank)
	}
	d.in.WriteString(line.in + tail + d.nl)
	if left {
		d.out.WriteString(line.out + tail + d.nl)
	}
}

func (d *drawing) xml() {
	d.both(d.pick("", "\uFEFF") + `<?xml version="1.0"?>` + d.nl + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:x="http://www.w3.org/1999/xhtml" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1" xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">` + d.nl)
	d.often(func() {
		for range rapid.IntRange(1, 40).Draw(d.t, "lines") {
			d.line()
		}
	})
	d.both("</urlset>" + d.pick("", d.nl, d.nl+"<!-- end -->"))
}

func (d *drawing) text() {
	d.both(d.pick("", "\uFEFF") + "http://a.example/first" + d.nl)
	d.edits = append(d.edits, Edit{})
	d.often(func() {
		for n := range rapid.IntRange(0, 40).Draw(d.t, "lines") {
			d.textLine(n)
		}
	})
}

func (d *drawing) textLine(n int) {
	if d.chance(9) {
		d.both(d.pick("", " ") + d.nl)
		return
	}
	before, after := d.pick("", " "), d.pick("", "\t")
	listed := fmt.Sprintf("http://a.example/%d?%s&é", n, strings.Repeat("z", rapid.IntRange(0, 60).Draw(d.t, "long")))
	e := Edit{Action: rapid.SampledFrom([]Action{Keep, Replace, Drop}).Draw(d.t, "action")}
	d.in.WriteString(before + listed + after + d.nl)
	switch e.Action {
	case Keep:
		d.out.WriteString(before + listed + after + d.nl)
	case Replace:
		e.Loc = fmt.Sprintf("http://b.example/%d?a&b", n)
		d.out.WriteString(before + e.Loc + after + d.nl)
	}
	d.edits = append(d.edits, e)
}

// Edits returns the edits of the drawing, as Rewrite takes them.
func (d *drawing) Edits() Edits {
	return Edits{
		Entry: func(n int, _ []byte) (Edit, error) { return d.edits[n], nil },
		Links: func(links []Link) ([]Edit, error) {
			out := make([]Edit, len(links))
			for i, l := range links {
				out[i] = d.links[l.Href]
			}
			return out, nil
		},
	}
}

func draw(t *rapid.T) *drawing {
	d := &drawing{t: t, nl: rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r"}).Draw(t, "line end"), links: map[string]Edit{}}
	for i := range 20 {
		e := Edit{Action: Action(i % 3)}
		if e.Action == Replace {
			e.Loc = fmt.Sprintf("http://m.example/%d?c&d", i)
		}
		d.links[fmt.Sprintf("http://l.example/%d?a&b", i)] = e
	}
	if d.chance(4) {
		d.text()
	} else {
		d.xml()
	}
	return d
}

// A packaging is a form in which a file is served, and the way back.
type packaging struct {
	pack   func(text string) []byte
	unpack func(t *rapid.T, file []byte) string
}

var packagings = []packaging{
	{func(s string) []byte { return []byte(s) }, func(_ *rapid.T, b []byte) string { return string(b) }},
	{toWide, fromWide},
	{func(s string) []byte { return packed(s) }, unpacked},
	{func(s string) []byte { return packed(string(packed(string(toWide(s))))) }, func(t *rapid.T, b []byte) string { return fromWide(t, []byte(unpacked(t, []byte(unpacked(t, b))))) }},
}

var wide = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)

func toWide(s string) []byte {
	b, err := wide.NewEncoder().Bytes([]byte(s))
	if err != nil {
		panic(err)
	}
	return b
}

func fromWide(t *rapid.T, b []byte) string {
	s, err := wide.NewDecoder().Bytes(b)
	must(t, err)
	return string(s)
}

// packed packs texts as members of one file.
func packed(texts ...string) []byte {
	var b bytes.Buffer
	for _, s := range texts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, s); err != nil || z.Close() != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func unpacked(t *rapid.T, b []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(b))
	must(t, err)
	out, err := io.ReadAll(z)
	must(t, err)
	return string(out)
}

// steps returns at most n bytes at once.
type steps struct {
	r io.Reader
	n int
}

func (s steps) Read(b []byte) (int, error) { return s.r.Read(b[:min(len(b), s.n)]) }

// A file is rewritten as an editor of text would rewrite it, whatever the size of the
// window and however its bytes come.
func TestRewriteLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		p := rapid.SampledFrom(packagings).Draw(rt, "packaging")
		file := p.pack(d.in.String())
		for range 4 {
			size := rapid.OneOf(rapid.IntRange(16, 400), rapid.IntRange(16, 40_000), rapid.Just(fullScale.window)).Draw(rt, "window")
			var r io.Reader = steps{bytes.NewReader(file), rapid.SampledFrom([]int{1, 2, 3, 7, 61, 4096, 1 << 20}).Draw(rt, "step")}
			if rapid.Bool().Draw(rt, "end with data") {
				r = iotest.DataErrReader(r)
			}
			var out bytes.Buffer
			res, err := rewrite(r, &out, d.Edits(), windows(size))
			if err != nil || res.Kept != 0 || res.Entries != len(d.edits) {
				rt.Fatalf("window %d: %+v, %v", size, res, err)
			}
			if got := p.unpack(rt, out.Bytes()); got != d.out.String() {
				at := commonPrefix(got, d.out.String())
				rt.Fatalf("window %d: differs at byte %d of %d:\n got %.200q\nwant %.200q", size, at, len(got), got[at:], d.out.String()[at:])
			}
		}
	})
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
