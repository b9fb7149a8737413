package report

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
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
	all, why, counts := 0, "", map[string]int{}
	for r, err := range inspectedRows(ctx, result) {
		if err != nil {
			return err
		}
		all++
		switch in := r.Inspection; {
		case in.Failure != "":
			counts["google-failed"]++
			why = cmp.Or(why, ": "+in.Failure)
		case in.Agreement(r) != "":
			counts["agrees-"+in.Agreement(r)]++
		case in.LastCrawl.IsZero():
			counts["google-unknown"]++
		}
	}
	words, out := messages.Of(o.Lang), labelled{}
	say := func(text string) { out.row("Google", text) }
	parts := []string{words.Count("google-asked", all)}
	for _, key := range []string{"agrees-agrees", "agrees-older", "agrees-other-spelling", "agrees-differs", "google-unknown", "google-failed"} {
		if n := counts[key]; n > 0 {
			parts = append(parts, words.Count("counted", n, "what", messages.Say(key)))
		}
	}
	say(strings.Join(parts, " · ") + why)
	if in := result.Inspections; in.Left > 0 {
		say(words.Count("google-left", in.Left, "when", in.Again.Local().Format("2006-01-02 15:04 MST")))
	}
	for _, file := range o.Written.Files {
		say(filepath.Join(o.Written.Dir, file))
	}
	return out.print(w)
}

// WriteLogsSummary writes what logs say for a terminal, which spelling Googlebot uses among it, in
// less than a screen. It returns an error of w.
func WriteLogsSummary(w io.Writer, l *audit.Logs, lang string) error {
	words, out := messages.Of(lang), labelled{}
	for _, x := range conclude.LogLines(l) {
		out.row(x.Label, x.Text.Plain(words))
	}
	return out.print(w)
}
