package html

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
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
	Heading       messages.Sentence // and its name in the bar on top
	Lead, Remarks []messages.Sentence
	Expert        []messages.Sentence // remarks for experts alone
	Tables        []page.Table
	Link          *page.Link
}

// newSection is a section of that name; remarks are the sentences below its lead.
func newSection(id string, remarks ...messages.Sentence) *section {
	name := messages.Say(id)
	if id == "logs" {
		name = messages.Verbatim("Googlebot")
	}
	return &section{ID: id, Heading: name, Remarks: remarks}
}

// shownRows is how many rows a table of evidence shows; the CSV file of its section has all.
const shownRows = 100

// moreIn says that of all rows those which are not shown are in a file; nil where all are.
func moreIn(file string, all, shown int) messages.Sentence {
	if all <= shown {
		return nil
	}
	return messages.Say("more-in", "n", all-shown, "file", file)
}

// evidence is what an audit was told beside the sitemaps, each a section. It reads its rows until
// ctx ends.
func evidence(ctx context.Context, result *audit.Result) ([]*section, error) {
	origin := siteOrigin(result)
	expected, err := expectedSection(ctx, result, origin)
	also, failed := alsoSection(ctx, result, origin)
	all := []*section{reportedSection(result), expected, also, logsSection(result), linksSection(result, origin), rulesSection(result)}
	return slices.DeleteFunc(all, func(s *section) bool { return s == nil }), cmp.Or(err, failed)
}

// firstOf hands add the first of rows that it takes.
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

// shown is an address as code, without the origin of the site.
func shown(a address.Address, origin string) messages.Sentence {
	return messages.Code(trimOrigin(page.Shown(a.String()), origin))
}

// endsTable is what becomes of addresses side by side.
func endsTable(name messages.Sentence, ends []conclude.End) page.Table {
	t, most := page.Table{Name: name, Class: "ends", Columns: page.Texts(messages.Say("urls"), messages.Say("what"), messages.Say("do"))}, 0
	t.Columns[0].Num = true
	for _, e := range ends {
		most = max(most, e.Count)
	}
	for _, e := range ends {
		what := page.TextCell(e.Title)
		what.Bar = page.Bar(map[string]int{e.Kind: e.Count}, most)
		t.Add(page.CountCell(e.Count), what, page.TextCell(e.Text))
	}
	return t
}

// reportedSection is what the addresses of an export come to.
func reportedSection(result *audit.Result) *section {
	r := conclude.ReportedOf(result)
	if r == nil {
		return nil
	}
	s := newSection("reported", r.Remarks...)
	s.Expert = r.Exports
	s.Tables = []page.Table{endsTable(s.Heading, r.Ends)}
	s.Link = &page.Link{Href: "#entries&lane=reported", Text: messages.Say("list", "n", result.SearchConsole.Addresses)}
	return s
}

// expectedSection is where old addresses lead.
func expectedSection(ctx context.Context, result *audit.Result, origin string) (*section, error) {
	x := conclude.ExpectedOf(result)
	if x == nil {
		return nil, nil
	}
	s := newSection("expected", x.Remarks...)
	s.Lead = x.Lead
	if len(x.Ends) > 0 {
		s.Tables = append(s.Tables, endsTable(s.Heading, x.Ends))
	}
	all := result.Expected.Unmet() + result.Expected.Forgotten
	if all == 0 {
		return s, nil
	}
	t := page.Table{Name: s.Heading, Class: "even", Columns: page.Texts(messages.Say("col-line"), messages.Say("col-old"), messages.Say("col-to"), messages.Say("why"), messages.Say("col-suggestion"))}
	t.Columns[0].Num = true
	err := firstOf(result.Expected.Rows(ctx), "expected URLs", func(r *audit.ExpectedRow) bool {
		if !r.Forgotten && r.Met() {
			return false
		}
		line, to, why := page.CountCell(r.Line), shown(r.To, origin), page.TextCell(conclude.ExpectedWhy(r))
		if !r.Forgotten && to == nil {
			to = messages.Verbatim("410")
		}
		if at := r.Final; !at.IsZero() && at != r.Address && at != r.To {
			why.Small = []messages.Sentence{shown(at, origin)}
		}
		t.Add(line, page.TextCell(shown(r.Address, origin)), page.TextCell(to), why, page.TextCell(shown(r.Suggestion, origin)))
		return true
	})
	t.More = moreIn("expectations.csv", all, len(t.Rows))
	s.Tables = append(s.Tables, t)
	return s, err
}

