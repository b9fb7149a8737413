package html

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
)

// A state is an audit that comes to an end of one kind, and what its page opens with.
type state struct {
	name     string
	result   *audit.Result
	is       conclude.State
	headline string
	actions  []string
	lanes    []audit.Lane
}

// states are made-up audits of each state that a page can open with.
func states() []state {
	ok := func(n int) audited { return audited{n, audit.OK, "/ok/%d/", nil} }
	moved := func(n int) audited {
		return audited{n, audit.Moved, "http://www.shop.example/old/%d", []string{"301", "https://www.shop.example/old/%d", "200"}}
	}
	gone := func(n int) audited { return audited{n, audit.NotFound, "/gone/%d/", []string{"404"}} }
	refused := audited{23, audit.Unverified, "/p/%d", []string{"403"}}
	left := audited{77, audit.Unverified, "/p/left-%d", []string{"host-left"}}
	script := func(r *audit.Row) { r.Notes = append(r.Notes, audit.NeedsJavaScript) }
	upload, decide, other, unseen := audit.Upload, audit.Decide, audit.Spelling, audit.Unseen
	return append([]state{
		{name: "shop", result: shop(), is: conclude.Mixed, headline: "52 % of your sitemap does not lead straight to a page Google can index.",
			actions: []string{"Upload these 4 files", "Decide on or repair 246 entries", "Resubmit in Search Console"}, lanes: []audit.Lane{upload, decide}},
		{name: "later", result: auditOf(func(t *audit.Result) { t.Last = lastTime() }, []audited{ok(2426), gone(256), moved(22)}), is: conclude.Mixed,
			headline: "10 % of your sitemap does not lead straight to a page Google can index.", actions: []string{"Upload this file", "Decide on 256 entries", "Resubmit in Search Console"}, lanes: []audit.Lane{upload, decide}},
		{name: "redirects", result: auditOf(nil, []audited{ok(90), moved(10)}), is: conclude.Redirects, headline: "10 % of your sitemap sends Google to another address.",
			actions: []string{"Upload this file", "Resubmit in Search Console"}, lanes: []audit.Lane{upload}},
		{name: "some-unseen", result: auditOf(nil, []audited{ok(21), moved(19), gone(12), {4, audit.Unverified, "/slow/%d", []string{"timeout"}}}), is: conclude.Mixed,
			headline: "60 % of the 52 entries checked do not lead straight to a page Google can index.", actions: []string{"Upload this file", "Decide on 12 entries", "Resubmit in Search Console"}, lanes: []audit.Lane{upload, decide, unseen}},
		{name: "clean", result: auditOf(nil, []audited{ok(60)}), is: conclude.Clean, headline: "Your sitemap is clean."},
		{name: "file-faults", result: auditOf(func(t *audit.Result) { t.Files[0].Sitemap.Faults = []audit.SitemapFault{badDate(t, 7), badDate(t, 11)} }, []audited{ok(60)}), is: conclude.FileFaults,
			headline: "Your sitemap is clean.", actions: []string{"Repair the files"}},
		{name: "wiki", result: wiki(), is: conclude.OtherSpelling, headline: "Your sitemap is right.",
			actions: []string{"Leave the sitemap as it is", "See whether Google is affected", "Only then, change the server"}, lanes: []audit.Lane{other}},
		{name: "refused", result: auditOf(nil, []audited{refused, left}), is: conclude.NotSeen, headline: "This audit could not see your site.",
			actions: []string{"Let this computer through", "Or crawl as a browser", "Ask what Google sees"}, lanes: []audit.Lane{unseen}},
		{name: "refused-in-part", result: auditOf(nil, []audited{moved(10), refused, left}), is: conclude.NotSeen, headline: "This audit could not see your site.",
			actions: []string{"Upload this file", "Let this computer through", "Or crawl as a browser"}, lanes: []audit.Lane{upload, unseen}},
		{name: "sample", result: auditOf(func(t *audit.Result) { t.Info.Partial = true }, []audited{ok(30), moved(10), {60, audit.Skipped, "/later/%d/", nil}}), is: conclude.Part,
			headline: "25 % of the 40 entries checked do not lead straight to a page Google can index.", actions: []string{"Audit the whole sitemap"}, lanes: []audit.Lane{upload}},
		{name: "stopped", result: auditOf(func(t *audit.Result) { t.Info.Partial, t.Info.Ended = true, time.Time{} }, []audited{ok(30), moved(10), {60, audit.Skipped, "/later/%d/", nil}}), is: conclude.Stopped,
			headline: "This audit was stopped before its end.", actions: []string{"Continue the audit"}, lanes: []audit.Lane{upload}},
		{name: "stopped-in-its-lists", result: auditOf(func(t *audit.Result) { t.Info.Partial, t.Info.Ended = true, time.Time{} }, []audited{ok(60)}), is: conclude.Stopped,
			headline: "This audit was stopped before its end.", actions: []string{"Continue the audit"}},
		{name: "script", result: auditOf(nil, []audited{{50, audit.OK, "/app/%d", nil}}, script), is: conclude.Script, headline: "This audit cannot judge your site.", actions: []string{"Ask what Google sees"}},
		{name: "unread", result: unread(), is: conclude.Unread, headline: "Your sitemap could not be read.", actions: []string{"Make the sitemap readable"}},
		{name: "cut-off", result: auditOf(func(t *audit.Result) {
			t.Files[0].Sitemap.Faults = []audit.SitemapFault{{Sitemap: t.Files[0].Sitemap.URL, Line: 243, Column: 9, Name: "Parsing error", Severity: "error", Key: "cut-off", Args: []string{"3"}}}
		}, []audited{ok(60)}), is: conclude.InPart, headline: "Your sitemap could be read only in part.", actions: []string{"Restore the whole file"}},
		{name: "files-only", result: auditOf(func(t *audit.Result) { t.Info.NoFetch, t.Info.Partial = true, true }, []audited{{40, audit.Skipped, "/x/%d/", nil}}), is: conclude.FilesOnly, headline: "Your sitemap files have no faults."},
		{name: "brake", result: auditOf(func(t *audit.Result) { t.Files[0].Braked = map[audit.Verdict]int{audit.NotFound: 40} }, []audited{ok(60), gone(40)}), is: conclude.Mixed,
			headline: "40 % of your sitemap does not lead straight to a page Google can index.", actions: []string{"Decide on 40 entries"}, lanes: []audit.Lane{decide}},
		{name: "password", result: auditOf(nil, []audited{{23, audit.Unverified, "/p/%d", []string{"401"}}, left}), is: conclude.NotSeen, headline: "This audit could not see your site.",
			actions: []string{"Give the password", "Ask what Google sees"}, lanes: []audit.Lane{unseen}},
		{name: "too-fast", result: auditOf(nil, []audited{{40, audit.Unverified, "/p/%d", []string{"429"}}, {20, audit.Unverified, "/q/%d", []string{"timeout"}}}), is: conclude.NotSeen,
			headline: "This audit could not see your site.", actions: []string{"Crawl more slowly", "Ask what Google sees"}, lanes: []audit.Lane{unseen}},
		{name: "lifted", result: auditOf(func(t *audit.Result) { t.Info.Rules.Lift = map[audit.Note]bool{audit.Locale: true} }, []audited{ok(40), moved(60)}, func(r *audit.Row) { r.Fix.Policy = "locale=replace" }), is: conclude.Redirects,
			headline: "60 % of your sitemap sends Google to another address.", actions: []string{"Upload this file", "Resubmit in Search Console"}, lanes: []audit.Lane{upload}},
		{name: "partly", result: auditOf(nil, []audited{ok(48), {12, audit.Unverified, "/p/%d", []string{"403"}}}), is: conclude.Partly, headline: "No fault was found in what could be checked.",
			actions: []string{"Let this computer through"}, lanes: []audit.Lane{unseen}},
		{name: "settled", result: settled(), is: conclude.Settled, headline: "There is nothing to do.", actions: []string{"Leave the file where it is"}},
		{name: "reported-only", result: reportedOnly(), is: conclude.ReportedOnly, headline: "30 of the 40 addresses Google reports need nothing.",
			actions: []string{"Look at 10 addresses that Google reports", "Name your sitemap"}},
		{name: "expected-only", result: expectedOnly(), is: conclude.ExpectedOnly, headline: "7 of 40 old addresses do not lead where they should.", actions: []string{"Correct where 7 old addresses lead"}},
		{name: "study", result: newStudy(3000).result, is: conclude.Mixed, lanes: []audit.Lane{upload, decide, other, unseen}},
		{name: "hostile", result: newStudy(0).result, is: conclude.Mixed},
	}, sectionStates()...)
}

