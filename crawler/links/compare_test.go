package links_test

import (
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// Changes of links are derived from what both audits crawled: that no sitemap lists an old address
// any more does not repair the links to it.
func TestComparedLinks(t *testing.T) {
	const home, answers = "<a href=/old><a href=/gone>", "/old 301 /new\n/gone 404\n/new 200"
	pages := func(home string) map[string]string { return map[string]string{"/": home, "/new": "<a href=/>"} }
	before := site{"/\n/old moved /new\n/gone not-found", pages(home), answers}
	after := func(home, crawled string) site { return site{"/\n/new", pages(home), crawled} }
	unlisted := site{"/", map[string]string{"/": "<a href=/x><a href=/y>"}, ""}
	for _, c := range []struct {
		name     string
		old, new site
		asked    [2]bool // --links=ask
		want     string  // old and unlisted, each as gone+new+both, not compared
	}{
		{"the same audit again", before, before, [2]bool{}, "0+0+2 0, 0+0+0 0"},
		{"the corrected sitemap, the same pages", before, after(home, "/new 200"), [2]bool{}, "0+0+0 2, 0+0+0 2"},
		{"and back", after(home, "/new 200"), before, [2]bool{}, "0+0+0 2, 0+0+0 2"},
		{"the corrected sitemap, crawled all the same", before, after(home, answers), [2]bool{}, "0+0+2 0, 0+0+0 0"},
		{"one link was taken out", before, after("<a href=/gone>", "/new 200"), [2]bool{}, "1+0+0 1, 0+0+0 1"},
		{"one is there again", before, after(home, "/old 301 /new\n/new 200\n/gone 200"), [2]bool{}, "1+0+1 0, 0+1+0 0"},
		{"one cannot be seen", before, after(home, "/old 301 /new\n/new 200\n/gone 403"), [2]bool{}, "0+0+1 1, 0+0+0 0"},
		{"the page that links was not read", before, site{"/new", map[string]string{"/new": "<a href=/>"}, "/new 200"}, [2]bool{}, "0+0+0 2, 0+1+0 0"},
		{"and what it linked to is there again", before, site{"/new", map[string]string{"/new": "<p>"}, "/gone 200"}, [2]bool{}, "1+0+0 1, 0+0+0 0"},
		{"a link to what no sitemap lists", after("<p>", ""), after("<a href=/x>", ""), [2]bool{}, "0+0+0 0, 0+1+0 0"},
		{"on a page that the older did not read", site{"/", map[string]string{"/new": "<p>"}, ""}, after("<a href=/x>", ""), [2]bool{}, "0+0+0 0, 0+0+0 1"},
		{"both crawled what no sitemap lists", unlisted, site{"/\n/x", unlisted.pages, ""}, [2]bool{true, true}, "0+0+0 0, 1+0+1 0"},
		{"the newer alone did", before, after(home, answers), [2]bool{false, true}, "not, not"},
		{"the older alone did", before, after("<p>", ""), [2]bool{true, false}, "not, not"},
	} {
		old, new := c.old.join(t), c.new.join(t)
		old.Asked, new.Asked = c.asked[0], c.asked[1]
		var d audit.Diff
		if err := d.CompareLinks(t.Context(), old, new, func() audit.Shelf { return &memory{} }); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range []audit.LinkKind{audit.LinkedOld, audit.LinkedUnlisted} {
			if x := d.Linked.Kinds[k]; d.Linked.Compared(k) {
				got = append(got, fmt.Sprintf("%d+%d+%d %d", x.Gone, x.New, x.Both, x.NotCompared))
			} else {
				got = append(got, "not")
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
