package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
)

// updateDocs has the tests write what they would compare.
var updateDocs = flag.Bool("update", false, "rewrite the generated parts of docs")

// projectDir is the root of the project; scripts run elsewhere.
var projectDir = func() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}()

func ofProject(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(projectDir, filepath.FromSlash(name)))
	must(t, err)
	return string(b)
}

// The version is what the release was stamped with, else that of the source; what people copy from
// the documentation, and the newest heading of the changelog, name it.
func TestVersion(t *testing.T) {
	if version() != release {
		t.Errorf("the version is %s", version())
	}
	if !strings.HasPrefix(regexp.MustCompile(`(?m)^## (.*)$`).FindString(ofProject(t, "CHANGELOG.md")), "## "+release+" - 2") {
		t.Error("CHANGELOG.md begins with another version")
	}
	named := regexp.MustCompile(`(OWNER/sitemend@v|rev: v|/raw/v|/download/v|ghcr\.io/(?:OWNER|\$\{OWNER:[^}]*\})/sitemend:|sitemend_|SITEMEND_VERSION: |default: )(\d[\d.]*\d)`)
	for _, name := range []string{"docs/ci.md", "docs/install.md", "docs/examples/gitlab.yml", "docs/examples/compose.yaml", "docs/examples/cronjob.yaml", "action.yml"} {
		all := named.FindAllStringSubmatch(ofProject(t, name), -1)
		for _, m := range all {
			if m[2] != release && (!strings.HasPrefix(m[1], "ghcr") || !strings.HasPrefix(release, m[2]+".")) { // the images' tag that new patches have, too
				t.Errorf("%s: %s, the version is %s", name, m[0], release)
			}
		}
		if len(all) == 0 {
			t.Errorf("%s names no version", name)
		}
	}
}

// Each command says what it does, its exit status and how it is called, refuses arguments that it
// does not take, has a script that runs it, and a word in the README if `sitemend help` lists it.
// Formats and languages stand in the help of audit, and formats in the README.
func TestCommandsSayWhatTheyDo(t *testing.T) {
	scripts := ""
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		scripts += string(read(name))
	}
	var look func(*cobra.Command)
	look = func(parent *cobra.Command) {
		for _, c := range parent.Commands() {
			look(c)
			path := c.CommandPath()
			if !c.Runnable() || c.Name() == "help" || c.Name() == "completion" {
				continue // a topic, or the library's own
			}
			if c.Short == "" || !strings.Contains(c.Long, "Exit status:") || !strings.Contains(c.Example, path) || c.Args == nil {
				t.Errorf("%s: its help lacks what it does, its exit status or an example, or it takes any arguments", path)
			}
			if !regexp.MustCompile(`\b(exec |refused .* )` + strings.TrimPrefix(path, "sitemend ")).MatchString(strings.ReplaceAll(scripts, "exec sitemend ", "exec ")) {
				t.Errorf("%s: no script in testdata runs it", path)
			}
			if !c.Hidden && !parent.HasParent() && !regexp.MustCompile(`\b`+path+`\b`).MatchString(ofProject(t, "README.md")) {
				t.Errorf("%s: the README does not name it", path)
			}
		}
	}
	look(newRoot(stdio{}))
	help, readme := ofProject(t, "cmd/sitemend/help-audit.txt"), ofProject(t, "README.md")
	for _, list := range []string{strings.Join(report.Formats(), ", "), "--lang " + strings.Join(messages.Langs(), "|")} {
		if !strings.Contains(help, " "+list) {
			t.Errorf("help-audit.txt does not list %s", list)
		}
	}
	for _, format := range report.Formats() {
		if !regexp.MustCompile("(?m)^\\|.*`" + format + "`.*\\|.*\\|").MatchString(readme) {
			t.Errorf("the README has no row for --format %s", format)
		}
	}
}

