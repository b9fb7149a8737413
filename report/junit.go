package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
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
	room   map[string]int // cases by suite, where there is a limit
	bytes  int
	suites map[string]*suite
}

// suite is a testsuite while its cases are collected.
type suite struct {
	name                      string
	cases                     bytes.Buffer
	names                     map[string]bool
	tests, entries, leftOut   int
	errors, failures, skipped int
}

// A testcase passes where its outcome is "", and with "system-out"; else it is "failure", "skipped"
// or "error".
type testcase struct {
	name, attributes             string
	outcome, kind, message, text string
}

// openJUnit begins junit.xml, for CI servers that show test results, with the suites
//
//	sitemend.audit      of an audit that was stopped: the error that it was
//	sitemend.sitemaps   each sitemap; it fails where the file has an error
//	sitemend.rules      (--site) each fault of a rule file; it fails for an error
//	sitemend.expect     (--expect) the map, and each old URL that does not lead where it should
//	sitemend.VERDICT    each entry with that verdict
//
// A case of an entry fails where its verdict is a problem in the sense of --fail-on problem; one
// that is no problem but not simply clean is skipped with its reason; the others have none. The name is
// "URL in SITEMAP", so that a finding keeps its name from run to run. At most 20,000 entries and
// 20 MiB are listed; a suite that was cut ends with a case that says how many it leaves out. Texts
// are in English; what XML cannot hold is written out.
func openJUnit(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
	j := &junit{result: result, words: messages.Of("en").With(o.Again), room: shares(countFindings(result), maxCases), suites: map[string]*suite{}}
	j.stopped()
	j.files()
	j.rules()
	return rows{j.take, func() error { return cmp.Or(j.expected(ctx), j.write(w)) }}, nil
}

// suite is the suite of a name.
func (j *junit) suite(name string) *suite {
	if j.suites[name] == nil {
		j.suites[name] = &suite{name: name, names: map[string]bool{}}
	}
	return j.suites[name]
}

// add adds a case, and line to its name where there is one of that name: GitLab reads the first
// alone.
func (s *suite) add(c testcase, line int) {
	if s.names[c.name] {
		c.name += fmt.Sprint(", line ", line)
	}
	s.names[c.name] = true
	s.tests++
	fmt.Fprintf(&s.cases, `<testcase classname="sitemend.%s" name="%s"%s>`, s.name, markup(c.name), c.attributes)
	switch c.outcome {
	case "failure":
		s.failures++
	case "skipped":
		s.skipped++
	case "error":
		s.errors++
	}
	if c.outcome != "" {
		s.cases.WriteString("<" + c.outcome)
		if c.kind != "" {
			fmt.Fprintf(&s.cases, ` type="%s"`, markup(c.kind))
		}
		if c.message != "" {
			fmt.Fprintf(&s.cases, ` message="%s"`, markup(c.message))
		}
		fmt.Fprintf(&s.cases, ">%s</%s>", markupLines(c.text), c.outcome)
	}
	s.cases.WriteString("</testcase>\n")
}

// limited adds a case as long as there is room for it.
func (j *junit) limited(s *suite, line int, of func() testcase) {
	if s.entries >= j.room[s.name] || j.bytes >= maxCaseBytes {
		s.leftOut++
		return
	}
	s.entries++
	before := s.cases.Len()
	s.add(of(), line)
	j.bytes += s.cases.Len() - before
}

func (j *junit) take(f *audit.File, r *audit.Row) error {
	if !isFinding(r.Verdict) {
		return nil
	}
	j.limited(j.suite(string(r.Verdict)), r.Entry.Line, func() testcase {
		took := 0
		for i := range r.Trail.Steps {
			took += r.Trail.Steps[i].Hop.MS
		}
		c := testcase{name: url(r) + " in " + f.Sitemap.URL, outcome: "skipped", message: j.words.Verdict(r.Verdict).Name + ": " + j.words.FixWhy(r.Fix.Why),
			text:       visible(fmt.Sprint(f.Sitemap.URL, ":", r.Entry.Line)),
			attributes: at(placeOf(j.result.Build, f.Sitemap.URL), r.Entry.Line) + fmt.Sprintf(` time="%d.%03d"`, took/1000, took%1000)}
		if r.Verdict.Problem() {
			c.outcome, c.kind, c.text = "failure", string(r.Verdict), c.text+"\n"+entryText(j.words, j.result, r)+"\nDo: "+visible(j.words.Do(messages.Decided(r)))
		}
		return c
	})
	return nil
}

// at are the attributes that CI servers link to the repository; "" for a sitemap
// from the web. No schema of junit files has them, and Jenkins' xUnit plugin, which
// looks, takes no file that has more than its schema (junit-10.xsd).
func at(file string, line int) string {
	if remote(file) || file == "-" {
		return ""
	}
	place := ` file="` + markup(file) + `"`
	if line > 0 {
		place += fmt.Sprintf(` line="%d"`, line)
	}
	return place
}

