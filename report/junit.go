package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// What a CI shows of a junit file: GitLab reads 30 MB and 250,000 nodes, and
// Jenkins keeps all of it in memory.
const (
	maxCases     = 20_000
	maxCaseBytes = 20 << 20
)

// junit is a junit file while its cases are collected.
type junit struct {
	result *audit.Result
	words  *messages.Catalogue
	room   map[audit.Verdict]int
	bytes  int
	suites map[audit.Verdict]*suite
	unmet  *suite // of the map of --expect; nil without one
}

// suite is a testsuite while its cases are collected.
type suite struct {
	cases           bytes.Buffer
	names           map[string]bool
	listed, leftOut int
	errors          int
	failures        int
	skipped         int
}

// openJUnit begins junit.xml, for CI servers that show test results:
//
//	testsuite sitemend.audit      of an audit that was stopped: a case with the error that it
//	                              was, and a skipped one for the entries that were not crawled
//	testsuite sitemend.sitemaps   a case for each sitemap file, so that a clean
//	                              audit is green and not empty; it fails where the
//	                              file has an error (not a warning), and is skipped where an
//	                              audit that was stopped had not read it yet
//	testsuite sitemend.rules      (--site) a case for each fault of a rule file; it
//	                              fails for an error
//	testsuite sitemend.expect     with a map (--expect): a case for the map, and one for each
//	                              old address that does not lead where it should, with file and
//	                              line of the map; not checked ones are skipped
//	testsuite sitemend.VERDICT    a case for each entry with that verdict; of a
//	                              local sitemap with file and line as attributes
//
// A case of an entry fails where its verdict is a problem, in the sense of
// --fail-on problem, whatever --fail-on was given: junit.xml lists what is wrong,
// the exit status says whether it is too much. An entry that is no problem but
// not simply fine (not checked, forbidden by robots.txt, redirected in another
// spelling) is a skipped case with its reason. Entries that are fine, or were
// not asked, have none.
//
// classname is the suite's name and name is "ADDRESS in SITEMAP", so that a
// finding keeps its name from run to run; time is that of its answers. At most
// 20,000 entries and 20 MiB are listed, and where there are more, each suite that
// was cut ends with a case that says how many it leaves out. All texts are in
// English; what XML cannot hold is written out. It returns the first error of w
// or of result's rows.
func openJUnit(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	counts := map[audit.Verdict]int{}
	for v, n := range result.Counts.Verdicts {
		if isFinding(v) {
			counts[v] = n
		}
	}
	j := &junit{result: result, words: messages.Of("en").With(e.again), room: shares(counts, maxCases), suites: map[audit.Verdict]*suite{}}
	return rows{take: j.take, end: func(whole bool) error {
		if !whole {
			return nil
		}
		if err := j.readExpected(ctx); err != nil {
			return err
		}
		return j.write(w)
	}}, nil
}

// isFinding reports whether entries of verdict v are findings: all but those that
// are fine or were not asked.
func isFinding(v audit.Verdict) bool { return v != audit.OK && v != audit.Skipped }

func (j *junit) take(f *audit.File, r *audit.Row) error {
	v := r.Verdict
	if !isFinding(v) {
		return nil
	}
	s := j.suites[v]
	if s == nil {
		s = &suite{names: map[string]bool{}}
		j.suites[v] = s
	}
	if s.listed >= j.room[v] || j.bytes >= maxCaseBytes {
		s.leftOut++
		return nil
	}
	before := s.cases.Len()
	s.entry(j.words, j.result, f, r)
	s.listed++
	j.bytes += s.cases.Len() - before
	return nil
}

// entry adds the case of one entry.
func (s *suite) entry(c *messages.Catalogue, result *audit.Result, f *audit.File, r *audit.Row) {
	name := url(r) + " in " + f.Sitemap.URL
	if s.names[name] {
		name += fmt.Sprint(", line ", r.Entry.Line) // GitLab reads the first of a name alone
	}
	s.names[name] = true
	took := 0
	for i := range r.Trail.Steps {
		took += r.Trail.Steps[i].Hop.MS
	}
	fmt.Fprintf(&s.cases, `<testcase classname="sitemend.%s" name="%s"%s time="%d.%03d">`,
		r.Verdict, markup(name), at(result.Build, f.Sitemap.URL, r.Entry.Line), took/1000, took%1000)
	message := c.Verdict(r.Verdict).Name + ": " + c.FixWhy(r.Fix.Why)
	if r.Verdict.Problem() {
		s.failures++
		fmt.Fprintf(&s.cases, "<failure type=%q message=\"%s\">%s</failure>", r.Verdict, markup(message), markupLines(details(c, &result.Info, f, r)))
	} else {
		s.skipped++
		fmt.Fprintf(&s.cases, `<skipped message="%s">%s:%d</skipped>`, markup(message), markup(f.Sitemap.URL), r.Entry.Line)
	}
	s.cases.WriteString("</testcase>\n")
}

