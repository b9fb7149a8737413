package searchconsole_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"sitemend/crawler/audit"
	"sitemend/crawler/searchconsole"
)

// short returns an export as "url reason crawled" lines, with the rows that were not read.
func short(x searchconsole.Export) string {
	var b strings.Builder
	for _, r := range x.Rows {
		fmt.Fprintf(&b, "%s|%s|%s\n", r.URL, r.Reason, r.Crawled)
	}
	if x.Unread > 0 {
		fmt.Fprintf(&b, "unread %d from %d\n", x.Unread, x.FirstUnread)
	}
	return b.String()
}

const twoRows = "https://a.example/x|%s|2026-11-02\nhttps://a.example/y|%s|2026-11-03\n"

func rowsWith(reason audit.Label) string { return fmt.Sprintf(twoRows, reason, reason) }

// The same two addresses in the forms that people have them in, tables and lists.
func TestRead(t *testing.T) {
	plain, undated := rowsWith(""), "https://a.example/x||\nhttps://a.example/y||\n"
	for name, c := range map[string]struct{ text, want string }{
		"as exported":        {"\uFEFFURL,Last crawled\r\nhttps://a.example/x,2026-11-02\r\nhttps://a.example/y,2026-11-03\r\n", plain},
		"Japanese":           {"URL,前回のクロール\nhttps://a.example/x,2026/11/02\nhttps://a.example/y,2026年11月3日\n", plain},
		"French, semicolons": {"Adresse;Dernière exploration\nhttps://a.example/x;2026-11-02\nhttps://a.example/y;2026-11-03", plain},
		"tabs":               {"URL\tLetzter Crawl\nhttps://a.example/x\t2026-11-02\nhttps://a.example/y\t2026-11-03", plain},
		"a key in front":     {"PK,URL,Last crawled\n1,https://a.example/x,2026-11-02\n2,https://a.example/y,2026-11-03", plain},
		"quoted":             {"\"URL\",\"Last crawled\"\n\"https://a.example/x\",\"2026-11-02\"\n\"https://a.example/y\",\"2026-11-03\"", plain},
		"columns turned":     {"Last crawled,No,URL\n2026-11-02,1,https://a.example/x\n2026-11-03,2,https://a.example/y", plain},
		"no header":          {"https://a.example/x,2026-11-02\nhttps://a.example/y,2026-11-03", plain},
		"Excel's sep":        {"sep=;\r\nURL;Last crawled\r\nhttps://a.example/x;2026-11-02\r\nhttps://a.example/y;2026-11-03", plain},
		"cells to spare":     {"URL,Last crawled,,\nhttps://a.example/x,2026-11-02,,\n,,,\nhttps://a.example/y,2026-11-03,,", plain + "unread 1 from 3\n"},
		"English date":       {"URL,Last crawled\nhttps://a.example/x,\"Nov 2, 2026\"\nhttps://a.example/y,\"Nov. 3, 2026\"", plain},
		"German date stays":  {"URL;Zuletzt gecrawlt\nhttps://a.example/x;2.11.2026\nhttps://a.example/y;3.11.2026", strings.NewReplacer("2026-11-02", "2.11.2026", "2026-11-03", "3.11.2026").Replace(plain)},
		"reasons by row": {"Reason,URL,Last crawled\nSeite mit Weiterleitung,https://a.example/x,2026-11-02\nPage avec redirection,https://a.example/y,2026-11-03",
			rowsWith(audit.LabelRedirect)},
		"Bing":           {"URL,HTTP Code,Date\nhttps://a.example/x,404,2026-11-02\nhttps://a.example/y,404,2026-11-03", rowsWith(audit.LabelNotFound)},
		"Bing, pages":    {"\"Page\",\"Clicks\",\"Impressions\",\"CTR\",\"Avg. Position\"\n\"https://a.example/x\",\"1\",\"9\",\"11%\",\"3.2\"\n\"https://a.example/y\",\"0\",\"2\",\"0%\",\"8\"", undated},
		"Bing, keywords": {"Keyword,Page URL,Clicks\na b,https://a.example/x,1\nc,https://a.example/y,0", undated},
		"Bing, explored": {"URL,HTTP code,Document size,Discovered,Last crawled\nhttps://a.example/x,301,12,2020-01-01,2026-11-02\nhttps://a.example/y,302,9,2020-01-02,2026-11-03", rowsWith(audit.LabelRedirect)},
		"Bing's API":     {"HttpCode,InLinks,Issues,Url\n404,3,64,https://a.example/x\n404,1,64,https://a.example/y", strings.NewReplacer("2026-11-02", "", "2026-11-03", "").Replace(rowsWith(audit.LabelNotFound))},
		"URL inspection": {"siteUrl,inspectionUrl,verdict,coverageState,lastCrawlTime,googleCanonical,userCanonical\n" +
			"https://a.example/,https://a.example/x,NEUTRAL,Page with redirect,2026-11-02T01:02:03Z,https://a.example/z,https://a.example/z\n" +
			"https://a.example/,https://a.example/y,NEUTRAL,Page with redirect,2026-11-03T01:02:03Z,https://a.example/z,https://a.example/z", rowsWith(audit.LabelRedirect)},
		"search analytics": {"site,date,page,clicks\nhttps://a.example/,2026-10-01,https://a.example/x,1\nhttps://a.example/,2026-10-02,https://a.example/y,2", undated},
		"bulk export": {"data_date,site_url,url,query,is_anonymized_query,impressions\n2026-10-01,https://a.example/,https://a.example/x,a,false,3\n" +
			"2026-10-01,https://a.example/,https://a.example/y,,true,1", undated},
		"columns without known names": {"Propriété;Seite\nhttps://a.example/;https://a.example/x\nhttps://a.example/;https://a.example/y", undated},
		"a crawler": {"\"URL\",\"Content Type\",\"Status Code\",\"Status\",\"Indexability\",\"Indexability Status\",\"Title 1\",\"Canonical Link Element 1\",\"Last Modified\",\"Redirect URL\",\"Crawl Timestamp\",\"URL Encoded URL\"\n" +
			"\"https://a.example/x\",\"text/html\",\"301\",\"Moved Permanently\",\"Non-Indexable\",\"Redirected\",\"\",\"\",\"2020-01-01 00:00:00\",\"https://a.example/z\",\"2026-11-02 10:00:00\",\"https://a.example/x\"\n" +
			"\"https://a.example/y\",\"text/html\",\"301\",\"Moved Permanently\",\"Non-Indexable\",\"Redirected\",\"A, \"\"b\"\"\",\"\",\"2020-01-01 00:00:00\",\"https://a.example/z\",\"2026-11-03 10:00:00\",\"https://a.example/y\"", rowsWith(audit.LabelRedirect)},
		"a title before the header": {"\"Internal - All\"\n\"URL\",\"Content\",\"Status Code\",\"Status\"\n\"https://a.example/x\",\"text/html\",\"200\",\"OK\"\n\"https://a.example/y\",\"text/html\",\"0\",\"DNS Lookup Failed\"", undated},
		"a referring page first":    {"Referring page,Referring title,URL\nhttps://a.example/1,One,https://a.example/x\nhttps://a.example/2,Two,https://a.example/y", undated},
		"other words":               {"URL,Issue,Last crawled\nhttps://a.example/x,Title too long,2026-11-02\nhttps://a.example/y,Title too long,2026-11-03", rowsWith("Title too long")},
		"never crawled": {"URL,Last crawled\nhttps://a.example/x,1970-01-01\nhttps://a.example/y,N/A\nhttps://a.example/z,2026-11-03",
			"https://a.example/x||\nhttps://a.example/y||\nhttps://a.example/z||2026-11-03\n"},
		"rows without a URL": {"URL,Last crawled\nhttps://a.example/x,2026-11-02\n/y,2026-11-03\nhttps://a.example/y,2026-11-03\nftp://a.example/,2026-11-03\n",
			plain + "unread 2 from 3\n"},
		"a URL torn apart is none":  {"URL,Last crawled\nhttps://a.example/x,2026-11-02\nhttps://a.example/1,5,2026-11-02\nhttps://a.example/y,2026-11-03\n", plain + "unread 1 from 3\n"},
		"a quote that never closes": {"URL,Last crawled\n\"https://a.example/\"x,2026-11-02\n\"https://a.example/z,2026-11-02\nhttps://a.example/y,2026-11-03", "https://a.example/||2026-11-02\nhttps://a.example/z,2026-11-02||\nhttps://a.example/y||2026-11-03\n"},
		"dates missing":             {"URL,Last crawled\nhttps://a.example/x,\nhttps://a.example/y,\nhttps://a.example/z,2026-11-03", "https://a.example/x||\nhttps://a.example/y||\nhttps://a.example/z||2026-11-03\n"},
		// Addresses contain commas and semicolons: a list is not split at these.
		"a list":               {"https://a.example/x,1,2\nhttps://a.example/y;jsessionid=1\n", "https://a.example/x,1,2||\nhttps://a.example/y;jsessionid=1||\n"},
		"one URL":              {"https://a.example/", "https://a.example/||\n"},
		"a list with a header": {"Top pages\nhttps://a.example/x,1\n", "https://a.example/x,1||\n"},
		"a list with a remark": {"# from the log, yesterday\nhttps://a.example/x,1\nhttps://a.example/y\n", "https://a.example/x,1||\nhttps://a.example/y||\n"},
		"an indented list":     {"  https://a.example/x  \n\n\"https://a.example/y\"\n", "https://a.example/x||\nhttps://a.example/y||\n"},
		"no title":             {"URL\n/y,5\nhttps://a.example/x,1,2\n", "https://a.example/x,1,2||\nunread 1 from 2\n"},
		"words between":        {"https://a.example/x\nsomething\nHTTPS://A.example/y\n", "https://a.example/x||\nHTTPS://A.example/y||\nunread 1 from 2\n"},
		"bytes no UTF-8":       {"https://a.example/\xa4\xc7\n", "https://a.example/\xa4\xc7||\n"},
		"cells by spaces":      {"https://a.example/x 2026-11-02\nhttps://a.example/y 2026-11-03\n", "https://a.example/x||\nhttps://a.example/y||\n"},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := searchconsole.Read([]byte(c.text))
			if got := short(x); err != nil || got != c.want {
				t.Errorf("%q\ngot %q, %v\nwant %q", c.text, got, err, c.want)
			}
		})
	}
}