// An audited is n entries of a file with one verdict. In loc and hops %d is their number;
// a path alone is of the shop. Of no hops there is one answer, 200.
type audited struct {
	n       int
	verdict audit.Verdict
	loc     string
	hops    []string // answers and addresses in turn, as study.trail has them
}

// at is a place of the shop with a number in it, where it has room for one.
func at(form string, i int) string {
	if form[0] == '/' {
		form = site + form
	}
	if countVerbs(form) == 0 {
		return form
	}
	return fmt.Sprintf(form, i)
}

func countVerbs(s string) (n int) {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '%' && s[i+1] == 'd' {
			n++
		}
	}
	return n
}

// auditOf is an audit of one file; change may set what else is told, each what else is of
// a row.
func auditOf(change func(*audit.Result), file []audited, each ...func(*audit.Row)) *audit.Result {
	return auditOfFiles(change, []string{"sitemap.xml"}, [][]audited{file}, each...)
}

func auditOfFiles(change func(*audit.Result), names []string, files [][]audited, each ...func(*audit.Row)) *audit.Result {
	s := &study{rand: rand.New(rand.NewPCG(7, 7)), start: time.Date(2026, 11, 22, 1, 49, 0, 0, time.UTC)}
	var list []audit.File
	n := 0
	for f, name := range names {
		u := site + "/" + name
		list = append(list, audit.File{Name: "www.shop.example/" + name, BelongsAt: u, Sitemap: audit.Sitemap{N: f, Parent: -1, URL: u, AnsweredAt: u, Kind: "urlset"}})
		var rows []audit.Row
		for _, a := range files[f] {
			for i := range a.n {
				row := s.one(a, i)
				row.Entry.N, row.Entry.Sitemap, row.Entry.Line = n, f, 3+4*len(rows)
				for _, x := range each {
					x(&row)
				}
				rows = append(rows, row)
				n++
			}
		}
		s.rows = append(s.rows, rows)
	}
	result := s.evaluate(list)
	result.Last, result.Info.Abandoned, result.Info.RobotsBad, result.Info.Started, result.Info.Ended, result.Info.Requests = nil, nil, nil, s.start, s.start.Add(time.Minute), n+1
	if result.Counts.Total(audit.OtherSpelling) == 0 {
		result.Info.AltSpellingRequests = 0
	}
	c := &result.Counts
	result.Proof = audit.Proof{Entries: c.Entries - c.Actions[audit.Drop] - c.Actions[audit.Merge], NeedDecision: c.Total(audit.NeedsDecision),
		Direct: c.Total(audit.Fine) + c.Total(audit.OtherSpelling) + c.Actions[audit.Replace], NotChecked: c.Total(audit.NotChecked), LeftOut: c.Total(audit.LeftOut)}
	if change != nil {
		change(result)
	}
	for f := range result.Files {
		result.Files[f].Changed = result.Files[f].Changed && !result.Info.Partial
	}
	return result
}