// at are the attributes that CI servers link to the repository; "" for a sitemap
// from the web. No schema of junit files has them, and Jenkins' xUnit plugin, which
// looks, takes no file that has more than its schema (junit-10.xsd).
func at(b *audit.Build, sitemap string, line int) string {
	file := sitemap
	if b != nil && b.Paths[sitemap] != "" {
		file = within(b.Paths[sitemap])
	}
	if remote(file) || file == "-" {
		return ""
	}
	place := ` file="` + markup(file) + `"`
	if line > 0 {
		place += fmt.Sprintf(` line="%d"`, line)
	}
	return place
}

// details says an entry in lines of text.
func details(c *messages.Catalogue, info *audit.Info, f *audit.File, r *audit.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", visible(f.Sitemap.URL), r.Entry.Line)
	for i := range r.Trail.Steps {
		b.WriteString("  " + visible(hopText(c, &r.Trail.Steps[i])) + "\n")
	}
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, visible(text))
		}
	}
	line("Search Console", SearchConsole(r))
	line("What", c.Verdict(r.Verdict).What)
	line("Do", c.Do(messages.Decided(r)))
	for _, n := range r.Notes {
		line("Note", c.Note(n))
	}
	line("Corrected sitemap", fixText(c, info, &r.Fix))
	return b.String()
}

// hopText says one answer: "301 http://a.example/old -> /new".
func hopText(c *messages.Catalogue, s *audit.Step) string {
	h := &s.Hop
	text := h.URL
	switch {
	case h.Status != 0:
		text = fmt.Sprint(h.Status, " ", h.URL)
	case h.Fault != "":
		text = h.URL + " (" + c.Fault(h.Fault) + ")"
	}
	if h.Forbidden != "" {
		text += " (" + h.Forbidden + ")"
	}
	if h.Rule != (audit.RuleAt{}) {
		text += fmt.Sprintf(" (%s:%d)", h.Rule.File, h.Rule.Line)
	}
	if s.Kind == audit.ByHTTP {
		return text + " -> " + h.Location
	}
	if !s.Next.IsZero() {
		return text + " -> " + s.Next.String() + " (" + string(s.Kind) + ")"
	}
	return text
}

// fixText reports what the corrected sitemap does with an entry, or would do where
// none is written.
func fixText(c *messages.Catalogue, info *audit.Info, f *audit.Fix) string {
	text := c.Action(f.Action).Name
	if f.Loc != "" {
		text += ": " + f.Loc
	}
	if (info.Partial || info.NoFetch) && f.Action != audit.Keep {
		return "none is written; the entry would be " + text
	}
	return text
}

// write writes the file: the sitemaps, then the verdicts in order of precedence.
func (j *junit) write(w io.Writer) error {
	files := j.files()
	tests, failures := files.listed, files.failures
	var rules *suite
	if j.result.Build != nil {
		rules = j.ruleFiles()
		tests, failures = tests+rules.listed, failures+rules.failures
	}
	for _, v := range audit.Verdicts() {
		if s := j.suites[v]; s != nil {
			s.rest(string(v), v.Problem())
			tests, failures = tests+s.listed, failures+s.failures
		}
	}
	if j.unmet != nil {
		tests, failures = tests+j.unmet.listed, failures+j.unmet.failures
	}
	info := &j.result.Info
	stopped := j.stopped()
	b := errWriter{w: w}
	b.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sitemend %s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n",
		markup(strings.Join(info.Targets, " ")), tests+stopped.listed, failures, stopped.errors, info.Duration.Seconds())
	started := ""
	if !info.Started.IsZero() {
		started = info.Started.UTC().Format("2006-01-02T15:04:05")
	}
	if stopped.listed > 0 {
		stopped.write(&b, "audit", started)
	}
	files.write(&b, "sitemaps", started)
	if rules != nil {
		rules.write(&b, "rules", started)
	}
	if j.unmet != nil {
		j.unmet.write(&b, expectSuite, started)
	}
	for _, v := range audit.Verdicts() {
		if s := j.suites[v]; s != nil {
			s.write(&b, string(v), started)
		}
	}
	b.printf("</testsuites>\n")
	return b.err
}

