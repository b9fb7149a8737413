package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	text := []byte(wrote(t, "sarif", result))
	validSARIF(t, text)
	r, err := oasis.FromBytes(text)
	mustDo(t, err)
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