// A date is returned as 2026-11-18 if it has a single meaning, whatever the other cells of its
// column are; else it stays as exported.
func TestReadDates(t *testing.T) {
	for written, want := range map[string]string{
		"18.11.2026": "2026-11-18", "18.11.2026 10:31": "2026-11-18", "11/18/2026": "2026-11-18", "11/31/26": "", "18-11-2026": "2026-11-18",
		"11.11.2026": "2026-11-11", "5.5.2026": "2026-05-05", "1.13.2026": "2026-01-13", "29.02.2028": "2028-02-29",
		"18 Nov 2026": "2026-11-18", "18. November 2026": "2026-11-18", "Nov 18, 2026": "2026-11-18", "November 18, 2026": "2026-11-18",
		"8 Sept 2026": "2026-09-08", "May. 8, 2026": "2026-05-08", "01.01.1970": "", "Jan 1, 1970": "",
		// More than one meaning, or none.
		"03.11.2026": "03.11.2026", "11/03/2026": "11/03/2026", "18.11.26": "18.11.26", "13.13.2026": "",
		"29.02.2026": "", "0.18.2026": "", "18 de noviembre de 2026": "",
	} {
		rows := "URL;Last crawled\nhttps://a.example/1;03.11.2026\nhttps://a.example/x;" + written + "\nhttps://a.example/2;18.11.2026\n"
		x, err := searchconsole.Read([]byte(rows))
		if err != nil || len(x.Rows) != 3 {
			t.Fatalf("%s: %v, %v", written, x, err)
		}
		if got := x.Rows[1].Crawled; got != want {
			t.Errorf("%s: got %q, want %q", written, got, want)
		}
		if got := x.Rows[0].Crawled; got != "03.11.2026" {
			t.Errorf("%s: made the date of another row %q", written, got)
		}
	}
}

