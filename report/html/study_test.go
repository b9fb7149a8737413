package html

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

// hostile are addresses that a site may list to harm the reader of a report.
var hostile = []string{
	`https://shop.example/</script><img src=x onerror=alert(1)>`,
	`javascript:alert(document.domain)`,
	`https://shop.example/` + "\u202egnp.exe",
	`https://shop.example/` + strings.Repeat("very-long-", 200),
	"https://shop.example/\xe9\xff\x00caf\xe9",
	`https://shop.example/"><svg onload=alert(2)>?{{.}}${alert(3)}&lt;b&gt;`,
	`https://shop.example/'--><!--<script>`,
	"https://shop.example/line\u2028separator\nnew",
	`=cmd|'/c calc'!A1`,
	`＝1+1`,
}

// A study is a made-up audit that looks like a real one: n entries in seven
// files of a Japanese shop, with every verdict, the same for the same n.
type study struct {
	rows   [][]audit.Row
	result *audit.Result
	rand   *rand.Rand
	start  time.Time
}

func newStudy(n int) *study {
	s := &study{rand: rand.New(rand.NewPCG(7, 7)), start: time.Date(2026, 11, 21, 10, 2, 0, 0, time.UTC)}
	files := s.files()
	s.rows = make([][]audit.Row, len(files))
	for i := range n {
		f := 1 + i*(len(files)-2)/n
		row := s.row(i)
		row.Entry.N, row.Entry.Sitemap, row.Entry.Line = i, f, 3+4*len(s.rows[f])
		s.rows[f] = append(s.rows[f], row)
	}
	for i, loc := range hostile {
		s.rows[1] = append(s.rows[1], s.listed(loc, 3+4*(len(s.rows[1])+i)))
	}
	s.result = s.evaluate(files)
	s.result.Files[1].Braked = map[audit.Verdict]int{audit.Noindex: s.result.Counts.Notes[audit.Braked]}
	return s
}

// newLongStudy is a study of which every third entry has redirects to addresses of
// nearly 8,000 bytes, each of which JSON writes in six: such a row is 200 KB.
func newLongStudy(n int) *study {
	s := newStudy(n)
	for f := range s.rows {
		for i := 0; i < len(s.rows[f]); i += 3 {
			old := &s.rows[f][i].Entry
			at := fmt.Sprintf("https://www.shop.example/%d/%d/", f, i)
			row := s.trail(at, "301", at+"1/"+strings.Repeat("&", 7900), "301", at+"2/"+strings.Repeat("&", 7900), "200")
			row.Entry.N, row.Entry.Sitemap, row.Entry.Line = old.N, old.Sitemap, old.Line
			s.finish(&row, audit.Moved)
			s.rows[f][i] = row
		}
	}
	s.result = s.evaluate(s.files())
	return s
}

func (s *study) files() []audit.File {
	names := []struct{ path, kind, generator string }{
		{"sitemap_index.xml", "index", "yoast"}, {"product-sitemap.xml", "urlset", "yoast"}, {"product-sitemap2.xml", "urlset", "yoast"},
		{"blog/sitemap.xml.gz", "urlset", ""}, {"ja/news.xml", "rss", ""}, {"help/sitemap.txt", "text", ""}, {"old/sitemap.xml", "", ""},
	}
	var out []audit.File
	for i, x := range names {
		u := "https://www.shop.example/" + x.path
		out = append(out, audit.File{Name: "www.shop.example/" + x.path, BelongsAt: u, Sitemap: audit.Sitemap{
			N: i, URL: u, AnsweredAt: u, Kind: x.kind, Generator: x.generator, Gzip: strings.HasSuffix(x.path, ".gz"),
		}})
	}
	out[1].Sitemap.Faults = []audit.SitemapFault{{Sitemap: out[1].Sitemap.URL, Line: 812, Column: 14, Name: "Invalid date", Severity: "warning", Key: audit.FaultAsSaid, Args: []string{`"2026-13-01" is no date; an example is "2026-12-01".`}}}
	out[6].Sitemap.Faults = []audit.SitemapFault{{Sitemap: out[6].Sitemap.URL, Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: []string{`<img src=x onerror=alert(4)> the server answered 503.`}}}
	return out
}

var (
	sections = []string{"products", "blog", "news", "help", "stores", "ja/お知らせ", "ja/会社概要", "ja/カテゴリ"}
	things   = []string{"lens", "tripod", "rice-cooker", "bicycle", "table", "helmet", "cable", "case"}
	places   = []string{"kyoto", "osaka", "naha", "sapporo", "tokyo", "nagoya"}
)

func pick[T any](s *study, list []T) T { return list[s.rand.IntN(len(list))] }

func (s *study) path() string {
	return "/" + pick(s, sections) + "/" + pick(s, things) + "-" + pick(s, places) + fmt.Sprintf("-%05d", s.rand.IntN(100000))
}

// shape is how a row of one kind is made: what its trail answers.
type shape struct {
	share   int
	verdict audit.Verdict
	make    func(s *study, path string) audit.Row
}

const site = "https://www.shop.example"

