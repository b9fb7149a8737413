package searchconsole_test

import (
	"archive/zip"
	"strings"
	"testing"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/searchconsole"
)

// packed returns a ZIP of files, the last of which ends with a repeated text.
func packed(again string, times int, files ...string) []byte {
	return zipped(zip.Deflate, again, times, files...)
}

// A file that is small packed and huge unpacked does not fill the memory: only what is kept of a
// ZIP is held.
func TestPackedExportsStaySmall(t *testing.T) {
	with := func(more ...string) []string { return append(parts[:len(parts):len(parts)], more...) }
	row := with("xl/worksheets/sheet1.xml", sheetHead+sheetRow, "xl/sharedStrings.xml", textsHead)
	for name, c := range map[string]struct {
		data []byte
		want string // of the error; "" for none
	}{
		"200,000 shared strings": {packed("<si><t>a</t></si>", 200_000, row...), "cannot be read"}, // it is cut off
		"many shared strings":    {packed(strings.Repeat("<si><t>a</t></si>", 1000), 8000, row...), "unpacks to more than 4 MB"},
		"120,000 cells":          {packed(`<row><c t="s"><v>0</v></c></row>`, 120_000, with("xl/sharedStrings.xml", textsHead+"<si><t>https://a.example/</t></si></sst>", "xl/worksheets/sheet1.xml", sheetHead)...), ""},
		"10 million lines":       {packed(strings.Repeat("http://127.0.0.1:1/a\n", 1000), 10_000, "Table.csv", "URL\n"), "more than 400000 lines"},
		"an open quote":          {packed("a,\"\",\n", 900_000, "Table.csv", "URL\n\""), "no URL in it"},
		"a line":                 {packed(strings.Repeat("a", 1<<20), 200, "Table.csv", "URL\nhttps://a.example/\nhttps://a.example/"), "its line 3 has more than"},
		"long lines":             {packed("https://a.example/,"+strings.Repeat("x", 60_000)+"\n", 2000, "Table.csv", "URL,x\n"), ""},
		"a file of NULs":         {packed(strings.Repeat("\x00", 1<<20), 300, "Table.csv", "URL\n"), "unpacks to more than 256 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			cost.Peak(t, 100<<20, func() {
				x, err := searchconsole.Read(c.data)
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%d bytes packed: got %d rows, %v; want %q", len(c.data), len(x.Rows), err, c.want)
				}
			})
		})
	}
}
