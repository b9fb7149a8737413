package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// updatePages has the tests write what they would compare.
var updatePages = flag.Bool("update", false, "rewrite the generated parts of docs")

// verdictPages is the folder of the pages, one for each verdict.
var verdictPages = filepath.Join(projectDir, "docs", "verdicts")

// TestVerdictPages holds docs/verdicts to the program. Each page has a script of its name
// in testdata/verdicts, whose commands besides those of TestScripts are
//
//	audit [FLAG...] TARGET   run that command, as a reader of the page would
//	page VERDICT             the page has the facts of the verdict, and in its example what
//	                         the audit printed and wrote of the one entry that has it
//
// With -update they are written into the pages.
func TestVerdictPages(t *testing.T) {
	p := scriptParams(filepath.Join("testdata", "verdicts"))
	p.Cmds["audit"], p.Cmds["page"] = auditCommand, pageCommand
	testscript.Run(t, p)
}

// Every verdict has a page and a script, and there is no other.
func TestVerdictPagesAreAll(t *testing.T) {
	var want []string
	for _, v := range audit.Verdicts() {
		want = append(want, string(v))
	}
	slices.Sort(want)
	for _, files := range []string{filepath.Join(verdictPages, "*.md"), filepath.Join("testdata", "verdicts", "*.txtar")} {
		names, err := filepath.Glob(files)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range names {
			if base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)); base != "README" {
				got = append(got, base)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", files, got, want)
		}
	}
}

// The list of the pages has what the tables say of each verdict and of the notes.
func TestVerdictPagesList(t *testing.T) {
	var list, notes strings.Builder
	list.WriteString("| verdict | | default fix | Search Console | problem |\n|---|---|---|---|---|\n")
	for _, v := range audit.Verdicts() {
		f := v.Facts()
		fmt.Fprintf(&list, "| [`%s`](%[1]s.md) | %s | %s | %s | %s |\n", v, english().Verdict(v).Name, f.Fix, labelOf(f), yesNo(f.Problem))
	}
	notes.WriteString("| note | |\n|---|---|\n")
	outputs := ofProject(t, "docs/outputs.md")
	for _, n := range slices.Sorted(maps.Keys(english().Notes)) {
		if audit.CanLift(audit.Note(n)) && !strings.Contains(outputs, "\n| `"+n+"` | ") {
			t.Errorf("docs/outputs.md does not say what %s is", n)
		}
		if !isRule(n) {
			what := strings.ReplaceAll(english().Notes[n].What, "{n}", "N")
			fmt.Fprintf(&notes, "| `%s` | %s |\n", noteName(n), what)
		}
	}
	if err := errors.Join(inPage("README", "list", list.String()), inPage("README", "notes", notes.String())); err != nil {
		t.Error(err)
	}
}

// noteName is a note as rows have it.
func noteName(key string) string { return strings.Replace(key, "hops", "hops-N", 1) }

// isRule reports whether a note is a rule of what may be written: docs/outputs.md has these.
func isRule(key string) bool {
	n := audit.Note(key)
	return strings.HasPrefix(key, "target-") || n != audit.Braked && n != audit.Unsteady && slices.Contains(audit.Stops(), n)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// labelOf is what Search Console calls a verdict.
func labelOf(f *audit.Facts) string {
	if f.Verdict == audit.Error {
		return "goes by the status"
	}
	return cmp.Or(string(f.Label), "–")
}

func english() *messages.Catalogue { return messages.Of("en") }

// inPage reports how the part of a page between its markers differs from text; with
// -update it writes it there.
func inPage(page, part, text string) error {
	name := filepath.Join(verdictPages, page+".md")
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+part+": go test ./cmd/sitemend -run VerdictPages -update -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(string(old), begin)
	was, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		return fmt.Errorf("docs/verdicts/%s.md has no part between %q and %q", page, begin, end)
	case was == text:
		return nil
	case *updatePages:
		return os.WriteFile(name, []byte(before+begin+text+end+after), 0o666)
	}
	return fmt.Errorf("docs/verdicts/%s.md, %s:\n%s\nthe program says:\n%s\n-update writes it there", page, part, was, text)
}

// fixInPage is an item of --fix in a page.
var fixInPage = regexp.MustCompile(`--fix ([a-z0-9-]+=[a-z]+)`)

func auditCommand(ts *testscript.TestScript, neg bool, args []string) {
	all := append([]string{"audit", "--rate", "0", "--ca", "ca.pem", "--out", "out", "--format", "csv,jsonl"}, args...)
	var exit *exec.ExitError
	if err := ts.Exec("sitemend", all...); neg || err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		ts.Fatalf("sitemend audit: %v\n%s", err, ts.ReadFile("stderr"))
	}
	ts.Setenv("AUDIT", "sitemend audit "+strings.Join(args, " "))
}

func pageCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: page VERDICT")
	}
	v := audit.Verdict(args[0])
	ts.Check(errors.Join(inPage(args[0], "facts", factsOf(v)), inPage(args[0], "example", exampleOf(ts, v))))
	text, err := os.ReadFile(filepath.Join(verdictPages, args[0]+".md"))
	ts.Check(err)
	fixes := []string{"audit", "--no-fetch", "--ca", "ca.pem", "--out", "fixes"}
	for _, item := range fixInPage.FindAllStringSubmatch(string(text), -1) {
		fixes = append(fixes, "--fix", item[1])
	}
	if err := ts.Exec("sitemend", append(fixes, "sitemap.xml")...); err != nil && ts.ReadFile("stderr") != "" {
		ts.Fatalf("an item of --fix on the page: %v\n%s", err, ts.ReadFile("stderr"))
	}
}

// factsOf is what the table of verdicts and the messages say of one.
func factsOf(v audit.Verdict) string {
	f, words := v.Facts(), english().Verdict(v)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| | |\n|---|---|\n", words.What)
	line := func(name, value string) { fmt.Fprintf(&b, "| %s | %s |\n", name, value) }
	line("the corrected sitemap", english().Action(f.Fix))
	line("Search Console calls it", labelOf(f))
	line("counted by `--fail-on problem`", yesNo(f.Problem))
	return b.String()
}

// exampleOf is what the audit before printed and wrote of the first entry with verdict v.
func exampleOf(ts *testscript.TestScript, v audit.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "```\n$ %s\n%s```\n\n", ts.Getenv("AUDIT"), lanes(ts.ReadFile("stdout")))
	fmt.Fprintf(&b, "The requests, and what entries.csv says:\n\n```\n%s\n%s```\n\n", asked(ts, v), cells(ts, v))
	if diff := corrected(ts); strings.Contains(diff, "\n- ") {
		b.WriteString("The corrected sitemap:\n\n```diff\n" + diff + "```\n")
	} else {
		b.WriteString("The sitemap stays as it is.\n")
	}
	return b.String()
}

// lanes are the lines of a summary that say what became of the URLs.
func lanes(summary string) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(summary) {
		if !strings.HasPrefix(line, "   ") {
			label, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			in = slices.Contains([]string{"Fixed", "To", "Unknown", "Googlebot"}, label)
		}
		if in {
			b.WriteString(line)
		}
	}
	return b.String()
}

// asked are the requests of an entry's row, each with its answer.
func asked(ts *testscript.TestScript, v audit.Verdict) string {
	type step struct {
		URL, Location, Fault string
		Status               int
	}
	for line := range strings.Lines(ts.ReadFile("out/entries.jsonl")) {
		var r struct {
			Verdict audit.Verdict
			Trail   []step
			Other   struct{ Trail []step } `json:"other_spelling"`
		}
		ts.Check(json.Unmarshal([]byte(line), &r))
		if r.Verdict != v {
			continue
		}
		var b strings.Builder
		for _, s := range slices.Concat(r.Trail, r.Other.Trail) {
			answer := fmt.Sprint(s.Status)
			if s.Location != "" {
				answer += ", Location: " + s.Location
			}
			if s.Status == 0 { // an address that robots.txt forbids has no fault
				answer = cmp.Or(s.Fault, "not sent: robots.txt forbids it")
			}
			fmt.Fprintf(&b, "GET %s\n    %s\n", s.URL, answer)
		}
		return cmp.Or(b.String(), "(nothing)\n")
	}
	ts.Fatalf("no URL has the verdict %s", v)
	return ""
}

// inPages are the columns of entries.csv that say more of a verdict than its facts and the requests.
var inPages = []string{"reasons", "canonical", "robots", "robots_line", "fix", "written", "why", "notes"}

// cells are those of an entry's row that are not empty.
func cells(ts *testscript.TestScript, v audit.Verdict) string {
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(ts.ReadFile("out/entries.csv"), "\ufeff"))).ReadAll()
	ts.Check(err)
	at := slices.Index(rows[0], "verdict")
	row := slices.IndexFunc(rows, func(r []string) bool { return r[at] == string(v) })
	var b strings.Builder
	for i, name := range rows[0] {
		if row >= 0 && rows[row][i] != "" && rows[row][i] != english().Verdict(v).What && slices.Contains(inPages, name) {
			fmt.Fprintf(&b, "%-12s %s\n", name, rows[row][i])
		}
	}
	return b.String()
}

// corrected is how the corrected sitemap differs from the original, line by line.
func corrected(ts *testscript.TestScript) string {
	const name = "out/sitemaps/shop.example/sitemap.xml"
	before := strings.SplitAfter(ts.ReadFile("sitemap.xml"), "\n")
	after := before
	if text, err := os.ReadFile(ts.MkAbs(name)); err == nil {
		after = strings.SplitAfter(string(text), "\n")
	} else if !errors.Is(err, os.ErrNotExist) {
		ts.Check(err)
	}
	var b strings.Builder
	for i, line := range before {
		switch {
		case !strings.Contains(line, "<url>"):
		case slices.Contains(after, line):
			b.WriteString("  " + line)
		case len(after) == len(before):
			b.WriteString("- " + line + "+ " + after[i])
		default:
			b.WriteString("- " + line)
		}
	}
	return b.String()
}
