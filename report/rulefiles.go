package report

import (
	"bufio"
	"context"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// rulesName is the file that WriteRulesCSV writes.
const rulesName = "rules.csv"

const rulesColumns = "file,line,source,target,status,hits,fault,why"

// WriteRulesCSV writes rules.csv: a line for each rule of the rule files of a build, and for
// each line of them that the host ignores, in the order of the files. The columns:
//
//	file, line      where it stands; line from 1, empty for a whole file
//	source, target  as written; of a line that is ignored the source is all of it
//	status          what the host answers with; empty where it ignores the line
//	hits            how many entries the rule answered on their way
//	fault           rule-unread, rule-loop, rule-missing, rule-unreached, rule-chain, rule-temporary,
//	                rule-decoded, rule-wider, rule-conditional; empty for none
//	why             what is wrong, in the language lang
//
// Of several faults a cell has each, with a space or "; " between. It returns the first error
// of w or of the rules.
func WriteRulesCSV(ctx context.Context, w io.Writer, b *audit.Build, lang string) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(bom + rulesColumns + "\r\n") // its error comes back with Flush
	words := messages.Of(lang)
	var line []byte
	for r, err := range b.Rules(ctx) {
		if err != nil {
			return err
		}
		c := cells{b: line[:0]}
		c.text(r.File)
		c.numberOr(r.Line, r.Line > 0)
		c.text(r.Source)
		c.text(r.Target)
		c.numberOr(r.Status, r.Status != 0)
		c.number(r.Hits)
		var faults, whys []string
		for _, x := range r.Findings {
			faults, whys = append(faults, x.Fault), append(whys, words.RuleFinding(x))
		}
		c.text(strings.Join(faults, " "))
		c.text(strings.Join(whys, "; "))
		line = c.end()
		if _, err := bw.Write(line); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// placeOf is the place of a sitemap or rule file for code scanning: of a build that of the
// file in its folder.
func placeOf(b *audit.Build, sitemap string) string {
	if b == nil {
		return place(sitemap)
	}
	if at := b.Paths[sitemap]; at != "" {
		return place(within(at))
	}
	return place(sitemap)
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

// ruleText is a rule as a sentence names it: "_redirects line 12, /docs/* -> /guide/:splat".
func ruleText(b *audit.Build, at audit.RuleAt) string {
	text := at.File + " line " + strconv.Itoa(at.Line)
	if r, ok := b.Rule(at); ok {
		text += ", " + r.Source + " -> " + r.Target
	}
	return text
}

// rulesOf are the rules that answered an entry: "_redirects:12 netlify.toml:3".
func rulesOf(r *audit.Row) string {
	var all []string
	for _, at := range r.Trail.Rules() {
		all = append(all, at.File+":"+strconv.Itoa(at.Line))
	}
	return strings.Join(all, " ")
}

// ruleFiles adds what the rule files of a build come to, and what was assumed.
func (t *terminal) ruleFiles() {
	b := t.result.Build
	if b == nil {
		return
	}
	for _, line := range conclude.RuleLines(t.words, b) {
		t.row("label-rules", line)
	}
	if said := conclude.Assumed(t.words, b); said != "" {
		t.row("label-assumed", said)
	}
}

// ruleTable is the faults of the rule files as a table.
func (m *summaryPage) ruleTable() {
	b := m.result.Build
	if b == nil {
		return
	}
	var lines []string
	all := 0
	for i := range b.Files {
		for _, n := range b.Files[i].Faults {
			all += n
		}
	}
	for _, x := range b.Findings {
		line := ""
		if x.Line > 0 {
			line = strconv.Itoa(x.Line)
		}
		lines = append(lines, row(escapeMarkdown(m.words.Text("fault-"+x.Fault)), mdCode(x.Text), escapeMarkdown(m.words.RuleFinding(x)), mdCode(b.PathOf(x.File)), line))
	}
	m.table(m.text("md-rules"), []string{m.text("md-fault"), m.text("md-rule"), "", m.text("md-file"), m.text("md-line")}, lines, mdFaults, all)
}

// buildSummary is what summary.json says of the build that answered.
type buildSummary struct {
	Dir          string        `json:"dir"`
	Origin       string        `json:"origin"`
	Host         string        `json:"served_by"`
	RecognizedBy string        `json:"recognized_by,omitempty"`
	Date         string        `json:"model"`
	Files        []ruleSummary `json:"rule_files"`
}

type ruleSummary struct {
	Name   string         `json:"name"`
	Path   string         `json:"path"`
	Rules  int            `json:"rules"`
	Errors int            `json:"errors"`
	Faults map[string]int `json:"faults"`
}

func buildOf(b *audit.Build) *buildSummary {
	if b == nil {
		return nil
	}
	out := &buildSummary{Dir: b.Dir, Origin: b.Origin, Host: b.Host, RecognizedBy: b.RecognizedBy, Date: b.Date, Files: []ruleSummary{}}
	for i := range b.Files {
		f := &b.Files[i]
		out.Files = append(out.Files, ruleSummary{f.Name, f.Path, f.Rules, f.Errors, f.Faults})
	}
	return out
}
