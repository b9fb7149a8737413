package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
	"github.com/xuri/excelize/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// hostileTexts are what a site may send as an address, a title, a header or a
// line of robots.txt.
var hostileTexts = []string{
	`=HYPERLINK("http://evil.example","click")`, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1", "＠x",
	"http://shop.example/\x1b]0;owned\a\x1b[2J", "http://shop.example/\u009b2J\x7f\x00", "a\r\nb\nc\u2028d\u2029e\u0085",
	"http://shop.example/\u202egpj.exe", "\u2066x\u2069\u200f", "http://shop.example/\xff\xfe\xc3", "\xed\xa0\x80", "\ufffe\uffff\ufffd",
	`</script><img src=x onerror=alert(1)>`, `"><svg/onload=alert(1)>`, "javascript:alert(1)", "]]>", "<!--", "<![CDATA[", "&amp;&#0;&lt;&bogus;",
	"a|b|c", `a\|b`, "`code` ``` ~~~", "[x](javascript:alert(1))", "![x](http://evil.example/i.png)", "<http://evil.example>", "www.evil.example see www.evil.example",
	"@everyone #1 $x$ **b** _i_ ~~s~~", "# head", "> quote", "- item", "1. item", "| --- |", "--- \n---", "](x)", `\`, `a\`, "[text](0)", "%!s(MISSING) %d",
	"_x0041_ _x000D_", " leading and trailing ", "'", `"`, "", strings.Repeat("x", 40_000), "http://shop.example/" + strings.Repeat("%E3%83%AA", 300),
	"::error file=x::owned", "http://shop.example/?a=1&b=<2>",
}

// hostile is an audit in which everything that comes from outside is hostile.
func hostile() *audit.Result {
	a := of("1 /")
	a.Info.Tool, a.Info.Agent, a.Info.Abandoned = "sitemend \x1b[2J\"", "\x1b[2J<b>", map[string]int{"<b>\x1b[2J": 403}
	t := a.Result()
	var list []audit.Row
	for i, s := range hostileTexts {
		to := address.Wire("http://shop.example/" + s)
		r := audit.Row{Entry: audit.Entry{Loc: s, Line: i + 1}, Final: to, Status: 200, Notes: []audit.Note{audit.Note(s), "duplicate"},
			Fix: audit.Fix{Action: audit.Replace, Loc: to.String(), Policy: "default", Why: audit.Why{Key: s}},
			Trail: answers.Trail{End: answers.EndAnswer, Steps: []answers.Step{
				{Hop: answers.Hop{Request: answers.Request{URL: to.String()}, Status: 301, Location: s}, Next: to, Kind: answers.ByHTTP, Permanent: true},
				{Hop: answers.Hop{Request: answers.Request{URL: s}, Status: 200, Forbidden: s, Page: answers.Page{Title: s, Robots: s, ContentType: s, Canonical: s}}}}}}
		r.Address, _ = address.Parse(s)
		for _, v := range []audit.Verdict{audit.Moved, audit.Invalid, audit.Unverified, audit.Noncanonical, audit.Loop} {
			if r.Verdict = v; v != audit.Moved {
				r.Fix.Action = audit.Keep
			}
			list = append(list, r)
		}
		t.Causes = append(t.Causes, audit.Cause{Verdict: audit.Loop, Group: audit.NeedsDecision, Count: i + 1, Rule: s + " -> " + s, Examples: []audit.Example{{Listed: s, Final: s}, {Listed: s, Final: s}}})
		t.Files[0].Sitemap.Faults = append(t.Files[0].Sitemap.Faults, audit.SitemapFault{Sitemap: s, Line: i, Name: "Name " + s, Severity: "error", Key: audit.FaultAsSaid, Args: []string{s}})
		t.Info.RobotsBad = append(t.Info.RobotsBad, s)
	}
	t.Linked, t.Info.Targets = linkedTo(hostileTexts), hostileTexts
	return walking(t, func(int) iter.Seq2[audit.Row, error] { return fixture.Each(list) })
}

