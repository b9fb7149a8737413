package report

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// What junit.xml and sarif.json say of entries, sitemap files, rule files and the map of a
// migration. Texts are in English.

// A finding is one thing that is wrong, or that nobody could check.
type finding struct {
	rule, level string // "moved", "fault/too-many-urls", "rule-loop", "expect/wrong-target"; error, warning or note
	suite       string // the verdict, sitemaps, rules or expect
	fails       bool   // it is a problem
	title       string // what is wrong, in a few words
	name        string // what has it, the same from run to run
	text        string
	file        string // on this machine, or the URL of a sitemap
	line        int
	rules       []answers.RuleAt // that answered on the way
	row         *audit.Row       // of an entry
}

// findings hands what is found in an audit to put, as long as there is room, and counts the rest.
type findings struct {
	result     *audit.Result
	words      *messages.Catalogue
	most, left int // findings that there is room for, and that there was none for
	put        func(finding)
}

// room reports whether there is room for a finding more.
func (s *findings) room() bool {
	if s.most == 0 {
		s.left++
		return false
	}
	s.most--
	return true
}

// row takes an entry, but one that is fine or was not asked.
func (s *findings) row(f *audit.File, r *audit.Row) error {
	if is := r.Verdict.Facts(); r.Verdict != audit.OK && r.Verdict != audit.Skipped && s.room() {
		s.put(finding{rule: string(r.Verdict), level: is.Severity, suite: string(r.Verdict), fails: is.Problem, title: s.words.Verdict(r.Verdict).Name, name: url(r) + " in " + f.Sitemap.URL,
			text: entryText(s.words, s.result, r), file: placeOf(s.result.Build, f.Sitemap.URL), line: r.Entry.Line, rules: r.Trail.Rules(), row: r})
	}
	return nil
}

// files takes the faults of the sitemap files, and of the rule files of a build.
func (s *findings) files() {
	for i := range s.result.Files {
		f := &s.result.Files[i].Sitemap
		for _, x := range f.Faults {
			if s.room() {
				s.put(finding{rule: faultRule(&x), level: x.Severity, suite: "sitemaps", fails: x.Severity == "error", title: x.Name, name: f.URL + ": " + x.Name,
					text: visible(x.Name + ": " + messages.StableFault(x)), file: placeOf(s.result.Build, f.URL), line: x.Line})
			}
		}
	}
	if b := s.result.Build; b != nil {
		for _, x := range b.Findings {
			if s.room() {
				s.put(finding{rule: x.Fault, level: map[bool]string{true: "error", false: "warning"}[x.Error], suite: "rules", fails: x.Error, title: s.words.Text("fault-" + x.Fault),
					name: fmt.Sprintf("%s:%d %s", x.File, x.Line, x.Text), text: visible(x.Text + ": " + s.words.RuleFinding(x)), file: within(b.PathOf(x.File)), line: x.Line})
			}
		}
	}
}

// expected takes the old URLs that do not lead where they should.
func (s *findings) expected(ctx context.Context) error {
	if s.result.Expected == nil {
		return nil
	}
	for r, err := range s.result.Expected.Rows(ctx) {
		if err != nil {
			return err
		}
		if name := s.result.Expected.List.URL; !r.Forgotten && !r.Met() && s.room() {
			s.put(finding{rule: "expect/" + string(r.Why), level: cmp.Or(expectLevels[r.Why], "warning"), suite: "expect", fails: r.Why != audit.UnmetUnverified, title: conclude.ExpectedWhy(&r).Plain(s.words),
				name: fmt.Sprint(url(&r.Row), " in ", name, ", line ", r.Line), text: expectedText(s.words, &r), file: name, line: r.Line})
		}
	}
	return nil
}

// expectLevels are the levels of why an old URL does not lead where it should; others are warnings.
var expectLevels = map[audit.Note]string{audit.UnmetUnverified: "note", audit.UnmetNotFound: "error", audit.UnmetTarget: "error",
	audit.Note("target-" + audit.NotFound): "error", audit.Note("target-" + audit.Error): "error"}

