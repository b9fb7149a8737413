package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sitemend/crawler/audit"
)

// An address over 8,000 bytes is an entry that is told, by its beginning, and
// nothing that is asked: what is left of it is an address of nobody.
func TestAddressesThatAreTooLong(t *testing.T) {
	const host = "http://shop.example/many/"
	long := host + strings.Repeat("x", audit.MaxAddress+1-len(host))
	just := long[:audit.MaxAddress]
	kept := long[:audit.KeptAddress]
	text := "<urlset " + xmlns + ">\n<url><loc>" + long + "</loc></url>\n<url><loc>" + kept + "</loc></url>\n<url><loc>" + long + "y</loc></url>\n<url><loc>" + just + "</loc></url>\n" + staleURL + "</urlset>"
	a := auditFile(t, "s.xml", []byte(text), "--format", "html,csv,xlsx,jsonl,junit,sarif,md")
	a.compare(t, []byte(text), []byte(strings.Replace(text, staleURL, freshURL, 1)))
	if !a.fault("Invalid URL", "the URL has 8,001 bytes; 8,000 are allowed") || a.entries() != 5 {
		t.Errorf("%d entries, %+v\n%s", a.entries(), a.summary.Files, a.stderr)
	}
	rows, err := os.ReadFile(filepath.Join(a.dir, "entries.jsonl"))
	must(t, err)
	var got []string
	for line := range bytes.Lines(rows) {
		var r struct {
			Loc, Verdict, Status string
			Trail                []any
			Notes                []string
			Fix                  struct{ Action string }
		}
		_ = json.Unmarshal(line, &r) // a status is a number, which is of no interest here
		got = append(got, fmt.Sprint(len(r.Loc), " ", r.Verdict, " ", len(r.Trail), " ", r.Fix.Action, " ", r.Notes))
	}
	want := []string{"2048 error 0 keep [long]", "2048 ok 1 keep [long]", "2048 error 0 keep [long]", "8000 ok 1 keep [long]", "23 moved 2 replace []"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the rows are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The address of a sitemap may be too long, too: in robots.txt, in an index, in a
// redirect.
func TestSitemapAddressesThatAreTooLong(t *testing.T) {
	const host = "http://shop.example/"
	long := host + strings.Repeat("y", audit.MaxAddress)
	index := "<sitemapindex " + xmlns + "><sitemap><loc>" + long + "</loc></sitemap><sitemap><loc>" + host + "s.xml</loc></sitemap><sitemap><loc>" + host + "far.xml</loc></sitemap></sitemapindex>"
	text := filesWeb + host + "robots.txt 200 file=robots\n" + host + "index.xml 200 file=index\n" + host + "s.xml 200 file=urls\n" +
		host + "far.xml 301 " + long + "\n"
	a := auditWeb(t, text, fstest.MapFS{"robots": {Data: []byte("Sitemap: " + long + "\nSitemap: /index.xml\n")}, "index": {Data: []byte(index)},
		"urls": {Data: []byte("<urlset " + xmlns + ">" + fineURL + "</urlset>")}}, host)
	if a.entries() != 1 || !a.fault("Invalid URL", "8000 are allowed") || !a.fault("Invalid URL", "8,000 are allowed") {
		t.Errorf("%d entries, %+v\n%s", a.entries(), a.summary.Files, a.stderr)
	}
	for _, f := range a.summary.Files {
		for _, x := range f.Faults {
			if len(x.Sitemap)+len(x.Text) > audit.KeptAddress+500 {
				t.Errorf("a fault has %d bytes", len(x.Sitemap)+len(x.Text))
			}
		}
	}
}
