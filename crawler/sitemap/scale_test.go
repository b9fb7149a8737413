package sitemap

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// windows returns the full scale with a first window of size bytes, 0 for its own size.
func windows(size int) scale {
	s := fullScale
	if size > 0 {
		s.window = size
	}
	return s
}

// longer are pieces of sitemaps that go on for longer than a small scale allows.
func longer(t *rapid.T) string {
	long := strings.Repeat("x", rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, 400)).Draw(t, "long"))
	short := strings.Repeat(" ", rapid.IntRange(0, 30).Draw(t, "short"))
	return rapid.SampledFrom([]string{
		"<![CDATA[" + long + "]]>", "<x:y>" + long + "</x:y>", "<x:y><![CDATA[" + long + "]]></x:y>", "<b a='" + long + "'/>", "<!--" + long + "-->", long, short,
		"<lastmod><![CDATA[" + long + "]]></lastmod>", "<loc>http://a/" + long + "</loc>", "<loc>http://a/<b><![CDATA[" + long + "]]></b></loc>",
		"<loc><![CDATA[http://c/]]>" + short + "<![CDATA[" + long + "]]></loc>", "<link>http://r/" + long + "</link>",
		`<link hreflang="de" href="http://l/de"/>`, `<link hreflang="de" href="http://l/` + long + `"/>`, `<link href="http://l/"/>`, `<link rel="x" href="http://l/"/>`,
		`<x:link href="http://m/` + long + `"/>`, "\n<x:link href='http://m/'></x:link>" + short + "\n", "\n", "<?x " + long + "?>",
		"<url a='" + long + "'>", "</url>" + short + "<url>", "<url><loc>http://d/</loc></url>" + short, "<entry>", "</entry>", "<item>", "</item>",
	}).Draw(t, "piece")
}

// longFile draws a file of any format whose elements are long for a small scale.
func longFile(t *rapid.T) []byte {
	form := rapid.SampledFrom([][2]string{
		{`<urlset xmlns:x="http://www.w3.org/1999/xhtml">`, "url"}, {"<sitemapindex>", "sitemap"}, {"<rss>", "item"}, {"<feed>", "entry"}, {"<feed>", "entry"}, {"", "line"},
	}).Draw(t, "format")
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "mark") + form[0])
	for range rapid.IntRange(1, 8).Draw(t, "elements") {
		inner := strings.Join(rapid.SliceOfN(rapid.Custom(longer), 0, 8).Draw(t, "inner"), "")
		blank := rapid.SampledFrom([]string{"", "\n", " ", "  \r\n", "\n\t"}).Draw(t, "blank")
		if form[0] == "" {
			b.WriteString("http://a/" + strings.Trim(inner, "<>") + blank)
			continue
		}
		b.WriteString("<" + form[1] + ">" + inner + "</" + form[1] + ">" + blank)
	}
	return []byte(b.String())
}

// What Read and Rewrite do depends on how far they look back at a text, and not on how much of it
// is in memory by chance: what they need of it is still there.
func TestNoWindowMatters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := longFile(rt)
		line := rapid.Int64Range(1, 40).Draw(rt, "line")
		s := scale{longest: rapid.Int64Range(60, 900).Draw(rt, "run"), line: line, window: 1 << 16}
		entries, info, err := readAll(bytes.NewReader(file), Options{scale: s})
		list, _ := someEdits(entries, newRandom(rapid.Uint64().Draw(rt, "seed")))
		links := func(l []Link) ([]Edit, error) {
			out := make([]Edit, len(l))
			for i, one := range l {
				if !one.Bound && len(one.Href)%2 == 0 {
					out[i].Action = Drop
				}
			}
			return out, nil
		}
		edits := Edits{Entry: func(n int, _ []byte) (Edit, error) { return list[n], nil }, Links: links}
		var want bytes.Buffer
		result, failed := rewrite(bytes.NewReader(file), &want, edits, s)
		if (failed == nil) != (err == nil) || result.Kept > 0 || result.Entries != len(entries) {
			rt.Fatalf("%q: read %d (%v), then %+v, %v", file, len(entries), err, result, failed)
		}
		for range 4 {
			small := s
			small.window = rapid.IntRange(1, 600).Draw(rt, "window")
			step := rapid.SampledFrom([]int{1, 2, 7, 61, 1 << 20}).Draw(rt, "step")
			again, now, _ := readAll(iotest.DataErrReader(steps{bytes.NewReader(file), step}), Options{scale: small})
			if err != nil || info.Truncated { // how much was read then depends on how it arrived
				now.Size, now.Faults = info.Size, info.Faults
			}
			if !slices.Equal(again, entries) || !reflect.DeepEqual(now, info) {
				rt.Fatalf("window %d: %q has\n%v %+v, else\n%v %+v", small.window, file, again, now, entries, info)
			}
			var got bytes.Buffer
			res, err := rewrite(steps{bytes.NewReader(file), step}, &got, edits, small)
			if (err == nil) != (failed == nil) || res != result || !bytes.Equal(got.Bytes(), want.Bytes()) {
				rt.Fatalf("window %d: %q became\n%q (%+v, %v), else\n%q (%+v)", small.window, file, got.Bytes(), res, err, want.Bytes(), result)
			}
		}
	})
}
