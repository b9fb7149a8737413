package report

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

const (
	inspectedName    = "google.csv"
	inspectedColumns = "url,verdict,google_state,google_canonical,last_crawl,agrees,page_fetch,robots_txt,indexing,user_canonical,crawled_as,property,asked_at,link,failure"
)

// WriteInspectionsCSV writes google.csv: a line for each address of which Google's index was
// asked, in sitemap order, in the form of entries.csv. The columns:
//
//	url               wire form of the listed address
//	verdict           as in entries.csv
//	google_state      coverageState of the URL Inspection API, in English
//	google_canonical  the address that Google chose
//	last_crawl        RFC 3339, UTC; empty for never
//	agrees            agrees, older (Google last crawled before we saw what it is now),
//	                  other-spelling (Google's canonical is another spelling of the entry),
//	                  differs; empty where there is nothing to compare
//	page_fetch, robots_txt, indexing, user_canonical, crawled_as
//	                  pageFetchState, robotsTxtState, indexingState, userCanonical, crawledAs
//	property          of Search Console, in which it was asked
//	asked_at          RFC 3339, UTC
//	link              the same in Search Console
//	failure           why there is no answer about this address
//
// It returns the first error of w or of result's rows.
func WriteInspectionsCSV(ctx context.Context, w io.Writer, result *audit.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + inspectedColumns + "\r\n") // its error comes back with Flush
	var b []byte
	seen := map[string]bool{}
	for file := range result.Files {
		for r, err := range result.Rows(ctx, file) {
			if err != nil {
				return err
			}
			if r.Inspection == nil || seen[r.Inspection.URL] {
				continue
			}
			seen[r.Inspection.URL] = true
			c := cells{b: b[:0]}
			inspectionCells(&c, r)
			b = c.end()
			if _, err := bw.Write(b); err != nil {
				return err
			}
		}
	}
	return bw.Flush()
}

func inspectionCells(c *cells, r *audit.Row) {
	in := r.Inspection
	for _, text := range []string{in.URL, string(r.Verdict), string(in.State), in.Canonical, when(in.LastCrawl), string(in.Agreement(r)), in.Fetch, in.Robots,
		in.Indexing, in.Declared, in.CrawledAs, in.Property, when(in.Asked), in.Link, in.Failure} {
		c.text(text)
	}
}

// jsonInspection adds what Google's index says of a row.
func jsonInspection(o *object, r *audit.Row) {
	in := r.Inspection
	if in == nil {
		return
	}
	o.key("google")
	g := object{'{'}
	g.textIf("google_state", string(in.State))
	g.textIf("google_canonical", in.Canonical)
	g.textIf("last_crawl", when(in.LastCrawl))
	g.textIf("agrees", string(in.Agreement(r)))
	g.textIf("page_fetch", in.Fetch)
	g.textIf("robots_txt", in.Robots)
	g.textIf("indexing", in.Indexing)
	g.textIf("user_canonical", in.Declared)
	g.textIf("crawled_as", in.CrawledAs)
	g.textIf("property", in.Property)
	g.textIf("asked_at", when(in.Asked))
	g.textIf("link", in.Link)
	g.textIf("failure", in.Failure)
	*o = append(append(*o, g...), '}')
}

// WriteInspections writes google.csv to o.Dir, and leaves what else is there alone. Of o it uses
// Dir and Record. It returns the name of the file.
func WriteInspections(ctx context.Context, result *audit.Result, o Options) (name string, err error) {
	s, err := stage(ctx, o.Dir, o.Record)
	if err != nil {
		return "", err
	}
	defer s.close()
	if err := s.write(ctx, inspectedName, func(w io.Writer) error { return WriteInspectionsCSV(ctx, w, result) }); err != nil {
		return "", err
	}
	return inspectedName, s.add()
}

// inspectedLines are how many addresses WriteInspectionSummary lists.
const inspectedLines = 8