// The examples are YAML, those for watch are right, and the workflows use inputs that the action has.
func TestExamples(t *testing.T) {
	t.Setenv("SLACK", "ntfy://ntfy.example/sitemaps")
	t.Setenv("TOKEN", "0123456789abcdef")
	t.Setenv("HOOK", "secret")
	check := func(name, text string) {
		file := filepath.Join(t.TempDir(), "watch.yaml")
		mustWrite(t, file, []byte(text))
		must(t, os.Chmod(file, 0o600))
		if status, _, said := sitemend(t.Context(), "watch", "--check", file); status != exitOK || said != "" {
			t.Errorf("%s: exit status %d: %s", name, status, said)
		}
	}
	names, _ := filepath.Glob(filepath.Join(projectDir, "docs", "examples", "*.y*ml"))
	if len(names) < 4 {
		t.Errorf("only %q", names)
	}
	for _, name := range names {
		in := yaml.NewDecoder(strings.NewReader(string(read(name))))
		for {
			var doc map[string]any
			if err := in.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if data, ok := doc["data"].(map[string]any); ok && doc["kind"] == "ConfigMap" {
				check(name, fmt.Sprint(data["watch.yaml"]))
			}
		}
	}
	check("docs/examples/watch.yaml", ofProject(t, "docs/examples/watch.yaml"))
	_, shown, _ := strings.Cut(ofProject(t, "docs/watch.md"), "```yaml\n")
	shown, _, _ = strings.Cut(shown, "```")
	check("docs/watch.md", shown)

	var action struct{ Inputs map[string]any }
	must(t, yaml.Unmarshal([]byte(ofProject(t, "action.yml")), &action))
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(ofProject(t, "docs/ci.md"), -1) {
		var f struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses string
					With map[string]string
				}
			}
		}
		must(t, yaml.Unmarshal([]byte(m[1]), &f))
		for _, job := range f.Jobs {
			for _, s := range job.Steps {
				for name := range s.With {
					if strings.HasPrefix(s.Uses, "OWNER/sitemend@") && action.Inputs[name] == nil {
						t.Errorf("docs/ci.md: the action has no input %s", name)
					}
				}
			}
		}
	}
}

// changing is what differs from one summary of an audit to the next, and from one machine to another.
var changing = regexp.MustCompile(`checked \S+ in \d+ s|nginx \d+[.\d]*|(?m:^Proxy .*\n)`)

// sameSession compares what a command prints with its session in a document; with -update it writes
// it there.
func sameSession(doc, command, got string) error {
	name := filepath.Join(projectDir, filepath.FromSlash(doc))
	text := string(read(name))
	before, session, found := strings.Cut(text, "$ "+command+"\n")
	session, after, ended := strings.Cut(session, "```")
	session, more, several := strings.Cut(session, "\n$ ")
	if !found || !ended {
		return fmt.Errorf("%s has no session of %s", doc, command)
	}
	plain := func(s string) string {
		return strings.TrimSpace(changing.ReplaceAllString(strings.TrimPrefix(s, "\uFEFF"), "")) // which nobody sees
	}
	if plain(got) == plain(session) {
		return nil
	}
	if *updateDocs {
		got = strings.TrimSpace(got) + "\n"
		if several {
			got += "\n$ " + more
		}
		return os.WriteFile(name, []byte(before+"$ "+command+"\n"+got+"```"+after), 0o666)
	}
	return fmt.Errorf("%s shows something else:\n%s\nprinted is:\n%s", doc, session, got)
}