// one is the entry i of a.
func (s *study) one(a audited, i int) audit.Row {
	hops := []string{at(a.loc, i)}
	for j, h := range a.hops {
		if j%2 == 1 {
			h = at(h, i)
		}
		hops = append(hops, h)
	}
	if len(hops) == 1 {
		hops = append(hops, "200")
	}
	var row audit.Row
	if a.verdict == audit.Skipped {
		row.Entry.Loc = hops[0]
	} else {
		row = s.trail(hops...)
	}
	s.finish(&row, a.verdict)
	if a.verdict == audit.NotFound || a.verdict == audit.Noindex { // the brake holds
		row.Fix.Action, row.Notes, row.Fix.Stop = audit.Keep, []audit.Note{audit.Braked}, audit.Braked
	}
	if row.Fix.Action == audit.Merge {
		row.Fix.Action = audit.Replace
	}
	return row
}

func badDate(t *audit.Result, line int) audit.SitemapFault {
	return audit.SitemapFault{Sitemap: t.Files[0].Sitemap.URL, Line: line, Column: 14, Name: "Invalid date", Severity: "warning", Key: audit.FaultAsSaid, Args: []string{`"2026-13-01" is no date; an example is "2026-12-01".`}}
}

// shop is a shop that moved, with an index over four files.
func shop() *audit.Result {
	const p = "https://www.shop.example/products/"
	chain := func(n int) audited {
		return audited{n, audit.Moved, "http://shop.example/products/kettle-%d", []string{"301", "https://shop.example/products/kettle-%d", "301", p + "kettle-%d", "301", p + "kettle-%d/", "200"}}
	}
	http := func(n int, path string) audited {
		return audited{n, audit.Moved, "http://www.shop.example" + path, []string{"301", site + path, "200"}}
	}
	files := [][]audited{
		{{700, audit.OK, "/products/lamp-%d/", nil}, {400, audit.Moved, "/product.php?id=%d", []string{"301", p + "blue-%d/", "200"}}, chain(100)},
		{chain(100), {200, audit.Moved, "/products/cup-%d", []string{"301", p + "cup-%d/", "200"}}, {223, audit.OK, "/products/table-%d/", nil},
			{48, audit.Noncanonical, "/products/chair-%d/?color=red", nil},
			{70, audit.NotFound, "/products/gone-%d/", []string{"404"}}, {20, audit.NotFound, "/products/sold-%d/", []string{"410"}},
			{60, audit.Temporary, "/products/bowl-%d/", []string{"302", site + "/c/%d/", "200"}}, {40, audit.Temporary, "/products/rug-%d/", []string{"302", site + "/sale/", "200"}},
			{15, audit.Homepage, "/products/mat-%d/", []string{"301", site + "/", "200"}}, {12, audit.Noindex, "/products/hidden-%d/", nil},
			{5, audit.Error, "/products/broken-%d/", []string{"500"}}, {10, audit.Disallowed, "/cart-%d", []string{"robots-forbids"}}, {4, audit.Loop, "/products/round-%d/", []string{"301", p + "round-%d", "301"}}},
		{{210, audit.OK, "/pages/%d/", nil}, http(120, "/guide/how-to-%d/"), {60, audit.Moved, "/blog/2019/how-to-%d.html", []string{"301", site + "/guide/%d/", "200"}},
			{10, audit.Temporary, "/account/%d", []string{"302", site + "/login?next=%d", "200"}}},
		{{174, audit.OK, "/ja/goods/%d/", nil}, http(106, "/en/goods/%d/"), {12, audit.Respelled, "/ja/goods/%%e6%%b9%%af-%d/", []string{"301", site + "/ja/goods/%%E6%%B9%%AF-%d/", "200"}},
			{8, audit.Moved, "/ja/help/%d.html", []string{"301", site + "/ja/help/%d", "200"}}},
	}
	names := []string{"sitemap-products-1.xml.gz", "sitemap-products-2.xml.gz", "sitemap-pages.xml.gz", "sitemap-intl.xml.gz"}
	return auditOfFiles(func(t *audit.Result) {
		for i := range t.Files {
			t.Files[i].Sitemap.Generator = "ShopCMS 4.2"
		}
		var faults []audit.SitemapFault
		for i := range 100 {
			faults = append(faults, audit.SitemapFault{Sitemap: t.Files[2].Sitemap.URL, Line: 3 + 4*(210+i), Column: 6, Name: "URL not allowed", Severity: "warning", Key: audit.FaultAsSaid, Args: []string{"The scheme is http, that of the sitemap https."}})
		}
		t.Files[2].Sitemap.Faults = append(faults, badDate(t, 7))
	}, names, files)
}

