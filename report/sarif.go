package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// What GitHub takes of a run: 25,000 results ("SARIF results exceed limit") and
// 10 MB packed; text like ours packs to a fifth at least.
const (
	maxResults     = 25_000
	maxResultBytes = 48 << 20
)

// sarif is a sarif file while it is written.
type sarif struct {
	w       errWriter
	result  *audit.Result
	words   *messages.Catalogue
	rules   map[string]int // index by id
	room    map[string]int
	leftOut map[string]int
	same    map[string]int // results by fingerprint
	begun   bool
	b       object
}

// openSARIF begins sarif.json: SARIF 2.1.0 (OASIS, errata 01), for code scanning and editors. Each
// entry that is a finding is a result, each fault of a sitemap or rule file, and each old URL of a
// map that does not lead where it should. The rule is the verdict, "fault/too-many-urls",
// "rule-loop", "expect/wrong-target" and so on. A sitemap from the web is located as HOST/PATH, for
// GitHub refuses a file that is not in the repository. The fingerprint is of rule, file and URL,
// without the line, so that a finding is tracked when lines move. At most 25,000 results are
// written, each rule with its share; how many were left out, and that an audit was stopped, is said
// in invocations[0]. Texts are in English.
func openSARIF(ctx context.Context, w io.Writer, result *audit.Result, _ env) (rows, error) {
	s := &sarif{w: errWriter{w: w}, result: result, words: messages.Of("en"), rules: map[string]int{}, leftOut: map[string]int{}, same: map[string]int{}}
	counts := countFindings(result)
	for i := range result.Files {
		for _, x := range result.Files[i].Sitemap.Faults {
			counts[faultRule(&x)]++
		}
	}
	if result.Build != nil {
		for _, x := range result.Build.Findings {
			counts[x.Fault]++
		}
	}
	if result.Expected != nil {
		for why, n := range result.Expected.Why {
			counts[expectRule(why)] = n
		}
	}
	s.room = shares(counts, maxResults)
	s.head()
	s.faults()
	s.ruleFaults()
	if err := s.expected(ctx); err != nil {
		return rows{}, err
	}
	return rows{take: s.take, end: func(whole bool) error {
		if whole {
			s.tail()
		}
		return s.w.err
	}}, s.w.err
}

// head writes what stands before the first result.
func (s *sarif) head() {
	version, _, _ := strings.Cut(strings.TrimPrefix(s.result.Info.Tool, "sitemend "), " ")
	o := object(`{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"sitemend"`)
	o.textIf("version", visible(version))
	o.key("rules")
	s.w.write(s.ruleList(append(o, '[')))
	s.w.printf(`]}},"columnKind":"utf16CodeUnits","results":[`)
}

// A finding is a result of SARIF.
type finding struct {
	rule, level, text string
	file              string // as place takes it
	line              int
	of, what          string         // the file and the thing in it, for the fingerprint
	rules             []audit.RuleAt // that answered on the way
	properties        func(o *object)
}

// full reports whether there is no room for another result of a rule, which is left out then.
func (s *sarif) full(rule string) bool {
	if s.room[rule] > 0 && s.w.n <= maxResultBytes {
		s.room[rule]--
		return false
	}
	s.leftOut[rule]++
	return true
}

// add writes a result.
func (s *sarif) add(x finding) {
	o := s.b[:0]
	if s.begun {
		o = append(o, ',')
	}
	s.begun = true
	o = append(o, '\n', '{')
	o.text("ruleId", x.rule)
	o.number("ruleIndex", s.rules[x.rule])
	o.text("level", x.level)
	o.message(x.text)
	array(&o, "locations", []finding{x}, func(o *object, x *finding) { o.physical(place(x.file), x.line) })
	if len(x.rules) > 0 { // section 3.27.22
		id := 0
		array(&o, "relatedLocations", x.rules, func(o *object, at *audit.RuleAt) {
			id++
			o.number("id", id)
			o.physical(place(within(s.result.Build.PathOf(at.File))), at.Line)
			o.message(visible(ruleText(s.result.Build, *at)))
		})
	}
	sum := sha256.Sum256([]byte(x.rule + "\x00" + x.of + "\x00" + x.what))
	id := hex.EncodeToString(sum[:16])
	s.same[id]++ // a URL that is listed again in the file counts up
	id += fmt.Sprint(":", s.same[id])
	o.begin("partialFingerprints")
	if remote(x.of) && s.result.Build == nil { // GitHub computes that of local files itself
		o.text("primaryLocationLineHash", id)
	}
	o.text("sitemend/v1", id)
	o.end()
	if x.properties != nil {
		o.begin("properties")
		x.properties(&o)
		o.end()
	}
	o.end()
	s.w.write(o)
	s.b = o
}

func (s *sarif) take(f *audit.File, r *audit.Row) error {
	if !isFinding(r.Verdict) || s.full(string(r.Verdict)) {
		return s.w.err
	}
	s.add(finding{rule: string(r.Verdict), level: r.Verdict.Facts().Severity, text: entryText(s.words, s.result, r), file: placeOf(s.result.Build, f.Sitemap.URL), line: r.Entry.Line,
		of: f.Sitemap.URL, what: r.Entry.Loc, rules: r.Trail.Rules(), properties: func(o *object) {
			o.text("sitemap", visible(f.Sitemap.URL))
			o.text("url", visible(url(r)))
			o.textIf("final", visible(final(r)))
			o.textIf("statuses", statuses(r))
			o.text("fix", string(r.Fix.Action))
			o.textIf("written", visible(r.Fix.Loc))
			o.textIf("search_console", SearchConsole(r))
		}})
	return s.w.err
}

