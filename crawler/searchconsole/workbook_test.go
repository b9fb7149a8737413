package searchconsole_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/searchconsole"
)

// The parts of a workbook around one sheet.
const (
	types    = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	outline  = `<workbook xmlns:r="r"><sheets><sheet name="Table" sheetId="1" r:id="rId1"/></sheets></workbook>`
	relation = `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`
)

// xlsx returns a workbook with a sheet's rows, shared strings and styles.
func xlsx(t testing.TB, rows, shared, styles string) []byte {
	t.Helper()
	return pack(t, "[Content_Types].xml", types, "xl/workbook.xml", outline, "xl/_rels/workbook.xml.rels", relation,
		"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"+rows+"</sheetData></worksheet>",
		"xl/sharedStrings.xml", "<sst>"+shared+"</sst>", "xl/styles.xml", "<styleSheet>"+styles+"</styleSheet>")
}

// Cells as programs write them.
func TestCells(t *testing.T) {
	const styles = `<numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="[Red]0&quot;days&quot;"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
	const shared = `<si><t>https://a.example/0</t></si><si><r><t>https://a.</t></r><r><t>example/1</t></r><rPh sb="0" eb="1"><t>エー</t></rPh></si><si><t>https://a.example/_x005F_x0041_</t></si>`
	for cells, want := range map[string]string{
		`<c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>46328</v></c>`:                                              "https://a.example/0||2026-11-02\n",
		`<c r="A2" t="s"><v>1</v></c><c r="B2" s="2"><v>46328.75</v></c>`:                                           "https://a.example/1||2026-11-02\n",
		`<c r="A2" t="s"><v>2</v></c><c r="B2" t="inlineStr"><is><t>2026-11-02</t></is></c>`:                        "https://a.example/_x0041_||2026-11-02\n",
		`<c t="str"><f>A1</f><v>https://a.example/x</v></c><c><v>1</v></c>`:                                         "https://a.example/x||\n",
		`<c r="A2" t="inlineStr"><is><r><t>https://a.</t></r><r><t xml:space="preserve">example/x</t></r></is></c>`: "https://a.example/x||\n",
		`<c r="A2" t="s"><v>0</v></c><c r="B2" s="3"><v>46328</v></c><c r="XFD2"><v>1</v></c>`:                      "https://a.example/0||\n",
		`<c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>1e300</v></c>`:                                              "https://a.example/0||\n",
		`<c r="B2" t="s"><v>99</v></c><c r="A2" t="s"><v>0</v></c>`:                                                 "https://a.example/0||\n",
	} {
		x, err := searchconsole.Read(xlsx(t, `<row r="1"><c t="inlineStr"><is><t>URL</t></is></c><c t="inlineStr"><is><t>Last crawled</t></is></c></row><row r="2">`+cells+"</row>", shared, styles))
		if got := short(x); err != nil || got != want || x.Rows[0].Line != 2 {
			t.Errorf("%s\ngot %q, %v, want %q", cells, got, err, want)
		}
	}
}

// What a workbook declares costs no memory: a row's number, a column's name, a string that all
// cells share.
func TestWorkbooksThatSayMuch(t *testing.T) {
	url := `<c t="inlineStr"><is><t>https://a.example/</t></is></c>`
	long := strings.Repeat("x", 30_000)
	for name, c := range map[string]struct {
		data []byte
		want string // of the error; "" for none
	}{
		"a far row":         {xlsx(t, `<row r="999999999">`+url+"</row>", "", ""), "row 999999999"},
		"a far row behind":  {xlsx(t, `<row r="1">`+url+`</row><row r="999999999">`+url+"</row>", "", ""), "row 999999999"},
		"a row below one":   {xlsx(t, `<row r="-1">`+url+"</row>", "", ""), "row -1"},
		"the last row":      {xlsx(t, `<row r="1048576">`+url+"</row>", "", ""), ""},
		"a far column":      {xlsx(t, `<row r="1">`+url+`<c r="ZZZZZZZZZZZZZZ1"><v>1</v></c></row>`, "", ""), ""},
		"a shared string":   {xlsx(t, strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 5000), "<si><t>https://a.example/"+long+"</t></si>", ""), "say far more"},
		"strings of nobody": {xlsx(t, "<row>"+url+"</row>", strings.Repeat("<si/>", 100_000), ""), ""},
		"no such string":    {xlsx(t, "<row>"+url+`<c t="s"><v>99999999999999999999</v></c></row>`, "", ""), ""},
		"no sheet":          {pack(t, "[Content_Types].xml", types, "xl/workbook.xml", "<workbook/>", "xl/_rels/workbook.xml.rels", relation), "it has no sheet"},
		"half a sheet":      {pack(t, "[Content_Types].xml", types, "xl/workbook.xml", outline, "xl/_rels/workbook.xml.rels", relation, "xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c"), "cannot be read"},
		"one sheet missing": {pack(t, "[Content_Types].xml", types, "xl/workbook.xml", outline, "xl/_rels/workbook.xml.rels", relation), "sheet1.xml is missing"},
	} {
		x, err := searchconsole.Read(c.data)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %d rows, %v; want %q", name, len(x.Rows), err, c.want)
		}
	}
}

