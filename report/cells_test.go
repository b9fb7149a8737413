package report

import (
	"cmp"
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
		"＝1+1":                       "'＝1+1",
		"＠cosme":                     "'＠cosme",
		" =1":                        "' =1",
		" 1=1":                       " 1=1",
		"\uFEFF=1":                   "'\uFEFF=1",
		"\uFEFF":                     "\uFEFF",
		"\uFEFFhttp://shop.example/": "\uFEFFhttp://shop.example/",
		"\u200B \u2060+1":            "'\u200B \u2060+1",
		"\u00AD\uFE0F\u3164@SUM(A1)": "'\u00AD\uFE0F\u3164@SUM(A1)",
		"\U000E0020=1":               "'\U000E0020=1",
		"\u202E=1":                   `\u202e=1`, // what is written begins with a backslash
		"👩\u200D💻=1":                 "👩\u200D💻=1",
		"a=1":                        "a=1",
		"'=1":                        "'=1",
		"two\nlines":                 `two\x0alines`,
		"\x1b[31mred":                `\x1b[31mred`,
		"\xff\xfe":                   `\xff\xfe`,
		"c1 \u009b2J":                `c1 \u009b2J`,
		"line\u2028end":              `line\u2028end`,
		"say \"hi\", all":            `say "hi", all`,
		"店 é \U0001F600 \uFFFD kept": "店 é \U0001F600 \uFFFD kept",
	} {
		var b strings.Builder
		c := newCSV(&b, []string{"a", "b", "c"})
		mustDo(t, cmp.Or(c.row([]string{"first", in, "7"}), c.Close()))
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 3 || rows[1][1] != want {
			t.Errorf("cell %q: read back as %q, want %q, %v", in, rows, want, err)
		}
	}
}