// rest adds the case that stands for those that are left out.
func (s *suite) rest(v string, problem bool) {
	if s.leftOut == 0 {
		return
	}
	s.listed++
	more := messages.Number(s.leftOut)
	fmt.Fprintf(&s.cases, `<testcase classname="sitemend.%s" name="and %s more">`, v, more)
	message := more + " more entries are not listed here, for no CI server would show them all; --format csv has every entry"
	if problem {
		s.failures++
		fmt.Fprintf(&s.cases, `<failure type="%s" message="%s"/>`, v, message)
	} else {
		s.skipped++
		fmt.Fprintf(&s.cases, `<skipped message="%s"/>`, message)
	}
	s.cases.WriteString("</testcase>\n")
}

func (s *suite) write(w *errWriter, name, started string) {
	stamp := ""
	if started != "" {
		stamp = ` timestamp="` + started + `"`
	}
	w.printf("<testsuite name=\"sitemend.%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"%s>\n", name, s.listed, s.failures, s.errors, s.skipped, stamp)
	w.write(s.cases.Bytes())
	w.printf("</testsuite>\n")
}

// stopped makes the suite of an audit that was stopped; without a case of any other. It is an
// error, not a failure, for nothing is known of what was not crawled, and a run that saw nothing
// wrong by then must not be green.
func (j *junit) stopped() *suite {
	s, said := &suite{}, stoppedText(j.result)
	if said == "" {
		return s
	}
	s.listed, s.errors = 1, 1
	fmt.Fprintf(&s.cases, `<testcase classname="sitemend.audit" name="the audit ran to its end"><error type="stopped" message="%s"/></testcase>`+"\n", markup(said))
	if n := j.result.Counts.Total(audit.LeftOut) - j.result.Counts.Again; n > 0 {
		s.listed, s.skipped = 2, 1
		fmt.Fprintf(&s.cases, `<testcase classname="sitemend.audit" name="every entry was crawled"><skipped message="%s"/></testcase>`+"\n",
			markup(j.words.Count("entries", n)+" not crawled"))
	}
	return s
}

// files makes the suite of the sitemap files.
func (j *junit) files() *suite {
	s := &suite{}
	for i := range j.result.Files {
		f := &j.result.Files[i]
		if !f.Sitemap.Listed() {
			continue
		}
		s.listed++
		fmt.Fprintf(&s.cases, `<testcase classname="sitemend.sitemaps" name="%s"%s>`, markup(f.Sitemap.URL), at(j.result.Build, f.Sitemap.URL, 0))
		errors, all := 0, ""
		for _, x := range f.Sitemap.Faults {
			if x.Severity == "error" {
				errors += x.Places()
			}
			all += faultText(&x) + "\n"
		}
		switch {
		case errors > 0:
			s.failures++
			fmt.Fprintf(&s.cases, `<failure type="fault" message="%s">%s</failure>`, markup(j.words.Count("errors", errors)+" in the file"), markupLines(all))
		case all != "":
			fmt.Fprintf(&s.cases, `<system-out>%s</system-out>`, markupLines(all))
		}
		s.cases.WriteString("</testcase>\n")
	}
	return s
}

// ruleFiles makes the suite of the rule files of a build: a case for each fault, and one for
// a file without any. a warning passes, and is reported.
func (j *junit) ruleFiles() *suite {
	s := &suite{}
	b := j.result.Build
	add := func(file string, line int, name, body string) {
		s.listed++
		fmt.Fprintf(&s.cases, `<testcase classname="sitemend.rules" name="%s"%s>%s</testcase>`+"\n", markup(name), at(nil, within(b.PathOf(file)), line), body)
	}
	for i := range b.Files {
		if f := &b.Files[i]; len(f.Faults) == 0 {
			add(f.Name, 0, f.Name, "")
		}
	}
	for _, x := range b.Findings {
		text := j.words.Text("fault-"+x.Fault) + ": " + j.words.RuleFinding(x)
		name, body := fmt.Sprintf("%s:%d %s", x.File, x.Line, x.Text), fmt.Sprintf(`<system-out>%s</system-out>`, markupLines(text))
		if x.Error {
			s.failures++
			body = fmt.Sprintf(`<failure type="%s" message="%s"/>`, markup(x.Fault), markup(text))
		}
		add(x.File, x.Line, name, body)
	}
	return s
}

// faultText says a fault in one line: "error, line 3: Too many URLs: ...".
func faultText(x *audit.SitemapFault) string {
	text := x.Severity
	if x.Line > 0 {
		text += fmt.Sprint(", line ", x.Line)
	}
	return visible(text + ": " + x.Name + ": " + messages.StableFault(*x))
}
