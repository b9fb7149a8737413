package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"

	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// In each state of an audit the terminal has at most 14 lines of 100 columns, but for what is pasted, and
// summary.md 40 lines; who uploads the folder is told which copies lack URLs; summary.json is as its schema
// says; and the numbers of all add up, and are those of the rows.
func TestStates(t *testing.T) {
	pasted, unfilled := regexp.MustCompile(`^  sitemend |/`), regexp.MustCompile(`brief-|\{[a-z]+\}`)
	schema, err := gojsonschema.NewSchema(gojsonschema.NewReferenceLoader("file://../docs/summary.schema.json"))
	mustDo(t, err)
	lacks := 0
	for _, s := range fixture.States() {
		for _, lang := range messages.Langs() {
			var terminal, md bytes.Buffer
			mustDo(t, WriteSummary(&terminal, s.Result, Summary{Lang: lang, Written: Written{Dir: "out", Files: []string{"report.html"}}}))
			mustDo(t, Write(t.Context(), &md, "md", s.Result, Options{Lang: lang}))
			if a, b := strings.Count(terminal.String(), "\n"), strings.Count(md.String(), "\n"); a > 14 || b > 40 {
				t.Errorf("%s, %s: %d lines on the terminal, %d in summary.md\n%s", s.Name, lang, a, b, terminal.String())
			}
			for line := range strings.Lines(terminal.String()) {
				if w := cellsOf(strings.TrimSuffix(line, "\n")); w > 100 && !pasted.MatchString(line) || unfilled.MatchString(line) {
					t.Errorf("%s, %s: %d columns: %s", s.Name, lang, w, line)
				}
			}
			for i := range s.Result.Files {
				if f := &s.Result.Files[i]; f.Changed && f.Sitemap.InPart() && lang == "en" {
					if lacks++; !strings.Contains(terminal.String(), "\nDo not upload ") {
						t.Errorf("%s: nothing says that %s is not to be uploaded\n%s", s.Name, f.Sitemap.URL, terminal.String())
					}
				}
			}
		}
		c := conclude.Of(s.Result, "")
		if sum := c.Clean + c.Fix + c.Decide + c.Unseen + c.LeftOut; sum != c.Entries || c.Entries != s.Result.Counts.Entries || c.Fix != c.Replaced+c.Removed.N || c.Decide != c.Decided.N || c.Unseen != c.Unknown.N {
			t.Errorf("%s: the numbers do not add up: %+v", s.Name, c)
		}
		bar := 0
		for _, x := range c.Bar {
			bar += x.Count
		}
		if bar != c.Entries && c.Crawled() > 0 && !c.Alarm.Leads {
			t.Errorf("%s: the bar has %d of %d URLs", s.Name, bar, c.Entries)
		}
		var text bytes.Buffer
		mustDo(t, writeSummaryJSON(&text, s.Result))
		valid, err := schema.Validate(gojsonschema.NewBytesLoader(text.Bytes()))
		if err != nil || !valid.Valid() {
			t.Fatalf("%s: %v, %v", s.Name, err, valid.Errors())
		}
		var top map[string]any
		mustDo(t, json.Unmarshal(text.Bytes(), &top))
		if e := fmt.Sprint(top["entries"]); len(top) > 20 || e != fmt.Sprint(map[string]any{"all": c.Entries, "clean": c.Clean, "replaced": c.Replaced, "removed": c.Removed.N,
			"decide": c.Decide, "unknown": c.Unseen + c.LeftOut, "unknown_by": top["entries"].(map[string]any)["unknown_by"]}) {
			t.Errorf("%s: summary.json has %d keys, and says %s", s.Name, len(top), e)
		}
	}
	if lacks == 0 {
		t.Error("no state has a copy that lacks URLs")
	}
}

var update = flag.Bool("update", false, "write testdata/*.golden again")

// What each output says of an audit that has every kind of entry is in one file for each.
func TestFormatsSay(t *testing.T) {
	result := fixture.Study(1)
	said := map[string]string{}
	for _, format := range Formats()[1:] {
		said[format] = wrote(t, format, result)
	}
	delete(said, "xlsx") // bytes; its test reads it
	var terminal, summary bytes.Buffer
	mustDo(t, WriteSummary(&terminal, result, Summary{Lang: "en", Written: Written{Dir: "sitemend-out", Files: []string{"report.html"}}}))
	mustDo(t, writeSummaryJSON(&summary, result))
	said["terminal"], said["json"] = terminal.String(), summary.String()
	for format, text := range said {
		file := "testdata/" + format + ".golden"
		if *update {
			mustDo(t, os.WriteFile(file, []byte(text), 0o666))
		}
		want, err := os.ReadFile(file)
		if err != nil || text != string(want) {
			t.Errorf("%s is not what is written (-update writes it again): %v\n%.3000s", file, err, text)
		}
	}
}

// docs/outputs.md has each key of summary.json.
func TestKeysAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../docs/outputs.md")
	mustDo(t, err)
	_, described, _ := strings.Cut(string(text), "\n## `summary.json`\n")
	type part struct {
		Properties map[string]part
		Items      *part
	}
	var look func(p part)
	look = func(p part) {
		for key, inner := range p.Properties {
			if !strings.Contains(described, "`"+key+"`") {
				t.Errorf("the key %q is not described", key)
			}
			look(inner)
		}
		if p.Items != nil {
			look(*p.Items)
		}
	}
	schema, err := os.ReadFile("../docs/summary.schema.json")
	mustDo(t, err)
	var top part
	mustDo(t, json.Unmarshal(schema, &top))
	look(top)
}
