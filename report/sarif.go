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

// openSARIF begins sarif.json: SARIF 2.1.0 (OASIS, errata 01), for code scanning
// and editors. Each entry that is not simply fine is a result, and each fault of
// a sitemap file; with a map of --expect each old address that does not lead where it should:
//
//	ruleId     the verdict; "fault/too-many-urls" and so on for a fault; "expect/wrong-target"
//	           and so on for an old address, whose location is its line of the map
//	level      error for what Google cannot reach or read, warning for other
//	           problems, note for what is no problem by itself (not checked,
//	           redirected in another spelling); faults have their own
//	message    what was seen, where it leads and what the corrected sitemap does
//	location   file and line of the <loc>. A local file as it was named. A sitemap
//	           from the web as HOST/PATH without its scheme, for GitHub refuses a
//	           file that names any other place than one of the repository; its
//	           URL is in properties.sitemap. Of a build (--site) that of its file; the
//	           rules that answered on the way are relatedLocations
//	partialFingerprints
//	           of verdict, sitemap and address, without the line, so that a finding
//	           is tracked when lines move; for sitemaps from the web under the name
//	           that GitHub uses, too (it computes that of local files itself)
//
// Entries that are fine or were not asked have no result. At most 25,000 results
// are written, each rule with its share; how many were left out is said in
// invocations[0].toolExecutionNotifications, and that an audit was stopped, whose
// executionSuccessful is false. Texts are in English.
func openSARIF(ctx context.Context, w io.Writer, result *audit.Result, _ env) (rows, error) {
	s := &sarif{w: errWriter{w: w}, result: result, words: messages.Of("en"), rules: map[string]int{}, leftOut: map[string]int{}, same: map[string]int{}}
	counts := map[string]int{}
	for v, n := range result.Counts.Verdicts {
		if isFinding(v) {
			counts[string(v)] = n
		}
	}
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
	s.countExpected(counts)
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

// next begins a result of a rule; false where it is left out.
func (s *sarif) next(id string) bool {
	if s.room[id] == 0 || s.w.n > maxResultBytes {
		s.leftOut[id]++
		return false
	}
	s.room[id]--
	s.b = s.b[:0]
	if s.begun {
		s.b = append(s.b, ',')
	}
	s.begun = true
	s.b = append(s.b, '\n', '{')
	s.b.text("ruleId", id)
	s.b.number("ruleIndex", s.rules[id])
	return true
}

func (s *sarif) take(f *audit.File, r *audit.Row) error {
	if !isFinding(r.Verdict) || !s.next(string(r.Verdict)) {
		return s.w.err
	}
	s.b.text("level", r.Verdict.Facts().Severity)
	s.b.message(sarifText(s.words, s.result, r))
	s.b.location(placeOf(s.result.Build, f.Sitemap.URL), r.Entry.Line)
	s.ruleLocations(r)
	s.fingerprints(f.Sitemap.URL, string(r.Verdict), r.Entry.Loc)
	s.b.key("properties")
	s.b = append(s.b, '{')
	s.b.text("sitemap", visible(f.Sitemap.URL))
	s.b.text("url", visible(url(r)))
	if hasFinal(r) {
		s.b.text("final", visible(r.Final.String()))
	}
	s.b.textIf("statuses", statuses(r))
	s.b.text("fix", string(r.Fix.Action))
	s.b.textIf("written", visible(r.Fix.Loc))
	s.b.textIf("search_console", SearchConsole(r))
	s.b = append(s.b, '}', '}')
	s.w.write(s.b)
	return s.w.err
}

// faults writes the results for the sitemap files.
func (s *sarif) faults() {
	for i := range s.result.Files {
		f := &s.result.Files[i]
		for _, x := range f.Sitemap.Faults {
			id := faultRule(&x)
			if !s.next(id) {
				continue
			}
			text := messages.StableFault(x)
			s.b.text("level", faultLevel(x.Severity))
			s.b.message(visible(x.Name + ": " + text))
			s.b.location(placeOf(s.result.Build, f.Sitemap.URL), x.Line)
			s.fingerprints(f.Sitemap.URL, id, text)
			s.b = append(s.b, '}')
			s.w.write(s.b)
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
		if !s.next(x.Fault) {
			continue
		}
		text := s.words.RuleFinding(x)
		s.b.text("level", ruleLevel(x.Error))
		s.b.message(visible(s.words.Text("fault-"+x.Fault) + ": " + x.Text + ": " + text))
		s.b.location(place(within(b.PathOf(x.File))), x.Line)
		s.fingerprints(x.File, x.Fault, x.Text+text)
		s.b = append(s.b, '}')
		s.w.write(s.b)
	}
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
		left = messages.Number(n) + " more results are left out, for code scanning takes 25,000 and 10 MB at most; --format csv has every entry"
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

// location adds a place in a sitemap or rule file. The line is left out where it is
// not known, and so is the column: ours counts bytes, SARIF's characters.
func (o *object) location(uri string, line int) {
	o.key("locations")
	*o = append(*o, `[{`...)
	o.physical(uri, line)
	*o = append(*o, `}]`...)
}

// physical adds the physicalLocation of a location.
func (o *object) physical(uri string, line int) {
	*o = append(*o, `"physicalLocation":{"artifactLocation":{`...)
	o.text("uri", uri)
	*o = append(*o, '}')
	if line > 0 {
		*o = append(*o, `,"region":{`...)
		o.number("startLine", line)
		*o = append(*o, '}')
	}
	*o = append(*o, '}')
}

// ruleLocations adds the rules of a build that answered an entry on its way, as related
// locations (section 3.27.22).
func (s *sarif) ruleLocations(r *audit.Row) {
	all := r.Trail.Rules()
	if len(all) == 0 {
		return
	}
	s.b.key("relatedLocations")
	s.b = append(s.b, '[')
	for i, at := range all {
		if i > 0 {
			s.b = append(s.b, ',')
		}
		s.b = append(s.b, '{')
		s.b.number("id", i+1)
		s.b = append(s.b, ',')
		s.b.physical(place(within(s.result.Build.PathOf(at.File))), at.Line)
		s.b.message(visible(ruleText(s.result.Build, at)))
		s.b = append(s.b, '}')
	}
	s.b = append(s.b, ']')
}

// fingerprints adds what tells one finding from another, run after run. An
// address that is listed again in the file counts up.
func (s *sarif) fingerprints(file, rule, what string) {
	o := &s.b
	sum := sha256.Sum256([]byte(rule + "\x00" + file + "\x00" + what))
	id := hex.EncodeToString(sum[:16])
	s.same[id]++
	id += fmt.Sprint(":", s.same[id])
	o.key("partialFingerprints")
	*o = append(*o, '{')
	if remote(file) && s.result.Build == nil {
		o.text("primaryLocationLineHash", id)
	}
	o.text("sitemend/v1", id)
	*o = append(*o, '}')
}

func remote(sitemap string) bool {
	return strings.HasPrefix(sitemap, "http://") || strings.HasPrefix(sitemap, "https://")
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

// sarifText says an entry in one line.
func sarifText(c *messages.Catalogue, result *audit.Result, r *audit.Row) string {
	text := c.Verdict(r.Verdict).Name + ": " + url(r)
	if hasFinal(r) && r.Trail.Redirects() > 0 {
		text += " -> " + r.Final.String()
	}
	if s := statuses(r); s != "" {
		text += " (" + s + ")"
	}
	fix := c.FixWhy(r.Fix.Why)
	if r.Fix.Action != audit.Keep || !strings.Contains(fix, "kept") { // else it says so itself
		fix = fixText(c, &result.Info, &r.Fix) + " (" + fix + ")"
	}
	text += ". Corrected sitemap: " + fix + "."
	for _, at := range r.Trail.Rules() {
		text += " Rule: " + ruleText(result.Build, at) + "."
	}
	if r.Verdict == audit.Noncanonical {
		if p := ended(r); p != nil {
			text += " Canonical: " + canonical(r, p)
		}
	}
	return visible(text)
}