func TestReadCharsets(t *testing.T) {
	const text = "URL\t前回のクロール\r\nhttps://a.example/x\t2026-11-02\r\nhttps://a.example/y\t2026-11-03\r\n"
	for name, e := range map[string]struct {
		order unicode.Endianness
		bom   unicode.BOMPolicy
	}{"LE": {unicode.LittleEndian, unicode.UseBOM}, "BE": {unicode.BigEndian, unicode.UseBOM}} {
		data, err := unicode.UTF16(e.order, e.bom).NewEncoder().Bytes([]byte(text))
		must(t, err)
		x, err := searchconsole.Read(data)
		if got := short(x); err != nil || got != rowsWith("") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// pack makes a ZIP of pairs of name and text.
func pack(files ...string) []byte { return zipped(zip.Deflate, "", 0, files...) }

func zipped(method uint16, again string, times int, files ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		for left := times; left > 0 && i+2 == len(files) && err == nil; left-- {
			_, err = io.WriteString(w, again)
		}
		if err != nil {
			panic(err) // a bytes.Buffer returns no error
		}
	}
	_ = z.Close() // as above
	return b.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	tableCSV = "URL,Last crawled\nhttps://a.example/x,2026-11-02\nhttps://a.example/y,2026-11-03\n"
	chartCSV = "Date,Affected pages\n2026-11-01,2\n2026-11-02,2\n"
)

// The reason of a drill-down is in Metadata.csv, in the language of the user who exported; its
// names and their order are not relied on.
func TestReadZIP(t *testing.T) {
	for name, c := range map[string]struct {
		meta string
		want audit.Label
	}{
		"English":    {"Property,Value\nIssue,Page with redirect\nSitemap,All known pages\n", audit.LabelRedirect},
		"Japanese":   {"プロパティ,値\n問題,ページにリダイレクトがあります\nサイトマップ,すべての既知のページ\n", audit.LabelRedirect},
		"full width": {"プロパティ,値\n問題,見つかりませんでした（404）\n", audit.LabelNotFound},
		"German":     {"Property,Wert\nProblem,Durch \"\"\"noindex\"\"-Tag\" ausgeschlossen\n", audit.LabelNoindex},
		"curly":      {"Property,Value\nIssue,Excluded by ‘noindex’ tag\n", audit.LabelNoindex},
		"French":     {"Propriété,Valeur\nProblème,\"Explorée, actuellement non indexée\"\n", audit.LabelCrawled},
		"Spanish":    {"Propiedad,Valor\nProblema,Error de redirección\n", audit.LabelRedirectError},
		"any, 5xx":   {"Ominaisuus,Arvo\nOngelma,Palvelinvirhe (5xx)\n", audit.LabelServerError},
		"not known":  {"Property,Value\nIssue,Something new\n", "Something new"},
		"order":      {"Property,Value\nSitemap,All known pages\nIssue,Redirect error\n", audit.LabelRedirectError},
		"semicolons": {"Property;Value\nIssue;Soft 404\n", audit.LabelSoft404},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := searchconsole.Read(pack("Chart.csv", chartCSV, "Metadata.csv", "\uFEFF"+c.meta, "Table.csv", tableCSV))
			if got := short(x); err != nil || got != rowsWith(c.want) {
				t.Errorf("got %q, %v, want %q", got, err, rowsWith(c.want))
			}
		})
	}
}