// Whatever a site sends, no output of ours breaks, calculates, becomes markup or
// steers a terminal.
func TestHostileTexts(t *testing.T) {
	checks := map[string]func(*testing.T, []byte){"csv": checkCSV, "jsonl": checkJSONL, "xlsx": checkXLSX, "junit": checkJUnit, "sarif": checkSARIF, "md": checkMarkdown}
	for _, format := range Formats() {
		if format == "html" {
			continue // its own tests, in a browser
		}
		t.Run(format, func(t *testing.T) {
			if checks[format] == nil {
				t.Fatal("no check says what a hostile text must not do in this format")
			}
			write := func(result *audit.Result, name string) {
				result.Files[0].Sitemap.URL, result.Files[0].Name = name, name
				text := wrote(t, format, result)
				if format != "xlsx" {
					tame(t, "the file", strings.NewReplacer("\r\n", "", "\n", "", bom, "").Replace(text))
				}
				if checks[format](t, []byte(text)); t.Failed() {
					t.Fatalf("with the sitemap %q", name)
				}
			}
			write(hostile(), "http://shop.example/sitemap.xml")
			for _, name := range hostileTexts {
				write(of("1 /ok/; 1 /gone/ 404").Result(), name)
			}
		})
	}
	t.Run("summary.json", func(t *testing.T) {
		result := hostile()
		for _, s := range hostileTexts {
			result.Files[0].Sitemap.URL = s
			var b bytes.Buffer
			mustDo(t, writeSummaryJSON(&b, result))
			tame(t, "the file", strings.ReplaceAll(b.String(), "\n", ""))
			var back Corrected
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Files[0].URL != string([]rune(s)) {
				t.Errorf("%q comes back as %q, %v", s, back.Files[0].URL, err)
			}
		}
	})
	t.Run("terminal", func(t *testing.T) {
		var b bytes.Buffer
		mustDo(t, WriteSummary(&b, hostile(), Summary{Written: Written{Dir: "\x1b[2J", Files: []string{"report.html"}}}))
		tame(t, "the summary", strings.ReplaceAll(b.String(), "\n", ""))
	})
}

// tame complains about what could steer a terminal, turn the reading order or is
// no text.
func tame(t *testing.T, what, s string) {
	t.Helper()
	if at := strings.IndexFunc(s, func(r rune) bool { return r != '\uFFFD' && messages.Steers(r) }); at >= 0 {
		t.Errorf("%s holds %q", what, s[max(0, at-20):min(len(s), at+20)])
	}
}

func checkCSV(t *testing.T, b []byte) {
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(b), bom))).ReadAll()
	mustDo(t, err)
	for _, cell := range slices.Concat(lines...) {
		if calculates(cell) {
			t.Errorf("cell %q calculates", cell)
		}
	}
}

func checkJSONL(t *testing.T, b []byte) {
	for line := range bytes.Lines(b) {
		if !json.Valid(line) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

func checkXLSX(t *testing.T, b []byte) {
	book, err := excelize.OpenReader(bytes.NewReader(b))
	mustDo(t, err)
	defer book.Close()
	for _, name := range book.GetSheetList() {
		lines, err := book.GetRows(name)
		mustDo(t, err)
		for _, cell := range slices.Concat(lines...) {
			if calculates(cell) {
				t.Errorf("cell %.60q calculates", cell)
			}
			tame(t, "a cell", cell)
		}
	}
}

func checkJUnit(t *testing.T, b []byte) {
	var all junitFile
	mustDo(t, xml.Unmarshal(b, &all))
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			tame(t, "a case", strings.ReplaceAll(fmt.Sprintf("%v %v %v", c.Name, c.Failure, c.Skipped), "\n", ""))
		}
	}
}

func checkSARIF(t *testing.T, b []byte) {
	schema, err := sarifSchema()
	mustDo(t, err)
	result, err := schema.Validate(gojsonschema.NewBytesLoader(b))
	mustDo(t, err)
	for _, e := range result.Errors()[:min(5, len(result.Errors()))] {
		t.Error(e)
	}
	var all any
	mustDo(t, json.Unmarshal(b, &all))
	tame(t, "a value", strings.ReplaceAll(fmt.Sprint(all), "\n", ""))
}

var tags = regexp.MustCompile(`<(/?[a-zA-Z!][^ >]*)`)

func checkMarkdown(t *testing.T, b []byte) {
	if len(b) > 62_000 {
		t.Errorf("%d bytes", len(b))
	}
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(ghtml.WithUnsafe()))
	mustDo(t, md.Convert(b, &out))
	for _, m := range tags.FindAllStringSubmatch(out.String(), -1) {
		switch strings.TrimPrefix(m[1], "/") {
		case "h2", "h3", "h4", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "ol", "ul", "li", "strong", "br":
		default:
			at := strings.Index(out.String(), m[0])
			t.Errorf("there is a <%s>: %s", m[1], out.String()[max(0, at-80):min(out.Len(), at+80)])
		}
	}
	// What is not in code must mention nobody.
	plain := regexp.MustCompile(`(?s)<code>.*?</code>`).ReplaceAllString(out.String(), "")
	if strings.Contains(plain, "@") {
		t.Error("there is an @ outside of code")
	}
	for line := range strings.Lines(string(b)) {
		signs := strings.Count(line, "|") - strings.Count(line, `\|`)
		if strings.HasPrefix(line, "|") && !slices.Contains([]int{4, 5, 6, 7, 8, 9, 10, 11, 12}, signs) {
			t.Errorf("the row has %d signs between cells: %s", signs, line)
		}
	}
}
