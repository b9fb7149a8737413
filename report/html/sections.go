package html

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// A section is a part of the page: what it comes to in sentences, and tables of evidence.
type section struct {
	ID            string
	Nav           page.Phrase // its name in the bar on top
	Heading       page.Phrase
	Lead, Remarks []page.Phrase
	Expert        []page.Phrase // remarks for experts alone
	Tables        []page.Table
	Link          *page.Link
}

// newSection is a section of that name; remarks are the sentences below its lead.
func newSection(id string, lead page.Phrase, remarks ...page.Phrase) *section {
	name := say(id)
	if id == "logs" {
		name = page.Raw("Googlebot")
	}
	return &section{ID: id, Nav: name, Heading: name, Lead: []page.Phrase{lead}, Remarks: remarks}
}

// shownRows is how many rows a table of evidence shows; the CSV file of its section has all.
const shownRows = 100

// moreIn says that of all rows those which are not shown are in a file; nil where all are.
func moreIn(file string, all, shown int) page.Phrase {
	if all <= shown {
		return nil
	}
	return say("more-in", "n", all-shown, "file", file)
}

// evidence is what an audit was told beside the sitemaps, each a section. It reads its rows until
// ctx ends.
func evidence(ctx context.Context, result *audit.Result) (out []*section, err error) {
	for _, of := range []func(context.Context, *audit.Result) (*section, error){reportedSection, expectedSection, alsoSection, logsSection, linksSection, rulesSection} {
		s, err := of(ctx, result)
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// phrases are sentences in each language.
func phrases(list []conclude.Sentence) (out []page.Phrase) {
	for _, s := range list {
		out = append(out, phrase(s))
	}
	return out
}

// firstRows hands add the first of rows that it takes.
func firstOf[R any](rows iter.Seq2[R, error], what string, add func(*R) bool) error {
	n := 0
	for r, err := range rows {
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if n == shownRows {
			return nil
		}
		if add(&r) {
			n++
		}
	}
	return nil
}

// code is a text as code; nothing for "".
func code(s string) page.Phrase {
	if s == "" {
		return nil
	}
	return page.Code(s)
}

// shown is an address as code, without the origin of the one target.
func shown(result *audit.Result, a address.Address) page.Phrase {
	return code(trimOrigin(page.Shown(a.String()), siteOrigin(result)))
}

// upshotKinds and unmetKinds are the colours of what becomes of addresses; others are quiet, or a
// decision.
var (
	upshotKinds = map[audit.Upshot]string{audit.UpshotFixed: kindFix, audit.UpshotDecide: kindDecide, audit.UpshotServer: kindDecide, audit.UpshotUnseen: kindUnseen}
	unmetKinds  = map[audit.Unmet]string{audit.UnmetUnverified: kindUnseen}
)

// An end is what becomes of some addresses, and what is to be done.
type end struct {
	kind        string
	count       int
	title, text conclude.Sentence
}

// endsTable is what becomes of addresses side by side.
func endsTable(name page.Phrase, ends []end) page.Table {
	t, most := page.Table{Name: name, Class: "ends", Columns: page.Texts(say("urls"), say("what"), say("do"))}, 0
	t.Columns[0].Num = true
	for _, e := range ends {
		most = max(most, e.count)
	}
	for _, e := range ends {
		what := page.TextCell(phrase(e.title))
		what.Bar = page.Bar(map[string]int{e.kind: e.count}, most)
		t.Add(page.CountCell(e.count), what, page.TextCell(phrase(e.text)))
	}
	return t
}

// reportedSection is what the addresses of an export come to.
func reportedSection(_ context.Context, result *audit.Result) (*section, error) {
	r := conclude.ReportedOf(result)
	if r == nil {
		return nil, nil
	}
	s := newSection("reported", phrase(r.Headline), phrases(r.Remarks)...)
	s.Expert = phrases(r.Exports)
	var ends []end
	for _, e := range r.Ends {
		ends = append(ends, end{cmp.Or(upshotKinds[e.Upshot], kindQuiet), e.Count, e.Title, e.Text})
	}
	s.Tables = []page.Table{endsTable(s.Heading, ends)}
	s.Link = &page.Link{Href: "#entries&lane=reported", Text: say("list", "n", result.SearchConsole.Addresses)}
	return s, nil
}

// expectedSection is where old addresses lead.
func expectedSection(ctx context.Context, result *audit.Result) (*section, error) {
	x := conclude.ExpectedOf(result)
	if x == nil {
		return nil, nil
	}
	s := newSection("expected", phrase(x.Headline), phrases(x.Remarks)...)
	if forgotten := phrase(x.Forgotten); forgotten != nil {
		s.Lead = append(s.Lead, forgotten)
	}
	var ends []end
	for _, e := range x.Ends {
		ends = append(ends, end{cmp.Or(unmetKinds[e.Why], kindDecide), e.Count, e.Title, e.Text})
	}
	if len(ends) > 0 {
		s.Tables = append(s.Tables, endsTable(s.Heading, ends))
	}
	all := result.Expected.Unmet() + result.Expected.Forgotten
	if all == 0 {
		return s, nil
	}
	t := page.Table{Name: s.Heading, Headed: true, Class: "even", Columns: page.Texts(say("col-line"), say("col-old"), say("col-to"), say("why"), say("col-suggestion"))}
	t.Columns[0].Num = true
	err := firstOf(result.Expected.Rows(ctx), "expected URLs", func(r *audit.ExpectedRow) bool {
		if !r.Forgotten && r.Met() {
			return false
		}
		line, to, why := page.CountCell(r.Line), shown(result, r.To), page.TextCell(phrase(conclude.ExpectedWhy(r)))
		if !r.Forgotten && to == nil {
			to = page.Raw("410")
		}
		if at := r.Final; !at.IsZero() && at != r.Address && at != r.To {
			why.Small = []page.Phrase{shown(result, at)}
		}
		t.Add(line, page.TextCell(shown(result, r.Address)), page.TextCell(to), why, page.TextCell(shown(result, r.Suggestion)))
		return true
	})
	t.More = moreIn("expectations.csv", all, len(t.Rows))
	s.Tables = append(s.Tables, t)
	return s, err
}

// alsoSection is what becomes of the addresses that sitemaps name beside what they list.
func alsoSection(ctx context.Context, result *audit.Result) (*section, error) {
	lists := conclude.AlsoOf(result)
	if lists == nil {
		return nil, nil
	}
	s, all := newSection("also", nil), 0
	s.Lead = nil
	t := page.Table{Headed: true, Class: "even", Columns: page.Texts(say("urls"), say("leads-to"), say("why"), say("col-by"))}
	names := map[int]string{}
	for i, name := range conclude.FileNames(result) {
		names[result.Files[i].Sitemap.N] = name
	}
	for i := range lists {
		l := &lists[i]
		s.Remarks = append(s.Remarks, page.Join(": ", phrase(l.Headline), page.Join(" · ", phrases(l.Parts)...)))
		all += l.Open
		err := firstOf(result.Also[i].Rows(ctx), "URLs named beside URLs", func(r *audit.Row) bool {
			if !conclude.AlsoOpen(r.Group()) || len(t.Rows) == shownRows {
				return false
			}
			var to page.Phrase
			if !r.Final.IsZero() && r.Final != r.Address {
				to = shown(result, r.Final)
			}
			by := page.TextCell(say("entries", "n", r.Entry.Also.Of))
			for _, n := range r.Entry.Also.By {
				by.Small = append(by.Small, code(names[n.Sitemap]+":"+strconv.Itoa(n.Line)))
			}
			t.Add(page.TextCell(shown(result, r.Address), page.VerdictName(r.Verdict)), page.TextCell(to), page.TextCell(page.Plain(func(c *messages.Catalogue) string { return c.FixWhy(r.Fix.Why) })), by)
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	if len(t.Rows) > 0 {
		t.Name, t.More = s.Heading, moreIn("also.csv", all, len(t.Rows))
		s.Tables = []page.Table{t}
	}
	return s, nil
}

// logDays are the first and the last day of the access logs, in UTC; nil where none has times.
func logDays(result *audit.Result) []string {
	if result.Logs == nil || result.Logs.Count.Span.First == 0 {
		return nil
	}
	return []string{page.Day(result.Logs.Count.Span.First), page.Day(result.Logs.Count.Span.Last)}
}

// logsSection is what access logs say.
func logsSection(_ context.Context, result *audit.Result) (*section, error) {
	if result.Logs == nil {
		return nil, nil
	}
	s := newSection("logs", nil)
	s.Lead = nil
	for i, x := range conclude.LogLines(messages.Of("en"), result.Logs) {
		line := page.Plain(func(c *messages.Catalogue) string {
			return x.Label + ": " + conclude.LogLines(c, result.Logs)[i].Text
		})
		if i == 0 {
			s.Lead = append(s.Lead, line)
		} else {
			s.Expert = append(s.Expert, line)
		}
		if x.Remedy && serverConfig(result) != nil {
			s.Link = &page.Link{Href: "#server", Text: say("server")}
		}
	}
	return s, nil
}

// linksSection is what the pages link to.
func linksSection(_ context.Context, result *audit.Result) (*section, error) {
	l := result.Linked
	if l == nil {
		return nil, nil
	}
	s := newSection("links", nil, page.List(func(c *messages.Catalogue) []string { return conclude.LinkLines(c, result) })...)
	s.Lead = nil
	url := func(text string) page.Phrase { return code(trimOrigin(page.Visible(text), siteOrigin(result))) }
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.Unlinked} {
		rows := l.First[kind]
		if len(rows) == 0 {
			continue
		}
		t := page.Table{Name: page.Plain(func(c *messages.Catalogue) string { return conclude.LinkHead(c, kind) }), Headed: true, Class: "even",
			Columns: page.Texts(say("urls"), say("col-by"), say("do")), More: moreIn("links.csv", l.Kinds[kind].Targets, len(rows))}
		if kind == audit.Unlinked {
			t.Columns = page.Texts(say("urls"), say("col-file"))
		}
		for i := range rows {
			r := &rows[i]
			if kind == audit.Unlinked {
				t.Add(page.TextCell(url(r.Target)), page.TextCell(url(r.Sitemap)))
				continue
			}
			target, to := page.TextCell(url(r.Target)), r.LinkTo
			if r.Verdict != "" {
				target.Small = []page.Phrase{page.VerdictName(r.Verdict)}
			}
			if to == "" && r.RedirectsTo != r.Target {
				to = r.RedirectsTo
			}
			from := page.CountCell(r.Pages + r.Nofollow)
			for _, x := range r.Examples {
				from.Small = append(from.Small, url(x))
			}
			t.Add(target, from, page.TextCell(page.Plain(func(c *messages.Catalogue) string { return conclude.LinkAdvice(c, r) }), url(to)))
		}
		s.Tables = append(s.Tables, t)
	}
	return s, nil
}

// rulesSection is about the rule files of a build: what answered, and what is wrong with the rules.
func rulesSection(_ context.Context, result *audit.Result) (*section, error) {
	b := result.Build
	if b == nil {
		return nil, nil
	}
	s := newSection("rules", page.Plain(func(c *messages.Catalogue) string { return conclude.Modelled(c, b) }),
		page.List(func(c *messages.Catalogue) []string { return conclude.RuleLines(c, b) })...)
	if assumed := page.Plain(func(c *messages.Catalogue) string { return conclude.Assumed(c, b) }); assumed != nil {
		s.Remarks = append(s.Remarks, assumed)
	}
	all := 0
	for i := range b.Files {
		for _, n := range b.Files[i].Faults {
			all += n
		}
	}
	t := page.Table{Name: s.Heading, Class: "even", Columns: page.Texts(say("what"), say("col-rule"), say("col-rule-at"))}
	for _, x := range b.Findings[:min(len(b.Findings), shownRows)] {
		at := b.PathOf(x.File)
		if x.Line > 0 {
			at += ":" + strconv.Itoa(x.Line)
		}
		t.Add(page.TextCell(page.Plain(func(c *messages.Catalogue) string { return c.RuleFinding(x) })), page.TextCell(code(page.Visible(x.Text))), page.TextCell(code(page.Visible(at))))
	}
	if len(t.Rows) > 0 {
		t.More = moreIn("rules.csv", all, len(t.Rows))
		s.Tables = []page.Table{t}
	}
	return s, nil
}
