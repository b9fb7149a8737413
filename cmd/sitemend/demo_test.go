package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// demoRows runs the demo on a web and returns its rows in short.
func demoRows(t *testing.T, text string) map[string]string {
	t.Helper()
	var out, errOut bytes.Buffer
	dir := filepath.Join(t.TempDir(), "out")
	if err := demo(context.Background(), stdio{strings.NewReader(""), &out, &errOut}, text, demoFlags(dir)); err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	out.Reset()
	if code := run(context.Background(), []string{"report", "--out", "-", "--format", "jsonl", "--store", filepath.Join(dir, "audits.db")}, nil, &out, &errOut); code != exitOK {
		t.Fatalf("report: exit %d\n%s", code, errOut.String())
	}
	rows := map[string]string{}
	for line := range strings.Lines(out.String()) {
		row, err := shortRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		loc, rest, _ := strings.Cut(row, ": ")
		rows[loc] = rest
	}
	return rows
}

// The demo shows what its web answers: each verdict that an audit can give is
// there, and one changed answer changes one verdict.
func TestDemo(t *testing.T) {
	text, err := os.ReadFile("demo/web.txt")
	if err != nil {
		t.Fatal(err)
	}
	before := demoRows(t, string(text))
	seen := map[string]bool{}
	for _, row := range before {
		verdict, _, _ := strings.Cut(row, " ")
		seen[verdict] = true
	}
	for _, v := range audit.Verdicts() {
		if !seen[string(v)] {
			t.Errorf("no entry of the demo is %s", v)
		}
	}
	for loc, want := range map[string]string{
		"https://www.shop.example/policies/returns-2019": "soft-404 | 200 | keep",
		"https://www.shop.example/policies/returns":      "ok | 200 | keep",
		"https://www.shop.example/our-story":             "moved path | 200 200 | replace https://www.shop.example/about",
		"https://www.shop.example/configurator":          "ok | 200 | keep | needs-javascript",
		"https://www.shop.example/photo-of-the-kettle/":  "moved path | 301 200 | keep | not-page",
		"https://www.shop.example/guide/iron-teapots":    "moved path | 301 200 | merge https://www.shop.example/products/teapot-iron",
	} {
		if before[loc] != want {
			t.Errorf("%s: %s, want %s", loc, before[loc], want)
		}
	}
	const sale = "https://www.shop.example/sale"
	changed := strings.Replace(string(text), sale+" 302", sale+" 301", 1)
	after := demoRows(t, changed)
	for loc, row := range before {
		if (row == after[loc]) == (loc == sale) {
			t.Errorf("%s: %s, with the change %s", loc, row, after[loc])
		}
	}
	if !strings.HasPrefix(before[sale], "temporary") || !strings.HasPrefix(after[sale], "moved") {
		t.Errorf("%s: %s, with the change %s", sale, before[sale], after[sale])
	}
}
