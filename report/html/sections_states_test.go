package html

import (
	"fmt"
	"iter"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
)

// sectionStates are audits whose pages have a section of their own, and where nothing may be
// uploaded, or elsewhere.
func sectionStates() []state {
	ok := func(n int) audited { return audited{n, audit.OK, "/ok/%d/", nil} }
	moved := func(n int) audited {
		return audited{n, audit.Moved, "http://www.shop.example/old/%d", []string{"301", "https://www.shop.example/old/%d", "200"}}
	}
	temporary := func(n int) audited {
		return audited{n, audit.Temporary, "/bowl-%d/", []string{"302", site + "/bowls/%d/", "200"}}
	}
	upload, decide, other := audit.Upload, audit.Decide, audit.Spelling
	mixed := "37 % of your sitemap sends Google to another address."
	uploads := []string{"Upload this file", "Decide on 8 entries", "Resubmit in Search Console"}
	return []state{
		{name: "no-upload", result: auditOf(nil, []audited{ok(92), temporary(8)}), is: conclude.Redirects, headline: "8 % of your sitemap sends Google to another address.",
			actions: []string{"Decide on 8 entries"}, lanes: []audit.Lane{decide}},
		{name: "moved-away", result: movedAway(), is: conclude.Redirects, headline: "100 % of your sitemap sends Google to another address.", lanes: []audit.Lane{upload}},
		{name: "reported", result: reporting(300, 336), is: conclude.Mixed, lanes: []audit.Lane{upload, decide, other, audit.Unseen}},
		{name: "also", result: naming(auditOf(nil, []audited{ok(60), moved(30), temporary(8)})), is: conclude.Redirects, headline: "39 % of your sitemap sends Google to another address.",
			actions: uploads, lanes: []audit.Lane{upload, decide}},
		{name: "links", result: linking(auditOf(nil, []audited{ok(63), moved(29), temporary(8)})), is: conclude.Redirects, headline: mixed, actions: uploads, lanes: []audit.Lane{upload, decide}},
		{name: "expected", result: expecting(auditOf(nil, []audited{ok(63), moved(29), temporary(8)})), is: conclude.Redirects, headline: mixed, actions: uploads, lanes: []audit.Lane{upload, decide}},
		{name: "site", result: building(auditOf(nil, []audited{ok(63), moved(29), temporary(8)})), is: conclude.Redirects, headline: mixed, actions: uploads, lanes: []audit.Lane{upload, decide}},
		{name: "logs", result: logged(), is: conclude.Mixed},
	}
}

// movedAway is a file whose entries all moved to another origin, where it now belongs.
func movedAway() *audit.Result {
	return auditOf(func(t *audit.Result) {
		f := &t.Files[0]
		f.Moved, f.BelongsAt, f.Name = true, "https://www.new-shop.example/sitemap.xml", "www.new-shop.example/sitemap.xml"
	}, []audited{{30, audit.Moved, "/old/%d", []string{"301", "https://www.new-shop.example/%d/", "200"}}})
}

// naming adds what sitemaps name beside their entries: alternates, images and videos, some of
// each not fine.
func naming(result *audit.Result) *audit.Result {
	s := &study{start: result.Info.Started, rand: newStudy(0).rand}
	lists, rows := make([]audit.AlsoSum, len(audit.AlsoLists())), make([][]audit.Row, len(audit.AlsoLists()))
	for n, list := range audit.AlsoLists() {
		lists[n].List = list
		for i := range 9 {
			loc := fmt.Sprintf("%s/%s/kyoto-kettle-in-a-very-long-name-%d/?lang=ja", site, list, i)
			row, v := s.trail(loc, "200"), audit.OK
			switch i {
			case 3, 4:
				row, v = s.trail(loc, "301", fmt.Sprintf("%s/ja/%s/%d/", site, list, i), "200"), audit.Moved
			case 5:
				row, v = s.trail(loc, "404"), audit.NotFound
			case 6:
				row, v = s.trail(loc, "403"), audit.Unverified
			}
			s.finish(&row, v)
			row.Entry.Also = &audit.Also{List: list, Of: 1 + i}
			for k := range min(1+i, audit.MaxNamings) {
				row.Entry.Also.By = append(row.Entry.Also.By, audit.Naming{Line: 3 + 4*k, Loc: fmt.Sprintf("%s/ok/%d/", site, k)})
			}
			fixture.Count(&lists[n].Counts, &row)
			rows[n] = append(rows[n], row)
		}
	}
	return result.WithAlso(lists, func(n int) iter.Seq2[audit.Row, error] { return each(rows[n]) })
}