// stopped says that an audit was stopped. It is an error, not a failure, for nothing is known of
// what was not crawled, and a run that saw nothing wrong by then must not be green.
func (j *junit) stopped() {
	said := stoppedText(j.result)
	if said == "" {
		return
	}
	s := j.suite("audit")
	s.add(testcase{name: "the audit ran to its end", outcome: "error", kind: "stopped", message: said}, 0)
	if n := j.result.Counts.Total(audit.LeftOut) - j.result.Counts.Again; n > 0 {
		s.add(testcase{name: "every URL was crawled", outcome: "skipped", message: j.words.Count("entries", n) + " not crawled"}, 0)
	}
}

func (j *junit) files() {
	s := j.suite("sitemaps")
	for i := range j.result.Files {
		f := &j.result.Files[i]
		if !f.Sitemap.Listed() {
			continue
		}
		c, errors := testcase{name: f.Sitemap.URL, attributes: at(placeOf(j.result.Build, f.Sitemap.URL), 0)}, 0
		for _, x := range f.Sitemap.Faults {
			if x.Severity == "error" {
				errors += x.Places()
			}
			c.text += faultText(&x) + "\n"
		}
		switch {
		case errors > 0:
			c.outcome, c.kind, c.message = "failure", "fault", j.words.Count("n-errors", errors)
		case c.text != "":
			c.outcome = "system-out"
		}
		s.add(c, i)
	}
}

// rules adds a case for each fault of the rule files of a build, and one for a file without any.
func (j *junit) rules() {
	b := j.result.Build
	if b == nil {
		return
	}
	s := j.suite("rules")
	for i := range b.Files {
		if f := &b.Files[i]; len(f.Faults) == 0 {
			s.add(testcase{name: f.Name, attributes: at(within(b.PathOf(f.Name)), 0)}, 0)
		}
	}
	for i, x := range b.Findings {
		text := j.words.RuleFinding(x)
		c := testcase{name: fmt.Sprintf("%s:%d %s", x.File, x.Line, x.Text), attributes: at(within(b.PathOf(x.File)), x.Line), outcome: "system-out", text: visible(text)}
		if x.Error {
			c.outcome, c.kind, c.message, c.text = "failure", x.Fault, text, ""
		}
		s.add(c, i)
	}
}

// expectSuite is the suite of a map.
const expectSuite = "expect"

// expected adds the map, and each old URL that does not lead where it should.
func (j *junit) expected(ctx context.Context) error {
	list := j.result.Expected
	if list == nil {
		return nil
	}
	s := j.suite(expectSuite)
	j.room[expectSuite] = maxCases
	s.add(testcase{name: list.Name, attributes: at(list.Name, 0)}, 0)
	for r, err := range j.result.Expected.Rows(ctx) {
		if err != nil {
			return err
		}
		if r.Forgotten || r.Met() {
			continue
		}
		j.limited(s, r.Line, func() testcase {
			c := testcase{name: fmt.Sprint(url(&r.Row), " in ", list.Name, ", line ", r.Line), attributes: at(list.Name, r.Line), message: expectedText(j.words, &r)}
			if c.outcome = "skipped"; r.Why != audit.UnmetUnverified {
				c.outcome, c.kind = "failure", r.Word()
			}
			return c
		})
	}
	return nil
}

// write writes the suites: those of verdicts in order of precedence.
func (j *junit) write(w io.Writer) error {
	order := []string{"audit", "sitemaps", "rules", expectSuite}
	for _, v := range audit.Verdicts() {
		order = append(order, string(v))
	}
	order = slices.DeleteFunc(order, func(name string) bool { return j.suites[name] == nil })
	tests, failures, errors := 0, 0, 0
	for _, name := range order {
		s := j.suites[name]
		s.rest()
		tests, failures, errors = tests+s.tests, failures+s.failures, errors+s.errors
	}
	info := &j.result.Info
	started := ""
	if !info.Started.IsZero() {
		started = info.Started.UTC().Format(` timestamp="2006-01-02T15:04:05"`)
	}
	b := errWriter{w: w}
	b.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sitemend %s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n",
		markup(strings.Join(info.Targets, " ")), tests, failures, errors, info.Duration.Seconds())
	for _, name := range order {
		s := j.suites[name]
		b.printf("<testsuite name=\"sitemend.%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"%s>\n", name, s.tests, s.failures, s.errors, s.skipped, started)
		b.write(s.cases.Bytes())
		b.printf("</testsuite>\n")
	}
	b.printf("</testsuites>\n")
	return b.err
}

// rest adds the case that stands for those that are left out.
func (s *suite) rest() {
	if s.leftOut == 0 {
		return
	}
	more := messages.Number(s.leftOut)
	c := testcase{name: "and " + more + " more", outcome: "skipped", message: more + " more are not listed here, for no CI server would show them all; --format csv has every URL"}
	if s.name == expectSuite || audit.Verdict(s.name).Problem() {
		c.outcome, c.kind = "failure", s.name
	}
	s.add(c, 0)
}
