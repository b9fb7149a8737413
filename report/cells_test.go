package report

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"http://shop.example/":       "http://shop.example/",
		"=1+1":                       "'=1+1",
		"+81":                        "'+81",
		"-1":                         "'-1",
		"@SUM(A1)":                   "'@SUM(A1)",
		"\t=1":                       `'\x09=1`,
		"\r=1":                       `'\x0d=1`,
		"＝1+1":                       "'＝1+1",
		"＠cosme":                     "'＠cosme",
		" =1":                        "' =1",
		" 1=1":                       " 1=1",
		"\uFEFF=1":                   "'\uFEFF=1",
		"\uFEFF":                     "\uFEFF",
		"\uFEFFhttp://shop.example/": "\uFEFFhttp://shop.example/",
		"\u200B \u2060+1":            "'\u200B \u2060+1",
		"\u00A0-1":                   "'\u00A0-1",
		"\u3000＝1":                   "'\u3000＝1",
		"\u00AD\uFE0F\u3164@SUM(A1)": "'\u00AD\uFE0F\u3164@SUM(A1)",
		"\U000E0020=1":               "'\U000E0020=1",
		"\u202E=1":                   `\u202e=1`, // what is written begins with a backslash
		"\n=1":                       `\x0a=1`,
		"👩\u200D💻=1":                 "👩\u200D💻=1",
		"a=1":                        "a=1",
		"'=1":                        "'=1",
		"two\nlines":                 `two\x0alines`,
		"\x1b[31mred":                `\x1b[31mred`,
		"\xff\xfe":                   `\xff\xfe`,
		"right\u202eto left":         `right\u202eto left`,
		"c1 \u009b2J":                `c1 \u009b2J`,
		"line\u2028end":              `line\u2028end`,
		"say \"hi\", all":            `say "hi", all`,
		"店 é \U0001F600 \uFFFD kept": "店 é \U0001F600 \uFFFD kept",
	} {
		var c cells
		c.text("first")
		c.text(in)
		c.numberOr(7, true)
		rows, err := csv.NewReader(strings.NewReader(string(c.end()))).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 3 {
			t.Errorf("cell %q: read back as %q, %v", in, rows, err)
			continue
		}
		if got := rows[0][1]; got != want {
			t.Errorf("cell %q is %q, want %q", in, got, want)
		}
	}
}

// A line of any text is one line, of the same number of cells, none of which a
// spreadsheet calculates, and nothing in it steers a terminal.
func FuzzCells(f *testing.F) {
	for _, s := range []string{"", "=1", "\"", ",", "\r\n", " ", "\x1b]0;x\a", "\xe3\x81", "\u202e", "＋", "\ufeff=", "\u200b -"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var c cells
		c.text(a)
		c.numberOr(1, true)
		c.text(b)
		line := string(c.end())
		rows, err := csv.NewReader(strings.NewReader(line)).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 3 {
			t.Fatalf("%q and %q give %q: %q, %v", a, b, line, rows, err)
		}
		for _, cell := range rows[0] {
			if calculates(cell) {
				t.Errorf("cell %q is a formula", cell)
			}
		}
		if at := strings.IndexFunc(strings.TrimSuffix(line, "\r\n"), func(r rune) bool { return r != '\uFFFD' && hidden(r) }); at >= 0 {
			t.Errorf("%q holds a control at %d", line, at)
		}
	})
}

func TestEmptyLastCell(t *testing.T) {
	var c cells
	c.text("a")
	c.numberOr(0, false)
	c.text("")
	if got := string(c.end()); got != "a,,\r\n" {
		t.Errorf("got %q", got)
	}
}
