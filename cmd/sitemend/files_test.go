package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// filesWeb answers the entries of the files below.
const filesWeb = `
http://shop.example/old 301 /new
http://shop.example/new 200
http://shop.example/old?a=1&b=2 301 /new?a=1&b=2
http://shop.example/new?a=1&b=2 200
http://shop.example/ok 200
http://shop.example/jp/%E6%97%A5 301 /jp/%E6%97%A5%E6%9C%AC
http://shop.example/jp/%E6%97%A5%E6%9C%AC 200
http://shop.example/many/* 200
http://shop.example/gone 404
`

const (
	xmlns    = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	fineURL  = "<url><loc>http://shop.example/ok</loc></url>"
	staleURL = "<url><loc>http://shop.example/old</loc></url>"
	freshURL = "<url><loc>http://shop.example/new</loc></url>"
)

// mendedFile is what one audit of one sitemap left.
type mendedFile struct {
	files   map[string][]byte
	entries int
	faults  string // "NAME: text", a line each
	said    string
}

// auditFile serves a file as /NAME and audits it, in a process of its own.
func auditFile(t *testing.T, name string, served []byte, flags ...string) *mendedFile {
	t.Helper()
	s := serveWeb(t, filesWeb+"http://shop.example/"+name+" 200 file=served\n  Content-Type: text/html\n", fstest.MapFS{"served": {Data: served}})
	dir := t.TempDir()
	args := append([]string{"audit", "-q", "--rate", "0", "--format", "jsonl", "--fail-on", "none", "--lang", "en", "--resolve", "shop.example:80:" + s.Addr(), "--out", dir}, flags...)
	_, _, said := sitemend(t.Context(), append(args, "http://shop.example/"+name)...)
	a := &mendedFile{files: readAll(t, dir), said: said}
	var summary struct {
		Files []struct {
			Entries int
			Faults  []struct{ Name, Text string }
		}
	}
	must(t, json.Unmarshal(a.files["summary.json"], &summary))
	for _, f := range summary.Files {
		a.entries += f.Entries
		for _, x := range f.Faults {
			a.faults += x.Name + ": " + x.Text + "\n"
		}
	}
	return a
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer // which takes all
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}

// gunzipped returns what gzip holds, as far as it can be unpacked.
func gunzipped(b []byte) []byte {
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(z)
	return text
}

func in(t testing.TB, e encoding.Encoding, text string) []byte {
	b, err := e.NewEncoder().Bytes([]byte(text))
	must(t, err)
	return b
}