// faultRule is the rule behind a fault: "fault/too-many-urls".
func faultRule(x *audit.SitemapFault) string {
	words := strings.FieldsFunc(strings.ToLower(x.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return "fault/" + strings.Join(words, "-")
}

// entryText says an entry in one line.
func entryText(c *messages.Catalogue, result *audit.Result, r *audit.Row) string {
	text := c.Verdict(r.Verdict).Name + ": " + url(r)
	if to := final(r); to != "" && r.Trail.Redirects() > 0 {
		text += " -> " + to
	}
	s := statuses(r)
	if _, ways, led := strings.Cut(redirectType(r), " "); led { // by no HTTP redirect
		s += ", " + ways
	}
	if s != "" {
		text += " (" + s + ")"
	}
	fix := c.Action(r.Fix.Action)
	if r.Fix.Loc != "" {
		fix += cmp.Or(map[audit.Action]string{audit.Merge: " of "}[r.Fix.Action], ": ") + r.Fix.Loc
	}
	if fix += "."; r.Fix.Action == audit.Keep {
		fix = strings.Replace(fix+" "+c.FixWhy(r.Fix.Why), ". Kept:", ":", 1)
	}
	if (result.Info.Partial || result.Info.NoFetch) && r.Fix.Action != audit.Keep {
		fix = "none is written; the URL would be " + fix
	}
	text += ". Corrected sitemap: " + fix
	for _, at := range r.Trail.Rules() {
		text += " Rule: " + ruleText(result.Build, at) + "."
	}
	if r.Verdict == audit.Noncanonical {
		text += " Canonical: " + pageOf(r).CanonicalAt(r.Final)
	}
	return visible(text)
}

// ruleText is a rule as a sentence names it: "_redirects line 12, /docs/* -> /guide/:splat".
func ruleText(b *answers.Build, at answers.RuleAt) string {
	text := fmt.Sprint(at.File, " line ", at.Line)
	if r, ok := b.Rule(at); ok {
		text += ", " + r.Source + " -> " + r.Target
	}
	return text
}

// expectedText says in one line what is wrong with an old URL.
func expectedText(c *messages.Catalogue, r *audit.ExpectedRow) string {
	to := r.To.String()
	if r.To.IsZero() {
		to = "404 or 410"
	}
	text := conclude.ExpectedWhy(r).Plain(c) + ": " + url(&r.Row) + " must lead to " + to
	if end := r.Final.String(); end != "" && end != to && end != url(&r.Row) {
		text += ", leads to " + end
	}
	if s := statuses(&r.Row); s != "" {
		text += " (" + s + ")"
	}
	if !r.Suggestion.IsZero() {
		text += ". Suggestion: " + r.Suggestion.String()
	}
	return visible(text)
}

// placeOf is the file of a sitemap: of a build that in its folder, else the sitemap as named.
func placeOf(b *answers.Build, sitemap string) string {
	if b != nil && b.Paths[sitemap] != "" {
		return within(b.Paths[sitemap])
	}
	return sitemap
}

// within is a path from where the command ran, where it lies below that.
func within(at string) string {
	here, err := filepath.Abs(".")
	if err != nil || !filepath.IsAbs(at) {
		return path.Clean(at)
	}
	if rel, err := filepath.Rel(here, at); err == nil && filepath.IsLocal(rel) {
		at = rel
	}
	return filepath.ToSlash(at)
}

func remote(sitemap string) bool {
	return strings.HasPrefix(sitemap, "http://") || strings.HasPrefix(sitemap, "https://")
}

// stoppedText says in English that an audit was stopped, and what was crawled until then, for
// programs that show no page; "" for any other.
func stoppedText(result *audit.Result) string {
	if !result.Info.Stopped() {
		return ""
	}
	return visible(conclude.Of(result, "").Headline.Plain(messages.Of("en")))
}
