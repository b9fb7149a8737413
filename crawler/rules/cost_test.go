package rules_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/rules"
)

// costly are rule files that take much work for their size, by the kind of file.
var costly = map[string][]cost.Shape{
	"any": {
		cost.Repeat("brackets", "", "[", ""),
		cost.Repeat("braces", "", "{", ""),
		cost.Repeat("quotes", "", "\"", ""),
		cost.Repeat("line ends", "", "\n", ""),
		cost.Repeat("bytes", "", "\x00\xff ", ""),
	},
	"lines": {
		cost.Count("lines", "", "/old/# /new/# 301\n", ""),
		cost.Count("lines with placeholders", "", "/old#/:a/* /new/:a/:splat 301\n", ""),
		cost.Repeat("a long line", "/old /", "x", ""),
		cost.Repeat("stars", "/", "*", " /new"),
		cost.Repeat("placeholders", "/", ":a/", " /new"),
		cost.Repeat("conditions", "/old /new 301 ", "Country=de ", ""),
		cost.Repeat("parameters", "/old ", "a=:b ", "/new"),
		cost.Repeat("splats in a target", "/nothing/* /new", ":splat", " 301"),
		cost.Count("headers", "", "/a/#/*\n  X-Robots-Tag: noindex\n", ""),
	},
	"toml": {cost.Repeat("tables in tables", "", "a.", "a = 1"), cost.Repeat("values in values", "a = ", "{a = ", ""), cost.Count("tables", "", "[[redirects]]\nfrom = \"/old/#\"\nto = \"/new\"\n", "")},
	"json": {
		cost.Count("redirects", `{"redirects": [{"source": "/", "destination": "/"}`,
			",\n"+`{"source": "/a/#", "destination": "/b"}`, "]}"),
		cost.Repeat("groups", `{"redirects": [{"source": "/`, "(a)", `", "destination": "/b"}]}`),
	},
	"table": {
		cost.Count("rows", "source,destination,regex,statusCode\n", "/old/#,/new/#,0,301\n", ""),
		cost.Repeat("a row", "", "a,", ""),
	},
}

// kinds are the kinds of file of the formats.
var kinds = map[rules.Format]string{
	rules.NetlifyTOML: "toml", rules.Vercel: "json", rules.VercelBulk: "table",
}

// shapes returns the files of any format and those of f.
func shapes(f rules.Format) []cost.Shape {
	return append(slices.Clone(costly["any"]), costly[cmp.Or(kinds[f], "lines")]...)
}

// readCostly returns a function that reads a file in a format and matches a request once.
func readCostly(format rules.Format) func(testing.TB, []byte) {
	return func(_ testing.TB, data []byte) {
		s := read(format, "file", string(data))
		s.Matcher().Match(rules.Request{Scheme: "https", Host: "www.example.com", Target: "/nothing/here"})
	}
}

// One format of each kind of file; the benchmark has all.
func TestCostOfRules(t *testing.T) {
	for _, f := range []rules.Format{rules.Netlify, rules.NetlifyTOML, rules.Vercel, rules.VercelBulk} {
		t.Run(string(f), func(t *testing.T) { cost.Test(t, 400, readCostly(f), costly[cmp.Or(kinds[f], "lines")]...) })
	}
}

func BenchmarkRulesCost(b *testing.B) {
	for _, f := range formats {
		b.Run(string(f), func(b *testing.B) { cost.Benchmark(b, 5*time.Microsecond, readCostly(f), shapes(f)...) })
	}
}