// wiki is a wiki in EUC-JP that redirects parentheses back to their encoded form.
func wiki() *audit.Result {
	result := auditOf(nil, []audited{
		{232, audit.OK, "http://wiki.example/wiki/wiki.cgi?page-%d", nil},
		{63, audit.SpellingBounce, "http://wiki.example/wiki/wiki.cgi?mod_cache%%A4%%C7Wiki%%A4%%F2%%B9%%E2%%C2%%AE%%B2%%BD%%28%d%%29", nil},
	}, func(r *audit.Row) { r.Address = address.Wire(r.Address.String()) })
	f := &result.Files[0]
	f.Name, f.BelongsAt, f.Sitemap.URL, f.Sitemap.AnsweredAt = "wiki.example/sitemap.xml", "http://wiki.example/sitemap.xml", "http://wiki.example/sitemap.xml", "http://wiki.example/sitemap.xml"
	result.Info.Targets = []string{"http://wiki.example/sitemap.xml"}
	return result
}

// unread is an audit of a sitemap that is not there.
func unread() *audit.Result {
	u := site + "/sitemap.xml"
	return audit.MakeResult(audit.Result{Info: audit.Info{Targets: []string{u}, Identity: "googlebot", Started: time.Date(2026, 11, 22, 1, 49, 0, 0, time.UTC), Ended: time.Date(2026, 11, 22, 1, 50, 0, 0, time.UTC), Requests: 1},
		Files: []audit.File{{Sitemap: audit.Sitemap{URL: u, AnsweredAt: u, Parent: -1, Status: 404, Faults: []audit.SitemapFault{{Sitemap: u, Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"the server answered 404"}}}}}}},
		func(int) iter.Seq2[audit.Row, error] { return func(func(audit.Row, error) bool) {} }, nil)
}

