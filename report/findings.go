package report

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// What junit.xml and sarif.json say of entries, sitemap files, rule files and the map of a
// migration. Texts are in English.

// isFinding reports whether entries of verdict v are findings: all but those that
// are fine or were not asked.
func isFinding(v audit.Verdict) bool { return v != audit.OK && v != audit.Skipped }

// countFindings counts the entries of each verdict that are findings.
func countFindings(result *audit.Result) map[string]int {
	counts := map[string]int{}
	for v, n := range result.Counts.Verdicts {
		if isFinding(v) {
			counts[string(v)] = n
		}
	}
	return counts
}

// entryText says an entry in one line.
func entryText(c *messages.Catalogue, result *audit.Result, r *audit.Row) string {
	text := c.Verdict(r.Verdict).Name + ": " + url(r)
	if to := final(r); to != "" && r.Trail.Redirects() > 0 {
		text += " -> " + to
	}
	if s := statuses(r); s != "" {
		text += " (" + s + ")"
	}
	text += ". Corrected sitemap: " + fixText(c, &result.Info, &r.Fix) + "."
	if r.Fix.Action == audit.Keep {
		text += " " + c.FixWhy(r.Fix.Why)
	}
	for _, at := range r.Trail.Rules() {
		text += " Rule: " + ruleText(result.Build, at) + "."
	}
	if r.Verdict == audit.Noncanonical {
		text += " Canonical: " + canonical(r, pageOf(r))
	}
	return visible(text)
}

// fixText reports what the corrected sitemap does with an entry, or would do where
// none is written.
func fixText(c *messages.Catalogue, info *audit.Info, f *audit.Fix) string {
	text := c.Action(f.Action)
	if f.Loc != "" {
		text += ": " + f.Loc
	}
	if (info.Partial || info.NoFetch) && f.Action != audit.Keep {
		return "none is written; the URL would be " + text
	}
	return text
}

// faultText says a fault of a sitemap in one line: "error, line 3: Too many URLs: ...".
func faultText(x *audit.SitemapFault) string {
	text := x.Severity
	if x.Line > 0 {
		text += fmt.Sprint(", line ", x.Line)
	}
	return visible(text + ": " + x.Name + ": " + messages.StableFault(*x))
}

// ruleText is a rule as a sentence names it: "_redirects line 12, /docs/* -> /guide/:splat".
func ruleText(b *audit.Build, at audit.RuleAt) string {
	text := at.File + " line " + strconv.Itoa(at.Line)
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
	switch end := r.Final.String(); {
	case end != "" && end != to && end != url(&r.Row):
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
func placeOf(b *audit.Build, sitemap string) string {
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
	rel, err := filepath.Rel(here, at)
	if err != nil || strings.HasPrefix(rel, "..") {
		return at
	}
	return filepath.ToSlash(rel)
}

func remote(sitemap string) bool {
	return strings.HasPrefix(sitemap, "http://") || strings.HasPrefix(sitemap, "https://")
}