var shapes = []shape{
	{700, audit.OK, func(s *study, p string) audit.Row { return s.trail(site+p, "200") }},
	{120, audit.Moved, func(s *study, p string) audit.Row { return s.trail("http://www.shop.example"+p, "301", site+p, "200") }},
	{30, audit.Moved, func(s *study, p string) audit.Row {
		return s.trail("http://shop.example"+p, "301", "https://shop.example"+p, "301", site+p, "308", site+p+"/", "200")
	}},
	{40, audit.Respelled, func(s *study, p string) audit.Row {
		return s.trail(site+strings.ToLower(wire(site + p + "-カテゴリ")[len(site):]), "301", site+p+"-カテゴリ", "200")
	}},
	{20, audit.Temporary, func(s *study, p string) audit.Row { return s.trail(site+p, "302", site+p+"?ref=sale", "200") }},
	{6, audit.Loop, func(s *study, p string) audit.Row { return s.trail(site+p, "301", site+p+"/", "301") }},
	{2, audit.TooManyRedirects, func(s *study, p string) audit.Row {
		return s.trail(site+p, "301", site+p+"/1", "301", site+p+"/2", "302", site+p+"/3", "301", site+p+"/4", "301", site+p+"/5", "301")
	}},
	{25, audit.NotFound, func(s *study, p string) audit.Row { return s.trail(site+p, "404") }},
	{5, audit.Error, func(s *study, p string) audit.Row { return s.trail(site+p, "500") }},
	{3, audit.Offsite, func(s *study, p string) audit.Row {
		return s.trail(site+p, "301", "https://elsewhere.example"+p, "200")
	}},
	{5, audit.Homepage, func(s *study, p string) audit.Row { return s.trail(site+p, "301", site+"/", "200") }},
	{4, audit.Soft404, func(s *study, p string) audit.Row { return s.trail(site+p, "200") }},
	{10, audit.Noindex, func(s *study, p string) audit.Row { return s.trail(site+p, "200") }},
	{6, audit.Noncanonical, func(s *study, p string) audit.Row { return s.trail(site+p+"?color=red", "200") }},
	{4, audit.Disallowed, func(s *study, p string) audit.Row { return s.trail(site+"/private"+p, "robots-forbids") }},
	{8, audit.Unverified, func(s *study, p string) audit.Row {
		return s.trail(site+p, pick(s, []string{"403", "429", "timeout", "host-left"}))
	}},
	{6, audit.SpellingBounce, func(s *study, p string) audit.Row { return s.trail(site+p+"%284%29", "200") }},
	{3, audit.SpellingConflict, func(s *study, p string) audit.Row { return s.trail(site+p+"%28a%29", "200") }},
	{3, audit.Skipped, func(s *study, p string) audit.Row { return audit.Row{} }},
}

func wire(loc string) string {
	a, _ := address.Parse(loc)
	return a.String()
}

func (s *study) row(i int) audit.Row {
	at := i
	if i >= len(shapes) {
		at = s.rand.IntN(1000)
		for k, x := range shapes {
			if at -= x.share; at < 0 {
				at = k
				break
			}
		}
		at = min(at, len(shapes)-1)
	}
	x, p := shapes[at], s.path()
	row := x.make(s, p)
	if row.Entry.Loc == "" {
		row.Entry.Loc = site + p
	}
	s.finish(&row, x.verdict)
	return row
}

// trail makes a row whose hops are pairs of address and answer.
func (s *study) trail(hops ...string) audit.Row {
	row := audit.Row{Entry: audit.Entry{Loc: hops[0]}, CheckedAt: s.start}
	for i := 0; i+1 < len(hops); i += 2 {
		step := audit.Step{Hop: audit.Hop{Request: audit.Request{URL: wire(hops[i])}, MS: 8 + s.rand.IntN(300), At: s.start}}
		if _, err := fmt.Sscan(hops[i+1], &step.Hop.Status); err != nil {
			step.Hop.Status, step.Hop.Fault = 0, audit.Fault(hops[i+1])
		}
		if i+2 < len(hops) {
			step.Next = address.Wire(wire(hops[i+2]))
			step.Kind, step.Permanent = audit.ByHTTP, hops[i+1] == "301" || hops[i+1] == "308"
			step.Hop.Location = step.Next.String()
		}
		row.Trail.Steps = append(row.Trail.Steps, step)
	}
	last := row.Trail.Steps[len(row.Trail.Steps)-1]
	row.Trail.End, row.Status, row.Final = audit.EndAnswer, last.Hop.Status, address.Wire(last.Hop.URL)
	return row
}

