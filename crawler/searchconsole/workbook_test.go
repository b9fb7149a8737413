package searchconsole_test

import (
	"archive/zip"
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/searchconsole"
)

// parts are those of a workbook around one sheet.
var parts = []string{
	"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
	"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Table" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

const (
	sheetHead = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	sheetRow  = `<row><c t="inlineStr"><is><t>https://a.example/</t></is></c></row>`
	textsHead = `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`
)

// stored returns a ZIP of uncompressed files, so that its size is the number of bytes that are read.
func stored(files ...string) []byte { return zipped(zip.Store, "", 0, files...) }

// sheetShape repeats rows, and strings.
func sheetShape(name, first, row, shared string) cost.Shape {
	return cost.Shape{Name: name, Make: func(size int) []byte {
		n := size / (len(row) + len(shared))
		return stored(append(parts[:len(parts):len(parts)], "xl/worksheets/sheet1.xml", sheetHead+first+strings.Repeat(row, n),
			"xl/sharedStrings.xml", textsHead+strings.Repeat(shared, n)+"</sst>")...)
	}}
}

var costly = []cost.Shape{
	cost.Repeat("a list", "", "https://a.example/\n", ""),
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
	sheetShape("rows of a workbook", "", sheetRow, ""),
	sheetShape("shared strings", "", `<row><c t="s"><v>0</v></c></row>`, "<si><t>https://a.example/</t></si>"),
	sheetShape("strings of nothing", "", "", "<si/>"),
	sheetShape("strings in parts", "", "", "<si><r><t>x</t></r></si>"),
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