func TestWhatIsNoExport(t *testing.T) {
	zipped := pack("Table.csv", strings.Repeat(tableCSV, 100))
	locked := bytes.Clone(zipped)
	locked[bytes.Index(locked, []byte("PK\x01\x02"))+8] |= 1
	spoilt := bytes.Clone(zipped)
	spoilt[60] ^= 0xFF
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "the file is empty"},
		"blank":       {[]byte(" \r\n\uFEFF"[:3]), "the file is empty"},
		"half a ZIP":  {zipped[:len(zipped)/2], "damaged or cut off"},
		"a spoilt":    {spoilt, "Table.csv cannot be unpacked"},
		"locked":      {locked, "locked with a password"},
		"half a one":  {pack("[Content_Types].xml", "<Types", "xl/workbook.xml", "<work"), "this workbook cannot be read"},
		"OpenOffice":  {pack("mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<x/>"), "OpenDocument"},
		"summary":     {pack("Critical issues.csv", "Reason,Source,Validation,Pages\nNot found (404),Website,Failed,12\n", "Chart.csv", chartCSV), "it is the summary"},
		"summary, ja": {pack("重大な問題.csv", "理由,ソース,検証,ページ\n見つかりませんでした(404),ウェブサイト,不合格,12\n"), "it is the summary"},
		"chart":       {pack("Chart.csv", chartCSV), "no URL in it"},
		"no files":    {pack(), "no URL in it"},
		"a sitemap":   {[]byte(`<?xml version="1.0"?><urlset><url><loc>https://a.example/</loc></url></urlset>`), "this is a sitemap"},
		"a page":      {[]byte("\uFEFF<!DOCTYPE html><title>Search Console</title>"), "this is a web page"},
		"a picture":   {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), "neither a ZIP nor a text"},
		"paths":       {[]byte("Page,Clicks\n/x,1\n/y,2\n"), "no URL in it"},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := searchconsole.Read(c.data)
			var format *searchconsole.FormatError
			if !errors.As(err, &format) || !strings.Contains(strings.Replace(format.What, "this is the summary", "it is the summary", 1), c.want) || format.Hint() == "" {
				t.Errorf("got %+v, %v, want %q", x, err, c.want)
			}
		})
	}
}

