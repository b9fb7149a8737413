package report

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

var checked = time.Date(2026, 11, 21, 10, 2, 11, 0, time.UTC)

// walk builds a trail from lines such as "http://a.example/old 301 /new",
// "http://a.example/ 0 refresh /x" or "http://a.example/ timeout".
func walk(end audit.End, lines ...string) audit.Trail {
	t := audit.Trail{End: end}
	for i, line := range lines {
		words := strings.Fields(line)
		hop := audit.Hop{Request: audit.Request{URL: words[0]}, MS: 9 + i, At: checked}
		step := audit.Step{Hop: hop}
		if _, err := fmt.Sscan(words[1], &step.Hop.Status); err != nil {
			step.Hop.Fault = audit.Fault(words[1])
		}
		if len(words) > 2 {
			step.Hop.Location = words[2]
			step.Next, _ = address.Resolve(address.Wire(words[0]), words[2])
			step.Kind, step.Permanent = audit.ByHTTP, step.Hop.Status == 301 || step.Hop.Status == 308
		}
		t.Steps = append(t.Steps, step)
	}
	return t
}

// entry makes a row as audit would: what follows from the trail is filled in.
func entry(line int, loc string, v audit.Verdict, fix audit.Fix, t audit.Trail) audit.Row {
	r := audit.Row{Entry: audit.Entry{Loc: loc, Line: line}, Verdict: v, Fix: fix, Trail: t, CheckedAt: checked}
	r.Address, _ = address.Parse(loc)
	if len(t.Steps) > 0 {
		last := t.Steps[len(t.Steps)-1].Hop
		r.Status = last.Status
		if t.End == audit.EndAnswer || t.End == audit.EndUnseen {
			r.Final = address.Wire(last.URL)
		}
	}
	return r
}

func kept(why string) audit.Fix {
	return audit.Fix{Action: audit.Keep, Policy: "default", Why: audit.Why{Key: why}}
}

func replaced(by string) audit.Fix {
	return audit.Fix{Action: audit.Replace, Loc: by, Policy: "default", Why: audit.Why{Key: "moved"}}
}

// shop is an audit of two sitemaps whose rows have most verdicts.
func shop() *audit.Result {
	const base = "http://shop.example"
	ok := entry(3, base+"/", audit.OK, kept("answers 200"), walk(audit.EndAnswer, base+"/ 200"))
	ok.Trail.Steps[0].Hop.Page = audit.Page{Title: `=HYPERLINK("http://evil.example")`, Canonical: "/#top", Robots: "index, follow", ContentType: "text/html"}

	moved := entry(5, base+"/old?a=1&b=(2)", audit.Moved, replaced("https://shop.example/new"),
		walk(audit.EndAnswer, base+"/old?a=1&b=(2) 301 https://shop.example/new", "https://shop.example/new 200"))
	moved.Reasons = []address.Reason{address.Path, address.Scheme}

	merged := entry(6, base+"/older", audit.Moved, audit.Fix{Action: audit.Merge, Loc: "https://shop.example/new", Policy: "default", Why: audit.Why{Key: "listed already"}},
		walk(audit.EndAnswer, base+"/older 301 /old2", base+"/old2 302 https://shop.example/new", "https://shop.example/new 200"))
	merged.Notes = []audit.Note{"hops-2"}

	gone := entry(7, base+"/gone", audit.NotFound, audit.Fix{Action: audit.Drop, Policy: "default", Why: audit.Why{Key: "not found"}},
		walk(audit.EndAnswer, base+"/gone 404"))

	loop := entry(8, base+"/a", audit.Loop, kept("the redirects lead back"), walk(audit.EndLoop, base+"/a 302 /b", base+"/b 302 /a"))

	private := entry(9, base+"/private", audit.Disallowed, kept("robots.txt forbids it"), walk(audit.EndForbidden, base+"/private robots-forbids"))
	private.Trail.Steps[0].Hop.MS = 0
	private.Trail.Steps[0].Hop.Forbidden = "Disallow: /private"

	refused := entry(10, base+"/refused", audit.Unverified, kept("we could not see what Google sees"), walk(audit.EndUnseen, base+"/refused 403"))

	bounce := entry(2, base+"/x%281%29", audit.SpellingBounce, kept("the sitemap is right"), walk(audit.EndAnswer, base+"/x%281%29 200"))
	other := walk(audit.EndAnswer, base+"/x(1) 301 /x%281%29", base+"/x%281%29 200")
	bounce.Other, bounce.Reasons = &other, []address.Reason{address.Reserved}

	bad := entry(3, "shop.example/\xe9\x1b[2J", audit.Invalid, audit.Fix{Action: audit.Drop, Policy: "default", Why: audit.Why{Key: "no absolute http(s) URL"}}, audit.Trail{})
	broken := entry(4, base+"/broken", audit.Error, kept("the server answers with an error"), walk(audit.EndAnswer, base+"/broken 500"))
	skipped := entry(5, base+"/%E5%BA%97", audit.Skipped, kept("not asked"), audit.Trail{})
	skipped.CheckedAt = time.Time{}

	return result([][]audit.Row{{ok, moved, merged, gone, loop, private, refused}, {bounce, bad, broken, skipped}})
}

// told makes an audit of rows by file, counted as audit counts them.
func result(files [][]audit.Row) *audit.Result {
	t := audit.Result{Info: audit.Info{ID: "20261121T100211Z", Targets: []string{"http://shop.example"}, Identity: "googlebot", Agent: "Mozilla/5.0 (compatible; Googlebot/2.1)",
		Tool: "sitemend 1.0", Rules: audit.Rules{Spelling: address.Googlebot}, Started: checked, Ended: checked.Add(14 * time.Minute), Duration: 14 * time.Minute, Requests: 6204}}
	for i, rows := range files {
		name := fmt.Sprintf("shop.example/sitemap%d.xml", i+1)
		f := audit.File{Name: name, Sitemap: audit.Sitemap{N: i, URL: "http://" + name, AnsweredAt: "http://" + name, Kind: "urlset", Spool: "x"}, BelongsAt: "http://" + name}
		for _, r := range rows {
			fixture.Count(&f.Counts, &r)
			fixture.Count(&t.Counts, &r)
			f.Changed = f.Changed || r.Fix.Action != audit.Keep
		}
		t.Files = append(t.Files, f)
	}
	return audit.MakeResult(t, func(file int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) {
			for _, r := range files[file] {
				if !yield(r, nil) {
					return
				}
			}
		}
	}, nil)
}
