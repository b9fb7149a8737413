package report

import (
	"context"
	"iter"
	"os"
	"regexp"
	"strings"
	"testing"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// linkedTo are links of pages to so many URLs, of each kind, with the texts wherever a site has a
// say.
func linkedTo(texts []string) *audit.Linked {
	l := &audit.Linked{Pages: 9, Old: map[audit.Verdict]int{}}
	var all []audit.LinkRow
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.NeverLinked} {
		for _, s := range texts {
			r := audit.LinkRow{Kind: kind, Target: s, Listed: audit.NotInSitemap, Pages: 3, Nofollow: 1, Template: 2, Examples: []string{s, s}}
			switch kind {
			case audit.LinkedOld:
				r.Verdict, r.RedirectsTo, r.LinkTo, r.Listed = audit.Moved, s, s, audit.InSitemap
			case audit.NeverLinked:
				r.Verdict, r.Sitemap, r.Line, r.Pages, r.Nofollow, r.Listed = audit.OK, s, 7, 0, 0, audit.InSitemap
			}
			all = append(all, r)
			l.First[kind] = append(l.First[kind], r)
			l.Kinds[kind]++
		}
	}
	l.Old[audit.Moved] = l.Kinds[audit.LinkedOld]
	l.Rows = yielding(all)
	return l
}

func yielding[R any](all []R) func(context.Context) iter.Seq2[R, error] {
	return func(context.Context) iter.Seq2[R, error] { return fixture.Each(all) }
}

// withTables is the shop with every side table, which have a row for each text wherever somebody
// else has a say.
func withTables(texts []string) *audit.Result {
	result := of("1 /old/ 301 /new/ 200").Result()
	moved := fixture.Rows(result)[0][0]
	var reported []audit.ReportedRow
	var rules []answers.Rule
	var logs []audit.LogRow
	var also []audit.Row
	result.Inspections = &audit.Inspections{By: map[string]audit.Inspection{}}
	for i, s := range texts {
		row := moved
		row.Entry = audit.Entry{Loc: s, Line: i + 2}
		row.Address, _ = address.Parse(s)
		old := audit.ReportedRow{Row: row, Upshot: audit.UpshotNothing, To: s, Sitemaps: []string{s}}
		old.Entry.Reported = audit.Reported{Is: true, Reason: audit.Label(s), Crawled: s}
		reported = append(reported, old)
		at := answers.RuleAt{File: s, Line: 3}
		rules = append(rules, answers.Rule{RuleAt: at, Source: s, Target: s, Status: 302, Hits: 4, Findings: []answers.RuleFinding{
			{RuleAt: at, Fault: "rule-missing", Args: []string{s, "404"}}, {RuleAt: at, Fault: "rule-temporary", Args: []string{"302"}}}})
		logs = append(logs, audit.LogRow{Finding: accesslog.Finding{URL: s, Asked: s, Class: accesslog.OtherSpelling, DiffersIn: []string{s}}, Sitemap: s})
		row.Entry.Also = &audit.Also{List: audit.AlsoAlternates, Of: 1, By: []audit.Naming{{Loc: s, Line: 2}}}
		also = append(also, row)
	}
	result.Linked = linkedTo(texts)
	result.Logs = &audit.Logs{Rows: yielding(logs)}
	result.Build = &answers.Build{Rules: yielding(rules)}
	result.SearchConsole = &audit.SearchConsole{Rows: yielding(reported)}
	result.Also = []audit.AlsoSum{{List: audit.AlsoAlternates, Counts: audit.Counts{Entries: len(also)}, Rows: yielding(also)}}
	return result
}

// Nothing that a site, a log, an export or a rule file says calculates in a side table, steers a
// terminal or breaks its line; what the table is about is in it.
func TestSideTables(t *testing.T) {
	csvOf := func(x table) string {
		var b strings.Builder
		mustDo(t, x.write(&b))
		return b.String()
	}
	en := messages.Of("en")
	for _, x := range allTables(t.Context(), withTables(hostileTexts), en) {
		if x.has {
			text := csvOf(x)
			checkCSV(t, []byte(text))
			tame(t, x.file, strings.NewReplacer("\r\n", "", bom, "").Replace(text))
		}
	}
	want := map[string]string{
		"links.csv":          "\"http://shop.example/a,b\",,,no,3,66%,\"http://shop.example/a,b http://shop.example/a,b\",,1,,\r\n",
		"search-console.csv": `nothing,moved,"http://shop.example/a,b","Nothing: it redirects to http://shop.example/a,b, and no sitemap that was read lists it."`,
		"rules.csv":          `302,4,rule-missing rule-temporary,"Leads to a missing page: http://shop.example/a,b 404; Temporary, no status given: 302"`,
		"googlebot.csv":      `other-spelling,"http://shop.example/a,b","http://shop.example/a,b",googlebot,0,,,,,,,`,
		"also.csv":           "alternates,",
	}
	for _, x := range allTables(t.Context(), withTables([]string{"http://shop.example/a,b"}), en) {
		if x.has && !strings.Contains(csvOf(x), want[x.file]) {
			t.Errorf("%s has\n%s, want\n%s", x.file, csvOf(x), want[x.file])
		}
	}
}

// docs/outputs.md has each column of each table with its type, in the order of the table, and those
// of entries.csv are in the order that the contract has.
func TestColumnsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../docs/outputs.md")
	mustDo(t, err)
	sections := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		sections[strings.Trim(title, "`")] = body
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (text|number|time) \\|")
	entries, changes := table{file: "entries.csv"}, table{file: "changes.csv"}
	entries.names, entries.kinds = headOf(entriesHead)
	changes.names, changes.kinds = headOf(changesHead)
	all := append(allTables(t.Context(), &audit.Result{}, nil), entries, changes)
	for _, x := range all {
		if x.file == "also.csv" {
			continue // those of entries.csv, and its own
		}
		var got, want []string
		for _, m := range row.FindAllStringSubmatch(sections[x.file], -1) {
			got = append(got, m[1]+" "+m[2])
		}
		for i := range x.names {
			want = append(want, x.names[i]+" "+x.kinds[i])
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s is described as\n%s\nwant\n%s", x.file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	const contract = "sitemap,line,url,readable_url,verdict,reasons,status,redirects,statuses,redirect_type,temporary_in_chain,loop,final_url,final_status,indexable,indexability_reason,canonical,robots,title,content_type,robots_line,fix,written,why,search_console,notes,checked_at"
	if begins := bom + contract + "\r\n"; !strings.HasPrefix(wrote(t, "csv", of("1 /").Result()), begins) {
		t.Error("entries.csv does not begin with the columns of the contract")
	}
}