// alsoSection is what becomes of the addresses that sitemaps name beside what they list.
func alsoSection(ctx context.Context, result *audit.Result, origin string) (*section, error) {
	if len(result.Also) == 0 {
		return nil, nil
	}
	s, all := newSection("also", conclude.AlsoLines(result)...), 0
	t := page.Table{Class: "even", Columns: page.Texts(messages.Say("urls"), messages.Say("leads-to"), messages.Say("why"), messages.Say("col-by"))}
	names := map[int]string{}
	for i, name := range conclude.FileNames(result) {
		names[result.Files[i].Sitemap.N] = name
	}
	for i := range result.Also {
		for _, g := range conclude.AlsoOpen {
			all += result.Also[i].Counts.Total(g)
		}
		err := firstOf(result.Also[i].Rows(ctx), "URLs named beside URLs", func(r *audit.Row) bool {
			if !slices.Contains(conclude.AlsoOpen, r.Group()) || len(t.Rows) == shownRows {
				return false
			}
			var to messages.Sentence
			if !r.Final.IsZero() && r.Final != r.Address {
				to = shown(r.Final, origin)
			}
			by := page.TextCell(messages.Say("entries", "n", r.Entry.Also.Of))
			for _, n := range r.Entry.Also.By {
				by.Small = append(by.Small, messages.Code(names[n.Sitemap]+":"+strconv.Itoa(n.Line)))
			}
			t.Add(page.TextCell(shown(r.Address, origin), page.VerdictName(r.Verdict)), page.TextCell(to), page.TextCell(page.WhyText(r.Fix.Why)), by)
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

// logsSection is what access logs say.
func logsSection(result *audit.Result) *section {
	if result.Logs == nil {
		return nil
	}
	s := newSection("logs")
	for i, x := range conclude.LogLines(result.Logs) {
		line := x.Text
		if x.Label != "Googlebot" { // as the section is called
			line = messages.Say("line", "what", x.Label, "pattern", x.Text)
		}
		if x.Remedy || i == 0 && result.Logs.Sum.Back.Requests == 0 {
			s.Lead = append(s.Lead, line)
		} else {
			s.Expert = append(s.Expert, line)
		}
	}
	return s
}

// linksSection is what the pages link to.
func linksSection(result *audit.Result, origin string) *section {
	l := result.Linked
	if l == nil {
		return nil
	}
	s := newSection("links", conclude.LinkLines(l)...)
	url := func(text string) messages.Sentence {
		return messages.Code(trimOrigin(page.Visible(text), origin))
	}
	for _, kind := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted, audit.NeverLinked} {
		rows := l.First[kind]
		if len(rows) == 0 {
			continue
		}
		t := page.Table{Name: conclude.LinkHeads[kind], Headed: true, Class: "even",
			Columns: page.Texts(messages.Say("urls"), messages.Say("col-by"), messages.Say("do")), More: moreIn("links.csv", l.Kinds[kind], len(rows))}
		if kind == audit.NeverLinked {
			t.Columns = page.Texts(messages.Say("urls"), messages.Say("col-file"))
		}
		for i := range rows {
			r := &rows[i]
			if kind == audit.NeverLinked {
				t.Add(page.TextCell(url(r.Target)), page.TextCell(url(r.Sitemap)))
				continue
			}
			target, to := page.TextCell(url(r.Target)), r.LinkTo
			if r.Verdict != "" {
				target.Small = []messages.Sentence{page.VerdictName(r.Verdict)}
			}
			if to == "" && r.RedirectsTo != r.Target {
				to = r.RedirectsTo
			}
			from := page.CountCell(r.Pages + r.Nofollow)
			for _, x := range r.Examples {
				from.Small = append(from.Small, url(x))
			}
			t.Add(target, from, page.TextCell(conclude.LinkAdvice(r), url(to)))
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// rulesSection is about the rule files of a build: what answered, and what is wrong with the rules.
func rulesSection(result *audit.Result) *section {
	b := result.Build
	if b == nil {
		return nil
	}
	s, all := newSection("rules", conclude.RuleLines(b)...), 0
	s.Lead = []messages.Sentence{conclude.Modelled(b)}
	for i := range b.Files {
		for _, n := range b.Files[i].Faults {
			all += n
		}
	}
	t := page.Table{Name: s.Heading, Class: "even", Columns: page.Texts(messages.Say("what"), messages.Say("col-rule"), messages.Say("col-rule-at"))}
	for _, x := range b.Findings[:min(len(b.Findings), shownRows)] {
		at := b.PathOf(x.File)
		if x.Line > 0 {
			at += ":" + strconv.Itoa(x.Line)
		}
		t.Add(page.TextCell(messages.Words(func(c *messages.Catalogue) string { return c.RuleFinding(x) })), page.TextCell(messages.Code(x.Text)), page.TextCell(messages.Code(at)))
	}
	if len(t.Rows) > 0 {
		t.More = moreIn("rules.csv", all, len(t.Rows))
		s.Tables = []page.Table{t}
	}
	return s
}
