package searchconsole_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/searchconsole"
)

// packed returns a ZIP of files, the last of which ends with a repeated text.
func packed(t *testing.T, again string, times int, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	many := max(1, (1<<20)/len(again))
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if i == len(files)-2 {
			for left := times; left > 0 && err == nil; left -= many {
				_, err = io.WriteString(w, strings.Repeat(again, min(many, left)))
			}
		}
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
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
		"200,000 shared strings": {packed(t, "<si><t>a</t></si>", 200_000, row...), "cannot be read"}, // it is cut off
		"many shared strings":    {packed(t, "<si><t>a</t></si>", 8_000_000, row...), "unpacks to more than 4 MB"},
		"120,000 cells":          {packed(t, `<row><c t="s"><v>0</v></c></row>`, 120_000, with("xl/sharedStrings.xml", textsHead+"<si><t>https://a.example/</t></si></sst>", "xl/worksheets/sheet1.xml", sheetHead)...), ""},
		"10 million lines":       {packed(t, "http://127.0.0.1:1/a\n", 10_000_000, "Table.csv", "URL\n"), "more than 400000 lines"},
		"an open quote":          {packed(t, "a,\"\",\n", 900_000, "Table.csv", "URL\n\""), "no URL in it"},
		"a line":                 {packed(t, "a", 200<<20, "Table.csv", "URL\nhttps://a.example/\nhttps://a.example/"), "its line 3 has more than"},
		"long lines":             {packed(t, "https://a.example/,"+strings.Repeat("x", 60_000)+"\n", 2000, "Table.csv", "URL,x\n"), ""},
		"a file of NULs":         {packed(t, "\x00", 300<<20, "Table.csv", "URL\n"), "unpacks to more than 256 MB"},
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
