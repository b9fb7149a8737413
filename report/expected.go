package report

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

const expectedColumns = "line,old,expected,met,why,end,status,redirects,temporary,suggestion,similarity"

const expectedName = "expectations.csv"

// WriteExpectedCSV writes expectations.csv: a line for each old address of the map of --expect
// in its order, then one for each address of a sitemap that falls under a line with *, then
// what was forgotten; in the form of entries.csv. The columns:
//
//	line         of the map; empty for what was forgotten
//	old          the address that was asked for, in wire form
//	expected     where it must lead, in wire form; empty: it must be gone
//	met          yes or no; empty for what was forgotten
//	why          the first that is wrong: unverified, not-found, not-redirected,
//	             wrong-target, target-not-200, target-noindex, target-noncanonical,
//	             target-disallowed, temporary, hops-N, spelling; empty where it is met;
//	             forgotten where a sitemap lists the address and the map does not
//	end, status  where it leads, and the status there
//	redirects    how many were followed
//	temporary    yes where one of them was temporary, else no
//	suggestion   the page of this audit that the address most likely became
//	similarity   how alike the two are, 0.60 to 1.00
//
// It returns the first error of w or of result's rows.
func WriteExpectedCSV(ctx context.Context, w io.Writer, result *audit.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + expectedColumns + "\r\n") // its error comes back with Flush
	var b []byte
	for r, err := range result.ExpectedRows(ctx) {
		if err != nil {
			return err
		}
		c := cells{b: b[:0]}
		expectedCells(&c, &r)
		b = c.end()
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// expectedCells adds the cells of a row in the order of expectedColumns.
func expectedCells(c line, r *audit.ExpectedRow) {
	asked := len(r.Trail.Steps) > 0
	c.numberOr(r.Line, !r.Forgotten)
	c.text(url(&r.Row))
	c.text(r.To.String())
	if r.Forgotten {
		c.text("")
		c.text(forgottenWord)
	} else {
		c.text(yes(r.Met(), true))
		c.text(r.Word())
	}
	end := ""
	if hasFinal(&r.Row) {
		end = r.Final.String()
	}
	c.text(end)
	c.numberOr(r.Status, r.Status != 0)
	c.numberOr(r.Trail.Redirects(), asked)
	c.text(yes(temporaryInChain(&r.Row), asked))
	c.text(r.Suggestion.String())
	similarity := ""
	if !r.Suggestion.IsZero() {
		similarity = strconv.FormatFloat(r.Similarity, 'f', 2, 64)
	}
	c.text(similarity)
}

// forgottenWord is why a row is there that no line of the map is about.
const forgottenWord = "forgotten"

// writeExpectedJSON writes the old addresses of a map behind the entries of entries.jsonl.
func writeExpectedJSON(ctx context.Context, w io.Writer, result *audit.Result) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	var b []byte
	for r, err := range result.ExpectedRows(ctx) {
		if err != nil {
			return err
		}
		if !r.Entry.Expected.Is { // an entry of a sitemap, which has its line
			continue
		}
		o := listObject(b, &r.Row, audit.KindExpect)
		jsonJudged(&o, &r.Row)
		jsonExpectation(&o, &r.Expectation)
		b = append(o, '}', '\n')
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// jsonExpect adds what the map says of an entry.
func jsonExpect(o *object, r *audit.Row) {
	if r.Expect != nil {
		jsonExpectation(o, r.Expect)
	}
}

func jsonExpectation(o *object, x *audit.Expectation) {
	o.key("expect")
	*o = append(*o, '{')
	o.number("line", x.Line)
	o.text("to", x.To.String())
	o.truth("met", x.Met())
	o.textIf("why", x.Word())
	*o = append(*o, '}')
}

// expected is what summary.json says of --expect.
type expected struct {
	Map       string         `json:"map"`
	Addresses int            `json:"addresses"`
	Met       int            `json:"met"`
	Why       map[string]int `json:"why"`
	Suggested int            `json:"suggested"`
	Forgotten forgotten      `json:"forgotten"`
	Patterns  int            `json:"patterns"`
	Idle      int            `json:"idle_patterns"`
	Faults    []sitemapFault `json:"faults"`
}

type forgotten struct {
	Addresses int `json:"addresses"`
	Leading   int `json:"lead_to_a_page"`
	Suggested int `json:"suggested"`
}

func expectedOf(x *audit.ExpectedList) *expected {
	if x == nil {
		return nil
	}
	out := &expected{Map: x.Name, Addresses: x.Addresses, Met: x.Met, Why: map[string]int{}, Suggested: x.Suggested,
		Forgotten: forgotten{x.Forgotten, x.Leading, x.ForgottenSuggested}, Patterns: x.Patterns, Idle: x.Idle, Faults: sitemapFaults(x.Faults)}
	for why, n := range x.Why {
		out.Why[string(why)] = n
	}
	return out
}

// expected says what becomes of the map of --expect.
func (t *terminal) expected() {
	x := conclude.ExpectedOf(t.result)
	if x == nil {
		return
	}
	label := x.Label.Plain(t.words)
	row := func(label string, s conclude.Sentence) {
		if !s.IsZero() {
			t.below = append(t.below, labeled{label: label, text: t.say(s)})
		}
	}
	row(label, x.Headline)
	row(label, x.Parts())
	for _, r := range x.Remarks {
		row(label, r)
	}
	if slices.Contains(t.o.Written.Files, expectedName) {
		row(label, x.File(t.path(expectedName)))
	}
	row(x.ForgottenLabel.Plain(t.words), x.Forgotten)
}

// mdExpected is how many addresses summary.md lists that do not lead where they should.
const mdExpected = 50

// expected adds what becomes of the map of --expect: a row for each reason, then the first
// addresses.
func (m *summaryPage) expected() {
	x := conclude.ExpectedOf(m.result)
	if x == nil {
		return
	}
	text := func(s conclude.Sentence) string { return escapeMarkdown(s.Plain(m.words)) }
	m.paragraph("### " + text(x.Label))
	m.paragraph("**" + m.md(x.Headline) + ".** " + text(x.Forgotten))
	var ends []string
	for _, e := range x.Ends {
		ends = append(ends, row(messages.Number(e.Count), text(e.Title), text(e.Text)))
	}
	m.table("", []string{text(x.Heads.Count), text(x.Heads.End), text(x.Heads.Do)}, ends, len(ends), len(ends))
	head := []string{text(x.Heads.Line), text(x.Heads.Old), text(x.Heads.To), text(x.Heads.Why), text(x.Heads.Suggestion)}
	m.table("", head, m.unmet, mdExpected, m.result.Expected.Unmet()+m.result.Expected.Forgotten)
	for _, r := range x.Remarks {
		m.below = append(m.below, labeled{label: x.Label.Plain(m.words), text: r.Plain(m.words)})
	}
}

// readExpected keeps the first addresses that do not lead where they should, as rows of a
// table.
func (m *summaryPage) readExpected(ctx context.Context) error {
	for r, err := range m.result.ExpectedRows(ctx) {
		switch {
		case err != nil:
			return err
		case len(m.unmet) == mdExpected:
			return nil
		case r.Forgotten:
			m.unmet = append(m.unmet, row("", mdCode(url(&r.Row)), "", escapeMarkdown(conclude.ExpectedWhy(&r).Plain(m.words)), mdCode(r.Suggestion.String())))
		case !r.Met():
			m.unmet = append(m.unmet, row(strconv.Itoa(r.Line), mdCode(url(&r.Row)), mdCode(r.To.String()),
				escapeMarkdown(conclude.ExpectedWhy(&r).Plain(m.words)), mdCode(r.Suggestion.String())))
		}
	}
	return nil
}
