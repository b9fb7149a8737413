package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"sitemend/cmd/internal/web"
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
	dir, name string
	exit      int
	stderr    string
	summary   struct {
		Files []struct {
			Entries int
			Faults  []struct {
				Sitemap, Name, Severity, Text string
				Line, Column                  int
			}
		}
	}
}

// auditFile serves a file as /NAME and audits it.
func auditFile(t *testing.T, name string, served []byte, flags ...string) *mendedFile {
	t.Helper()
	text := filesWeb + "http://shop.example/" + name + " 200 file=served\n  Content-Type: text/html\n"
	a := auditWeb(t, text, fstest.MapFS{"served": {Data: served}}, "http://shop.example/"+name, flags...)
	a.name = name
	return a
}

// auditWeb audits a target of a web that text describes.
func auditWeb(t *testing.T, text string, files fstest.MapFS, target string, flags ...string) *mendedFile {
	t.Helper()
	w, err := web.Parse(text, files)
	must(t, err)
	s, err := w.Start()
	must(t, err)
	defer s.Close()
	a := &mendedFile{dir: t.TempDir()}
	args := append([]string{"audit", "-q", "--rate", "0", "--format", "jsonl", "--fail-on", "none", "--out", a.dir}, flags...)
	cmd := exec.Command("sitemend", append(args, target)...)
	cmd.Env = append(os.Environ(), "HTTP_PROXY=http://"+s.Addr(), "HTTPS_PROXY=http://"+s.Addr(), "LANG=C.UTF-8")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	_ = cmd.Run()
	a.exit, a.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	if data, err := os.ReadFile(filepath.Join(a.dir, "summary.json")); err == nil {
		must(t, json.Unmarshal(data, &a.summary))
	}
	return a
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// written returns a file under out, nil where there is none.
func (a *mendedFile) written(folder string) []byte {
	data, _ := os.ReadFile(filepath.Join(a.dir, folder, "shop.example", a.name))
	return data
}

// fault reports whether a fault has this name and text.
func (a *mendedFile) fault(name, text string) bool {
	for _, f := range a.summary.Files {
		for _, x := range f.Faults {
			if x.Name == name && strings.Contains(x.Text, text) {
				return true
			}
		}
	}
	return false
}

func (a *mendedFile) entries() int {
	n := 0
	for _, f := range a.summary.Files {
		n += f.Entries
	}
	return n
}

func gzipped(t testing.TB, text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	must(t, err)
	must(t, z.Close())
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
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	const jp = "<!-- 日本語の地図 -->\r\n<url><title>表示</title><loc>http://shop.example/jp/[日|%E6%97%A5%E6%9C%AC]</loc></url>\r\n"
	for name, c := range map[string]struct {
		file, text string
		in         encoding.Encoding
		fault      [2]string
	}{
		"RSS 2.0": {"feed", "<rss version=\"2.0\"><channel><link>http://shop.example/</link>\n" +
			"<item><title>x &lt; y</title><link>http://shop.example/[old|new]</link><guid>http://shop.example/old</guid></item>\n" +
			"[<item><link>http://shop.example/gone</link></item>\n|]<item><link>http://shop.example/ok</link></item></channel></rss>", nil, [2]string{}},
		"Atom": {"feed", "<feed xmlns=\"http://www.w3.org/2005/Atom\"><link rel=\"self\" href=\"http://shop.example/feed\"/>\n" +
			"<entry><id>1</id><link href='http://shop.example/[old?a=1&amp;b=2|new?a=1&amp;b=2]'/><title>t</title></entry>\n" +
			"<entry><link rel=\"alternate\" href=\"http://shop.example/ok\"/></entry></feed>", nil, [2]string{}},
		"old namespace":      {"s.xml", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">` + old + "</urlset>", nil, [2]string{"Incorrect namespace", "use the namespace"}},
		"wrong namespace":    {"s.xml", `<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">` + old + fineURL + "</urlset>", nil, [2]string{"Incorrect namespace", "use the namespace"}},
		"no namespace":       {"s.xml", "<urlset>\n" + old + "\n</urlset>", nil, [2]string{"Incorrect namespace", "use the namespace"}},
		"nested urlsets":     {"s.xml", "<urlset " + xmlns + "><urlset>" + old + "</urlset>" + fineURL + "</urlset>", nil, [2]string{}},
		"several urlsets":    {"s.xml", "<urlset " + xmlns + ">" + old + "</urlset>\n<urlset " + xmlns + ">" + fineURL + "</urlset>\n", nil, [2]string{}},
		"UTF-8 BOM":          {"s.xml", "\ufeff<?xml version=\"1.0\"?>\r\n<urlset " + xmlns + ">" + old + "</urlset>", nil, [2]string{}},
		"white space":        {"s.xml", "\n <!-- x -->\n<?xml version=\"1.0\"?><urlset " + xmlns + "><url><loc>\n\t http://shop.example/[old|new]\u00a0\n</loc></url></urlset>", nil, [2]string{}},
		"UTF-16LE":           {"s.xml", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><urlset " + xmlns + ">" + jp + "𝄞</urlset>", utf16le, [2]string{"Parsing error", "utf-16le"}},
		"UTF-16BE":           {"s.xml", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><urlset " + xmlns + ">" + jp + "</urlset>\n", utf16be, [2]string{"Parsing error", "utf-16be"}},
		"UTF-16 text":        {"s.txt", "http://shop.example/[old|new]\r\nhttp://shop.example/ok\r\n", utf16le, [2]string{"Parsing error", "utf-16le"}},
		"zero bytes in text": {"s.txt", "http://shop.example/[old|new]\nhttp://shop.example/many/x\x00\x00\n", nil, [2]string{"Parsing error", "not UTF-8 from here on"}},
		"CR alone":           {"s.txt", "http://shop.example/[old|new]\rhttp://shop.example/ok\r[http://shop.example/gone\r|]", nil, [2]string{}},
		"windows-1251":       {"s.xml", "<?xml version='1.0' encoding='windows-1251'?><urlset " + xmlns + "><!-- привет -->" + old + "</urlset>", charmap.Windows1251, [2]string{"Parsing error", "windows-1251"}},
		"UTF-16 without BOM": {"s.xml", "<urlset " + xmlns + ">" + jp + "</urlset>\n", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), [2]string{"Parsing error", "utf-16be"}},
		"undeclared Latin-1": {"s.xml", "<urlset " + xmlns + "><!-- caf\xe9 -->" + old + "</urlset>", nil, [2]string{"Parsing error", "not UTF-8 from here on"}},
		"PageMap":            {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old|new]</loc><PageMap xmlns=\"http://www.google.com/schemas/sitemap-pagemap/1.0\"><DataObject><Attribute>http://shop.example/old</Attribute></DataObject></PageMap></url></urlset>", nil, [2]string{}},
		"text before it":     {"s.xml", "Warning: x in y.php\n<?xml version=\"1.0\"?><urlset " + xmlns + ">" + old + "</urlset>", nil, [2]string{"Parsing error", "is out of place"}},
		"prefixed":           {"s.xml", "<s:urlset xmlns:s=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><s:url><s:loc>http://shop.example/[old|new]</s:loc></s:url></s:urlset>", nil, [2]string{}},
		"EUC-JP":             {"s.xml", "<?xml version=\"1.0\" encoding=\"EUC-JP\"?><urlset " + xmlns + ">" + jp + "</urlset>", japanese.EUCJP, [2]string{"Parsing error", "euc-jp"}},
		"Shift_JIS":          {"s.xml", "<?xml version='1.0' encoding='Shift_JIS'?><urlset " + xmlns + ">" + jp + "<!-- ソ表\\ --></urlset>", japanese.ShiftJIS, [2]string{"Parsing error", "shift_jis"}},
		"CDATA":              {"s.xml", "<urlset " + xmlns + "><url><loc><![CDATA[ http://shop.example/[old?a=1&b=2|new?a=1&b=2] ]]></loc></url></urlset>", nil, [2]string{}},
		"entities":           {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old?a=1&#38;b=2|new?a=1&amp;b=2]</loc><x>&copy; &#x26;</x></url></urlset>", nil, [2]string{"Parsing error", "&copy;"}},
		"bare &":             {"s.xml", "<urlset " + xmlns + "><url><loc>http://shop.example/[old?a=1&b=2|new?a=1&amp;b=2]</loc></url><url><loc>http://shop.example/many/?x=1&y=2</loc></url></urlset>", nil, [2]string{"Parsing error", "write &amp; for &"}},
		"one line":           {"s.xml", "<urlset " + xmlns + ">" + fineURL + "[<url><loc>http://shop.example/gone</loc></url>|]" + old + "</urlset>", nil, [2]string{}},
		"extensions": {"s.xml", "<urlset " + xmlns + ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:y="urn:y">` +
			"<url>\n<loc>http://shop.example/[old|new]</loc><image:image><image:loc>http://shop.example/old</image:loc></image:image>\n" +
			"<video:video><video:content_loc>http://shop.example/old</video:content_loc></video:video>\n<news:news><news:title>a  b</news:title></news:news><y:z  q = 'http://shop.example/old'/>\n</url></urlset>", nil, [2]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			served, want := marked(c.text, 0), marked(c.text, 1)
			if c.in != nil {
				served, want = in(t, c.in, string(served)), in(t, c.in, string(want))
			}
			a := auditFile(t, c.file, served)
			a.compare(t, served, want)
			if c.fault[0] != "" && !a.fault(c.fault[0], c.fault[1]) {
				t.Errorf("no fault %q; there are %+v", c.fault, a.summary.Files)
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

// compare reports whether the file was corrected as it should be, and the original
// kept.
func (a *mendedFile) compare(t *testing.T, served, want []byte) {
	t.Helper()
	if got := a.written("originals"); !bytes.Equal(got, served) {
		t.Errorf("original: %q, served %q", got, served)
	}
	if got := a.written("sitemaps"); !bytes.Equal(got, want) {
		t.Errorf("corrected:\n%q, want\n%q\n%s", got, want, a.stderr)
	}
}

// Hostile files: a fault says what is wrong and where, what was read before
// counts, and nothing hangs or grows.
func TestHostileFiles(t *testing.T) {
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
				served = gzipped(t, served)
			}
			a := auditFile(t, "s.xml", served)
			if strings.HasPrefix(c.rest, "<!DOCTYPE") { // which URLs such a file lists is not certain
				want = ""
			}
			if got := string(gunzipped(a.written("sitemaps"))); got != want {
				t.Errorf("corrected: %d bytes, want %d\n%s", len(got), len(want), a.stderr)
			}
			found := false
			for _, f := range a.summary.Files {
				for _, x := range f.Faults {
					found = found || strings.Contains(x.Text, c.fault)
				}
			}
			if !found {
				t.Errorf("no fault %q; there are %+v", c.fault, a.summary.Files)
			}
		})
	}
}

// mustWrite writes a file, with the folders above it.
func mustWrite(t testing.TB, name string, b []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o777))
	must(t, os.WriteFile(name, b, 0o666))
}

func urlset(locs []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, l := range locs {
		fmt.Fprintf(&b, "<url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>\n", l)
	}
	return b.String() + "</urlset>\n"
}
