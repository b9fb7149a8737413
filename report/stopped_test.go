package report

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// exported is all that told says, its rows aside.
func exported(t testing.TB, result *audit.Result) string {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stopAfter is the row after which nobody wants more of what stopping yields.
const stopAfter = 500

// stopping yields 100 times as many rows, counts them in seen and calls stop on the way.
func stopping[T any](row func(n int) T, seen *int, stop func()) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for n := range 100 * stopAfter {
			if *seen++; n == stopAfter {
				stop()
			}
			if !yield(row(n), nil) {
				return
			}
		}
	}
}

// Every output that is not wanted any more ends at once, with the error of its context.
func TestOutputsEndWithTheirContext(t *testing.T) {
	text := "<urlset>" + strings.Repeat("<url><loc>http://a.example/1</loc></url>", 100*stopAfter) + "</urlset>"
	file := audit.File{Name: "a.example/s.xml", Changed: true, Sitemap: audit.Sitemap{URL: "http://a.example/s.xml", Spool: "s"}}
	o := Options{Dir: t.TempDir(), Formats: Formats(), HTML: page, Open: func(context.Context, int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	type output func(ctx context.Context, result *audit.Result) error
	outputs := map[string]output{
		"WriteAll": func(ctx context.Context, result *audit.Result) error {
			result.Files[0].Changed = false // so that the formats are come to
			_, err := WriteAll(ctx, result, o)
			return err
		},
		"mend": func(ctx context.Context, result *audit.Result) error {
			_, err := mendInto(ctx, result, o.Open, o.Dir)
			return err
		},
		"search-console.csv": func(ctx context.Context, result *audit.Result) error {
			x := reportedTable(ctx, result, messages.Of("en"))
			return x.write(io.Discard)
		},
	}
	for _, format := range Formats() {
		outputs[format] = func(ctx context.Context, result *audit.Result) error {
			return Write(ctx, io.Discard, format, result, o)
		}
	}
	for name, write := range outputs {
		t.Run(name, func(t *testing.T) {
			seen, stop := 0, func() {}
			row := func(n int) audit.Row {
				return audit.Row{Entry: audit.Entry{N: n, Loc: "http://a.example/1", Line: 1}, Verdict: audit.NotFound, Fix: audit.Fix{Action: audit.Drop}}
			}
			result := audit.MakeResult(audit.Result{Files: []audit.File{file}}, func(int) iter.Seq2[audit.Row, error] { return stopping(row, &seen, stop) }, nil)
			result.SearchConsole = &audit.SearchConsole{Rows: func(ctx context.Context) iter.Seq2[audit.ReportedRow, error] {
				return audit.Until(ctx, stopping(func(n int) audit.ReportedRow { return audit.ReportedRow{Row: row(n)} }, &seen, stop))
			}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			seen, stop = 0, cancel
			if err := write(ctx, result); !errors.Is(err, context.Canceled) || seen > stopAfter+10 {
				t.Errorf("it ends with %v, after %d rows", err, seen)
			}
			if files := tree(t, o.Dir); len(files) > 0 {
				t.Errorf("it leaves %d files", len(files))
			}
		})
	}
}
