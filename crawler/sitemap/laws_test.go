package sitemap

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// fragments are parts of broken and valid sitemaps.
var fragments = []string{
	"<urlset>", "</urlset>", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "<sitemapindex>", "<s:urlset>", "<rss>", "<feed>", "<item>", "</item>", "<entry>", "</entry>",
	"<url>", "</url>", "<url>", "</url>", "<sitemap>", "</sitemap>", "<s:url>", "</s:url>", "<loc>", "</loc>", "<loc>", "</loc>", "<s:loc>", "<loc/>", "<url/>", "<loc><url>", "</url></loc>",
	"<link>", "</link>", `<link href="http://l/"/>`, `<link hreflang="de" href="http://l/de"/>`, `<link hreflang=fr href=http://l/fr>`, "<link href>", "<link href=>", "<link href=http://m/>", "<link href=", "<feed><entry>", "<feed><entry><link href= http://n/", `<x:link href='http://a/&amp;'/>`, `<x:link href=http://a/&amp; >`, "<lastmod>", "</lastmod>", "2026-01-01",
	"<image:image>", "</image:image>", "<image:loc>", "</image:loc>", "<b>", "</b>", "<b", "<", ">", "&", "&amp;", "&#32;", ";", "]]>", "<![CDATA[", "<!--", "-->", "<?x", "?>", "<!DOCTYPE x [", "]>", "\"", "'",
	"http://a/", "http://b/?x&y", " ", "\n", "\r\n", "\t", "\u3000", "\u00a0", "\xe3\x81", "é", "\x00", "#",
	"<url><loc>http://c/</loc></url>\n", " <url>\n  <loc> http://d/ </loc>\n </url>\r\n", "<url><loc><![CDATA[http://e/]]></loc></url>",
}

func someFile(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 40).Draw(t, "file"), ""))
}

// The entries of a file do not depend on how its bytes arrive; without edits it stays the same, and Read
// finds in an edited file what was edited into it.
func TestRewriteReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := someFile(rt)
		entries, old, err := readAll(bytes.NewReader(file), Options{})
		if got, _, _ := readAll(iotest.OneByteReader(bytes.NewReader(file)), Options{scale: windows(1)}); !slices.Equal(got, entries) {
			rt.Fatalf("byte by byte the entries are %v, else %v", got, entries)
		}
		var out bytes.Buffer
		res, _ := Rewrite(bytes.NewReader(file), &out, unedited)
		if !bytes.Equal(out.Bytes(), file) || res.Entries != len(entries) {
			rt.Fatalf("%q became %q, %d entries, %+v", file, out.Bytes(), len(entries), res)
		}
		if err != nil {
			return
		}
		list, want := someEdits(entries, newRandom(rapid.Uint64().Draw(rt, "seed")))
		out.Reset()
		if res, err := Rewrite(bytes.NewReader(file), &out, Edits{Entry: func(n int, _ []byte) (Edit, error) { return list[n], nil }}); err != nil || res.Kept > 0 {
			rt.Fatalf("Rewrite: %+v, %v", res, err)
		}
		after, info, err := readAll(bytes.NewReader(out.Bytes()), Options{})
		if len(after)+len(want) == 0 || info.Kind != old.Kind && (old.Kind == Text || !bytes.HasPrefix(bytes.TrimSpace(out.Bytes()), []byte("<"))) {
			return // the result is not a sitemap, or not XML, any more
		}
		var got []string
		for _, e := range after {
			got = append(got, e.Loc)
		}
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("after %v the entries are %q (%v), want %q\n in %q\nout %q", list, got, err, want, file, out.Bytes())
		}
	})
}

// someEdits draws edits of entries, and says what is listed then.
func someEdits(entries []Entry, random *rand.Rand) (list []Edit, want []string) {
	list = make([]Edit, len(entries))
	for i, e := range entries {
		switch n := random.IntN(3); {
		case n == 0:
			list[i] = Edit{Action: Replace, Loc: []string{"http://new/", "https://n/?a=1&b='2'", "http://<\">/"}[random.IntN(3)]}
			want = append(want, list[i].Loc)
		case n == 1 && e.Element.End != 0:
			list[i].Action = Drop
		default:
			want = append(want, e.Loc)
		}
	}
	return list, want
}

func readAll(r io.Reader, o Options) ([]Entry, Info, error) {
	var list []Entry
	info, err := Read(r, o, func(e Entry) error { list = append(list, e); return nil })
	return list, info, err
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
