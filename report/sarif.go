package report

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	neturl "net/url"
	"path"
	"path/filepath"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// maxResults is what GitHub takes of a run ("SARIF results exceed limit").
const maxResults = 25_000

// openSARIF begins sarif.json: SARIF 2.1.0 (OASIS, errata 01), for code scanning and editors. Each
// entry that is a finding is a result, each fault of a sitemap or rule file, and each old URL of a
// map that does not lead where it should. The rule is the verdict, "fault/too-many-urls",
// "rule-loop", "expect/wrong-target" and so on. A sitemap from the web is located as HOST/PATH, for
// GitHub refuses a file that is not in the repository. The fingerprint is of rule, file and URL,
// without the line, so that a finding is tracked when lines move. At most 25,000 results are
// written; how many were left out, and that an audit was stopped, is said
// in invocations[0]. Texts are in English.
func openSARIF(ctx context.Context, w io.Writer, result *audit.Result, _ Options) (Page, error) {
	s := &sarif{w: bufio.NewWriter(w), index: map[string]int{}, same: map[string]int{}}
	s.findings = &findings{result: result, words: messages.Of("en"), most: maxResults, put: s.add}
	s.w.WriteString(`{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"columnKind":"utf16CodeUnits","results":[`)
	s.files()
	return rows{s.row, func() error { return cmp.Or(s.expected(ctx), s.close()) }}, nil
}

// sarif is a sarif file while it is written.
type sarif struct {
	*findings
	w     *bufio.Writer // whose error comes back at the end
	rules []members
	index map[string]int // of rules, by id
	same  map[string]int // results by fingerprint
	comma string         // before the next result
}

// add writes a result.
func (s *sarif) add(x finding) {
	if _, known := s.index[x.rule]; !known {
		s.index[x.rule] = len(s.rules)
		s.rules = append(s.rules, s.describe(x))
	}
	m := members{"ruleId", x.rule, "ruleIndex", s.index[x.rule], "level", x.level, "message", sarifText(x.text), "locations", []members{physical(x.file, x.line)}}
	var related []members // section 3.27.22
	for i, at := range x.rules {
		where := physical(within(s.result.Build.PathOf(at.File)), at.Line)
		related = append(related, append(append(members{"id", i + 1}, where...), "message", sarifText(visible(ruleText(s.result.Build, at)))))
	}
	m = append(m, "relatedLocations?", related)
	if remote(x.file) { // GitHub computes that of local files itself
		sum := sha256.Sum256([]byte(x.rule + "\x00" + x.file + "\x00" + x.name))
		id := hex.EncodeToString(sum[:16])
		s.same[id]++ // a URL that is listed again in the file counts up
		m = append(m, "partialFingerprints", members{"primaryLocationLineHash", fmt.Sprint(id, ":", s.same[id])})
	}
	s.w.Write(m.append([]byte(s.comma + "\n")))
	s.comma = ","
}

// describe is the rule of a finding.
func (s *sarif) describe(x finding) members {
	full, help := "", ""
	switch x.suite {
	case "sitemaps":
		full, help = "Search Console's \""+x.title+"\": something is wrong with the sitemap file itself.", "Correct what writes the sitemap file."
	case "rules":
		full, help = "Something is wrong with a rule of the build: "+x.title+".", "Correct the rule file."
	case "expect":
		full, help = "An old URL of the map does not lead where it should: "+x.title+".", conclude.ExpectedDo(audit.Note(strings.TrimPrefix(x.rule, "expect/"))).Plain(s.words)
	default:
		v := audit.Verdict(x.rule)
		f := s.words.Verdict(v)
		full = f.What
		if v.Facts().Fix == audit.Keep || s.result.Counts.Groups[audit.NeedsDecision][x.rule] == 0 {
			help = f.Do // else some of its results are kept where others are edited, and say so
		}
		help = strings.TrimSpace(help + " More: " + messages.Doc(v) + " in the source of sitemend.")
	}
	severity := map[string]string{"error": "error", "warning": "warning", "note": "recommendation"}[x.level]
	return members{"id", x.rule, "shortDescription", members{"text", visible(x.title)}, "fullDescription", members{"text", visible(full)},
		"help", members{"text", visible(help), "markdown", mdText(help)}, "defaultConfiguration", members{"level", x.level},
		"properties", members{"tags", []string{"sitemap", "seo"}, "precision", "very-high", "problem.severity", severity}}
}

// close writes what stands after the last result.
func (s *sarif) close() error {
	info := &s.result.Info
	version, _, _ := strings.Cut(strings.TrimPrefix(info.Tool, "sitemend "), " ")
	stopped := stoppedText(s.result)
	var said []members
	if stopped != "" {
		said = append(said, members{"level", "error", "message", sarifText(stopped)})
	}
	if s.left > 0 {
		said = append(said, members{"level", "warning", "message", sarifText(messages.Number(s.left) + " more results are left out, for code scanning takes 25,000 at most; --format csv has every URL")})
	}
	invocation := members{"executionSuccessful", stopped == "", "startTimeUtc?", when(info.Started), "endTimeUtc?", when(info.Ended), "toolExecutionNotifications?", said}
	driver := members{"name", "sitemend", "version?", visible(version), "rules", s.rules}
	rest := members{"tool", members{"driver", driver}, "invocations", []members{invocation}}.append(nil)
	s.w.WriteString("],")
	s.w.Write(append(rest[1:], "]}\n"...))
	return s.w.Flush()
}

// plainMessage writes a text as a message of SARIF: [text](number) would be a link to
// a location, so brackets are escaped (section 3.11.6), and {0} an argument, so braces
// are doubled (section 3.11.5).
var plainMessage = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

func sarifText(text string) members { return members{"text", plainMessage.Replace(text)} }

// physical is a place in a sitemap or rule file. The line is left out where it is not known, and
// so is the column: ours counts bytes, SARIF's characters.
func physical(file string, line int) members {
	return members{"physicalLocation", members{"artifactLocation", members{"uri", place(file)}, "region?", members{"startLine?", line}}}
}

// place names a sitemap file as a URI reference (RFC 3986) that code scanning
// takes: relative for a relative path and for a file from the web, file:// for
// an absolute path.
func place(sitemap string) string {
	at := neturl.URL{Path: path.Clean(filepath.ToSlash(sitemap))}
	switch {
	case sitemap == "-":
		return "stdin"
	case remote(sitemap):
		_, rest, _ := strings.Cut(sitemap, "://")
		host, file, _ := strings.Cut(rest, "/")
		at.Path = strings.ReplaceAll(host, ":", "_") + "/" + cmp.Or(file, "index")
	case filepath.IsAbs(sitemap):
		at.Scheme, at.Path = "file", "/"+strings.TrimPrefix(filepath.ToSlash(sitemap), "/")
	}
	return at.String()
}