// Search Console's Excel export is read like its CSV.
func TestReadWorkbook(t *testing.T) {
	x, err := searchconsole.Read(workbook(t))
	if got := short(x); err != nil || got != rowsWith(audit.LabelRedirect) || x.Rows[1].Line != 4 {
		t.Errorf("got %q, %v", got, err)
	}
}

func workbook(t testing.TB) []byte {
	t.Helper()
	f := excelize.NewFile()
	put := func(sheet string, rows ...[]any) {
		if _, err := f.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			must(t, f.SetSheetRow(sheet, fmt.Sprint("A", i+1), &row))
		}
	}
	put("Chart", []any{"Date", "Affected pages"}, []any{"2026-11-01", 2})
	put("Table", []any{"URL", "Last crawled"}, []any{"https://a.example/x", "2026-11-02"}, []any{}, []any{"https://a.example/y", time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)})
	put("Metadata", []any{"Property", "Value"}, []any{"Issue", "Page with redirect"}, []any{"Sitemap", "All known pages"})
	form := "yyyy-mm-dd"
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &form})
	must(t, err)
	must(t, f.SetCellStyle("Table", "B4", "B4", style))
	var b bytes.Buffer
	must(t, f.Write(&b))
	return b.Bytes()
}

// FuzzRead: no bytes make the reader panic, and every row that it returns is an
// address on a line of the file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(tableCSV))
	f.Add([]byte("sep=;\nURL;\"a\"\"b\"\n\"https://a.example/;x\";2026-11-02"))
	f.Add([]byte("\xFF\xFEh\x00t\x00"))
	f.Add(pack("Table.csv", tableCSV, "Metadata.csv", "Property,Value\nIssue,Page with redirect\n"))
	f.Add(workbook(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := searchconsole.Read(data)
		if (err == nil) != (len(x.Rows) > 0) {
			t.Fatalf("%d rows and the error %v", len(x.Rows), err)
		}
		for _, r := range x.Rows {
			if !searchconsole.IsURL(r.URL) || r.Line < 1 {
				t.Fatalf("row %+v", r)
			}
			again, err := searchconsole.Read([]byte(r.URL + "\n"))
			if !strings.ContainsAny(r.URL, ",;|\r\n\t \"'\x00") && (err != nil || !slices.ContainsFunc(again.Rows, func(a searchconsole.Row) bool { return a.URL == r.URL })) {
				t.Fatalf("%q alone is read as %+v, %v", r.URL, again.Rows, err)
			}
		}
	})
}