// The demo shows each verdict that an audit can give, and the README and docs/verdicts what it prints
// and writes: of each verdict a page, its facts and an example. With -update they are written.
func TestDemoIsDocumented(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "C")
	t.Setenv("SITEMEND_GOOGLE_CREDENTIALS", "")
	status, out, errOut := sitemend(t.Context(), "demo", "--format", "html,jsonl")
	if status != exitOK {
		t.Fatal(errOut)
	}
	must(t, sameSession("README.md", "go run ./cmd/sitemend demo", out))
	examples := map[audit.Verdict]string{}
	for line := range strings.Lines(string(read("sitemend-out/www.shop.example/entries.jsonl"))) {
		v, text, err := exampleOf([]byte(line))
		must(t, err)
		if examples[v] == "" {
			examples[v] = text
		}
	}
	pages, _ := filepath.Glob(filepath.Join(projectDir, "docs", "verdicts", "*.md"))
	if len(pages) != len(audit.Verdicts())+1 {
		t.Errorf("%d pages of verdicts", len(pages)-1)
	}
	for _, page := range pages {
		for _, m := range regexp.MustCompile(`--fix ([a-z0-9-]+=[a-z]+)`).FindAllStringSubmatch(string(read(page)), -1) {
			if status, _, said := sitemend(t.Context(), "report", "--fix", m[1], "--out", "fixes", "--store", "sitemend-out/audits.db", "--format", "csv", "--fail-on", "none"); status != exitOK {
				t.Errorf("%s: --fix %s: %s", page, m[1], said)
			}
		}
	}
	var list, notes strings.Builder
	list.WriteString("| verdict | | default fix | Search Console | problem |\n|---|---|---|---|---|\n")
	words := messages.Of("en")
	for _, v := range audit.Verdicts() {
		f, label := v.Facts(), "goes by the status"
		if v != audit.Error {
			label = cmp.Or(string(f.Label), "–")
		}
		problem := map[bool]string{true: "yes", false: "no"}[f.Problem]
		fmt.Fprintf(&list, "| [`%s`](%[1]s.md) | %s | %s | %s | %s |\n", v, words.Verdict(v).Name, f.Fix, label, problem)
		facts := fmt.Sprintf("%s\n\nBy default %s · Search Console: %s · a problem: %s\n", words.Verdict(v).What, words.Action(f.Fix), label, problem)
		if examples[v] == "" {
			t.Errorf("no entry of the demo is %s", v)
		}
		sameInPage(t, string(v), "facts", facts)
		sameInPage(t, string(v), "example", "```\n"+examples[v]+"```\n")
	}
	notes.WriteString("| note | |\n|---|---|\n")
	outputs := ofProject(t, "docs/outputs.md")
	for _, n := range slices.Sorted(maps.Keys(words.Notes)) {
		if audit.Note(n).Liftable() && !strings.Contains(outputs, "\n| `"+n+"` | ") {
			t.Errorf("docs/outputs.md does not say what %s is", n)
		}
		if note := audit.Note(n); !strings.HasPrefix(n, "target-") && (note == audit.Braked || note == audit.Unsteady || !slices.Contains(audit.Stops(), note)) {
			fmt.Fprintf(&notes, "| `%s` | %s |\n", strings.Replace(n, "hops", "hops-N", 1), strings.ReplaceAll(words.Notes[n].What, "{n}", "N"))
		}
	}
	sameInPage(t, "README", "list", list.String())
	sameInPage(t, "README", "notes", notes.String())
}

// sameInPage compares the part of a page of docs/verdicts between its markers with text; with
// -update it writes it there.
func sameInPage(t *testing.T, page, part, text string) {
	t.Helper()
	old := ofProject(t, "docs/verdicts/"+page+".md")
	begin, end := "<!-- "+part+": go test ./cmd/sitemend -run Documented -update -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(old, begin)
	was, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Errorf("docs/verdicts/%s.md has no part between %q and %q", page, begin, end)
	case was != text && *updateDocs:
		must(t, os.WriteFile(filepath.Join(projectDir, "docs", "verdicts", page+".md"), []byte(before+begin+text+end+after), 0o666))
	case was != text:
		t.Errorf("docs/verdicts/%s.md, %s:\n%s\nthe program says:\n%s\n-update writes it there", page, part, was, text)
	}
}

// exampleOf is what a row says of its entry: what was asked and answered, and what is done.
func exampleOf(row []byte) (audit.Verdict, string, error) {
	type step struct {
		URL, Location, Fault string
		Status               int
	}
	var r struct {
		Loc            string
		Verdict        audit.Verdict
		Trail          []step
		Other          struct{ Trail []step } `json:"other_spelling"`
		Fix            struct{ Action, Loc string }
		Reasons, Notes []string
	}
	if err := json.Unmarshal(row, &r); err != nil {
		return "", "", err
	}
	text := "listed     " + r.Loc + "\n"
	for _, s := range slices.Concat(r.Trail, r.Other.Trail) {
		answer := fmt.Sprint(s.Status)
		if s.Status == 0 {
			answer = cmp.Or(s.Fault, "not sent: robots.txt forbids it")
		}
		text += strings.TrimSuffix("GET        "+s.URL+"\n           "+answer+", Location: "+s.Location, ", Location: ") + "\n"
	}
	for _, cell := range [][2]string{{"reasons", strings.Join(r.Reasons, " ")}, {"fix", r.Fix.Action + " " + r.Fix.Loc}, {"notes", strings.Join(r.Notes, " ")}} {
		if cell[1] != "" {
			text += fmt.Sprintf("%-10s %s\n", cell[0], strings.TrimSpace(cell[1]))
		}
	}
	return r.Verdict, text, nil
}
