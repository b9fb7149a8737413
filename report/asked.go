package report

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

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
	t := inspectedTable(ctx, result)
	if err := s.write(ctx, t.file, t.write); err != nil {
		return "", err
	}
	return t.file, s.place(func(string) bool { return true })
}

// WriteInspectionSummary writes for a terminal what Google's index says beside what the audit saw:
// how many addresses agree, and where the table is. It returns an error of w or of result's rows.
func WriteInspectionSummary(ctx context.Context, w io.Writer, result *audit.Result, o Summary) error {
	n, err := countInspections(ctx, result)
	if err != nil || n.all == 0 && result.Inspections == nil {
		return err
	}
	words, out := messages.Of(o.Lang).With(o.Again), labelled{}
	say := func(text string) { out.row(words.Text("label-google"), text) }
	var parts []string
	for _, p := range []struct {
		key string
		n   int
	}{{"google-agrees", n.agree[audit.Agrees]}, {"google-older", n.agree[audit.AgreesOlder]}, {"google-other-spelling", n.agree[audit.AgreesOther]},
		{"google-differs", n.agree[audit.AgreesNot]}, {"google-unknown", n.unknown}, {"google-failed", n.failed}} {
		if p.n > 0 {
			parts = append(parts, words.Count(p.key, p.n))
		}
	}
	asked := words.Count("google-asked", n.all)
	if len(parts) > 0 {
		asked = words.Text("google-parts", "asked", asked, "parts", strings.Join(parts, " · "))
	}
	say(asked)
	if n.failed > 0 && n.failed == n.all {
		say(words.Text("google-none", "why", n.why))
		say(words.Text("google-none-hint"))
	}
	if in := result.Inspections; in != nil && in.Left > 0 {
		say(words.Count("google-left", in.Left, "when", in.Again.Local().Format("2006-01-02 15:04 MST")))
	}
	if file := inspectedTable(ctx, result).file; slices.Contains(o.Written.Files, file) {
		say(filepath.Join(o.Written.Dir, file))
	}
	return out.print(w)
}

// inspections is what is counted of them.
type inspections struct {
	all, failed, unknown int
	agree                map[audit.Agreement]int
	why                  string // of the first without an answer
}

// countInspections counts what result has of them, each URL once.
func countInspections(ctx context.Context, result *audit.Result) (*inspections, error) {
	n := &inspections{agree: map[audit.Agreement]int{}}
	if result.Inspections == nil {
		return n, nil
	}
	for in, err := range inspectedRows(ctx, result) {
		if err != nil {
			return nil, err
		}
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
		}
	}
	return n, nil
}

// WriteLogsSummary writes what logs say for a terminal, which spelling Googlebot uses among it, in
// less than a screen. It returns an error of w.
func WriteLogsSummary(w io.Writer, l *audit.Logs, lang string) error {
	words, out := messages.Of(lang), labelled{}
	for _, x := range conclude.LogLines(words, l) {
		if x.Remedy {
			x.Text = words.Text("logs-remedy-docs")
		}
		out.row(words.Text(x.Label), x.Text)
	}
	return out.print(w)
}
