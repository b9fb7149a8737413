package report

import (
	"bufio"
	"context"
	"io"
	"slices"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

const reportedColumns = "url,google_reason,last_crawled,class,verdict,in_sitemaps,what_to_do,answers_that_day,asked_that_day"

const reportedName = "search-console.csv"

// WriteReportedCSV writes search-console.csv: a line for each address of
// --search-console, in the order of the exports, in the form of entries.csv. The
// columns:
//
//	url            as the export has it
//	google_reason  why it is reported: the English label where it is known,
//	               else as exported; empty where the export does not say
//	last_crawled   2026-11-21 where the date can be read one way only, else as
//	               exported
//	class          in-sitemap-corrected, in-sitemap-needs-you, fine-now,
//	               redirects-as-it-should, not-in-sitemap-broken,
//	               not-reproducible
//	verdict        of the address itself, as in entries.csv
//	in_sitemaps    the sitemaps that list it, in this or another spelling
//	what_to_do     one or more sentences in the language lang, a language tag or
//	               locale; the command in them is again, "sitemend report" where it
//	               is ""
//	answers_that_day
//	               what Googlebot was answered on the day of last_crawled, as access
//	               logs say, "301x2"; none where they have the day and no request;
//	               empty where it is not known
//	asked_that_day path and query as they came, where Googlebot spelt them otherwise
//	               than url; what is no printable ASCII as \xHH
//
// It returns the first error of w or of result's rows.
func WriteReportedCSV(ctx context.Context, w io.Writer, result *audit.Result, lang, again string) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + reportedColumns + "\r\n") // its error comes back with Flush
	var b []byte
	in := messages.Of(lang).With(again)
	for r, err := range result.Reported(ctx) {
		if err != nil {
			return err
		}
		c := cells{b: b[:0]}
		c.text(r.Entry.Loc)
		c.text(string(r.Entry.Reported.Reason))
		c.text(r.Entry.Reported.Crawled)
		c.text(string(r.Class))
		c.text(string(r.Verdict))
		c.text(plain.Join(r.Sitemaps))
		c.text(in.Advice(&r))
		answers, asked := thatDay(&r)
		c.text(answers)
		c.text(asked)
		b = c.end()
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// thatDay is what Googlebot was answered on the day of the last crawl, and what it asked in other
// spellings.
func thatDay(r *audit.ReportedRow) (answers, asked string) {
	if r.Day() == audit.DayNone {
		return "none", ""
	}
	statuses, others := map[int]int64{}, []string{}
	for i := range r.Crawled {
		f := &r.Crawled[i]
		for status, n := range f.Seen.Statuses {
			statuses[status] += n
		}
		if f.Class == accesslog.OtherSpelling {
			others = append(others, plain.Printable(f.Asked))
		}
	}
	return answersOf(statuses), plain.Join(others)
}

// reported is what summary.json says of --search-console.
type reported struct {
	Addresses int              `json:"addresses"`
	Classes   map[string]int   `json:"classes"`
	Unlisted  int              `json:"unlisted"`
	Nothing   int              `json:"need_nothing"`
	Spelling  int              `json:"other_spelling"`
	OtherSite int              `json:"other_site"`
	NoSitemap bool             `json:"no_sitemap"`
	Unread    int              `json:"unread_sitemaps"`
	Exports   []reportedExport `json:"exports"`
	// Days are how many addresses access logs have on the day of their last crawl, by what they
	// say.
	Days map[string]int `json:"last_crawl_in_logs,omitempty"`
}

type reportedExport struct {
	Name      string         `json:"name"`
	Addresses int            `json:"addresses"`
	Faults    []sitemapFault `json:"faults"`
}

func reportedOf(sc *audit.SearchConsole) *reported {
	if sc == nil {
		return nil
	}
	out := &reported{Addresses: sc.Addresses, Classes: map[string]int{}, Unlisted: sc.Unlisted, Nothing: sc.Upshots[audit.UpshotNothing], Spelling: sc.Spelling,
		OtherSite: sc.OtherSite, NoSitemap: sc.NoSitemap, Unread: sc.Unread}
	for _, c := range audit.Classes() {
		out.Classes[string(c)] = sc.Classes[c]
	}
	for day, n := range sc.Days {
		if out.Days == nil {
			out.Days = map[string]int{}
		}
		out.Days[string(day)] = n
	}
	for _, x := range sc.Exports {
		out.Exports = append(out.Exports, reportedExport{x.Name, x.Addresses, sitemapFaults(x.Faults)})
	}
	return out
}

// reported says what the addresses of --search-console come to.
func (t *terminal) reported() {
	r := conclude.ReportedOf(t.result)
	if r == nil {
		return
	}
	w := t.words
	row := func(text string) { t.below = append(t.below, labeled{label: w.Reported("label"), text: text}) }
	row(r.Headline.Plain(w))
	row(r.Parts().Plain(w))
	for _, x := range r.Remarks {
		row(x.Plain(w))
	}
	if slices.Contains(t.o.Written.Files, reportedName) {
		row(w.Reported("file", "file", visible(t.path(reportedName))))
	}
}

// reported adds what the addresses of --search-console come to: a row for each end with what
// is to be done, then a row for each reason.
func (m *summaryPage) reported() {
	r := conclude.ReportedOf(m.result)
	if r == nil {
		return
	}
	text := func(s conclude.Sentence) string { return escapeMarkdown(s.Plain(m.words)) }
	m.paragraph("### " + escapeMarkdown(m.words.Reported("label")))
	m.paragraph(text(r.Lead()))
	var ends, reasons []string
	head := []string{text(r.Heads.Reason), text(r.Heads.Count)}
	for _, e := range r.Ends {
		ends = append(ends, row(messages.Number(e.Count), text(e.Title), text(e.Text)))
		head = append(head, text(e.Short))
	}
	m.table("", []string{text(r.Heads.Count), text(r.Heads.End), text(r.Heads.Do)}, ends, len(ends), len(ends))
	for _, x := range r.Reasons {
		cells := []string{text(x.Name), messages.Number(x.Count)}
		for _, n := range x.Counts {
			cells = append(cells, messages.Number(n))
		}
		reasons = append(reasons, row(cells...))
	}
	m.table("", head, reasons, len(reasons), len(reasons))
	for _, x := range r.Remarks {
		m.below = append(m.below, labeled{label: m.words.Reported("label"), text: x.Plain(m.words)})
	}
}
