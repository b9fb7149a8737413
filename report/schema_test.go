package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"

	"sitemend/report"
	"sitemend/report/internal/fixture"
)

// In each state of an audit summary.json is as its schema says, and its numbers add up.
func TestSummaryJSONSchema(t *testing.T) {
	text, err := os.ReadFile("../docs/summary.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range fixture.States() {
		var b bytes.Buffer
		if err := report.WriteSummaryJSON(&b, s.Result); err != nil {
			t.Fatal(err)
		}
		result, err := schema.Validate(gojsonschema.NewBytesLoader(b.Bytes()))
		if err != nil || !result.Valid() {
			t.Fatalf("%s: %v, %v", s.Name, err, result.Errors())
		}
		var said struct {
			Entries struct{ All, Clean, Replaced, Removed, Decide, Unknown int }
		}
		if err := json.Unmarshal(b.Bytes(), &said); err != nil {
			t.Fatal(err)
		}
		if e := said.Entries; e.Clean+e.Replaced+e.Removed+e.Decide+e.Unknown != e.All {
			t.Errorf("%s: the numbers of %+v do not add up", s.Name, e)
		}
		var top map[string]any
		if json.Unmarshal(b.Bytes(), &top) != nil || len(top) > 20 {
			t.Errorf("%s: %d keys", s.Name, len(top))
		}
	}
}

// docs/outputs.md has each key of summary.json.
func TestKeysAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../docs/outputs.md")
	if err != nil {
		t.Fatal(err)
	}
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
	var top part
	if err == nil {
		err = json.Unmarshal(schema, &top)
	}
	if err != nil || len(top.Properties) == 0 {
		t.Fatal(err)
	}
	look(top)
}
