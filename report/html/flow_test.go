package html

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// flowRowOf is a row as far as the flow looks at it.
func flowRowOf(v audit.Verdict, listed, final string) audit.Row {
	r := audit.Row{Verdict: v, Address: address.Wire(listed), Fix: audit.Fix{Action: audit.Keep}}
	r.Trail.Steps = []audit.Step{{Hop: audit.Hop{Status: 301}}}
	if final != "" {
		r.Final = address.Wire(final)
		r.Trail.Steps = append(r.Trail.Steps, audit.Step{Hop: audit.Hop{Status: 200}})
	}
	return r
}

func TestFlowPatterns(t *testing.T) {
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

// Each row that is not fine is in one way, and the bars of each column hold all
// of them.
func TestFlowAddsUp(t *testing.T) {
	f := newFlowing()
	n := 0
	for i := range 40 {
		folder := "https://a.example/" + strings.Repeat("x", i%20+1)
		rows := []audit.Row{
			flowRowOf(audit.Temporary, folder+"/1", "https://b.example/new/"+strings.Repeat("y", i%3+1)+"/1"),
			flowRowOf(audit.Loop, folder+"/2", ""), flowRowOf(audit.NotFound, folder+"/3", ""),
			flowRowOf(audit.OK, folder+"/4", ""), flowRowOf(audit.Skipped, folder+"/5", ""),
		}
		for j := range rows {
			f.add(&rows[j])
		}
		n += 3
	}
	p := f.picture("en")
	sum := 0
	for _, r := range p.Rows {
		sum += r.Count
	}
	columns := map[float64][]flowNode{}
	for _, node := range p.Nodes {
		columns[node.X] = append(columns[node.X], node)
	}
	if sum != n || p.Total != n || len(columns) != 3 {
		t.Fatalf("%d rows in %d columns, want %d in 3", sum, len(columns), n)
	}
	for x, nodes := range columns {
		all, below := 0, 0.0
		for _, node := range nodes {
			all += node.Count
			if node.Y < below || node.Y+node.H > float64(p.Height) {
				t.Errorf("the bar %q lies over another or outside", node.Label.In("en"))
			}
			below = node.Y + node.H
		}
		if all != n || len(nodes) > flowShown+1 {
			t.Errorf("the column at %v has %d bars with %d rows", x, len(nodes), all)
		}
	}
	if last := columns[flowX[0]][flowShown]; last.Label.In("en") != "other" || last.Count != (20-8)*2*3 {
		t.Errorf("other is %+v", last)
	}
	if !reflect.DeepEqual(p, f.picture("en")) {
		t.Error("two pictures of the same differ")
	}
}

// Where there is nothing but what is fine there is no picture.
func TestFlowOfACleanSitemap(t *testing.T) {
	f := newFlowing()
	row := flowRowOf(audit.OK, "https://a.example/", "")
	f.add(&row)
	if f.picture("en") != nil {
		t.Error("a picture of nothing")
	}
}

// One origin is not said in every name; a backtick of the site's means nothing.
func TestFlowNames(t *testing.T) {
	f := newFlowing()
	row := flowRowOf(audit.Temporary, "https://a.example/a`b/1", "https://a.example/%E6%97%A5/2")
	f.add(&row)
	r := f.picture("en").Rows[0]
	if r.From.In("en") != "/a`b/*" || r.To.In("en") != "/%E6%97%A5/*" {
		t.Errorf("named %q -> %q", r.From.In("en"), r.To.In("en"))
	}
	other := flowRowOf(audit.Temporary, "https://b.example/x", "https://a.example/y")
	f.add(&other)
	for _, r := range f.picture("en").Rows {
		if !strings.HasPrefix(r.From.In("en"), "https://") {
			t.Errorf("%q has no origin though there are two", r.From.In("en"))
		}
	}
}

// However many ways there are, they are bounded, and none is lost.
func TestFlowWaysAreBounded(t *testing.T) {
	f := newFlowing()
	const n = 160
	for i := range n * n {
		row := flowRowOf(audit.Temporary, fmt.Sprintf("https://a.example/%d/x", i/n), fmt.Sprintf("https://a.example/to%d/x", i%n))
		f.add(&row)
	}
	if len(f.counts) > flowWays+1 {
		t.Errorf("%d ways are kept", len(f.counts))
	}
	if got := f.picture("en").Total; got != n*n {
		t.Errorf("the picture has %d of %d rows", got, n*n)
	}
}