// each yields rows.
func each[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// linking adds what the links of 412 pages say, a row of each kind and advice.
func linking(result *audit.Result) *audit.Result {
	l := &audit.Linked{Pages: 412, Fine: 1388, Old: map[audit.Verdict]audit.LinkCount{audit.Moved: {Targets: 2}, audit.NotFound: {Targets: 1}}}
	var from []string
	for i := range 5 {
		from = append(from, fmt.Sprintf("%s/ja/catalogue/kitchen/kettles-and-pots/page-%d/", site, i))
	}
	old := audit.LinkRow{Kind: audit.LinkedOld, Target: "http://www.shop.example/old/a-page-with-quite-a-long-name-that-moved", Verdict: audit.Moved,
		RedirectsTo: site + "/new/a-page-with-quite-a-long-name-that-moved/", LinkTo: site + "/new/a-page-with-quite-a-long-name-that-moved/", Pages: 412, Template: 412, Examples: from}
	old.Places[audit.InFooter] = 412
	some := audit.LinkRow{Kind: audit.LinkedOld, Target: site + "/bowl-1/", Verdict: audit.Temporary, RedirectsTo: site + "/bowls/1/", Pages: 3, Nofollow: 1, Examples: from[:3]}
	some.Places[audit.InMain] = 4
	gone := audit.LinkRow{Kind: audit.LinkedOld, Target: site + "/gone/", Verdict: audit.NotFound, Pages: 1, Examples: from[:1]}
	gone.Places[audit.InBody] = 1
	l.First[audit.LinkedOld], l.Kinds[audit.LinkedOld].Targets = []audit.LinkRow{old, some, gone}, 3
	l.First[audit.LinkedUnlisted] = []audit.LinkRow{{Kind: audit.LinkedUnlisted, Target: site + "/unlisted/", Verdict: audit.OK, Pages: 7, Template: 7, Examples: from},
		{Kind: audit.LinkedUnlisted, Target: site + "/unlisted-%284%29", Pages: 1, Listed: audit.OtherSpellingInSitemap, Examples: from[:1]}}
	l.Kinds[audit.LinkedUnlisted].Targets = 201
	l.First[audit.Unlinked] = []audit.LinkRow{{Kind: audit.Unlinked, Target: site + "/ok/7/", Verdict: audit.OK, Sitemap: site + "/sitemap.xml", Line: 31}}
	l.Kinds[audit.Unlinked].Targets = 1
	result.Linked = l
	return result
}

// expecting adds a map of 40 old addresses: a line for each reason why one is not met, and one
// address that the map does not have.
func expecting(result *audit.Result) *audit.Result {
	s := &study{start: result.Info.Started, rand: newStudy(0).rand}
	list := &audit.ExpectedList{Name: "map.csv"}
	var rows []audit.ExpectedRow
	for i := range 40 {
		old, to := at("/old-shop/catalogue/kettle-%d.html", i), at("/products/kettles/kettle-%d/", i)
		r := audit.ExpectedRow{Row: s.trail(old, "301", to, "200"), Expectation: audit.Expectation{Line: i + 2, To: address.Wire(to), Hops: 1}}
		if whys := audit.Unmets(); i < len(whys) {
			r.Why = whys[i]
			switch r.Why {
			case audit.UnmetNotFound:
				r.Row, r.Hops = s.trail(old, "404"), 0
				r.Suggestion, r.Similarity = address.Wire(to), .8
			case audit.UnmetHops:
				r.Row, r.Hops = s.trail(old, "301", old+"/", "301", to, "200"), 2
			}
		}
		r.Address = address.Wire(old)
		list.Add(&r)
		rows = append(rows, r)
	}
	return result.WithExpected(list, func() iter.Seq2[audit.ExpectedRow, error] { return each(rows) })
}

// building makes it the audit of a static build with faults in its rules.
func building(result *audit.Result) *audit.Result {
	result.Build = &audit.Build{Dir: "public", Origin: site, Host: "netlify", RecognizedBy: "netlify.toml", Date: "2026-11", Online: true, Untried: 12,
		Files: []audit.RuleFile{{Name: "_redirects", Path: "public/_redirects", Rules: 213, Faults: map[string]int{"rule-loop": 1, "rule-chain": 3}, Errors: 1}},
		Findings: []audit.RuleFinding{
			{RuleAt: audit.RuleAt{File: "_redirects", Line: 7}, Fault: "rule-loop", Error: true, Text: "/old-shop/catalogue/* /old-shop/catalogue/:splat 301", Key: "rule-loop", Args: []string{"/old-shop/catalogue/a"}},
			{RuleAt: audit.RuleAt{File: "_redirects", Line: 9}, Fault: "rule-chain", Text: "/a /b 301", Key: "rule-chain", Args: []string{"/c", "2"}},
		}}
	return result
}

// logged is the wiki with access logs, which show that Googlebot asks in the other spelling.
func logged() *audit.Result {
	s, _, _, _ := witnessed()
	logs := noLogs()
	logs.Files = 2
	s.result.Logs = logs
	return s.result
}