// faults writes the results for the sitemap files.
func (s *sarif) faults() {
	for i := range s.result.Files {
		f := &s.result.Files[i].Sitemap
		for _, x := range f.Faults {
			if id := faultRule(&x); !s.full(id) {
				text := messages.StableFault(x)
				s.add(finding{rule: id, level: levelOf(x.Severity == "error"), text: visible(x.Name + ": " + text), file: placeOf(s.result.Build, f.URL), line: x.Line, of: f.URL, what: text})
			}
		}
	}
}

// ruleFaults writes the results for the rule files of a build.
func (s *sarif) ruleFaults() {
	b := s.result.Build
	if b == nil {
		return
	}
	for _, x := range b.Findings {
		if !s.full(x.Fault) {
			text := s.words.RuleFinding(x)
			s.add(finding{rule: x.Fault, level: levelOf(x.Error), text: visible(s.words.Text("fault-"+x.Fault) + ": " + x.Text + ": " + text),
				file: within(b.PathOf(x.File)), line: x.Line, of: x.File, what: x.Text + text})
		}
	}
}

// expected writes the results of the map.
func (s *sarif) expected(ctx context.Context) error {
	list := s.result.Expected
	if list == nil {
		return nil
	}
	for r, err := range s.result.Expected.Rows(ctx) {
		if err != nil {
			return err
		}
		id := expectRule(r.Why)
		if r.Forgotten || r.Met() || s.full(id) {
			continue
		}
		s.add(finding{rule: id, level: expectLevel(r.Why), text: expectedText(s.words, &r), file: list.Name, line: r.Line, of: list.Name, what: url(&r.Row), properties: func(o *object) {
			o.text("url", visible(url(&r.Row)))
			o.textIf("expected", visible(r.To.String()))
			o.textIf("suggestion", visible(r.Suggestion.String()))
		}})
	}
	return s.w.err
}

// tail writes what stands after the last result.
func (s *sarif) tail() {
	n := 0
	for _, x := range s.leftOut {
		n += x
	}
	o := object{'{'}
	stopped := stoppedText(s.result)
	o.truth("executionSuccessful", stopped == "")
	o.textIf("startTimeUtc", when(s.result.Info.Started))
	o.textIf("endTimeUtc", when(s.result.Info.Ended))
	left := ""
	if n > 0 {
		left = messages.Number(n) + " more results are left out, for code scanning takes 25,000 and 10 MB at most; --format csv has every URL"
	}
	o.notifications([]notification{{"error", stopped}, {"warning", left}})
	s.w.printf("],\"invocations\":[%s}]}]}\n", o)
}

// A notification is what SARIF says of the run itself, with its level; text is "" for none.
type notification struct{ level, text string }

// notifications adds those with a text.
func (o *object) notifications(all []notification) {
	before := byte('[')
	for _, n := range all {
		if n.text == "" {
			continue
		}
		if before == '[' {
			o.key("toolExecutionNotifications")
		}
		*o = append(*o, before)
		*o = append(*o, `{"level":"`+n.level+`"`...)
		o.message(n.text)
		*o = append(*o, '}')
		before = ','
	}
	if before == ',' {
		*o = append(*o, ']')
	}
}

// plainMessage writes a text as a message of SARIF: [text](number) would be a link to
// a location, so brackets are escaped (section 3.11.6), and {0} an argument, so braces
// are doubled (section 3.11.5).
var plainMessage = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// message adds a result's text.
func (o *object) message(text string) {
	o.key("message")
	*o = append(*o, '{')
	o.text("text", plainMessage.Replace(text))
	*o = append(*o, '}')
}

// physical adds a place in a sitemap or rule file. The line is left out where it is not known, and
// so is the column: ours counts bytes, SARIF's characters.
func (o *object) physical(uri string, line int) {
	o.begin("physicalLocation")
	o.begin("artifactLocation")
	o.text("uri", uri)
	o.end()
	if line > 0 {
		o.begin("region")
		o.number("startLine", line)
		o.end()
	}
	o.end()
}

// place names a sitemap file as a URI reference (RFC 3986) that code scanning
// takes: relative for a relative path and for a file from the web, file:// for
// an absolute path.
func place(sitemap string) string {
	switch {
	case sitemap == "-":
		return "stdin"
	case remote(sitemap):
		_, rest, _ := strings.Cut(sitemap, "://")
		host, file, found := strings.Cut(rest, "/")
		host = strings.ReplaceAll(host, ":", "_") // a colon in the first segment would end a scheme
		if !found || file == "" {
			file = "index"
		}
		return escapePath(host + "/" + file)
	case filepath.IsAbs(sitemap):
		name := filepath.ToSlash(sitemap)
		return "file:///" + escapePath(strings.TrimPrefix(name, "/"))
	}
	name := path.Clean(filepath.ToSlash(sitemap))
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ":") {
		name = "./" + name
	}
	return escapePath(name)
}

// escapePath writes all bytes but those that may stand in a path as %XX.
func escapePath(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$'()*+,;=@:"
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(plain, s[i]) >= 0 {
			b = append(b, s[i])
			continue
		}
		b = fmt.Appendf(b, "%%%02X", s[i])
	}
	return string(b)
}