// Each file is corrected where it says [old|new]; every other byte is as served,
// in the charset and the packing in which it was served.
func TestFormats(t *testing.T) {
	t.Parallel()
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	const jp = "<!-- 日本語の地図 -->\r\n<url><title>表示</title><loc>http://shop.example/jp/[日|%E6%97%A5%E6%9C%AC]</loc></url>\r\n"
	for name, c := range map[string]struct {
		file, text string
		in         encoding.Encoding
		fault      string
	}{
		"RSS 2.0": {"feed", "<rss version=\"2.0\"><channel><link>http://shop.example/</link>\n" +
			"<item><title>x &lt; y</title><link>http://shop.example/[old|new]</link><guid>http://shop.example/old</guid></item>\n" +
			"[<item><link>http://shop.example/gone</link></item>\n|]<item><link>http://shop.example/ok</link></item></channel></rss>", nil, ""},
		"Atom": {"feed", "<feed xmlns=\"http://www.w3.org/2005/Atom\"><link rel=\"self\" href=\"http://shop.example/feed\"/>\n" +
			"<entry><id>1</id><link href='http://shop.example/[old?a=1&amp;b=2|new?a=1&amp;b=2]'/><title>t</title></entry>\n" +
			"<entry><link rel=\"alternate\" href=\"http://shop.example/ok\"/></entry></feed>", nil, ""},
		"old namespace":      {"s.xml", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">` + old + "</urlset>", nil, "Incorrect namespace"},
		"wrong namespace":    {"s.xml", `<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">` + old + fineURL + "</urlset>", nil, "Incorrect namespace"},
		"no namespace":       {"s.xml", "<urlset>\n" + old + "\n</urlset>", nil, "Incorrect namespace"},
		"nested urlsets":     {"s.xml", "<urlset " + xmlns + "><urlset>" + old + "</urlset>" + fineURL + "</urlset>", nil, ""},
		"several urlsets":    {"s.xml", "<urlset " + xmlns + ">" + old + "</urlset>\n<urlset " + xmlns + ">" + fineURL + "</urlset>\n", nil, ""},
		"UTF-8 BOM":          {"s.xml", "\ufeff<?xml version=\"1.0\"?>\r\n<urlset " + xmlns + ">" + old + "</urlset>", nil, ""},
		"white space":        {"s.xml", "\n <!-- x -->\n<?xml version=\"1.0\"?><urlset " + xmlns + "><url><loc>\n\t http://shop.example/[old|new]\u00a0\n</loc></url></urlset>", nil, ""},
		"UTF-16LE":           {"s.xml", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><urlset " + xmlns + ">" + jp + "𝄞</urlset>", utf16le, "Unsupported format"},
		"UTF-16BE":           {"s.xml", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><urlset " + xmlns + ">" + jp + "</urlset>\n", utf16be, "Unsupported format"},
		"UTF-16 text":        {"s.txt", "http://shop.example/[old|new]\r\nhttp://shop.example/ok\r\n", utf16le, "Unsupported format"},
		"CR alone":           {"s.txt", "http://shop.example/[old|new]\rhttp://shop.example/ok\r[http://shop.example/gone\r|]", nil, ""},
		"windows-1251":       {"s.xml", "<?xml version='1.0' encoding='windows-1251'?><urlset " + xmlns + "><!-- привет -->" + old + "</urlset>", charmap.Windows1251, "Unsupported format"},
		"UTF-16 without BOM": {"s.xml", "<urlset " + xmlns + ">" + jp + "</urlset>\n", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "Unsupported format"},
		"undeclared Latin-1": {"s.xml", "<urlset " + xmlns + "><!-- caf\xe9 -->" + old + "</urlset>", nil, "Parsing error"},
		"PageMap":            {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old|new]</loc><PageMap xmlns=\"http://www.google.com/schemas/sitemap-pagemap/1.0\"><DataObject><Attribute>http://shop.example/old</Attribute></DataObject></PageMap></url></urlset>", nil, ""},
		"text before it":     {"s.xml", "Warning: x in y.php\n<?xml version=\"1.0\"?><urlset " + xmlns + ">" + old + "</urlset>", nil, "Parsing error"},
		"prefixed":           {"s.xml", "<s:urlset xmlns:s=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><s:url><s:loc>http://shop.example/[old|new]</s:loc></s:url></s:urlset>", nil, ""},
		"EUC-JP":             {"s.xml", "<?xml version=\"1.0\" encoding=\"EUC-JP\"?><urlset " + xmlns + ">" + jp + "</urlset>", japanese.EUCJP, "Unsupported format"},
		"Shift_JIS":          {"s.xml", "<?xml version='1.0' encoding='Shift_JIS'?><urlset " + xmlns + ">" + jp + "<!-- ソ表\\ --></urlset>", japanese.ShiftJIS, "Unsupported format"},
		"CDATA":              {"s.xml", "<urlset " + xmlns + "><url><loc><![CDATA[ http://shop.example/[old?a=1&b=2|new?a=1&b=2] ]]></loc></url></urlset>", nil, ""},
		"entities":           {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old?a=1&#38;b=2|new?a=1&amp;b=2]</loc><x>&copy; &#x26;</x></url></urlset>", nil, "Parsing error"},
		"bare &":             {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old?a=1&b=2|new?a=1&amp;b=2]</loc></url><url><loc>http://shop.example/many/?x=1&y=2</loc></url></urlset>", nil, "Parsing error"},
		"one line":           {"s.xml", "<urlset " + xmlns + ">" + fineURL + "[<url><loc>http://shop.example/gone</loc></url>|]" + old + "</urlset>", nil, ""},
		"extensions": {"s.xml", "<urlset " + xmlns + ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:y="urn:y">` +
			"<url>\n<loc>http://shop.example/[old|new]</loc><image:image><image:loc>http://shop.example/old</image:loc></image:image>\n" +
			"<video:video><video:content_loc>http://shop.example/old</video:content_loc></video:video>\n<news:news><news:title>a  b</news:title></news:news><y:z  q = 'http://shop.example/old'/>\n</url></urlset>", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			served, want := marked(c.text, 0), marked(c.text, 1)
			if c.in != nil {
				served, want = in(t, c.in, string(served)), in(t, c.in, string(want))
			}
			a := auditFile(t, c.file, served)
			if got := a.files["originals/shop.example/"+c.file]; !bytes.Equal(got, served) {
				t.Errorf("original: %q, served %q", got, served)
			}
			if got := a.files["sitemaps/shop.example/"+c.file]; !bytes.Equal(got, want) {
				t.Errorf("corrected:\n%q, want\n%q\n%s", got, want, a.said)
			}
			if !strings.Contains(a.faults, c.fault) {
				t.Errorf("no fault %q; there are %s", c.fault, a.faults)
			}
		})
	}
}

const old = "<url><loc>http://shop.example/[old|new]</loc></url>"

// marked returns a text with the first (0) or the second (1) side of each
// [a|b]; CDATA's brackets are none of these.
func marked(text string, side int) []byte {
	text = strings.NewReplacer("<![CDATA[", "\x01", "]]>", "\x02").Replace(text)
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[")
		out.WriteString(before)
		if !found {
			return []byte(strings.NewReplacer("\x01", "<![CDATA[", "\x02", "]]>").Replace(out.String()))
		}
		both, after, _ := strings.Cut(rest, "]")
		out.WriteString(strings.Split(both, "|")[side])
		text = after
	}
}

// Hostile files: a fault says what is wrong and where, what was read before
// counts, and nothing hangs or grows.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	head := "<urlset " + xmlns + ">" + staleURL
	corrected := "<urlset " + xmlns + ">" + freshURL
	for name, c := range map[string]struct {
		rest  string
		packs bool
		fault string
	}{
		"bomb":            {strings.Repeat(" ", 900<<10) + strings.Repeat("<!-- "+strings.Repeat("x", 60<<10)+" -->", 1000) + "</urlset>", true, "bytes unpacked"},
		"nested":          {strings.Repeat("<a>", 10_000) + strings.Repeat("</a>", 10_000) + "</urlset>", false, "too long or too deep"},
		"text node":       {strings.Repeat("x", 3<<20) + fineURL + "</urlset>", false, "only the first 100 bytes were read"},
		"zero bytes":      {"\x00\x00\x00" + fineURL + "</urlset>", false, "not UTF-8 from here on"},
		"entity bomb":     {"<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><url><loc>http://shop.example/many/&b;</loc></url></urlset>", false, "the file's own DTD is never read"},
		"external entity": {"<!DOCTYPE x SYSTEM \"http://shop.example/dtd\"><url><loc>http://shop.example/many/&x;</loc></url></urlset>", false, "the file's own DTD is never read"},
	} {
		t.Run(name, func(t *testing.T) {
			served, want := []byte(head+c.rest), corrected+c.rest
			if c.packs {
				served = gzipped(served)
			}
			a := auditFile(t, "s.xml", served)
			if strings.HasPrefix(c.rest, "<!DOCTYPE") { // which URLs such a file lists is not certain
				want = ""
			}
			if got := string(gunzipped(a.files["sitemaps/shop.example/s.xml"])); got != want {
				t.Errorf("corrected: %d bytes, want %d\n%s", len(got), len(want), a.said)
			}
			if !strings.Contains(a.faults, c.fault) {
				t.Errorf("no fault %q; there are %s", c.fault, a.faults)
			}
		})
	}
	long := "http://shop.example/many/" + strings.Repeat("x", 8000) // an entry that is told by its beginning, and not asked
	text := head + "<url><loc>" + long + "</loc></url></urlset>"
	a := auditFile(t, "s.xml", []byte(text), "--format", "html,csv,xlsx,jsonl,junit,sarif,md")
	if a.entries != 2 || !strings.Contains(a.faults, "8,000 are allowed") || !bytes.Contains(a.files["entries.jsonl"], []byte(long[:2048]+`"`)) ||
		string(a.files["sitemaps/shop.example/s.xml"]) != strings.Replace(text, staleURL, freshURL, 1) {
		t.Errorf("%d entries, %s\n%s", a.entries, a.faults, a.said)
	}
}
