package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	oasis "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"sitemend/crawler/audit"
)

// sarifSchema is the schema of OASIS for SARIF 2.1.0. go-sarif holds it in a
// constant that it does not export; it is read from that module's source, so that
// no copy of it lies here.
var sarifSchema = sync.OnceValues(func() (*gojsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && len(l.Value) > len(text) {
			text = l.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		return nil, err
	}
	return gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
})

// validSARIF complains about what the schema of SARIF 2.1.0 does.
func validSARIF(t *testing.T, b []byte) {
	t.Helper()
	schema, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(b))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors()[:min(5, len(result.Errors()))] {
		t.Error(e)
	}
}

func sarifOf(t *testing.T, result *audit.Result) *oasis.Report {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "sarif", result, Options{}); err != nil {
		t.Fatal(err)
	}
	validSARIF(t, b.Bytes())
	r, err := oasis.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSARIF(t *testing.T) {
	a := shop()
	a.Files[1].Sitemap.Faults = []audit.SitemapFault{{Line: 3, Name: "Invalid date", Severity: "warning", Key: audit.FaultAsSaid, Args: []string{`"yesterday"`}}, {Name: "Too many URLs", Severity: "error", Key: audit.FaultAsSaid, Args: []string{"50,001"}}}
	r := sarifOf(t, a)
	run := r.Runs[0]
	var got []string
	for _, x := range run.Results {
		at := x.Locations[0].PhysicalLocation
		place := *at.ArtifactLocation.URI
		if at.Region != nil {
			place += fmt.Sprint(":", *at.Region.StartLine)
		}
		if rule := *run.Tool.Driver.Rules[x.RuleIndex].ID; rule != *x.RuleID {
			t.Errorf("rule %s has the index of %s", *x.RuleID, rule)
		}
		got = append(got, fmt.Sprint(place, " ", x.Level, " ", *x.RuleID))
	}
	want := `shop.example/sitemap2.xml:3 warning fault/invalid-date
shop.example/sitemap2.xml error fault/too-many-urls
shop.example/sitemap1.xml:5 warning moved
shop.example/sitemap1.xml:6 warning moved
shop.example/sitemap1.xml:7 error not-found
shop.example/sitemap1.xml:8 error loop
shop.example/sitemap1.xml:9 warning disallowed
shop.example/sitemap1.xml:10 note unverified
shop.example/sitemap2.xml:2 note spelling-bounce
shop.example/sitemap2.xml:3 error invalid
shop.example/sitemap2.xml:4 error error`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// The help of a rule names the page of its verdict, which is there.
func TestSARIFNamesPages(t *testing.T) {
	named := 0
	for _, r := range sarifOf(t, shop()).Runs[0].Tool.Driver.Rules {
		_, rest, found := strings.Cut(*r.Help.Text, "More: ")
		if name, _, _ := strings.Cut(rest, " "); found {
			named++
			if _, err := os.Stat(filepath.Join("..", name)); err != nil || !strings.Contains(*r.Help.Markdown, "`"+name+"`") {
				t.Errorf("rule %s: %v, %s", *r.ID, err, *r.Help.Markdown)
			}
		}
	}
	if want := len(audit.Verdicts()) - 2; named != want { // ok and skipped are no results
		t.Errorf("%d rules name a page, want %d", named, want)
	}
}

// What an address or a fault says in braces and brackets is neither an argument nor a
// link: SARIF writes them so that a reader shows what was meant.
func TestSARIFMessagesArePlain(t *testing.T) {
	a := auditOf(map[string]string{"s.xml": two}, "http://a.example/1 drop")
	const odd = `/{0}/{{x}}/[a](1)/\{1\}`
	a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid URL", Severity: "error", Key: audit.FaultAsSaid, Args: []string{odd}}}
	seen := 0
	for _, x := range sarifOf(t, a).Runs[0].Results {
		text := *x.Message.Text
		if strings.Contains(text, "Invalid URL") {
			seen++
			if shown := showSARIF(t, text); shown != "Invalid URL: "+odd {
				t.Errorf("%s is shown as %s", text, shown)
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d results", seen)
	}
	for _, r := range sarifOf(t, shop()).Runs[0].Tool.Driver.Rules {
		for _, m := range []*oasis.MultiformatMessageString{r.ShortDescription, r.FullDescription, r.Help} {
			if m != nil && strings.ContainsAny(*m.Text, "{}") {
				t.Errorf("rule %s has braces: %s", *r.ID, *m.Text)
			}
		}
	}
}

// showSARIF shows a message as sections 3.11.5 and 3.11.6 say.
func showSARIF(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			t.Errorf("a link in %s", text)
		case c == '{' || c == '}':
			if i++; i == len(text) || text[i] != c {
				t.Fatalf("an argument in %s", text)
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// A finding keeps its fingerprint when its line moves, and no two have the same.
func TestSARIFFingerprints(t *testing.T) {
	of := func(result *audit.Result) map[string]bool {
		r := sarifOf(t, result)
		prints := map[string]bool{}
		for _, x := range r.Runs[0].Results {
			id := x.PartialFingerprints["primaryLocationLineHash"]
			if prints[id] || id == "" {
				t.Errorf("fingerprint %q twice or empty", id)
			}
			prints[id] = true
		}
		return prints
	}
	row := func(line int, path string) audit.Row {
		return entry(line, "http://shop.example/"+path, audit.Loop, kept("loop"), walk(audit.EndLoop, "http://shop.example/"+path+" 302 /b"))
	}
	before := of(result([][]audit.Row{{row(3, "a"), row(5, "b"), row(7, "a")}, {row(3, "a")}}))
	after := of(result([][]audit.Row{{row(13, "a"), row(15, "b"), row(17, "a")}, {row(33, "a")}}))
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("before %v, after %v", before, after)
	}
}

func TestSARIFPlace(t *testing.T) {
	for sitemap, want := range map[string]string{
		"https://www.shop.example/sitemap.xml":          "www.shop.example/sitemap.xml",
		"https://www.shop.example:8443/sitemap.xml?a=1": "www.shop.example_8443/sitemap.xml%3Fa=1",
		"https://www.shop.example":                      "www.shop.example/index",
		"public/sitemap.xml":                            "public/sitemap.xml",
		"./public/../sitemap 1.xml":                     "sitemap%201.xml",
		"C:sitemap.xml":                                 "./C:sitemap.xml",
		"-":                                             "stdin",
		"/srv/www/sitemap#1.xml":                        "file:///srv/www/sitemap%231.xml",
		"店.xml":                                         "%E5%BA%97.xml",
	} {
		if got := place(sitemap); got != want {
			t.Errorf("%s: got %s, want %s", sitemap, got, want)
		}
	}
}

// Of more than GitHub takes, each rule is shown, and what is left out is said.
func TestSARIFLimits(t *testing.T) {
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "sarif", repeated(map[audit.Verdict]int{audit.Moved: 40_000, audit.Loop: 300}), Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := oasis.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	run := r.Runs[0]
	counts := map[string]int{}
	for _, x := range run.Results {
		counts[*x.RuleID]++
	}
	if counts["loop"] != 300 || counts["moved"] != maxResults-300 {
		t.Errorf("got %v", counts)
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(notes) != 1 || !strings.HasPrefix(*notes[0].Message.Text, "15,300 more results are left out") {
		text, _ := json.Marshal(notes)
		t.Errorf("got %s", text)
	}
}
