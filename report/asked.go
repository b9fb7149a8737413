package report

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// WriteInspections writes google.csv to o.Dir, and leaves what else is there alone. Of o it uses
// Dir and Record. It returns the name of the file.
func WriteInspections(ctx context.Context, result *audit.Result, o Options) (name string, err error) {
	s, err := stage(ctx, o.Dir, o.Record)
	if err != nil {
		return "", err
	}
	defer s.close()
	if err := s.write(ctx, inspectedTable.name, func(w io.Writer) error {
		return writeCSV(w, inspectedTable.names(), inspectedTable.of(ctx, result, messages.Of(o.Lang)))
	}); err != nil {
		return "", err
	}
	return inspectedTable.name, s.place(true)
}

// inspectedLines are how many addresses WriteInspectionSummary lists.
const inspectedLines = 8

// WriteInspectionSummary writes for a terminal what Google's index says beside what the audit saw:
// how many addresses agree, and the first that do not. It returns an error of w or of result's
// rows.
func WriteInspectionSummary(ctx context.Context, w io.Writer, result *audit.Result, o Summary) error {
	t := inspecting{result: result, o: o, words: messages.Of(o.Lang).With(o.Again)}
	if err := t.inspected(ctx); err != nil {
		return err
	}
	return t.print(w)
}

// inspecting is the summary of inspections while it is put together.
type inspecting struct {
	labelled
	result *audit.Result
	o      Summary
	words  *messages.Catalogue
}

func (t *inspecting) row(label, text string) { t.labelled.row(label, text) }

// inspections is what is counted of them.
type inspections struct {
	all, failed, unknown int
	agree                map[audit.Agreement]int
	look                 map[audit.Agreement][]disagreeing
	why                  string // of the first without an answer
}

// A disagreeing URL, as it is shown.
type disagreeing struct {
	url, verdict, state, canonical string
	crawled                        time.Time
}

// inspected adds what Google's index says.
func (t *inspecting) inspected(ctx context.Context) error {
	n, err := countInspections(ctx, t.result)
	if err != nil || n.all == 0 && t.result.Inspections == nil {
		return err
	}
	w := t.words
	var parts []string
	for _, a := range []audit.Agreement{audit.Agrees, audit.AgreesOlder, audit.AgreesOther, audit.AgreesNot} {
		if n.agree[a] > 0 {
			parts = append(parts, w.Text("counted", "n", messages.Number(n.agree[a]), "what", w.Text("agrees-"+string(a))))
		}
	}
	if n.unknown > 0 {
		parts = append(parts, w.Count("google-unknown", n.unknown))
	}
	if n.failed > 0 {
		parts = append(parts, w.Count("google-failed", n.failed))
	}
	t.row("Google", strings.Join(append([]string{w.Count("google-asked", n.all)}, parts...), " · "))
	if n.failed > 0 {
		t.row("Google", n.why)
	}
	if in := t.result.Inspections; in != nil && in.Left > 0 {
		t.row("Google", w.Count("google-left", in.Left, "when", in.Again.Local().Format("2006-01-02 15:04 MST")))
	}
	if slices.Contains(t.o.Written.Files, inspectedTable.name) {
		t.row("Google", filepath.Join(t.o.Written.Dir, inspectedTable.name))
	}
	t.disagreements(n)
	return nil
}

// disagreements lists the first addresses of which Google says something else.
func (t *inspecting) disagreements(n *inspections) {
	left := inspectedLines
	for _, a := range []audit.Agreement{audit.AgreesNot, audit.AgreesOther} {
		for _, r := range n.look[a][:min(left, len(n.look[a]))] {
			left--
			key, pairs := "google-says", []string{"url", r.url, "what", t.words.Verdict(audit.Verdict(r.verdict)).Name, "state", r.state, "when", r.crawled.Local().Format(time.DateOnly)}
			if a == audit.AgreesOther {
				key, pairs = "google-spells", []string{"url", r.url, "canonical", r.canonical}
			}
			t.row("Google", t.words.Text(key, pairs...))
		}
	}
}

// countInspections counts what result has of them, each URL once.
func countInspections(ctx context.Context, result *audit.Result) (*inspections, error) {
	n := &inspections{agree: map[audit.Agreement]int{}, look: map[audit.Agreement][]disagreeing{}}
	if result.Inspections == nil {
		return n, nil
	}
	for r, err := range inspectedRows(ctx, result) {
		if err != nil {
			return nil, err
		}
		n.add(&r)
	}
	return n, nil
}

func (n *inspections) add(in *inspectedRow) {
	n.all++
	a := in.Agreement(in.row)
	switch {
	case in.Failure != "":
		n.failed++
		n.why = cmp.Or(n.why, in.Failure)
	case a == "" && in.LastCrawl.IsZero():
		n.unknown++
	case a != "":
		n.agree[a]++
		n.look[a] = append(n.look[a], disagreeing{in.URL, string(in.row.Verdict), string(in.State), in.Canonical, in.LastCrawl})
	}
}

// WriteLogsSummary writes what logs say for a terminal, which spelling Googlebot uses among it, in
// less than a screen. It returns an error of w.
func WriteLogsSummary(w io.Writer, l *audit.Logs, lang string) error {
	words, out := messages.Of(lang), labelled{}
	for _, x := range conclude.LogLines(words, l) {
		out.row(x.Label, x.Text)
	}
	return out.print(w)
}