// finish gives row the fix, reasons, notes and second trail of its verdict.
func (s *study) finish(row *audit.Row, v audit.Verdict) {
	row.Verdict = v
	row.Address, _ = address.Parse(row.Entry.Loc)
	row.Fix = audit.Fix{Action: audit.Keep, Policy: "default", Why: audit.Why{Key: "keep-ok"}}
	end := row.Final
	switch v {
	case audit.Moved, audit.Respelled:
		row.Fix = audit.Fix{Action: audit.Replace, Loc: end.String(), Policy: "default", Why: audit.Why{Key: "replace-moved"}}
		if s.rand.IntN(25) == 0 {
			row.Fix.Action = audit.Merge
		}
	case audit.Noncanonical:
		end = address.Wire(strings.TrimSuffix(row.Address.String(), "?color=red"))
		row.Trail.Steps[0].Hop.Page.Canonical = end.String()
		row.Fix = audit.Fix{Action: audit.Replace, Loc: end.String(), Policy: "default", Why: audit.Why{Key: "replace-noncanonical"}}
	case audit.NotFound, audit.Noindex:
		row.Fix = audit.Fix{Action: audit.Drop, Policy: "default", Why: audit.Why{Key: "drop-noindex"}}
		row.Trail.Steps[0].Hop.Page.Title = "見つかりません </title><script>alert(5)</script>"
		if s.rand.IntN(3) == 0 {
			row.Fix.Action, row.Notes = audit.Keep, []audit.Note{audit.Braked}
		}
	case audit.Loop:
		row.Trail.End, row.Final = audit.EndLoop, address.Address{}
	case audit.TooManyRedirects:
		row.Trail.End, row.Final = audit.EndTooMany, address.Address{}
	case audit.Disallowed:
		row.Trail.End, row.Final = audit.EndForbidden, address.Address{}
		row.Trail.Steps[0].Hop.Forbidden, row.Trail.Steps[0].Hop.ForbiddenLine = "Disallow: /private", 4
	case audit.Unverified:
		row.Trail.End = audit.EndUnseen
	case audit.SpellingBounce, audit.SpellingConflict:
		end = s.second(row, v)
	}
	if n := len(row.Trail.Steps) - 1; n > 1 {
		row.Notes = append(row.Notes, audit.Note(fmt.Sprintf("hops-%d", n)))
	}
	if !end.IsZero() {
		row.Reasons = address.Compare(row.Address, end)
	}
}

// second gives row the trail of its second spelling and returns that spelling.
func (s *study) second(row *audit.Row, v audit.Verdict) address.Address {
	second := address.Googlebot.Spell(row.Address)
	other := s.trail(second.String(), "301", row.Address.String(), "200").Trail
	if v == audit.SpellingConflict {
		other = s.trail(second.String(), "404").Trail
	}
	row.Other = &other
	return second
}

// listed is a row for a hostile loc: invalid, or moved as far as it parses.
func (s *study) listed(loc string, line int) audit.Row {
	a, err := address.Parse(loc)
	if err != nil {
		return audit.Row{Entry: audit.Entry{Sitemap: 1, Loc: loc, Line: line}, Verdict: audit.Invalid, Syntax: err.Error(),
			Fix: audit.Fix{Action: audit.Drop, Policy: "default", Why: audit.Why{Key: "drop-invalid"}}}
	}
	row := s.trail(loc, "302", a.String()+"?to=<script>alert(6)</script>", "200")
	row.Entry.Sitemap, row.Entry.Line = 1, line
	s.finish(&row, audit.Temporary)
	return row
}

func (s *study) evaluate(files []audit.File) *audit.Result {
	t := audit.Result{Files: files, Last: lastStudy(), Info: audit.Info{
		ID: "20261121T100200Z", Targets: []string{"https://www.shop.example"}, Identity: "googlebot", Agent: "Mozilla/5.0 (compatible; Googlebot/2.1)",
		Tool: "1.0", Started: s.start, Ended: s.start.Add(14 * time.Minute), Duration: 14 * time.Minute, Requests: 6204, AltSpellingRequests: 311, Abandoned: map[string]int{"cdn.shop.example": 403},
		RobotsBad: []string{"https://img.shop.example"},
	}}
	var causes audit.Causes
	var spellings audit.Spellings
	for f := range s.rows {
		for i := range s.rows[f] {
			causes.See(&s.rows[f][i])
		}
	}
	for f := range s.rows {
		for i := range s.rows[f] {
			row := &s.rows[f][i]
			fixture.Count(&t.Counts, row)
			fixture.Count(&t.Files[f].Counts, row)
			t.Files[f].Changed = t.Files[f].Changed || row.Fix.Action != audit.Keep
			causes.Add(row)
			spellings.Add(row)
		}
	}
	t.Causes, t.Spellings = causes.List(), spellings.List()
	t.Proof = audit.Proof{Entries: t.Counts.Entries - t.Counts.Actions[audit.Drop], Direct: t.Counts.Verdicts[audit.OK], NeedDecision: t.Counts.Total(audit.NeedsDecision), NotChecked: 4}
	return audit.MakeResult(t, func(f int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) {
			for _, row := range s.rows[f] {
				if !yield(row, nil) {
					return
				}
			}
		}
	}, nil)
}

// lastStudy is what the audit before that of the study counted.
func lastStudy() *audit.Last {
	return &audit.Last{At: time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC), Groups: map[audit.Group]int{
		audit.Fine: 3480, audit.Corrected: 1020, audit.TakenOut: 180, audit.NeedsDecision: 230, audit.OtherSpelling: 45, audit.NotChecked: 40,
	}}
}
