package html

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// leading is a row as far as the table of destinations looks at it.
func leading(v audit.Verdict, listed, final string) audit.Row {
	r := audit.Row{Verdict: v, Address: address.Wire(listed), Fix: audit.Fix{Action: audit.Keep}}
	r.Trail.Steps = []audit.Step{{Hop: audit.Hop{Status: 301}}}
	if final != "" {
		r.Final = address.Wire(final)
		r.Trail.Steps = append(r.Trail.Steps, audit.Step{Hop: audit.Hop{Status: 200}})
	}
	return r
}

func TestFirstSection(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.example/":                "https://a.example/",
		"https://a.example/about":           "https://a.example/*",
		"https://a.example/blog/":           "https://a.example/*",
		"https://a.example/blog/2024/x":     "https://a.example/blog/*",
		"https://a.example/index.php?p=1":   "https://a.example/index.php?*",
		"https://a.example/?p=1":            "https://a.example/",
		"http://a.example:8080/blog/x?a=/b": "http://a.example:8080/blog/*",
	} {
		if got := firstSection(address.Wire(in)); got != want {
			t.Errorf("firstSection of %s is %s, want %s", in, got, want)
		}
	}
}

// Each row that is not clean is under one destination, by name or among the others.
func TestDestinationsAddUp(t *testing.T) {
	d := newDestinations()
	n := 0
	for i := range 80 {
		folder := "https://a.example/" + strings.Repeat("x", i%40+1)
		rows := []audit.Row{
			leading(audit.Temporary, folder+"/1", "https://b.example/new/"+strings.Repeat("y", i%3+1)+"/1"),
			leading(audit.Temporary, folder+"/1", fmt.Sprintf("https://b.example/%d/1", i)),
			leading(audit.Loop, folder+"/2", ""), leading(audit.NotFound, folder+"/3", ""),
			leading(audit.OK, folder+"/4", ""), leading(audit.Skipped, folder+"/5", ""),
		}
		for j := range rows {
			d.add(&rows[j])
		}
		n += 4
	}
	v := d.view()
	sum := v.More
	for i, r := range v.Rows {
		sum += r.Count
		listed := r.Others
		for _, x := range r.Listed {
			listed += x.Count
		}
		if listed != r.Count || len(r.Listed) > maxListed {
			t.Errorf("%s: %d of %d are listed as something", r.Ends.In("en"), listed, r.Count)
		}
		if i > 0 && r.Count > v.Rows[i-1].Count {
			t.Errorf("row %d is larger than the one before", i)
		}
	}
	if sum != n || v.Total != n || len(v.Rows) != maxDestinations {
		t.Errorf("%d rows add up to %d of %d, want %d", len(v.Rows), sum, v.Total, n)
	}
	if !reflect.DeepEqual(v, d.view()) {
		t.Error("two tables of the same differ")
	}
}

func TestDestinationsOfACleanSitemap(t *testing.T) {
	d := newDestinations()
	row := leading(audit.OK, "https://a.example/", "")
	d.add(&row)
	if d.view() != nil {
		t.Error("a table of nothing")
	}
}

// One origin is not said in every name; a backtick of the site's means nothing.
func TestDestinationNames(t *testing.T) {
	d := newDestinations()
	row := leading(audit.Temporary, "https://a.example/a`b/1", "https://a.example/%E6%97%A5/2")
	d.add(&row)
	r := d.view().Rows[0]
	if r.Listed[0].Name.In("en") != "/a`b/*" || r.Ends.In("en") != "/%E6%97%A5/*" {
		t.Errorf("%q ends at %q", r.Listed[0].Name.In("en"), r.Ends.In("en"))
	}
	other := leading(audit.Temporary, "https://b.example/x", "https://a.example/y")
	d.add(&other)
	for _, r := range d.view().Rows {
		if !strings.HasPrefix(r.Listed[0].Name.In("en"), "https://") {
			t.Errorf("%q has no origin though there are two", r.Listed[0].Name.In("en"))
		}
	}
}

// However many ways there are, they are bounded, and none is lost.
func TestWaysAreBounded(t *testing.T) {
	d := newDestinations()
	const n = 160
	for i := range n * n {
		row := leading(audit.Temporary, fmt.Sprintf("https://a.example/%d/x", i/n), fmt.Sprintf("https://a.example/to%d/x", i%n))
		d.add(&row)
	}
	if len(d.counts) > maxWays+1 {
		t.Errorf("%d ways are kept", len(d.counts))
	}
	if got := d.view().Total; got != n*n {
		t.Errorf("the table has %d of %d rows", got, n*n)
	}
}