// A workbook that unpacks without end is refused at the size limit of a CSV.
func TestWorkbookBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{{"[Content_Types].xml", types}, {"xl/workbook.xml", outline}, {"xl/_rels/workbook.xml.rels", relation}, {"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"}} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = io.WriteString(w, part[1])
		}
		for range (searchconsole.MaxSize>>20 + 1) * min(1, strings.Count(part[0], "sheet1")) {
			_, err = io.WriteString(w, "<!--"+strings.Repeat(" ", 1<<20-7)+"-->")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := searchconsole.Read(b.Bytes()); err == nil || !strings.Contains(err.Error(), "unpacks to more than 256 MB") {
		t.Errorf("got %v", err)
	}
}

// stored returns a ZIP of uncompressed files, so that its size is the number of bytes that are
// read.
func stored(files ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			panic(err) // a bytes.Buffer returns no error
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// sheetShape repeats rows, and strings.
func sheetShape(name, first, row, shared string) cost.Shape {
	return cost.Shape{Name: name, Make: func(size int) []byte {
		n := size / (len(row) + len(shared))
		return stored("[Content_Types].xml", types, "xl/workbook.xml", outline, "xl/_rels/workbook.xml.rels", relation,
			"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"+first+strings.Repeat(row, n), "xl/sharedStrings.xml", "<sst>"+strings.Repeat(shared, n)+"</sst>")
	}}
}

var costly = []cost.Shape{
	cost.Repeat("a list", "", "https://a.example/\n", ""),
	cost.Repeat("CR", "https://a.example/", "\r", ""),
	cost.Repeat("a line", "https://a.example/", "x", ""),
	cost.Repeat("separators", "URL,x\nhttps://a.example/", ",", ""),
	cost.Repeat("lines of separators", "URL,x\n", ",\n", ""),
	cost.Repeat("quotes", "URL,x\n", "\"", ""),
	cost.Repeat("quoted quotes", "URL,x\n\"", "\"\"", ""),
	cost.Repeat("quoted cells", "URL,x\n", "\"https://a.example/\",", ""),
	cost.Repeat("URLs in a line", "", "https://a.example/ ", ""),
	cost.Repeat("escapes", "https://a.example/", "%a4", ""),
	cost.Repeat("reasons", "URL,x\nhttps://a.example/,", "Not found (404) ", ""),
	cost.Repeat("UTF-16", "\xff\xfe", "h\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00/\x00\n\x00", ""),
	sheetShape("rows of a workbook", "", `<row><c t="inlineStr"><is><t>https://a.example/</t></is></c></row>`, ""),
	sheetShape("the last cell of each row", "", `<row><c r="XFD1"><v>1</v></c></row>`, ""),
	sheetShape("cells of a row", "<row>", "<c><v>1</v></c>", ""),
	sheetShape("shared strings", "", `<row><c t="s"><v>0</v></c></row>`, "<si><t>https://a.example/</t></si>"),
	sheetShape("strings of nothing", "", "", "<si/>"),
	sheetShape("strings in parts", "", "", "<si><r><t>x</t></r></si>"),
	sheetShape("one string in parts", "", "", "<r><t>_x0041_</t></r>"),
	sheetShape("deep", "", "<a>", ""),
	sheetShape("attributes", "<row ", `a="" `, ""),
	{Name: "files of a ZIP", Make: func(size int) []byte {
		var files []string
		for i := range size / 100 {
			files = append(files, fmt.Sprint(i), "x")
		}
		return stored(files...)
	}},
}

func readCostly(_ testing.TB, data []byte) { _, _ = searchconsole.Read(data) } // most are no export

func TestCostOfExports(t *testing.T)    { cost.Test(t, 150, readCostly, costly...) }
func BenchmarkExportsCost(b *testing.B) { cost.Benchmark(b, 2000, readCostly, costly...) }
