package report

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
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
	leftOut int
	same    map[string]int // results by fingerprint
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
func openSARIF(ctx context.Context, w io.Writer, result *audit.Result, _ Options) (Page, error) {
	s := &sarif{w: errWriter{w: w}, result: result, words: messages.Of("en"), rules: map[string]int{}, same: map[string]int{}}
	rules, counts := s.ruleList(), map[string]int{}
	for i, r := range rules {
		s.rules[r.id], counts[r.id] = i, r.count
	}
	s.room = shares(counts, maxResults)
	s.head(rules)
	s.faults()
	return rows{s.take, func() error { s.tail(); return s.w.err }}, cmp.Or(s.expected(ctx), s.w.err)
}

// head writes what stands before the first result.
func (s *sarif) head(rules []sarifRule) {
	version, _, _ := strings.Cut(strings.TrimPrefix(s.result.Info.Tool, "sitemend "), " ")
	o := object(`{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"sitemend"`)
	o.textIf("version", visible(version))
	o.key("rules")
	s.w.write(append(o, '['))
	for i, r := range rules {
		o = object("\n{")
		if i > 0 {
			o = object(",\n{")
		}
		o.text("id", r.id)
		o.texts("shortDescription", "text", visible(r.name))
		o.texts("fullDescription", "text", visible(r.full))
		o.texts("help", "text", visible(r.help), "markdown", r.markdown)
		o.texts("defaultConfiguration", "level", r.level)
		o.key("properties")
		severity := map[string]string{"error": "error", "warning": "warning", "note": "recommendation"}[r.level]
		s.w.write(append(o, `{"tags":["sitemap","seo"],"precision":"very-high","problem.severity":"`+severity+`"}}`...))
	}
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
	s.leftOut++
	return true
}

// add writes a result.
func (s *sarif) add(x finding) {
	o := s.b[:0]
	if len(s.same) > 0 {
		o = append(o, ',')
	}
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

// faults writes the results for the sitemap files, and for the rule files of a build.
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
	b := cmp.Or(s.result.Build, &audit.Build{})
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
	type notification struct{ level, text string }
	var said []notification
	o := object{'{'}
	stopped := stoppedText(s.result)
	o.truth("executionSuccessful", stopped == "")
	o.textIf("startTimeUtc", when(s.result.Info.Started))
	o.textIf("endTimeUtc", when(s.result.Info.Ended))
	if stopped != "" {
		said = append(said, notification{"error", stopped})
	}
	if s.leftOut > 0 {
		said = append(said, notification{"warning", messages.Number(s.leftOut) + " more results are left out, for code scanning takes 25,000 and 10 MB at most; --format csv has every URL"})
	}
	if said != nil {
		array(&o, "toolExecutionNotifications", said, func(o *object, n *notification) {
			o.text("level", n.level)
			o.message(n.text)
		})
	}
	s.w.printf("],\"invocations\":[%s}]}]}\n", o)
}

// plainMessage writes a text as a message of SARIF: [text](number) would be a link to
// a location, so brackets are escaped (section 3.11.6), and {0} an argument, so braces
// are doubled (section 3.11.5).
var plainMessage = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// message adds a result's text.
func (o *object) message(text string) { o.texts("message", "text", plainMessage.Replace(text)) }

// texts adds a member with an object of keys and their texts.
func (o *object) texts(name string, pairs ...string) {
	o.begin(name)
	for i := 0; i < len(pairs); i += 2 {
		o.text(pairs[i], pairs[i+1])
	}
	o.end()
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

// levelOf is the level of what is an error, or a warning.
func levelOf(isError bool) string {
	if isError {
		return "error"
	}
	return "warning"
}

// expectRule is the id of the rule behind an old URL that does not lead where it should.
func expectRule(why audit.Unmet) string { return "expect/" + string(why) }

func expectLevel(why audit.Unmet) string {
	switch why {
	case audit.UnmetUnverified:
		return "note"
	case audit.UnmetNotFound, audit.UnmetTarget, audit.UnmetNot200:
		return "error"
	}
	return "warning"
}

// faultRule is the id of the rule behind a fault: "fault/too-many-urls".
func faultRule(x *audit.SitemapFault) string {
	words := strings.FieldsFunc(strings.ToLower(x.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return "fault/" + strings.Join(words, "-")
}

// A sarifRule is a rule of SARIF, and how many results it has.
type sarifRule struct {
	id, name, full, help, markdown, level string
	count                                 int
}

// ruleList returns the rules: every verdict that can be a result, and the faults that occur.
func (s *sarif) ruleList() (all []sarifRule) {
	for _, v := range audit.Verdicts() {
		if !isFinding(v) {
			continue
		}
		f := s.words.Verdict(v)
		help, markdown := f.What, escapeMarkdown(f.What)
		if v.Facts().Fix == audit.Keep || s.result.Counts.Groups[audit.NeedsDecision][string(v)] == 0 {
			// Else some of its results are kept where others are edited, and say so.
			help, markdown = help+" "+f.Do, markdown+"\n\n**Do:** "+escapeMarkdown(f.Do)
		}
		const source = " in the source of sitemend."
		help, markdown = help+" More: "+messages.Doc(v)+source, markdown+"\n\n**More:** `"+messages.Doc(v)+"`"+source
		all = append(all, sarifRule{string(v), f.Name, f.What, help, markdown, v.Facts().Severity, s.result.Counts.Verdicts[v]})
	}
	add := func(id, name, full, do, level string, count int) {
		if at := slices.IndexFunc(all, func(r sarifRule) bool { return r.id == id }); at >= 0 {
			all[at].count += count
		} else {
			all = append(all, sarifRule{id, name, full, do, escapeMarkdown(do), level, count})
		}
	}
	for _, x := range cmp.Or(s.result.Build, &audit.Build{}).Findings {
		name := s.words.Text("fault-" + x.Fault)
		add(x.Fault, name, "Something is wrong with a rule of the build: "+name+".", "Correct the rule file.", levelOf(x.Error), 1)
	}
	if x := conclude.ExpectedOf(s.result); x != nil {
		for _, e := range slices.SortedFunc(slices.Values(x.Ends), func(a, b conclude.ExpectedEnd) int {
			return slices.Index(audit.Unmets(), a.Why) - slices.Index(audit.Unmets(), b.Why)
		}) {
			name := e.Title.Plain(s.words)
			add(expectRule(e.Why), name, "An old URL of the map does not lead where it should: "+name+".", e.Text.Plain(s.words), expectLevel(e.Why), e.Count)
		}
	}
	var faults []audit.SitemapFault
	for i := range s.result.Files {
		faults = append(faults, s.result.Files[i].Sitemap.Faults...)
	}
	slices.SortStableFunc(faults, func(a, b audit.SitemapFault) int { // error, warning
		return cmp.Or(strings.Compare(faultRule(&a), faultRule(&b)), strings.Compare(a.Severity, b.Severity))
	})
	for _, x := range faults {
		add(faultRule(&x), x.Name, "Search Console's \""+x.Name+"\": something is wrong with the sitemap file itself.", "Correct what writes the sitemap file.", levelOf(x.Severity == "error"), 1)
	}
	return all
}
