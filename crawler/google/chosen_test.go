package google_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
)

// chosenFrom returns what is chosen of rows, by path.
func chosenFrom(t *testing.T, rows []audit.Row, n int, open func(address.Address) bool) []string {
	t.Helper()
	undecided := []audit.Verdict{audit.Loop, audit.Moved}
	result := audit.Result{Files: []audit.File{{}}, Causes: make([]audit.Cause, len(undecided))}
	result.CauseOf = func(r *audit.Row) int { return slices.Index(undecided, r.Verdict) }
	result.Rows = func(context.Context, int) iter.Seq2[*audit.Row, error] {
		return func(yield func(*audit.Row, error) bool) {
			for _, r := range rows {
				if !yield(&r, nil) {
					return
				}
			}
		}
	}
	chosen, err := google.ChooseURLs(t.Context(), &result, n, open)
	must(t, err)
	var paths []string
	for _, c := range chosen {
		paths = append(paths, strings.Trim(c.Path(), "/"))
	}
	return paths
}

func all(address.Address) bool { return true }

// kinds are the paths without their numbers.
func kinds(paths []string) string {
	var out []string
	for _, p := range paths {
		out = append(out, strings.TrimRight(p, "0123456789"))
	}
	return strings.Join(out, " ")
}

func mixedRows() (rows []audit.Row) {
	add := func(name string, n int, v audit.Verdict, status int) {
		at := address.Wire(fmt.Sprintf("https://shop.example/%s%d", name, n))
		r := audit.Row{Entry: audit.Entry{Loc: at.String()}, Address: at, Final: at, Verdict: v, Status: status, Fix: audit.Fix{Action: audit.Keep}}
		if v == audit.Moved {
			r.Address, r.Reasons = address.Wire("http"+at.String()[len("https"):]), []address.Reason{address.Scheme}
			r.Fix = audit.Fix{Action: audit.Replace, Loc: at.String()}
		}
		rows = append(rows, r)
	}
	for i := range 30 {
		add("fine", i, audit.OK, 200)
		add("moved", i, audit.Moved, 200)
	}
	for i := range 3 {
		add("loop", i, audit.Loop, 301)
		add("unseen", i, audit.Unverified, 403)
		add("left", i, audit.Skipped, 0)
	}
	return rows
}

// One of each cause that needs a decision, of each that is corrected, of each verdict; then second
// ones; what was not crawled never.
func TestChooseURLs(t *testing.T) {
	rows := mixedRows()
	got := chosenFrom(t, rows, 9, all)
	if kinds(got) != "loop moved unseen fine loop moved unseen fine loop" {
		t.Errorf("chosen: %s", kinds(got))
	}
	if everything := chosenFrom(t, rows, 1000, all); len(everything) != 66 {
		t.Errorf("%d chosen: %s", len(everything), kinds(everything))
	}
	if again := chosenFrom(t, rows, 9, all); !slices.Equal(got, again) {
		t.Errorf("%v, then %v", got, again)
	}
	closed := func(a address.Address) bool { return a.Path() != "/"+got[0] }
	if again := chosenFrom(t, rows, 9, closed); slices.Contains(again, got[0]) || len(again) != 9 {
		t.Errorf("%s may not be asked: %v", got[0], again)
	}
}
