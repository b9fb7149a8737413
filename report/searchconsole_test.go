package report

import (
	"context"
	"iter"
	"os"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// reporting adds rows to the shop as its export.
func reporting(rows ...audit.ReportedRow) *audit.Result {
	sc := &audit.SearchConsole{}
	for i := range rows {
		sc.Add(&rows[i])
	}
	return shop().WithReported(sc, func() iter.Seq2[audit.ReportedRow, error] {
		return func(yield func(audit.ReportedRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
}

func ExampleWriteReportedCSV() {
	old := audit.ReportedRow{Row: entry(2, "http://shop.example/old", audit.Moved, kept(""), walk(audit.EndAnswer, "http://shop.example/old 301 /new", "http://shop.example/new 200")),
		Class: audit.RedirectsAsItShould, Advice: audit.AdviceRedirects, To: "http://shop.example/new"}
	old.Entry.Reported = audit.Reported{Is: true, Reason: audit.LabelRedirect, Crawled: "2026-11-02"}
	loop := audit.ReportedRow{Row: entry(3, "http://shop.example/a,b", audit.Loop, kept(""), walk(audit.EndLoop, "http://shop.example/a,b 301 /a,b")),
		Class: audit.InSitemapNeedsYou, Advice: audit.AdviceRepair, Join: audit.ByLoc, Sitemaps: []string{"http://shop.example/1.xml", "http://shop.example/2.xml"}}
	WriteReportedCSV(context.Background(), plainText{os.Stdout}, reporting(old, loop), "en", "")
	// Output:
	// url,google_reason,last_crawled,class,verdict,in_sitemaps,what_to_do,answers_that_day,asked_that_day
	// http://shop.example/old,Page with redirect,2026-11-02,redirects-as-it-should,moved,,"Nothing: it redirects to http://shop.example/new, and no sitemap lists it. Do not validate it: it is meant to redirect.",,
	// "http://shop.example/a,b",,,in-sitemap-needs-you,loop,http://shop.example/1.xml http://shop.example/2.xml,A sitemap lists it. Break the loop in the redirect rules of the server or the CMS.,,
}

// plainText leaves out the byte order mark and CR, which an Example cannot hold.
type plainText struct{ w *os.File }

func (p plainText) Write(b []byte) (int, error) {
	_, err := p.w.WriteString(strings.NewReplacer(bom, "", "\r", "").Replace(string(b)))
	return len(b), err
}

// What an export holds calculates in no spreadsheet and breaks no line.
func TestReportedCSVIsSafe(t *testing.T) {
	r := audit.ReportedRow{Row: entry(2, "http://shop.example/\n=x", audit.OK, kept(""), walk(audit.EndAnswer, "http://shop.example/ 200")), Class: audit.NotReproducible, Advice: audit.AdviceGoogles, Sitemaps: []string{"-1+1.xml"}}
	r.Entry.Reported = audit.Reported{Is: true, Reason: "=HYPERLINK(\"http://evil.example\")", Crawled: "@SUM(1)"}
	var b strings.Builder
	if err := WriteReportedCSV(t.Context(), &b, reporting(r), "en", ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\r\n"), "\r\n")
	if len(lines) != 2 || strings.ContainsAny(lines[1], "\r\n") {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	if want := `http://shop.example/\x0a=x,"'=HYPERLINK(""http://evil.example"")",'@SUM(1),not-reproducible,ok,'-1+1.xml,`; !strings.HasPrefix(lines[1], want) {
		t.Errorf("got  %s\nwant %s", lines[1], want)
	}
}