// WriteInspectionSummary writes for a terminal what Google's index says beside what the audit saw:
// how many addresses agree, and the first that do not. It returns an error of w or of result's
// rows.
func WriteInspectionSummary(ctx context.Context, w io.Writer, result *audit.Result, o Summary) error {
	t := terminal{result: result, o: o, words: messages.Of(o.Lang).With(o.Again)}
	if err := t.inspected(ctx); err != nil {
		return err
	}
	return t.print(w)
}

// inspections is what is counted of them.
type inspections struct {
	all, failed, unknown int
	agree                map[audit.Agreement]int
	look                 map[audit.Agreement][]inspectedRow
	states               map[string]int // by coverageState
	why                  string         // of the first without an answer
}

// An inspectedRow is what is shown of an address.
type inspectedRow struct {
	url, verdict, state, canonical string
	crawled                        time.Time
}

// inspected adds what Google's index says.
func (t *terminal) inspected(ctx context.Context) error {
	n, err := countInspections(ctx, t.result)
	if err != nil || n.all == 0 && t.result.Inspections == nil {
		return err
	}
	w := t.words
	var parts []string
	for _, a := range []audit.Agreement{audit.Agrees, audit.AgreesOlder, audit.AgreesOther, audit.AgreesNot} {
		if n.agree[a] > 0 {
			parts = append(parts, w.Count("google-"+string(a), n.agree[a]))
		}
	}
	if n.unknown > 0 {
		parts = append(parts, w.Count("google-unknown", n.unknown))
	}
	if n.failed > 0 {
		parts = append(parts, w.Count("google-failed", n.failed))
	}
	asked := w.Count("google-asked", n.all)
	if len(parts) > 0 {
		asked = w.Text("google-parts", "asked", asked, "parts", strings.Join(parts, " · "))
	}
	t.row("label-google", asked)
	if n.failed > 0 && n.failed == n.all {
		t.row("label-google", w.Text("google-none", "why", n.why))
		t.row("label-google", w.Text("google-none-hint"))
	}
	if in := t.result.Inspections; in != nil && in.Left > 0 {
		t.row("label-google", w.Count("google-left", in.Left, "when", in.Again.Local().Format("2006-01-02 15:04 MST")))
	}
	if slices.Contains(t.o.Written.Files, inspectedName) {
		t.row("label-google", t.path(inspectedName))
	}
	t.disagreements(n)
	return nil
}

// disagreements lists the first addresses of which Google says something else.
func (t *terminal) disagreements(n *inspections) {
	left := inspectedLines
	for _, a := range []audit.Agreement{audit.AgreesNot, audit.AgreesOther} {
		for _, r := range n.look[a][:min(left, len(n.look[a]))] {
			left--
			key, pairs := "google-says", []string{"url", r.url, "what", t.words.Verdict(audit.Verdict(r.verdict)).Name, "state", r.state, "when", r.crawled.Local().Format(time.DateOnly)}
			if a == audit.AgreesOther {
				key, pairs = "google-spells", []string{"url", r.url, "canonical", r.canonical}
			}
			t.row("label-"+string(a), t.words.Text(key, pairs...))
		}
	}
}

// countInspections counts what result has of them, each address once.
func countInspections(ctx context.Context, result *audit.Result) (*inspections, error) {
	n := &inspections{agree: map[audit.Agreement]int{}, look: map[audit.Agreement][]inspectedRow{}, states: map[string]int{}}
	if result.Inspections == nil {
		return n, nil
	}
	seen := map[string]bool{}
	for file := range result.Files {
		for r, err := range result.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			if in := r.Inspection; in != nil && !seen[in.URL] {
				seen[in.URL] = true
				n.add(in, r)
			}
		}
	}
	return n, nil
}

func (n *inspections) add(in *audit.Inspection, r *audit.Row) {
	n.all++
	if in.State != "" {
		n.states[string(in.State)]++
	}
	a := in.Agreement(r)
	switch {
	case in.Failure != "":
		n.failed++
		n.why = cmp.Or(n.why, in.Failure)
	case a == "" && in.LastCrawl.IsZero():
		n.unknown++
	case a != "":
		n.agree[a]++
		n.look[a] = append(n.look[a], inspectedRow{in.URL, string(r.Verdict), string(in.State), in.Canonical, in.LastCrawl})
	}
}
