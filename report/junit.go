package report

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// maxCases is how many findings are listed: GitLab reads 30 MB and 250,000 nodes of a junit file, and
// Jenkins keeps all of it in memory.
const maxCases = 20_000

type junitFile struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Errors   int           `xml:"errors,attr"`
	Time     string        `xml:"time,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
	names     map[string]bool
}

// A junitCase passes where it has nothing else. File and Line, which CI servers link to the repository,
// are of local files alone: no schema of junit files has them, and Jenkins' xUnit plugin, which looks,
// takes no file that has more than its schema (junit-10.xsd).
type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Failure *junitCause `xml:"failure"`
	Skipped *junitCause `xml:"skipped"`
	Error   *junitCause `xml:"error"`
}

type junitCause struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// openJUnit begins junit.xml, for CI servers that show test results, with the suites
//
//	sitemend.audit      that the audit was stopped, an error; and what is left out
//	sitemend.sitemaps   each sitemap without an error, and each fault of a sitemap
//	sitemend.rules      (--site) each fault of a rule file
//	sitemend.expect     (--expect) each old URL that does not lead where it should
//	sitemend.VERDICT    each entry with that verdict
//
// A case of an entry fails where its verdict is a problem in the sense of --fail-on problem, one of a
// fault where that is an error; else it is skipped. The name is "URL in SITEMAP", so that a finding
// keeps its name from run to run. At most 20,000 findings are listed; a case says how many are
// left out. Texts are in English; what XML cannot hold is
// written out.
func openJUnit(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
	suites := map[string]*junitSuite{}
	add := func(suite string, c junitCase) {
		s := suites[suite]
		if s == nil {
			s = &junitSuite{Name: "sitemend." + suite, names: map[string]bool{}}
			suites[suite] = s
		}
		if c.Name = visible(c.Name); s.names[c.Name] { // GitLab reads the first of a name alone
			c.Name += cmp.Or(strings.TrimSuffix(fmt.Sprint(", line ", c.Line), ", line 0"), ", more")
		}
		s.names[c.Name] = true
		if remote(c.File) || c.File == "-" {
			c.File = ""
		}
		if c.File = visible(c.File); c.File == "" {
			c.Line = 0
		}
		c.Class = s.Name
		s.Cases = append(s.Cases, c)
	}
	words := messages.Of("en").With(o.Again)
	found := &findings{result: result, words: messages.Of("en"), most: maxCases, put: func(x finding) { add(x.suite, junitCaseOf(words, x)) }}
	if said := stoppedText(result); said != "" {
		// An error, not a failure: nothing is known of what was not crawled.
		add("audit", junitCase{Name: "the audit ran to its end", Error: &junitCause{Type: "stopped", Message: said}})
	}
	for i := range result.Files {
		f := &result.Files[i].Sitemap
		broken := slices.ContainsFunc(f.Faults, func(x audit.SitemapFault) bool { return x.Severity == "error" })
		if f.Listed() && !broken {
			add("sitemaps", junitCase{Name: f.URL, File: placeOf(result.Build, f.URL)})
		}
	}
	found.files()
	return rows{found.row, func() error {
		if err := found.expected(ctx); err != nil {
			return err
		}
		if found.left > 0 {
			more := messages.Number(found.left)
			add("audit", junitCase{Name: "and " + more + " more", Skipped: &junitCause{Message: more + " more are not listed here, for no CI server would show them all; --format csv has every URL"}})
		}
		return writeJUnit(w, result, suites)
	}}, nil
}

// junitCaseOf is the case of a finding.
func junitCaseOf(words *messages.Catalogue, x finding) (c junitCase) {
	c = junitCase{Name: x.name, File: x.file, Line: x.line}
	why := &junitCause{x.rule, x.text, visible(strings.TrimSuffix(fmt.Sprint(x.file, ":", x.line), ":0"))}
	if x.row != nil {
		why.Message = visible(words.Verdict(x.row.Verdict).Name + ": " + words.FixWhy(x.row.Fix.Why))
	}
	if x.fails && x.row != nil {
		why.Text += "\n" + x.text + "\nDo: " + visible(words.Do(messages.Decided(x.row)))
	}
	if c.Failure = why; !x.fails {
		c.Failure, c.Skipped = nil, why
	}
	return c
}

// writeJUnit writes the suites with their sums.
func writeJUnit(w io.Writer, result *audit.Result, suites map[string]*junitSuite) error {
	info := &result.Info
	f := junitFile{Name: visible("sitemend " + strings.Join(info.Targets, " ")), Time: fmt.Sprintf("%.3f", info.Duration.Seconds())}
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		s := suites[name]
		if !info.Started.IsZero() {
			s.Timestamp = info.Started.UTC().Format("2006-01-02T15:04:05")
		}
		for _, c := range s.Cases {
			switch {
			case c.Failure != nil:
				s.Failures++
			case c.Skipped != nil:
				s.Skipped++
			case c.Error != nil:
				s.Errors++
			}
		}
		s.Tests = len(s.Cases)
		f.Tests, f.Failures, f.Errors = f.Tests+s.Tests, f.Failures+s.Failures, f.Errors+s.Errors
		f.Suites = append(f.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	return cmp.Or(e.Encode(f), e.Close())
}