// settled is an audit of a file that moved as a whole, and whose entries are listed there already.
func settled() *audit.Result {
	result := auditOf(func(t *audit.Result) { t.Files[0].Alone = audit.HeldMoved }, []audited{{30, audit.Moved, "/old/%d", []string{"301", "/new/%d", "200"}}}, func(r *audit.Row) {
		r.Fix.Action, r.Fix.Loc, r.Fix.Stop, r.Notes = audit.Keep, "", audit.HeldMoved, []audit.Note{audit.HeldMoved}
	})
	return result
}

// reportedOnly is an export of Search Console for a site without a sitemap: of each four
// addresses three redirect as they should, and one is gone.
func reportedOnly() *audit.Result {
	s := &study{rand: rand.New(rand.NewPCG(7, 7)), start: time.Date(2026, 11, 22, 1, 49, 0, 0, time.UTC)}
	result := s.evaluate(nil)
	result.Info = audit.Info{Targets: []string{site}, Identity: "googlebot", Started: s.start, Ended: s.start.Add(time.Minute), Requests: 90}
	sc := &audit.SearchConsole{NoSitemap: true, Exports: []audit.ReportedExport{{Name: "shop.example-Coverage.zip", Addresses: 40}}}
	var rows []audit.ReportedRow
	for i := range 40 {
		kind := 0
		if i%4 == 3 {
			kind = slices.IndexFunc(advices, func(a advised) bool { return a.class == audit.NotInSitemapBroken })
		}
		r := s.reported(kind)
		sc.Add(&r)
		rows = append(rows, r)
	}
	return result.WithReported(sc, func() iter.Seq2[audit.ReportedRow, error] {
		return func(yield func(audit.ReportedRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
}

// expectedOnly is a map of 40 old addresses for a site without a sitemap: 33 lead where they should, 4
// elsewhere, and 3 are not found, one of them with a suggestion.
func expectedOnly() *audit.Result {
	s := &study{rand: rand.New(rand.NewPCG(7, 7)), start: time.Date(2026, 11, 22, 1, 49, 0, 0, time.UTC)}
	result := s.evaluate(nil)
	result.Info = audit.Info{Targets: []string{site}, Identity: "googlebot", Started: s.start, Ended: s.start.Add(time.Minute), Requests: 77}
	list := &audit.ExpectedList{Name: "map.csv"}
	var rows []audit.ExpectedRow
	for i := range 40 {
		r := audit.ExpectedRow{Row: s.trail(at("/old/%d/", i), "301", at("/new/%d/", i), "200"),
			Expectation: audit.Expectation{Line: i + 2, To: address.Wire(at("/new/%d/", i)), Hops: 1}}
		switch {
		case i >= 37:
			r.Row = s.trail(at("/old/%d/", i), "404")
			r.Why, r.Hops = audit.UnmetNotFound, 0
		case i >= 33:
			r.To, r.Why = address.Wire(at("/guide/%d/", i)), audit.UnmetTarget
		}
		r.Address = address.Wire(at("/old/%d/", i))
		if i == 39 {
			r.Suggestion, r.Similarity = address.Wire(at("/shop/%d/", i)), .8
		}
		list.Add(&r)
		rows = append(rows, r)
	}
	return result.WithExpected(list, func() iter.Seq2[audit.ExpectedRow, error] {
		return func(yield func(audit.ExpectedRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
}

// lastTime is what the audit before the later one counted.
func lastTime() *audit.Last {
	return &audit.Last{At: time.Date(2026, 11, 22, 1, 35, 0, 0, time.UTC), Since: &audit.Since{Corrected: 1154, Applied: 1154, New: 22},
		Groups: map[audit.Group]int{audit.Fine: 1307, audit.Corrected: 1154, audit.NeedsDecision: 246}}
}
